"""Claims of an abstract as blocks of a card: TOML that the catalogue reads."""

import tomllib

import pytest

from assay.catalogue import _claim, _Reader
from assay.claims.card import claim_toml, told
from assay.claims.extract import extract

TEXT = (
    'We water trees. It is up to 2x faster than "rain" on TreeBench-2. It is on par with \\emph{snow} in accuracy. '
    "It outperforms hail. It reduces loss from 5.8% to 3.1%."
)


def blocks(text):
    return tomllib.loads(claim_toml(text, extract(text))).get("claim", [])


def test_what_is_filled_in():
    found = blocks(TEXT)
    assert [claim["kind"] for claim in found] == ["more", "keeps", "more", "more"]
    assert found[0]["reported"] == [{"value": 2.0, "unit": "x", "bound": "up to", "at": "TreeBench-2"}]
    assert found[2]["reported"] == [{"words": "better"}]
    assert [one["value"] for one in found[3]["reported"]] == [5.8, 3.1]
    assert all("TODO" in claim["says"] for claim in found), "a card says claims in its author's own words"
    assert len({claim["id"] for claim in found}) == 4


def test_comments_hold_the_sentence_and_what_has_no_field():
    told_lines = claim_toml(TEXT, extract(TEXT)).splitlines()
    assert '# It is up to 2x faster than "rain" on TreeBench-2.' in told_lines
    assert "# measured: accuracy; against: \\emph{snow}" in told_lines


def test_the_catalogue_reads_it():
    for number, entry in enumerate(blocks(TEXT), start=1):
        assert _claim(_Reader("card.toml"), entry, number).kind in ("more", "keeps")


@pytest.mark.parametrize("odd", ['"""', "\\", "\x00\x1b[31m", "\u2028", "'''", "é 水"])
def test_odd_letters_stay_toml(odd):
    text = f"We water trees. They outperform {odd} by 5% on Odd{odd}Bench-2 data."
    assert len(blocks(text)) == len(extract(text)) > 0


def test_no_claims_no_blocks():
    assert claim_toml("", []) == ""


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It saves up to 35% of the water.", ["up to 35 % down"]),
        ("It gains 3 points over rain.", ["3 points up"]),
        ("It is 2-5x faster than rain.", ["2 to 5x up"]),
        ("It reduces loss from 5.8% to 3.1%.", ["from 5.8 to 3.1 % down"]),
    ],
)
def test_quantities_as_a_person_writes_them(sentence, expected):
    (claim,) = extract("We water trees. " + sentence)
    assert told(claim) == expected
