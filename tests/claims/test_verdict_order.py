"""Which rule decides: for every step an input that it alone decides, and the order of the steps among themselves."""

from itertools import combinations

import numpy as np
import pytest

from assay.claims.effects import Cases, Failed, Outcome, Ratio, Rows, Rule
from assay.claims.intervals import fieller_interval
from assay.claims.samples import minus, read

STEADY = [1, 1.2, 0.9, 1.1, 1]
MAGNITUDE = {"compares": "magnitude", "reported": 1.0}
KEPT = [-0.004, 0.003, -0.006, 0.001, -0.002]
CAUGHT = [-0.4, -0.5, -0.6, -0.5, -0.4]
DIED, NO_BASELINE = Failed("method", "diverged"), Failed("baseline", "raised")


def shifted(x, by):
    return [value + by for value in x]


ALIKE, ALMOST_ALIKE = shifted([0.9, 1, 0.8, 1, 0.9], -0.3560), shifted([0.9, 1, 0.8, 1, 0.9], -0.3562)
NOISY, LESS_NOISY = [0.1, 1.4, -0.5, 0.9, 0.2], [0.1, 1.1, -0.3, 0.9, 0.2]
OPEN = "consistent (magnitude open)"


# Steps 4 to 11: numbers that the step decides, and neighbours that miss its condition by a hair's breadth and fall to a
# later step. Means are 1.04 + `by`, with [L, U] = mean -+ 0.1416.
@pytest.mark.parametrize(
    ("step", "inside", "outside", "word", "otherwise"),
    [
        ("4: U < 0", {"by": -1.1817, "margin": 0.1}, {"by": -1.1815, "margin": 0.1}, "contradicted", "absent"),
        ("4: M <= -d", {"by": -1.19, "margin": 0.1499}, {"by": -1.19, "margin": 0.1501}, "contradicted", "absent"),
        ("5: U < d", {"by": -0.9817}, {"by": -0.9815}, "absent", "inconclusive"),
        ("6: L <= 0", {"by": -0.8985}, {"by": -0.8983}, "inconclusive", "consistent"),
        ("7: half", {"control": ALIKE}, {"control": ALMOST_ALIKE}, "unspecific", "consistent"),
        ("7: open", {"control": NOISY}, {"control": LESS_NOISY}, "inconclusive (specificity open)", "consistent"),
        ("8: no R", {}, MAGNITUDE, "consistent", "reproduced"),
        ("8: other quantity", {"compares": "mechanism", "reported": 1.0}, MAGNITUDE, "consistent", "reproduced"),
        ("9: M >= 0.8 R", {"by": -0.2399, **MAGNITUDE}, {"by": -0.2401, **MAGNITUDE}, "reproduced", OPEN),
        ("10: U < 0.8 R", {"by": -0.3817, **MAGNITUDE}, {"by": -0.3815, **MAGNITUDE}, "weaker", OPEN),
    ],
)
def test_each_step_of_more_decides(verdict, step, inside, outside, word, otherwise):
    def at(given):
        given = dict(given)
        return str(verdict(shifted(STEADY, given.pop("by", 0.0)), **given))

    assert at(inside) == word, step
    assert at(outside) == otherwise, step


def test_reproduced_needs_half_of_r_at_the_lower_end(verdict):
    wide = [1.0, 1.4, 0.5, 1.3, 0.8]  # M = 1, L = 0.543
    assert verdict(wide, **MAGNITUDE).word == "reproduced"
    wider = [1.0, 1.45, 0.45, 1.35, 0.75]  # M = 1, L = 0.480
    assert str(verdict(wider, **MAGNITUDE)) == "consistent (magnitude open)"


# What is asked before the numbers, in order. Each entry alone gives its verdict; of two, the earlier one decides.
GATES = [
    ("untested (no GPU)", lambda x: x | {"untested": "no GPU"}),
    ("unfit (the baseline learned nothing)", lambda x: x | {"unfit": "the baseline learned nothing"}),
    ("inconclusive (6 of 8 trials)", lambda x: x | {"planned": 8}),
    ("unfit (the baseline failed in 2 of 6 trials)", lambda x: x | {"effects": [NO_BASELINE] * 2 + x["effects"][2:]}),
    ("unfit (the control failed in 2 of 6 trials)", lambda x: x | {"control": [NO_BASELINE, DIED, 0, 0.1, 0.2, 0]}),
    ("inconclusive (unstable)", lambda x: x | {"effects": [*x["effects"][:4], DIED, DIED]}),
    ("inconclusive (machine noise)", lambda x: x | {"itself": [0.0, 0.3, -0.2, 0.1, 0.4, 0.3]}),
    (
        "inconclusive (no spread: 6 equal trials count as one)",
        lambda x: x | {"effects": [v if isinstance(v, Failed) else 0.5 for v in x["effects"]]},
    ),
    ("consistent", lambda x: x),
]


