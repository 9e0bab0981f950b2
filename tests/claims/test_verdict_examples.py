"""The worked examples the rules were written down with, to the digits they were printed with."""

from math import log

import pytest

from assay.claims.effects import Cases, Failed, Outcome, Rule
from assay.claims.intervals import least
from assay.claims.samples import minus, read

STEADY = [1, 1.2, 0.9, 1.1, 1]
SPEED = [log(x) for x in (1.10, 1.09, 1.12, 1.10, 1.11)]
LOSS = [-0.004, 0.003, -0.006, 0.001, -0.002]
SPOILED = [-0.4, -0.5, -0.6, -0.5, -0.4]
RESPLIT = [0.02, 0.05, 0.01, 0.04, 0.03]


def magnitude(reported):
    return {"compares": "magnitude", "reported": reported}


# name, effects, fields of rule and outcome, verdict, M, [L, U], digits printed
EXAMPLES = [
    ("1 reproduced", [41, 55, 38, 60, 47], {"margin": 10, **magnitude(46)}, "reproduced", 48.2, 36.7, 59.7, 1),
    ("1 wide", [10, 95, -20, 120, 30], {"margin": 10, **magnitude(46)}, "inconclusive", 47.0, -25.9, 119.9, 1),
    ("1 pilot", [0.4, 0.6, 0.5], {}, "inconclusive (pilot)", 0.5, 0.25, 0.75, 2),
    ("2 log", SPEED, {"margin": log(1.02), **magnitude(log(1.24))}, "weaker", 0.099, 0.086, 0.112, 3),
    ("2 up to", SPEED, {"margin": log(1.02), "reported": log(1.24)}, "consistent", 0.099, 0.086, 0.112, 3),
    ("3", [0.9, 0.4, 1.3, 0.5, 1.0], magnitude(1), "consistent (magnitude open)", 0.82, 0.36, 1.28, 2),
    ("4 absent", [0.01, -0.02, 0, 0.02, -0.01], {"margin": 0.03, **magnitude(0.24)}, "absent", 0, -0.020, 0.020, 3),
    ("4 against", [-0.3, -0.5, -0.4, -0.2, -0.45], {"margin": 0.05}, "contradicted", -0.37, -0.52, -0.22, 2),
    (
        "5 unspecific",
        STEADY,
        {"control": [0.9, 1, 0.8, 1, 0.9], **magnitude(1)},
        "unspecific",
        1.04,
        0.90,
        1.18,
        2,
    ),
    (
        "5 open",
        STEADY,
        {"control": [0.1, 1.4, -0.5, 0.9, 0.2], **magnitude(1)},
        "inconclusive (specificity open)",
        1.04,
        0.90,
        1.18,
        2,
    ),
    ("5 specific", STEADY, {"control": [0.1, -0.1, 0.2, 0, 0.05], **magnitude(1)}, "reproduced", 1.04, 0.90, 1.18, 2),
    (
        "6 open",
        {"a": STEADY, "b": [0.3, 0.5, -0.2, 0.4, 0.1]},
        {"margin": 0.1},
        "inconclusive",
        0.22,
        -0.125,
        0.654,
        3,
    ),
    (
        "6 against",
        {"a": STEADY, "b": [-0.9, -1.1, -0.8, -1.2, -0.9]},
        {"margin": 0.1},
        "contradicted",
        -0.98,
        -1.184,
        -0.723,
        3,
    ),
    ("7 kept", LOSS, {"kind": "keeps", "margin": 0.01, "spoiled": SPOILED}, "consistent", -0.0016, -0.0061, 0.0029, 4),
    (
        "7 open",
        [10 * x for x in LOSS],
        {"kind": "keeps", "margin": 0.01, "spoiled": SPOILED},
        "inconclusive",
        -0.016,
        -0.061,
        0.029,
        3,
    ),
    (
        "7 lost",
        [-0.04, -0.05, -0.06, -0.045, -0.055],
        {"kind": "keeps", "margin": 0.01, "spoiled": SPOILED},
        "contradicted",
        -0.050,
        -0.060,
        -0.040,
        3,
    ),
    ("8 plain", RESPLIT, {"margin": 0.005}, "consistent", 0.030, 0.010, 0.050, 3),
    ("8 corrected", RESPLIT, {"margin": 0.005, "resplit": 0.25}, "consistent", 0.030, 0.001, 0.059, 3),
    (
        "8 floor",
        [0.30, 0.35, 0.28, 0.31, Failed("method", "diverged")],
        {"margin": 0.05, "floor": -0.5, **magnitude(0.3)},
        "inconclusive",
        0.15,
        -0.30,
        0.60,
        2,
    ),
]


@pytest.mark.parametrize(("name", "effects", "given", "word", "mean", "low", "high", "digits"), EXAMPLES)
def test_worked_example(verdict, name, effects, given, word, mean, low, high, digits):
    found = verdict(effects, **given)
    assert str(found) == word
    # Half a unit of the last digit, and a hair for halves that were rounded up.
    assert (found.mean, found.low, found.high) == pytest.approx((mean, low, high), abs=0.501 * 10**-digits)
    assert found.level == 0.95
    assert found.n == (3 if name == "1 pilot" else 5)


@pytest.mark.parametrize(
    ("control", "first", "share", "low"),
    [
        ([0.9, 1, 0.8, 1, 0.9], "control", 0.5, 0.356),
        ([0.1, 1.4, -0.5, 0.9, 0.2], "effects", 1.0, -0.157),
    ],
)
def test_worked_example_of_a_control_to_the_digit(control, first, share, low):
    samples = read(Rule("more", 0.2), Outcome({"": STEADY}, control={"": control}))
    pair = (samples.control, samples.effects) if first == "control" else (samples.effects, samples.control)
    assert least(minus(*pair, share)).low == pytest.approx(low, abs=0.0005)


@pytest.mark.parametrize(
    ("cases", "violations", "word"),
    [
        (120, 0, "inconclusive (120 of 300 cases)"),
        (300, 0, "consistent"),
        (5000, 1, "contradicted (1 of 5000 cases)"),
    ],
)
def test_worked_example_of_always(verdict, cases, violations, word):
    effects = [Cases(cases // 5, 0, 0)] * 4 + [Cases(cases // 5, violations, violations, worst="x = 3")]
    found = verdict(effects, kind="always", spoiled=[Cases(10, 4, 4)] * 5)
    assert str(found) == word
    assert found.n == cases
    assert (found.mean, found.low, found.high) == (None, None, None)


def test_printed_parts_of_a_verdict(verdict):
    found = verdict(STEADY, **magnitude(1), simpler=[0.01, -0.02, 0.0, 0.02, 0.01], notes=("stand-in: ames",))
    assert (found.word, found.reason) == ("reproduced", "")
    assert (found.margin, found.reported, found.n, found.level) == (0.2, 1, 5, 0.95)
    assert found.notes == ("stand-in: ames", "a simpler arm does as well")
    assert verdict(STEADY, reported=1).reported is None  # R is shown where it is compared, nowhere else
