"""`assay play`: a game in the terminal, or played without one into a GIF or PNG file."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.catalogue import MissingExtra
from assay.commands.terminal import CommandError, console, counted, plain, print_json

if TYPE_CHECKING:
    from assay.methods.environments.octax.game import Game
    from assay.methods.environments.octax.play import Playing

INSTALL = "pip install 'assay[environments]'"
STEPS, SCALE = 300, 4
"""Of a recording: 20 seconds, and pixels a side of one pixel."""
INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def play(
    name: str | None,
    list_them: bool,
    quirks: str | None,
    seed: int | None,
    record: Path | None,
    steps: int | None,
    player: str | None,
    scale: int | None,
    as_json: bool,
) -> int:
    """Play a game, record one, or list them all."""
    if list_them:
        return _list(as_json)
    if name is None:
        raise CommandError("play: name a game, or give the path of a program; `assay play --list` lists the games")
    if record is None and (steps, player, scale) != (None, None, None):
        raise CommandError("play: --steps, --player and --scale go with --record FILE.gif")
    if record is None and as_json:
        raise CommandError("play: --json goes with --list or with --record FILE.gif")
    if record is not None and record.suffix.lower() not in (".gif", ".png"):
        raise CommandError(f"--record {record}: name a file that ends in .gif or .png")
    seed = secrets.randbelow(2**31) if seed is None else seed
    try:
        playing = _started(name, quirks, seed)
        if record is not None:
            return _record(playing, record, STEPS if steps is None else steps, player, scale or SCALE, seed, as_json)
        return _in_terminal(playing)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("assay"):
            raise
        raise MissingExtra(f"assay play needs {error.name}: {INSTALL}") from error
    except RuntimeError as error:
        from assay.methods.environments.octax.machine import MachineFault

        if not isinstance(error, MachineFault):
            raise
        raise CommandError(f"{name}: the program broke: {error}") from error


def _started(name: str, quirks: str | None, seed: int) -> Playing:
    """The game at its start; CommandError where there is none, or its program cannot be loaded."""
    from assay.methods.environments.octax.game import find_game
    from assay.methods.environments.octax.machine import find_quirks
    from assay.methods.environments.octax.play import Playing

    try:
        game = find_game(name)
        if quirks is not None:
            find_quirks(quirks)
        game.rom  # noqa: B018 - read here, where what is wrong with it can be told
    except UnicodeDecodeError as error:
        raise CommandError(f"{name}: this is no text, so no assembly; a ROM's name ends in .ch8") from error
    except ValueError as error:
        first, *more = str(error).splitlines()  # assembly has a line for every mistake
        raise CommandError(first + (f" (and {counted(len(more), 'more mistake')})" if more else "")) from error
    return Playing(game, quirks, seed)


def _in_terminal(playing: Playing) -> int:
    from assay.methods.environments.octax import play as terminal

    code = 0
    try:
        terminal.play(playing)
    except terminal.NoTerminal as error:
        raise CommandError(f"play: {error}; use --record FILE.gif") from error
    except KeyboardInterrupt:
        code = INTERRUPTED
    print(f"{plain(playing.game.name)}{_scored(playing)}")
    return code


def _scored(playing: Playing) -> str:
    return "" if playing.game.score == "0" else f": score {playing.score}"


def _record(playing: Playing, file: Path, steps: int, player: str | None, scale: int, seed: int, as_json: bool) -> int:
    """Play without a terminal, write the file, and say what came of it."""
    import PIL  # noqa: F401 - missing, it is better said before the game than after

    from assay.methods.environments.octax.play import FRAMES, PLAYERS, recorded
    from assay.methods.environments.octax.screen import save_gif, save_png

    player = player or "random"
    if player not in PLAYERS:
        raise CommandError(f"--player {player}: it is none of {', '.join(PLAYERS)}")
    if player == "scripted" and playing.game.player is None:
        raise CommandError(f"--player scripted: {plain(playing.game.name)} has no scripted player; take random or none")
    pictures = recorded(playing, player, steps, seed)
    if file.suffix.lower() == ".png":
        save_png(file, pictures[-1], scale)
    else:
        save_gif(file, pictures, 60 / FRAMES, scale)
    done = {
        "game": playing.game.name,
        "score": playing.score,
        "steps": len(pictures) - 1,
        "over": playing.over,
        "player": player,
        "seed": seed,
        "file": str(file),
    }
    if as_json:
        print_json(done)
    else:
        end = "game over after" if playing.over else "after"
        keys = {"random": "random keys", "scripted": "the scripted player", "none": "no keys"}[player]
        told = f"{end} {counted(len(pictures) - 1, 'step')} with {keys}, seed {seed}"
        print(f"{plain(playing.game.name)}{_scored(playing)}, {told}: {plain(file)}")
    return 0


# --- the list ----------------------------------------------------------------------------------------------------


def _list(as_json: bool) -> int:
    from assay.methods.environments.octax.game import list_games

    games = list_games()
    if as_json:
        print_json({"games": [_described(game) for game in games]})
        return 0
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for column in ("game", "title", "genre", "keys", "source"):
        table.add_column(column, no_wrap=column in ("game", "source"))
    for game in games:
        table.add_row(game.name, game.title, game.genre, _keys(game), game.source)
    out = console()
    out.print(table)
    if not any(game.source == "octax" for game in games):
        out.print("\nthe published games are read from the package octax: pip install octax")
    return 0


def _keys(game: Game) -> str:
    """The keys by what they do, or as on the machine's keypad."""
    return " ".join(game.key_names or [f"{key:X}" for key in game.keys])


def _described(game: Game) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "genre": game.genre,
        "about": game.about,
        "levels": game.levels,
        "keys": list(game.keys),
        "key_names": list(game.key_names),
        "score": game.score,
        "done": game.done,
        "quirks": game.quirks,
        "hires": game.hires,
        "random_score": game.random_score,
        "good_score": game.good_score,
        "source": game.source,
    }
