"""Malformed rules and outcomes: one plain line that names the field and the fix."""

import math
import re

import numpy as np
import pytest

from assay.claims.effects import Cases, Failed, Ratio, Rows

STEADY = [1, 1.2, 0.9, 1.1, 1]
KEPT = {"kind": "keeps", "spoiled": [-1, -1.1, -0.9, -1, -1]}
BROKEN = [Cases(9, 1, 1)] * 5
ALWAYS = {"kind": "always", "spoiled": BROKEN}


@pytest.mark.parametrize(
    ("effects", "given", "message"),
    [
        (STEADY, {"margin": 0}, "margin: 0 is not above 0; give the smallest effect that matters"),
        (STEADY, {"margin": -0.1}, "margin: -0.1 is not above 0"),
        (STEADY, {"margin": math.nan}, "margin: nan is not above 0"),
        (STEADY, {"margin": math.inf}, "margin: inf is not above 0"),
        (STEADY, {"margin": 0.3, "compares": "magnitude", "reported": 1}, "margin: 0.3 is more than a quarter of"),
        (STEADY, {"margin": 0.09, "itself": [0.0] * 5}, "margin: 0.09 is too fine for a time; use at least log 1.1"),
        (STEADY, {"itself": [0.0] * 4}, "itself: 4 trials, but effects has 5; give one entry per trial"),
        (STEADY, {"kind": "less"}, "kind: 'less' is unknown; use more, keeps, always"),
        (STEADY, {"compares": "size"}, "compares: 'size' is unknown"),
        (STEADY, {"over": "any"}, "over: 'any' is unknown"),
        (BROKEN, {**ALWAYS, "over": "mean"}, "over: 'mean' with a claim of kind `always`"),
        (STEADY, {"planned": 0}, "planned: 0 trials; plan at least 5"),
        (STEADY, {"resplit": -0.1}, "resplit: -0.1 is not n_test / n_train"),
        (STEADY, {"resplit": math.inf}, "resplit: inf is not n_test / n_train"),
        (STEADY, {"floor": math.nan}, "floor: nan is not a finite effect"),
        (STEADY, {"reported": math.nan}, "reported: nan is not a finite effect"),
        (STEADY, {"compares": "magnitude", "reported": -1}, "reported: -1 is not above 0; sign the scale"),
        (STEADY, {"compares": "magnitude", "reported": 0}, "reported: 0 is not above 0"),
        ({}, {}, 'effects: no list of trials; key it by baseline, or by "" where the test has none'),
        ({"a": STEADY, "b": STEADY[:4]}, {}, "effects: 'a' has 5, 'b' has 4 trials; give one entry per trial"),
        ([*STEADY[:4], Rows((1.0, 2.0))], {}, "effects['']: Rows and number mixed; return one type"),
        ([*STEADY[:4], Ratio(1.0, 2.0)], {}, "effects['']: Ratio and number mixed"),
        ({"a": STEADY, "b": [Ratio(1.0, 2.0)] * 5}, {}, "effects: numbers and ratios in one test"),
        ([*STEADY[:4], Cases(9, 0, 0)], {}, "effects[''], trial 4: Cases are for claims of kind `always`"),
        ([*STEADY[:4], None], {}, "effects[''], trial 4: None is no number; return a number, Rows, Ratio or Failed"),
        ([*STEADY[:4], "0.3"], {}, "effects[''], trial 4: '0.3' is no number"),
        ([*STEADY[:4], True], {}, "effects[''], trial 4: True is no number"),
        ([*STEADY[:4], Failed("machine")], {}, "effects[''], trial 4: Failed.who is 'machine'; use"),
        ([Rows((1.0, 2.0))] * 4 + [Rows((1.0, 2.0, 3.0))], {}, "effects['']: rows of 2 and 3 items"),
        ([Rows((1.0,))] * 5, {}, "effects['']: rows of 1 items; Rows need at least 2, else return a number"),
        ([Rows((1.0, 2.0))] * 5, {"resplit": 0.25}, "resplit: re-splits have no fixed items"),
        (STEADY, {"control": STEADY[:4]}, "control: 4 trials, but effects has 5"),
        (STEADY, {"control": {"ridge": STEADY}}, "control: baselines ['ridge'], but effects has ['']"),
        (STEADY, {"control": [Rows((1.0, 2.0))] * 5}, "control against '': other type or number of items"),
        (STEADY, {"control": {}}, "control: no list of trials"),
        (STEADY, {"simpler": STEADY[:3]}, "simpler: 3 trials, but effects has 5"),
        (STEADY, {"spoiled": STEADY}, "spoiled: read for claims of kind `keeps` and `always` only"),
        (STEADY, {**KEPT, "spoiled": STEADY[:2]}, "spoiled: 2 trials, but effects has 5"),
        (STEADY, {**KEPT, "control": STEADY}, "control: read for claims of kind `more` only; leave it out"),
        (STEADY, ALWAYS, "effects['']: int in a claim of kind `always`; return Cases"),
        (BROKEN, {**ALWAYS, "spoiled": [0.1] * 5}, "spoiled['']: float in a claim of kind `always`; return Cases"),
        (BROKEN, {**ALWAYS, "spoiled": BROKEN[:4]}, "spoiled: 4 trials, but effects has 5"),
        (BROKEN, {**ALWAYS, "control": BROKEN}, "control: read for claims of kind `more` and `keeps` only"),
        (BROKEN, {**ALWAYS, "simpler": BROKEN}, "simpler: read for claims of kind `more` and `keeps` only"),
        (BROKEN, {**ALWAYS, "itself": [0.0] * 5}, "itself: read for claims of kind `more` and `keeps` only"),
        ({}, ALWAYS, "effects: no list of trials"),
        ({"a": BROKEN, "b": BROKEN[:4]}, ALWAYS, "effects: baselines have different numbers of trials"),
        ([Cases(9, 10, 0)] * 5, ALWAYS, "effects['']: 0 confirmed of 10 violations in 9; need 0 <= confirmed"),
        ([Cases(9, 1, 2)] * 5, ALWAYS, "effects['']: 2 confirmed of 1 violations in 9; need"),
        ([Cases(9, -1, -1)] * 5, ALWAYS, "effects['']: -1 confirmed of -1 violations in 9; need"),
    ],
)  # fmt: skip
def test_malformed_input_is_one_line(verdict, effects, given, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        verdict(effects, **given)
    assert "\n" not in str(error.value)


def test_the_tightest_allowed_margins_pass(verdict):
    assert verdict(STEADY, margin=0.25, compares="magnitude", reported=1).word == "reproduced"
    assert verdict(STEADY, margin=math.log(1.1), itself=[0.0, 0.01, 0.0, -0.01, 0.0]).word == "consistent"
    # A quarter of R holds where a magnitude is compared, and nowhere else.
    assert verdict(STEADY, margin=0.3, reported=1).word == "consistent"
    assert (
        verdict([0.0, 0.01, 0.0, 0.0, -0.01], **KEPT, margin=0.3, compares="magnitude", reported=0.0).word
        == "reproduced"
    )


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int64, int, float])
def test_any_real_number_is_an_effect(verdict, number):
    assert verdict([number(x) for x in (1, 2, 3, 2, 1)]).word == "consistent"


def test_judging_changes_nothing_it_is_given(verdict):
    effects = {"": [1, 1.2, math.nan, 1.1, 1]}
    before = repr(effects)
    verdict(effects)
    assert repr(effects) == before
