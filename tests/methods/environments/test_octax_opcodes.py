"""The instruction table as vectors, on the reference and on the native machine: what goes in, what must come out."""

import numpy as np
import pytest

from assay.methods.environments.octax import native
from assay.methods.environments.octax.machine import (
    BIG_FONT_START,
    PROFILES,
    Fault,
    MachineFault,
    Quirks,
    check_rom,
    find_quirks,
    new_machines,
    raise_fault,
    stream,
)
from assay.methods.environments.octax.reference import ReferenceMachine
from assay.methods.environments.octax.screen import pixels


def by_reference(machines, quirks, frames, instructions):
    machine = ReferenceMachine(b"\0", quirks, hires=machines["display"].shape[1] == 64)
    machine.load(machines)
    for _ in range(frames):
        machine.frame(instructions)
        machine.tick()
    machines[:] = machine.save()


def by_native(machines, quirks, frames, instructions):
    native.run_frames(machines, frames, quirks, instructions)


@pytest.fixture(params=[by_reference, by_native], ids=["reference", "native"])
def run(request):
    """Loads a program, sets parts of the machine, runs it: `run("8014", V={0: 200}, I=0x300)` gives the machine."""

    def call(code, profile="schip", frames=1, instructions=None, V=None, hires=False, **parts):
        machines = new_machines(bytes.fromhex(code), [1], hires)
        for register, value in (V or {}).items():
            machines["V"][0, register] = value
        for name, value in parts.items():
            if name == "memory":
                for at, data in value.items():
                    machines["memory"][0, at : at + len(data)] = list(data)
            else:
                machines[name] = value
        steps = len(code.replace(" ", "")) // 4 if instructions is None else instructions
        request.param(machines, find_quirks(profile), frames, steps)
        return machines[0]

    return call


def lit(machine, hires=False):
    """Lit pixels as (x, y)."""
    ys, xs = np.nonzero(pixels(machine[None] if machine.shape == () else machine)[0])
    return set(zip(xs.tolist(), ys.tolist(), strict=True))


# (code, profile, registers before, {register: after})
ARITHMETIC = [
    ("6A7F", "schip", {}, {0xA: 0x7F}),
    ("70FF", "schip", {0: 3, 15: 9}, {0: 2, 15: 9}),
    ("8010", "schip", {1: 7, 15: 9}, {0: 7, 15: 9}),
    ("8010", "octax", {1: 7, 15: 9}, {0: 7, 15: 0}),
    ("8011", "schip", {0: 5, 1: 2, 15: 9}, {0: 7, 15: 9}),
    ("8011", "vip", {0: 5, 1: 2, 15: 9}, {0: 7, 15: 0}),
    ("8012", "vip", {0: 5, 1: 4, 15: 9}, {0: 4, 15: 0}),
    ("8013", "xochip", {0: 5, 1: 4, 15: 9}, {0: 1, 15: 9}),
    ("8014", "schip", {0: 200, 1: 100}, {0: 44, 15: 1}),
    ("8014", "schip", {0: 100, 1: 100, 15: 1}, {0: 200, 15: 0}),
    ("8F14", "schip", {15: 200, 1: 100}, {15: 1}),
    ("8015", "schip", {0: 5, 1: 7}, {0: 254, 15: 0}),
    ("8015", "schip", {0: 7, 1: 7}, {0: 0, 15: 1}),
    ("8F15", "schip", {15: 5, 1: 7}, {15: 0}),
    ("8016", "schip", {0: 5, 1: 64}, {0: 2, 15: 1}),
    ("8016", "vip", {0: 5, 1: 64}, {0: 32, 15: 0}),
    ("801E", "schip", {0: 0x81, 1: 1}, {0: 2, 15: 1}),
    ("801E", "vip", {0: 0x81, 1: 1}, {0: 2, 15: 0}),
    ("8017", "schip", {0: 5, 1: 7}, {0: 2, 15: 1}),
    ("8017", "schip", {0: 7, 1: 5}, {0: 254, 15: 0}),
    ("8018", "octax", {0: 5, 15: 9}, {0: 5, 15: 0}),
    ("F007", "schip", {}, {0: 77}),
]


