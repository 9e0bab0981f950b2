"""Several regimes: all, mean and some, and the order of the words behind them."""

from itertools import permutations
from typing import get_args

import pytest

from assay.claims.effects import Cases, Failed, Outcome, Ratio, Rows, Rule
from assay.claims.verdict import (
    OPEN,
    REFUTES,
    SUPPORTS,
    WORDS,
    Verdict,
    Word,
    combine,
    expected_false,
    judge,
    superseded,
)

STEADY = [1, 1.2, 0.9, 1.1, 1]
R = {"compares": "magnitude", "reported": 1.0}
# One outcome per word, all under the same rule.
BY_WORD = {
    "contradicted": Outcome({"": [-x for x in STEADY]}, control={"": [0.1, -0.1, 0.2, 0, 0.05]}),
    "absent": Outcome({"": [0.01, -0.02, 0, 0.02, -0.01]}),
    "unspecific": Outcome({"": STEADY}, control={"": [0.9, 1, 0.8, 1, 0.9]}),
    "inconclusive": Outcome({"": [2, -1, 1, 0, 0.5]}),
    "unfit": Outcome({"": STEADY}, unfit="the baseline learned nothing"),
    "untested": Outcome({}, untested="no GPU"),
    "weaker": Outcome({"": [x - 0.5 for x in STEADY]}),
    "consistent": Outcome({"": [0.9, 0.4, 1.3, 0.5, 1.0]}),
    "reproduced": Outcome({"": STEADY}),
}


def rule(over="all", **given):
    return Rule(**({"kind": "more", "margin": 0.2, "planned": 5, "over": over} | R | given))


def test_words_are_complete_and_in_order():
    assert set(WORDS) == set(get_args(Word)) == set(BY_WORD)
    assert (*REFUTES, *OPEN, *SUPPORTS) == WORDS
    for word, outcome in BY_WORD.items():
        assert judge(rule(), outcome).word == word


@pytest.mark.parametrize("pair", list(permutations(WORDS, 2)))
def test_all_takes_the_worst(pair):
    found, each = combine(rule(), {name: BY_WORD[word] for name, word in zip("ab", pair, strict=True)})
    assert found.word == min(pair, key=WORDS.index)
    assert [each[name].word for name in "ab"] == list(pair)
    assert found.reason.split(":")[0] == "ab"[pair.index(found.word)]


@pytest.mark.parametrize("pair", list(permutations(WORDS, 2)))
def test_some_takes_the_best_and_open_beats_refuted(pair):
    found, _ = combine(rule("some"), {name: BY_WORD[word] for name, word in zip("ab", pair, strict=True)})
    alone = [judge(rule(), BY_WORD[word]).word for word in pair]
    best = next(word for word in (*SUPPORTS[::-1], *OPEN, *REFUTES[::-1]) if word in alone)
    assert found.word == best
    assert found.notes[-1] == f"best of 2 regimes, each judged at {100 * found.level:g} %"


def test_an_open_regime_is_neither_support_nor_refutation():
    for word in OPEN:
        for support in SUPPORTS:
            assert combine(rule(), {"a": BY_WORD[word], "b": BY_WORD[support]})[0].word == word
        for refuted in REFUTES:
            assert combine(rule("some"), {"a": BY_WORD[word], "b": BY_WORD[refuted]})[0].word == word


def test_one_regime_is_just_judged():
    for over in ("all", "mean", "some"):
        found, each = combine(rule(over), {"few rows": BY_WORD["reproduced"]})
        assert found == each["few rows"] == judge(rule(), BY_WORD["reproduced"])


def test_alike_regimes_need_no_reason():
    higher = Outcome({"": [x + 0.1 for x in STEADY]})
    found, each = combine(rule(), {"many": higher, "few": BY_WORD["reproduced"]})
    assert str(found) == "reproduced"
    assert found.low == each["few"].low  # the smaller of the two
    assert found.notes == ("in each of 2 regimes; numbers of few",)


