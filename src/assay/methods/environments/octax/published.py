"""The games of an installed package `octax`, from its own files.

Their rules are facts about the package (version 0.1.1), read from its modules and written down as expressions of ours:
which registers hold the score and the end, which keys are played with, how many instructions run before the first step.
The programs are opened where the package was installed; none is copied, and the package itself is never imported (a
plain `pip install octax` cannot be: it needs OpenCV).
"""

from __future__ import annotations

import difflib
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from assay.methods.environments.octax.game import Game


class _Rules(NamedTuple):
    title: str
    about: str
    rom: str
    """File name in the package's folder `roms`."""
    keys: tuple[int, ...]
    score: str
    done: str
    startup: int = 0
    """Instructions before the first step."""
    startup_key: int | None = None
    timers: str = "octax"
    """"off" where the package's module sets `disable_delay`."""


_SINGLE = {
    # The package computes -V11 - V12 in unsigned bytes, so its score is 256 - V11 - V12 - except where both are 0: 0.
    "airplane": _Rules(
        "Airplane", "Drop bombs on targets.", "Airplane.ch8",
        (8,), "(-V11 - V12) & 255", "V11 == 0 or V12 == 6", 600,
    ),
    "blinky": _Rules(
        "Blinky", "Eat all pills of a maze, chased by two ghosts. H. C. Egeberg, 1991.",
        "Blinky [Hans Christian Egeberg, 1991].ch8", (3, 6, 7, 8), "V6", "V3 == 255", 13800,
    ),
    # The end is the first lost life of five.
    "brix": _Rules(
        "Brix", "A ball, a paddle, a wall. A. Gustafsson, 1990.",
        "Brix [Andreas Gustafsson, 1990].ch8", (4, 6), "V5", "V14 == 4", 500, timers="off",
    ),
    "deep": _Rules(
        "Deep8", "Drop depth charges from a boat. J. Earnest, 2014.",
        "Deep8 (by John Earnest)(2014).ch8", (7, 8, 9), "V9", "V11 != 1", 150, 0,
    ),
    "filter": _Rules("Filter", "Catch falling drops.", "Filter.ch8", (4, 6), "V14", "V13 == 0"),
    "flight_runner": _Rules(
        "Flight Runner", "Fly through gates. TodPunk, 2014.",
        "flightrunner.ch8", (5, 7, 8, 9), "V7", "V5 == 255 or V7 == 255", 500,
    ),
    "missile": _Rules(
        "Missile Command", "Twelve missiles for eight targets. D. Winter.",
        "Missile [David Winter].ch8", (8,), "V7", "V6 == 0", 50,
    ),
    # Points won less points lost, the two decimal digits of one register; in 32 bits in the package too.
    "pong": _Rules(
        "Pong", "Against a wall that plays back.", "Pong (1 player).ch8",
        (1, 4), "V14//10 - V14%10", "V14//10 == 9 or V14%10 == 9", timers="off",
    ),
    "rocket": _Rules(
        "Rocket", "Nine rockets at a passing target. J. Weisbecker, 1978.",
        "Rocket [Joseph Weisbecker, 1978].ch8", (15,), "V1", "V2 == 9",
    ),
    "shooting_stars": _Rules(
        "Shooting Stars", "Gather stars. P. Baltzer, 1978.",
        "Shooting Stars [Philip Baltzer, 1978].ch8", (2, 8, 4, 6), "V0 if V0 <= 128 else 0", "0", timers="off",
    ),
    "spacejam": _Rules(
        "Spacejam!", "Fly through a narrowing tunnel. W. Donnelly.",
        "spacejam.ch8", (5, 8, 7, 9), "V9", "V10 == 0", 300, timers="off",
    ),
    # The score is the balls left: rewards are never positive.
    "squash": _Rules(
        "Squash", "Five balls against a wall. D. Winter.",
        "Squash [David Winter].ch8", (1, 4), "V11", "V11 == 0", 100,
    ),
    "submarine": _Rules(
        "Submarine", "Sink submarines from a plane. C. Cortez, 1978.",
        "Submarine [Carmelo Cortez, 1978].ch8", (5,), "V7", "V8 == 0", 100,
    ),
    "tank": _Rules(
        "Tank Battle", "Hit a moving target from a tank.",
        "Tank.ch8", (2, 4, 5, 6, 8), "V14", "V6 == 0", 100, timers="off",
    ),
    "tetris": _Rules(
        "Tetris", "Complete rows. F. Dachille, 1991.",
        "Tetris [Fran Dachille, 1991].ch8", (4, 5, 6, 7), "V10", "V1 == 2", 300,
    ),
    "ufo": _Rules(
        "UFO", "Shoot at two saucers in three directions. Lutz V, 1992.",
        "UFO [Lutz V, 1992].ch8", (4, 5, 6), "V7", "V8 == 0", 50,
    ),
    "vertical_brix": _Rules(
        "Vertical Brix", "A wall on its side. P. Robson, 1996.",
        "Vertical Brix [Paul Robson, 1996].ch8", (1, 4), "V8", "V7 == 0", 1000, 7, "off",
    ),
    "wipe_off": _Rules(
        "Wipe Off", "A ball against loose dots. J. Weisbecker.",
        "Wipe Off [Joseph Weisbecker].ch8", (4, 6), "V6", "V7 == 0", 500,
    ),
    "worm": _Rules(
        "SuperWorm V4", "A snake in a box. RB-Revival Studios, 2007.",
        "Worm V4 [RB-Revival Studios, 2007].ch8", (2, 8, 4, 6), "V5", "V7 == 255", 1600,
    ),
}  # fmt: skip


