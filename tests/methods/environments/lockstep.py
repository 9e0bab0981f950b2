"""Random programs and states, and machines side by side: what the tests of every backend share."""

import numpy as np

from assay.methods.environments.octax.machine import MEMORY, machine_dtype, stream
from assay.methods.environments.octax.reference import ReferenceMachine

LIKELY = [
    0x00E0, 0x00EE, 0x00C3, 0x00FB, 0x00FC, 0x00FE, 0x00FF, 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000,
    0x8000, 0x8001, 0x8002, 0x8003, 0x8004, 0x8005, 0x8006, 0x8007, 0x800E, 0x9000, 0xA000, 0xB000, 0xC000, 0xD000,
    0xD000, 0xE09E, 0xE0A1, 0xF007, 0xF00A, 0xF015, 0xF018, 0xF01E, 0xF029, 0xF030, 0xF033, 0xF055, 0xF065, 0xF075,
    0xF085,
]  # fmt: skip
"""Every instruction there is, by the parts that are fixed."""
FREE = {0x0: 0, 0x1: 0xFFE, 0x2: 0xFFE, 0x5: 0xFF0, 0x8: 0xFF0, 0x9: 0xFF0, 0xE: 0xF00, 0xF: 0xF00}
"""Bits of an instruction that vary, by its first digit; elsewhere all twelve."""


def random_machines(count, rng, hires=False, wild=0.02):
    """Machines in random states, their memory full of instructions; `wild` of these are any 16 bits."""
    machines = np.zeros(count, machine_dtype(hires))
    shape = (count, MEMORY // 2)
    opcodes = np.asarray(LIKELY)[rng.integers(0, len(LIKELY), shape)]
    free = np.array([FREE.get(digit, 0xFFF) for digit in range(16)])[opcodes >> 12]
    opcodes = opcodes | (rng.integers(0, 0x10000, shape) & free)
    opcodes = np.where(rng.random(shape) < wild, rng.integers(0, 0x10000, shape), opcodes).astype(">u2")
    machines["memory"] = opcodes.view(np.uint8).reshape(count, MEMORY)
    for name in ("V", "flags", "delay", "sound"):
        machines[name] = rng.integers(0, 256, machines[name].shape)
    machines["display"] = rng.integers(0, 2**64, machines["display"].shape, dtype=np.uint64)
    machines["I"] = rng.integers(0, 0x1010, count)
    machines["pc"] = rng.integers(0, MEMORY // 2, count) * 2
    machines["sp"] = rng.integers(0, 17, count)
    machines["stack"] = rng.integers(0, MEMORY // 2, (count, 16)) * 2
    machines["keys"] = rng.integers(0, 2**16, count) & rng.integers(0, 2**16, count) & rng.integers(0, 2**16, count)
    if hires:
        machines["hires"] = rng.integers(0, 2, count)
        low = machines["hires"] == 0
        machines["display"][low, 32:] = 0
        machines["display"][low, :, 1] = 0
    machines["rng"] = [stream(int(seed)) for seed in rng.integers(0, 2**40, count)]
    return machines


def reference_run(machines, quirks, frames, instructions, timers="correct"):
    """The machines after so many frames, by the reference; the keys stay held."""
    out = machines.copy()
    hires = machines["display"].shape[1] == 64
    for i in range(len(machines)):
        machine = ReferenceMachine(b"\0", quirks, hires=hires)
        machine.load(machines[i : i + 1])
        for _ in range(frames):
            machine.frame(instructions)
            if timers == "correct":
                machine.tick()
        out[i] = machine.save()[0]
    return out


def differences(one, other):
    """Fields in which arrays of machines differ, with the first machine and both values."""
    found = []
    for name in one.dtype.names:
        differ = (one[name] != other[name]).reshape(len(one), -1).any(axis=1)
        if differ.any():
            i = int(np.flatnonzero(differ)[0])
            found.append((name, i, one[name][i].tolist(), other[name][i].tolist()))
    return found
