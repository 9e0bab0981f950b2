"""One self-contained HTML page per run, and what a run and a method show in a notebook.

The page is computed from the run's records each time. Where the study can no longer be imported, or is not the one that
ran, it shows the verdicts that were stored with the run and says so.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import shlex
import statistics
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from assay import catalogue
from assay.catalogue import Card
from assay.studies import wording
from assay.studies.ledger import Line, judge_run, stored_lines
from assay.studies.protocol import protocol
from assay.studies.records import Run, RunBroken, write_atomic
from assay.studies.study import Settings, Study, Test, Trial, option
from assay.studies.tables import lost, metric_table
from assay.studies.wording import WHOSE, clean, count, effect, listed, number, without_paths

_SITES = {
    "doi": "https://doi.org/",
    "arxiv": "https://arxiv.org/abs/",
    "openreview": "https://openreview.net/forum?id=",
}

SECTIONS = (
    ("scope", "Scope"),
    ("method", "Method"),
    ("results", "Results"),
    ("easy", "What was easy"),
    ("hard", "What was hard"),
    ("differences", "Differences"),
    ("environment", "Environment"),
    ("rerun", "How to rerun"),
)
"""Headings of a report, in their order."""


# --- what is read -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """Everything a page about a run is made from."""

    run: Run
    card: Card
    study: Study | None
    """The study as it is installed now, whether or not it is the one that ran."""
    current: bool
    """True where the installed study is the one that ran, so that verdicts are computed from the trials."""
    lines: tuple[Line, ...]
    trials: tuple[Trial, ...]
    problems: tuple[str, ...]

    @property
    def whole(self) -> list[Line]:
        return [line for line in self.lines if not line.regime]


def know(run: Run, card: Card | None = None, study: Study | None = None) -> Known:
    """Read a run with its card, its study and its verdicts, as far as they are still there."""
    problems = []
    if card is None:
        try:
            card = catalogue.find(run.method)
        except catalogue.UnknownMethod as error:
            problems.append(f"The card of this method cannot be read ({error}).")
            card = _bare_card(run)
    if study is None and card.module:
        study, why = _find_study(run, card)
        problems += [why] if why else []
    current = study is not None and _is_current(run, card, study)
    lines: list[Line] = []
    if study is not None and current:
        try:
            lines = judge_run(card, study, run)
        except (ValueError, LookupError) as error:
            problems.append(f"The verdicts cannot be computed: {error}. Those stored with the run are shown.")
    if not lines:
        try:
            lines = stored_lines(card, run, superseded=study is not None and not current)
        except RunBroken as error:
            problems.append(f"The stored verdicts cannot be read: {without_paths(str(error))}.")
        if not lines:
            problems.append("No verdicts are stored with this run; only its trials are shown.")
    return Known(run, card, study, current, tuple(lines), tuple(run.trials()), tuple(problems))


def _find_study(run: Run, card: Card) -> tuple[Study | None, str]:
    try:
        found = [study for study in catalogue.studies(card) if study.name == run.study]
    except Exception as error:  # noqa: BLE001 - a study may raise anything when imported; the page says what
        why = without_paths(f"{type(error).__name__}: {error}")
        return None, f"The study can no longer be imported ({why}). The verdicts stored with the run are shown."
    if not found:
        return None, f"{card.name} no longer has a study {run.study}. The verdicts stored with the run are shown."
    return found[0], ""


def _is_current(run: Run, card: Card, study: Study) -> bool:
    try:
        settings = settings_of(run, study)
    except TypeError:  # a setting was renamed or removed
        return False
    return protocol(card, study, settings, run.planned) == run.protocol


def settings_of(run: Run, study: Study) -> Settings:
    """The settings of a run as the study's own class. TypeError where the class has other fields by now."""
    return type(study.small)(**{name: _frozen(value) for name, value in run.info["settings"].items()})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def _bare_card(run: Run) -> Card:
    """What can be said of a method whose card is gone."""
    family, _, method = run.method.partition("/")
    return Card(
        name=run.method,
        family=family,
        method=method,
        module="",
        folder=run.folder,
        title=run.method,
        authors=(),
        venue="",
        year=0,
        status="",
        summary="",
        basis="",
        exports=(),
        extra=None,
        easy="",
        hard="",
        full="",
    )