@pytest.mark.parametrize(("first", "second"), list(combinations(range(len(GATES)), 2)))
def test_the_earlier_gate_decides(verdict, first, second):
    base = {"effects": [*STEADY, 1.1], "planned": 6}
    (word, earlier), (_, later) = GATES[first], GATES[second]
    assert str(verdict(**earlier(base))) == word
    assert str(verdict(**later(earlier(base)))) == word


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_fewer_than_five_trials_are_a_pilot_whatever_they_show(verdict, n):
    found = verdict(STEADY[:n], planned=8)
    assert str(found) == "inconclusive (pilot)"
    assert found.n == n
    assert (found.mean is None) == (n < 2)
    assert str(verdict(KEPT[:n], kind="keeps", spoiled=CAUGHT[:n], planned=n or 8)) == "inconclusive (pilot)"
    cases = {"kind": "always", "planned": n or 8, "spoiled": [Cases(9, 1, 1)] * n}
    assert str(verdict([Cases(999, 0, 0, exhaustive=True)] * n, **cases)) == "inconclusive (pilot)"


def test_a_precondition_is_read_before_the_pilot(verdict):
    assert str(verdict(STEADY[:3], unfit="chance accuracy")) == "unfit (chance accuracy)"
    assert str(verdict({}, untested="needs 80 GB")) == "untested (needs 80 GB)"


@pytest.mark.parametrize(
    ("n", "word", "level"),
    [
        (5, "inconclusive (5 of 8 trials)", 0.95),
        (8, "consistent", 0.95),
        (9, "inconclusive (9 of 16 trials)", 0.98),
        (16, "consistent", 0.98),
        (17, "inconclusive (17 of 32 trials)", 0.99),
        (32, "consistent", 0.99),
        (33, "inconclusive (33 trials, more than 4 times the 8 planned)", 0.99),
    ],
)
def test_more_seeds_are_judged_at_planned_sizes_only(verdict, n, word, level):
    found = verdict((STEADY * 7)[:n], planned=8)
    assert (str(found), found.level, found.n) == (word, level, n)
    cases = verdict([Cases(100, 0, 0)] * n, kind="always", planned=8, spoiled=[Cases(9, 1, 1)] * n)
    assert str(cases) == word


# keeps


def test_keeps_needs_a_spoiled_arm_that_is_caught(verdict):
    assert (
        str(verdict(KEPT, kind="keeps", margin=0.01)) == "unfit (no spoiled arm shows that the test would catch a loss)"
    )
    for spoiled in (KEPT, [-0.4, 0.5, -0.6, 0.5, -0.4], [DIED, DIED, *CAUGHT[2:]]):
        found = verdict(KEPT, kind="keeps", margin=0.01, spoiled=spoiled, floor=-0.5)
        assert str(found) == "unfit (the spoiled arm is not caught)"
    # The edge: U = -0.05 + 0.00982 against a margin on either side of it.
    small = [-0.04, -0.05, -0.06, -0.045, -0.055]
    assert verdict(KEPT, kind="keeps", margin=0.0403, spoiled=small).word == "unfit"
    assert verdict(KEPT, kind="keeps", margin=0.0401, spoiled=small).word == "consistent"


def test_keeps_is_reproduced_only_where_the_quantity_is_the_papers(verdict):
    kept = {"kind": "keeps", "margin": 0.01, "spoiled": CAUGHT}
    assert verdict(KEPT, **kept, compares="magnitude").word == "reproduced"
    for compares in ("direction", "mechanism"):
        assert verdict(KEPT, **kept, compares=compares).word == "consistent"


@pytest.mark.parametrize(
    ("margin", "word"), [(0.0060, "inconclusive"), (0.0062, "consistent")]  # L = -0.00612
)  # fmt: skip
def test_keeps_compares_the_lower_end_with_the_margin(verdict, margin, word):
    assert verdict(KEPT, kind="keeps", margin=margin, spoiled=CAUGHT).word == word


