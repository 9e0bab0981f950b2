"""Every instruction as literal vectors, on the reference and on the native machine; all that is not named must stay.

A vector names the quirk it depends on: "shift" runs with that quirk alone and with every other one too, "-shift" with
none and with all others. So a quirk decides what it should, and nothing else does. "any" holds on every platform and on
the published package, "real" on every platform, "octax" on the package alone.
"""

from dataclasses import fields, replace

import numpy as np
import pytest
from lockstep import differences

from assay.methods.environments.octax import native
from assay.methods.environments.octax.machine import (
    PROFILES,
    Fault,
    MachineFault,
    Quirks,
    find_quirks,
    new_machines,
    raise_fault,
    stream,
)
from assay.methods.environments.octax.reference import ReferenceMachine

NONE = Quirks()
ALL = Quirks(**{field.name: field.name != "octax" for field in fields(Quirks)})


def platforms(word):
    """The quirks that a vector's word stands for."""
    if word in ("any", "real"):
        return [NONE, ALL, *([PROFILES["octax"]] if word == "any" else [])]
    if word == "octax":
        return [PROFILES["octax"]]
    on, name = not word.startswith("-"), word.lstrip("-")
    return [replace(NONE, **{name: on}), replace(ALL, **{name: on})]


def by_reference(machines, quirks, frames, instructions, timers):
    machine = ReferenceMachine(b"\0", quirks, hires=machines["display"].shape[1] == 64)
    machine.load(machines)
    for _ in range(frames):
        machine.frame(instructions)
        if timers == "correct":
            machine.tick()
    machines[:] = machine.save()


def by_native(machines, quirks, frames, instructions, timers):
    native.run_frames(machines, frames, quirks, instructions, timers)


@pytest.fixture(params=[by_reference, by_native], ids=["reference", "native"])
def run(request):
    return request.param


