"""The assembler: every form of every instruction, the language, and its errors."""

import pickle
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.methods.environments.octax.assembly import FORMS, AssemblyError, assemble
from assay.methods.environments.octax.machine import LARGEST_ROM, check_rom

INSTRUCTIONS = {
    "CLS": 0x00E0,
    "RET": 0x00EE,
    "SCD 5": 0x00C5,
    "SCR": 0x00FB,
    "SCL": 0x00FC,
    "EXIT": 0x00FD,
    "LOW": 0x00FE,
    "HIGH": 0x00FF,
    "SYS 0x123": 0x0123,
    "JP 0x234": 0x1234,
    "JP V0, 0x345": 0xB345,
    "JP V3, 0x345": 0xB345,
    "CALL 0xFFF": 0x2FFF,
    "SE VA, 7": 0x3A07,
    "SE V1, V2": 0x5120,
    "SNE VB, 0xEE": 0x4BEE,
    "SNE V1, V2": 0x9120,
    "LD V4, 255": 0x64FF,
    "LD V4, -1": 0x64FF,
    "LD V4, -128": 0x6480,
    "LD V4, V5": 0x8450,
    "LD I, 0xABC": 0xAABC,
    "LD V6, DT": 0xF607,
    "LD V6, K": 0xF60A,
    "LD DT, V6": 0xF615,
    "LD ST, V6": 0xF618,
    "LD F, V6": 0xF629,
    "LD HF, V6": 0xF630,
    "LD B, V6": 0xF633,
    "LD [I], V6": 0xF655,
    "LD V6, [I]": 0xF665,
    "LD R, V6": 0xF675,
    "LD V6, R": 0xF685,
    "ADD V1, 2": 0x7102,
    "ADD V1, V2": 0x8124,
    "ADD I, V1": 0xF11E,
    "OR V1, V2": 0x8121,
    "AND V1, V2": 0x8122,
    "XOR V1, V2": 0x8123,
    "SUB V1, V2": 0x8125,
    "SUBN V1, V2": 0x8127,
    "SHR V1": 0x8116,
    "SHR V1, V2": 0x8126,
    "SHL V1": 0x811E,
    "SHL V1, V2": 0x812E,
    "RND VC, 0x3F": 0xCC3F,
    "DRW V1, VF, 15": 0xD1FF,
    "SKP V9": 0xE99E,
    "SKNP V9": 0xE9A1,
}


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_instruction(text):
    want = INSTRUCTIONS[text].to_bytes(2, "big")
    assert assemble(text).rom == want
    assert assemble("  " + text.lower() + " ; comment").rom == want
    assert assemble(text.replace(",", " ,\t")).rom == want


def test_every_form_is_in_the_table_above():
    def shape(text):
        name, *operands = text.replace(",", "").split()
        special = {"I", "[I]", "DT", "ST", "K", "F", "HF", "B", "R"}
        return name, *(o if o in special else "V" if o[0] == "V" else "number" for o in operands)

    assert {shape(str(form)) for form in FORMS} == {shape(text) for text in INSTRUCTIONS}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("20 - 5 - 3", 12),
        ("100 / 7", 14),
        ("100 // 7", 14),
        ("-7 / 2 + 10", 6),
        ("-7 % 4", 1),
        ("1 << 3 + 1", 16),
        ("0xF0 >> 4 & 0x3 | 8", 11),
        ("6 ^ 3 & 1", 7),
        ("~0xF0 & 0xFF", 0x0F),
        ("- - 3", 3),
        ("0b1010_0101", 0xA5),
        ("'A' + 1", 66),
        ("';'", 59),
        ("','", 44),
        ("'''", 39),
        ("'\"'", 34),
        ("007", 7),
    ],
)
def test_expression(expression, value):
    assert assemble(f"byte {expression}").rom == bytes([value])


