"""Playing a game: by hand in a terminal, or by a player whose screens are kept (ours).

Both run on the reference machine, which is fast enough for one game, by the rules of the game's environment: 11
instructions a frame, 60 frames a second, score and end looked at every fourth frame.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.game import Game
from assay.methods.environments.octax.machine import (
    FRAMES_PER_SECOND,
    KEYS,
    LOW,
    Machines,
    Quirks,
    find_quirks,
    new_machines,
    raise_fault,
    stream,
)
from assay.methods.environments.octax.reference import ReferenceMachine
from assay.methods.environments.octax.rules import rules_of
from assay.methods.environments.octax.screen import to_text

INSTRUCTIONS = 700 // FRAMES_PER_SECOND
"""Per frame."""
FRAMES = 4
"""Per step of the environment."""


# --- a game under way --------------------------------------------------------------------------------------------


class Playing:
    """A game under way on the reference machine, step by step the same as environment 0 of `make_chip8`.

    High resolution is allowed wherever the quirks have it.

    Args:
        game: the game.
        quirks: the platform, by name or as `Quirks`; default the game's own.
        seed: of the random stream.

    Attributes:
        machine: the reference machine.
        rules: those of the game's environment.
        frames: frames since the start.
        score: as the game counts it.
        over: whether the game has ended.

    Raises ValueError for unknown quirks and for a ROM that cannot be loaded, MachineFault where the program breaks.
    """

    def __init__(self, game: Game, quirks: str | Quirks | None = None, seed: int = 0) -> None:
        quirks = find_quirks(game.quirks if quirks is None else quirks)
        self.game, self.rules = game, rules_of(game, quirks=quirks, hires=quirks.super_chip)
        self._score, self._done = Expression(game.score), Expression(game.done)
        self.machine = ReferenceMachine(self.rules.rom, quirks, 0, hires=self.rules.hires)
        self._run_startup()
        self._start = self.machine.save()
        self.machine.rng = stream(seed)
        self.restart()

    def _run_startup(self) -> None:
        """The instructions before the first step. Timers run meanwhile only where they are correct."""
        machine, rules = self.machine, self.rules
        machine.load(new_machines(rules.rom, [0], rules.hires, large_font=not rules.quirks.octax))
        machine.keys = 0 if rules.startup_key is None else 1 << rules.startup_key
        frames, rest = divmod(rules.startup, INSTRUCTIONS) if rules.timers == "correct" else (0, rules.startup)
        for _ in range(frames):
            machine.frame(INSTRUCTIONS)
            machine.tick()
        for _ in range(rest):
            machine.instruction()
        machine.keys = 0
        raise_fault(machine.save())

    def restart(self) -> None:
        """Start again; random numbers go on from where they are."""
        self._start["rng"] = self.machine.rng
        self.machine.load(self._start)
        self.frames, self.over = 0, False  # what an end is read from is often set only by the first instructions
        self.score = int(self._score.evaluate(self.state())[0])
        self._screens = [self.picture] * 3

    def frame(self, keys: int) -> None:
        """Run one frame; every fourth ends a step of the environment.

        Args:
            keys: a bit per key held.

        Raises MachineFault where the program breaks.
        """
        machine = self.machine
        machine.keys = keys
        machine.frame(INSTRUCTIONS)
        if self.rules.timers == "correct":
            machine.tick()
        self._screens = [*self._screens[1:], self.picture]
        self.frames += 1
        if self.frames % FRAMES == 0:
            self._end_step()

    def _end_step(self) -> None:
        machine = self.machine
        if self.rules.timers == "octax":
            machine.tick_octax()
        elif self.rules.timers == "off":
            machine.delay = machine.sound = 0
        machine.keys = 0
        machines = self.state()
        raise_fault(machines)
        self.score = int(self._score.evaluate(machines)[0])
        self.over = bool(self._done.evaluate(machines)[0]) or bool(machine.fault)

    def step(self, action: int) -> None:
        """Run one step of the environment; MachineFault where the program breaks.

        Args:
            action: i holds the game's key i for four frames; the number of keys holds none.
        """
        keys = int(self.rules.masks[action])
        for _ in range(FRAMES):
            self.frame(keys)

    def state(self) -> Machines:
        """The machine as an array of one, as players and expressions read it."""
        return self.machine.save()

    @property
    def picture(self) -> NDArray[np.uint8]:
        """The screen in the resolution it is in, (32, 64) or (64, 128) of 0 and 1."""
        return np.array(self.machine.pixels, np.uint8)

    @property
    def steady(self) -> NDArray[np.uint8]:
        """The screen of one frame ago, for the eye: what it erases stays where the next frame draws again.

        A program moves a sprite by erasing it and drawing it elsewhere; where a frame ends in between, the sprite
        blinks. At the end of the game, and where the resolution changes, it is the screen as it is.
        """
        before, shown, after = self._screens
        if self.over or not before.shape == shown.shape == after.shape:
            return after
        return shown | before if (after > shown).any() else shown


# --- a player whose screens are kept -----------------------------------------------------------------------------

PLAYERS = ("random", "scripted", "none")


def recorded(playing: Playing, player: str, steps: int, seed: int = 0) -> list[NDArray[np.uint8]]:
    """Play up to so many steps of the environment, or to the end of the game.

    Args:
        playing: the game, at its start.
        player: "random" (every action alike), "scripted" (the game's own) or "none" (no key).
        steps: at most so many, at least 0.
        seed: of the random player.

    Returns the screen at the start and near the end of each step (`Playing.steady`), all of one size: where the game
    changes its resolution, low resolution doubled. Raises ValueError for an unknown player or a game without a
    scripted one, MachineFault where the program breaks.
    """
    choose = _chooser(playing.game, player, seed)
    pictures = [playing.steady]
    while not playing.over and len(pictures) <= steps:
        playing.step(choose(playing))
        pictures.append(playing.steady)
    if len({picture.shape for picture in pictures}) == 1:
        return pictures
    return [p.repeat(2, axis=0).repeat(2, axis=1) if p.shape == LOW else p for p in pictures]


def _chooser(game: Game, player: str, seed: int) -> Callable[[Playing], int]:
    idle = len(game.keys)
    if player == "none":
        return lambda _: idle
    if player == "random":
        rng = np.random.default_rng(seed)
        return lambda _: int(rng.integers(idle + 1))
    if player != "scripted":
        raise ValueError(f"player: {player!r} is none of {', '.join(PLAYERS)}")
    script = game.player
    if script is None:
        raise ValueError(f"player: {game.name} has no scripted player; take random or none")
    return lambda playing: int(script(playing.state())[0])


# --- keys --------------------------------------------------------------------------------------------------------

KEYPAD = dict(zip("1234qwerasdfzxcv", (1, 2, 3, 12, 4, 5, 6, 13, 7, 8, 9, 14, 10, 0, 11, 15), strict=True))
"""The key of the machine for each letter: the square of its keypad laid on the keyboard."""
HELD = 0.15
"""Seconds that a key counts as held, for a terminal does not say when it is released."""
ESCAPE = 0.05
"""Seconds after which an escape character is the key Esc, and not the start of an arrow key."""

_MEANT = {
    "left": ("left",),
    "right": ("right",),
    "up": ("up", "jump", "climb", "rotate", "turn"),
    "down": ("down", "duck", "drop"),
    "space": ("fire", "shoot", "jump", "drop", "bomb", "hit", "start"),
}
"""Words in the name of a key, by the key of the keyboard that plays it."""
_USUAL = (
    {"left": 7, "right": 9, "up": 5, "down": 8, "space": 6},
    {"left": 4, "right": 6, "up": 2, "down": 8, "space": 5},
    {"left": 7, "right": 8, "up": 3, "down": 6},
    {"left": 5, "right": 6, "up": 4, "down": 7},
    {"up": 1, "down": 4},
)
"""Keys that programs commonly use, for games that do not name theirs; the second for those that may use all."""
_ARROWS = {"left": "←", "right": "→", "up": "↑", "down": "↓", "space": "space"}


def controls(game: Game) -> dict[str, int]:
    """The machine's keys for the arrow keys and space: "left", "right", "up", "down", "space".

    They follow the names the game gives its keys; without names, the first usual layout that has all of them.

    Args:
        game: the game.
    """
    if game.key_names:
        words = [set(name.lower().split()) for name in game.key_names]
        return {
            control: key
            for control, meant in _MEANT.items()
            for key in [key for key, name in zip(game.keys, words, strict=True) if name & set(meant)][:1]
        }
    if len(game.keys) == 1:
        return {"space": game.keys[0]}
    if len(game.keys) == KEYS:
        return _USUAL[1]
    layout = next((layout for layout in _USUAL if set(game.keys) <= set(layout.values())), {})
    return {control: key for control, key in layout.items() if key in game.keys}


def keys_line(game: Game) -> str:
    """What to press, in a line: "←/a left  →/d right"."""
    if len(game.keys) == KEYS:
        return "1234 qwer asdf zxcv: the keypad   ←↓↑→: 4 8 2 6   space: 5"
    letters = {key: letter for letter, key in KEYPAD.items()}
    found = controls(game)
    names = game.key_names or ("",) * len(game.keys)
    parts = []
    for key, name in zip(game.keys, names, strict=True):
        ways = [_ARROWS[control] for control, played in found.items() if played == key] + [letters[key]]
        parts.append(f"{'/'.join(ways)} {name}".strip())
    return "   ".join(parts)


_SEQUENCE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])")
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_LAST = {b"A": "up", b"B": "down", b"C": "right", b"D": "left"}
_NAMED = {b" ": "space", b"\x7f": "backspace", b"\x08": "backspace", b"p": "pause", b"P": "pause"}


def presses(received: bytes, late: bool = False) -> tuple[list[str], bytes]:
    """What was pressed, from the bytes a terminal sent: letters, or names such as "left", "space" and "escape".

    Args:
        received: the bytes; what stands for no key of ours is passed over.
        late: whether nothing has followed for a while, so that an escape character at the end is the key Esc.

    Returns the keys in order, and the bytes at the end that may be the start of a longer sequence.
    """
    found = []
    while received:
        sequence = _SEQUENCE.match(received)
        if sequence:
            key = _LAST.get(sequence[0][-1:])
            found += [key] if key else []
            received = received[sequence.end() :]
        elif received[:1] == b"\x1b":
            if not late and _UNFINISHED.match(received):
                break
            found.append("escape")
            received = received[1:]
        else:
            letter = received[:1].decode("latin-1").lower()
            found += [_NAMED.get(received[:1]) or letter]
            received = received[1:]
    return found, received


# --- the terminal ------------------------------------------------------------------------------------------------


class NoTerminal(ValueError):
    """There is no terminal that could show a game."""


@contextmanager
def terminal() -> Iterator[Terminal]:
    """A terminal set up for a game, and put back as it was whatever happens.

    SIGTERM and SIGHUP end the program meanwhile (SystemExit, 128 + the signal's number), Ctrl-C as always. Raises
    NoTerminal where stdin or stdout is none, or cannot show block characters.
    """
    try:
        import termios
        import tty
    except ImportError:
        raise NoTerminal("this system has no terminal that can be read key by key") from None
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoTerminal("stdin and stdout are no terminal")
    encoding = sys.stdout.encoding
    try:
        "▀▟←".encode(encoding)
    except UnicodeEncodeError:
        raise NoTerminal(f"the terminal's encoding, {encoding}, has no block characters (UTF-8 has)") from None
    source, sink = sys.stdin.fileno(), sys.stdout.fileno()
    before = termios.tcgetattr(source)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {number: signal.getsignal(number) for number in numbers}
    shown = Terminal(source, sink, encoding)
    try:
        for number in numbers:
            signal.signal(number, _stop)
        tty.setcbreak(source)
        mode = termios.tcgetattr(source)
        mode[0] &= ~termios.IXON  # Ctrl-S must not freeze the game
        for index in (termios.VSUSP, termios.VQUIT):  # nor Ctrl-Z or Ctrl-\ leave its screen behind
            mode[6][index] = b"\0"
        termios.tcsetattr(source, termios.TCSANOW, mode)
        shown.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        yield shown
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        with suppress(OSError):
            shown.write("\x1b[0m\x1b[?25h\x1b[?1049l")
        with suppress(termios.error):
            termios.tcsetattr(source, termios.TCSANOW, before)
            termios.tcflush(source, termios.TCIFLUSH)  # keys still held must not reach the shell
        for number, handler in handlers.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _stop(number: int, _frame: Any) -> None:
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


class Terminal:
    """Keys from a terminal, and lines to it, of which only those that changed are written.

    Args:
        source: file descriptor to read.
        sink: file descriptor to write.
        encoding: of what is written.
    """

    def __init__(self, source: int, sink: int, encoding: str) -> None:
        self._source, self._sink, self._encoding = source, sink, encoding
        self._received, self._since = b"", 0.0
        self._lines: list[str] = []
        self._size = (0, 0)

    def write(self, text: str) -> None:
        """Write all of a text."""
        data = text.encode(self._encoding, "replace")
        while data:
            data = data[os.write(self._sink, data) :]

    def size(self) -> tuple[int, int]:
        """Rows and columns; 24 and 80 where the terminal does not say."""
        columns, rows = os.get_terminal_size(self._sink)
        return rows or 24, columns or 80

    def show(self, lines: Sequence[str]) -> None:
        """Show lines from the top, cut off at the right edge.

        Args:
            lines: at most as many as the terminal has rows.
        """
        rows, columns = size = self.size()
        if size != self._size:
            self._size, self._lines = size, []
            self.write("\x1b[2J")
        new = [line[:columns] for line in lines[:rows]]
        old = self._lines + [""] * (len(new) - len(self._lines))
        new += [""] * (len(old) - len(new))
        changed = [(i, line) for i, line in enumerate(new) if line != old[i]]
        self._lines = new
        self.write("".join(f"\x1b[{i + 1};1H\x1b[2K{line}" for i, line in changed))

    def keys(self, until: float) -> list[str]:
        """The keys pressed until a moment of time.monotonic(); see `presses`. "escape" too where the terminal is gone.

        Args:
            until: when to return.
        """
        found: list[str] = []
        while True:
            left = until - time.monotonic()
            if select.select([self._source], [], [], max(left, 0.0))[0]:
                data = os.read(self._source, 4096)
                if not data:
                    return [*found, "escape"]
                self._received += data
                self._since = time.monotonic()
            late = time.monotonic() - self._since > ESCAPE
            new, self._received = presses(self._received, late)
            found += new
            if left <= 0:
                return found


# --- by hand -----------------------------------------------------------------------------------------------------

_HELP = "p pause   backspace restart   Esc quit"


def play(playing: Playing) -> None:
    """Play in the terminal until the player quits with Esc; then `playing` holds the score.

    Args:
        playing: the game, at its start.

    Raises NoTerminal where there is none, KeyboardInterrupt on Ctrl-C, SystemExit on SIGTERM and SIGHUP, MachineFault
    where the program breaks: after the terminal is as it was before.
    """
    with terminal() as shown:
        _loop(playing, shown)


def _loop(playing: Playing, shown: Terminal) -> None:
    arrows = controls(playing.game)
    held, until, paused = 0, 0.0, False
    due = time.monotonic()
    while True:
        for key in shown.keys(due):
            if key == "escape":
                return
            if key == "backspace":
                playing.restart()
                held, paused = 0, False
            elif key == "pause":
                paused = not paused
            elif key in arrows or key in KEYPAD:  # a new key takes the place of the one before
                held, until = 1 << (arrows[key] if key in arrows else KEYPAD[key]), time.monotonic() + HELD
        now = time.monotonic()
        due = max(due + 1 / FRAMES_PER_SECOND, now - 0.1)  # after a long wait time is not caught up with
        fits = _fits(playing, shown)
        if fits and not paused and not playing.over:
            playing.frame(held if now < until else 0)
        if fits:
            shown.show(_lines(playing, paused))


def _fits(playing: Playing, shown: Terminal) -> bool:
    """Whether the game fits into the window; where not, the window says so."""
    rows, columns = shown.size()
    needed = playing.machine.size[0] // 2 + 3
    if rows >= needed and columns >= LOW[1]:
        return True
    shown.show([f"Too small: {LOW[1]}x{needed} is needed, this is {columns}x{rows}"])
    return False


def _lines(playing: Playing, paused: bool) -> list[str]:
    game = playing.game
    title = game.title or game.name
    title = "".join(c if c.isprintable() else "?" for c in title)[:28]
    score = "" if game.score == "0" else f"   score {playing.score}"
    state = "   game over: backspace plays again" if playing.over else "   paused" if paused else ""
    return [*to_text(playing.steady).split("\n"), f"{title}{score}{state}", keys_line(game), _HELP]
