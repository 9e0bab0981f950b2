"""Where a program keeps its score, its lives and its end: guesses from watching it run under random keys (ours).

Programs show their score as decimal digits: Fx33 splits a register, Fx29 points at a digit. Which value is shown is
followed back through copies (8xy0), loads (Fx65) and stores (Fx55), and the values found, with all registers, are
watched over the runs: a score only rises, now and then; lives only fall. These are guesses: look at the game before you
trust one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import Game, find_game
from assay.methods.environments.octax.machine import (
    FRAMES_PER_SECOND,
    KEYS,
    MEMORY,
    Fault,
    Quirks,
    check_rom,
    find_quirks,
)
from assay.methods.environments.octax.reference import ReferenceMachine

_FRAMES = 4
_INSTRUCTIONS = 11
_STILL = 60
"""Steps without any change after which a program counts as over."""
_GAMES = 10
"""Games of one run, at most."""


@dataclass(frozen=True)
class Candidate:
    """A guess.

    Args:
        expression: to be given to `make_chip8` as `score` or `done`.
        kind: "score", "lives" (falls; its change is a loss) or "done".
        points: the sum of what speaks for it; only the order means something.
        shown: how often it was shown as a decimal number.
        lowest: smallest value at the end of a step.
        highest: largest value.
        rises: how often it rose from one step to the next, in all runs together.
        falls: how often it fell.
        because: what was seen, in words.
    """

    expression: str
    kind: str
    points: int
    shown: int
    lowest: int
    highest: int
    rises: int
    falls: int
    because: str

    def __str__(self) -> str:
        return f"{self.kind:5}  {self.expression:12}  {self.because}"


def find_score_register(
    rom: bytes | str | Path | Game,
    quirks: str | Quirks | None = None,
    keys: tuple[int, ...] | None = None,
    steps: int = 1000,
    runs: int = 8,
    seed: int = 0,
    hires: bool = False,
) -> list[Candidate]:
    """Registers and bytes of memory that may hold the score or the lives, the likeliest first, then ends of the game.

    The program runs on the reference machine: about five seconds at the default settings. A run whose game is over
    begins again, for up to ten games.

    Args:
        rom: the program's bytes; or a path, a name or a `Game` as for `make_chip8`.
        quirks: the platform; default the game's own, "schip" for bytes.
        keys: keys to press at random, 0 to 15; default the game's, all 16 for bytes. Those that play it find more.
        steps: steps of each run, at least 1.
        runs: how many runs from the program's first instruction, at least 1.
        seed: of the keys and of the machines' random numbers, 0 or more.
        hires: allow high resolution.

    Raises ValueError for a bad argument or ROM, OSError for a file that cannot be read.
    """
    game = None if isinstance(rom, bytes) else find_game(rom)
    program = rom if isinstance(rom, bytes) else find_game(rom).rom
    check_rom(program)
    platform = find_quirks(quirks or (game.quirks if game else "schip"))
    keys = keys if keys is not None else game.keys if game else tuple(range(KEYS))
    if not keys or any(key not in range(KEYS) for key in keys):
        raise ValueError(f"keys: {keys}; give some of 0 to {KEYS - 1}")
    for name, value, least in (("steps", steps, 1), ("runs", runs, 1), ("seed", seed, 0)):
        if value < least:
            raise ValueError(f"{name}: {value}; at least {least} is needed")
    watched = [w for run in range(runs) for w in _watch_games(program, platform, keys, steps, [seed, run], hires)]
    shown: Counter[str] = sum((run.shown for run in watched), Counter())
    digits: Counter[str] = sum((run.digits for run in watched), Counter())
    values = {text: [run.values(text) for run in watched] for text in _expressions(shown, digits)}
    counters = [_judge(text, values[text], shown[text], digits[text]) for text in values]
    found = sorted((c for c in counters if c), key=lambda c: (-c.points, -c.shown, -c.rises - c.falls))
    return found + _ends(watched, values, found)


# --- watching -----------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """What one run showed: memory and registers after every step, and the steps at which it ended."""

    registers: NDArray[np.uint8]
    memory: NDArray[np.uint8]
    shown: Counter[str]
    digits: Counter[str]
    ends: list[int]
    why: Counter[str]

    def values(self, text: str) -> NDArray[np.int64]:
        """V5 or mem[0x3F0], after every step."""
        column = self.memory[:, int(text[4:-1], 16)] if text[0] == "m" else self.registers[:, int(text[1:])]
        return column.astype(np.int64)


def _watch_games(
    program: bytes, quirks: Quirks, keys: tuple[int, ...], steps: int, seeds: list[int], hires: bool
) -> list[_Run]:
    """Game after game until the steps are used up."""
    random = np.random.default_rng(seeds)
    games: list[_Run] = []
    while steps > 0 and len(games) < _GAMES:
        games.append(_watch(program, quirks, keys, steps, random, hires))
        steps -= len(games[-1].registers)
    return games


def _watch(
    program: bytes, quirks: Quirks, keys: tuple[int, ...], steps: int, random: np.random.Generator, hires: bool
) -> _Run:
    """One game from the first instruction."""
    machine = ReferenceMachine(program, quirks, int(random.integers(1 << 32)), hires)
    tracer = _Tracer(machine)
    registers, memory = np.zeros((steps, 16), np.uint8), np.zeros((steps, 4096), np.uint8)
    ends: list[int] = []
    why: Counter[str] = Counter()
    busy, still, last = 0, 0, b""
    for step in range(steps):
        if random.random() < 0.4 or not step:  # hold what is held for 2.5 steps on average
            choice = int(random.integers(len(keys) + 1))
            machine.keys = 1 << keys[choice] if choice < len(keys) else 0
        tracer.waits = False
        for _ in range(_FRAMES):
            tracer.frame()
            if not quirks.octax:
                machine.tick()
        if quirks.octax:
            machine.tick_octax()
        registers[step], memory[step] = machine.V, machine.memory
        now = registers[step].tobytes() + memory[step].tobytes() + b"".join(map(bytes, machine.pixels))
        still, last = still + 1 if now == last else 0, now
        end = tracer.over() or ("nothing changes any more" if still >= _STILL else "")
        if end:
            first = max(step - still, 0)
            return _Run(
                registers[: first + 1].copy(),
                memory[: first + 1].copy(),
                tracer.shown,
                tracer.digits,
                [*ends, first],
                why + Counter([end]),
            )
        if tracer.waits and busy >= FRAMES_PER_SECOND // _FRAMES:
            ends.append(step)
            why["it waits for a key (Fx0A) after a second of play or more"] += 1
        busy = 0 if tracer.waits else busy + 1
    return _Run(registers, memory, tracer.shown, tracer.digits, ends, why)


class _Tracer:
    """Runs a machine and follows where each register's value came from."""

    def __init__(self, machine: ReferenceMachine) -> None:
        self.machine = machine
        self.source: list[tuple[str, ...]] = [(f"V{x}",) for x in range(16)]
        """Where the value of each register stands: itself or what it was copied from, and the byte it was stored to."""
        self.shown: Counter[str] = Counter()
        self.digits: Counter[str] = Counter()
        self.split: set[str] = set()
        """Bytes that Fx33 wrote: digits, no numbers."""
        self.waits = False

    def frame(self) -> None:
        for _ in range(_INSTRUCTIONS):
            at = self.machine.I
            opcode = self.machine.instruction()
            if self.machine.fault:
                return
            self._follow(opcode, at)
            if self.machine.quirks.display_wait and opcode >> 12 == 0xD:
                return

    def _follow(self, opcode: int, at: int) -> None:
        """`at` is I before the instruction."""
        kind, x, y, low = opcode >> 12, opcode >> 8 & 0xF, opcode >> 4 & 0xF, opcode & 0xFF
        if kind == 0xF and low == 0x33:
            self.shown.update(self.source[x])
            self.split.update(_byte(at + k) for k in range(3))
        elif kind == 0xF and low == 0x29:
            if not self.split.intersection(self.source[x]):
                self.digits.update(self.source[x])
        elif kind == 0xF and low == 0x65:
            for k in range(x + 1):
                self.source[k] = (_byte(at + k),)
        elif kind == 0xF and low == 0x55:
            for k in range(x + 1):
                self.source[k] = (self.source[k][0], _byte(at + k))
        elif kind == 0xF and low == 0x0A:
            self.waits = True
            self.source[x] = (f"V{x}",)
        elif kind == 8 and opcode & 0xF == 0:
            self.source[x] = self.source[y]
        elif kind in (6, 7, 8, 0xC) or (kind == 0xF and low in (0x07, 0x85)):
            self.source[x] = (f"V{x}",)

    def over(self) -> str:
        """Why the program will never do anything again, or nothing."""
        m = self.machine
        if m.fault:
            return "it ended itself (00FD)" if m.fault == Fault.EXITED else "it broke with a fault"
        at = min(m.pc, 4094)
        jumps_to_itself = m.memory[at] << 8 | m.memory[at + 1] == 0x1000 | at
        return "it jumps to itself for ever" if jumps_to_itself else ""