@pytest.mark.parametrize(("code", "profile", "before", "after"), ARITHMETIC)
def test_arithmetic(run, code, profile, before, after):
    m = run(code, profile, V=before, delay=77)
    assert {k: int(m["V"][k]) for k in after} == after
    assert m["pc"] == 0x202


# (code, profile, registers, other parts, pc after)
JUMPS = [
    ("1ABC", "schip", {}, {}, 0xABC),
    ("2ABC", "schip", {}, {}, 0xABC),
    ("00EE", "schip", {}, {"sp": 1, "stack": [0x300] + [0] * 15}, 0x300),
    ("B234", "schip", {2: 5, 0: 9}, {}, 0x239),
    ("B234", "vip", {2: 5, 0: 9}, {}, 0x23D),
    ("B234", "octax", {2: 5, 0: 9}, {}, 0x039),
    ("3105", "schip", {1: 5}, {}, 0x204),
    ("3105", "schip", {1: 6}, {}, 0x202),
    ("4105", "schip", {1: 6}, {}, 0x204),
    ("4105", "schip", {1: 5}, {}, 0x202),
    ("5120", "schip", {1: 5, 2: 5}, {}, 0x204),
    ("5120", "schip", {1: 5, 2: 6}, {}, 0x202),
    ("9120", "schip", {1: 5, 2: 6}, {}, 0x204),
    ("9120", "schip", {1: 5, 2: 5}, {}, 0x202),
    ("E19E", "schip", {1: 0x17}, {"keys": 1 << 7}, 0x204),
    ("E19E", "schip", {1: 0x17}, {"keys": 1 << 6}, 0x202),
    ("E1A1", "schip", {1: 7}, {"keys": 1 << 6}, 0x204),
    ("E1A1", "schip", {1: 7}, {"keys": 1 << 7}, 0x202),
    ("E155", "octax", {1: 7}, {"keys": 1 << 7}, 0x204),
    ("0123", "schip", {}, {}, 0x202),
    ("00C3", "octax", {}, {}, 0x202),
]


@pytest.mark.parametrize(("code", "profile", "before", "parts", "pc"), JUMPS)
def test_jumps(run, code, profile, before, parts, pc):
    assert run(code, profile, V=before, **parts)["pc"] == pc


def test_a_call_returns_to_the_next_opcode(run):
    m = run("2204 0000 00EE", instructions=2)
    assert (m["pc"], m["sp"]) == (0x202, 0)


@pytest.mark.parametrize(
    ("code", "profile", "V", "index", "flag"),
    [
        ("A123", "schip", {}, 0x123, 9),
        ("F01E", "schip", {0: 255}, 0x10FE, 9),
        ("F01E", "octax", {0: 255}, 0x0FE, 1),
        ("F029", "schip", {0: 0xA}, 0x82, 9),
        ("F029", "schip", {0: 60}, 0x50 + 5 * 12, 9),
        ("F029", "octax", {0: 60}, 124, 9),
        ("F030", "schip", {0: 0x13}, BIG_FONT_START + 30, 9),
    ],
)
def test_the_index(run, code, profile, V, index, flag):
    m = run(code, profile, V={**V, 15: 9}, I=0xFFF)
    assert (m["I"], m["V"][15]) == (index, flag)


def test_decimal_digits(run):
    assert run("F033", V={0: 254}, I=0x300)["memory"][0x300:0x303].tolist() == [2, 5, 4]
    assert run("F033", V={0: 7}, I=0x300)["memory"][0x300:0x303].tolist() == [0, 0, 7]


@pytest.mark.parametrize(("profile", "index"), [("vip", 0x303), ("xochip", 0x303), ("schip", 0x300), ("octax", 0x300)])
def test_registers_to_memory_and_back(run, profile, index):
    m = run("F255", profile, V={0: 1, 1: 2, 2: 3, 3: 4}, I=0x300)
    assert (m["memory"][0x300:0x304].tolist(), m["I"]) == ([1, 2, 3, 0], index)
    m = run("F265", profile, I=0x300, memory={0x300: (9, 8, 7, 6)}, V={3: 1})
    assert (m["V"][:4].tolist(), m["I"]) == ([9, 8, 7, 1], index)


