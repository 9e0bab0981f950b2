"""The intervals against scipy, against a brute-force inversion, and in the limits where another rule takes over."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.claims.effects import Outcome, Rows, Rule
from assay.claims.intervals import divided, fieller_interval, least, rows_interval, t_interval
from assay.claims.samples import read
from assay.claims.verdict import judge

LEVELS = (0.95, 0.98, 0.99, 1 - 0.05 / 3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [2, 5, 8, 16, 32])
def test_t_interval_is_scipys(n, level):
    x = np.random.default_rng(n).normal(0.3, 2.0, n)
    expected = stats.ttest_1samp(x, 0.0).confidence_interval(level)
    found = t_interval(x, level)
    assert found == pytest.approx((x.mean(), expected.low, expected.high), rel=1e-12)


def test_t_interval_agrees_with_the_paired_test():
    rng = np.random.default_rng(0)
    method, baseline = rng.normal(size=8), rng.normal(size=8)
    expected = stats.ttest_rel(method, baseline).confidence_interval(0.95)
    assert t_interval(method - baseline)[1:] == pytest.approx((expected.low, expected.high), rel=1e-12)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.25, 1.0])
def test_resplits_widen_by_the_overlap(ratio):
    x = np.array([0.02, 0.05, 0.01, 0.04, 0.03])
    plain, corrected = t_interval(x), t_interval(x, resplit=ratio)
    widened = (corrected.high - corrected.low) / (plain.high - plain.low)
    assert widened == pytest.approx(math.sqrt(1 + len(x) * ratio))
    assert corrected.mean == plain.mean


def rows_by_loops(matrix, level):
    """Rule 8 again, written out item by item."""
    seeds, items = len(matrix), len(matrix[0])
    mean = sum(sum(row) for row in matrix) / (seeds * items)
    by_seed = [sum(row) / items for row in matrix]
    by_item = [sum(row[i] for row in matrix) / seeds for i in range(items)]
    v1 = sum((x - mean) ** 2 for x in by_seed) / (seeds - 1) / seeds
    v2 = sum((x - mean) ** 2 for x in by_item) / (items - 1) / items
    df = (v1 + v2) ** 2 / (v1**2 / (seeds - 1) + v2**2 / (items - 1))
    half = stats.t.ppf(0.5 + level / 2, df) * (v1 + v2) ** 0.5
    return mean, mean - half, mean + half


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("seeds", "items"), [(2, 2), (5, 40), (8, 7)])
def test_rows_interval_follows_its_formula(seeds, items, level):
    matrix = np.random.default_rng(seeds).normal(0.2, 1.0, (seeds, items))
    assert rows_interval(matrix, level) == pytest.approx(rows_by_loops(matrix.tolist(), level), rel=1e-12)


def test_rows_interval_in_its_two_limits():
    rng = np.random.default_rng(3)
    items = rng.normal(size=40)
    # The seed changes nothing: Student's interval over items.
    assert rows_interval(np.tile(items, (6, 1))) == pytest.approx(t_interval(items), rel=1e-12)
    # Items change nothing: Student's interval over seeds.
    seeds = rng.normal(size=6)
    assert rows_interval(np.tile(seeds[:, None], (1, 40))) == pytest.approx(t_interval(seeds), rel=1e-12)
    assert rows_interval(np.full((5, 9), 0.25)) == (0.25, 0.25, 0.25)
    # Tiny effects keep their interval: nothing underflows.
    matrix = rng.normal(size=(5, 9))
    assert rows_interval(matrix * 1e-100) == pytest.approx([x * 1e-100 for x in rows_interval(matrix)], rel=1e-9)


def test_fixed_items_are_never_counted_as_fresh_ones():
    """The same 20 items in 32 trials: seeds alone would claim far more than the items can carry."""
    rng = np.random.default_rng(5)
    matrix = rng.normal(0.1, 1.0, 20) + 0.01 * rng.normal(size=(32, 20))
    by_seed, both = t_interval(matrix.mean(axis=1)), rows_interval(matrix)
    assert (both.high - both.low) > 20 * (by_seed.high - by_seed.low)
    rule = Rule("more", 0.01, planned=32)
    assert judge(rule, Outcome({"": [Rows(tuple(row)) for row in matrix]})).low == both.low


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("resplit", [0.0, 0.25])
@pytest.mark.parametrize("correlation", [-0.8, 0.0, 0.9])
def test_fieller_is_the_inversion_of_the_t_statistic(level, resplit, correlation):
    rng = np.random.default_rng(7)
    den = rng.normal(4.0, 0.5, 8)
    num = 2.0 + correlation * (den - 4.0) + rng.normal(0.0, 0.5, 8)
    found = fieller_interval(num, den, level, resplit)
    grid = np.linspace(-1.0, 2.0, 60_001)
    residual = num[None, :] - grid[:, None] * den[None, :]
    se = residual.std(axis=1, ddof=1) * math.sqrt(1 / 8 + resplit)
    inside = np.abs(residual.mean(axis=1)) <= stats.t.ppf(0.5 + level / 2, 7) * se
    assert inside.sum() == np.ptp(np.flatnonzero(inside)) + 1  # one piece
    assert found.low == pytest.approx(grid[inside].min(), abs=1e-4)
    assert found.high == pytest.approx(grid[inside].max(), abs=1e-4)
    assert found.mean == pytest.approx(num.sum() / den.sum())


def test_fieller_with_a_constant_denominator_is_student_s_interval():
    num = np.array([1.0, 1.2, 0.9, 1.1, 1.0])
    assert fieller_interval(num, np.full(5, 2.0)) == pytest.approx([x / 2 for x in t_interval(num)], rel=1e-9)


def test_fieller_bounds_nothing_where_the_denominator_reaches_0():
    num = np.array([1.0, 1.2, 0.9, 1.1, 1.0])
    den = np.array([2.0, -1.5, 1.9, 0.2, 2.0])
    assert t_interval(den).low < 0
    assert fieller_interval(num, den)[1:] == (-math.inf, math.inf)
    assert fieller_interval(num, -np.full(5, 2.0) - 0.1 * num)[1:] == (-math.inf, math.inf)
    assert math.isnan(fieller_interval(num, np.array([1.0, -1.0, 1.0, -1.0, 0.0])).mean)
    # Clear of 0 at 95 % and not at 99 %: bounded at the one, open at the other.
    faint = np.array([0.5, 1.5, 2.5, 0.6, 1.6])
    assert t_interval(faint).low > 0 > t_interval(faint, 0.99).low
    assert math.isfinite(fieller_interval(num, faint).high)
    assert fieller_interval(num, faint, 0.99).high == math.inf


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("b", [1, 2, 3, 5])
def test_several_baselines_take_the_upper_end_at_the_divided_level(level, b):
    rng = np.random.default_rng(b)
    lists = {f"b{i}": rng.normal(0.5 + i, 1.0 + i, 8).tolist() for i in range(b)}
    found = least(read(Rule("more", 0.1), Outcome(lists)).effects, level)
    arrays = [np.array(x) for x in lists.values()]
    assert found.mean == min(x.mean() for x in arrays)
    assert found.low == min(t_interval(x, level).low for x in arrays)
    assert found.high == pytest.approx(
        min(x.mean() + stats.t.ppf(1 - (1 - level) / b / 2, 7) * x.std(ddof=1) / math.sqrt(8) for x in arrays)
    )
    assert divided(level, 1) == level
    assert 1 - divided(level, b) == pytest.approx((1 - level) / b)


@pytest.mark.parametrize(
    "call",
    [
        lambda: t_interval(np.array([1.0])),
        lambda: fieller_interval(np.array([1.0]), np.array([2.0])),
        lambda: rows_interval(np.ones((1, 5))),
        lambda: rows_interval(np.ones((5, 1))),
    ],
)
def test_one_trial_has_no_interval(call):
    with pytest.raises(ValueError, match="at least 2 trials"):
        call()
