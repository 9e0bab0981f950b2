"""Runs a user's own copy of a conformance ROM and shows its last screen; the test ROMs themselves are not ours to ship.

The usual ones are those of T. Franssen's CHIP-8 test suite (github.com/Timendus/chip8-test-suite, GPL-3.0): splash, IBM
logo, Corax+, flags, quirks, keypad. They draw ticks and crosses; what is right is for eyes to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax import native
from assay.methods.environments.octax.game import load_rom
from assay.methods.environments.octax.machine import Fault, MachineFault, Quirks, find_quirks, new_machines, raise_fault
from assay.methods.environments.octax.screen import pixels, to_text

PRESET = 0x1FF
"""Where the suite's quirks ROM reads which platform to test: 1 CHIP-8, 2 and 3 SUPER-CHIP, 4 XO-CHIP."""
PLATFORM = {"vip": 1, "schip": 2, "xochip": 4, "octax": 1}


@dataclass(frozen=True)
class Conformance:
    """What a ROM showed; prints as its screen.

    Attributes:
        screen: uint8 (rows, columns) of 0 and 1.
        fault: one line where the program broke, otherwise "".
        frames: how many ran.
    """

    screen: NDArray[np.uint8]
    fault: str
    frames: int

    def __str__(self) -> str:
        return to_text(self.screen) + (f"\n{self.fault}" if self.fault else "")


def conformance(
    rom: str | Path | bytes,
    quirks: str | Quirks = "schip",
    frames: int = 1200,
    preset: int | None = None,
    ips: int = 700,
) -> Conformance:
    """Run a ROM and keep its last screen.

    Args:
        rom: path or bytes of your copy.
        quirks: the platform.
        frames: how many to run, 60 a second.
        preset: the byte at 0x1FF before the start, which the suite's quirks ROM takes as the platform; default by the
            profile.
        ips: instructions per second.

    Raises OSError where the file cannot be read, ValueError where it is no program.
    """
    program = rom if isinstance(rom, bytes) else load_rom(rom)
    platform = find_quirks(quirks)
    machines = new_machines(program, [0], hires=platform.super_chip)
    machines["memory"][0, PRESET] = PLATFORM.get(str(quirks), 0) if preset is None else preset
    native.run_frames(machines, frames, platform, ips // 60)
    fault = ""
    if machines["fault"][0] > Fault.EXITED:
        try:
            raise_fault(machines)
        except MachineFault as error:
            fault = str(error)
    return Conformance(pixels(machines)[0], fault, frames)