def test_a_qualified_word_is_worse_than_the_plain_one():
    direction = rule(compares="direction")
    failed = Outcome({"": [10.0, 10.2, 10.1, 10.0, Failed("method")]})
    assert judge(direction, failed).low > judge(direction, BY_WORD["reproduced"]).low
    found, _ = combine(direction, {"a": BY_WORD["reproduced"], "b": failed})
    assert str(found) == "consistent (b: 1 of 5 failed)"
    found, _ = combine(rule("some", compares="direction"), {"b": failed, "a": BY_WORD["reproduced"]})
    assert str(found) == "consistent (a)"


def test_among_equal_words_the_lower_end_decides():
    low, high = Outcome({"": STEADY}), Outcome({"": [x + 1 for x in STEADY]})
    direction = {"compares": "direction"}
    for outcomes in ({"low": low, "high": high}, {"high": high, "low": low}):
        assert combine(rule("some", **direction), outcomes)[0].reason == "high"
        assert combine(rule("all", **direction), outcomes)[0].low == judge(rule(**direction), low).low


@pytest.mark.parametrize(("times", "level", "part"), [(1, 0.95, 0.05), (2, 0.98, 0.02), (4, 0.99, 0.01)])
@pytest.mark.parametrize("m", [2, 5])
def test_some_divides_the_level_by_the_number_of_regimes(times, level, part, m):
    found, each = combine(rule("some"), {str(i): Outcome({"": STEADY * times}) for i in range(m)})
    assert found.level == pytest.approx(1 - part / m)
    assert found.low < each["0"].low
    assert each["0"].level == level


def test_some_loses_what_only_the_plain_level_supports():
    faint = Outcome({"": [0.1, 2.0, 0.9, 0.2, 1.4]})  # L = -0.08 at 95 %, so shift it just above
    up = Outcome({"": [x + 0.1 for x in faint.effects[""]]})
    direction = rule("some", compares="direction")
    found, each = combine(direction, {"a": up, "b": BY_WORD["absent"]})
    assert each["a"].word == "consistent"
    assert found.word == "inconclusive"


def test_mean_averages_within_a_seed():
    a, b = [1.0, 2.0, 0.5, 1.5, 1.2], [1.0, 0.2, 1.7, 0.5, 0.9]
    found, each = combine(rule("mean"), {"a": Outcome({"": a}), "b": Outcome({"": b})})
    alone = judge(rule(), Outcome({"": [(x + y) / 2 for x, y in zip(a, b, strict=True)]}))
    assert (found.word, found.mean, found.low, found.high) == (alone.word, alone.mean, alone.low, alone.high)
    assert found.notes == ("mean of 2 regimes",)
    # Paired within the seed: opposite noise cancels, which neither regime shows alone.
    assert found.low > max(verdict.low for verdict in each.values())


def test_mean_of_rows_ratios_and_companions():
    rows = [Outcome({"": [Rows((s + 0.1 * i, 2.0 * i + s)) for s in (1, 1.2, 0.9, 1.1, 1)]}) for i in range(2)]
    mean = Outcome({"": [Rows((s + 0.05, 1.0 + s)) for s in (1, 1.2, 0.9, 1.1, 1)]})
    found, _ = combine(rule("mean"), dict(zip("ab", rows, strict=True)))
    assert (found.low, found.high) == pytest.approx((judge(rule(), mean).low, judge(rule(), mean).high))
    ratios = [Outcome({"": [Ratio(s + i, 3.0 * s + i) for s in (1, 1.2, 0.9, 1.1, 1)]}) for i in range(2)]
    found, _ = combine(rule("mean", margin=0.01, compares="direction"), dict(zip("ab", ratios, strict=True)))
    assert found.mean == pytest.approx((5.2 + 10.2) / (15.6 + 20.6))
    with_control = Outcome({"": STEADY}, control={"": [0.9, 1, 0.8, 1, 0.9]})
    assert combine(rule("mean"), {"a": with_control, "b": with_control})[0].word == "unspecific"
    timed = Outcome({"": STEADY}, itself=[0.01, 0.02, 0.0, -0.01, 0.01])
    noisy = Outcome({"": STEADY}, itself=[0.6, -0.6, 0.6, 0.1, 0.5])
    assert combine(rule("mean"), {"a": timed, "b": timed})[0].word == "reproduced"
    assert combine(rule("mean"), {"a": timed, "b": noisy})[0].reason == "machine noise"