@pytest.mark.parametrize(("margin", "word"), [(0.0401, "contradicted"), (0.0403, "inconclusive")])  # U = -0.04018
def test_keeps_compares_the_upper_end_with_the_margin(verdict, margin, word):
    lost = [-0.04, -0.05, -0.06, -0.045, -0.055]
    assert verdict(lost, kind="keeps", margin=margin, spoiled=CAUGHT).word == word


def test_keeps_against_several_baselines_has_to_keep_up_with_each(verdict):
    kept = {"kind": "keeps", "margin": 0.01, "spoiled": CAUGHT}
    assert verdict({"a": KEPT, "b": shifted(KEPT, 0.1)}, **kept).word == "consistent"
    assert verdict({"a": KEPT, "b": shifted(KEPT, -0.1)}, **kept).word == "contradicted"


# always


def always(verdict, effects, spoiled=None, **given):
    return verdict(effects, kind="always", spoiled=spoiled or [Cases(20, 3, 2)] * len(effects), **given)


def test_always_sums_cases_over_trials(verdict):
    found = always(verdict, [Cases(59, 0, 0)] + [Cases(60, 0, 0)] * 4)
    assert (str(found), found.n) == ("inconclusive (299 of 300 cases)", 299)
    found = always(verdict, [Cases(60, 0, 0)] * 5)
    assert (str(found), found.n, found.notes) == ("consistent", 300, ("rate below 3/300 at 95 %",))


def test_an_unconfirmed_violation_does_not_count_and_is_noted(verdict):
    found = always(verdict, [Cases(100, 1, 0, worst="x = 7")] * 5)
    assert str(found) == "consistent"
    assert found.notes == ("5 violations not confirmed by the second check", "rate below 3/500 at 95 %")
    assert always(verdict, [Cases(100, 1, 0, exhaustive=True)] * 5).word == "consistent"  # no proof then


def test_a_counterexample_is_kept_and_needs_no_sample(verdict):
    found = always(verdict, [Cases(10, 2, 1, worst="x = 7")])
    assert str(found) == "contradicted (1 of 10 cases)"
    assert found.notes == ("1 violation not confirmed by the second check", "counterexample: x = 7")
    late = [Cases(100, 0, 0)] * 5 + [Cases(100, 1, 1, worst="x = 7"), DIED, DIED]
    assert str(always(verdict, late, planned=8)) == "contradicted (1 of 600 cases)"


def test_always_is_reproduced_by_an_exhaustive_check_only(verdict):
    proof = Cases(3, 0, 0, exhaustive=True)
    assert str(always(verdict, [proof] * 5)) == "reproduced (exhaustive)"
    assert str(always(verdict, [proof] * 4 + [Cases(3, 0, 0)])) == "inconclusive (15 of 300 cases)"
    assert str(always(verdict, [Cases(0, 0, 0, exhaustive=True)] * 5)) == "inconclusive (0 of 300 cases)"
    assert str(always(verdict, [Cases(200, 0, 0, exhaustive=True)] * 4 + [DIED])) == "consistent (1 of 5 failed)"


def test_always_needs_a_spoiled_arm_with_a_confirmed_violation(verdict):
    cases = [Cases(100, 0, 0)] * 5
    missing = "unfit (no spoiled arm shows that the test would catch a violation)"
    assert str(verdict(cases, kind="always")) == missing
    assert str(always(verdict, cases, [Cases(20, 3, 0)] * 5)) == "unfit (the spoiled arm is not caught)"
    assert always(verdict, cases, [Cases(20, 0, 0)] * 4 + [Cases(20, 1, 1)]).word == "consistent"
    # A blind test cannot refute either: its counterexample stays in the notes.
    blind = always(verdict, [Cases(100, 1, 1, worst="x = 7")] * 5, [Cases(20, 0, 0)] * 5)
    assert str(blind) == "unfit (the spoiled arm is not caught)"
    assert "counterexample: x = 7" in blind.notes


