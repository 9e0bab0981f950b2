"""Claims out of abstracts: the forms a quantity takes, what is a claim and what is none, and the gold set."""

import gzip
import hashlib
import json
import os
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claims.card import claim_toml, told
from assay.claims.extract import extract
from assay.claims.quantities import quantities
from assay.claims.sentences import sentences

GOLD = Path(__file__).parent / "gold"


def only(sentence):
    found = [(one.value, one.unit, one.qualifier, one.direction) for one in quantities(sentence, 0, len(sentence))]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It improves accuracy by 3.5%.", ((3.5,), "%", "", "up")),
        ("It improves accuracy by 3.5\\%.", ((3.5,), "%", "", "up")),
        ("It cuts memory by up to $35\\%$.", ((35.0,), "%", "up to", "down")),
        ("It saves $\\sim$30% of the energy.", ((30.0,), "%", "about", "down")),
        ("It improves recall by 2.1 percentage points.", ((2.1,), "pp", "", "up")),
        ("It gains 3 points over them.", ((3.0,), "pp", "", "up")),
        ("It is 2x faster.", ((2.0,), "x", "", "up")),
        ("It runs $14.8\\times$ faster.", ((14.8,), "x", "", "up")),
        ("It is three times faster.", ((3.0,), "x", "", "up")),
        ("It needs a 10-fold smaller memory.", ((10.0,), "x", "", "down")),
        ("It is 2-5x faster.", ((2.0, 5.0), "x", "range", "up")),
        ("It reduces the error by 20-30%.", ((20.0, 30.0), "%", "range", "down")),
        ("It improves accuracy from 72.1 to 72.3.", ((72.1, 72.3), "", "from-to", "up")),
        ("It reduces the error from 5.8% to 3.1%.", ((5.8, 3.1), "%", "from-to", "down")),
        ("It is faster by an order of magnitude.", ((1.0,), "orders of magnitude", "", "up")),
        ("It is faster by two orders of magnitude.", ((2.0,), "orders of magnitude", "", "up")),
        ("It reduces training time by half.", ((0.5,), "x", "", "down")),
        ("It improves PSNR by over 0.5 dB.", ((0.5,), "dB", "over", "up")),
        ("It speeds up inference by a factor of 4.", ((4.0,), "x", "", "up")),
        ("It raises throughput by at least 1,200%.", ((1200.0,), "%", "at least", "up")),
        ("It reaches an accuracy of 94.5%.", ((94.5,), "%", "", "")),
    ],
)
def test_forms_of_quantities(sentence, expected):
    assert only(sentence) == expected


def test_respectively_shares_the_unit():
    sentence = "It reduces time and memory by 35 and 75%, respectively."
    found = quantities(sentence, 0, len(sentence))
    assert [(one.value, one.unit, one.direction) for one in found] == [((35.0,), "%", "down"), ((75.0,), "%", "down")]
    assert [sentence[one.start : one.end] for one in found] == ["35", "75%"]


@pytest.mark.parametrize("sentence", ["GPT-4 and ResNet-50 are used.", "In 2024 we met.", "See Section 3.2 on it."])
def test_what_is_no_quantity(sentence):
    assert quantities(sentence, 0, len(sentence)) == []


OWN = "We propose a way to water trees. "


@pytest.mark.parametrize(
    "sentence",
    [
        "It outperforms all baselines on three plots.",
        "Our method achieves state-of-the-art results on TreeBench.",
        "Experiments show that watering is on par with rain.",
        "We prove that watering converges at a linear rate.",
        "We find that soil does not affect growth.",
        "Watering is 2x faster than rain.",
        "It reduces the cost by 35\\% without loss of height.",
        "We establish a regret bound of $O(\\sqrt{T})$.",
    ],
)
def test_claims(sentence):
    found = extract(OWN + sentence)
    assert [claim.sentence for claim in found] == [sentence]
    assert found[0].start == len(OWN)


@pytest.mark.parametrize(
    "sentence",
    [
        "We believe that watering could help.",
        "This may improve many things in future work.",
        "The data set holds 306 test cases.",
        "Experiments demonstrate the effectiveness of our method.",
        "Our code is available at https://example.org/code.",
        "Each tree is planted in a pot of its own.",
        "However, existing methods are slow and often fail.",
    ],
)
def test_no_claims(sentence):
    assert extract(OWN + sentence) == []


def test_what_others_did_before_is_no_claim():
    assert extract("Deep trees have achieved state-of-the-art performance on many plots. We water them.") == []


