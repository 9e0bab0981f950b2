"""The ledger as tables: for the terminal (rich), as LEDGER.md, and as HTML in a notebook. Same input, same bytes."""

from __future__ import annotations

import html
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.claims.claim import Claim
from assay.claims.effects import Cases, Ratio, Rows
from assay.claims.verdict import WORDS
from assay.studies.ledger import Ledger, Line
from assay.studies.study import Metric, Series, Trial
from assay.studies.wording import (
    RATIO_NOTE,
    clean,
    count,
    details,
    measured,
    number,
    remarks,
    reported_all,
    tone,
    without_paths,
)

_STYLES = {"supports": "green", "refutes": "magenta", "open": "bright_black"}


# --- terminal -----------------------------------------------------------------------------------------------------


def verdict_table(lines: Iterable[Line], regimes: bool = False) -> Table:
    """A table per method, one row per claim and test; with `regimes`, every regime below its test.

    Reads well from 80 columns on. Superseded lines are dim and say what they were.
    """
    grouped = by_method(lines)
    outer = Table.grid(expand=True)
    outer.add_column()
    for i, (method, mine) in enumerate(grouped.items()):
        if i:
            outer.add_row("")
        outer.add_row(Text(clean(method), style="bold") + Text(f"  basis: {clean(mine[0].basis)}", style="dim"))
        outer.add_row(_claims_table(mine, regimes))
    if any(line.measured_on == "log" and line.verdict.mean is not None for mine in grouped.values() for line in mine):
        outer.add_row(Text(RATIO_NOTE, style="dim"))
    return outer


def _claims_table(lines: Sequence[Line], regimes: bool) -> Table:
    table = Table(expand=True, box=SIMPLE_HEAD, pad_edge=False, header_style="bold", border_style="bright_black")
    for name, share in (("claim", 32), ("measured", 18), ("verdict", 26)):
        table.add_column(name, ratio=share, overflow="fold")
    said = ""
    for line in (line for line in lines if not line.regime):
        says = Text()
        if line.claim.id != said:  # a claim is written once, and its tests below it
            said = line.claim.id
            says.append(clean(line.claim.says))
            notes = [f"paper: {entry}" for entry in reported_all(line.claim)] if line.claim.by == "paper" else []
            for note in (*notes, *remarks(line.claim, ())):
                says.append(f"\n{clean(note)}", style="dim")
        if line.test and line.test != line.arm:
            says.append("\n" if says else "").append(f"with {clean(line.test)}", style="italic")
        style = "dim" if line.superseded else ""
        below = regimes_of(line, lines)
        table.add_row(says, Text(measured(line) or "-"), _verdict(line, below), style=style)
        for one in below if regimes else ():
            table.add_row(Text(f"· {clean(one.regime)}", style="dim"), Text(measured(one) or "-"), _verdict(one))
        table.add_row()
    return table


def _verdict(line: Line, below: Sequence[Line] = ()) -> Text:
    word, rest = line.verdict.word, clean(line.verdict.reason)
    text = Text("superseded, was " if line.superseded else "")
    text.append(word, style=f"bold {_STYLES[tone(word)]}")
    if rest:
        text.append(f"\n{rest}")
    if len(below) > 1:
        text.append(f"\n{tally(below)}", style="dim")
    return text


# --- shared by all forms ------------------------------------------------------------------------------------------