def test_failures_of_always(verdict):
    cases = [Cases(100, 0, 0)] * 4
    one = always(verdict, [*cases, DIED])
    assert str(one) == "consistent (1 of 5 failed)"
    assert "1 of 5 failed, counted as no case" in one.notes
    assert str(always(verdict, [*cases, DIED, DIED], planned=6)) == "inconclusive (unstable)"
    assert (
        str(always(verdict, [*cases, *[NO_BASELINE] * 2], planned=6)) == "unfit (the baseline failed in 2 of 6 trials)"
    )


def test_always_against_several_baselines_counts_the_fewest_cases(verdict):
    effects = {"a": [Cases(100, 0, 0)] * 5, "b": [Cases(50, 0, 0)] * 5}
    assert str(always(verdict, effects, [Cases(9, 1, 1)] * 5)) == "inconclusive (250 of 300 cases)"


# failures of more


def test_a_failed_trial_counts_with_the_floor(verdict):
    found = verdict([1, 1.2, 0.9, 1.1, DIED], floor=0.9, **MAGNITUDE)
    assert found == verdict([1, 1.2, 0.9, 1.1, 0.9], **MAGNITUDE, notes=("1 of 5 failed, counted at the floor 0.9",))


def test_without_a_floor_failures_cap_the_verdict(verdict):
    effects = [1, 1.2, 0.9, 1.1, 1, 1, 1.1, DIED]
    found = verdict(effects, planned=8, **MAGNITUDE)
    assert str(found) == "consistent (1 of 8 failed)"
    assert found.mean == pytest.approx(7.3 / 8)  # counted as no effect, not dropped
    assert found.notes == ("1 of 8 failed, counted as no effect",)
    # M = 0.91, L = 0.59: without the cap the same numbers are reproduced.
    assert verdict([*effects[:7], 0.0], planned=8, **MAGNITUDE).word == "reproduced"
    assert str(verdict(effects, planned=8)) == "consistent (1 of 8 failed)"
    open_ = verdict([0.8, 1.2, 0.7, 1.1, 0.6, 0.9, 0.8, DIED], planned=8, **MAGNITUDE)
    assert str(open_) == "consistent (1 of 8 failed; magnitude open)"


def test_a_failure_cannot_save_a_method_from_refutation(verdict):
    assert verdict([-1, -1.2, -0.9, -1.1, -1, -1, -1.1, DIED], planned=8).word == "contradicted"


def test_a_failed_keeps_trial_counts_as_a_loss_of_one_margin(verdict):
    kept = {
        "kind": "keeps",
        "margin": 0.01,
        "spoiled": [*CAUGHT, -0.5, -0.4, -0.5],
        "planned": 8,
        "compares": "magnitude",
    }
    effects = [*KEPT, 0.001, -0.001, DIED]
    found = verdict(effects, **kept)
    assert str(found) == "consistent (1 of 8 failed)"
    assert found.mean == pytest.approx((sum(KEPT) - 0.01) / 8)
    assert found.notes == ("1 of 8 failed, counted as a loss of one margin",)
    assert verdict(effects, **kept, floor=-0.5).word == "inconclusive"


@pytest.mark.parametrize(("failed", "n", "word"), [(1, 5, "consistent"), (2, 8, "inconclusive"), (2, 10, "consistent")])
def test_over_a_fifth_failed_is_unstable_with_a_floor_too(verdict, failed, n, word):
    effects = [DIED] * failed + (STEADY * 2)[failed:n]
    assert verdict(effects, planned=n, floor=0.8).word == word
    found = verdict(effects, planned=n)
    assert str(found) == (f"consistent ({failed} of {n} failed)" if word == "consistent" else "inconclusive (unstable)")


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    "wrap", [lambda x: x, lambda x: Rows((x, 1.0)), lambda x: Ratio(x, 1.0), lambda x: Ratio(1.0, x)]
)
def test_an_effect_that_is_no_finite_number_is_a_failure_of_the_method(verdict, bad, wrap):
    rest = [wrap(1.0 + x) for x in (0.0, 0.2, -0.1, 0.1)]
    found = verdict([*rest, wrap(bad)])
    assert found == verdict([*rest, DIED])
    assert "1 of 5 failed, counted as no effect" in found.notes


