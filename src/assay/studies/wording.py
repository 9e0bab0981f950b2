"""How numbers, reported values and verdicts are written: alike in the terminal, in LEDGER.md and in reports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from assay.claims.claim import Claim, Reported
from assay.claims.verdict import OPEN, REFUTES
from assay.studies.ledger import Line

RATIO_NOTE = "A ratio (1.30x) compares the two arms and is signed so that above 1x favours the claim; 1x is no effect."
_SOURCES = {"paper": "", "code": "in the code", "notes": "from notes", "plot": "read off a plot"}
WHOSE = {"ours": "our code", "authors": "the authors' procedure"}


# --- text ---------------------------------------------------------------------------------------------------------


def clean(text: object) -> str:
    """Text on one line with nothing in it that a terminal or a browser could obey: no control or direction marks."""
    spaced = "".join(" " if c.isspace() else c if c.isprintable() else "\ufffd" for c in str(text))
    return " ".join(spaced.split())


def without_paths(text: str) -> str:
    """The text with absolute paths cut to their last two parts, so that no page names somebody's folders."""

    def short(match: re.Match[str]) -> str:
        parts = re.split(r"[\\/]", match.group())
        return "/".join(parts[-2:] if len(parts) > 3 else parts[-1:])

    return re.sub(r"(?<![\w/:.<)\]])(?:[A-Za-z]:)?(?:[\\/][^\s\\/:;,'\"]+)+", short, text)


def listed(names: Sequence[str], word: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}" if names else ""