def test_flags_of_the_calculator(run):
    m = run("F275 6000 6100 6200 F185", V={0: 1, 1: 2, 2: 3})
    assert m["V"][:3].tolist() == [1, 2, 0]


# --- screens -----------------------------------------------------------------------------------------------------

THREE = {0x300: (0xFF, 0xFF, 0xFF)}


def test_sprites_end_at_the_edge_or_wrap_round(run):
    assert lit(run("D013", V={0: 62, 1: 31}, I=0x300, memory=THREE)) == {(62, 31), (63, 31)}
    wrapped = lit(run("D013", "xochip", V={0: 62, 1: 31}, I=0x300, memory=THREE))
    assert wrapped == {(x % 64, y % 32) for x in range(62, 70) for y in range(31, 34)}
    assert (2, 1) in lit(run("D013", V={0: 66, 1: 33}, I=0x300, memory=THREE))
    assert min(lit(run("D013", V={0: 66, 1: 33}, I=0x300, memory=THREE))) == (2, 1)


def test_drawing_twice_restores_the_screen_and_says_so(run):
    m = run("D015 D015", V={0: 3, 1: 4}, I=0x50)
    assert (lit(m), m["V"][15]) == (set(), 1)
    assert run("D015", V={0: 3, 1: 4, 15: 1}, I=0x50)["V"][15] == 0


def test_the_position_is_read_before_the_flag_is_written(run):
    assert min(lit(run("DF11", V={15: 8, 1: 2}, I=0x300, memory=THREE))) == (8, 2)


def test_a_drawing_ends_the_frame_of_a_vip(run):
    assert run("D001 6105 6206", "vip", I=0x300)["V"][1] == 0
    assert run("D001 6105 6206", "vip", frames=2, I=0x300)["V"][1] == 5
    assert run("D001 6105 6206", "schip", I=0x300)["V"][1] == 5


def test_large_sprites_and_high_resolution(run):
    square = {0x300: bytes([0xFF] * 32)}
    assert len(lit(run("D010", V={0: 3, 1: 3}, I=0x300, memory=square))) == 256
    assert lit(run("D010", "vip", V={0: 3, 1: 3}, I=0x300, memory=square)) == set()
    m = run("00FF D010", V={0: 120, 1: 60}, I=0x300, memory=square, hires=True)
    assert lit(m) == {(x, y) for x in range(120, 128) for y in range(60, 64)}
    m = run("00FF D010", "xochip", V={0: 120, 1: 60}, I=0x300, memory=square, hires=True)
    assert lit(m) == {(x % 128, y % 64) for x in range(120, 136) for y in range(60, 76)}
    m = run("00FF D011 00FE", V={0: 3, 1: 4}, I=0x300, memory=square, hires=True)
    assert (lit(m), m["hires"]) == (set(), 0)


def test_low_resolution_is_shown_doubled_where_there_is_high(run):
    m = run("D011", V={0: 3, 1: 4}, I=0x300, memory={0x300: (0x80,)}, hires=True)
    assert lit(m) == {(6, 8), (7, 8), (6, 9), (7, 9)}


@pytest.mark.parametrize("hires", [False, True])
def test_scrolls(run, hires):
    start = {"V": {0: 30, 1: 10}, "I": 0x300, "memory": {0x300: (0x80,)}, "hires": hires}
    mode = "00FF " if hires else ""
    assert lit(run(f"{mode}D011 00C3", **start)) == {(30, 13)}
    assert lit(run(f"{mode}D011 00FB", **start)) == {(34, 10)}
    assert lit(run(f"{mode}D011 00FC", **start)) == {(26, 10)}
    for off in ("00CF 00CF 00CF 00CF 00CF", "00FC " * 9, "00FB " * 25):
        assert lit(run(f"{mode}D011 {off}", **start)) == set()


