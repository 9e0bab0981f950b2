import dataclasses
import shutil

import pytest

from assay.catalogue import read_card, studies
from assay.studies.protocol import bare_source, protocol


@pytest.fixture
def copy(coin, tmp_path):
    """A copy of the toy's folder that a test may edit, with the toy's own study object."""
    folder = tmp_path / "toys" / "coin"
    shutil.copytree(coin.folder, folder)
    return read_card(folder, "toys.coin"), studies(coin)[0]


def hashed(card, study, **changes):
    settings = dataclasses.replace(study.small, **changes)
    return protocol(card, study, settings, study.small.seeds)


def edit(card, old, new):
    file = card.folder / "study.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import os\n", "import os  # a comment\n\n\n"),
        ('"""One line, written in one go."""', '"""Other words."""'),
        ('"""Seconds an arm sleeps."""', '"""How long an arm sleeps, in seconds."""'),
    ],
)
def test_comments_formatting_and_docstrings_are_not_part_of_it(copy, old, new):
    card, study = copy
    before = hashed(card, study)
    edit(card, old, new)
    assert hashed(card, study) == before


def test_an_example_is_not_part_of_it(copy):
    card, study = copy
    before = hashed(card, study)
    (card.folder / "example.py").write_text("print('shown to users, used by no study')\n")
    assert hashed(card, study) == before


def test_code_settings_margins_and_kind_are_part_of_it(copy):
    card, study = copy
    before = hashed(card, study)
    assert hashed(card, study, seeds=10, play="elsewhere") == before
    assert hashed(card, study, pause=1.0) != before
    assert protocol(card, study, study.small, 8) != before
    claims = tuple(dataclasses.replace(c, kind="keeps") if c.id == "higher" else c for c in card.claims)
    assert hashed(dataclasses.replace(card, claims=claims), study) != before
    edit(card, "plain + shift", "plain + 2 * shift")
    assert hashed(card, study) != before


def test_a_margin_is_part_of_it(copy):
    card, study = copy
    before = hashed(card, study)

    class Other(type(study)):
        tests = (dataclasses.replace(study.tests[0], margin=0.2), *study.tests[1:])

    assert hashed(card, Other()) != before


def test_assembly_is_part_of_it(copy):
    card, study = copy
    before = hashed(card, study)
    (card.folder / "games").mkdir()
    (card.folder / "games" / "dot.asm").write_text("start: CLS\n")
    with_game = hashed(card, study)
    (card.folder / "games" / "dot.asm").write_text("start: CLS\n    RET\n")
    assert len({before, with_game, hashed(card, study)}) == 3


def test_what_the_family_shares_is_part_of_it(copy):
    card, study = copy
    before = hashed(card, study)
    (card.folder.parent / "shared_by_all.py").write_text("x = 1\n")
    assert hashed(card, study) != before


def test_bare_source_keeps_what_runs(tmp_path):
    file = tmp_path / "code.py"
    file.write_text(
        '"""Doc."""\n\ndef f(x):\n    """Doc."""\n\n\nclass A:\n    """Doc."""\n    y = "a used string"  # kept\n'
    )
    assert bare_source(file) == "def f(x):\n    pass\n\nclass A:\n    y = 'a used string'"
