"""CHIP-8 games as gymnasium environments: `Chip8VecEnv` for many at once, `Chip8Env` for one, `make_chip8` for either.

The step is the published one (W. Radji, T. Michel, H. Piteau, arXiv 2510.01764, and the package `octax` 0.1.1): hold a
key for four frames of 11 instructions, look at the four screens, take the change of the score as reward. What differs,
timers, random numbers and starts among it, is listed in card.toml.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax import native, native_env
from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import Game
from assay.methods.environments.octax.machine import Machines, raise_fault, stream
from assay.methods.environments.octax.rules import Rule, Rules, rules_of
from assay.methods.environments.octax.starts import evaluated, start_machines
from assay.methods.environments.octax.vector import Chip8Vector


class Chip8VecEnv(Chip8Vector):
    """Many environments of one game, on the native machine and all cores (see `make_chip8` for all arguments).

    After the end of an episode the next step of that environment starts a new one, ignores its action and gives no
    reward (gymnasium's `AutoresetMode.NEXT_STEP`). `infos["score"]` holds the scores, float64 (n,).

    Args:
        rules: what defines the environment, from `rules_of`.
        num_envs: how many.
        seed: of the first reset that gives none.
        copy: give new arrays of observations at every step.
        threads: cores to use at most; default all.
        render_mode: "rgb_array" or None.

    Attributes:
        machines: the state of all machines, a structured array (n,) of `machine.machine_dtype`; live.
        scores: float64 (n,).
    """

    def __init__(
        self,
        rules: Rules,
        num_envs: int = 1,
        seed: int | None = None,
        copy: bool = True,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Args as of the class."""
        super().__init__(rules, num_envs, seed, render_mode)
        if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
            raise ValueError(f"threads: {threads!r}; a whole number, at least 1, or None for all cores")
        self._copy, self._threads = copy, threads
        self._programs = [Expression(rule).program if isinstance(rule, str) else None for rule in self._both]
        self._starts = start_machines(rules)
        self.machines = np.repeat(self._starts[:1], self.num_envs)
        n = self.num_envs
        self.scores, self._new_scores, self._done = np.zeros(n), np.zeros(n), np.zeros(n)
        self._streams, self._keys = np.ones(n, np.uint32), np.zeros(n, np.uint16)
        self._last, self._steps = np.full(n, rules.idle), np.zeros(n, np.int32)
        shape, kind = rules.observation
        self._observations = np.zeros((n, *shape), kind)

    @property
    def _both(self) -> tuple[Rule, Rule]:
        return self.rules.score, self.rules.done

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start all environments anew.

        Args:
            seed: environment i, if it is started, gets the random streams of seed + i, or of seed[i]; None goes on with
                the streams it has (at the first reset: of the seed the environment was made with, else of a fresh one).
            options: `{"reset_mask": bool (n,)}` starts only these environments.

        Returns observations and infos: the screen of the start as the last frame, the others blank.
        """
        chosen, seeds = self._begin(seed, options)
        for i, one in seeds.items():
            self.machines["rng"][i], self._streams[i] = stream(one), stream(one, 1)
        native_env.restart(self.machines, self._starts, chosen, self._streams, self._last, self.rules.idle, self._steps)
        if self._copy:
            self._observations = self._observations.copy()
        native.observe(self.machines, self._observations, chosen)
        self._evaluate()
        self.scores[chosen] = self._new_scores[chosen]
        return self._observations, self._infos()

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One step of every environment.

        Args:
            actions: integers (n,) from 0 to the number of keys, which is the action without a key.

        Returns observations, rewards float64 (n,), terminated and truncated bool (n,), infos.

        Raises MachineFault where a program breaks (it names environment, address and opcode), ValueError for bad
        actions, and gymnasium's ResetNeeded before the first reset.
        """
        given = self._given(actions)
        rules, n = self.rules, self.num_envs
        fresh = self._over.copy()
        native_env.choose(given, self._last, fresh, self._streams, rules.sticks_below, rules.masks, self._keys)
        if self._copy:
            self._observations = np.empty_like(self._observations)
        native.play(
            self.machines,
            self._keys,
            fresh,
            self._observations,
            rules.quirks,
            rules.instructions,
            rules.timers,
            self._threads,
        )
        if fresh.any():
            native_env.restart(self.machines, self._starts, fresh, self._streams, self._last, rules.idle, self._steps)
            native.observe(self.machines, self._observations, fresh)
        self._evaluate()
        rewards, terminated, truncated = np.empty(n), np.empty(n, bool), np.empty(n, bool)
        native_env.settle(
            self.machines,
            self.scores,
            self._new_scores,
            self._done,
            self._steps,
            rules.max_steps,
            fresh,
            rewards,
            terminated,
            truncated,
        )
        self._over = terminated | truncated
        if terminated.any():
            raise_fault(self.machines)
        return self._observations, rewards, terminated, truncated, self._infos()

    def _evaluate(self) -> None:
        for rule, program, out in zip(self._both, self._programs, (self._new_scores, self._done), strict=True):
            if program is not None:
                native_env.evaluate(self.machines, program, out)
            else:
                out[:] = evaluated(rule, self.machines)

    def save(self) -> dict[str, NDArray[Any]]:
        """The whole state as a copy: what `load` takes, here or in an environment of the same rules."""
        state = {name: getattr(self, attribute).copy() for name, attribute in _STATE.items()}
        return {**state, "rom": np.frombuffer(self.rules.rom, np.uint8)}

    def load(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to a saved state; ValueError where it is of another program, of other shapes or another number.

        Args:
            state: from `save`.
        """
        if not np.array_equal(state.get("rom", ()), np.frombuffer(self.rules.rom, np.uint8)):
            raise ValueError("state: it is of another program")
        for name, attribute in _STATE.items():
            mine = getattr(self, attribute)
            if name not in state or state[name].dtype != mine.dtype or state[name].shape != mine.shape:
                raise ValueError(f"state: {name!r} is not of this environment; take it from one of the same rules")
        for name, attribute in _STATE.items():
            setattr(self, attribute, state[name].copy())
        self._started = True


_STATE = {
    "machines": "machines",
    "scores": "scores",
    "streams": "_streams",
    "last": "_last",
    "steps": "_steps",
    "over": "_over",
    "observations": "_observations",
}
"""What `save` keeps, by the attribute it is kept in."""


class Chip8Env(gymnasium.Env[Any, Any]):
    """One environment of a game (see `make_chip8` for all arguments); the same as environment 0 of many.

    Args:
        game: as in `make_chip8`.
        seed: of the first reset that gives none.
        render_mode: "rgb_array" or None.
        **rules: quirks, frame_skip and the other arguments of `make_chip8` that define the environment.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 15}  # noqa: RUF012 - gymnasium's own form

    def __init__(
        self,
        game: str | PathLike[str] | bytes | Game,
        seed: int | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        """Args as of the class."""
        self._many = Chip8VecEnv(rules_of(game, **rules), 1, seed, threads=1, render_mode=render_mode)
        self.render_mode = render_mode
        self.observation_space = self._many.single_observation_space
        self.action_space = self._many.single_action_space

    @property
    def machines(self) -> Machines:
        """The machine, a structured array (1,); live."""
        return self._many.machines

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Start anew: the observation (frames, rows, columns) and `{"score": float}`.

        Args:
            seed: of the random streams; None goes on with those it has.
            options: none are known.
        """
        super().reset(seed=seed)
        observations, infos = self._many.reset(seed=seed)
        return observations[0], {"score": float(infos["score"][0])}

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """One step: observation, reward, terminated, truncated, `{"score": float}`.

        Args:
            action: 0 to the number of keys, which is the action without a key.

        Raises as `Chip8VecEnv.step`, and ResetNeeded after the end of an episode.
        """
        if self._many._over[0]:
            raise gymnasium.error.ResetNeeded("the episode is over, or has not begun; call reset()")
        observations, rewards, terminated, truncated, infos = self._many.step(np.asarray(action)[None])
        return (
            observations[0],
            float(rewards[0]),
            bool(terminated[0]),
            bool(truncated[0]),
            {"score": float(infos["score"][0])},
        )

    def render(self) -> NDArray[np.uint8] | None:
        """The screen in colour, (rows * 8, columns * 8, 3); None without a render mode."""
        pictures = self._many.render()
        return None if pictures is None else pictures[0]

    def save(self) -> dict[str, NDArray[Any]]:
        """The whole state as a copy: what `load` takes."""
        return self._many.save()

    def load(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to a saved state; ValueError where it is of another kind.

        Args:
            state: from `save`.
        """
        self._many.load(state)


def make_chip8(
    game: str | PathLike[str] | bytes | Game,
    num_envs: int = 1,
    backend: str = "native",
    *,
    seed: int | None = None,
    copy: bool = True,
    threads: int | None = None,
    render_mode: str | None = None,
    **rules: Any,
) -> Chip8Vector:
    """Many environments of one game.

    Args:
        game: a game's name (`list_games`), the bytes of a ROM, the path of a ROM or of an assembly file, or a `Game`.
        num_envs: how many.
        backend: "native" (numba, all cores) or "jax" (whatever JAX runs on); the results are the same.
        seed: of the first reset that gives none.
        copy: give new arrays of observations at every step; False writes into the same one, which is faster (native).
        threads: cores to use at most; default all (native).
        render_mode: "rgb_array" or None.
        **rules: what else defines the environment, see `rules_of`: quirks, frame_skip, ips, timers, sticky,
            noop_starts, score, done, keys, packed, hires, max_steps, startup.

    Returns a `gymnasium.vector.VectorEnv` with observations uint8 (n, frames, 32, 64) of 0 and 1, or uint32
    (n, frames, 32, 2) packed.

    Raises ValueError in one line for a bad argument, MachineFault where the program breaks in its startup, ImportError
    for backend="jax" without JAX.
    """
    made = rules_of(game, **rules)
    if backend == "native":
        return Chip8VecEnv(made, num_envs, seed, copy, threads, render_mode)
    if backend == "jax":
        from assay.methods.environments.octax import Chip8JaxVecEnv  # which says what to install without JAX

        return Chip8JaxVecEnv(made, num_envs, seed, render_mode)
    raise ValueError(f'backend: {backend!r}; there are "native" and "jax"')