def put(machines, parts):
    """Set parts of a machine: "V0" to "VF", memory by address, the screen by its lit pixels, fields by their names."""
    for name, value in parts.items():
        if isinstance(name, int):
            machines["memory"][0, name : name + len(value)] = list(value)
        elif name == "lit":
            machines["display"] = 0
            for x, y in value:
                machines["display"][0, y, x // 64] |= np.uint64(1 << (63 - x % 64))
        elif name[0] == "V":
            machines["V"][0, int(name[1], 16)] = value
        elif name == "stack":
            machines["stack"][0, : len(value)] = value
        else:
            machines[name] = value
    return machines


def loaded(code, parts):
    """A machine with a program at 0x200 and nothing at 0, so that what must stay can be seen to stay."""
    machines = new_machines(bytes.fromhex(code), [1], "hires" in parts)
    machines["V"] = np.arange(16, 32)
    machines["flags"] = np.arange(100, 116)
    base = {"VF": 9, "I": 0x300, "delay": 77, "sound": 55, "rng": 1, "sp": 1, "stack": [0x400], "lit": {(1, 2)}}
    return put(machines, {**base, **parts})


def block(left, top, width, height):
    return {(x, y) for x in range(left, left + width) for y in range(top, top + height)}


FF3 = {0x300: b"\xff" * 3}
FF32 = {0x300: b"\xff" * 32}
LOW, HIGH = {"hires": 0}, {"hires": 1}
EMPTY = {"lit": set()}

# (instruction, platforms, before, what is different after; pc is 0x202 where not given)
VECTORS = [
    # registers and arithmetic
    ("6A7F", "any", {}, {"VA": 0x7F}),
    ("6FFF", "any", {}, {"VF": 0xFF}),
    ("7A01", "any", {"VA": 0xFE}, {"VA": 0xFF}),
    ("7AFF", "any", {"VA": 3}, {"VA": 2}),
    ("7F02", "any", {"VF": 0xFF}, {"VF": 1}),
    ("8AB0", "real", {"VB": 7}, {"VA": 7}),
    ("8AB0", "octax", {"VB": 7}, {"VA": 7, "VF": 0}),
    ("8FB0", "real", {"VB": 7}, {"VF": 7}),
    ("8FB0", "octax", {"VB": 7}, {"VF": 0}),
    *[
        (code, word, {"VA": 0b1100, "VB": 0b1010}, {"VA": result, **flag})
        for code, result in (("8AB1", 0b1110), ("8AB2", 0b1000), ("8AB3", 0b0110))
        for word, flag in (("-vf_reset", {}), ("vf_reset", {"VF": 0}), ("octax", {"VF": 0}))
    ],
    ("8FB1", "-vf_reset", {"VF": 0b1100, "VB": 0b1010}, {"VF": 0b1110}),
    ("8FB1", "vf_reset", {"VF": 0b1100, "VB": 0b1010}, {"VF": 0}),
    ("8AB4", "any", {"VA": 200, "VB": 100}, {"VA": 44, "VF": 1}),
    ("8AB4", "any", {"VA": 155, "VB": 100}, {"VA": 255, "VF": 0}),
    ("8AB4", "any", {"VA": 156, "VB": 100}, {"VA": 0, "VF": 1}),
    ("8FB4", "any", {"VF": 200, "VB": 100}, {"VF": 1}),
    ("8FB4", "any", {"VF": 100, "VB": 100}, {"VF": 0}),
    ("8AF4", "any", {"VA": 1, "VF": 255}, {"VA": 0, "VF": 1}),
    ("8AB5", "any", {"VA": 5, "VB": 7}, {"VA": 254, "VF": 0}),
    ("8AB5", "any", {"VA": 7, "VB": 7}, {"VA": 0, "VF": 1}),
    ("8AB5", "any", {"VA": 7, "VB": 5}, {"VA": 2, "VF": 1}),
    ("8FB5", "any", {"VF": 5, "VB": 7}, {"VF": 0}),
    ("8FB5", "any", {"VF": 200, "VB": 7}, {"VF": 1}),
    ("8AB7", "any", {"VA": 5, "VB": 7}, {"VA": 2, "VF": 1}),
    ("8AB7", "any", {"VA": 7, "VB": 7}, {"VA": 0, "VF": 1}),
    ("8AB7", "any", {"VA": 7, "VB": 5}, {"VA": 254, "VF": 0}),
    ("8FB7", "any", {"VF": 7, "VB": 5}, {"VF": 0}),
    ("8AB6", "shift", {"VA": 5, "VB": 64}, {"VA": 2, "VF": 1}),
    ("8AB6", "-shift", {"VA": 5, "VB": 64}, {"VA": 32, "VF": 0}),
    ("8AB6", "octax", {"VA": 5, "VB": 64}, {"VA": 2, "VF": 1}),
    ("8FB6", "shift", {"VF": 2, "VB": 1}, {"VF": 0}),
    ("8FB6", "-shift", {"VF": 2, "VB": 1}, {"VF": 1}),
    ("8ABE", "shift", {"VA": 0x81, "VB": 0x41}, {"VA": 2, "VF": 1}),
    ("8ABE", "-shift", {"VA": 0x81, "VB": 0x41}, {"VA": 0x82, "VF": 0}),
    ("8ABE", "octax", {"VA": 0x81, "VB": 0x41}, {"VA": 2, "VF": 1}),
    ("8FBE", "shift", {"VF": 0x41, "VB": 0x81}, {"VF": 0}),
    ("8FBE", "-shift", {"VF": 0x41, "VB": 0x81}, {"VF": 1}),
    *[(f"8AB{n}", "octax", {}, {"VF": 0}) for n in "89ABCDF"],
    # jumps, calls, skips
    ("1ABC", "any", {}, {"pc": 0xABC}),
    ("1200", "any", {}, {"pc": 0x200}),
    ("2ABC", "any", {}, {"pc": 0xABC, "sp": 2, "stack": [0x400, 0x202]}),
    ("2ABC", "real", {"sp": 15}, {"pc": 0xABC, "sp": 16, "stack": [0x400, *[0] * 14, 0x202]}),
    ("2ABC", "octax", {"sp": 16}, {"pc": 0xABC, "sp": 17}),
    ("2ABC", "octax", {"sp": -1}, {"pc": 0xABC, "sp": 0, "stack": [0x400, *[0] * 14, 0x202]}),
    *[("2ABC", "octax", {"sp": sp}, {"pc": 0xABC, "sp": sp + 1}) for sp in (18, 25, -17)],  # 16 and 17 lie on sp
    ("00EE", "octax", {"sp": 20, "stack": [0x400, *[0] * 14, 0x456]}, {"pc": 0x456, "sp": 19}),
    ("00EE", "octax", {"sp": -17}, {"pc": 0x400, "sp": -18}),
    ("00EE", "real", {}, {"pc": 0x400, "sp": 0}),
    ("00EE", "octax", {}, {"pc": 0x400, "sp": 0, "stack": [0]}),
    ("00EE", "octax", {"sp": 0, "stack": [*[0] * 15, 0x456]}, {"pc": 0x456, "sp": -1, "stack": [0] * 16}),
    ("B234", "jump", {"V0": 9, "V2": 5}, {"pc": 0x239}),
    ("B234", "-jump", {"V0": 9, "V2": 5}, {"pc": 0x23D}),
    ("B234", "octax", {"V0": 9, "V2": 5}, {"pc": 0x039}),
    ("3A12", "any", {"VA": 0x12}, {"pc": 0x204}),
    ("3A12", "any", {"VA": 0x13}, {}),
    ("4A12", "any", {"VA": 0x12}, {}),
    ("4A12", "any", {"VA": 0x13}, {"pc": 0x204}),
    ("5AB0", "any", {"VA": 1, "VB": 1}, {"pc": 0x204}),
    ("5AB0", "any", {"VA": 1, "VB": 2}, {}),
    ("9AB0", "any", {"VA": 1, "VB": 1}, {}),
    ("9AB0", "any", {"VA": 1, "VB": 2}, {"pc": 0x204}),
    ("5AB2", "octax", {"VA": 1, "VB": 1}, {"pc": 0x204}),
    ("9AB2", "octax", {"VA": 1, "VB": 2}, {"pc": 0x204}),
    *[(code, "any", {}, {}) for code in ("0000", "0123", "00E1", "01EE", "0FFF")],
    *[(code, "octax", {}, {}) for code in ("00C3", "00D1", "00FB", "00FC", "00FD", "00FE", "00FF", "FA30", "FA75")],
    # keys
    ("EA9E", "any", {"VA": 0x17, "keys": 1 << 7}, {"pc": 0x204}),
    ("EA9E", "any", {"VA": 0x17, "keys": 0xFFFF ^ 1 << 7}, {}),
    ("EAA1", "any", {"VA": 0x17, "keys": 1 << 7}, {}),
    ("EAA1", "any", {"VA": 0x17, "keys": 0xFFFF ^ 1 << 7}, {"pc": 0x204}),
    ("EA9E", "any", {"VA": 15, "keys": 1 << 15}, {"pc": 0x204}),
    ("EA00", "octax", {"VA": 7, "keys": 1 << 7}, {"pc": 0x204}),
    ("FA0A", "real", {}, {"pc": 0x200}),
    ("FA0A", "real", {"keys": 1 << 9 | 1 << 7}, {"pc": 0x200, "waiting": 8}),
    ("FA0A", "real", {"keys": 1}, {"pc": 0x200, "waiting": 1}),
    ("FA0A", "real", {"keys": 1 << 7 | 1, "waiting": 8}, {"pc": 0x200}),
    ("FA0A", "real", {"keys": 1 << 9, "waiting": 8}, {"VA": 7, "waiting": 0}),
    ("FA0A", "real", {"waiting": 16}, {"VA": 15, "waiting": 0}),
    ("FA0A", "octax", {}, {"pc": 0x200}),
    ("FA0A", "octax", {"keys": 1 << 9 | 1 << 7}, {"VA": 7}),
    # timers
    ("FA07", "any", {}, {"VA": 77}),
    ("FA15", "any", {"VA": 5}, {"delay": 5}),
    ("FA18", "any", {"VA": 5}, {"sound": 5}),
    # the index and memory
    ("A123", "any", {}, {"I": 0x123}),
    ("FA1E", "any", {"VA": 5, "VF": 0}, {"I": 0x305}),
    ("FA1E", "real", {"VA": 5}, {"I": 0x305}),
    ("FA1E", "octax", {"VA": 5}, {"I": 0x305, "VF": 0}),
    ("FA1E", "real", {"VA": 255, "I": 0xFFF}, {"I": 0x10FE}),
    ("FA1E", "octax", {"VA": 255, "I": 0xFFF}, {"I": 0x0FE, "VF": 1}),
    ("FA29", "any", {"VA": 0xA}, {"I": 0x82}),
    ("FA29", "real", {"VA": 60}, {"I": 0x8C}),
    ("FA29", "octax", {"VA": 60}, {"I": 124}),
    ("FA30", "super_chip", {"VA": 0x13}, {"I": 0xBE}),
    ("FA33", "any", {"VA": 254}, {0x300: [2, 5, 4]}),
    ("FA33", "any", {"VA": 7, 0x300: [9, 9, 9]}, {0x300: [0, 0, 7]}),
    ("FA33", "real", {"VA": 198, "I": 0xFFD}, {0xFFD: [1, 9, 8]}),
    ("FA33", "octax", {"VA": 198, "I": 0xFFE}, {0xFFE: [1, 9]}),
    ("F255", "-memory", {}, {0x300: [16, 17, 18]}),
    ("F255", "memory", {}, {0x300: [16, 17, 18], "I": 0x303}),
    ("F255", "octax", {}, {0x300: [16, 17, 18]}),
    ("FF55", "-memory", {"I": 0xFF0}, {0xFF0: [*range(16, 31), 9]}),
    ("FF55", "memory", {"I": 0xFF0}, {0xFF0: [*range(16, 31), 9], "I": 0x1000}),
    ("F255", "octax", {"I": 0xFFE}, {0xFFE: [16, 17]}),
    ("F055", "octax", {"I": 0xFFFF}, {}),
    ("F265", "-memory", {0x300: [7, 8, 6, 5]}, {"V0": 7, "V1": 8, "V2": 6}),
    ("F265", "memory", {0x300: [7, 8, 6, 5]}, {"V0": 7, "V1": 8, "V2": 6, "I": 0x303}),
    ("F265", "octax", {"I": 0xFFE, 0xFFE: [7, 8]}, {"V0": 7, "V1": 8, "V2": 8}),
    ("FF65", "-memory", {0x300: range(50, 66)}, {f"V{k:X}": 50 + k for k in range(16)}),
    ("F275", "super_chip", {}, {"flags": [16, 17, 18, *range(103, 116)]}),
    ("F285", "super_chip", {}, {"V0": 100, "V1": 101, "V2": 102}),
    ("FF85", "super_chip", {}, {f"V{k:X}": 100 + k for k in range(16)}),
    # random numbers: xorshift32 from 1 gives 270369, 67634689; from 2463534242 it gives 723471715
    ("CAFF", "any", {"rng": 270369}, {"VA": 4, "rng": 67634689}),
    ("CAFF", "any", {"rng": 2463534242}, {"VA": 43, "rng": 723471715}),
    ("CA0E", "any", {"rng": 2463534242}, {"VA": 10, "rng": 723471715}),
    # drawing
    ("00E0", "any", {}, EMPTY),
    ("DAB3", "clip", {"VA": 62, "VB": 31, **FF3, **EMPTY}, {"VF": 0, "lit": {(62, 31), (63, 31)}}),
    ("DAB3", "octax", {"VA": 62, "VB": 31, **FF3, **EMPTY}, {"VF": 0, "lit": {(62, 31), (63, 31)}}),
    (
        "DAB3",
        "-clip",
        {"VA": 62, "VB": 31, **FF3, **EMPTY},
        {"VF": 0, "lit": {(x, y) for x in (62, 63, 0, 1, 2, 3, 4, 5) for y in (31, 0, 1)}},
    ),
    ("DAB3", "any", {"VA": 66, "VB": 33, **FF3, **EMPTY}, {"VF": 0, "lit": block(2, 1, 8, 3)}),
    ("DAB1", "any", {"VA": 56, "VB": 0, **FF3, **EMPTY}, {"VF": 0, "lit": block(56, 0, 8, 1)}),
    ("DAB1", "any", {"VA": 5, "VB": 9, 0x300: [0xA5], **EMPTY}, {"VF": 0, "lit": {(5, 9), (7, 9), (10, 9), (12, 9)}}),
    ("DAB2", "any", {"VA": 1, "VB": 2, 0x300: [0x80, 0x80]}, {"VF": 1, "lit": {(1, 3)}}),
    ("DAB1", "any", {"VA": 2, "VB": 2, 0x300: [0x80]}, {"VF": 0, "lit": {(1, 2), (2, 2)}}),
    ("DAB1", "clip", {"VA": 60, "VB": 2, **FF3, "lit": {(0, 2)}}, {"VF": 0, "lit": {(0, 2)} | block(60, 2, 4, 1)}),
    (
        "DAB1",
        "-clip",
        {"VA": 60, "VB": 2, **FF3, "lit": {(0, 2)}},
        {"VF": 1, "lit": block(1, 2, 3, 1) | block(60, 2, 4, 1)},
    ),
    ("DFB1", "any", {"VF": 8, "VB": 2, 0x300: [0x80], **EMPTY}, {"VF": 0, "lit": {(8, 2)}}),
    ("DAF1", "any", {"VA": 3, "VF": 8, 0x300: [0x80], **EMPTY}, {"VF": 0, "lit": {(3, 8)}}),
    ("DABF", "any", {"VA": 0, "VB": 3, **FF32, **EMPTY}, {"VF": 0, "lit": block(0, 3, 8, 15)}),
    ("DAB0", "-super_chip", {"VA": 3, "VB": 3, **FF32}, {"VF": 0}),
    ("DAB0", "octax", {"VA": 3, "VB": 3, **FF32}, {"VF": 0}),
    ("DAB0", "super_chip", {"VA": 3, "VB": 5, **FF32, **EMPTY}, {"VF": 0, "lit": block(3, 5, 16, 16)}),
    (
        "DAB0",
        "super_chip",
        {"VA": 40, "VB": 0, 0x300: [0x80, 0x01, *[0] * 28, 0x01, 0x80], **EMPTY},
        {"VF": 0, "lit": {(40, 0), (55, 0), (47, 15), (48, 15)}},
    ),
    ("DAB1", "real", {"I": 0xFFF, "VA": 8, "VB": 2, 0xFFF: [0x80]}, {"VF": 0, "lit": {(1, 2), (8, 2)}}),
    ("DAB2", "octax", {"I": 0xFFF, "VA": 8, "VB": 2, 0xFFF: [0x80]}, {"VF": 0, "lit": {(1, 2), (8, 2), (8, 3)}}),
    # high resolution
    ("00FF", "super_chip", LOW, {"hires": 1, **EMPTY}),
    ("00FF", "super_chip", HIGH, EMPTY),
    ("00FE", "super_chip", HIGH, {"hires": 0, **EMPTY}),
    ("00FE", "super_chip", {}, EMPTY),
    ("00E0", "super_chip", {**HIGH, "lit": {(100, 50), (1, 2)}}, EMPTY),
    ("DAB1", "super_chip", {**HIGH, "VA": 61, "VB": 40, **FF3, **EMPTY}, {"VF": 0, "lit": block(61, 40, 8, 1)}),
    ("DAB1", "super_chip", {**HIGH, "VA": 129, "VB": 65, 0x300: [0x80], **EMPTY}, {"VF": 0, "lit": {(1, 1)}}),
    ("DAB1", "super_chip", {**LOW, "VA": 65, "VB": 33, 0x300: [0x80], **EMPTY}, {"VF": 0, "lit": {(1, 1)}}),
    ("DAB0", "super_chip", {**HIGH, "VA": 56, "VB": 40, **FF32, **EMPTY}, {"VF": 0, "lit": block(56, 40, 16, 16)}),
    # scrolls
    ("00C0", "super_chip", {}, {}),
    ("00C3", "super_chip", {}, {"lit": {(1, 5)}}),
    ("00C3", "super_chip", {"lit": {(4, 28), (4, 29)}}, {"lit": {(4, 31)}}),
    ("00FB", "super_chip", {"lit": {(59, 2), (60, 3)}}, {"lit": {(63, 2)}}),
    ("00FC", "super_chip", {"lit": {(3, 2), (4, 3)}}, {"lit": {(0, 3)}}),
    ("00C3", "super_chip", {**LOW, "lit": {(4, 28), (4, 29)}}, {"lit": {(4, 31)}}),
    ("00FB", "super_chip", {**LOW, "lit": {(59, 2), (60, 3)}}, {"lit": {(63, 2)}}),
    ("00FC", "super_chip", {**LOW, "lit": {(3, 2), (4, 3)}}, {"lit": {(0, 3)}}),
    ("00CF", "super_chip", {**HIGH, "lit": {(99, 20), (4, 48), (4, 49)}}, {"lit": {(99, 35), (4, 63)}}),
    ("00FB", "super_chip", {**HIGH, "lit": {(61, 2), (123, 3), (124, 4)}}, {"lit": {(65, 2), (127, 3)}}),
    ("00FC", "super_chip", {**HIGH, "lit": {(66, 2), (4, 3), (3, 4)}}, {"lit": {(62, 2), (0, 3)}}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "word", "before", "after"), VECTORS)
def test_an_instruction(run, code, word, before, after):
    for quirks in platforms(word):
        machines = loaded(code, before)
        expected = put(machines.copy(), {"pc": 0x202, **after})
        run(machines, quirks, 1, 1, "off")
        assert differences(expected, machines) == [], quirks


def test_the_vectors_hold_every_instruction():
    """No instruction is forgotten, and every quirk is tried on and off."""
    kinds = set()
    for code, *_ in VECTORS:
        first = code[0]
        kinds.add(first + code[2:] if first in "EF" else first + code[3] if first == "8" else first)
    assert {f"8{n}" for n in "01234567E"} | set("12345679ABCD") <= kinds
    assert {"E9E", "EA1", "F07", "F0A", "F15", "F18", "F1E", "F29", "F30", "F33", "F55", "F65", "F75", "F85"} <= kinds
    assert {"00E0", "00EE", "00C3", "00FB", "00FC", "00FE", "00FF"} <= {code for code, *_ in VECTORS}
    words = {word for _, word, *_ in VECTORS}
    assert {name for field in fields(Quirks) for name in (field.name, "-" + field.name)} - words == {
        "-octax",
        "display_wait",
        "-display_wait",  # about a frame, not an instruction: below
    }


@pytest.mark.parametrize("clip", [True, False])
def test_large_sprites_at_the_corner_of_a_high_screen(run, clip):
    quirks = Quirks(super_chip=True, clip=clip)
    machines = loaded("DAB0", {**HIGH, "VA": 120, "VB": 60, **FF32, **EMPTY})
    shown = {(x, y) for x in range(120, 128) for y in range(60, 64)}
    if not clip:
        shown = {(x, y) for x in (*range(120, 128), *range(8)) for y in (*range(60, 64), *range(12))}
    expected = put(machines.copy(), {"pc": 0x202, "VF": 0, "lit": shown})
    run(machines, quirks, 1, 1, "off")
    assert differences(expected, machines) == []


def picture(machines, columns, rows):
    """The upper left corner of the screen as lines of # and dots."""
    words = machines["display"][0, :rows, 0]
    return ["".join("#" if int(word) >> (63 - x) & 1 else "." for x in range(columns)) for word in words]


def test_digits(run):
    small = loaded("FA29 DBB5", {"VA": 0x2, "VB": 0, **EMPTY})
    run(small, NONE, 1, 2, "off")
    assert picture(small, 5, 6) == ["####.", "...#.", "####.", "#....", "####.", "....."]
    large = loaded("FA30 DBBA", {"VA": 0x1, "VB": 0, **EMPTY})
    run(large, PROFILES["schip"], 1, 2, "off")
    assert picture(large, 9, 11) == [
        *["....##..."] * 2, *["..####..."] * 2, *["....##..."] * 4, *["..######."] * 2, "."*9,
    ]  # fmt: skip


# --- frames ------------------------------------------------------------------------------------------------------


def test_a_timer_of_three_is_read_over_four_frames(run):
    """By Fx07 after so many frames: 2, 1, 0, and never 255."""
    for frames, value in ((1, 2), (2, 1), (3, 0), (4, 0), (9, 0)):
        machines = loaded("1200", {"delay": 3, "sound": 1})
        run(machines, NONE, frames, 11, "correct")
        assert (machines["delay"][0], machines["sound"][0]) == (value, 0)
        machines["memory"][0, 0x200:0x202] = 0xFA, 0x07
        run(machines, NONE, 1, 1, "off")
        assert machines["V"][0, 0xA] == value


@pytest.mark.parametrize(
    ("timers", "values"), [("correct", [0, 0, 0]), ("octax", [1, 0, 255]), ("off", [0, 0, 0])]
)  # fmt: skip
def test_timers_over_steps_of_four_frames(timers, values):
    machines = loaded("1200", {"delay": 2, "sound": 2})
    screens = np.zeros((1, 4, 32, 2), np.uint32)
    seen = []
    for _ in values:
        native.play(machines, np.zeros(1, np.uint16), np.zeros(1, bool), screens, NONE, 11, timers)
        seen.append((int(machines["delay"][0]), int(machines["sound"][0])))
    assert seen == [(value, value) for value in values]


def test_the_published_timers_of_the_reference_wrap_round():
    machine = ReferenceMachine(b"\x12\x00", PROFILES["octax"])
    machine.delay, machine.sound = 1, 0
    seen = []
    for _ in range(3):
        machine.tick_octax()
        seen.append((machine.delay, machine.sound))
    assert seen == [(0, 255), (255, 254), (254, 253)]


@pytest.mark.parametrize(("word", "done"), [("display_wait", [1, 1, 2]), ("-display_wait", [3, 3, 3])])
def test_one_drawing_a_frame(run, word, done):
    """DAB1 7001 DAB1 7001 DAB1 7001: how many additions were carried out, of three, after frames of six."""
    for quirks in platforms(word):
        found = []
        for frames in (2, 2, 3):
            machines = loaded("DAB1 7001 DAB1 7001 DAB1 7001 120C", {"V0": 0})
            run(machines, quirks, frames, 6, "off")
            found.append(int(machines["V"][0, 0]))
        assert found == done


def test_a_key_is_pressed_and_released(run):
    """Nothing, another key first, the lower one let go: the key is the one that was seen pressed."""
    machines = loaded("FA0A 6B01 1204", {})
    states = []
    for keys in (0, 1 << 9, 1 << 9 | 1 << 2, 1 << 2, 0):
        machines["keys"] = keys
        run(machines, PROFILES["vip"], 1, 11, "off")
        states.append((int(machines["pc"][0]), int(machines["waiting"][0]), int(machines["V"][0, 0xB])))
    assert states == [(0x200, 0, 27), (0x200, 10, 27), (0x200, 10, 27), (0x204, 0, 1), (0x204, 0, 1)]
    assert machines["V"][0, 0xA] == 9


def test_sixteen_calls_and_as_many_returns(run):
    """0x200 calls 0x300, which calls 0x304, ... sixteen deep; each returns; a seventeenth has no room."""
    chain = b"".join(bytes.fromhex(f"2{0x304 + 4 * k:03X}00EE") for k in range(15)) + bytes.fromhex("00EE")
    machines = loaded("2300 1202", {"sp": 0, "stack": [0], 0x300: chain})
    run(machines, NONE, 1, 16, "off")
    assert machines["sp"][0] == 16
    assert machines["stack"][0].tolist() == [0x202, *(0x302 + 4 * k for k in range(15))]
    run(machines, NONE, 1, 17, "off")
    assert (machines["sp"][0], machines["pc"][0], machines["fault"][0]) == (0, 0x202, 0)
    machines = loaded("2300 1202", {"sp": 0, "stack": [0], 0x300: chain[:-2] + b"\x23\x00"})
    run(machines, NONE, 1, 40, "off")
    assert [int(machines[f][0]) for f in ("fault", "fault_pc", "fault_opcode", "sp")] == [
        Fault.STACK_OVERFLOW, 0x33C, 0x2300, 16,
    ]  # fmt: skip


def test_a_program_writes_its_own_next_instruction(run):
    machines = loaded("606B 6107 A208 F155 6C01 1208", {})
    run(machines, NONE, 1, 5, "off")
    assert machines["V"][0, 0xB] == 7
    assert machines["V"][0, 0xC] == 28


def test_a_stream_of_random_bytes(run):
    """xorshift32 from 1: 270369, 67634689, 2647435461, 307599695, 2398689233; the highest bytes."""
    machines = loaded("C0FF C1FF C2FF C3FF C4FF", {"rng": 1})
    run(machines, NONE, 1, 5, "off")
    assert machines["V"][0, :5].tolist() == [0, 4, 157, 18, 142]
    assert machines["rng"][0] == 2398689233


def test_streams_are_those_of_splitmix64():
    """Its first outputs from the seed 0 are published: E220A8397B1DCDAF, 6E789E6AA1B965F4, 06C45D188009454F, ..."""
    found = [stream(0), stream(0, 1), stream(1), stream(1, 1)]
    assert found == [0xE220A839, 0x6E789E6A, 0x06C45D18, 0xF88BB8A8]
    assert len({stream(seed) for seed in range(8192)}) == 8192
    assert min(stream(seed) for seed in (0, 1, 2**31, 2**63, 2**64 - 1, 10**30)) > 0


# --- faults ------------------------------------------------------------------------------------------------------

SUPER = ["00C0", "00CF", "00FB", "00FC", "00FD", "00FE", "00FF", "FA30", "FA75", "FA85"]
XO = ["00D0", "00DF", "5AB2", "5AB3", "F000", "FA01", "FA02", "FA3A"]
UNKNOWN = [
    *(f"5AB{n}" for n in "1456789ABCDEF"), *(f"8AB{n}" for n in "89ABCDF"), "9AB1", "9ABF", "EA00", "EA9F", "EAA0",
    "F100", "FA03", "FA08", "FA17", "FA56", "FAFF",
]  # fmt: skip
PAST = [
    ("FA33", 0xFFE), ("FA33", 0xFFFF), ("F055", 0x1000), ("F155", 0xFFF), ("FF55", 0xFF1), ("F065", 0x1000),
    ("F165", 0xFFF), ("DAB1", 0x1000), ("DABF", 0xFF2), ("DABF", 0xFFFF),
]  # fmt: skip
FAULTS = [
    *((code, "-super_chip", {}, Fault.SUPER_CHIP) for code in SUPER),
    *((code, "real", {}, Fault.XO_CHIP) for code in XO),
    *((code, "real", {}, Fault.UNKNOWN_OPCODE) for code in UNKNOWN),
    *((code, "real", {"I": at}, Fault.ADDRESS) for code, at in PAST),
    ("DAB0", "super_chip", {"I": 0xFE1}, Fault.ADDRESS),
    ("00FF", "super_chip", {}, Fault.RESOLUTION),
    ("00FD", "super_chip", {}, Fault.EXITED),
    ("2300", "real", {"sp": 16}, Fault.STACK_OVERFLOW),
    ("00EE", "real", {"sp": 0}, Fault.STACK_UNDERFLOW),
]


@pytest.mark.parametrize(("code", "word", "parts", "fault"), FAULTS)
def test_a_machine_that_halts_keeps_its_state(run, code, word, parts, fault):
    for quirks in platforms(word):
        machines = loaded(f"{code} 6055", {**parts, "keys": 5})
        halted = {"fault": fault, "fault_pc": 0x200, "fault_opcode": int(code, 16)}
        expected = put(machines.copy(), halted)
        for frames in (1, 3):  # three more change nothing, not even timers
            run(machines, quirks, frames, 11, "correct")
            assert differences(expected, machines) == [], quirks


@pytest.mark.parametrize(
    ("code", "at", "leaves"),
    [("1FFF", 0x200, 0xFFF), ("BFFE", 0x200, 0x1000), ("6A01", 0xFFE, 0x1000), ("3A00", 0xFFC, 0x1000)],
)
def test_a_program_counter_outside_memory(run, code, at, leaves):
    machines = loaded("0000", {"pc": at, at: bytes.fromhex(code), "V0": 2, "VF": 2, "VA": 0})
    run(machines, NONE, 1, 1, "off")
    assert (machines["pc"][0], machines["fault"][0]) == (leaves, 0)
    expected = put(machines.copy(), {"fault": Fault.PROGRAM_COUNTER, "fault_pc": leaves, "fault_opcode": 0})
    run(machines, NONE, 2, 5, "correct")
    assert differences(expected, machines) == []


def test_the_last_instruction_of_memory_is_carried_out(run):
    machines = loaded("0000", {"pc": 0xFFE, 0xFFE: b"\x12\x34"})
    run(machines, NONE, 1, 1, "off")
    assert (machines["pc"][0], machines["fault"][0]) == (0x234, 0)


MESSAGES = [
    ("8128", "vip", {}, "unknown opcode 8128"),
    ("FA75", "vip", {}, 'FA75 is a SUPER-CHIP instruction; use quirks="schip"'),
    ("F002", "xochip", {}, "F002 is an XO-CHIP instruction, which no profile has"),
    ("2300", "vip", {"sp": 16}, "2300 calls deeper than 16 subroutines"),
    ("00EE", "vip", {"sp": 0}, "00EE returns, but nothing was called"),
    ("DAB5", "schip", {"I": 0xFFC}, "DAB5 reads or writes past the end of memory"),
    ("00FF", "schip", {}, "00FF switches to high resolution; make the environment with hires=True"),
]


@pytest.mark.parametrize(("code", "profile", "parts", "says"), MESSAGES)
def test_errors_say_where_and_what(run, code, profile, parts, says):
    broken = loaded(f"6001 {code}", parts)
    run(broken, find_quirks(profile), 1, 11, "off")
    sound = loaded("1200", {})
    with pytest.raises(MachineFault) as caught:
        raise_fault(np.concatenate([sound, sound, broken, sound]))
    error = caught.value
    assert str(error) == f"environment 2, pc 0x202: {says}"
    assert (error.environment, error.pc, error.opcode) == (2, 0x202, int(code, 16))
    assert error.fault == broken["fault"][0]
    with pytest.raises(MachineFault) as caught:
        raise_fault(np.concatenate([broken, sound, broken, broken]))
    assert str(caught.value) == f"environment 0, pc 0x202: {says} (and 2 more environments)"


def test_leaving_the_memory_is_said_and_ending_is_no_error(run):
    machines = loaded("1FFF", {})
    run(machines, NONE, 1, 2, "off")
    with pytest.raises(MachineFault, match=r"^environment 0, pc 0xFFF: the program counter left the memory$"):
        raise_fault(machines)
    machines = loaded("00FD", {})
    run(machines, PROFILES["schip"], 1, 2, "off")
    assert machines["fault"][0] == Fault.EXITED
    raise_fault(machines)


# --- programs ----------------------------------------------------------------------------------------------------


def test_sizes_of_programs():
    largest = bytes(range(256)) * 14
    assert bytes(new_machines(largest, [0])["memory"][0, 0x200:]) == largest
    with pytest.raises(ValueError, match=r"^ROM: it is empty$"):
        new_machines(b"", [0])
    with pytest.raises(ValueError, match=r"^ROM: 3585 bytes; a program has at most 3584, from 0x200 to 0xFFF$"):
        new_machines(largest + b"\0", [0])


def test_platforms_are_what_is_said_of_them():
    on = {name: {f.name for f in fields(Quirks) if getattr(quirks, f.name)} for name, quirks in PROFILES.items()}
    assert on == {
        "vip": {"vf_reset", "memory", "display_wait", "clip"},
        "schip": {"clip", "shift", "jump", "super_chip"},
        "xochip": {"memory", "super_chip"},
        "octax": {"vf_reset", "clip", "shift", "jump", "octax"},
    }