def by_method(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Lines by method, both in the order they come."""
    grouped: dict[str, list[Line]] = {}
    for line in lines:
        grouped.setdefault(line.method, []).append(line)
    return grouped


def claims_of(lines: Iterable[Line]) -> list[Claim]:
    """The claims that lines speak of, each once."""
    return list({line.claim.id: line.claim for line in lines}.values())


def regimes_of(line: Line, lines: Iterable[Line]) -> list[Line]:
    """The lines of single regimes under a line."""
    key = (line.run, line.study, line.claim.id, line.test)
    return [one for one in lines if one.regime and (one.run, one.study, one.claim.id, one.test) == key]


def _brief(notes: Sequence[str]) -> list[str]:
    """Notes with the first counterexample only, and how many more there are."""
    others = [note for note in notes if not note.startswith("counterexample")]
    found = [note for note in notes if note.startswith("counterexample")]
    more = [f"and {count(len(found) - 1, 'more counterexample')}, in the report"] if len(found) > 1 else []
    return [*found[:1], *more, *others]


def tally(lines: Sequence[Line]) -> str:
    """How many regimes got which verdict: "of 10 regimes: 7 contradicted, 3 inconclusive"."""
    words = Counter(line.verdict.word for line in lines)
    counts = ", ".join(f"{words[word]} {word}" for word in WORDS if word in words)
    return f"of {len(lines)} regimes: {counts}"


def short_run(line: Line) -> str:
    """What tells a run from others of its method: study and the start of the protocol's hash."""
    return f"{line.study} {line.run.rsplit('.', 1)[-1]}" if line.run else ""


# --- LEDGER.md ----------------------------------------------------------------------------------------------------

_COLUMNS = ("claim", "reported", "measured", "verdict", "how", "run")


def ledger_markdown(ledger: Ledger) -> str:
    """LEDGER.md: a section per method, a table of its claims, and every regime below."""
    parts = ["# Ledger", f"{ledger.totals()}.", _LEGEND]
    for method, lines in by_method(ledger.lines).items():
        parts += _section(method, lines)
    if ledger.problems:
        parts += ["## What could not be read", _list(ledger.problems)]
    return "\n\n".join(parts) + "\n"


_LEGEND = (
    "Measured: the effect and its interval, positive where the claim holds. " + RATIO_NOTE + " n: trials per regime "
    "(for claims of the kind `always`: cases); d: the smallest effect that matters; R: the reported effect, given only "
    "where quantity, data and model are the paper's own. Over several regimes the numbers are those of the regime that "
    "decides. Written by `assay ledger --write LEDGER.md`."
)


def _section(method: str, lines: Sequence[Line]) -> list[str]:
    current = [line for line in lines if not line.regime and not line.superseded]
    old = [line for line in lines if not line.regime and line.superseded]
    parts = [f"## {md(method)}", _about(lines)]
    for heading, by in (("", "paper"), ("### Checks of our own (not in the totals)", "us")):
        mine = [line for line in current if line.claim.by == by]
        if mine:
            parts += [heading] if heading else []
            firsts = {line.claim.id: line for line in reversed(mine)}.values()
            parts.append(_table(_COLUMNS, [_row(line, lines, any(line is first for first in firsts)) for line in mine]))
    for line in current:
        below = regimes_of(line, lines)
        if below:
            parts.append(_regimes(line, below))
    if old:
        parts += ["### Superseded", _list(f"{line.claim.says} ({short_run(line)}): {line}" for line in old)]
    return parts


def _about(lines: Sequence[Line]) -> str:
    stands = list(dict.fromkeys((line.study, line.stand_in) for line in lines if line.stand_in and not line.superseded))
    texts = [f"Basis: {md(lines[0].basis)}."]
    if len({text for _, text in stands}) == 1:
        texts.append(f"Stand-in: {md(stands[0][1])}.")
    else:
        texts += [f"Stand-in in {md(study)}: {md(text)}." for study, text in stands]
    return " ".join(text.replace("..", ".") for text in texts)


def _row(line: Line, lines: Sequence[Line], first: bool) -> list[str]:
    """A row of LEDGER.md. A claim and what is reported are written once, on the first of its tests."""
    says = [f"**{md(line.claim.id)}** {md(line.claim.says)}"] if first else []
    says += [f"*{md(note)}*" for note in remarks(line.claim, ())] if first and line.claim.by == "paper" else []
    says += [f"*with {md(line.test)}*"] if line.test and line.test != line.arm else []
    against = [f"against {md(', '.join(line.against))}"] if line.against else []
    verdict = [f"**{line.verdict.word}**" + (f" ({_plain(line.verdict.reason)})" if line.verdict.reason else "")]
    below = regimes_of(line, lines)
    verdict += [tally(below)] if len(below) > 1 else []
    verdict += [f"*{_plain(note)}*" for note in _brief(line.verdict.notes)]
    return [
        "<br>".join(says),
        "<br>".join(md(entry) for entry in reported_all(line.claim)) if first else "",
        "<br>".join([measured(line) or "-", *against]),
        "<br>".join(verdict),
        md(", ".join(details(line))) or "-",
        md(short_run(line)) or "-",
    ]


def _regimes(line: Line, below: Sequence[Line]) -> str:
    # A browser reads this line, not Markdown.
    title = html.escape(" · ".join(clean(part) for part in (line.claim.id, line.test) if part))
    rows = [
        [
            md(one.regime),
            measured(one) or "-",
            str(one.verdict.n),
            f"**{one.verdict.word}**" + (f" ({_plain(one.verdict.reason)})" if one.verdict.reason else ""),
            "<br>".join(_plain(note) for note in one.verdict.notes) or "-",
        ]
        for one in below
    ]
    table = _table(("regime", "measured", "n", "verdict", "notes"), rows)
    return f"<details><summary>{len(below)} regimes of {title}</summary>\n\n{table}\n\n</details>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(item)}" for item in items)


def _plain(text: str) -> str:
    return md(without_paths(clean(text)))


def md(text: object) -> str:
    """Text that Markdown shows as it is, in a table cell or a list: no markup, HTML, column or line of its own."""
    plain = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", plain)
    # What would start a heading, a list or a rule at the beginning of a line.
    plain = re.sub(r"^([#+=-]+)(?=\s|$)", r"\\\1", plain)
    return re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", plain)


