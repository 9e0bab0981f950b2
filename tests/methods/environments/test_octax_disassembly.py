"""The disassembler and the tracer: every opcode both ways, any ROM back to its bytes, known traces."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.methods.environments.octax.assembly import assemble
from assay.methods.environments.octax.disassembly import disassemble, mnemonic, trace
from assay.methods.environments.octax.game import own_games
from assay.methods.environments.octax.machine import PROFILES, Fault
from assay.methods.environments.octax.reference import ReferenceMachine


@pytest.mark.parametrize("super_chip", [True, False])
def test_every_opcode_both_ways(super_chip):
    known = {opcode: mnemonic(opcode, super_chip) for opcode in range(0x10000)}
    known = {opcode: text for opcode, text in known.items() if text != f"unknown {opcode:04X}"}
    opcodes = list(known)
    for i in range(0, len(opcodes), 1792):
        part = opcodes[i : i + 1792]
        rom = assemble("\n".join(known[opcode] for opcode in part)).rom
        assert rom == b"".join(opcode.to_bytes(2, "big") for opcode in part)


@pytest.mark.parametrize("profile", ["schip", "vip"])
def test_unknown_is_what_the_reference_machine_halts_on(profile):
    quirks = PROFILES[profile]
    machine = ReferenceMachine(b"\0\0", quirks, hires=True)
    missing = (Fault.UNKNOWN_OPCODE, Fault.SUPER_CHIP, Fault.XO_CHIP)
    for opcode in range(0x10000):
        if opcode >> 12 == 0xD:  # all are drawings, slow ones
            assert mnemonic(opcode).startswith("DRW")
            continue
        machine.pc, machine.sp, machine.I, machine.fault, machine.waiting = 0x200, 1, 0x300, 0, 0
        machine.memory[0x200:0x202] = divmod(opcode, 256)
        machine.instruction()
        unknown = mnemonic(opcode, quirks.super_chip) == f"unknown {opcode:04X}"
        assert unknown == (machine.fault in missing), f"{opcode:04X}"


@pytest.mark.parametrize(
    ("opcode", "text", "without"),
    [
        (0x00E0, "CLS", "CLS"),
        (0x0123, "SYS 0x123", "SYS 0x123"),
        (0x00C4, "SCD 4", "unknown 00C4"),
        (0x00D4, "unknown 00D4", "unknown 00D4"),
        (0x00FF, "HIGH", "unknown 00FF"),
        (0x6A0F, "LD VA, 0x0F", "LD VA, 0x0F"),
        (0x8336, "SHR V3", "SHR V3"),
        (0x8346, "SHR V3, V4", "SHR V3, V4"),
        (0x833E, "SHL V3", "SHL V3"),
        (0xB345, "JP V3, 0x345", "JP V0, 0x345"),
        (0xD12F, "DRW V1, V2, 15", "DRW V1, V2, 15"),
        (0xF255, "LD [I], V2", "LD [I], V2"),
        (0xF275, "LD R, V2", "unknown F275"),
        (0x5121, "unknown 5121", "unknown 5121"),
    ],
)
def test_mnemonic(opcode, text, without):
    assert mnemonic(opcode) == text
    assert mnemonic(opcode, super_chip=False) == without


@pytest.mark.parametrize("opcode", [-1, 0x10000])
def test_mnemonic_of_no_opcode(opcode):
    with pytest.raises(ValueError, match="an instruction has 16 bits"):
        mnemonic(opcode)


# --- disassembling ---


def test_code_is_told_from_data():
    rom = assemble(
        """
        start: LD I, ball
               CALL draw
               SE V0, 1
               JP start
               JP done
        ball:  sprite "..####..", "########"
        table: byte 1, 2, 3
        draw:  DRW V0, V1, 2
               LD I, table
               LD V2, [I]
               RET
        done:  JP done
        """
    ).rom
    text = disassemble(rom)
    code = [line.split(";")[0].strip() for line in text.splitlines() if line.strip()]
    assert code == [
        "L_200:",
        "LD I, data_20A",
        "CALL L_20F",
        "SE V0, 0x01",
        "JP L_200",
        "JP L_217",
        "data_20A:",
        "byte 0x3C, 0xFF",
        "data_20C:",
        "byte 0x01, 0x02, 0x03",
        "L_20F:",
        "DRW V0, V1, 2",
        "LD I, data_20C",
        "LD V2, [I]",
        "RET",
        "L_217:",
        "JP L_217",
    ]
    assert assemble(text).rom == rom


def test_what_is_drawn_is_shown_as_pictures():
    rom = assemble("LD I, a\nDRW V0, V0, 2\nLD I, c\nDRW V0, V0, 0\ne: JP e\na: byte 0x81, 0x18\nc: word 0x8001").rom
    text = disassemble(rom)
    assert 'sprite "#......#"' in text
    assert 'sprite "...##..."' in text
    assert 'sprite "#..............#"' in text
    assert 'sprite "#......."' in disassemble(rom, super_chip=False)
    assert assemble(text).rom == assemble(disassemble(rom, super_chip=False)).rom == rom


def test_jump_tables_long_zeros_and_jumps_into_instructions():
    rom = assemble("JP V0, t\nt: JP c\nJP a\na: JP $ + 3\nc: LD V0, 0x60\nRET\nspace 40\nbyte 7").rom
    text = disassemble(rom)
    assert text.startswith("; addresses inside an instruction\nL_209 = 0x209\n")
    assert "JP V2, L_202" in text
    assert "    JP L_208 " in text
    assert "JP L_209" in text
    assert "space 40" in text
    assert "byte 0x07" in text
    assert assemble(text).rom == rom


def test_start_is_where_the_code_begins():
    rom = bytes.fromhex("FFFF00E01202")
    assert "word 0xFFFF                   ; 200  unknown FFFF" in disassemble(rom)
    assert "CLS" not in disassemble(rom)
    assert "CLS" in disassemble(rom, start=0x202)


@pytest.mark.parametrize(("rom", "start", "message"), [
    (b"", 0x200, "ROM: it is empty"),
    (bytes(3585), 0x200, "ROM: 3585 bytes"),
    (b"\0\0", 0x1FF, "start: 0x1FF is outside the program, which lies at 0x200 to 0x201"),
    (b"\0\0", 0x202, "start: 0x202 is outside"),
])  # fmt: skip
def test_what_cannot_be_disassembled(rom, start, message):
    with pytest.raises(ValueError, match=message):
        disassemble(rom, start)


LIKELY = st.sampled_from(
    [
        *(
            0x00E0,
            0x00EE,
            0x00FD,
            0x1200,
            0x1201,
            0x12F0,
            0x2204,
            0x3001,
            0x5120,
            0x5121,
            0x8006,
            0x8116,
            0xA203,
            0xA208,
        ),
        *(0xB202, 0xB300, 0xD120, 0xD123, 0xF00A, 0xF055, 0xF000),
    ]
)
WORDS = st.lists(st.one_of(LIKELY, st.integers(0, 0xFFFF)), min_size=1, max_size=60)
ROMS = st.one_of(
    st.binary(min_size=1, max_size=200),
    WORDS.map(lambda words: b"".join(word.to_bytes(2, "big") for word in words)),
    st.tuples(WORDS, st.binary(min_size=1, max_size=41), st.integers(0, 60)).map(
        lambda parts: b"".join(word.to_bytes(2, "big") for word in parts[0]) + bytes(parts[2]) + parts[1]
    ),
)


@settings(max_examples=500, deadline=None)
@given(ROMS, st.booleans(), st.integers(0, 300))
@example(bytes(range(256)) * 14, True, 0)
@example(bytes(3584), True, 0)
@example(b"\x12\x00" * 1792, False, 3583)
@example(b"\xb2\x00" * 1791 + b"\xa2", True, 1)
def test_any_rom_assembles_back_to_its_bytes(rom, super_chip, start):
    assert assemble(disassemble(rom, 0x200 + start % len(rom), super_chip)).rom == rom


@pytest.mark.parametrize("name", own_games())
def test_our_games_come_back_and_are_all_known(name):
    rom = own_games()[name].rom
    text = disassemble(rom)
    assert assemble(text).rom == rom
    assert "unknown" not in text
    assert "sprite" in text


# --- tracing ---


def test_trace_of_a_program_with_known_values():
    program = assemble(
        """
        start: LD V0, 254
               LD V1, 3
               ADD V0, V1
               LD I, place
               LD B, V1
               CALL draw
               LD DT, V1
        end:   JP end
        draw:  DRW V0, V1, 1
               RET
        place: byte 0xC0, 7, 9
        """
    )
    rows = list(trace(program.rom, 11, labels=program.labels))
    assert [row.pc for row in rows] == [0x200, 0x202, 0x204, 0x206, 0x208, 0x20A, 0x210, 0x212, 0x20C, 0x20E, 0x20E]
    assert [row.number for row in rows] == list(range(1, 12))
    assert rows[0].changes == {"V0": (0, 254)}
    assert rows[2].changes == {"V0": (254, 1), "VF": (0, 1)}
    assert rows[3].changes == {"I": (0, 0x214)}
    assert rows[3].mnemonic == "LD I, place"
    assert rows[4].memory == {0x214: (0xC0, 0), 0x215: (7, 0), 0x216: (9, 3)}
    assert not rows[4].changes
    assert rows[5].changes == {"SP": (0, 1)}
    assert rows[7].changes == {"SP": (1, 0)}
    assert rows[6].pixels == 0
    assert rows[6].changes == {"VF": (1, 0)}
    assert rows[8].changes == {"DT": (0, 3)}
    assert not rows[10].changes
    assert [row.label for row in rows[:2]] == ["start", "start+2"]
    assert rows[6].label == "draw"
    assert str(rows[2]) == "    3 start+4        204 8014  ADD V0, V1             V0=01 VF=01"
    assert str(rows[4]) == "    5 start+8        208 F133  LD B, V1               [214]=00 [215]=00 [216]=03"


def test_trace_counts_pixels_and_flags():
    rom = assemble('LD I, s\nDRW V0, V0, 2\nHIGH\nLD V1, 9\nLD R, V1\ns: sprite "#.#.....", "#......."').rom
    rows = list(trace(rom, 5))
    assert rows[1].pixels == rows[2].pixels == 3
    assert str(rows[1]) == "    2 202 D002  DRW V0, V0, 2          3 pixels"
    assert rows[4].changes == {"R1": (0, 9)}


def test_trace_ends_with_a_line_for_a_fault():
    *_, last = trace(bytes.fromhex("6001 5121"))
    assert (last.number, last.pc, last.fault) == (2, 0x202, Fault.UNKNOWN_OPCODE)
    assert str(last) == "    2 202 5121  unknown 5121           halts: unknown opcode"
    *_, last = trace(bytes.fromhex("00FF"), quirks="vip")
    assert last.fault == Fault.SUPER_CHIP
    assert last.mnemonic == "unknown 00FF"
    *_, last = trace(assemble("EXIT").rom)
    assert str(last).endswith("EXIT                   halts: exited")
    *_, last = trace(assemble("JP 0xFFF").rom)
    assert str(last) == "    2 FFF 0000                         halts: program counter"


def test_trace_holds_keys():
    rom = assemble("wait: SKP V0\nJP wait\nLD V1, 1\nend: JP end").rom
    pressed = [row.number for row in trace(rom, 20, keys={7: {0}, 8: ()}) if row.changes]
    assert pressed == [8]
    assert [row.number for row in trace(rom, 20, keys=lambda number: [0] if number == 11 else []) if row.changes] == [
        12
    ]
    assert not [row for row in trace(rom, 20, keys={2: {0}, 3: {}}) if row.changes]
    assert not [row for row in trace(rom, 20) if row.changes]


def test_trace_runs_the_timers():
    rom = assemble("LD V0, 2\nLD DT, V0\nloop: LD V1, DT\nJP loop").rom
    read = [(row.number, row.changes["V1"][1]) for row in trace(rom, 40) if "V1" in row.changes]
    assert read == [(3, 2), (13, 1), (23, 0)]
    slow = [(row.number, row.changes["V1"][1]) for row in trace(rom, 40, per_frame=100) if "V1" in row.changes]
    assert slow == [(3, 2)]


def test_trace_of_random_numbers_depends_on_the_seed():
    rom = assemble("RND V0, 255\nRND V1, 255\nRND V2, 255\nRND V3, 255").rom
    one, again, other = ([row.changes for row in trace(rom, 4, seed=seed)] for seed in (1, 1, 2))
    assert one == again != other


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=2, max_size=60), st.sampled_from(sorted(PROFILES)))
def test_trace_agrees_with_the_machine_and_fits_80_columns(rom, profile):
    machine = ReferenceMachine(rom, PROFILES[profile], hires=PROFILES[profile].super_chip)
    state = {f"V{i:X}": 0 for i in range(16)}
    for row in trace(rom, 30, profile, labels={"a_rather_long_label": 0x204, "b": 0x200}, per_frame=99):
        assert row.pc == machine.pc
        assert len(str(row)) <= 80
        assert str(row).isprintable()
        machine.instruction()
        state |= {name: new for name, (_, new) in row.changes.items() if name in state}
        assert list(state.values()) == machine.V
        assert row.fault == machine.fault


@pytest.mark.parametrize(("arguments", "message"), [
    ({"rom": b""}, "ROM: it is empty"),
    ({"quirks": "atari"}, "quirks: 'atari' is none of"),
    ({"instructions": -1}, "instructions: -1 is negative"),
    ({"per_frame": 0}, "per_frame: 0 is less than 1"),
    ({"keys": {1: {16}}}, "keys: 16 is no key; they are 0 to 15"),
])  # fmt: skip
def test_trace_refuses_at_once(arguments, message):
    with pytest.raises(ValueError, match=message):
        trace(**{"rom": b"\0\0", **arguments})


def test_trace_refuses_a_key_of_a_function():
    with pytest.raises(ValueError, match="keys: 'a' is no key"):
        list(trace(b"\0\0", keys=lambda number: "a"))