def test_scrolls_cross_words(run):
    start = {"V": {0: 62, 1: 10}, "I": 0x300, "memory": {0x300: (0xC0,)}, "hires": True}
    assert lit(run("00FF D011 00FB", **start)) == {(66, 10), (67, 10)}
    assert lit(run("00FF D011 00FB 00FC", **start)) == {(62, 10), (63, 10)}


def test_clearing(run):
    assert lit(run("D015 00E0", I=0x50)) == set()


# --- time and keys -----------------------------------------------------------------------------------------------


def test_timers_go_down_once_a_frame_and_stay_at_nought(run):
    seen = [int(run("1200", frames=frames, delay=3, sound=2)["delay"]) for frames in (1, 2, 3, 4)]
    assert seen == [2, 1, 0, 0]
    assert run("1200", frames=4, sound=2)["sound"] == 0
    m = run("F015 F118", frames=1, V={0: 9, 1: 5})
    assert (m["delay"], m["sound"]) == (8, 4)


def test_a_key_is_waited_for_until_it_is_released(run):
    held = run("F50A 6101", keys=1 << 7 | 1 << 9, instructions=5)
    assert (held["pc"], held["waiting"]) == (0x200, 8)
    let_go = run("F50A 6101", waiting=8, keys=1 << 9, instructions=2)
    assert (let_go["V"][5], let_go["V"][1], let_go["waiting"], let_go["pc"]) == (7, 1, 0, 0x204)
    assert run("F50A 6101", instructions=5)["pc"] == 0x200
    assert run("F50A 6101", "octax", keys=1 << 9 | 1 << 7)["V"][5] == 7


def test_random_bytes_are_those_of_xorshift32(run):
    m = run("C0FF C10F", rng=1)
    first = 1 ^ 1 << 13
    first ^= first >> 17
    first = (first ^ first << 5) & 0xFFFFFFFF
    assert first == 270369
    second = (first ^ first << 13) & 0xFFFFFFFF
    second ^= second >> 17
    second = (second ^ second << 5) & 0xFFFFFFFF
    assert (m["rng"], m["V"][0], m["V"][1]) == (second, first >> 24, second >> 24 & 0x0F)


def test_programs_may_change_themselves(run):
    m = run("A206 6011 F055 1200", instructions=4, memory={0x206: (0x00, 0xE0)})
    assert m["memory"][0x206] == 0x11


# --- faults ------------------------------------------------------------------------------------------------------

FAULTS = [
    ("8018", "schip", {}, Fault.UNKNOWN_OPCODE, "unknown opcode 8018"),
    ("5121", "schip", {}, Fault.UNKNOWN_OPCODE, "unknown opcode 5121"),
    ("9121", "vip", {}, Fault.UNKNOWN_OPCODE, "unknown opcode 9121"),
    ("E155", "vip", {}, Fault.UNKNOWN_OPCODE, "unknown opcode E155"),
    ("F1FF", "vip", {}, Fault.UNKNOWN_OPCODE, "unknown opcode F1FF"),
    ("00C1", "vip", {}, Fault.SUPER_CHIP, '00C1 is a SUPER-CHIP instruction; use quirks="schip"'),
    ("00FF", "vip", {}, Fault.SUPER_CHIP, "00FF is a SUPER-CHIP instruction"),
    ("F130", "vip", {}, Fault.SUPER_CHIP, "F130 is a SUPER-CHIP instruction"),
    ("F175", "vip", {}, Fault.SUPER_CHIP, "F175 is a SUPER-CHIP instruction"),
    ("F185", "vip", {}, Fault.SUPER_CHIP, "F185 is a SUPER-CHIP instruction"),
    ("00D1", "xochip", {}, Fault.XO_CHIP, "00D1 is an XO-CHIP instruction"),
    ("5122", "xochip", {}, Fault.XO_CHIP, "5122 is an XO-CHIP instruction"),
    ("F000", "xochip", {}, Fault.XO_CHIP, "F000 is an XO-CHIP instruction"),
    ("F002", "schip", {}, Fault.XO_CHIP, "F002 is an XO-CHIP instruction"),
    ("00FF", "schip", {}, Fault.RESOLUTION, "make the environment with hires=True"),
    ("00EE", "schip", {}, Fault.STACK_UNDERFLOW, "nothing was called"),
    ("2300", "schip", {"sp": 16}, Fault.STACK_OVERFLOW, "2300 calls deeper than 16 subroutines"),
    ("F055", "schip", {"I": 0x1000}, Fault.ADDRESS, "F055 reads or writes past the end of memory"),
    ("F165", "schip", {"I": 0xFFF}, Fault.ADDRESS, "F165 reads or writes"),
    ("F033", "schip", {"I": 0xFFE}, Fault.ADDRESS, "F033 reads or writes"),
    ("D002", "schip", {"I": 0xFFF}, Fault.ADDRESS, "D002 reads or writes"),
    ("D000", "schip", {"I": 0xFE1}, Fault.ADDRESS, "D000 reads or writes"),
]


