"""The values of an outcome as arrays: malformed input refused, failed trials filled in, nothing dropped (rule 12)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.claims.effects import Cases, Failed, Outcome, Ratio, Rows, Rule, Value

Floats = NDArray[np.float64]
Form = Literal["numbers", "rows", "ratios"]
_SAME = 1e-9  # ours: numbers that agree to nine digits are one number printed twice


@dataclass(frozen=True)
class Sample:
    """The effects of one arm against one baseline, one entry per trial.

    `values` has shape (trials,) for numbers, (trials, items) for rows, (trials, 2) for ratios (num, den). Failed trials
    hold the value they count with; the two masks, of shape (trials,), say which these are.
    """

    form: Form
    values: Floats
    method_failed: NDArray[np.bool_]
    baseline_failed: NDArray[np.bool_]

    @property
    def n(self) -> int:
        return len(self.values)

    @property
    def finished(self) -> Floats:
        """The values of trials in which nothing failed."""
        return self.values[~(self.method_failed | self.baseline_failed)]

    def no_spread(self) -> bool:
        """True where all finished trials (and items) show one and the same effect."""
        x = self.finished
        if self.form == "ratios" and x.size:
            total = x.sum(axis=0)
            x = x[:, 0] - (total[0] / total[1] if total[1] else 0.0) * x[:, 1]
            return bool(np.ptp(x) <= _SAME * np.abs(self.finished[:, 0]).max())
        return _equal(x.ravel())

    def deterministic(self) -> bool:
        """True where every finished trial shows the same rows: the seed changes nothing."""
        x = self.finished
        return self.form == "rows" and x.size > 0 and bool(np.ptp(x, axis=0).max() <= _SAME * np.abs(x).max())


def _equal(x: Floats) -> bool:
    return x.size > 0 and bool(np.ptp(x) <= _SAME * np.abs(x).max())


Group = Mapping[str, Sample]
"""Samples by baseline."""


@dataclass(frozen=True)
class Samples:
    """One regime's effects and companion arms as arrays."""

    effects: Group
    control: Group | None
    simpler: Group | None
    spoiled: Group | None
    itself: Floats | None

    @property
    def n(self) -> int:
        return next(iter(self.effects.values())).n


def read(rule: Rule, outcome: Outcome) -> Samples:
    """The arrays of an outcome of `more` or `keeps`; ValueError in one line where it is malformed."""
    # Ours: without a floor a failed trial counts with the value the claim has to beat. For `keeps` that is a loss of
    # one margin: 0 would mean "kept perfectly", the best a failed run could hope for.
    bound = 0.0 if rule.kind == "more" else -rule.margin
    failed = bound if rule.floor is None else rule.floor
    effects = _group("effects", outcome.effects, failed)
    n = next(iter(effects.values())).n

    def companion(name: str, lists: Mapping[str, Sequence[Value]] | None, value: float) -> Group | None:
        if lists is None:
            return None
        group = _group(name, lists, value)
        found = next(iter(group.values())).n
        if found != n:
            raise ValueError(f"{name}: {found} trials, but effects has {n}; give one entry per trial and arm")
        return group

    control = companion("control", outcome.control, 0.0)
    if control is not None and set(control) != set(effects):
        raise ValueError(f"control: baselines {sorted(control)}, but effects has {sorted(effects)}; measure both alike")
    itself = None
    if outcome.itself is not None:
        if len(outcome.itself) != n:
            raise ValueError(f"itself: {len(outcome.itself)} trials, but effects has {n}; give one entry per trial")
        # Where the method failed nothing was raced, and the failure is counted already.
        raced = ~np.any([sample.method_failed for sample in effects.values()], axis=0)
        itself = np.asarray(outcome.itself, dtype=float)[raced]
    return Samples(
        effects,
        control,
        companion("simpler", outcome.simpler, failed),
        companion("spoiled", outcome.spoiled, failed),
        itself,
    )


def _group(name: str, lists: Mapping[str, Sequence[Value]], failed: float) -> Group:
    if not lists:
        raise ValueError(f'{name}: no list of trials; key it by baseline, or by "" where the test has none')
    group = {baseline: _sample(f"{name}[{baseline!r}]", values, failed) for baseline, values in lists.items()}
    if len({sample.n for sample in group.values()}) > 1:
        counts = ", ".join(f"{baseline!r} has {sample.n}" for baseline, sample in group.items())
        raise ValueError(f"{name}: {counts} trials; give one entry per trial for every baseline")
    forms = {sample.form for sample in group.values() if sample.finished.size}
    if len(forms) > 1:
        raise ValueError(f"{name}: {' and '.join(sorted(forms))} in one test; return the same type for every baseline")
    return group


def _sample(where: str, values: Sequence[Value], failed: float) -> Sample:
    checked = [_finite(where, trial, value) for trial, value in enumerate(values)]
    kept = [value for value in checked if not isinstance(value, Failed)]
    kinds = sorted({"number" if isinstance(value, float) else type(value).__name__ for value in kept})
    if len(kinds) > 1:
        raise ValueError(f"{where}: {' and '.join(kinds)} mixed; return one type from `measure` in every trial")
    form: Form = "numbers"
    fill: Any = failed
    if kinds == ["Rows"]:
        form = "rows"
        widths = sorted({len(value.values) for value in kept if isinstance(value, Rows)})
        if len(widths) > 1:
            raise ValueError(
                f"{where}: rows of {widths[0]} and {widths[-1]} items; Rows are for the same items in every trial"
            )
        if widths[0] < 2:
            raise ValueError(f"{where}: rows of {widths[0]} items; Rows need at least 2, else return a number")
        fill = [failed] * widths[0]
    elif kinds == ["Ratio"]:
        form = "ratios"
        # Ours: a failed trial weighs as much as the average one, so its share of the whole is the value it counts with.
        den = float(np.mean([value.den for value in kept if isinstance(value, Ratio)]))
        fill = [failed * den, den]
    data: list[Any] = []
    for value in checked:
        if isinstance(value, Rows):
            data.append(list(value.values))
        elif isinstance(value, Ratio):
            data.append([value.num, value.den])
        elif isinstance(value, Failed):
            data.append(fill if value.who == "method" else _no_effect(form, fill))
        else:
            data.append(value)
    method = np.array([isinstance(value, Failed) and value.who == "method" for value in checked], dtype=bool)
    other = np.array([isinstance(value, Failed) and value.who == "baseline" for value in checked], dtype=bool)
    return Sample(form, np.array(data, dtype=float), method, other)