def count(n: int, noun: str) -> str:
    """ "1 trial", "8 trials"."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


# --- numbers ------------------------------------------------------------------------------------------------------


def number(x: float) -> str:
    """Three significant digits; powers of ten only below 0.0001 and from a million on."""
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "∞" if x > 0 else "-∞"
    if x == 0:
        return "0"
    if 1e-4 <= abs(x) < 1e6:
        return f"{x:.{max(0, 2 - math.floor(math.log10(abs(x))))}f}"
    return f"{x:.2e}"


def ratio(x: float) -> str:
    """A log ratio as a factor: 0.262 is "1.30x", and 0.002 is "1.002x"."""
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "∞" if x > 0 else "0x"
    if abs(x) > 650:  # beyond what a float holds
        return f"1e{x / math.log(10):+.0f}x"
    factor = math.exp(x)
    away = abs(math.expm1(x))
    if not 0.1 <= factor < 10 or away < 1e-9:
        return f"{number(factor)}x"
    # Near 1x the digits that tell the ratio from 1, so that a margin of 1.002x is not shown as 1.00x.
    return f"{factor:.{max(2 - math.floor(math.log10(factor)), -math.floor(math.log10(away)))}f}x"


def effect(x: float, measured_on: str) -> str:
    """An effect, a margin or a reported effect on the scale it was measured on."""
    return ratio(x) if measured_on == "log" else number(x)


def margin(line: Line) -> str:
    """The margin as it was declared: "0.02", or "1.02x" on the log scale."""
    d = line.verdict.margin
    return "" if d is None else ratio(d) if line.measured_on == "log" else f"{d:.6g}"


def measured(line: Line) -> str:
    """ "M [L, U]", or what `always` counted, or "" where nothing was measured."""
    verdict = line.verdict
    if line.claim.kind == "always":
        return _cases(line)
    if verdict.mean is None:
        return ""
    low = -math.inf if verdict.low is None else verdict.low
    high = math.inf if verdict.high is None else verdict.high
    on = line.measured_on
    return f"{effect(verdict.mean, on)} [{effect(low, on)}, {effect(high, on)}]"


def _cases(line: Line) -> str:
    verdict = line.verdict
    if not verdict.n:
        return ""
    if verdict.word == "contradicted":
        return f"violations found in {count(verdict.n, 'case')}"
    if any(note.startswith("counterexample") for note in verdict.notes):
        return f"{count(verdict.n, 'case')} checked"
    return f"no confirmed violation in {count(verdict.n, 'case')}"


def details(line: Line) -> list[str]:
    """What belongs beside every verdict: n, level, d, R, scale, what is compared, whose code."""
    verdict, on = line.verdict, line.measured_on
    parts = []
    if verdict.n:
        parts += [f"n = {verdict.n}", f"{100 * verdict.level:.3g} %"]
    if verdict.margin is not None and line.claim.kind != "always":
        parts.append(f"d = {margin(line)}")
    if verdict.reported is not None:
        parts.append(f"R = {effect(verdict.reported, on)}")
    if line.run:
        parts += [f"scale {line.scale}", line.compares, WHOSE.get(line.of, line.of)]
    return parts


# --- what the paper reports ---------------------------------------------------------------------------------------


def reported(entry: Reported) -> str:
    """One reported number as the paper has it: "up to 24 %, Table 2 (accepted)"."""
    value = "" if entry.value is None else f"{entry.value:.12g}"
    head = " ".join(part for part in (entry.bound, value, entry.unit if value else "") if part)
    head = "; ".join(part for part in (head, entry.words) if part)
    where = ", ".join(part for part in (head, entry.at) if part)
    brackets = ", ".join(part for part in (_SOURCES.get(entry.source, entry.source), entry.version) if part)
    return clean(f"{where} ({brackets})" if brackets else where)


def reported_all(claim: Claim) -> list[str]:
    """Everything reported for a claim; one entry saying so where nothing is."""
    if claim.reported:
        return [reported(entry) for entry in claim.reported]
    return ["our own check" if claim.by == "us" else "no number"]


def remarks(claim: Claim, claims: Iterable[Claim]) -> list[str]:
    """What a reader must know of a claim besides its sentence: older and newer wordings, and whether it is ours."""
    known = {other.id: other for other in claims}
    notes = []
    if claim.by == "us":
        notes.append("a check of our own, left out of totals")
    if claim.replaces:
        old = known.get(claim.replaces)
        notes.append(f"replaces the older wording {claim.replaces}" + (f": “{clean(old.says)}”" if old else ""))
    notes += [f"older wording, replaced by {other.id}" for other in known.values() if other.replaces == claim.id]
    return notes


# --- verdicts in sentences ----------------------------------------------------------------------------------------


def explained(line: Line, regimes: Sequence[str] = ()) -> str:
    """The verdict in a sentence or two for a reader who has not met the words.

    `regimes` are the regimes of the test: over several, the reason starts with the one that decides.
    """
    decides, reason = _split(line.verdict.reason, regimes)
    word = line.verdict.word
    if word == "untested":
        said = f"Not tested: {reason}." if reason else "Not tested."
    elif word == "unfit":
        said = f"The test is not fit to judge the claim: {reason}." if reason else "The test is not fit to judge it."
    elif word == "inconclusive":
        said = _undecided(line, reason)
    else:
        said = _decided(line) + (f" ({reason}.)" if reason not in ("", "magnitude open", "exhaustive") else "")
    return f"{said} The regime that decides: {decides}." if decides else said


def _split(reason: str, regimes: Sequence[str]) -> tuple[str, str]:
    """(regime, reason) of a reason that names a regime first."""
    for regime in sorted(regimes, key=len, reverse=True):
        if reason == regime:
            return regime, ""
        if reason.startswith(f"{regime}: "):
            return regime, reason[len(regime) + 2 :]
    return "", reason


def _decided(line: Line) -> str:
    word, kind = line.verdict.word, line.claim.kind
    d = f"the margin of {margin(line)}"
    no_effect = "1x" if line.measured_on == "log" else "0"
    if kind == "always":
        return {
            "contradicted": "At least one case breaks the claim, and a second check confirmed it.",
            "reproduced": "Every case there is was checked, and none breaks the claim.",
        }.get(word, "No case checked breaks the claim, and there are enough of them to say that breaking it is rare.")
    if kind == "keeps":
        return {
            "contradicted": f"The loss is larger than {d}: the whole interval lies beyond it.",
            "reproduced": f"Any loss is smaller than {d}, in the very quantity the paper reports.",
        }.get(word, f"Any loss is smaller than {d}: the whole interval lies on the safe side of it.")
    return {
        "reproduced": "The effect reaches at least 80 % of the reported one, and its interval stays above half of it.",
        "weaker": "The effect goes in the claimed direction, but its interval lies below 80 % of the reported one.",
        "absent": f"An effect large enough to matter is excluded: the whole interval lies below {d}.",
        "contradicted": f"The effect goes the other way: its interval lies below {no_effect}, the estimate by at least "
        f"{d}.",
        "unspecific": "The effect is there, but a control, for which it should vanish, shows half of it or more.",
        "consistent": _consistent(line, no_effect),
    }[word]


def _consistent(line: Line, no_effect: str) -> str:
    start = f"The effect goes in the claimed direction: the whole interval lies above {no_effect}."
    if line.compares == "magnitude" and line.verdict.reported is not None:
        return f"{start} It is not settled whether it reaches the reported size."
    if line.compares == "mechanism":
        return f"{start} Scripted or synthetic conditions test the mechanism, so sizes are not compared."
    return f"{start} Sizes are not compared, since data or model are not the paper's own."


def _undecided(line: Line, reason: str) -> str:
    if reason == "pilot":
        return "A pilot: there is no verdict with fewer than 5 trials."
    if re.search(r"\d+ of \d+ trials$|trials, more than", reason):
        return f"There is a verdict only at the planned number of trials, twice or four times that ({reason})."
    if reason == "machine noise":
        return "The machine is too noisy: the arm raced against itself differs by more than the margin."
    if reason == "specificity open":
        return "The effect is there, but it is not resolved from that of the control."
    if reason.endswith(" cases"):
        return f"No confirmed case breaks the claim, but too few were checked to call that rare ({reason})."
    if reason:
        return f"Undecided: {reason}."
    if line.verdict.mean is None:
        return "Undecided: there are too few finished trials for an interval."
    if line.claim.kind == "keeps":
        return "Undecided: the interval holds losses within the margin as well as losses beyond it."
    return "Undecided: the interval holds no effect as well as effects that would matter."


def tone(word: str) -> str:
    """ "supports", "refutes" or "open": which way a verdict points."""
    return "refutes" if word in REFUTES else "open" if word in OPEN else "supports"


WORDS_IN_SHORT = {
    "reproduced": "the effect is there, in the reported size",
    "consistent": "the effect is there; its size is not compared, or not settled",
    "weaker": "the effect is there, but clearly smaller than reported",
    "absent": "an effect that would matter is excluded",
    "contradicted": "the effect goes the other way, or the claim is broken",
    "unspecific": "a control shows at least half of the effect too",
    "inconclusive": "the data do not decide",
    "unfit": "the test cannot judge the claim, for the reason given",
    "untested": "nobody ran it here, for the reason given",
}
"""What each verdict says, in half a sentence; docs/verdicts.md has the rules."""
