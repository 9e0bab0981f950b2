"""Runs the studies of a method on this machine, or resumes them: one folder per protocol."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from filelock import FileLock

from assay import catalogue, home
from assay.catalogue import Card
from assay.studies.crew import CannotRun, Crew, Event, OnEvent, Recorded
from assay.studies.ledger import judge_run, store
from assay.studies.protocol import protocol, source_digest
from assay.studies.records import Run, RunWriter, slug, trials_of
from assay.studies.study import Settings, Study, declared, option, stand_in
from assay.studies.worker import Task

SCALES = ("small", "full")


@dataclass(frozen=True)
class Plan:
    """One study, ready to run: what to run with which settings, and where the records go."""

    card: Card
    study: Study
    settings: Settings
    scale: str
    planned: int
    protocol: str
    folder: Path

    def trials(self) -> list[tuple[str, int]]:
        """(regime, seed) of every trial, seed by seed, so that an early stop leaves whole seeds."""
        return [(regime, seed) for seed in range(self.settings.seeds) for regime in self.settings.regimes]


# --- what to run --------------------------------------------------------------------------------------------------


def plan(
    method: str | Card,
    *,
    study: str | None = None,
    scale: str = "small",
    seeds: int | None = None,
    changes: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> list[Plan]:
    """The studies of a method (or the one named), with settings checked. Nothing is run or written.

    `changes` are settings as text ("field": "value"); a run with changed settings has the scale "custom" and stays out
    of the ledger. Raises CannotRun, UnknownMethod or MissingExtra in one plain line.
    """
    card = catalogue.find(method) if isinstance(method, str) else method
    if scale not in SCALES:
        raise CannotRun(f"--scale is {scale!r}; it must be {' or '.join(SCALES)}")
    found = catalogue.studies(card)
    if study is not None:
        names = [s.name for s in found]
        if study not in names:
            raise CannotRun(f"{card.name} has no study {study!r}; it has {', '.join(names)}")
        found = tuple(s for s in found if s.name == study)
    root = folder or home.runs_folder()
    if root.exists() and not root.is_dir():
        raise CannotRun(f"{root}: runs need a folder, and this is none; name another one with --runs")
    plans = []
    for one in found:
        base: Settings = getattr(one, scale)
        settings = changed(base, changes or {})
        custom = declared(settings) != declared(base)
        if seeds is not None:
            if seeds < 1:
                raise CannotRun(f"--seeds is {seeds}; it must be at least 1")
            settings = dataclasses.replace(settings, seeds=seeds)
        hashed = protocol(card, one, settings, base.seeds)
        name = slug(f"{card.name.replace('/', '.')}.{one.name}.{'custom' if custom else scale}.{hashed[:12]}")
        plans.append(Plan(card, one, settings, "custom" if custom else scale, base.seeds, hashed, root / name))
    return plans


def changed(settings: Settings, changes: Mapping[str, str]) -> Settings:
    """Settings with fields set from text; commas separate lists. CannotRun for a bad field or value."""
    hints = get_type_hints(type(settings))
    values: dict[str, Any] = {}
    if "seeds" in changes:
        raise CannotRun("--set seeds: give the number of seeds with --seeds")
    for name, text in changes.items():
        if name not in hints:
            raise CannotRun(f"--set {name}: there is no such setting; there are {', '.join(hints)}")
        values[name] = _parse(name, text, hints[name])
    if values.get("threads", 1) < 1:
        raise CannotRun(f"--set threads={values['threads']}: a trial needs at least 1 thread")
    if "regimes" in values:
        if not values["regimes"]:
            raise CannotRun(f"--set regimes: name at least one of {', '.join(settings.regimes)}")
        unknown = [regime for regime in values["regimes"] if regime not in settings.regimes]
        if unknown:
            raise CannotRun(
                f"--set regimes: there is no regime {unknown[0]!r}; there are {', '.join(settings.regimes)}"
            )
    return dataclasses.replace(settings, **values)


def _parse(name: str, text: str, kind: Any) -> Any:
    inner = get_args(kind)
    if inner and inner[-1] is Ellipsis:
        return tuple(_parse(name, piece.strip(), inner[0]) for piece in text.split(",") if piece.strip())
    try:
        if kind is bool:
            return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]
        if kind in (int, float, str):
            return kind(text)
    except (ValueError, KeyError):
        pass
    raise CannotRun(f"--set {name}={text}: the value must be {getattr(kind, '__name__', kind)}")


# --- running ------------------------------------------------------------------------------------------------------


def run(
    method: str | Card,
    *,
    study: str | None = None,
    scale: str = "small",
    seeds: int | None = None,
    changes: Mapping[str, str] | None = None,
    jobs: int | None = None,
    folder: Path | None = None,
    prepare_only: bool = False,
    on_event: OnEvent = lambda event: None,
) -> list[Run]:
    """Run a method's studies, or resume them; returns the runs. What is on record is not computed again.

    `jobs` is the number of trials at a time (default: cores divided by the study's threads; a timed study always runs
    one). KeyboardInterrupt leaves the records whole and is raised again.
    """
    plans = plan(method, study=study, scale=scale, seeds=seeds, changes=changes, folder=folder)
    if jobs is not None and jobs < 1:
        raise CannotRun(f"--jobs is {jobs}; it must be at least 1")
    for one in plans:
        ask = option(one.study, "missing")
        lacking = ask(one.settings) if ask else []
        if lacking:
            raise CannotRun(f"{one.card.name}, study {one.study.name}: you have to supply {'; '.join(lacking)}")
    finished = []
    for one in plans:
        prepared = prepare(one, on_event)
        if not prepare_only:
            _drive(one, prepared, jobs, on_event)
            done = Run(one.folder)
            store(done, judge_run(one.card, one.study, done))
            finished.append(done)
    return finished


def prepare(plan: Plan, on_event: OnEvent = lambda event: None) -> Path:
    """The folder a study prepared, made now unless it was made before with the same settings, versions and code.

    One process at a time; an interrupted preparation starts again from an empty folder.
    """
    if option(plan.study, "prepare") is None:
        folder = home.prepared_folder() / "nothing"
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    content = [
        plan.card.name,
        plan.study.name,
        {k: v for k, v in declared(plan.settings).items() if k not in ("regimes", "threads")},
        {need.package: _version(need.package) for need in plan.card.needs},
        source_digest(plan.card),
    ]
    key = hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]
    folder = home.prepared_folder() / slug(f"{plan.card.name.replace('/', '.')}.{plan.study.name}.{key}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            with Crew(_task(plan, part), 1) as crew:
                crew.prepare(on_event)
            part.rename(folder)
    return folder


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _drive(plan: Plan, prepared: Path, jobs: int | None, on_event: OnEvent) -> None:
    info = {
        "method": plan.card.name,
        "study": plan.study.name,
        "scale": plan.scale,
        "protocol": plan.protocol,
        "planned": plan.planned,
        "seeds": plan.settings.seeds,
        "stand_in": stand_in(plan.study, plan.scale),
        "settings": dataclasses.asdict(plan.settings),
    }
    with RunWriter(plan.folder, info) as writer:
        complete, recorded = _on_record(Run(plan.folder))
        todo = [key for key in plan.trials() if key not in complete]
        total = len(plan.trials())
        on_event(Event("start", plan.study.name, done=total - len(todo), total=total))
        if todo:
            with Crew(_task(plan, prepared), _jobs(plan, jobs, len(todo))) as crew:
                crew.trials(todo, recorded, writer, on_event, total)
        shutil.rmtree(plan.folder / "cache", ignore_errors=True)
    on_event(Event("end", plan.study.name, done=total, total=total))


def _on_record(run: Run) -> tuple[set[tuple[str, int]], Recorded]:
    """The trials that need nothing more, and the arms of each trial that are not to be run again.

    An arm that was missing counts as not run once its packages are there; then its trial is opened again.
    """
    lines = list(run.lines())
    come = {
        (line["regime"], line["seed"], line["arm"])
        for line in lines
        if line.get("state") == "missing" and all(catalogue.installed(need) for need in line["needs"])
    }
    complete: set[tuple[str, int]] = set()
    recorded: Recorded = {}
    for trial in trials_of(lines):
        key = (trial.regime, trial.seed)
        missing = {arm for arm in trial.missing if (*key, arm) not in come}
        recorded[key] = frozenset(trial.arms) | frozenset(trial.failed) | missing
        if trial.complete and len(missing) == len(trial.missing):
            complete.add(key)
    return complete, recorded


def _task(plan: Plan, prepared: Path) -> Task:
    return Task(
        method=plan.card.name,
        module=f"{plan.card.module}.study",
        study=plan.study.name,
        settings=plan.settings,
        prepared=prepared,
        folder=plan.folder,
        needs={need.imports: need.install for need in plan.card.needs},
    )


def _jobs(plan: Plan, jobs: int | None, todo: int) -> int:
    if option(plan.study, "timed"):
        return 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(todo, jobs or max(1, cores // plan.settings.threads))