def test_a_failed_baseline_or_control_counts_as_effect_0(verdict):
    note = "baseline ridge failed in 1 of 5 trials, counted as no effect"
    found = verdict({"ridge": [1, 1.2, 0.9, 1.1, NO_BASELINE]})
    assert found == verdict({"ridge": [1, 1.2, 0.9, 1.1, 0.0]}, notes=(note,))
    note = "the control failed in 1 of 5 trials, counted as no effect"
    for failed in (DIED, NO_BASELINE):
        found = verdict(STEADY, control=[0.1, -0.1, 0.2, 0.3, failed])
        assert found == verdict(STEADY, control=[0.1, -0.1, 0.2, 0.3, 0.0], notes=(note,))


def test_all_failed_is_unstable_and_shows_no_numbers(verdict):
    found = verdict([DIED] * 5, floor=-1.0)
    assert (str(found), found.mean, found.low) == ("inconclusive (unstable)", None, None)
    assert verdict([NO_BASELINE] * 5).word == "unfit"


def test_one_baseline_failing_too_often_is_named(verdict):
    found = verdict({"ridge": [*STEADY, 1.1], "mlp": [NO_BASELINE, NO_BASELINE, *STEADY[:4]]}, planned=6)
    assert str(found) == "unfit (baseline mlp failed in 2 of 6 trials)"


# equal numbers, fixed items, ratios, times, simpler arms


def test_equal_numbers_are_one_observation(verdict):
    for value in (0.0, 1.0, -1.0, 1e-12):
        found = verdict([value] * 5)
        assert str(found) == "inconclusive (no spread: 5 equal trials count as one)"
        assert (found.mean, found.low, found.high) == (value, None, None)
    assert verdict([1.0, 1.0, 1.0, 1.0, 1.1]).word == "consistent"
    # A failed trial is no spread of the method.
    assert verdict([1.0] * 4 + [DIED], floor=0.9).word == "inconclusive"
    two = verdict({"ridge": STEADY, "mlp": [1.0] * 5})
    assert str(two) == "inconclusive (no spread against mlp: 5 equal trials count as one)"


def test_a_deterministic_method_is_judged_by_its_items(verdict):
    row = tuple(1.0 + 0.1 * (i % 7) for i in range(30))
    found = verdict([Rows(row)] * 5)
    assert (str(found), found.notes) == ("consistent", ("for this model only",))
    assert str(verdict([Rows(row[:29])] * 5)) == "inconclusive (deterministic with 29 items, 30 needed)"
    varied = [Rows(tuple(x + 0.01 * s for x in row[:29])) for s in range(5)]
    assert (str(verdict(varied)), verdict(varied).notes) == ("consistent", ())
    assert str(verdict([Rows((1.0,) * 40)] * 5)) == "inconclusive (no spread: 5 equal trials count as one)"


def test_a_ratio_needs_a_denominator_clear_of_0(verdict):
    num = [1.0, 1.2, 0.9, 1.1, 1.0]
    clear = [Ratio(a, b) for a, b in zip(num, [2.0, 2.1, 1.9, 2.2, 2.0], strict=True)]
    assert verdict(clear).word == "consistent"
    vague = [Ratio(a, b) for a, b in zip(num, [2.0, -1.5, 1.9, 0.2, 2.0], strict=True)]
    assert str(verdict(vague)) == "unfit (the denominator is not clear of 0: L = -1.01)"
    negative = [Ratio(-x.num, -x.den) for x in clear]
    assert verdict(negative).word == "unfit"
    assert verdict([Ratio(0.0, 0.0)] * 5).mean is None


def test_a_failed_ratio_weighs_as_much_as_the_average_trial(verdict):
    pairs = [(1.0, 2.0), (1.2, 2.1), (0.9, 1.9), (1.1, 2.4)]
    effects = [*(Ratio(a, b) for a, b in pairs), DIED]
    for floor, counted in ((0.3, 0.3), (None, 0.0)):
        found = verdict(effects, floor=floor)
        assert found.mean == pytest.approx(0.8 * 4.2 / 8.4 + 0.2 * counted)
        assert found.mean - found.low > 0.1
    assert verdict([*effects[:4], NO_BASELINE]).mean == pytest.approx(0.8 * 4.2 / 8.4)


def test_resplits_of_a_ratio_widen_its_interval(verdict):
    num, den = np.array([1.0, 1.2, 0.9, 1.1, 1.0]), np.array([2.0, 2.1, 1.9, 2.2, 2.0])
    found = verdict([Ratio(a, b) for a, b in zip(num, den, strict=True)], resplit=0.25)
    assert (found.mean, found.low, found.high) == fieller_interval(num, den, 0.95, 0.25)