def test_names_may_be_used_before_their_line():
    program = assemble(
        """
        LD x, SIZE
        LD I, data + SIZE - 1
        JP $ - 2
        x = hero_x
        SIZE = end - data
        hero_x = vA
        data: byte 1, 2
              word data, -2, 'a'
        end:
        """
    )
    assert program.rom.hex() == "6a08a20d1202" + "0102" + "0206fffe0061"
    assert program.labels == {"data": 0x206, "end": 0x20E}
    assert program.constants == {"SIZE": 8}
    assert program.registers == {"x": 10, "hero_x": 10}


def test_local_labels_belong_to_the_label_before_them():
    program = assemble(
        """
        one: .loop: JP .loop
        two:
            .n = V5
            ADD .n, 1
        .loop:
            JP .loop
            JP one.loop
        """
    )
    assert program.rom.hex() == "1200" + "7501" + "1204" + "1200"
    assert program.labels == {"one": 0x200, "one.loop": 0x200, "two": 0x202, "two.loop": 0x204}


def test_label_case_matters_and_names_may_be_those_of_instructions():
    program = assemble("exit: JP Exit\nExit: JP exit\ntext: JP text")
    assert program.rom.hex() == "120212001204"


def test_dollar_is_the_start_of_its_statement():
    assert assemble("byte 9\nbyte $ - 0x200, $ - 0x200\nHERE = $\nword HERE").rom.hex() == "090101" + "0203"