def _levels(name: str, levels: tuple[int, ...], rules: _Rules) -> dict[str, _Rules]:
    """One game per level; the package finds the program by the name."""
    return {
        f"{name}{level}": rules._replace(title=f"{rules.title}, level {level}", rom=f"{name}{level}.ch8")
        for level in levels
    }


# The package's wheel holds levels 4a and 4b of cavern too; its parser of names, which wants a digit last, cannot make
# them.
_RULES = (
    _SINGLE
    | _levels(
        "cavern",
        (1, 2, 3, 5, 6),
        _Rules("Cavern", "Further left in a cave. M. Mikolay, 2014.", "", (2, 4, 6, 8), "V0", "V14 == 0", 250),
    )
    | _levels(
        "space_flight",
        tuple(range(1, 11)),
        _Rules("Space Flight", "Fly through asteroids.", "", (1, 4), "V0", "V9 == 0 or V12 >= 62", 300),
    )
    | _levels(
        "target_shooter",
        (1, 2, 3),
        _Rules("Target Shooter", "Move a crosshair to targets, and shoot.", "", (5, 7, 8, 9, 6), "V2", "V3 == 1"),
    )
)


@cache
def _files() -> dict[str, Path]:
    """The programs of the installed package by file name; none where it is not installed."""
    try:
        files = distribution("octax").files or []
    except PackageNotFoundError:
        return {}
    found = {file.name: Path(str(file.locate())) for file in files if file.parent.name == "roms"}
    return {name: path for name, path in found.items() if path.is_file()}


def installed() -> bool:
    """Whether the package `octax` is installed with its programs."""
    return bool(_files())


def published_games() -> list[str]:
    """The names of the installed package's games, in alphabetical order; of 22 modules there are 37 games with levels.

    Raises ImportError in one line where the package is not installed.
    """
    files = _files()
    if not files:
        raise ImportError("the published games are read from the package octax: pip install octax")
    return sorted((name for name, rules in _RULES.items() if rules.rom in files), key=_by_number)


def _by_number(name: str) -> tuple[str, int]:
    """space_flight10 comes after space_flight9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def published(name: str) -> Game:
    """A game of the installed package, with the package's rules and quirks.

    Args:
        name: as in `octax.create_environment`, such as "brix" or "space_flight3"; "-" counts as "_".

    Raises ImportError in one line where the package is not installed, ValueError with close matches for an unknown
    name.
    """
    known = published_games()
    found = name.replace("-", "_")
    if found not in known:
        close = difflib.get_close_matches(found, known, 3)
        advice = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
        raise ValueError(f"the package octax has no game {name!r}; {advice}")
    rules = _RULES[found]
    return Game(
        name=found,
        file=_files()[rules.rom],
        keys=rules.keys,
        score=rules.score,
        done=rules.done,
        title=rules.title,
        about=rules.about,
        quirks="octax",
        timers=rules.timers,
        startup=rules.startup,
        startup_key=rules.startup_key,
        source="octax",
    )
