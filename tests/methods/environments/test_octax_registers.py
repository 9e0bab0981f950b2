"""Finding the score, the lives and the end of a program by watching it."""

import re

import pytest

from assay.methods.environments.octax import published
from assay.methods.environments.octax.assembly import assemble
from assay.methods.environments.octax.registers import find_score_register

PLAIN = """
; every 256 rounds: key 4 scores, key 6 costs a life; the end jumps to itself
    LD V6, 3
    LD V1, 4
    LD V2, 6
loop:
    ADD V9, 1
    SE V9, 0
    JP loop
    SKP V1
    JP .no
    ADD V5, 1
    LD V3, V5           ; a copy is shown
    LD I, digits
    LD B, V3
    LD V3, 77
.no:
    SKP V2
    JP loop
    ADD V6, 255
    SE V6, 0
    JP loop
over:
    JP over
digits:
    space 3
"""

IN_MEMORY = """
; the score is a byte of memory, V0 is used for everything; the end waits for a key, then all begins again
start:
    LD V0, 0
    LD I, score
    LD [I], V0
    LD VA, 0
loop:
    ADD V9, 1
    SE V9, 0
    JP loop
    ADD VA, 1
    SNE VA, 12
    JP over
    RND V0, 1
    SE V0, 1
    JP loop
    LD I, score
    LD V0, [I]
    ADD V0, 5
    LD [I], V0
    LD I, digits
    LD B, V0
    LD V2, [I]          ; digits drawn with Fx29 are no numbers of their own
    LD F, V0
    LD F, V1
    LD V0, VA
    JP loop
over:
    LD VB, K
    JP start
score:
    byte 0
digits:
    space 3
"""

DIGIT = """
; the score is one digit
loop:
    ADD V9, 1
    SE V9, 0
    JP loop
    RND V1, 7
    SE V1, 0
    JP loop
    SE V4, 9
    ADD V4, 1
    LD F, V4
    DRW V0, V0, 5
    JP loop
"""


def kinds(found, kind):
    return [candidate for candidate in found if candidate.kind == kind]


def test_score_lives_and_end():
    found = find_score_register(assemble(PLAIN).rom, keys=(4, 6))
    score = found[0]
    assert (score.expression, score.kind, score.lowest) == ("V5", "score", 0)
    assert score.shown == score.rises > 10
    assert score.falls == 0
    assert "shown as a number" in score.because
    assert "only rises" in score.because
    lives = kinds(found, "lives")
    assert [(c.expression, c.lowest, c.highest) for c in lives] == [("V6", 0, 3)]
    assert "only falls" in lives[0].because
    end = kinds(found, "done")[0]
    assert end.expression == "V6 == 0"
    assert "it jumps to itself for ever" in end.because
    assert "V9" not in [c.expression for c in found if c.points > 0]  # the clock


def test_score_in_memory_is_followed_back_to_its_byte():
    program = assemble(IN_MEMORY)
    found = find_score_register(program.rom)
    score = found[0]
    assert score.expression == f"mem[0x{program.labels['score']:03X}]"
    assert score.kind == "score"
    assert score.highest % 5 == 0
    assert "by 5" in score.because
    digits = [f"mem[0x{program.labels['digits'] + k:03X}]" for k in range(3)]
    assert not {c.expression for c in found} & set(digits)
    ends = kinds(found, "done")
    assert ends[0].expression == "V10 == 12"
    assert "waits for a key (Fx0A)" in ends[0].because


def test_a_single_digit_is_found():
    found = find_score_register(assemble(DIGIT).rom, steps=1500, runs=2)
    assert found[0].expression == "V4"
    assert "shown as a digit" in found[0].because
    assert 0 < found[0].highest <= 9


def test_programs_without_anything():
    assert find_score_register(bytes.fromhex("1200"), steps=20, runs=2) == []
    assert find_score_register(bytes.fromhex("5001"), steps=20, runs=2) == []  # unknown opcode
    shown = find_score_register(bytes.fromhex("6507A300F5331206"), steps=20, runs=1)  # a constant is shown
    assert [c.expression for c in shown] == ["V5"]
    assert "never changed" in shown[0].because
    assert (shown[0].lowest, shown[0].highest) == (7, 7)


def test_same_seed_same_guesses():
    rom = assemble(IN_MEMORY).rom
    one, two = (find_score_register(rom, steps=200, runs=1, seed=3) for _ in range(2))
    assert one == two
    assert find_score_register(rom, steps=200, runs=1, seed=4) != one


@pytest.mark.parametrize("profile", ["vip", "xochip", "octax"])
def test_other_platforms(profile):
    found = find_score_register(assemble(PLAIN).rom, quirks=profile, keys=(4, 6), runs=3)
    assert found[0].expression == "V5"


def test_readable():
    lines = [str(c) for c in find_score_register(assemble(PLAIN).rom, keys=(4, 6), runs=2)]
    assert re.match(
        r"score  V5 +shown as a number \d+ times \(Fx33\); only rises, \d+ times; by 1; values 0 to", lines[0]
    )
    assert not any("\n" in line for line in lines)


def test_files_and_games(tmp_path):
    source = tmp_path / "plain.asm"
    source.write_text(PLAIN)
    by_file = find_score_register(source, keys=(4, 6), steps=300, runs=2)
    assert by_file == find_score_register(assemble(PLAIN).rom, keys=(4, 6), steps=300, runs=2)
    assert by_file == find_score_register(str(source), keys=(4, 6), steps=300, runs=2)


@pytest.mark.parametrize(
    ("wrong", "line"),
    [
        ({"rom": b""}, "ROM: it is empty"),
        ({"rom": bytes(3585)}, "3585 bytes"),
        ({"quirks": "vic"}, "quirks: 'vic' is none of"),
        ({"keys": ()}, r"keys: \(\); give some of 0 to 15"),
        ({"keys": (4, 16)}, "keys: .*give some of 0 to 15"),
        ({"steps": 0}, "steps: 0; at least 1"),
        ({"runs": 0}, "runs: 0; at least 1"),
        ({"seed": -1}, "seed: -1; at least 0"),
    ],
)
def test_bad_arguments(wrong, line):
    with pytest.raises(ValueError, match=line) as error:
        find_score_register(**({"rom": b"\x12\x00"} | wrong))
    assert "\n" not in str(error.value)


@pytest.mark.skipif(not published.installed(), reason="octax is not installed")
def test_finds_the_scores_of_published_games():
    """A level of each of 22 games; true where a register of the published score is among the first three."""
    names = [n for n in published.published_games() if n[-1] not in "234567890" and n != "space_flight10"]
    assert len(names) == 22
    right = []
    for name in names:
        first = find_score_register(name, steps=600, runs=3, seed=1)[:3]
        truth = re.findall(r"V\d+", published.published(name).score)
        right += [name] if any(candidate.expression in truth for candidate in first) else []
    assert len(right) >= 12, right
