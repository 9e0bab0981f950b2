"""One number per trial, one interval per claim: the intervals of docs/verdicts.md."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.claims.samples import Floats, Group, Sample


class Interval(NamedTuple):
    """A mean and its two-sided interval; infinite ends where the data bound nothing."""

    mean: float
    low: float
    high: float


def t_interval(x: Floats, level: float = 0.95, resplit: float = 0.0) -> Interval:
    """Student's interval around the mean of x, shape (n,) with n >= 2; n - 1 degrees of freedom.

    `resplit` is n_test / n_train where the trials re-split one data set: se^2 = s^2 (1/n + n_test/n_train), the
    correction of Nadeau and Bengio (2003) for training sets that overlap.
    """
    n = len(x)
    if n < 2:
        raise ValueError(f"an interval needs at least 2 trials, not {n}")
    mean = float(np.mean(x))
    half = _quantile(level, n - 1) * math.sqrt(float(np.var(x, ddof=1)) * (1.0 / n + resplit))
    return Interval(mean, mean - half, mean + half)


def rows_interval(matrix: Floats, level: float = 0.95) -> Interval:
    """Interval of the mean of paired effects D[s, i], shape (S seeds, I items), both at least 2.

    v1 = var(row means)/S, v2 = var(column means)/I, se^2 = v1 + v2, degrees of freedom after Satterthwaite (1946):
    (v1 + v2)^2 / (v1^2/(S-1) + v2^2/(I-1)). Where the seed changes nothing v1 is 0 and items are the unit.
    """
    seeds, items = matrix.shape
    if seeds < 2 or items < 2:
        raise ValueError(f"an interval needs at least 2 trials and 2 items, not {seeds} and {items}")
    mean = float(matrix.mean())
    v1 = float(np.var(matrix.mean(axis=1), ddof=1)) / seeds
    v2 = float(np.var(matrix.mean(axis=0), ddof=1)) / items
    if v1 + v2 == 0.0:
        return Interval(mean, mean, mean)
    # Shares of the variance, so that tiny effects do not underflow when squared.
    share1, share2 = v1 / (v1 + v2), v2 / (v1 + v2)
    half = _quantile(level, 1.0 / (share1**2 / (seeds - 1) + share2**2 / (items - 1))) * math.sqrt(v1 + v2)
    return Interval(mean, mean - half, mean + half)


def fieller_interval(num: Floats, den: Floats, level: float = 0.95, resplit: float = 0.0) -> Interval:
    """Fieller's (1954) interval of sum(num)/sum(den), both of shape (n,), with n - 1 degrees of freedom.

    All ratios q for which the mean of num - q den is no further from 0 than its t-interval reaches. Infinite ends where
    the lower bound of the mean of den is not above 0.
    """
    n = len(num)
    if n < 2:
        raise ValueError(f"an interval needs at least 2 trials, not {n}")
    a, b = float(np.mean(num)), float(np.mean(den))
    (va, cab), (_, vb) = np.cov(num, den, ddof=1) * (1.0 / n + resplit)
    t2 = _quantile(level, n - 1) ** 2
    mean = a / b if b else math.nan
    # (a - q b)^2 <= t^2 (va - 2 q cab + q^2 vb), a quadratic in q that opens upwards while b is clear of 0.
    square = b * b - t2 * float(vb)
    if b <= 0.0 or square <= 0.0:
        return Interval(mean, -math.inf, math.inf)
    middle = a * b - t2 * float(cab)
    root = math.sqrt(max(0.0, middle * middle - square * (a * a - t2 * float(va))))
    # Rounding must not push the estimate itself out of its interval.
    return Interval(mean, min(mean, (middle - root) / square), max(mean, (middle + root) / square))


def interval(sample: Sample, level: float = 0.95, resplit: float = 0.0) -> Interval:
    """The interval that fits the sample's form."""
    if sample.form == "rows":
        return rows_interval(sample.values, level)
    if sample.form == "ratios":
        return fieller_interval(sample.values[:, 0], sample.values[:, 1], level, resplit)
    return t_interval(sample.values, level, resplit)


def least(group: Group, level: float = 0.95, resplit: float = 0.0) -> Interval:
    """The effect against the hardest of b baselines: M = min M_b, L = min L_b, U = min of the U_b at 1 - (1-level)/b.

    The lower bound needs no correction, since every baseline has to be beaten; the upper one does (Bonferroni), since
    any of them may be the smallest.
    """
    wide = [interval(sample, divided(level, len(group)), resplit) for sample in group.values()]
    plain = [interval(sample, level, resplit) for sample in group.values()]
    return Interval(min(i.mean for i in plain), min(i.low for i in plain), min(i.high for i in wide))


def divided(level: float, parts: int) -> float:
    """The level at which each of several intervals is taken so that all hold at `level`: 1 - (1 - level)/parts."""
    return level if parts == 1 else 1.0 - (1.0 - level) / parts


def _quantile(level: float, df: float) -> float:
    """Two-sided Student quantile."""
    from scipy.special import stdtrit  # scipy.stats takes half a second to import for the same number

    return float(stdtrit(df, 0.5 + level / 2.0))