def _byte(address: int) -> str:
    return f"mem[0x{min(address, MEMORY - 1):03X}]"


# --- judging ------------------------------------------------------------------------------------------------------


def _expressions(shown: Counter[str], digits: Counter[str]) -> list[str]:
    """What is watched: V0 to V14 (VF holds flags), and the bytes of memory that were shown."""
    return [f"V{x}" for x in range(15)] + sorted(text for text in {*shown, *digits} if text[0] == "m")


def _judge(text: str, runs: list[NDArray[np.int64]], shown: int, digits: int) -> Candidate | None:
    """What speaks for a value as a score or as lives; None where nothing does."""
    changes = np.concatenate([np.diff(run) for run in runs])
    restarts = np.concatenate([run[1:] == run[0] for run in runs])  # back to where it began: a new game, no loss
    rises, falls = int((changes > 0).sum()), int((changes < 0).sum())
    losses, gains = int(((changes < 0) & ~restarts).sum()), int(((changes > 0) & ~restarts).sum())
    if not rises + falls and not shown:
        return None
    points, reasons = 0, []
    if shown:
        points += 4
        reasons.append(f"shown as a number {shown} times (Fx33)")
    elif digits:
        points += 2
        reasons.append(f"shown as a digit {digits} times (Fx29)")
    kind = "score"
    if not rises + falls:
        reasons.append("never changed: play longer, or with the keys it is played with")
    elif rises + falls <= len(runs):
        reasons.append("set once a game at most: more likely a constant")
    elif rises and not losses and rises > falls:
        points += 4
        reasons.append(f"only rises, {rises} times" + (f" (and starts again {falls} times)" if falls else ""))
    elif falls and not gains and falls > rises:
        kind, points = "lives", points + 3
        reasons.append(f"only falls, {falls} times" + (f" (and starts again {rises} times)" if rises else ""))
    else:
        points += 1 if rises > 4 * falls else -2
        reasons.append(f"rises {rises} and falls {falls} times")
    share = (rises + falls) / max(len(changes), 1)
    if 0 < share <= 0.25:
        points += 2
    elif share > 0.5:
        points -= 3
        reasons.append("changes in most steps, as a clock or a position")
    sizes = Counter(np.abs(changes[(changes > 0) if kind == "score" else (changes < 0)]).tolist())
    if 0 < len(sizes) <= 3:
        points += 1
        reasons.append("by " + " or ".join(str(size) for size in sorted(sizes)))
    if points <= 0:
        return None
    values = np.concatenate(runs)
    lowest, highest = int(values.min()), int(values.max())
    reasons.append(f"values {lowest} to {highest}" if lowest < highest else f"value {lowest}")
    return Candidate(text, kind, points, shown, lowest, highest, rises, falls, "; ".join(reasons))


