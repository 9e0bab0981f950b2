"""CHIP-8 games as gymnasium environments: `Chip8VecEnv` for many at once, `Chip8Env` for one, `make_chip8` for either.

The step is the published one (W. Radji, T. Michel, H. Piteau, arXiv 2510.01764, and the package `octax` 0.1.1): hold a
key for four frames of 11 instructions, look at the four screens, take the change of the score as reward. What differs,
timers, random numbers and starts among it, is listed in card.toml.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax import native, native_env
from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import Game, find_game
from assay.methods.environments.octax.machine import (
    BIG_FONT_START,
    FRAMES_PER_SECOND,
    HIGH,
    KEYS,
    LOW,
    PROGRAM_START,
    Machines,
    Quirks,
    check_rom,
    find_quirks,
    new_machines,
    raise_fault,
    stream,
)

Rule = str | Callable[[Any], ArrayLike]
"""A score or an end: an expression such as "V5", or a callable on the machines."""


@dataclass(frozen=True)
class Rules:
    """All that defines an environment, checked; what both backends are made from. Made by `rules_of`."""

    name: str
    rom: bytes
    keys: tuple[int, ...]
    score: Rule
    done: Rule
    quirks: Quirks
    timers: str
    frame_skip: int
    ips: int
    sticky: float
    noop_starts: int
    max_steps: int
    packed: bool
    hires: bool
    startup: int
    startup_key: int | None

    @property
    def sticks_below(self) -> int:
        """An action sticks where a draw of 32 bits lies below this; 0 for never, and then nothing is drawn."""
        return int(self.sticky * 2**32)

    @property
    def instructions(self) -> int:
        """Instructions per frame."""
        return self.ips // FRAMES_PER_SECOND

    @property
    def idle(self) -> int:
        """The action that holds no key: the last one."""
        return len(self.keys)

    @property
    def masks(self) -> NDArray[np.uint16]:
        """The keys held for each action, a bit per key, (actions,)."""
        return np.array([1 << key for key in self.keys] + [0], np.uint16)

    @property
    def observation_space(self) -> gymnasium.spaces.Box:
        """Of one environment: (frames, rows, columns) of 0 and 1, or (frames, rows, columns / 32) packed."""
        rows, columns = HIGH if self.hires else LOW
        if self.packed:
            return gymnasium.spaces.Box(0, 2**32 - 1, (self.frame_skip, rows, columns // 32), np.uint32)
        return gymnasium.spaces.Box(0, 1, (self.frame_skip, rows, columns), np.uint8)


def rules_of(
    game: str | PathLike[str] | bytes | Game,
    quirks: str | Quirks | None = None,
    frame_skip: int = 4,
    ips: int = 700,
    timers: str | None = None,
    sticky: float = 0.0,
    noop_starts: int = 0,
    score: Rule | None = None,
    done: Rule | None = None,
    keys: Sequence[int] | None = None,
    packed: bool = False,
    hires: bool | None = None,
    max_steps: int = 4500,
    startup: int | None = None,
) -> Rules:
    """The rules of an environment from what a user gives and what its game says; arguments as in `make_chip8`."""
    if isinstance(game, bytes | bytearray):
        check_rom(bytes(game))
        found, rom = Game(name="rom", file=Path("rom"), source="user"), bytes(game)
    else:
        found = find_game(Path(game) if isinstance(game, PathLike) else game)
        rom = found.rom
    platform = find_quirks(found.quirks if quirks is None else quirks)
    if timers is None:
        timers = found.timers if found.timers == "off" or (found.timers and platform.octax) else None
        timers = timers or ("octax" if platform.octax else "correct")
    rules = Rules(
        name=found.name,
        rom=rom,
        keys=found.keys if keys is None else keys_of(keys),
        score=found.score if score is None else score,
        done=found.done if done is None else done,
        quirks=platform,
        timers=timers,
        frame_skip=frame_skip,
        ips=ips,
        sticky=sticky,
        noop_starts=noop_starts,
        max_steps=max_steps,
        packed=packed,
        hires=found.hires if hires is None else hires,
        startup=found.startup if startup is None else startup,
        startup_key=found.startup_key,
    )
    _check(rules)
    return rules


def keys_of(keys: Sequence[int]) -> tuple[int, ...]:
    """Keys as a tuple; ValueError where there is no sequence."""
    if isinstance(keys, str) or not isinstance(keys, Sequence | np.ndarray):
        raise ValueError(f"keys: {keys!r} is no sequence of keys; write (4, 6)")
    return tuple(keys)


def _check(rules: Rules) -> None:
    whole = ("frame_skip", "ips", "noop_starts", "max_steps", "startup")
    for name in whole:
        value = getattr(rules, name)
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise ValueError(f"{name}: {value!r} is no whole number")
    for name, least in zip(whole, (1, FRAMES_PER_SECOND, 0, 0, 0), strict=True):
        if getattr(rules, name) < least:
            raise ValueError(f"{name}: {getattr(rules, name)}; at least {least}")
    if rules.timers not in native.TIMERS:
        raise ValueError(f"timers: {rules.timers!r} is none of {', '.join(native.TIMERS)}")
    if not isinstance(rules.sticky, int | float) or not 0.0 <= rules.sticky <= 1.0:
        raise ValueError(f"sticky: {rules.sticky!r}; a probability from 0 to 1")
    for key in rules.keys:
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not 0 <= key < KEYS:
            raise ValueError(f"keys: {key!r} is no key; a keypad has 0 to {KEYS - 1}")
    if len(set(rules.keys)) < len(rules.keys):
        raise ValueError(f"keys: {list(rules.keys)} names a key twice")
    if rules.quirks.octax and rules.hires:
        raise ValueError('hires: the published package has no high resolution; use another profile than "octax"')


def start_machines(rules: Rules) -> Machines:
    """The machines that episodes start from, (1 + noop_starts,): after the startup, and after j steps without key.

    Start j has the random stream of seed j while it is made. Raises MachineFault where the program breaks in its
    startup, ValueError where doing nothing so long ends the game.
    """
    starts = new_machines(rules.rom, range(1 + rules.noop_starts), rules.hires)
    quirks, instructions = rules.quirks, rules.instructions
    if quirks.octax:
        starts["memory"][:, BIG_FONT_START:PROGRAM_START] = 0  # the package has no large font
    if rules.startup_key is not None:
        starts["keys"] = 1 << rules.startup_key
    if rules.timers == "correct":
        native.run_frames(starts, rules.startup // instructions, quirks, instructions)
        rest = rules.startup % instructions
    else:
        rest = rules.startup
    native.run_frames(starts, 1, replace(quirks, display_wait=False), rest, "off")
    starts["keys"] = 0
    raise_fault(starts)
    if (starts["waiting"] | _waits(starts)).any() and not rules.keys:
        warnings.warn(f"{rules.name} waits for a key (Fx0A), and keys is empty: nothing will wake it", stacklevel=3)
    scene = np.zeros((len(starts), *rules.observation_space.shape), rules.observation_space.dtype)
    nothing = np.zeros(len(starts), np.uint16)
    for step in range(rules.noop_starts):
        native.play(starts, nothing, np.arange(len(starts)) <= step, scene, quirks, instructions, rules.timers)
        raise_fault(starts)
        if (evaluated(rules.done, starts)[step + 1 :] != 0).any():
            raise ValueError(f"noop_starts: {rules.noop_starts}; doing nothing ends the game after {step + 1} steps")
    return starts


def _waits(machines: Machines) -> NDArray[np.bool_]:
    """Machines whose next instruction is Fx0A."""
    i, pc = np.arange(len(machines)), np.minimum(machines["pc"].astype(int), machines["memory"].shape[1] - 2)
    memory = machines["memory"]
    return np.asarray((memory[i, pc] >> 4 == 0xF) & (memory[i, pc + 1] == 0x0A))


def evaluated(rule: Rule, machines: Machines) -> NDArray[np.float64]:
    """A score or an end of every machine, (n,): by its expression, or by the user's callable."""
    out = np.empty(len(machines))
    if isinstance(rule, str):
        native_env.evaluate(machines, Expression(rule).program, out)
        return out
    values = np.asarray(rule(machines), np.float64)
    if values.shape not in ((), out.shape):
        raise ValueError(f"score or done: the callable returned shape {values.shape}, not {out.shape}")
    out[:] = values
    return out


