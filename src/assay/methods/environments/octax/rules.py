"""The rules of an environment: all that defines it, from what a user gives and what its game says.

Both backends, and playing by hand, are made from these; only numpy is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import Game, find_game
from assay.methods.environments.octax.machine import (
    FRAMES_PER_SECOND,
    HIGH,
    KEYS,
    LOW,
    TIMERS,
    Quirks,
    check_rom,
    find_quirks,
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
    def observation(self) -> tuple[tuple[int, int, int], type[np.uint8] | type[np.uint32]]:
        """Shape and type of an observation: (frames, rows, columns), packed (frames, rows, columns / 32)."""
        rows, columns = HIGH if self.hires else LOW
        if self.packed:
            return (self.frame_skip, rows, columns // 32), np.uint32
        return (self.frame_skip, rows, columns), np.uint8


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
    """The rules of an environment.

    Args:
        game: a game's name (`list_games`), the bytes of a ROM, the path of a ROM or of an assembly file, or a `Game`.
        quirks: the platform, "vip", "schip", "xochip", "octax", or `Quirks`; default the game's own, "schip" for a ROM
            of yours.
        frame_skip: frames per step, each of them observed.
        ips: instructions per second, 60 frames a second; at least 60.
        timers: "correct" (down by one per frame, not below 0), "octax" (down by one per step, 0 becomes 255), "off"
            (0 after each step); default what the game has, else "octax" with the quirks "octax", else "correct".
        sticky: probability that an action is ignored and the one before repeated.
        noop_starts: an episode starts after 0 to so many steps without a key, at random.
        score: expression ("V5", "V14//10 - V14%10", "mem[0x3F0]", see `Expression`), or a callable from the machines,
            a structured array (n,), to numbers (n,); the reward is its change. Default the game's, else 0.
        done: likewise, not 0 where the game is over.
        keys: keys to play with, 0 to 15; action i holds keys[i], the action after the last holds none. Default the
            game's, else all 16.
        packed: observe 32 pixels in one unsigned integer, the leftmost in its highest bit: an eighth of the memory.
        hires: allow high resolution; observations are then 64x128, low resolution doubled.
        max_steps: an episode is cut off after so many steps; 0 for never.
        startup: instructions to run before the first step, once.

    Raises ValueError in one line for a bad argument, OSError where a file cannot be read, AssemblyError for bad
    assembly.
    """
    if isinstance(game, bytes | bytearray):
        check_rom(bytes(game))
        found, rom = Game(name="rom", file=Path("rom"), source="user"), bytes(game)
    else:
        found = find_game(Path(game) if isinstance(game, PathLike) else game)
        rom = found.rom
    platform = find_quirks(found.quirks if quirks is None else quirks)
    rules = Rules(
        name=found.name,
        rom=rom,
        keys=found.keys if keys is None else keys_of(keys),
        score=found.score if score is None else score,
        done=found.done if done is None else done,
        quirks=platform,
        timers=_timers(found, platform) if timers is None else timers,
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


def _timers(game: Game, quirks: Quirks) -> str:
    """How the timers of a game run on a platform where nobody says: off where its rules say so."""
    if game.timers == "off":
        return "off"
    return "octax" if quirks.octax else "correct"


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
    if rules.timers not in TIMERS:
        raise ValueError(f"timers: {rules.timers!r} is none of {', '.join(TIMERS)}")
    if not isinstance(rules.sticky, int | float) or not 0.0 <= rules.sticky <= 1.0:
        raise ValueError(f"sticky: {rules.sticky!r}; a probability from 0 to 1")
    for key in rules.keys:
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not 0 <= key < KEYS:
            raise ValueError(f"keys: {key!r} is no key; a keypad has 0 to {KEYS - 1}")
    if len(set(rules.keys)) < len(rules.keys):
        raise ValueError(f"keys: {list(rules.keys)} names a key twice")
    if rules.quirks.octax and rules.hires:
        raise ValueError('hires: the published package has no high resolution; use another profile than "octax"')
    for rule in (rules.score, rules.done):
        if isinstance(rule, str):
            Expression(rule)  # a ValueError of its own where it is none
        elif not callable(rule):
            raise ValueError(f"score or done: {rule!r} is neither an expression nor a callable")