# --- pages --------------------------------------------------------------------------------------------------------


def report_html(run: Run, card: Card | None = None, study: Study | None = None) -> str:
    """The report of a run as one HTML page that opens from disk, without script and without network.

    `card` and `study` are found by the run's method where they are not given. RunBroken where the records themselves
    cannot be read.
    """
    known = know(run, card, study)
    numbers = {id: i for i, id in enumerate(dict.fromkeys(line.claim.id for line in known.whole), start=1)}
    commit = run.info["sessions"][-1].get("commit") or ""
    return render(
        "report.html",
        known=known,
        sections=SECTIONS,
        line_number=lambda line: numbers[line.claim.id],
        all_claims=[row["claim"] for row in _scope(known)],
        over_text=_OVER,
        changed_source=commit.endswith("+"),
        card=known.card,
        run=run,
        notices=notices(known),
        links=links(known.card),
        scope=_scope(known),
        claims=_claims(known),
        stand_in=run.info.get("stand_in", ""),
        about=_about(known),
        arms=_arms(known),
        settings=_settings(known),
        tests=_tests(known),
        curves=_figures("curves", known),
        metrics=_figures("metrics", known),
        table=metric_table(known.trials, _seconds(run)),
        lost=lost(known.trials),
        open_trials=[trial for trial in known.trials if not trial.complete],
        sessions=_sessions(run),
        key_versions=_key_versions(run, known.card),
        commands=commands(known),
        any_log=any(line.measured_on == "log" for line in known.lines),
    )


def write_report(run: Run) -> Path:
    """Write report.html into the run's folder, in one step; returns its path."""
    file = run.folder / "report.html"
    write_atomic(file, report_html(run))
    return file


def run_html(run: Run) -> str:
    """A run in a notebook: its verdicts and their intervals."""
    known = know(run)
    shown = known.lines if len(known.lines) <= 40 else known.whole
    return render("run.html", known=known, run=run, notices=notices(known), figure=_effects(shown))


def card_html(card: Card) -> str:
    """A method in a notebook: its paper, its claims, what differs, how to run it."""
    # A family hands on what its own methods export; a plug-in's parent package need not.
    source = card.module.rsplit(".", 1)[0] if card.module.startswith("assay.methods.") else card.module
    return render("card.html", card=card, links=links(card), source=source)


def render(template: str, **data: Any) -> str:
    """A template of this package, filled in. Every value is cleaned and escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: clean(value) if type(value) is str else value,
    )
    environment.globals.update(
        count=count,
        details=wording.details,
        effect=effect,
        explained=wording.explained,
        listed=listed,
        measured=wording.measured,
        number=number,
        ratio_note=wording.RATIO_NOTE,
        remarks=wording.remarks,
        reported_all=wording.reported_all,
        tone=wording.tone,
        words=wording.WORDS_IN_SHORT,
    )
    return environment.get_template(template).render(data)


# --- the top ------------------------------------------------------------------------------------------------------


def notices(known: Known) -> list[str]:
    """What a reader has to know before anything else: superseded, unfinished, exploratory, unreadable."""
    run = known.run
    said = []
    if known.study is not None and not known.current:
        said.append(
            "Superseded: settings, tests or code have changed since this run, so its protocol is no longer the current "
            "one. The verdicts are those stored when it ended."
        )
    planned = int(run.info["seeds"]) * len(run.info["settings"]["regimes"])
    done = sum(trial.complete for trial in known.trials)
    state = {
        "running": "This run is still under way.",
        "killed": "The process of this run was killed.",
        "stopped": "This run was stopped before its end.",
    }.get(run.state)
    progress = f"{done} of {count(planned, 'trial')} are complete"
    if state:
        said.append(f"{state} {progress}; assay run resumes it.")
    elif done < planned:
        said.append(f"Unfinished: {progress}.")
    if run.scale == "custom":
        said.append("Exploration: its settings were changed, so this run stays out of the ledger.")
    return said + list(known.problems)


def links(card: Card) -> list[tuple[str, str]]:
    """(text, address) of the paper's identifiers and links; the address is "" where it is none a browser may follow."""
    found = []
    for name, value in card.ids.items():
        site = _SITES.get(name.lower())
        found.append((f"{name} {value}", site + quote(value, safe="/") if site else ""))
    for name, value in card.links.items():
        parts = urlsplit(value) if value.isprintable() else None
        safe = parts is not None and parts.scheme in ("http", "https") and bool(parts.netloc)
        address = quote(value, safe=":/?#[]@!$&'()*+,;=%~") if safe else ""
        found.append((name if safe else f"{name}: {value}", address))
    return found