def test_a_control_is_set_against_the_denominator_that_was_measured():
    den = [2.0, 2.1, 1.9, 2.2, 3.0]
    full = [Ratio(1.0, b) for b in den]
    for effects, control in ((full, [*full[:4], DIED]), ([*full[:4], DIED], full)):
        samples = read(Rule("more", 0.1), Outcome({"": effects}, control={"": control}))
        for pair in ((samples.effects, samples.control), (samples.control, samples.effects)):
            assert minus(*pair)[""].values[:, 1].tolist() == den


def test_a_control_of_ratios_shares_the_denominator(verdict):
    den = [2.0, 2.1, 1.9, 2.2, 2.0]
    effects = [Ratio(a, b) for a, b in zip([1.0, 1.2, 0.9, 1.1, 1.0], den, strict=True)]
    nothing = [Ratio(a, b) for a, b in zip([0.1, -0.1, 0.0, 0.1, 0.0], den, strict=True)]
    assert verdict(effects, control=nothing).word == "consistent"
    assert verdict(effects, control=effects).word == "unspecific"
    assert verdict([*effects[:4], DIED], control=nothing).word == "consistent"
    assert verdict(effects, control=[*effects[:4], DIED]).word == "inconclusive"
    with pytest.raises(ValueError, match="other denominator"):
        verdict(effects, control=[Ratio(0.1, 9.0)] * 5)


def test_a_control_has_to_be_beaten_against_every_baseline(verdict):
    effects = {"a": STEADY, "b": STEADY}
    nothing = [0.1, -0.1, 0.2, 0, 0.05]
    alike = [0.9, 1, 0.8, 1, 0.9]
    noisy = [0.1, 1.4, -0.5, 0.9, 0.2]
    assert verdict(effects, control={"a": nothing, "b": nothing}).word == "consistent"
    assert verdict(effects, control={"a": alike, "b": alike}).word == "unspecific"
    assert str(verdict(effects, control={"a": nothing, "b": noisy})) == "inconclusive (specificity open)"


def test_a_timed_arm_against_itself_has_to_stay_within_the_margin(verdict):
    assert verdict(STEADY, itself=[0.01, -0.02, 0.0, 0.02, 0.01]).word == "consistent"
    edge = [0.1 + x * 0.0705 for x in (-1, 1, -1, 1, 0)]  # U = 0.18754
    assert verdict(STEADY, itself=edge, margin=0.1876).word == "consistent"
    for lopsided in (edge, [-x for x in edge]):
        assert str(verdict(STEADY, itself=lopsided, margin=0.1875)) == "inconclusive (machine noise)"
    for noisy in ([0.5] * 5, [0.0, 0.0, float("nan"), 0.0, 0.0], [0.0, 0.5, 0.0, 0.0, 0.0]):
        assert str(verdict(STEADY, itself=noisy)) == "inconclusive (machine noise)"
    # Where the method failed there was no race.
    raced = [0.01, -0.02, 0.0, 0.02, float("nan")]
    assert str(verdict([*STEADY[:4], DIED], itself=raced)) == "consistent (1 of 5 failed)"


@pytest.mark.parametrize(
    ("simpler", "note"),
    [
        ([0.01, -0.02, 0.0, 0.02, -0.01], "a simpler arm does as well"),
        ([0.1, 0.11, 0.1, 0.09, 0.1], "a simpler arm does as well"),  # resolved, but less than what matters
        ([0.5, 0.6, 0.4, 0.5, 0.55], "better than the simpler arm"),
        ([0.5, -0.6, 0.4, 0.5, 0.55], "not resolved against the simpler arm"),
        ([0.0, Failed("baseline"), Failed("baseline"), 0.0, 0.01], "not resolved against the simpler arm"),
    ],
)
def test_a_simpler_arm_adds_a_note_and_changes_nothing_else(verdict, simpler, note):
    found = verdict(STEADY, simpler=simpler)
    assert (found.word, found.notes) == ("consistent", (note,))
    assert verdict([-x for x in STEADY], simpler=simpler).notes == (note,)
    kept = verdict(KEPT, kind="keeps", margin=0.2, spoiled=[-1, -1.1, -0.9, -1, -1], simpler=simpler)
    assert (kept.word, kept.notes) == ("consistent", (note,))