def _ends(watched: list[_Run], values: dict[str, Any], found: list[Candidate]) -> list[Candidate]:
    """Conditions that hold where the game was over, and not before."""
    lives = {candidate.expression: candidate for candidate in found if candidate.kind == "lives"}
    why = sum((run.why for run in watched), Counter())
    seen = "; ".join(f"{reason}, {count} times" for reason, count in why.most_common())
    candidates = []
    for text, runs in values.items():
        at_end = [int(run[end]) for run, watch in zip(runs, watched, strict=True) for end in watch.ends]
        every = np.concatenate(runs)
        if at_end and len(set(at_end)) == 1 and every.min() < every.max():
            early = int((every == at_end[0]).sum()) - len(at_end)
            if early <= 5 * len(at_end):
                points = 5 + 2 * (len(at_end) > 1) + 2 * (text in lives) + 2 * (early == 0)
                because = f"so at all {len(at_end)} ends and {early} times before; {seen}"
                candidates.append(_done(f"{text} == {at_end[0]}", points, every, because))
                continue
        if text in lives and lives[text].points > 3:
            points = 4 if lives[text].lowest == 0 else 2
            candidates.append(_done(f"{text} == 0", points, every, "it only falls, as lives do"))
    return sorted(candidates, key=lambda c: -c.points)


def _done(expression: str, points: int, values: NDArray[np.int64], because: str) -> Candidate:
    return Candidate(expression, "done", points, 0, int(values.min()), int(values.max()), 0, 0, because)