def checked_count(num_envs: int, render_mode: str | None) -> int:
    """The number of environments; ValueError where it or the render mode is none."""
    if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
        raise ValueError(f"num_envs: {num_envs!r}; a whole number, at least 1")
    if render_mode not in (None, "rgb_array"):
        raise ValueError(f'render_mode: {render_mode!r}; there is "rgb_array"')
    return int(num_envs)


def reset_mask(options: dict[str, Any] | None, count: int, started: bool) -> NDArray[np.bool_]:
    """Which environments a reset starts; ValueError for a mask that does not fit."""
    if not options or options.get("reset_mask") is None:
        return np.ones(count, bool)
    mask = np.asarray(options["reset_mask"])
    if mask.shape != (count,) or mask.dtype != bool:
        raise ValueError(f"reset_mask: {mask.dtype} {mask.shape}; bool ({count},) is needed")
    if not started:
        raise ValueError("reset_mask: the environments have not started; call reset() without it first")
    return mask


def fresh_seed() -> int:
    """A seed that nobody chose, 0 to 2^63 - 1."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def seeds_of(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
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


def checked_actions(actions: ArrayLike, count: int, last: int) -> NDArray[np.int64]:
    """Actions as integers (count,); ValueError that names the first that is out of range."""
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"actions: {array.dtype} {array.shape}; whole numbers of shape ({count},) are needed")
    if not (array.min() >= 0 and array.max() <= last):
        i = int(np.flatnonzero((array < 0) | (array > last))[0])
        raise ValueError(f"actions: {array[i]} for environment {i}; there are 0 to {last}")
    return array.astype(np.int64)


class Chip8VecEnv(VectorEnv[Any, Any, Any]):
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

    metadata = {  # noqa: RUF012 - gymnasium's own form
        "render_modes": ["rgb_array"],
        "render_fps": 15,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

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
        self.num_envs = checked_count(num_envs, render_mode)
        self.rules, self.render_mode = rules, render_mode
        self.single_observation_space = rules.observation_space
        self.single_action_space = gymnasium.spaces.Discrete(len(rules.keys) + 1)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        if threads is not None and (not isinstance(threads, int | np.integer) or threads < 1):
            raise ValueError(f"threads: {threads!r}; a whole number, at least 1, or None for all cores")
        seeds_of(seed, 1)
        self._copy, self._threads = copy, threads
        self._programs = [Expression(rule).program if isinstance(rule, str) else None for rule in self._both]
        self._starts = start_machines(rules)
        self.machines = np.repeat(self._starts[:1], self.num_envs)
        n = self.num_envs
        self.scores, self._new_scores, self._done = np.zeros(n), np.zeros(n), np.zeros(n)
        self._streams, self._keys = np.ones(n, np.uint32), np.zeros(n, np.uint16)
        self._last, self._steps = np.full(n, rules.idle), np.zeros(n, np.int32)
        self._over = np.ones(n, bool)
        self._observations = self._blank()
        self._seeded, self._first_seed = False, seed

    @property
    def _both(self) -> tuple[Rule, Rule]:
        return self.rules.score, self.rules.done

    def _blank(self) -> NDArray[Any]:
        space = self.rules.observation_space
        return np.zeros((self.num_envs, *space.shape), space.dtype)

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
        chosen = reset_mask(options, self.num_envs, self._seeded)
        if seed is None and not self._seeded:
            seed = fresh_seed() if self._first_seed is None else self._first_seed
        self._seed(seed, chosen)
        native_env.restart(self.machines, self._starts, chosen, self._streams, self._last, self.rules.idle, self._steps)
        if self._copy:
            self._observations = self._observations.copy()
        native.observe(self.machines, self._observations, chosen)
        self._evaluate()
        self.scores[chosen] = self._new_scores[chosen]
        self._over &= ~chosen
        return self._observations, self._infos()

    def _seed(self, seed: int | Sequence[int | None] | None, chosen: NDArray[np.bool_]) -> None:
        for i, one in enumerate(seeds_of(seed, self.num_envs)):
            if one is not None and chosen[i]:
                self.machines["rng"][i] = stream(one)
                self._streams[i] = stream(one, 1)
        self._seeded = True

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
        if not self._seeded:
            raise gymnasium.error.ResetNeeded("call reset() before the first step()")
        chosen_actions = checked_actions(actions, self.num_envs, self.rules.idle)
        rules, n = self.rules, self.num_envs
        fresh = self._over.copy()
        native_env.choose(chosen_actions, self._last, fresh, self._streams, rules.sticks_below, rules.masks, self._keys)
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

    def _infos(self) -> dict[str, Any]:
        return {"score": self.scores.copy(), "_score": np.ones(self.num_envs, bool)}

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """The screens in colour, one (rows * 8, columns * 8, 3) per environment; None without a render mode."""
        if self.render_mode is None:
            return None
        from assay.methods.environments.octax import screen

        return tuple(screen.to_rgb(picture) for picture in screen.pixels(self.machines))

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
        self._seeded = True


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
    quirks: str | Quirks | None = None,
    frame_skip: int = 4,
    ips: int = 700,
    timers: str | None = None,
    sticky: float = 0.0,
    noop_starts: int = 0,
    seed: int | None = None,
    score: Rule | None = None,
    done: Rule | None = None,
    keys: Sequence[int] | None = None,
    packed: bool = False,
    hires: bool | None = None,
    max_steps: int = 4500,
    startup: int | None = None,
    copy: bool = True,
    threads: int | None = None,
    render_mode: str | None = None,
) -> VectorEnv[Any, Any, Any]:
    """Many environments of one game.

    Args:
        game: a game's name (`list_games`), the bytes of a ROM, the path of a ROM or of an assembly file, or a `Game`.
        num_envs: how many.
        backend: "native" (numba, all cores) or "jax" (whatever JAX runs on); the results are the same.
        quirks: the platform, "vip", "schip", "xochip", "octax", or `Quirks`; default the game's own, "schip" for a ROM
            of yours.
        frame_skip: frames per step, each of them observed.
        ips: instructions per second, 60 frames a second; at least 60.
        timers: "correct" (down by one per frame, not below 0), "octax" (down by one per step, 0 becomes 255), "off"
            (0 after each step); default what the game has, else "octax" with the quirks "octax", else "correct".
        sticky: probability that an action is ignored and the one before repeated.
        noop_starts: an episode starts after 0 to so many steps without a key, at random.
        seed: of the first reset that gives none.
        score: expression ("V5", "V14//10 - V14%10", "mem[0x3F0]", see `Expression`), or a callable from the machines,
            a structured array (n,), to numbers (n,); the reward is its change. Default the game's, else 0.
        done: likewise, not 0 where the game is over.
        keys: keys to play with, 0 to 15; action i holds keys[i], the action after the last holds none. Default the
            game's, else all 16.
        packed: observe 32 pixels in one unsigned integer, the leftmost in its highest bit: an eighth of the memory.
        hires: allow high resolution; observations are then 64x128, low resolution doubled.
        max_steps: an episode is cut off after so many steps; 0 for never.
        startup: instructions to run before the first step, once.
        copy: give new arrays of observations at every step; False writes into the same one, which is faster.
        threads: cores to use at most; default all.
        render_mode: "rgb_array" or None.

    Returns a `gymnasium.vector.VectorEnv` with observations uint8 (n, frames, 32, 64) of 0 and 1, or uint32
    (n, frames, 32, 2) packed.

    Raises ValueError in one line for a bad argument, MachineFault where the program breaks in its startup, ImportError
    for backend="jax" without JAX.
    """
    rules = rules_of(
        game,
        quirks,
        frame_skip,
        ips,
        timers,
        sticky,
        noop_starts,
        score,
        done,
        keys,
        packed,
        hires,
        max_steps,
        startup,
    )
    if backend == "native":
        return Chip8VecEnv(rules, num_envs, seed, copy, threads, render_mode)
    if backend == "jax":
        try:
            from assay.methods.environments.octax.jax_vec import Chip8JaxVecEnv
        except ModuleNotFoundError as error:
            if error.name not in ("jax", "jaxlib"):
                raise
            raise ImportError("backend=\"jax\" needs JAX: pip install 'assay[environments-jax]'") from error
        return Chip8JaxVecEnv(rules, num_envs, seed, render_mode)
    raise ValueError(f'backend: {backend!r}; there are "native" and "jax"')
