"""The CHIP-8 machine that all three implementations share: memory map, fonts, quirks, faults, and the state's layout.

Source: W. Radji, T. Michel, H. Piteau, "Octax: Accelerated CHIP-8 Arcade Environments for Reinforcement Learning in
JAX", arXiv 2510.01764, and its package `octax` 0.1.1. What an instruction does is written down once more, as plainly as
we can, in `reference`; `native` and `jax_machine` must agree with it bit by bit.

A machine never writes outside its own memory. Where the program does what no machine of its profile can do, the
machine halts before that instruction with a fault: its state stays as it was, and nothing moves any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

MEMORY = 4096
"""Bytes of memory."""
PROGRAM_START = 0x200
LARGEST_ROM = MEMORY - PROGRAM_START
FONT_START = 0x50
"""16 glyphs of 5 bytes, 4 pixels wide."""
BIG_FONT_START = 0xA0
"""16 glyphs of 10 bytes, 8 pixels wide (SUPER-CHIP)."""
STACK_DEPTH = 16
KEYS = 16
FRAMES_PER_SECOND = 60
TIMERS = ("correct", "octax", "off")
"""How timers run: down by one per frame and not below 0; down by one per step, 0 becoming 255; 0 after every step."""
LOW = (32, 64)
"""Rows and columns in low resolution."""
HIGH = (64, 128)
"""Rows and columns in high resolution (SUPER-CHIP)."""

FONT = bytes.fromhex(
    "F0909090F0 2060202070 F010F080F0 F010F010F0 9090F01010 F080F010F0 F080F090F0 F010204040"
    "F090F090F0 F090F010F0 F090F09090 E090E090E0 F0808080F0 E0909090E0 F080F080F0 F080F08080"
)


def _big_font() -> bytes:
    """Our own large glyphs: every row and pixel of the small ones twice (the last byte row stays as it is)."""
    rows = []
    for byte in FONT:
        wide = 0
        for bit in range(4):
            if byte & (0x80 >> bit):
                wide |= 0xC0 >> (2 * bit)
        rows += [wide, wide]
    return bytes(rows)


BIG_FONT = _big_font()


class Fault(IntEnum):
    """Why a machine halted."""

    NONE = 0
    EXITED = 1
    """The program ended itself (00FD): not an error."""
    UNKNOWN_OPCODE = 2
    SUPER_CHIP = 3
    """A SUPER-CHIP instruction on a machine that is none."""
    XO_CHIP = 4
    """An XO-CHIP instruction; no profile has them."""
    PROGRAM_COUNTER = 5
    """The program counter left the memory."""
    STACK_OVERFLOW = 6
    STACK_UNDERFLOW = 7
    ADDRESS = 8
    """An instruction reads or writes past the end of memory."""
    RESOLUTION = 9
    """The program switches to high resolution, and the environment was made without it."""


@dataclass(frozen=True)
class Quirks:
    """In what the platforms differ. All False is XO-CHIP without its extra instructions, with clipped sprites off.

    `octax` stands for everything that the package `octax` 0.1.1 does differently from all real platforms; with it the
    machine never faults, since the package never does.
    """

    vf_reset: bool = False
    """8xy1, 8xy2, 8xy3 set VF to 0."""
    memory: bool = False
    """Fx55 and Fx65 leave I behind the last byte."""
    display_wait: bool = False
    """Dxyn ends the frame: one drawing per frame at most."""
    clip: bool = False
    """Sprites end at the edge of the screen; otherwise they wrap round."""
    shift: bool = False
    """8xy6 and 8xyE shift Vx in place; otherwise they shift Vy into Vx."""
    jump: bool = False
    """Bxnn jumps to xnn + Vx; otherwise Bnnn to nnn + V0."""
    super_chip: bool = False
    """High resolution, scrolling, 16x16 sprites, large digits, RPL flags, exit."""
    octax: bool = False
    """As the published package does, its faults included; it has no SUPER-CHIP."""

    def __post_init__(self) -> None:
        if self.octax and self.super_chip:
            raise ValueError("Quirks: the published package has no SUPER-CHIP; give octax or super_chip, not both")

    @property
    def bits(self) -> int:
        """One bit per quirk, in the order of the fields: what the native machine is given."""
        return sum(bool(getattr(self, field.name)) << i for i, field in enumerate(fields(self)))


PROFILES = {
    "vip": Quirks(vf_reset=True, memory=True, display_wait=True, clip=True),
    "schip": Quirks(clip=True, shift=True, jump=True, super_chip=True),
    "xochip": Quirks(memory=True, super_chip=True),
    "octax": Quirks(vf_reset=True, clip=True, shift=True, jump=True, octax=True),
}
"""Quirks by platform: COSMAC VIP, SUPER-CHIP as modern interpreters have it, XO-CHIP (without its extra instructions),
and the published package."""


def find_quirks(quirks: str | Quirks) -> Quirks:
    """The quirks of a profile by its name; ValueError for an unknown one."""
    if isinstance(quirks, Quirks):
        return quirks
    if quirks not in PROFILES:
        raise ValueError(f"quirks: {quirks!r} is none of {', '.join(PROFILES)}; or give Quirks(...)")
    return PROFILES[quirks]


Machines = NDArray[np.void]
"""An array of machines, shape (n,), of dtype `machine_dtype(hires)`; `machines["V"]` has shape (n, 16), and so on."""


def machine_dtype(hires: bool = False) -> np.dtype[Any]:
    """The state of one machine: 4,440 bytes, or 5,208 with high resolution.

    `display` holds a row in one 64-bit word, the leftmost pixel in the highest bit; with high resolution, two words a
    row. `keys` has a bit per key held. `waiting` is 0, or 1 + the key that Fx0A saw pressed and waits to see released.
    `rng` is the state of the random stream, never 0. `fault`, `fault_pc` and `fault_opcode` say why it halted.
    """
    rows, words = (64, 2) if hires else (32, 1)
    return np.dtype(
        [
            ("memory", np.uint8, (MEMORY,)),
            ("display", np.uint64, (rows, words)),
            ("V", np.uint8, (16,)),
            ("flags", np.uint8, (16,)),
            ("stack", np.uint16, (STACK_DEPTH,)),
            ("sp", np.int32),
            ("rng", np.uint32),
            ("I", np.uint16),
            ("pc", np.uint16),
            ("keys", np.uint16),
            ("fault_pc", np.uint16),
            ("fault_opcode", np.uint16),
            ("delay", np.uint8),
            ("sound", np.uint8),
            ("hires", np.uint8),
            ("waiting", np.uint8),
            ("fault", np.uint8),
        ],
        align=True,
    )


def new_machines(rom: bytes, seeds: Sequence[int], hires: bool = False, large_font: bool = True) -> Machines:
    """Machines with `rom` loaded at 0x200, one per seed, before their first instruction.

    Without the large font (the published package has none) there are zeros in its place.

    Raises ValueError where the ROM is empty or larger than 3,584 bytes.
    """
    check_rom(rom)
    machines = np.zeros(len(seeds), machine_dtype(hires))
    machines["memory"][:, FONT_START : FONT_START + len(FONT)] = np.frombuffer(FONT, np.uint8)
    if large_font:
        machines["memory"][:, BIG_FONT_START : BIG_FONT_START + len(BIG_FONT)] = np.frombuffer(BIG_FONT, np.uint8)
    machines["memory"][:, PROGRAM_START : PROGRAM_START + len(rom)] = np.frombuffer(rom, np.uint8)
    machines["pc"] = PROGRAM_START
    machines["rng"] = [stream(seed) for seed in seeds]
    return machines


def check_rom(rom: bytes, name: str = "ROM") -> None:
    """ValueError where a program cannot be loaded."""
    if not rom:
        raise ValueError(f"{name}: it is empty")
    if len(rom) > LARGEST_ROM:
        raise ValueError(f"{name}: {len(rom)} bytes; a program has at most {LARGEST_ROM}, from 0x200 to 0xFFF")


def stream(seed: int, purpose: int = 0) -> int:
    """The first state of a random stream, 1 to 2^32 - 1: it depends on the seed and the purpose alone (ours).

    `purpose` 0 is the machine's own stream (Cxnn), 1 the environment's (sticky actions, starts). The mixing is
    splitmix64's finaliser.
    """
    mask = (1 << 64) - 1
    z = (int(seed) * 2 + int(purpose) + 1) * 0x9E3779B97F4A7C15 & mask
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
    z ^= z >> 31
    return (z >> 32) or 1


class MachineFault(RuntimeError):
    """A program did what no machine of its profile can do.

    Args:
        fault: why, also an attribute, as are the next three.
        environment: index of the machine.
        pc: address of the instruction.
        opcode: 16 bits.
        advice: what else the message says.
    """

    def __init__(self, fault: Fault, environment: int, pc: int, opcode: int, advice: str = "") -> None:
        self.fault, self.environment, self.pc, self.opcode = fault, environment, pc, opcode
        what = {
            Fault.UNKNOWN_OPCODE: f"unknown opcode {opcode:04X}",
            Fault.SUPER_CHIP: f'{opcode:04X} is a SUPER-CHIP instruction; use quirks="schip"',
            Fault.XO_CHIP: f"{opcode:04X} is an XO-CHIP instruction, which no profile has",
            Fault.PROGRAM_COUNTER: "the program counter left the memory",
            Fault.STACK_OVERFLOW: f"{opcode:04X} calls deeper than {STACK_DEPTH} subroutines",
            Fault.STACK_UNDERFLOW: "00EE returns, but nothing was called",
            Fault.ADDRESS: f"{opcode:04X} reads or writes past the end of memory",
            Fault.RESOLUTION: "00FF switches to high resolution; make the environment with hires=True",
        }[fault]
        super().__init__(f"environment {environment}, pc 0x{pc:03X}: {what}{advice}")


def raise_fault(machines: Machines) -> None:
    """Raise MachineFault for the first machine that halted on an error; nothing where none did."""
    broken = np.flatnonzero(machines["fault"] > Fault.EXITED)
    if broken.size:
        first = machines[broken[0]]
        others = broken.size - 1
        more = f" (and {others} more environment{'s' if others > 1 else ''})" if others else ""
        fault = Fault(int(first["fault"]))
        raise MachineFault(fault, int(broken[0]), int(first["fault_pc"]), int(first["fault_opcode"]), more)