def _scope(known: Known) -> list[dict[str, Any]]:
    """Every claim of the card (and of the lines), with how it is tested here or why not."""
    claims = {claim.id: claim for claim in (*known.card.claims, *(line.claim for line in known.lines))}
    rows = []
    for claim in claims.values():
        here = [line for line in known.whole if line.claim.id == claim.id]
        why = "" if here else claim.untested or "not tested by this study"
        rows.append({"claim": claim, "here": here, "why": why})
    return rows


# --- method -------------------------------------------------------------------------------------------------------


def _about(known: Known) -> list[str]:
    """What the study's own texts say it does, and when it is fit to judge."""
    if known.study is None or not known.current:
        return []
    fits = option(known.study, "fits")
    texts = [vars(type(known.study)).get("__doc__"), f"Precondition: {fits.__doc__}" if fits and fits.__doc__ else None]
    return [clean(text) for text in texts if text]


def _arms(known: Known) -> list[dict[str, Any]]:
    """Every arm on record or named by a test: what it is for, and how often it finished."""
    roles: dict[str, list[str]] = {}

    def add(name: str | None, role: str) -> None:
        if name and role not in roles.setdefault(name, []):
            roles[name].append(role)

    tests: Sequence[Test | Line] = known.study.tests if known.study is not None and known.current else known.whole
    for test in tests:
        add(test.arm, "method")
        for name in test.against:
            add(name, "baseline")
        if isinstance(test, Test):
            add(test.control, "control")
            add(test.simpler, "simpler arm")
            add(test.spoiled, "spoiled arm")
            add(test.itself, "the method raced against itself")
    for trial in known.trials:
        for name in (*trial.arms, *trial.failed, *trial.missing):
            roles.setdefault(name, [])
    return [
        {
            "name": name,
            "role": listed(role) or "also run",
            "done": sum(name in trial.arms for trial in known.trials),
            "failed": sum(name in trial.failed for trial in known.trials),
            "missing": sum(name in trial.missing for trial in known.trials),
        }
        for name, role in roles.items()
    ]


def _settings(known: Known) -> list[tuple[str, str, str]]:
    """(name, value, what it means) of each setting."""
    docs = field_docs(type(known.study.small)) if known.study is not None else {}
    places = _places(known)
    rows = []
    for name, value in known.run.info["settings"].items():
        text = "; ".join(map(str, value)) if isinstance(value, list) else _setting(value)
        if name in places and text:
            text = "a folder on the machine of the run"
        rows.append((name, without_paths(text) or "none", docs.get(name, "")))
    return rows


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(_setting(item) for item in value) if isinstance(value, list | tuple) else str(value)