# --- notebook -----------------------------------------------------------------------------------------------------


def ledger_html(ledger: Ledger) -> str:
    """The ledger in a notebook: one table per method, regimes folded away."""
    from assay.studies.report import render

    methods = []
    for method, lines in by_method(ledger.lines).items():
        rows = [
            {"line": line, "regimes": regimes_of(line, lines), "remarks": remarks(line.claim, claims_of(lines))}
            for line in lines
            if not line.regime
        ]
        methods.append({"name": method, "basis": lines[0].basis, "rows": rows})
    return render("ledger.html", totals=ledger.totals(), methods=methods, problems=ledger.problems)


# --- metrics of a run ----------------------------------------------------------------------------------------------


def metric_table(trials: Sequence[Trial], seconds: Mapping[tuple[str, str], float]) -> dict[str, Any]:
    """Columns, and per regime the rows (arm, trials, a cell per metric, seconds): mean and deviation over seeds."""
    metrics = list(dict.fromkeys(name for trial in trials for values in trial.arms.values() for name in values))
    groups: dict[str, dict[str, list[Mapping[str, Metric]]]] = {}
    for trial in trials:
        for arm, values in trial.arms.items():
            groups.setdefault(trial.regime, {}).setdefault(arm, []).append(values)
    regimes = {
        regime: [
            {
                "arm": arm,
                "n": len(found),
                "cells": [cell([values[name] for values in found if name in values]) for name in metrics],
                "seconds": number(seconds[regime, arm]) if (regime, arm) in seconds else "",
            }
            for arm, found in arms.items()
        ]
        for regime, arms in groups.items()
    }
    return {"metrics": metrics, "regimes": regimes}


def cell(values: Sequence[Metric]) -> str:
    """One metric of one arm over its seeds, in words: mean ± standard deviation, a pooled ratio, counted cases."""
    if not values:
        return ""
    parts = []
    numbers = [float(v) for v in values if isinstance(v, int | float)]
    numbers += [statistics.fmean(v.values) for v in values if isinstance(v, Rows) and v.values]
    finite = [v for v in numbers if math.isfinite(v)]
    if finite:
        spread = f" ± {number(statistics.stdev(finite))}" if len(finite) > 1 else ""
        parts.append(f"{number(statistics.fmean(finite))}{spread}")
    if len(finite) < len(numbers):
        parts.append(f"{len(numbers) - len(finite)} not finite")
    ratios = [v for v in values if isinstance(v, Ratio)]
    if ratios:
        num, den = sum(r.num for r in ratios), sum(r.den for r in ratios)
        parts.append(f"{number(num / den)} (pooled)" if den else "no denominator")
    cases = [v for v in values if isinstance(v, Cases)]
    if cases:
        broken, checked = sum(c.violations for c in cases), sum(c.checked for c in cases)
        parts.append(f"{broken} of {count(checked, 'case')} violated, {sum(c.confirmed for c in cases)} confirmed")
    curves = sum(isinstance(v, Series) for v in values)
    if curves:
        parts.append(count(curves, "curve"))
    texts = list(dict.fromkeys(v for v in values if isinstance(v, str)))
    return "; ".join(parts + texts)


def lost(trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """Arms that failed or were missing: what happened, why, and in which trials."""
    found: dict[tuple[str, str, str], list[Trial]] = {}
    for trial in trials:
        for state, reasons in (("failed", trial.failed), ("missing", trial.missing)):
            for arm, why in reasons.items():
                found.setdefault((arm, state, why), []).append(trial)
    return [
        {
            "arm": arm,
            "state": state,
            "why": without_paths(clean(why)),
            "n": len(where),
            "where": "every trial" if len(where) == len(trials) else _where(where),
        }
        for (arm, state, why), where in found.items()
    ]


def _where(trials: Sequence[Trial]) -> str:
    """ "seed 3 of calm; rough": regimes with the same seeds together."""
    by_regime: dict[str, list[int]] = {}
    for trial in trials:
        by_regime.setdefault(trial.regime, []).append(trial.seed)
    by_seeds: dict[str, list[str]] = {}
    for regime, seeds in by_regime.items():
        by_seeds.setdefault(_seeds(seeds), []).append(regime)
    return ". ".join(f"{seeds} of {'; '.join(regimes)}" for seeds, regimes in by_seeds.items())


def _seeds(seeds: Sequence[int]) -> str:
    """ "seeds 0-7", "seed 3", "seeds 0, 2, 5"."""
    ordered = sorted(seeds)
    if len(ordered) == 1:
        return f"seed {ordered[0]}"
    if ordered == list(range(ordered[0], ordered[-1] + 1)):
        return f"seeds {ordered[0]}-{ordered[-1]}"
    return f"seeds {', '.join(map(str, ordered))}"
