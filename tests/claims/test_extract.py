"""Claims out of abstracts: what is a claim, what is none, and what a claim names."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claims.extract import claim_sentences, extract

OWN = "We propose a way to water trees. "


@pytest.mark.parametrize(
    "sentence",
    [
        # comparisons and levels that are judged
        "It outperforms all baselines on three plots.",
        "Our method achieves state-of-the-art results on TreeBench.",
        "Experiments show that our watering is on par with rain.",
        "Experiments show our watering achieves better growth than rain.",
        "Our watering needs far less water than rain.",
        "It consistently improves growth across all plots.",
        "Results demonstrate the superiority of our watering over rain.",
        # quantities
        "Watering is 2x faster than rain.",
        "It reduces the cost by 35\\% without loss of height.",
        "On TreeBench, it reaches an accuracy of 94.5%.",
        "It improves recall from 72.1 to 72.3.",
        "It is faster by an order of magnitude.",
        # findings
        "We find that soil does not affect growth.",
        "The study found that wind bends trees.",
        "Our main finding is that old trees need less care.",
        "Watering is shown to help on dry plots.",
        # guarantees
        "We prove that watering converges at a linear rate.",
        "We establish a regret bound of $O(\\sqrt{T})$.",
        "Our algorithm is minimax optimal up to logarithmic factors.",
        "We show that pruning is NP-hard.",
        "Exact recovery holds with high probability.",
    ],
)
def test_claims(sentence):
    found = extract(OWN + sentence)
    assert [claim.sentence for claim in found] == [sentence]
    assert found[0].start == len(OWN)


@pytest.mark.parametrize(
    "sentence",
    [
        # hedges
        "We believe that watering could help.",
        "This may improve many things in future work.",
        "We hope that others will improve the yield.",
        "Our work has the potential to reduce costs.",
        # facts of the set-up
        "The data set holds 306 test cases.",
        "We collect a dataset of 10,000 trees with 40% of them in shade.",
        "Code is available at https://example.org/code and 3x faster.",
        # only that it works
        "Experiments demonstrate the effectiveness of our method.",
        "Extensive results verify the usefulness of the can.",
        # how it is made, what for, and what others did
        "Each tree is planted in a pot of its own.",
        "To improve growth, we add a second can.",
        "Our can is designed to reduce the cost of watering.",
        "However, existing methods are slow and often fail.",
        "Recent work has shown that cans outperform rain.",
        "Roe et al. reduced the cost by 30%.",
        "Does watering outperform rain?",
    ],
)
def test_no_claims(sentence):
    assert extract(OWN + sentence) == []


def test_what_others_did_before_is_no_claim():
    assert extract("Deep trees have achieved state-of-the-art performance on many plots. We water them.") == []


def test_a_finding_goes_on_in_the_next_sentence():
    text = OWN + "Results show that sun helps. Conversely, there were no improvements at night. Pots are made of clay."
    assert [claim.sentence for claim in extract(text)] == [
        "Results show that sun helps.",
        "Conversely, there were no improvements at night.",
    ]


@pytest.mark.parametrize(
    ("sentence", "direction", "compared", "baseline", "data"),
    [
        (
            "It outperforms strong baselines by 3.5% in accuracy on TreeBench-2 and ImageNet.",
            "better", "accuracy", "strong baselines", "TreeBench-2 and ImageNet",
        ),
        ("It is on par with rain in training time.", "equal", "training time", "rain", ""),
        ("Experiments show that it is worse than rain.", "worse", "", "rain", ""),
        ("It reduces the error by 3% compared to previous cans.", "better", "error", "previous cans", ""),
        ("It improves recall over the old hose on the Orchard dataset.", "better", "recall", "the old hose", "Orchard"),
        ("It outperforms rain on two datasets, Orchard and Field-3.", "better", "", "rain", "Orchard and Field-3"),
        ("We find that no can outperforms the rest.", "", "", "the rest", ""),
        ("It saves 20% of the water without a drop in accuracy.", "better", "accuracy", "", ""),
        ("It gains over 30% in 5 hours.", "better", "", "", ""),
        ("We prove that it converges at a linear rate.", "", "rate", "", ""),
    ],
)  # fmt: skip
def test_what_a_claim_names(sentence, direction, compared, baseline, data):
    text = OWN + sentence
    (claim,) = extract(text)
    named = [text[slice(*span)] if span else "" for span in (claim.baseline, claim.data)]
    assert (claim.direction, claim.compared, *named) == (direction, compared, baseline, data)


def test_flattened_and_raw_tex_say_the_same():
    raw = OWN + "It cuts water by up to $35\\%$ and is $2\\times$ faster."
    flat = OWN + "It cuts water by up to 35% and is 2× faster."
    told = [
        [(one.value, one.unit, one.direction) for claim in extract(text) for one in claim.quantities]
        for text in (raw, flat)
    ]
    assert told[0] == told[1] == [((35.0,), "%", "down"), ((2.0,), "x", "up")]


PIECES = [
    "We show that ",
    "it outperforms ",
    "rain ",
    "by 5% ",
    "and ",
    "$O(n)$ ",
    ". ",
    "from 1 to 2 ",
    "on ABC-2 ",
    "\\",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(max_size=200))
def test_any_text(text):
    found = extract(text)
    assert len(found) == len(claim_sentences(text))
    for claim in found:
        assert text[claim.start : claim.end] == claim.sentence
        spans = [(one.start, one.end) for one in claim.quantities] + [
            span for span in (claim.baseline, claim.data) if span
        ]
        assert all(claim.start <= start < end <= claim.end for start, end in spans)


@pytest.mark.parametrize(
    "piece", ["we show ", "1 ", "1, ", "1% ", "$", "O(", "better ", "from 1 ", "We show x. ", "A-", "than the "]
)
def test_a_huge_text_takes_seconds(piece):
    begin = time.perf_counter()
    extract("We reduce " + piece * (100_000 // len(piece)))
    assert time.perf_counter() - begin < 30
