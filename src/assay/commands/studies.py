"""`assay run` and `assay ledger`: studies with progress, and what came of them."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assay.commands.terminal import CommandError, console, counted, plain, print_json, say
from assay.studies.crew import Event, OnEvent

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""


def run(
    method: str,
    study: str | None,
    scale: str,
    seeds: int | None,
    changes: Sequence[str],
    jobs: int | None,
    folder: Path | None,
    prepare_only: bool,
    as_json: bool,
) -> int:
    """Run the studies of a method, or resume them, and say what came of it."""
    from assay.studies import run as runner

    settings = settings_of(changes)
    plans = runner.plan(method, study=study, scale=scale, seeds=seeds, changes=settings, folder=folder)
    try:
        with _progress() as on_event:
            done = runner.run(
                method,
                study=study,
                scale=scale,
                seeds=seeds,
                changes=settings,
                jobs=jobs,
                folder=folder,
                prepare_only=prepare_only,
                on_event=on_event,
            )
    except KeyboardInterrupt:
        say("stopped; what is done is on record, and the same command resumes")
        return STOPPED
    if prepare_only:
        if as_json:
            print_json({"prepared": [f"{one.card.name} {one.study.name}" for one in plans]})
        else:
            print(f"prepared: {', '.join(one.study.name for one in plans)}")
        return 0
    again = rerun_line(plans[0].card.name, study, scale, seeds, changes, jobs, folder)
    _finish(plans, done, again, as_json)
    return 0


def settings_of(changes: Sequence[str]) -> dict[str, str]:
    """`--set field=value` as a mapping. Raises CommandError for a malformed one, a repeated one, and for seeds."""
    found: dict[str, str] = {}
    for change in changes:
        name, equals, value = change.partition("=")
        name = name.strip()
        if not equals or not name:
            raise CommandError(f"--set {change}: write it as field=value")
        if name == "seeds":
            raise CommandError("--set seeds: the number of seeds is no setting to change; use --seeds")
        if name in found:
            raise CommandError(f"--set {name}: given twice; give it once")
        found[name] = value.strip()
    return found


def rerun_line(
    method: str,
    study: str | None,
    scale: str,
    seeds: int | None,
    changes: Sequence[str],
    jobs: int | None,
    folder: Path | None,
) -> str:
    """The command that runs, or resumes, the same studies."""
    parts = ["assay", "run", method]
    if study is not None:
        parts += ["--study", study]
    if scale != "small":
        parts += ["--scale", scale]
    if seeds is not None:
        parts += ["--seeds", str(seeds)]
    for change in changes:
        parts += ["--set", change]
    if jobs is not None:
        parts += ["--jobs", str(jobs)]
    if folder is not None:
        parts += ["--runs", str(folder)]
    return shlex.join(parts)


def _finish(plans: Sequence[Any], done: Sequence[Any], again: str, as_json: bool) -> None:
    """Judge the runs, write their reports, and print both."""
    from assay.studies.ledger import judge_run, line_dict, totals
    from assay.studies.report import write_report
    from assay.studies.tables import verdict_table

    lines, reports = [], []
    for plan, run in zip(plans, done, strict=True):
        mine = judge_run(plan.card, plan.study, run)
        lines.append(mine)
        reports.append(write_report(run))
    if as_json:
        runs = [
            {
                "folder": str(run.folder),
                "report": str(report),
                "lines": [line_dict(line) for line in mine],
                **_header(run),
            }
            for run, report, mine in zip(done, reports, lines, strict=True)
        ]
        print_json({"runs": runs, "rerun": again})
        return
    out = console()
    every = [line for mine in lines for line in mine]
    tested = [line for line in every if not line.regime and line.claim.by == "paper"]
    out.print(f"{totals(len(tested))}.", soft_wrap=False)
    out.print(verdict_table(every))
    out.print()
    if any(plan.scale == "custom" for plan in plans):
        out.print("Settings were changed: this is exploration, and stays out of the ledger.")
    for report in reports:
        out.print(f"report  {report}", soft_wrap=True)
    out.print(f"again   {again}", soft_wrap=True)


def _header(run: Any) -> dict[str, Any]:
    header = run.header
    return {
        name: getattr(header, name) for name in ("method", "study", "scale", "protocol", "state", "seeds", "trials")
    }


# --- progress ----------------------------------------------------------------------------------------------------


@contextmanager
def _progress() -> Iterator[OnEvent]:
    """Bars on a terminal, plain lines elsewhere; both on stderr."""
    if not console(stderr=True).is_terminal:
        yield Lines()
        return
    with bars() as on_event:
        yield on_event


@contextmanager
def bars() -> Iterator[OnEvent]:
    """A bar over all trials with the time left, and a line per trial under way with its arm."""
    from rich.console import Group
    from rich.live import Live
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    out = console(stderr=True)
    overall = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("trials"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=out,
        speed_estimate_period=3600,
    )
    under_way = Progress(TextColumn("  {task.description}"), BarColumn(bar_width=12), console=out)
    whole: dict[str, Any] = {}
    trials: dict[tuple[str, int], Any] = {}

    def show(event: Event) -> None:
        key = (event.regime, event.seed)
        if event.kind == "prepare":
            if "prepare" not in whole:
                whole["prepare"] = under_way.add_task("", total=1)
            under_way.update(whole["prepare"], description=plain(f"preparing {event.what}"), completed=event.done)
        elif event.kind == "start":
            if "prepare" in whole:
                under_way.remove_task(whole.pop("prepare"))
            whole["run"] = overall.add_task(f"study {plain(event.study)}", total=event.total, completed=int(event.done))
        elif event.kind == "arm" and event.state == "begin":
            if key not in trials:
                trials[key] = under_way.add_task("", total=1)
            under_way.update(trials[key], description=f"{_trial(event)}: {plain(event.arm)}", completed=0)
        elif event.kind == "progress" and key in trials:
            what = f"{_trial(event)}: {plain(event.arm)} {plain(event.what)}".rstrip()
            under_way.update(trials[key], description=what[:50], completed=event.done)
        elif event.kind in ("trial", "died"):
            if key in trials:
                under_way.remove_task(trials.pop(key))
            if event.kind == "trial":
                overall.update(whole["run"], completed=int(event.done))
        trouble = _trouble(event)
        if trouble:
            out.print(trouble)

    with Live(Group(overall, under_way), console=out, refresh_per_second=8):
        yield show


class Lines:
    """A plain line on stderr for each trial that ends, with the time left, and for each arm that fails."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._before = 0.0
        self._said = ""

    def __call__(self, event: Event) -> None:
        """Write what an event has to say."""
        if event.kind == "prepare":
            self._say(plain(f"study {event.study}: preparing {event.what}"))
        elif event.kind == "start":
            self._began, self._before = time.monotonic(), event.done
            self._say(f"study {event.study}: {int(event.done)} of {counted(event.total, 'trial')} on record")
        elif event.kind == "trial":
            self._say(
                f"study {event.study}: {int(event.done)} of {event.total} trials ({_trial(event)}){self._left(event)}"
            )
        elif _trouble(event):
            self._say(_trouble(event))

    def _left(self, event: Event) -> str:
        done = event.done - self._before
        left = (time.monotonic() - self._began) / done * (event.total - event.done)
        return f", {_span(left)} left" if event.total > event.done else ""

    def _say(self, line: str) -> None:
        if line != self._said:
            print(line, file=sys.stderr, flush=True)
            self._said = line


