"""The JAX backend as a gymnasium vector environment: what `make_chip8(..., backend="jax")` returns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax.jax_env import Chip8Jax, EnvState
from assay.methods.environments.octax.jax_machine import to_machines
from assay.methods.environments.octax.machine import Fault, Machines, raise_fault, stream
from assay.methods.environments.octax.rules import Rules
from assay.methods.environments.octax.vector import Chip8Vector


class Chip8JaxVecEnv(Chip8Vector):
    """Many environments of one game on JAX; the same results, seed by seed, as `Chip8VecEnv`.

    Arrays come back as numpy's. To stay on an accelerator use `functional`, a `Chip8Jax`, under `jax.jit` and `vmap`.

    Args:
        rules: what defines the environment, from `rules_of`.
        num_envs: how many.
        seed: of the first reset that gives none.
        render_mode: "rgb_array" or None.

    Attributes:
        functional: the environment as pure functions.
        states: an `EnvState` with a leading axis of all environments.
    """

    def __init__(
        self, rules: Rules, num_envs: int = 1, seed: int | None = None, render_mode: str | None = None
    ) -> None:
        """Args as of the class."""
        super().__init__(rules, num_envs, seed, render_mode)
        self.functional = Chip8Jax(rules)
        ones = jnp.ones(self.num_envs, jnp.uint32)
        self.states, self._observations, _ = jax.jit(jax.vmap(self.functional.start))(ones, ones)

    @property
    def machines(self) -> Machines:  # type: ignore[override]
        """A copy of all machines, a structured array (n,) of `machine.machine_dtype`."""
        return to_machines(self.states.machine)

    @property
    def scores(self) -> NDArray[np.float64]:  # type: ignore[override]
        """float64 (n,)."""
        return np.asarray(self.states.score, np.float64)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start all environments anew; arguments and result as `Chip8VecEnv.reset`.

        Args:
            seed: environment i, if it is started, gets the random streams of seed + i, or of seed[i]; None goes on with
                those it has.
            options: `{"reset_mask": bool (n,)}` starts only these environments.
        """
        chosen, seeds = self._begin(seed, options)
        rng, streams = np.array(self.states.machine.rng), np.array(self.states.stream)
        for i, one in seeds.items():
            rng[i], streams[i] = stream(one), stream(one, 1)
        states = self.states._replace(machine=self.states.machine._replace(rng=jnp.asarray(rng)))
        self.states, self._observations = self._restart(
            states._replace(stream=jnp.asarray(streams)), self._observations, jnp.asarray(chosen)
        )
        return np.asarray(self._observations), self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of every environment; arguments, result and errors as `Chip8VecEnv.step`.

        Args:
            actions: integers (n,).
        """
        given = jnp.asarray(self._given(actions), jnp.int32)
        self.states, self._observations, rewards, terminated, truncated = self._step(
            self.states, jnp.asarray(self._over), given
        )
        ended, cut = np.array(terminated), np.array(truncated)
        self._over = ended | cut
        if ended.any() and (np.asarray(self.states.machine.fault) > Fault.EXITED).any():
            raise_fault(self.machines)
        return np.asarray(self._observations), np.asarray(rewards, np.float64), ended, cut, self._infos()

    @cached_property
    def _restart(self) -> Any:
        def restart(states: EnvState, observations: jax.Array, chosen: jax.Array) -> tuple[EnvState, jax.Array]:
            fresh, screens, _ = jax.vmap(self.functional.start)(states.machine.rng, states.stream)
            selected: tuple[EnvState, jax.Array] = _select(chosen, (fresh, screens), (states, observations))
            return selected

        return jax.jit(restart)

    @cached_property
    def _step(self) -> Any:
        def step(states: EnvState, over: jax.Array, actions: jax.Array) -> Any:
            played, screens, rewards, terminated, truncated, _ = jax.vmap(self.functional.step)(states, actions)
            played, screens = jax.lax.cond(
                over.any(),
                lambda: _select(
                    over, jax.vmap(self.functional.start)(states.machine.rng, states.stream)[:2], (played, screens)
                ),
                lambda: (played, screens),
            )
            return played, screens, jnp.where(over, 0.0, rewards), terminated & ~over, truncated & ~over

        return jax.jit(step)

    def save(self) -> dict[str, Any]:
        """The whole state: what `load` takes."""
        kept = {"states": self.states, "over": self._over.copy(), "observations": self._observations}
        return {**kept, "rom": self.rules.rom}

    def load(self, state: dict[str, Any]) -> None:
        """Go back to a saved state; ValueError where it is of another program, of other shapes or another number.

        Args:
            state: from `save`.
        """
        if _kinds(state) != _kinds(self.save()):
            raise ValueError("state: it is of another kind; save() in an environment like this one")
        self.states, self._over, self._observations = state["states"], state["over"].copy(), state["observations"]
        self._started = True


def _kinds(state: dict[str, Any]) -> Any:
    """What a saved state must have in common with one of ours: its program, and the shape and type of every part."""
    parts = (state.get("states"), state.get("observations"))
    return state.get("rom"), jax.tree.map(lambda part: (jnp.shape(part), jnp.result_type(part)), parts)


def _select(chosen: jax.Array, one: Any, other: Any) -> Any:
    """Of two trees of arrays (n, ...), the first where chosen."""
    return jax.tree.map(lambda a, b: jnp.where(chosen.reshape(-1, *[1] * (a.ndim - 1)), a, b), one, other)
