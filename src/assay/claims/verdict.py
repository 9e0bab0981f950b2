"""Numbers and a rule become a verdict: docs/verdicts.md explains every step, and nothing else in Assay decides one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assay.claims.effects import Cases, Failed, Outcome, Rule, Value
from assay.claims.hurdles import any_failures, failure_notes, method_failures, stopped, too_many
from assay.claims.intervals import Interval, divided, least
from assay.claims.samples import Group, Samples, average, minus, read

Word = Literal[
    "contradicted", "absent", "unspecific", "inconclusive", "unfit", "untested", "weaker", "consistent", "reproduced"
]
REFUTES: tuple[Word, ...] = ("contradicted", "absent", "unspecific")
OPEN: tuple[Word, ...] = ("inconclusive", "unfit", "untested")
SUPPORTS: tuple[Word, ...] = ("weaker", "consistent", "reproduced")
WORDS: tuple[Word, ...] = REFUTES + OPEN + SUPPORTS
"""Worst first, as `over="all"` reads them. Open words stand in the middle: one regime that refutes the claim refutes
"in all regimes" whatever the others could not say, and no regime that says nothing may pass as support (ours)."""
_BEST: tuple[Word, ...] = SUPPORTS[::-1] + OPEN + REFUTES[::-1]
"""Best first, as `over="some"` reads them: while one regime is open, the claim is not refuted."""

FEWEST = 5
"""Trials below which everything is a pilot."""
CASES = 300
"""Independent cases an `always` claim needs: with none in N violated, the rate is below 3/N at 95 %."""


@dataclass(frozen=True)
class Verdict:
    """What a test says about its claim, with the numbers it rests on."""

    word: Word
    reason: str = ""
    """Why, where the word alone does not say it: "pilot", "magnitude open", "2 of 8 failed", a precondition."""
    mean: float | None = None
    """M, on the declared scale; None where there is none (`always`, untested, unfit)."""
    low: float | None = None
    high: float | None = None
    """[L, U]; None where the trials do not bound the effect."""
    level: float = 0.95
    n: int = 0
    """Trials; for `always`, independent cases."""
    margin: float | None = None
    reported: float | None = None
    """R, where a magnitude is compared."""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.word} ({self.reason})" if self.reason else self.word


def judge(rule: Rule, outcome: Outcome) -> Verdict:
    """The verdict of one regime. ValueError, in one line, where the rule or the outcome is malformed."""
    _check(rule)
    return _judge(rule, outcome, regimes=1)


def combine(rule: Rule, outcomes: Mapping[str, Outcome]) -> tuple[Verdict, dict[str, Verdict]]:
    """The verdict over all regimes, as `rule.over` says, and the verdict of each regime on its own."""
    _check(rule)
    if not outcomes:
        raise ValueError("outcomes: no regime; give at least one")
    each = {regime: _judge(rule, outcome, regimes=1) for regime, outcome in outcomes.items()}
    if len(each) == 1:
        return next(iter(each.values())), each
    if rule.over == "some":
        return _best(rule, outcomes), each
    if rule.over == "mean":
        return _mean(rule, outcomes), each
    return _worst(each), each


def superseded(verdict: Verdict) -> str:
    """How a line whose protocol was changed is shown from then on."""
    return f"superseded, was {verdict}"


def expected_false(n_tests: int) -> float:
    """False directions to expect among n tests at 95 % if nothing worked: 2.5 % of them."""
    if n_tests < 0:
        raise ValueError(f"n_tests: {n_tests} is negative; give the number of tests")
    return 0.025 * n_tests


# --- several regimes


def _worst(each: Mapping[str, Verdict]) -> Verdict:
    def rank(regime: str) -> tuple[int, bool, float]:
        verdict = each[regime]
        return WORDS.index(verdict.word), not verdict.reason, -math.inf if verdict.low is None else verdict.low

    regime = min(each, key=rank)
    verdict = each[regime]
    if len({v.word for v in each.values()}) == 1 and not verdict.reason:
        return replace(verdict, notes=(*verdict.notes, f"in each of {len(each)} regimes; numbers of {regime}"))
    return replace(verdict, reason=_joined(regime, verdict.reason))


def _best(rule: Rule, outcomes: Mapping[str, Outcome]) -> Verdict:
    strict = {regime: _judge(rule, outcome, regimes=len(outcomes)) for regime, outcome in outcomes.items()}

    def rank(regime: str) -> tuple[int, bool, float]:
        verdict = strict[regime]
        return _BEST.index(verdict.word), bool(verdict.reason), math.inf if verdict.low is None else -verdict.low

    regime = min(strict, key=rank)
    verdict = strict[regime]
    note = f"best of {len(strict)} regimes, each judged at {100 * verdict.level:g} %"
    return replace(verdict, reason=_joined(regime, verdict.reason), notes=(*verdict.notes, note))


def _mean(rule: Rule, outcomes: Mapping[str, Outcome]) -> Verdict:
    for word in ("untested", "unfit"):
        for regime, outcome in outcomes.items():
            reason = getattr(outcome, word)
            if reason is not None:
                return replace(_blank(rule, outcome), word=word, reason=_joined(regime, reason))
    regimes = [_read(rule, outcome) for outcome in outcomes.values()]
    notes = tuple(dict.fromkeys(note for outcome in outcomes.values() for note in outcome.notes))
    blank = replace(_blank(rule, next(iter(outcomes.values()))), notes=(*notes, f"mean of {len(regimes)} regimes"))
    counts = sorted({regime.n for regime in regimes})
    if len(counts) > 1:
        reason = f"regimes have {counts[0]} to {counts[-1]} trials"
        return replace(blank, word="inconclusive", reason=reason, n=counts[0])
    return _decide(rule, average(regimes), blank, regimes=1)


def _joined(regime: str, reason: str) -> str:
    return f"{regime}: {reason}" if reason else regime


# --- one regime, in the order of docs/verdicts.md


def _judge(rule: Rule, outcome: Outcome, regimes: int) -> Verdict:
    blank = _blank(rule, outcome)
    if outcome.untested is not None:
        return replace(blank, word="untested", reason=outcome.untested)
    if outcome.unfit is not None:
        return replace(blank, word="unfit", reason=outcome.unfit)
    if rule.kind == "always":
        return _always(rule, outcome, blank)
    return _decide(rule, _read(rule, outcome), blank, regimes)


def _blank(rule: Rule, outcome: Outcome) -> Verdict:
    reported = rule.reported if rule.compares == "magnitude" else None
    return Verdict("inconclusive", margin=rule.margin, reported=reported, notes=tuple(outcome.notes))


def _decide(rule: Rule, samples: Samples, blank: Verdict, regimes: int) -> Verdict:
    n = samples.n
    level, early = _level(n, rule.planned)
    level = divided(level, regimes)
    found = _estimate(samples.effects, level, rule.resplit)
    draft = replace(blank, mean=_bounded(found.mean), level=level, n=n)
    if not any(sample.no_spread() for sample in samples.effects.values()):
        draft = replace(draft, low=_bounded(found.low), high=_bounded(found.high))
    if rule.kind == "keeps" and samples.spoiled is None:
        return replace(draft, word="unfit", reason="no spoiled arm shows that the test would catch a loss")
    if early:
        return replace(draft, word="inconclusive", reason=early)
    draft = replace(draft, notes=(*draft.notes, *failure_notes(rule, samples)))
    stop = stopped(rule, samples, level)
    if stop is not None:
        return replace(draft, word=stop[0], reason=stop[1])
    if any(sample.deterministic() for sample in samples.effects.values()):
        draft = replace(draft, notes=(*draft.notes, "for this model only"))
    if samples.simpler is not None:
        draft = replace(draft, notes=(*draft.notes, _simpler(rule, samples, samples.simpler, level)))
    verdict = _keeps(rule, found, draft) if rule.kind == "keeps" else _more(rule, samples, found, draft)
    return _capped(rule, samples, verdict)


def _more(rule: Rule, samples: Samples, found: Interval, draft: Verdict) -> Verdict:
    """Steps 4 to 11 of `more`."""
    mean, low, high = found
    margin, reported = rule.margin, draft.reported
    if high < 0 and mean <= -margin:
        return replace(draft, word="contradicted")
    if high < margin:
        return replace(draft, word="absent")
    if low <= 0:
        return replace(draft, word="inconclusive")
    if samples.control is not None:
        half = least(minus(samples.control, samples.effects, 0.5), draft.level, rule.resplit)
        if half.low > 0:
            note = f"at least half of the effect comes from the control too: L(c - e/2) = {half.low:.3g}"
            return replace(draft, word="unspecific", notes=(*draft.notes, note))
        beyond = least(minus(samples.effects, samples.control), draft.level, rule.resplit)
        if beyond.low <= 0:
            note = f"the effect is not resolved from the control's: L(e - c) = {beyond.low:.3g}"
            return replace(draft, word="inconclusive", reason="specificity open", notes=(*draft.notes, note))
    if reported is None:
        return replace(draft, word="consistent")
    if mean >= 0.8 * reported and low >= 0.5 * reported:
        return replace(draft, word="reproduced")
    if high < 0.8 * reported:
        return replace(draft, word="weaker")
    return replace(draft, word="consistent", reason="magnitude open")


def _keeps(rule: Rule, found: Interval, draft: Verdict) -> Verdict:
    if found.low > -rule.margin:
        return replace(draft, word="reproduced" if rule.compares == "magnitude" else "consistent")
    return replace(draft, word="contradicted" if found.high < -rule.margin else "inconclusive")


def _capped(rule: Rule, samples: Samples, verdict: Verdict) -> Verdict:
    """Without a floor, failures of the method leave at most `consistent (f of n failed)`."""
    failed = method_failures(samples)
    if not failed or rule.floor is not None or verdict.word not in ("consistent", "reproduced"):
        return verdict
    reasons = [f"{failed} of {samples.n} failed", verdict.reason]
    return replace(verdict, word="consistent", reason="; ".join(reason for reason in reasons if reason))


def _simpler(rule: Rule, samples: Samples, simpler: Group, level: float) -> str:
    found = least(simpler, level, rule.resplit)
    resolved = not too_many(any_failures(simpler), samples.n)
    if resolved and found.high < rule.margin:
        return "a simpler arm does as well"
    return "better than the simpler arm" if resolved and found.low > 0 else "not resolved against the simpler arm"


def _level(n: int, planned: int) -> tuple[float, str]:
    """The level for n trials, and why they cannot be judged yet ("" where they can)."""
    early = "pilot" if n < FEWEST else ""
    for times, level in ((1, 0.95), (2, 0.98), (4, 0.99)):
        if n <= times * planned:
            return level, early or ("" if n == times * planned else f"{n} of {times * planned} trials")
    return 0.99, early or f"{n} trials, more than 4 times the {planned} planned"


def _estimate(group: Group, level: float, resplit: float) -> Interval:
    """The interval to show, also where there is no verdict yet; nothing where fewer than 2 trials finished."""
    if any(len(sample.finished) == 0 or sample.n < 2 for sample in group.values()):
        return Interval(math.nan, math.nan, math.nan)
    return least(group, level, resplit)


def _bounded(x: float) -> float | None:
    return x if math.isfinite(x) else None


# --- always


@dataclass(frozen=True)
class _Count:
    checked: int
    violations: int
    confirmed: int
    worst: tuple[str, ...]
    exhaustive: bool
    method_failed: int
    baseline_failed: int
    n: int


def _always(rule: Rule, outcome: Outcome, blank: Verdict) -> Verdict:
    for field in ("control", "simpler", "itself"):
        if getattr(outcome, field) is not None:
            raise ValueError(f"{field}: read for claims of kind `more` and `keeps` only; leave it out")
    found = _count("effects", outcome.effects)
    notes = list(blank.notes)
    failed = f"{found.method_failed} of {found.n} failed" if found.method_failed else ""
    if failed:
        notes.append(f"{failed}, counted as no case")
    if found.violations > found.confirmed:
        open_cases = found.violations - found.confirmed
        plural = "s" if open_cases > 1 else ""
        notes.append(f"{open_cases} violation{plural} not confirmed by the second check")
    notes += [f"counterexample: {worst}" for worst in found.worst]
    draft = replace(blank, n=found.checked, notes=tuple(notes))
    if outcome.spoiled is None:
        return replace(draft, word="unfit", reason="no spoiled arm shows that the test would catch a violation")
    spoiled = _count("spoiled", outcome.spoiled)
    if spoiled.n != found.n:
        raise ValueError(f"spoiled: {spoiled.n} trials, but effects has {found.n}; give one entry per trial and arm")
    if spoiled.confirmed and found.confirmed:
        # One counterexample is enough, however few trials found it.
        return replace(draft, word="contradicted", reason=f"{found.confirmed} of {found.checked} cases")
    _, early = _level(found.n, rule.planned)
    if early:
        return replace(draft, word="inconclusive", reason=early)
    if too_many(found.baseline_failed, found.n):
        return replace(
            draft, word="unfit", reason=f"the baseline failed in {found.baseline_failed} of {found.n} trials"
        )
    if not spoiled.confirmed:
        return replace(draft, word="unfit", reason="the spoiled arm is not caught")
    if too_many(found.method_failed, found.n):
        return replace(draft, word="inconclusive", reason="unstable")
    if found.exhaustive and not found.violations:
        return replace(draft, word="reproduced", reason="exhaustive")
    if found.checked < CASES:
        return replace(draft, word="inconclusive", reason=f"{found.checked} of {CASES} cases")
    note = f"rate below 3/{found.checked} at 95 %"
    return replace(draft, word="consistent", reason=failed, notes=(*draft.notes, note))


def _count(name: str, lists: Mapping[str, Sequence[Value]]) -> _Count:
    """Cases summed over trials; with several baselines the fewest checked count, and a violation against any."""
    if not lists:
        raise ValueError(f'{name}: no list of trials; key it by baseline, or by "" where the test has none')
    if len({len(values) for values in lists.values()}) > 1:
        raise ValueError(
            f"{name}: baselines have different numbers of trials; give one entry per trial for every baseline"
        )
    cases = {baseline: [_cases(name, baseline, value) for value in values] for baseline, values in lists.items()}
    every = [value for values in cases.values() for value in values]
    done = [value for value in every if isinstance(value, Cases)]
    return _Count(
        checked=min(sum(v.checked for v in values if isinstance(v, Cases)) for values in cases.values()),
        violations=sum(value.violations for value in done),
        confirmed=sum(value.confirmed for value in done),
        worst=tuple(dict.fromkeys(value.worst for value in done if value.worst and value.confirmed)),
        exhaustive=bool(every)
        and all(isinstance(value, Cases) and value.exhaustive and value.checked for value in every),
        method_failed=max(sum(isinstance(v, Failed) and v.who == "method" for v in vs) for vs in cases.values()),
        baseline_failed=max(sum(isinstance(v, Failed) and v.who == "baseline" for v in vs) for vs in cases.values()),
        n=len(next(iter(cases.values()))),
    )


def _cases(name: str, baseline: str, value: Value) -> Cases | Failed:
    if isinstance(value, Failed):
        return value
    if not isinstance(value, Cases):
        raise ValueError(f"{name}[{baseline!r}]: {type(value).__name__} in a claim of kind `always`; return Cases")
    if not 0 <= value.confirmed <= value.violations <= value.checked:
        raise ValueError(
            f"{name}[{baseline!r}]: {value.confirmed} confirmed of {value.violations} violations in {value.checked}; "
            "need 0 <= confirmed <= violations <= checked"
        )
    return value


# --- malformed rules and outcomes


def _read(rule: Rule, outcome: Outcome) -> Samples:
    if rule.kind == "keeps" and outcome.control is not None:
        raise ValueError("control: read for claims of kind `more` only; leave it out")
    if rule.kind == "more" and outcome.spoiled is not None:
        raise ValueError("spoiled: read for claims of kind `keeps` and `always` only; leave it out")
    if outcome.itself is not None and rule.margin < math.log(1.1) * (1 - 1e-9):
        raise ValueError(f"margin: {rule.margin:g} is too fine for a time; use at least log 1.1 = 0.0953")
    samples = read(rule, outcome)
    if rule.resplit and any(sample.form == "rows" for sample in samples.effects.values()):
        raise ValueError("resplit: re-splits have no fixed items; return a number per trial, not Rows, or set it to 0")
    return samples


def _check(rule: Rule) -> None:
    for field, value, words in (
        ("kind", rule.kind, ("more", "keeps", "always")),
        ("compares", rule.compares, ("magnitude", "direction", "mechanism")),
        ("over", rule.over, ("all", "mean", "some")),
    ):
        if value not in words:
            raise ValueError(f"{field}: {value!r} is unknown; use {', '.join(words)}")
    if rule.kind == "always" and rule.over != "all":
        raise ValueError(f"over: {rule.over!r} with a claim of kind `always`; it speaks of every regime, use 'all'")
    if rule.planned < 1:
        raise ValueError(f"planned: {rule.planned} trials; plan at least {FEWEST}")
    if rule.kind != "always" and not (math.isfinite(rule.margin) and rule.margin > 0):
        raise ValueError(f"margin: {rule.margin} is not above 0; give the smallest effect that matters")
    if not (math.isfinite(rule.resplit) and rule.resplit >= 0):
        raise ValueError(f"resplit: {rule.resplit} is not n_test / n_train; give 0 for independent draws")
    if rule.floor is not None and not math.isfinite(rule.floor):
        raise ValueError(
            f"floor: {rule.floor} is not a finite effect; give the effect a failed trial counts with, or None"
        )
    if rule.reported is not None and not math.isfinite(rule.reported):
        raise ValueError(f"reported: {rule.reported} is not a finite effect; give it on the declared scale, or None")
    if rule.kind == "more" and rule.compares == "magnitude" and rule.reported is not None:
        if rule.reported <= 0:
            raise ValueError(
                f"reported: {rule.reported:g} is not above 0; sign the scale so that the claim is positive"
            )
        if rule.margin > rule.reported / 4 * (1 + 1e-9):
            raise ValueError(
                f"margin: {rule.margin:g} is more than a quarter of the reported {rule.reported:g}; lower it"
            )