def _no_effect(form: Form, fill: Any) -> Any:
    """What a trial counts with when a baseline failed: effect 0."""
    if form == "numbers":
        return 0.0
    return [0.0] * len(fill) if form == "rows" else [0.0, fill[1]]


def _finite(where: str, trial: int, value: object) -> float | Rows | Ratio | Failed:
    """The value as it counts; an effect that is no finite number is a failure of the method (ours)."""
    if isinstance(value, Failed):
        if value.who not in ("method", "baseline"):
            raise ValueError(f'{where}, trial {trial}: Failed.who is {value.who!r}; use "method" or "baseline"')
        return value
    if isinstance(value, Cases):
        raise ValueError(
            f"{where}, trial {trial}: Cases are for claims of kind `always`; return a number, Rows or Ratio"
        )
    if isinstance(value, Rows):
        numbers: tuple[object, ...] = tuple(value.values)
    elif isinstance(value, Ratio):
        numbers = (value.num, value.den)
    else:
        numbers = (value,)
    floats = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Real):
            raise ValueError(f"{where}, trial {trial}: {number!r} is no number; return a number, Rows, Ratio or Failed")
        floats.append(float(number))
    if not all(map(math.isfinite, floats)):
        return Failed("method", "the effect is not a finite number")
    if isinstance(value, Rows):
        return Rows(tuple(floats))
    return Ratio(floats[0], floats[1]) if isinstance(value, Ratio) else floats[0]


def minus(first: Group, second: Group, share: float = 1.0) -> Group:
    """first - share * second, trial by trial (and item by item), for each baseline.

    Ratios are subtracted over their common denominator, which has to be the same for both arms: it belongs to the
    baselines. ValueError where the two do not match.
    """
    return {baseline: _minus(baseline, sample, second[baseline], share) for baseline, sample in first.items()}


def _minus(baseline: str, a: Sample, b: Sample, share: float) -> Sample:
    if a.values.shape != b.values.shape or a.form != b.form:
        raise ValueError(
            f"control against {baseline!r}: other type or number of items than the method; measure both alike"
        )
    method, other = a.method_failed | b.method_failed, a.baseline_failed | b.baseline_failed
    if a.form == "ratios":
        both = ~(method | other)
        if not np.allclose(a.values[both, 1], b.values[both, 1], rtol=_SAME, atol=0.0):
            raise ValueError(
                f"control against {baseline!r}: other denominator than the method; it must come from baselines only"
            )
        # Where one of the two failed, its denominator was filled in: keep the one that was measured.
        den = np.where(b.method_failed | b.baseline_failed, a.values[:, 1], b.values[:, 1])
        values = np.column_stack([a.values[:, 0] - share * b.values[:, 0], den])
    else:
        values = a.values - share * b.values
    return Sample(a.form, values, method, other)


def average(regimes: Sequence[Samples]) -> Samples:
    """The average over regimes within each seed (`over="mean"`); a seed failed where any of its regimes did.

    ValueError where regimes differ in baselines, companion arms, types or number of items.
    """
    values = [regime.itself for regime in regimes if regime.itself is not None]
    return Samples(
        _average("effects", [regime.effects for regime in regimes]),
        _average_optional("control", [regime.control for regime in regimes]),
        _average_optional("simpler", [regime.simpler for regime in regimes]),
        _average_optional("spoiled", [regime.spoiled for regime in regimes]),
        # Each race is a look at the same machine: all of them count, none is averaged away.
        np.concatenate(values) if values else None,
    )


def _average_optional(name: str, groups: Sequence[Group | None]) -> Group | None:
    present = [group for group in groups if group is not None]
    if not present:
        return None
    if len(present) < len(groups):
        raise ValueError(f"{name}: present in some regimes only; measure it in all to average over them")
    return _average(name, present)


def _average(name: str, groups: Sequence[Group]) -> Group:
    if any(set(group) != set(groups[0]) for group in groups):
        raise ValueError(f"{name}: regimes have different baselines; measure all to average over them")
    return {baseline: _average_sample(name, [group[baseline] for group in groups]) for baseline in groups[0]}


def _average_sample(name: str, samples: Sequence[Sample]) -> Sample:
    # A regime in which every trial failed has no type of its own; its failures decide the verdict before its values do.
    usable = [sample for sample in samples if sample.finished.size] or [samples[0]]
    if len({(sample.form, sample.values.shape[1:]) for sample in usable}) > 1:
        raise ValueError(f"{name}: regimes differ in type or number of items; return numbers to average over regimes")
    return replace(
        usable[0],
        values=np.mean([sample.values for sample in usable], axis=0),
        method_failed=np.any([sample.method_failed for sample in samples], axis=0),
        baseline_failed=np.any([sample.baseline_failed for sample in samples], axis=0),
    )
