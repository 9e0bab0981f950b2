"""CHIP-8 games as pure functions in JAX: `reset(key)` and `step(state, action)`, for `jit`, `vmap` and `scan`.

The same environments as `envs.Chip8VecEnv`, one at a time and without starting anew by themselves; `jax.vmap` over
states and actions makes many. The order of what is returned is that of the package `octax`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from os import PathLike
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import Game
from assay.methods.environments.octax.jax_machine import State, observed, on_host, random_next, run_frames
from assay.methods.environments.octax.machine import stream
from assay.methods.environments.octax.rules import Rule, Rules, rules_of
from assay.methods.environments.octax.starts import start_machines

Array = jax.Array


class EnvState(NamedTuple):
    """An environment's state; a pytree, saved and loaded as one."""

    machine: State
    time: Array
    """Steps of the episode, int32."""
    score: Array
    """float32."""
    stream: Array
    """The environment's own random stream (sticky actions, starts), uint32."""
    last: Array
    """The action that acted last, int32."""


@dataclass(frozen=True)
class Chip8Jax:
    """One environment as pure functions; hashable, so that it may be static under `jit`. Made by `make`.

    Args:
        rules: what defines the environment (`rules.rules_of`).
    """

    rules: Rules

    @staticmethod
    def make(game: str | PathLike[str] | bytes | Game, **rules: Any) -> Chip8Jax:
        """An environment of a game.

        Args:
            game: as in `make_chip8`.
            **rules: quirks, frame_skip and the other arguments of `make_chip8` that define the environment; a callable
                score or done gets the `State` of one machine.

        Raises as `make_chip8`.
        """
        return Chip8Jax(rules_of(game, **rules))

    @property
    def num_actions(self) -> int:
        """Number of actions; the last holds no key."""
        return len(self.rules.keys) + 1

    def reset(self, key: Array) -> tuple[EnvState, Array, dict[str, Array]]:
        """A fresh start: state, observation, info.

        Args:
            key: of the random streams, from `jax.random.key`.
        """
        bits = jnp.maximum(jax.random.bits(key, (2,), jnp.uint32), 1)
        return self.start(bits[0], bits[1])

    def seeded(self, seed: int) -> tuple[EnvState, Array, dict[str, Array]]:
        """The start that a `Chip8VecEnv` reset with this seed has in its environment 0.

        Args:
            seed: at least 0.
        """
        return self.start(jnp.uint32(stream(seed)), jnp.uint32(stream(seed, 1)))

    def start(self, rng: Array, environment_stream: Array) -> tuple[EnvState, Array, dict[str, Array]]:
        """A fresh start with given random streams.

        Args:
            rng: the machine's, uint32, not 0.
            environment_stream: for sticky actions and starts, uint32, not 0.
        """
        starts = _starts(self.rules)
        which = jnp.uint32(0)
        if self.rules.noop_starts:
            environment_stream = random_next(environment_stream)
            which = environment_stream % jnp.uint32(1 + self.rules.noop_starts)
        machine = jax.tree.map(lambda part: jnp.asarray(part)[which], starts)._replace(rng=rng)
        score = self._evaluate(self.rules.score, machine).astype(jnp.float32)
        state = EnvState(machine, jnp.int32(0), score, environment_stream, jnp.int32(self.rules.idle))
        screen = observed(jax.tree.map(lambda part: part[None], machine))
        blank = jnp.zeros((self.rules.frame_skip - 1, *screen.shape[1:]), screen.dtype)
        return state, self._shown(jnp.concatenate([blank, screen])), {"score": score, "fault": machine.fault}

    def step(self, state: EnvState, action: Array) -> tuple[EnvState, Array, Array, Array, Array, dict[str, Array]]:
        """One step: state, observation, reward (float32), terminated, truncated, info.

        A machine that breaks ends the episode: `info["fault"]` is then above `Fault.EXITED` (see `machine.Fault`).

        Args:
            state: from `reset` or `step`.
            action: integer, 0 to num_actions - 1; others count as the nearest of these.
        """
        rules = self.rules
        action = jnp.clip(jnp.asarray(action, jnp.int32), 0, rules.idle)
        draws = state.stream
        if rules.sticks_below:
            draws = random_next(draws)
            sticks = draws <= jnp.uint32(rules.sticks_below - 1)
            action = jnp.where(sticks, state.last, action)
        machine = state.machine._replace(keys=jnp.asarray(rules.masks)[action])
        machine, screens = run_frames(machine, rules.frame_skip, rules.instructions, rules.quirks, rules.timers)
        machine = machine._replace(keys=jnp.zeros_like(machine.keys))
        score = self._evaluate(rules.score, machine).astype(jnp.float32)
        time = state.time + 1
        terminated = self.over(machine)
        truncated = (time >= rules.max_steps) & ~terminated if rules.max_steps else jnp.zeros((), bool)
        new = EnvState(machine, time, score, draws, action)
        info = {"score": score, "fault": machine.fault}
        return new, self._shown(screens), score - state.score, terminated, truncated, info

    def over(self, machine: State) -> Array:
        """Whether the game is over, or its machine has halted: bool.

        Args:
            machine: of a state.
        """
        return (self._evaluate(self.rules.done, machine) != 0) | (machine.fault != 0)

    def _evaluate(self, rule: Rule, machine: State) -> Array:
        return Expression(rule).evaluate_jax(machine) if isinstance(rule, str) else jnp.asarray(rule(machine))

    def _shown(self, screens: Array) -> Array:
        """Screens as the observation has them, of packed ones."""
        if self.rules.packed:
            return screens
        bits = screens[..., None] >> (31 - jnp.arange(32, dtype=jnp.uint32)) & 1
        return bits.reshape(*screens.shape[:-1], -1).astype(jnp.uint8)


@cache
def _starts(rules: Rules) -> State:
    """The machines that episodes start from, as arrays of numpy: constants of what is compiled."""
    return on_host(start_machines(rules))
