"""The ledger: every claim of every card, reported against measured, with the verdict and the run it rests on.

Verdicts are computed from the records of runs each time; nothing but the trials is trusted. Lines of a protocol that is
no longer the current one are kept as they were stored when the run ended, and marked superseded.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay import catalogue, home
from assay.catalogue import Card, CardError, MissingExtra
from assay.claims.claim import Claim, Reported
from assay.claims.effects import Failed, Outcome, Rule, Value
from assay.claims.verdict import Verdict, combine, expected_false
from assay.studies.protocol import protocol
from assay.studies.records import Header, Run, RunBroken, runs, write_atomic
from assay.studies.study import Study, Test, Trial, option, stand_in

STORED = "verdicts.json"


@dataclass(frozen=True)
class Line:
    """One claim, tested one way: in one regime, or (`regime` empty) over all regimes of the test."""

    method: str
    basis: str
    claim: Claim
    verdict: Verdict
    study: str = ""
    test: str = ""
    """What tells this test from others of the claim."""
    regime: str = ""
    over: str = "all"
    scale: str = ""
    stand_in: str = ""
    of: str = "ours"
    compares: str = "direction"
    measured_on: str = "difference"
    """"log" or "difference": the scale of effect, interval and margin."""
    arm: str = ""
    against: tuple[str, ...] = ()
    run: str = ""
    """Folder of the run."""
    superseded: bool = False

    def __str__(self) -> str:
        word = str(self.verdict)
        return f"superseded, was {word}" if self.superseded else word


@dataclass(frozen=True)
class Ledger:
    """All lines, and a plain sentence for every card or run that could not be read."""

    lines: tuple[Line, ...]
    problems: tuple[str, ...] = ()

    @property
    def current(self) -> tuple[Line, ...]:
        """One line per claim and test: over all regimes, not superseded."""
        return tuple(line for line in self.lines if not line.regime and not line.superseded)

    @property
    def tested(self) -> tuple[Line, ...]:
        """The current lines that rest on a run and count in totals (claims of papers, not checks of our own)."""
        return tuple(line for line in self.current if line.run and line.claim.by == "paper")

    def regimes(self, line: Line) -> tuple[Line, ...]:
        """The lines of single regimes under a current line."""
        return tuple(
            one
            for one in self.lines
            if one.regime and (one.run, one.claim.id, one.test) == (line.run, line.claim.id, line.test) and line.run
        )

    def totals(self) -> str:
        """How many tests there are, and how many false directions chance alone would give."""
        return totals(len(self.tested))

    def to_json(self) -> dict[str, Any]:
        return {
            "totals": self.totals(),
            "lines": [line_dict(line) for line in self.lines],
            "problems": list(self.problems),
        }

    def to_markdown(self) -> str:
        from assay.studies.tables import ledger_markdown

        return ledger_markdown(self)

    def _repr_html_(self) -> str:
        from assay.studies.tables import ledger_html

        return ledger_html(self)


def totals(tests: int) -> str:
    """The sentence above every ledger."""
    plural = "" if tests == 1 else "s"
    return f"{tests} test{plural}; about {expected_false(tests):.2g} false directions expected if nothing worked"


def ledger(folder: Path | None = None, methods: Sequence[str] | None = None) -> Ledger:
    """The ledger of the runs under `folder` (default: this user's runs), for all methods or those named.

    Runs with changed settings ("custom") are left out: they are exploration.
    """
    folder = folder or home.runs_folder()
    known, broken = catalogue.cards()
    if methods is not None:
        known, broken = [catalogue.find(name) for name in methods], []
    headers, unreadable = runs(folder)
    problems = [str(line) for line in broken] + unreadable
    lines: list[Line] = []
    for card in known:
        mine = [header for header in headers if header.method == card.name and header.scale != "custom"]
        lines += _lines_of_card(card, mine, folder, problems)
    return Ledger(tuple(lines), tuple(problems))


def _lines_of_card(card: Card, headers: list[Header], folder: Path, problems: list[str]) -> list[Line]:
    lines: list[Line] = []
    tested: dict[str, str] = {}
    try:
        studies: tuple[Study, ...] = catalogue.studies(card)
    except (MissingExtra, CardError) as error:
        problems.append(str(error))
        studies = ()
    current = {}
    for study in studies:
        for test in study.tests:
            tested.setdefault(test.claim, f"not run on this machine yet: assay run {card.name}")
        for scale in ("small", "full"):
            settings = getattr(study, scale)
            current[protocol(card, study, settings, settings.seeds)] = study
    for header in headers:
        found = current.get(header.protocol)
        try:
            run = Run(folder / header.folder)
            lines += judge_run(card, found, run) if found else stored_lines(card, run, superseded=bool(studies))
        except (RunBroken, StudyBroken) as error:
            problems.append(str(error))
    have = {line.claim.id for line in lines if not line.superseded}
    for claim in card.claims:
        if claim.id not in have:
            reason = claim.untested or tested.get(claim.id) or "no study tests it"
            lines.append(Line(card.name, card.basis, claim, untested(reason)))
    order = {claim.id: i for i, claim in enumerate(card.claims)}
    return sorted(lines, key=lambda line: (order.get(line.claim.id, len(order)), line.superseded))


def untested(reason: str) -> Verdict:
    """The verdict on a claim nobody ran."""
    return Verdict(
        word="untested", reason=reason, mean=None, low=None, high=None, level=0.95, n=0, margin=None, reported=None
    )


# --- from trials to verdicts --------------------------------------------------------------------------------------


class StudyBroken(ValueError):
    """A test of a study cannot read its own trials: names the study, the test and what went wrong."""


def judge_run(card: Card, study: Study, run: Run) -> list[Line]:
    """The verdicts of a run's trials: for each test one line over all regimes, then one per regime."""
    trials = [trial for trial in run.trials() if trial.complete]
    regimes = tuple(run.info["settings"]["regimes"])
    lines = []
    for test in study.tests:
        rule = rule_of(card, test, run.planned)
        mine = tuple(regime for regime in regimes if test.regimes is None or regime in test.regimes)
        if not mine:
            continue
        outcomes = {regime: outcome_of(study, test, [t for t in trials if t.regime == regime]) for regime in mine}
        try:
            whole, each = combine(rule, outcomes)
        except ValueError as error:
            raise StudyBroken(f"{card.name}, study {study.name}, the test of claim {test.claim}: {error}") from error
        base = Line(
            method=card.name,
            basis=card.basis,
            claim=card.claim(test.claim),
            verdict=whole,
            study=study.name,
            test=test.label or test.arm,
            over=test.over,
            scale=run.scale,
            stand_in=stand_in(study, run.scale),
            of=test.of,
            compares=test.compares,
            measured_on=test.scale,
            arm=test.arm,
            against=test.against,
            run=run.folder.name,
        )
        lines.append(base)
        if mine != ("all",):
            lines += [dataclasses.replace(base, regime=regime, verdict=each[regime]) for regime in mine]
    return lines


def rule_of(card: Card, test: Test, planned: int) -> Rule:
    """What a test declares, as the verdict reads it."""
    return Rule(
        kind=card.claim(test.claim).kind,
        margin=test.margin,
        planned=planned,
        compares=test.compares,
        reported=test.reported,
        over=test.over,
        resplit=test.resplit,
        floor=test.floor,
    )


def outcome_of(study: Study, test: Test, trials: Sequence[Trial]) -> Outcome:
    """The effects of one test in one regime, in the order of the seeds."""
    baselines: tuple[str | None, ...] = test.against or (None,)
    used = (test.arm, *test.against, test.control, test.simpler, test.spoiled, test.itself)
    lacking = {why for trial in trials for arm, why in trial.missing.items() if arm in used}
    if lacking:
        return Outcome(effects={name or "": [] for name in baselines}, untested="; ".join(sorted(lacking)))

    def companion(arm: str | None) -> dict[str, list[Value]] | None:
        if arm is None:
            return None
        return {name or "": [_value(test, trial, arm, name, own="baseline") for trial in trials] for name in baselines}

    fits = option(study, "fits")
    return Outcome(
        effects={
            name or "": [_value(test, trial, test.arm, name, own="method") for trial in trials] for name in baselines
        },
        control=companion(test.control),
        simpler={"": [_value(test, trial, test.arm, test.simpler, own="method") for trial in trials]}
        if test.simpler
        else None,
        spoiled=companion(test.spoiled),
        itself=_itself(test, trials),
        unfit=fits(test, [baselines_only(test, trial) for trial in trials]) if fits and trials else None,
    )


def baselines_only(test: Test, trial: Trial) -> Trial:
    """A trial without the arms a precondition must not see: the method and what stands in its place."""
    hidden = {test.arm, test.control, test.simpler, test.spoiled, test.itself} - set(test.against)
    return dataclasses.replace(
        trial,
        arms={name: metrics for name, metrics in trial.arms.items() if name not in hidden},
        failed={name: why for name, why in trial.failed.items() if name not in hidden},
    )


def _itself(test: Test, trials: Sequence[Trial]) -> list[float] | None:
    if test.itself is None:
        return None
    values = [_value(test, trial, test.arm, test.itself, own="method") for trial in trials]
    return [value if isinstance(value, float) else float("nan") for value in values]


def _value(test: Test, trial: Trial, arm: str, baseline: str | None, own: Literal["method", "baseline"]) -> Value:
    if arm in trial.failed:
        return Failed(own, trial.failed[arm])
    if baseline is not None and baseline in trial.failed:
        return Failed("baseline", trial.failed[baseline])
    try:
        return test.measure(trial, arm, baseline)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        where = f"claim {test.claim}, arm {arm}, regime {trial.regime}, seed {trial.seed}"
        raise StudyBroken(f"the test of {where} cannot read its trial: {type(error).__name__}: {error}") from error


# --- stored lines -------------------------------------------------------------------------------------------------


def store(run: Run, lines: Iterable[Line]) -> None:
    """Keep a run's verdicts beside its trials, for the day when its protocol is no longer the current one."""
    content = [line_dict(line) for line in lines]
    write_atomic(run.folder / STORED, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def stored_lines(card: Card, run: Run, superseded: bool) -> list[Line]:
    """The verdicts kept with a run, without its study's code."""
    file = run.folder / STORED
    if not file.exists():
        return []
    try:
        return [_line_from(card, entry, superseded) for entry in json.loads(file.read_text(encoding="utf-8"))]
    except (ValueError, KeyError, TypeError) as error:
        raise RunBroken(f"{file}: {type(error).__name__}: {error}; remove the file") from None


def line_dict(line: Line) -> dict[str, Any]:
    """A line as plain values."""
    return dataclasses.asdict(line)


def _line_from(card: Card, entry: dict[str, Any], superseded: bool) -> Line:
    claim = dict(entry["claim"])
    claim["reported"] = tuple(Reported(**reported) for reported in claim["reported"])
    verdict = dict(entry["verdict"])
    verdict["notes"] = tuple(verdict["notes"])
    fields = {**entry, "claim": Claim(**claim), "verdict": Verdict(**verdict), "against": tuple(entry["against"])}
    return Line(**{**fields, "method": card.name, "superseded": superseded})