def field_docs(kind: type) -> dict[str, str]:
    """The texts under the fields of a class and its bases; none where the source cannot be had."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            for field, text in zip(node.body, node.body[1:], strict=False):
                if (
                    isinstance(field, ast.AnnAssign)
                    and isinstance(field.target, ast.Name)
                    and isinstance(text, ast.Expr)
                    and isinstance(text.value, ast.Constant)
                    and isinstance(text.value.value, str)
                ):
                    docs[field.target.id] = clean(text.value.value)
    return docs


def _tests(known: Known) -> list[dict[str, Any]]:
    """Each test spelled out as (term, text) pairs."""
    if known.study is not None and known.current:
        return [
            {"claim": test.claim, "label": test.label or test.arm, "facts": list(_facts(test, known))}
            for test in known.study.tests
        ]
    return [{"claim": line.claim.id, "label": line.test, "facts": list(_line_facts(line))} for line in known.whole]


def _facts(test: Test, known: Known) -> Iterable[tuple[str, str]]:
    kind = next((claim.kind for claim in known.card.claims if claim.id == test.claim), "more")
    regimes = known.run.info["settings"]["regimes"]
    yield "Arm", test.arm
    if test.against:
        yield "Against", _against(test.against, kind)
    for term, arm, why in (
        ("Control", test.control, "its effect must vanish"),
        ("Simpler arm", test.simpler, "asks whether less does as well"),
        ("Spoiled arm", test.spoiled, "the test must catch it"),
        ("Raced against itself", test.itself, "shows the noise of the machine"),
    ):
        if arm:
            yield term, f"{arm} ({why})"
    doc = inspect.getdoc(test.measure) if inspect.isfunction(test.measure) else None
    name = getattr(test.measure, "__qualname__", type(test.measure).__qualname__)
    yield "Measure", f"{name}: {doc.split(chr(10) * 2)[0]}" if doc else name
    if kind != "always":
        yield "Scale", _SCALE[test.scale]
        d = effect(test.margin, "log") if test.scale == "log" else f"{test.margin:.6g}"
        yield "Margin d", f"{d}, the smallest effect that matters"
        yield (
            "Compares",
            _COMPARES[test.compares]
            + (f"; R = {effect(test.reported, test.scale)}" if test.reported is not None else ""),
        )
    if len(regimes) > 1:
        yield "Over regimes", _OVER[test.over]
    if test.regimes is not None:
        here = [regime for regime in test.regimes if regime in regimes]
        elsewhere = len(test.regimes) - len(here)
        named = "; ".join(here) or "none of this run"
        yield "In regimes", f"{named} (and {elsewhere} at another scale)" if elsewhere else named
    if test.resplit:
        yield (
            "Re-splits",
            f"trials split one data set anew, n_test / n_train = {test.resplit:g}; the interval is widened for it",
        )
    yield (
        "Failed trials",
        "leave at most consistent" if test.floor is None else f"count as {effect(test.floor, test.scale)}",
    )
    yield "Tested on", WHOSE[test.of]


def _line_facts(line: Line) -> Iterable[tuple[str, str]]:
    yield "Arm", line.arm
    if line.against:
        yield "Against", _against(line.against, line.claim.kind)
    yield "Scale", _SCALE.get(line.measured_on, line.measured_on)
    if line.verdict.margin is not None:
        yield "Margin d", wording.margin(line)
    yield "Compares", _COMPARES.get(line.compares, line.compares)
    yield "Over regimes", _OVER.get(line.over, line.over)
    yield "Tested on", WHOSE.get(line.of, line.of)


def _against(names: Sequence[str], kind: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{listed(names)}; {'all must be kept up with' if kind == 'keeps' else 'all must be beaten'}"


_SCALE = {"difference": "difference; 0 is no effect", "log": "logarithm of a ratio, shown as a factor; 1x is no effect"}
_COMPARES = {
    "magnitude": "the size of the effect, since quantity, data and model are the paper's own",
    "direction": "the direction only",
    "mechanism": "the mechanism only, under scripted or synthetic conditions",
}
_OVER = {
    "all": "must hold in all; the worst decides",
    "mean": "the mean within a seed decides",
    "some": "the best decides, judged more strictly for having been picked",
}


# --- results ------------------------------------------------------------------------------------------------------


def _claims(known: Known) -> list[dict[str, Any]]:
    """Claim by claim: its lines, each with its figure and its regimes."""
    blocks: dict[str, dict[str, Any]] = {}
    for line in known.whole:
        block = blocks.setdefault(line.claim.id, {"claim": line.claim, "tests": []})
        regimes = [one for one in known.lines if one.regime and (one.claim.id, one.test) == (line.claim.id, line.test)]
        block["tests"].append({"line": line, "regimes": regimes, "figure": _effects([line, *regimes])})
    return list(blocks.values())


def _effects(lines: Sequence[Line]) -> Markup | None:
    from assay.studies import plots

    chart = plots.effects(lines)
    label = f"Effects and intervals, {count(len(lines), 'row')}; the table holds the same numbers"
    return None if chart is None else Markup(plots.svg(chart, label))  # noqa: S704 - SVG whose texts are escaped


def _figures(kind: str, known: Known) -> list[tuple[str, Markup]]:
    from assay.studies import plots

    charts = plots.curves(known.trials) if kind == "curves" else plots.metrics(known.trials)
    return [(name, Markup(plots.svg(chart, f"{name} by arm and regime"))) for name, chart in charts.items()]  # noqa: S704


def _seconds(run: Run) -> dict[tuple[str, str], float]:
    """Mean wall time of an arm in a regime, in seconds."""
    spent: dict[tuple[str, str], list[float]] = {}
    for line in run.lines():
        if line.get("state") == "done" and "wall" in line:
            spent.setdefault((line["regime"], line["arm"]), []).append(float(line["wall"]))
    return {key: statistics.fmean(values) for key, values in spent.items()}


# --- environment and rerun ----------------------------------------------------------------------------------------


def _sessions(run: Run) -> list[dict[str, Any]]:
    """The sessions of a run; a version list only where it differs from the session before."""
    sessions: list[dict[str, Any]] = []
    before: Any = None
    for session in run.info["sessions"]:
        versions = session.get("versions", {})
        sessions.append({**session, "versions": versions, "same": versions == before})
        before = versions
    return sessions


def _key_versions(run: Run, card: Card) -> list[tuple[str, str]]:
    """The packages the result hangs on: Assay, the numerical base, the method's extra and its studies' needs."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    wanted = ["assay", "numpy", "scipy", *(need.package for need in card.needs)]
    if card.extra is not None:
        wanted += [
            need.name
            for need in map(Requirement, metadata.requires("assay") or [])
            if need.marker is not None
            and need.marker.evaluate({"extra": card.extra})
            and not need.marker.evaluate({"extra": ""})
        ]
    session = run.info["sessions"][-1]
    found = {canonicalize_name(name): version for name, version in session.get("versions", {}).items()}
    names = dict.fromkeys(canonicalize_name(name) for name in wanted)
    return [(name, found[name]) for name in names if name in found]