def test_mean_counts_a_seed_as_failed_where_any_regime_failed():
    died = Failed("method")
    a = Outcome({"": [1, died, 0.9, 1.1, 1]})
    b = Outcome({"": [1, 1.2, died, 1.1, 1]})
    found, _ = combine(rule("mean", floor=1.0), {"a": a, "b": b})
    assert str(found) == "inconclusive (unstable)"
    same = Outcome({"": [1, died, 1.3, 1.1, 1.2]})
    found, _ = combine(rule("mean", compares="direction"), {"a": a, "b": same})
    assert str(found) == "consistent (1 of 5 failed)"
    assert found.mean == pytest.approx((1 + 0 + 1.1 + 1.1 + 1.1) / 5)
    no_baseline = Outcome({"": [1, Failed("baseline"), 1.3, Failed("baseline"), 1.2]})
    for pair in ((a, no_baseline), (no_baseline, a)):
        assert combine(rule("mean"), dict(zip("ab", pair, strict=True)))[0].word == "unfit"
    gone = Outcome({"": [died] * 5})
    assert combine(rule("mean"), {"a": gone, "b": BY_WORD["reproduced"]})[0].reason == "unstable"
    rows = Outcome({"": [Rows((x, x + 1)) for x in STEADY]})
    assert combine(rule("mean"), {"a": gone, "b": rows})[0].reason == "unstable"


def test_mean_says_nothing_where_a_regime_says_nothing():
    for word, reason in (("untested", "b: no GPU"), ("unfit", "b: the baseline learned nothing")):
        found, _ = combine(rule("mean"), {"a": BY_WORD["reproduced"], "b": BY_WORD[word]})
        assert (found.word, found.reason) == (word, reason)
    both = {"a": BY_WORD["unfit"], "b": BY_WORD["untested"]}
    assert combine(rule("mean"), both)[0].word == "untested"


def test_mean_waits_until_all_regimes_have_the_same_trials():
    found, _ = combine(rule("mean"), {"a": Outcome({"": STEADY * 2}), "b": BY_WORD["reproduced"]})
    assert str(found) == "inconclusive (regimes have 5 to 10 trials)"
    assert found.mean is None


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (Outcome({"": [Rows((1.0, 2.0))] * 5}), "effects: regimes differ in type or number of items"),
        (Outcome({"ridge": STEADY}), "effects: regimes have different baselines"),
        (Outcome({"": STEADY}, control={"": STEADY}), "control: present in some regimes only"),
    ],
)
def test_mean_refuses_regimes_that_do_not_match(second, message):
    with pytest.raises(ValueError, match=message):
        combine(rule("mean"), {"a": BY_WORD["reproduced"], "b": second})


def test_no_regime_is_an_error():
    with pytest.raises(ValueError, match="outcomes: no regime"):
        combine(rule(), {})


def test_always_speaks_of_every_regime():
    proof = Outcome({"": [Cases(2, 0, 0, exhaustive=True)] * 5}, spoiled={"": [Cases(2, 1, 1)] * 5})
    broken = Outcome({"": [Cases(2, 1, 1, worst="x = 2")] * 5}, spoiled={"": [Cases(2, 1, 1)] * 5})
    always = Rule("always", margin=0.0, planned=5)
    found, _ = combine(always, {"a": proof, "b": broken})
    assert str(found) == "contradicted (b: 5 of 10 cases)"
    assert str(combine(always, {"a": proof, "b": proof})[0]) == "reproduced (a: exhaustive)"


def test_superseded_keeps_the_old_verdict():
    assert superseded(Verdict("consistent", "magnitude open")) == "superseded, was consistent (magnitude open)"
    assert superseded(Verdict("absent")) == "superseded, was absent"


def test_expected_false_directions():
    assert expected_false(0) == 0
    assert expected_false(40) == 1.0
    with pytest.raises(ValueError, match="n_tests"):
        expected_false(-1)