def test_data():
    program = assemble(
        """
        byte 1, -1, 255
        text "A;\\,B", 0
        sprite "..##..##", "#XxOo*@."
        sprite "#              ."
        space 2
        space 3, 0xAA
        align 16
        org 0x228
        word 0x1234
        """
    )
    want = "01ffff" + "413b5c2c4200" + "33fe" + "8000" + "0000" + "aaaaaa"
    want += "00" * (-len(want) // 2 % 16)
    assert program.rom.hex() == want + "00" * (0x28 - len(want) // 2) + "1234"


def test_lines_end_as_on_any_system():
    want = assemble("CLS\nRET\n").rom
    assert assemble("\ufeffCLS\r\nRET\r\n").rom == assemble("CLS\rRET").rom == want


def test_the_largest_program_fits():
    program = assemble(f"a: space {LARGEST_ROM - 2}\nJP a\nend:")
    check_rom(program.rom)
    assert len(program.rom) == LARGEST_ROM
    assert program.labels["end"] == 0x1000


def test_listing_has_a_line_for_each_line():
    source = "; title\nx = V1\n\nstart:\n    LD x, 5   ; five\n.go: byte 1,2,3,4,5,6,7,8,9\n"
    program = assemble(source)
    assert program.listing.split("\n") == [
        "                                    1  ; title",
        "200                                 2  x = V1",
        "                                    3",
        "200                                 4  start:",
        "200  61 05                          5      LD x, 5   ; five",
        "202  01 02 03 04 05 06 07 08 ..     6  .go: byte 1,2,3,4,5,6,7,8,9",
        "",
    ]
    assert b"".join(line.data for line in program.lines) == program.rom
    assert [line.number for line in program.lines] == [1, 2, 3, 4, 5, 6]


def test_label_at():
    program = assemble("a: c: CLS\n.d: RET")
    assert [program.label_at(at) for at in (0x1FF, 0x200, 0x201, 0x202)] == [None, "a", None, "c.d"]


MISTAKES = [
    ("  LDD V0, 1", "1:3: unknown instruction LDD; did you mean LD?"),
    ("sprit '.'", "1:1: unknown instruction sprit; did you mean sprite?"),
    ("loop", "1:1: unknown instruction loop; put a : after it if it is a label"),
    ("5 CLS", "1:1: a line cannot begin with 5; begin with an instruction, a label or a name"),
    ("LD I, V0", "1:1: there is no LD with I, a register; there is LD I, addr"),
    ("SKP 5", "1:1: there is no SKP with a number; there is SKP Vx"),
    ("OR V1, V2, V3", "1:1: there is no OR with a register, a register, a register; there is OR Vx, Vy"),
    ("ADD V1, I", "1:1: there is no ADD with a register, I; there is ADD Vx, byte | ADD Vx, Vy"),
    ("CLS V1", "1:1: there is no CLS with a register; there is CLS"),
    ("JP", "1:1: there is no JP with no operands; there is JP addr | JP Vx, addr"),
    ("SKP V0,", "1:8: an operand is missing before the end of the line; write it or take the comma out"),
    ("start: JP strat", "1:11: strat is not defined; did you mean start?"),
    ("JP qqq", "1:4: qqq is not defined; write qqq: or qqq = ..."),
    ("ADD I, spede\nspeed = V1", "1:8: spede is not defined; did you mean speed?"),
    ("LD V0, FF", "1:8: FF is not defined; write 0xFF if it is a number"),
    ("LD V16, 1", "1:4: there is no register V16; they are V0 to V9 and VA to VF"),
    ("LD V0, 1 + V16", "1:12: there is no register V16; they are V0 to V9 and VA to VF"),
    ("x = V3\nLD V0, x + 1", "2:8: x is a register; only numbers, constants and labels can stand here"),
    ("LD V0, V1 + 1", "1:8: V1 is a register; only numbers, constants and labels can stand here"),
    ("LD V0, 1 + K", "1:12: K cannot be part of an expression; it is an operand of its own"),
    ("a: CLS\na: CLS", "2:1: a is defined twice, first in line 1; rename one of them"),
    ("a = 1\n  a = 2\nCLS", "2:3: a is defined twice, first in line 1; rename one of them"),
    ("a:\n.b: CLS\n.b: CLS", "3:1: a.b is defined twice, first in line 2; rename one of them"),
    ("vf: CLS", "1:1: vf names a register or timer; choose another name"),
    ("dt = 4\nCLS", "1:1: dt names a register or timer; choose another name"),
    ("V16: CLS", "1:1: V16 names a register or timer; choose another name"),
    (".a: CLS", "1:1: .a stands before any label; write one above it"),
    ("a.b: CLS", "1:1: a.b: a dot may only come first; write .name below its label"),
    ("LD V0, 256", "1:8: 256 does not fit a byte; give -128 to 255"),
    ("byte 1, -129", "1:9: -129 does not fit a byte; give -128 to 255"),
    ("word 65536", "1:6: 65536 does not fit a word; give -32768 to 65535"),
    ("DRW V0, V1, 16", "1:13: 16 does not fit a nibble; give 0 to 15"),
    ("JP 0x1000", "1:4: 4096 does not fit an address; give 0 to 0xFFF"),
    ("JP V3, 0x234", "1:8: JP V3 reaches only 0x300 to 0x3FF; use the register that its first digit names, or V0 (0x234"
     " is given)"),
    ("space 3000\nspace 585", "2:1: the program has 3585 bytes; at most 3584 fit; this line is the first past 0xFFF"),
    ("org 0x1FF\nCLS", "1:5: org 511; give 0x200 to 0x1000"),
    ("CLS\norg 0x201", "2:5: org 0x201 goes back from 0x202; addresses only grow"),
    ("CLS\nalign 0", "2:7: align 0; give 1 to 4096"),
    ("CLS\nspace -1", "2:7: space -1; give 0 to 3584"),
    ("CLS\nspace 1, 2, 3", "2:1: space with 3 values; write space n or space n, fill"),
    ("CLS\norg", "2:1: org with 0 values; write org address"),
    ("space end\nend: CLS", "1:7: the label end comes after a line that needs its address; put it before that line"),
    ("byte", "1:1: byte needs something to put there; write it behind"),
    ("byte 1,,2", "1:8: a comma stands where a number or a name is missing; put one there"),
    ("LD V0, 1 / (2 - 2)", "1:10: division by zero; check the value on the right"),
    ("LD V0, 1 % 0", "1:10: division by zero; check the value on the right"),
    ("LD V0, 1 << 32", "1:10: a shift by 32 bits; shift by 0 to 31"),
    ("LD V0, 0xFFFFFFFF * 2", "1:19: the value has more than 32 bits; use smaller numbers"),
    ("LD V0, (1 + 2", "1:14: the end of the line stands where a ) is missing; close the parenthesis"),
    ("LD V0, 1 2", "1:10: 2 does not belong after the expression; put an operator or a comma before it"),
    ("LD V0, 12ab", "1:8: 12ab is not a number; write 10, 0x0A, 0b1010 or 'c'"),
    ('text "abc', '1:6: the string does not end; put a " after its last character'),
    ('text "a\xe9"', "1:8: '\\xe9' is not an ASCII character; end the string and give its number"),
    ('text "a" "b"', '1:10: "b" does not belong after a string; put a comma before it'),
    ('byte "A"', "1:6: a string is no number; write a character as 'A', or use text \"...\""),
    ("byte 'AB'", "1:6: no character is written like this; write one between two quotes, as 'A'"),
    ('sprite "..##..#"', "1:8: a row of 7 pixels; give 8 or 16"),
    ('sprite "..##..#+"', "1:16: '+' is no pixel; write . for dark and # for lit ones"),
    ("sprite 5", '1:8: 5 is no row; write rows of pixels as "..##..#."'),
    ("LD V0, #FF", "1:8: a # stands outside a string; comments start with ; and hexadecimal numbers with 0x"),
    ("CLS !", "1:5: '!' has no meaning here; take it out"),
    ("a = 1, 2\nCLS", "1:6: a constant has one value; take out the comma and what follows"),
    ("a =\nCLS", "1:4: the end of the line stands where a number or a name is missing; put one there"),
    ("a = a\nCLS", "1:5: a is defined by itself, or through more than 40 names; simplify it"),
    ("", "1:1: the program is empty; write an instruction"),
    ("x = 1 ; nothing", "1:1: the program is empty; write an instruction"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "message"), MISTAKES, ids=[source[:20] for source, _ in MISTAKES])
def test_mistake(source, message):
    with pytest.raises(AssemblyError) as error:
        assemble(source, "game.asm")
    assert str(error.value) == "game.asm:" + message


def test_all_mistakes_are_told_once_in_order():
    source = 'LDD V0\nSIZE = 1 / 0\nLD V0, SIZE\nLD V1, SIZE\nbyte 300, 2, nothing\ntext "x\nJP end\nend: JP gone'
    with pytest.raises(AssemblyError) as error:
        assemble(source)
    assert [(p.line, p.column) for p in error.value.problems] == [(1, 1), (2, 10), (5, 6), (5, 14), (6, 6), (8, 9)]
    assert len(str(error.value).splitlines()) == 6
    assert isinstance(error.value, ValueError)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_source_must_be_text():
    with pytest.raises(ValueError, match="source: a str is needed, not bytes"):
        assemble(b"CLS")


def test_deep_and_long_sources_are_errors_or_programs():
    assert assemble("byte " + "-" * 9999 + "1").rom == b"\xff"
    assert assemble("byte " + " | ".join(["1"] * 9999)).rom == b"\1"
    assert assemble("byte " + "(" * 40 + "1" + ")" * 40).rom == b"\1"
    assert assemble("a0 = 1\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(300)) + "byte a300").rom == b"\1"
    for source in ("byte " + "(" * 99999, "byte " + "9" * 9999, "space 3584\n" * 999):
        with pytest.raises(AssemblyError):
            assemble(source)


PARTS = [
    *("LD", "ADD", "DRW", "JP", "V0", "x", "x:", "x =", ".l", ".l:", "V16", "I", "[I]", "K", "=", "(", ")", "~", "<<"),
    *(
        "%",
        "/",
        "0",
        "3000",
        "0x",
        "'",
        '"',
        "'a'",
        '"#.#.#.#."',
        ",",
        ",",
        ";",
        "\n",
        "\n",
        "$",
        "space",
        "org",
        "align",
    ),
    *("byte", "word", "sprite", "text", "\x00", "\xe9", "\u2028", "#"),
]


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(), st.lists(st.sampled_from(PARTS)).map(" ".join), st.lists(st.sampled_from(PARTS)).map("".join))
)
def test_any_text_is_a_program_or_a_list_of_mistakes(source):
    rom, problems = b"", []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            rom = assemble(source).rom
        except AssemblyError as error:
            problems = error.problems
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    if not problems:
        check_rom(rom)