def _trial(event: Event) -> str:
    return plain(f"seed {event.seed}" if event.regime == "all" else f"{event.regime}, seed {event.seed}")


def _trouble(event: Event) -> str:
    """What a user should see of an event besides progress, or ""."""
    if event.kind == "arm" and event.state == "failed":
        return f"study {event.study}: {_trial(event)}: arm {plain(event.arm)} failed; recorded with its reason"
    if event.kind == "died":
        return f"study {event.study}: {_trial(event)}: a worker died ({plain(event.what)}); its trial starts again"
    return ""


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


# --- ledger ------------------------------------------------------------------------------------------------------


def ledger(method: str | None, folder: Path | None, write: Path | None, regimes: bool, as_json: bool) -> int:
    """Every claim, reported against measured, with its verdict; what could not be read stands on stderr."""
    from assay.studies.ledger import ledger as read_ledger
    from assay.studies.tables import verdict_table

    if folder is not None and not folder.is_dir():
        raise CommandError(f"--runs {folder}: there is no such folder; name the one that holds the runs")
    found = read_ledger(folder, [method] if method is not None else None)
    if write is not None:
        _write(write, found.to_markdown())
    if as_json:
        print_json(found.to_json())
        return 0
    if write is None:
        out = console()
        out.print(f"{found.totals()}.")
        out.print(verdict_table(found.lines, regimes=regimes))
    for problem in found.problems:
        say(problem)
    return 0


def _write(file: Path, text: str) -> None:
    """Write a text file in one step, through links, or say why not; "-" is stdout. Only plain files are replaced."""
    from assay.studies.records import write_atomic

    if str(file) == "-":
        print(text, end="")
        return
    target = file.resolve()
    if target.exists() and not target.is_file():
        raise CommandError(f"--write {file}: {'a folder' if target.is_dir() else 'not a plain file'}; name a file")
    if not target.parent.is_dir():
        raise CommandError(f"--write {file}: there is no folder {target.parent}; make it first")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise CommandError(f"--write {file}: it cannot be written; name another file")
    write_atomic(target, text)
    print(f"wrote {plain(file)}", file=sys.stderr)