@pytest.mark.parametrize(("code", "profile", "parts", "fault", "says"), FAULTS)
def test_faults_halt_and_leave_everything_as_it_was(run, code, profile, parts, fault, says):
    before = run(code, profile, instructions=0, V={0: 3, 1: 4}, **parts)
    after = run(f"{code} 6005", profile, frames=3, V={0: 3, 1: 4}, delay=0, **parts)
    assert (after["fault"], after["fault_pc"], after["fault_opcode"]) == (fault, 0x200, int(code, 16))
    for name in ("V", "I", "pc", "sp", "stack", "display", "hires", "rng"):
        assert np.array_equal(before[name], after[name]), name
    with pytest.raises(MachineFault, match=r"environment 0, pc 0x200: ") as caught:
        raise_fault(after[None] if after.shape == () else after)
    assert says in str(caught.value)
    assert (caught.value.fault, caught.value.environment, caught.value.pc) == (fault, 0, 0x200)


def test_sixteen_calls_fit_and_the_last_bytes_of_memory_can_be_used(run):
    m = run("2200", instructions=17)
    assert (m["sp"], m["fault"], m["pc"]) == (16, Fault.STACK_OVERFLOW, 0x200)
    assert run("F055", I=0xFFF, V={0: 7})["memory"][0xFFF] == 7
    assert run("F055", I=0xFFF)["fault"] == Fault.NONE
    assert run("D001", I=0xFFF)["fault"] == Fault.NONE


@pytest.mark.parametrize("code", ["1FFF", "BFFF"])
def test_the_program_counter_may_not_leave_the_memory(run, code):
    m = run(code, instructions=2, V={15: 255})
    assert m["fault"] == Fault.PROGRAM_COUNTER
    assert m["fault_pc"] == m["pc"] >= 0xFFF


def test_exit_is_no_error(run):
    m = run("00FD 6005")
    assert (m["fault"], m["V"][0]) == (Fault.EXITED, 0)
    raise_fault(m[None] if m.shape == () else m)


def test_the_published_machine_never_faults(run):
    for code in ("00EE", "5121", "F1FF", "00FF", "F055", "D00F", "1FFF"):
        assert run(code, "octax", instructions=3, I=0xFFFF)["fault"] == 0
    m = run("2200", "octax", instructions=20)
    assert m["sp"] == 20


# --- what machines are made of -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "says"), [(0, "it is empty"), (3585, "3585 bytes; a program has at most 3584")])
def test_roms_that_do_not_fit(size, says):
    with pytest.raises(ValueError, match=says):
        new_machines(bytes(size), [0])
    check_rom(bytes(3584))


def test_streams_differ_and_are_never_nought():
    states = [stream(seed, purpose) for seed in range(5000) for purpose in (0, 1)]
    assert len(set(states)) == len(states)
    assert min(states) > 0
    assert max(states) < 2**32
    assert stream(0) == stream(0, 0)


def test_quirks_by_name():
    assert find_quirks("vip") is PROFILES["vip"]
    own = Quirks(shift=True)
    assert find_quirks(own) is own
    with pytest.raises(ValueError, match="'chip9' is none of vip, schip, xochip, octax"):
        find_quirks("chip9")
    assert len({q.bits for q in PROFILES.values()}) == 4