def commands(known: Known) -> list[str]:
    """The shell commands that repeat the run, from a checkout where the commit is on record."""
    run, card = known.run, known.card
    commit = run.info["sessions"][-1].get("commit")
    lines = []
    if commit:
        lines.append(f"git checkout {shlex.quote(commit.rstrip('+'))}")
        lines.append(f"pip install -e {shlex.quote(f'.[{card.extra}]') if card.extra else '.'}")
    else:
        lines.append(catalogue.install_line(card) if card.extra else "pip install assay")
    if card.needs:
        lines.append(f"assay doctor {shlex.quote(card.name)} --install")
    return [*lines, " ".join(_run_command(known))]


def _run_command(known: Known) -> Iterable[str]:
    run = known.run
    settings = {name: value for name, value in run.info["settings"].items() if name != "seeds"}
    yield f"assay run {shlex.quote(run.method)} --study {shlex.quote(run.study)}"
    scale = run.scale
    if known.study is not None:
        scales = {name: dataclasses.asdict(getattr(known.study, name)) for name in ("small", "full")}
        if scale not in scales:  # changed settings: the scale they are nearest to
            scale = min(scales, key=lambda name: len(_changes(settings, scales[name])))
        changed = _changes(settings, scales[scale])
        places = _places(known)
        if scale in ("small", "full"):
            yield f"--scale {scale}"
        for name, text in changed.items():
            yield f"--set {name}=FOLDER" if name in places else f"--set {shlex.quote(f'{name}={text}')}"
    elif scale in ("small", "full"):
        yield f"--scale {scale}"
    if run.info["seeds"] != run.planned:
        yield f"--seeds {run.info['seeds']}"


def _places(known: Known) -> set[str]:
    """Settings that only say where something lies on the machine of the run."""
    fields = dataclasses.fields(known.study.small) if known.study is not None else ()
    return {field.name for field in fields if not field.metadata.get("protocol", True)}


def _changes(settings: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, str]:
    written = {name: _setting(value) for name, value in base.items()}
    return {name: _setting(value) for name, value in settings.items() if written.get(name) != _setting(value)}
