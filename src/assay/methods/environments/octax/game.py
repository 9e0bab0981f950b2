"""A game: a program with what makes it an environment (keys, score, end), and where to find the ones there are.

Our own games are assembly files in the folder `games`, each beside a module of the same name that describes it and
holds a scripted player. The games of an installed package `octax` are read from its own files (`published`).
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from assay.methods.environments.octax.machine import KEYS, Machines, check_rom

GAMES = Path(__file__).parent / "games"

Player = Callable[[Machines], NDArray[Any]]
"""A scripted player: machines, shape (n,), to actions, integers of shape (n,)."""


@dataclass(frozen=True)
class Game:
    """A program and its rules.

    Args:
        name: what `make_chip8` knows it by.
        file: the program: assembly (.asm) or bytes (any other).
        keys: the keys it is played with, 0 to 15; action i holds keys[i], the action after the last holds none.
        score: expression whose change is the reward.
        done: expression that is not 0 when the game is over.
        title: for people.
        genre: paddle, brick, catcher, runner, shooter, maze, snake, tank ...
        key_names: what each key does, as many as keys.
        quirks: the profile it is written for.
        timers: how timers run; None for what the profile has.
        hires: whether it uses high resolution.
        startup: instructions to run before the first step.
        startup_key: key held meanwhile, or None.
        levels: how it gets harder, in a sentence.
        about: what happens in it, in a sentence.
        random_score: mean score of random play at default settings, or None.
        good_score: mean score of the scripted player, or None.
        player: the scripted player, or None.
        source: "assay", "octax" or "user".
    """

    name: str
    file: Path
    keys: tuple[int, ...] = tuple(range(KEYS))
    score: str = "0"
    done: str = "0"
    title: str = ""
    genre: str = ""
    key_names: tuple[str, ...] = ()
    quirks: str = "schip"
    timers: str | None = None
    hires: bool = False
    startup: int = 0
    startup_key: int | None = None
    levels: str = ""
    about: str = ""
    random_score: float | None = None
    good_score: float | None = None
    player: Player | None = None
    source: str = "assay"

    @property
    def rom(self) -> bytes:
        """The program's bytes; OSError, AssemblyError or ValueError where there are none."""
        return load_rom(self.file)


def load_rom(file: str | Path) -> bytes:
    """The bytes of a program: assembled where the file ends in .asm.

    Raises OSError where it cannot be read, AssemblyError for bad assembly, ValueError for an empty or too large ROM.
    """
    path = Path(file)
    if path.suffix.lower() == ".asm":
        from assay.methods.environments.octax.assembly import assemble

        return assemble(path.read_text(encoding="utf-8"), path.name).rom
    rom = path.read_bytes()
    check_rom(rom, path.name)
    return rom


@cache
def labels(game: Game) -> dict[str, int]:
    """Addresses of the labels of a game in assembly: for players, and for looking into memory."""
    from assay.methods.environments.octax.assembly import assemble

    return assemble(game.file.read_text(encoding="utf-8"), game.file.name).labels


@cache
def own_games() -> dict[str, Game]:
    """Our own games by name, in alphabetical order."""
    games = {}
    for file in sorted(GAMES.glob("*.asm")):
        module = importlib.import_module(f"{__package__}.games.{file.stem}")
        games[file.stem] = replace(module.GAME, player=module.play)
    return games


def list_games(source: str | None = None) -> list[Game]:
    """All games that `make_chip8` knows by name: ours, then those of the installed package `octax`.

    Args:
        source: only "assay" or only "octax"; default both. Without the package its games are left out.
    """
    if source not in (None, "assay", "octax"):
        raise ValueError(f'source: {source!r}; there are "assay" and "octax"')
    games = [] if source == "octax" else list(own_games().values())
    if source != "assay":
        import assay.methods.environments.octax.published as published

        if published.installed():
            games += [published.published(name) for name in published.published_games()]
    return games


def find_game(game: str | Path | Game) -> Game:
    """A game by name, by the path of a program (.ch8, .asm, ...), or as it is.

    Raises ValueError with close matches for an unknown name, OSError for a file that is not there.
    """
    if isinstance(game, Game):
        return game
    name = str(game)
    if isinstance(game, Path) or "/" in name or "\\" in name or Path(name).suffix:
        path = Path(game)
        if not path.is_file():
            raise FileNotFoundError(2, "there is no such file", str(path))
        return Game(name=path.stem, file=path, title=path.stem, source="user")
    if name in own_games():
        return own_games()[name]
    known = {found.name: found for found in list_games()}
    if name not in known:
        close = difflib.get_close_matches(name, known, 3)
        advice = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
        raise ValueError(f"no game {name!r}; {advice} A program of your own: give its path.")
    return known[name]