def test_what_a_claim_names():
    (claim,) = extract(OWN + "It outperforms strong baselines by 3.5% in accuracy on TreeBench-2 and ImageNet.")
    text = OWN + "It outperforms strong baselines by 3.5% in accuracy on TreeBench-2 and ImageNet."
    assert (claim.direction, claim.compared) == ("better", "accuracy")
    assert text[slice(*claim.baseline)] == "strong baselines"
    assert text[slice(*claim.data)] == "TreeBench-2 and ImageNet"
    assert told(claim) == ["3.5 % up"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("As in Fig. 3 and by Roe et al. it holds, i.e. always. Next.", 2),
        ("It is 3.5 high. $x$ is next. \\emph{So} is this.", 3),
        ("J. Roe came. He left.", 2),
        ("No end", 1),
        ("", 0),
    ],
)
def test_sentences(text, count):
    assert len(sentences(text)) == count


@given(st.text(max_size=300))
def test_any_text(text):
    spans = sentences(text)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    for claim in extract(text):
        assert text[claim.start : claim.end] == claim.sentence
        assert all(claim.start <= one.start < one.end <= claim.end for one in claim.quantities)


def test_blocks_of_a_card_are_toml():
    text = (
        OWN + 'It is up to 2x faster than "rain" on TreeBench-2. It is on par with \\emph{snow}. It outperforms hail.'
    )
    found = tomllib.loads(claim_toml(text, extract(text)))["claim"]
    assert [claim["kind"] for claim in found] == ["more", "keeps", "more"]
    assert found[0]["reported"] == [{"value": 2.0, "unit": "x", "bound": "up to", "at": "TreeBench-2"}]
    assert len({claim["id"] for claim in found}) == 3
    assert claim_toml("", []) == ""


# --- the gold set -------------------------------------------------------------------------------------------------

DATA = Path(os.environ.get("ASSAY_TEST_DATA", "nowhere"))


def abstracts():
    with gzip.open(DATA / "papers-22k.jsonl.gz", "rt", encoding="utf-8") as lines:
        many = [json.loads(line)["abstract"] for line in lines]
    return {
        "papers-22k.jsonl": many,
        "iclr2017.json": [one["abstract"] for one in json.loads((DATA / "iclr2017.json").read_text())],
    }


def scored(half):
    """Precision and recall of sentences, and of quantities by value, unit and direction."""
    texts = abstracts()
    counts = dict.fromkeys(("hit", "false", "missed", "q_hit", "q_false", "q_missed"), 0)
    for line in (GOLD / f"{half}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        text = texts[entry["file"]][entry["at"]]
        assert hashlib.sha256(text.encode()).hexdigest() == entry["sha256"], "another version of the data"
        found = extract(text)
        there = [(claim["start"], claim["end"]) for claim in entry["claims"]]
        overlapping = [any(a < claim.end and claim.start < b for a, b in there) for claim in found]
        met = [any(a < claim.end and claim.start < b for claim in found) for a, b in there]
        counts["hit"] += sum(met)
        counts["missed"] += len(met) - sum(met)
        counts["false"] += len(found) - sum(overlapping)
        left = [(one.value, one.unit, one.direction) for claim in found for one in claim.quantities]
        for claim in entry["claims"]:
            for one in claim["quantities"]:
                wanted = (tuple(one["value"]), one["unit"], one["direction"])
                if wanted in left:
                    left.remove(wanted)
                    counts["q_hit"] += 1
                else:
                    counts["q_missed"] += 1
        counts["q_false"] += len(left)
    return [
        counts[kind + "hit"] / (counts[kind + "hit"] + counts[kind + other])
        for kind in ("", "q_")
        for other in ("false", "missed")
    ]


@pytest.mark.skipif(not (DATA / "papers-22k.jsonl.gz").exists(), reason="ASSAY_TEST_DATA names no folder with the data")
@pytest.mark.parametrize(("half", "least"), [("tune", (0.90, 0.87, 0.95, 0.95)), ("test", (0.80, 0.83, 0.90, 0.70))])
def test_against_the_gold_set(half, least):
    """Measured: tune 0.906, 0.885, 1.0, 1.0; held out 0.822, 0.846, 0.909, 0.714."""
    assert all(value >= floor for value, floor in zip(scored(half), least, strict=True))


@pytest.mark.parametrize("half", ["tune", "test"])
def test_the_gold_set_is_whole(half):
    entries = [json.loads(line) for line in (GOLD / f"{half}.jsonl").read_text().splitlines()]
    assert len(entries) == 80
    assert len({(entry["file"], entry["at"]) for entry in entries}) == 80
    for entry in entries:
        spans = [tuple(span) for span in entry["sentences"]]
        for claim in entry["claims"]:
            assert (claim["start"], claim["end"]) in spans
            assert all(claim["start"] <= one["start"] < one["end"] <= claim["end"] for one in claim["quantities"])
