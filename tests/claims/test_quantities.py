"""The forms that a quantity takes: value, unit, qualifier, and which way it goes."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.claims.quantities import quantities


def found(sentence):
    return [(one.value, one.unit, one.qualifier, one.direction) for one in quantities(sentence, 0, len(sentence))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        # per cent, plain and in TeX
        ("It improves growth by 3.5%.", ((3.5,), "%", "", "up")),
        ("It improves growth by 3.5\\%.", ((3.5,), "%", "", "up")),
        ("It improves growth by 3.5 percent.", ((3.5,), "%", "", "up")),
        ("It cuts water by up to $35\\%$.", ((35.0,), "%", "up to", "down")),
        ("It saves $\\sim$30% of the water.", ((30.0,), "%", "about", "down")),
        ("It saves $35$\\% of the water.", ((35.0,), "%", "", "down")),
        ("It gains as much as 12%.", ((12.0,), "%", "up to", "up")),
        ("It raises growth by at least 1,200%.", ((1200.0,), "%", "at least", "up")),
        ("It needs 30% fewer pots.", ((30.0,), "%", "", "down")),
        ("It shows a 30 % relative reduction.", ((30.0,), "%", "", "down")),
        ("It brings a reduction in water use of 30%.", ((30.0,), "%", "", "down")),
        ("It gives +4% yield.", ((4.0,), "%", "", "up")),
        ("It improves growth by more than 5%.", ((5.0,), "%", "over", "up")),
        ("Yield drops to 40%.", ((40.0,), "%", "", "down")),
        # levels go nowhere, whatever else stands in the sentence
        ("It reaches an accuracy of 94.5%.", ((94.5,), "%", "", "")),
        ("It reaches 94.5% accuracy and outperforms bushes.", ((94.5,), "%", "", "")),
        ("It has a higher accuracy of 94.5%.", ((94.5,), "%", "", "")),
        ("Its accuracy is higher than 90%.", ((90.0,), "%", "over", "")),
        ("It takes only 5 ms.", ((5.0,), "ms", "", "")),
        # percentage points
        ("It improves recall by 2.1 percentage points.", ((2.1,), "pp", "", "up")),
        ("It gains 3 points over them.", ((3.0,), "pp", "", "up")),
        ("It shows an absolute gain of 4.2%.", ((4.2,), "pp", "", "up")),
        # multiples
        ("It is 2x faster.", ((2.0,), "x", "", "up")),
        ("It runs $14.8\\times$ faster.", ((14.8,), "x", "", "up")),
        ("It speeds up growth 3x.", ((3.0,), "x", "", "up")),
        ("It is three times faster.", ((3.0,), "x", "", "up")),
        ("It is twice as fast as rain.", ((2.0,), "x", "", "")),
        ("It doubles the yield.", ((2.0,), "x", "", "up")),
        ("It needs a 10-fold smaller pot.", ((10.0,), "x", "", "down")),
        ("It speeds up growth by a factor of 4.", ((4.0,), "x", "", "up")),
        ("It halves the water.", ((0.5,), "x", "", "down")),
        ("It cuts the water in half.", ((0.5,), "x", "", "down")),
        # ranges and changes
        ("It is 2-5x faster.", ((2.0, 5.0), "x", "range", "up")),
        ("It reduces loss by 20-30%.", ((20.0, 30.0), "%", "range", "down")),
        ("It improves growth by between 2% and 7%.", ((2.0, 7.0), "%", "range", "up")),
        ("Yields range from 70% to 83%.", ((70.0, 83.0), "%", "range", "")),
        ("It improves yield from 72.1 to 72.3.", ((72.1, 72.3), "", "from-to", "up")),
        ("It reduces loss from 5.8% to 3.1%.", ((5.8, 3.1), "%", "from-to", "down")),
        # orders of magnitude
        ("It is faster by an order of magnitude.", ((1.0,), "orders of magnitude", "", "up")),
        ("It is two orders of magnitude cheaper.", ((2.0,), "orders of magnitude", "", "down")),
        ("It is several orders of magnitude faster.", ((2.0,), "orders of magnitude", "at least", "up")),
        ("It speeds growth up by orders of magnitude.", ((1.0,), "orders of magnitude", "at least", "up")),
        # other units and metrics
        ("It improves PSNR by over 0.5 dB.", ((0.5,), "dB", "over", "up")),
        ("It reaches a BLEU score of 28.4.", ((28.4,), "BLEU", "", "")),
        ("It gains 1.7 to 2.3 BLEU points.", ((1.7, 2.3), "BLEU", "range", "up")),
        ("It reaches a TREE of 0.83 there.", ((0.83,), "TREE", "", "")),
    ],
)
def test_forms(sentence, expected):
    assert found(sentence) == [expected]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It cuts time and water by 35% and 75%, respectively.", [(35.0, "%", "down"), (75.0, "%", "down")]),
        ("It cuts time and water by 35 and 75%, respectively.", [(35.0, "%", "down"), (75.0, "%", "down")]),
        ("It needs 8 and 125 times fewer pots.", [(8.0, "x", "down"), (125.0, "x", "down")]),
        ("It shows 16% improvement on soil, 7% on sand.", [(16.0, "%", "up"), (7.0, "%", "up")]),
        ("Water is cut by 40% while yield rises by 3%.", [(40.0, "%", "down"), (3.0, "%", "up")]),
        ("It reaches 71% yield, beating rain by 4 points.", [(71.0, "%", ""), (4.0, "pp", "up")]),
    ],
)
def test_several_in_a_sentence(sentence, expected):
    assert [(value, unit, direction) for (value,), unit, _, direction in found(sentence)] == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "GPT-4 and ResNet-50 are used.",
        "In 2024 we met.",
        "The data run from 1999 to 2024.",
        "See Section 3.2 on it.",
        "We test 306 cases in 3D on 64x64 images.",
        "We water it three times per day during 7 days.",
        "",
    ],
)
def test_what_is_no_quantity(sentence):
    assert found(sentence) == []


def test_offsets_are_those_of_the_text():
    text = "Before. It cuts water by up to $35\\%$. After."
    (one,) = quantities(text, 8, 38)
    assert text[one.start : one.end] == "$35\\%$"


@given(st.text(alphabet="0123456789.,%$\\x-+ byfromtand", max_size=60) | st.text(max_size=100))
def test_any_text(text):
    last = 0
    for one in quantities(text, 0, len(text)):
        assert last <= one.start < one.end <= len(text)
        assert all(math.isfinite(value) for value in one.value)
        assert one.direction in ("up", "down", "")
        last = one.end
