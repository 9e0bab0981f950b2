"""What the native and the JAX vector environment share: spaces, seeds, checks of what is handed in, rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax.machine import Machines
from assay.methods.environments.octax.rules import Rules


class Chip8Vector(VectorEnv[Any, Any, Any]):
    """Many environments of one game, apart from how they are run.

    Args:
        rules: what defines the environment, from `rules_of`.
        num_envs: how many.
        seed: of the first reset that gives none.
        render_mode: "rgb_array" or None.
    """

    metadata = {  # noqa: RUF012 - gymnasium's own form
        "render_modes": ["rgb_array"],
        "render_fps": 15,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    machines: Machines
    """The state of all machines, a structured array (n,) of `machine.machine_dtype`."""
    scores: NDArray[np.float64]
    """The score of every environment, (n,)."""

    def __init__(self, rules: Rules, num_envs: int, seed: int | None, render_mode: str | None) -> None:
        """Args as of the class."""
        self.num_envs = _checked_count(num_envs, render_mode)
        _seeds(seed, 1)
        self.rules, self.render_mode = rules, render_mode
        self.single_observation_space = observation_space(rules)
        self.single_action_space = gymnasium.spaces.Discrete(len(rules.keys) + 1)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._over = np.ones(self.num_envs, bool)
        self._started, self._first_seed = False, seed

    def _begin(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> tuple[NDArray[np.bool_], dict[int, int]]:
        """Which environments a reset starts, and the seeds of those of them that get new random streams."""
        chosen = _mask(options, self.num_envs, self._started)
        if seed is None and not self._started:
            seed = _fresh_seed() if self._first_seed is None else self._first_seed
        seeds = _seeds(seed, self.num_envs)
        self._started = True
        self._over &= ~chosen
        return chosen, {i: one for i, one in enumerate(seeds) if one is not None and chosen[i]}

    def _given(self, actions: ArrayLike) -> NDArray[np.int64]:
        """The actions of a step, checked."""
        if not self._started:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        return _checked_actions(actions, self.num_envs, self.rules.idle)

    def _infos(self) -> dict[str, Any]:
        return {"score": self.scores.copy(), "_score": np.ones(self.num_envs, bool)}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """The screens in colour, one (rows * 8, columns * 8, 3) per environment; None without a render mode."""
        if self.render_mode is None:
            return None
        from assay.methods.environments.octax import screen

        return tuple(screen.to_rgb(picture) for picture in screen.pixels(self.machines))


def observation_space(rules: Rules) -> gymnasium.spaces.Box:
    """The observations of one environment."""
    shape, kind = rules.observation
    return gymnasium.spaces.Box(0, 2**32 - 1 if rules.packed else 1, shape, kind)


def _checked_count(num_envs: int, render_mode: str | None) -> int:
    """The number of environments; ValueError where it or the render mode is none."""
    if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
        raise ValueError(f"num_envs: {num_envs!r}; a whole number, at least 1")
    if render_mode not in (None, "rgb_array"):
        raise ValueError(f'render_mode: {render_mode!r}; there is "rgb_array"')
    return int(num_envs)


def _mask(options: dict[str, Any] | None, count: int, started: bool) -> NDArray[np.bool_]:
    """Which environments a reset starts; ValueError for a mask that does not fit."""
    if not options or options.get("reset_mask") is None:
        return np.ones(count, bool)
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (count,) or mask.dtype != bool:
        raise ValueError(f"reset_mask: {mask.dtype} {mask.shape}; bool ({count},) is needed")
    if not started:
        raise ValueError("reset_mask: the environments have not started; call reset() without it first")
    return mask


def _fresh_seed() -> int:
    """A seed that nobody chose, 0 to 2^63 - 1."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def _seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """A seed for every environment; ValueError where there are too many or too few, or one is none."""
    if seed is None:
        return [None] * count
    seeds = [seed + i for i in range(count)] if isinstance(seed, int | np.integer) else list(seed)
    if len(seeds) != count:
        raise ValueError(f"seed: {len(seeds)} seeds for {count} environments")
    for one in seeds:
        if one is not None and (isinstance(one, bool) or not isinstance(one, int | np.integer) or one < 0):
            raise ValueError(f"seed: {one!r}; a whole number, at least 0")
    return [None if one is None else int(one) for one in seeds]


def _checked_actions(actions: ArrayLike, count: int, last: int) -> NDArray[np.int64]:
    """Actions as integers (count,); ValueError that names the first that is out of range."""
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"actions: {array.dtype} {array.shape}; whole numbers of shape ({count},) are needed")
    if not (array.min() >= 0 and array.max() <= last):
        i = int(np.flatnonzero((array < 0) | (array > last))[0])
        raise ValueError(f"actions: {array[i]} for environment {i}; there are 0 to {last}")
    return array.astype(np.int64)
