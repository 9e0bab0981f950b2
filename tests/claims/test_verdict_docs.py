"""docs/verdicts.md cannot go stale: every block of numbers and the table of error rates are computed again."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from assay.claims.effects import Cases, Failed, Outcome, Ratio, Rows, Rule
from assay.claims.verdict import CASES, FEWEST, WORDS, Verdict, combine

PAGE = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```verdict\n(.*?)```", PAGE, flags=re.DOTALL)


def number(text):
    return math.log(float(text.removeprefix("log "))) if text.startswith("log ") else float(text)


def value(text):
    if text in ("failed", "baseline failed"):
        return Failed("method" if text == "failed" else "baseline")
    if text.startswith("("):
        return Rows(tuple(number(x) for x in text.strip("()").split()))
    if " of " in text:
        violations, checked = map(int, text.split(" of "))
        return Cases(checked, violations, violations)
    if "/" in text:
        return Ratio(*map(number, text.split("/")))
    return number(text)


def outcome(lines):
    fields = {"effects": {}}
    for line in lines:
        name, content = line.split(": ", 1)
        name, _, baseline = name.partition(" against ")
        if name in ("unfit", "untested"):
            fields[name] = content
            continue
        values = [value(x) for x in content.split(", ")]
        if name == "itself":
            fields[name] = values
        else:
            fields.setdefault(name, {})[baseline] = values
    return Outcome(**fields)


def judged(block):
    head, *lines = [line for line in block.splitlines() if not line.startswith(("=>", "  "))]
    kind, *settings = head.split(", ")
    given = {key: x if key == "over" else number(x) for key, x in (setting.split(" = ") for setting in settings)}
    regimes, current = {}, None
    for line in lines:
        if line.startswith("regime "):
            current = line.removeprefix("regime ")
        else:
            regimes.setdefault(current, []).append(line)
    outcomes = {regime: outcome(part) for regime, part in regimes.items()}
    trials = max(len(values) for o in outcomes.values() for values in (o.effects or {"": [0] * 5}).values())
    rule = Rule(
        kind=kind,
        margin=given.get("d", 0.0),
        planned=int(given.get("planned", trials)),
        compares="magnitude" if "R" in given else "direction",
        reported=given.get("R"),
        over=given.get("over", "all"),
        resplit=given.get("resplit", 0.0),
        floor=given.get("floor"),
    )
    return combine(rule, outcomes)[0]


def printed(verdict: Verdict) -> list[str]:
    """The lines of a block that state its verdict."""
    line = f"=> {verdict}"
    if verdict.mean is not None:
        line += f", M = {verdict.mean:.3g}"
        line += f" [{verdict.low:.3g}, {verdict.high:.3g}]" if verdict.low is not None else ""
        line += f" at {100 * verdict.level:g} %"
    return [f"{line}, n = {verdict.n}", *(f"   {note}" for note in verdict.notes)]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_every_example_of_the_page_is_what_the_rules_say(block):
    assert [line for line in block.splitlines() if line.startswith(("=>", "  "))] == printed(judged(block))


def test_the_page_has_an_example_of_every_word():
    assert {re.search(r"=> (\w+)", block).group(1) for block in BLOCKS} == set(WORDS)


def test_the_page_explains_every_word_and_names_them_worst_first():
    for word in WORDS:
        assert f"| **{word}** |" in PAGE
    flat = " ".join(PAGE.split())
    assert "From worst to best: " + ", ".join(WORDS) + "." in flat
    assert f"None in {CASES} cases" in flat
    assert f"Fewer than {FEWEST} trials" in flat


def test_the_table_of_error_rates_is_what_simulation_gives():
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([\d.]+) % \| ([\d.]+) % \|$", PAGE, flags=re.MULTILINE)
    assert len(rows) == 4
    rng = np.random.default_rng(21)
    for n, reported, no_effect, third in rows:
        for share, printed_percent in ((0, no_effect), (1 / 3, third)):
            # Steps 4 to 8 never stop what step 9 accepts: its L is above 0 and its U above d.
            x = rng.normal(share * float(reported), 1.0, (100_000, int(n)))
            half = stats.t.ppf(0.975, int(n) - 1) * x.std(axis=1, ddof=1) / math.sqrt(int(n))
            mean = x.mean(axis=1)
            reproduced = (mean >= 0.8 * float(reported)) & (mean - half >= 0.5 * float(reported))
            # Three standard errors of 100,000 draws at 1 % are 0.1 percentage points.
            assert 100 * reproduced.mean() == pytest.approx(float(printed_percent), abs=0.1)
