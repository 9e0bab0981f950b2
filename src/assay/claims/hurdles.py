"""What has to hold before the numbers of a regime are read: too many failures, a blind test, noise, no spread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from assay.claims.effects import Rule
from assay.claims.intervals import least, t_interval
from assay.claims.samples import Group, Samples

Stop = Literal["unfit", "inconclusive"]

ITEMS = 30
"""Items needed where the seed changes nothing and items are the unit."""


def stopped(rule: Rule, samples: Samples, level: float) -> tuple[Stop, str] | None:
    """The first hurdle that fails, as word and reason: what makes a test unfit comes before what leaves it open."""
    for word, check in _HURDLES:
        reason = check(rule, samples, level)
        if reason:
            return word, reason
    return None


def failure_notes(rule: Rule, samples: Samples) -> list[str]:
    """How many trials failed and what they count with, for every line that rests on them."""
    notes = []
    failed = method_failures(samples)
    if failed and rule.floor is None:
        counted = "no effect" if rule.kind == "more" else "a loss of one margin"
        notes.append(f"{failed} of {samples.n} failed, counted as {counted}")
    elif failed:
        notes.append(f"{failed} of {samples.n} failed, counted at the floor {rule.floor:g}")
    for baseline, sample in samples.effects.items():
        if sample.baseline_failed.any():
            notes.append(
                f"{_named('baseline', baseline)} failed in {int(sample.baseline_failed.sum())} of {sample.n} trials, "
                "counted as no effect"
            )
    failed = any_failures(samples.control)
    if failed:
        notes.append(f"the control failed in {failed} of {samples.n} trials, counted as no effect")
    return notes


def _named(role: str, name: str) -> str:
    return f"{role} {name}" if name else f"the {role}"


def _against(baseline: str) -> str:
    return f" against {baseline}" if baseline else ""


def too_many(failed: int, n: int) -> bool:
    """More than 20 % of n, in whole numbers."""
    return 5 * failed > n


def method_failures(samples: Samples) -> int:
    """Trials in which the method failed against any baseline."""
    return int(np.any([sample.method_failed for sample in samples.effects.values()], axis=0).sum())


def any_failures(group: Group | None) -> int:
    """Trials of a companion arm in which it or its baseline failed, for the baseline with the most of them."""
    return max((int((s.method_failed | s.baseline_failed).sum()) for s in (group or {}).values()), default=0)


def _baseline_fails(rule: Rule, samples: Samples, level: float) -> str:
    for baseline, sample in samples.effects.items():
        failed = int(sample.baseline_failed.sum())
        if too_many(failed, sample.n):
            return f"{_named('baseline', baseline)} failed in {failed} of {sample.n} trials"
    failed = any_failures(samples.control)
    return f"the control failed in {failed} of {samples.n} trials" if too_many(failed, samples.n) else ""


def _denominator(rule: Rule, samples: Samples, level: float) -> str:
    for baseline, sample in samples.effects.items():
        if sample.form == "ratios":
            low = t_interval(sample.values[:, 1], level, rule.resplit).low
            if low <= 0:
                return f"the denominator{_against(baseline)} is not clear of 0: L = {low:.3g}"
    return ""


def _spoiled_passes(rule: Rule, samples: Samples, level: float) -> str:
    """Ours: caught means that the same rule calls the spoiled arm `contradicted`, with at most 20 % of it failed."""
    if samples.spoiled is None:
        return ""
    caught = least(samples.spoiled, level, rule.resplit).high < -rule.margin
    return "" if caught and not too_many(any_failures(samples.spoiled), samples.n) else "the spoiled arm is not caught"


def _unstable(rule: Rule, samples: Samples, level: float) -> str:
    return "unstable" if too_many(method_failures(samples), samples.n) else ""


def _noisy(rule: Rule, samples: Samples, level: float) -> str:
    """Ours: "within the margin" is the whole interval of the arm against itself, not its mean alone."""
    if samples.itself is None:
        return ""
    if len(samples.itself) < 2 or not np.all(np.isfinite(samples.itself)):
        return "machine noise"
    _, low, high = t_interval(samples.itself, level)
    return "" if -rule.margin < low and high < rule.margin else "machine noise"


def _no_spread(rule: Rule, samples: Samples, level: float) -> str:
    """Ours: n identical numbers are one observation, and one observation has no interval."""
    for baseline, sample in samples.effects.items():
        if sample.no_spread():
            return f"no spread{_against(baseline)}: {sample.n} equal trials count as one"
        if sample.deterministic() and sample.values.shape[1] < ITEMS:
            return f"deterministic with {sample.values.shape[1]} items, {ITEMS} needed"
    return ""


_HURDLES: tuple[tuple[Stop, Callable[[Rule, Samples, float], str]], ...] = (
    ("unfit", _baseline_fails),
    ("unfit", _denominator),
    ("unfit", _spoiled_passes),
    ("inconclusive", _unstable),
    ("inconclusive", _noisy),
    ("inconclusive", _no_spread),
)
