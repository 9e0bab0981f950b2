"""Quantities in a sentence: per cent and percentage points, multiples, ranges, "from 72.1 to 72.3", orders of magnitude.

Works on plain text and on TeX as printed ("35\\%", "$2\\times$", "$\\sim$30%"): offsets are those of the text given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from assay.claims.cues import METRICS, UNITS, WORD_NUMBERS
from assay.claims.directions import direction_of_number


@dataclass(frozen=True)
class Quantity:
    """One quantity. `value` holds one number, or two for a range or a change from the first to the second."""

    value: tuple[float, ...]
    unit: str
    """"%", "pp" (percentage points), "x" (a multiple), "orders of magnitude", or a unit or metric as written: "dB"."""
    qualifier: str
    """"", "up to", "at least", "over", "about", "range" or "from-to"."""
    direction: str
    """Which way the thing measured goes: "up", "down", or "" for a level that is only stated."""
    start: int
    end: int
    """Offsets into the text."""


_SIGN = r"(?:\\?%|\\,?\\%|\s?(?:per ?cent|percent)\b)"
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,5}|\d{1,15}(?!\d))(?:\.\d{1,15})?"
_NUM = rf"(?<![\w.\-/])[-+−~≈<>≥≤]*(?:\\(?:sim|approx|geq?|leq?)\s?)?{_NUMBER}"
_D = r"\$?"
_TO = rf"{_D}\s?(?:-|–|—|--|~|to)\s?{_D}"
_AND = rf"{_D}\s?(?:-|–|—|--|~|to|and)\s?{_D}\+?"
_TIMES = (
    r"(?:\s?\{?\\times\}?(?!\s?\d)|\s?×(?!\s?\d)|\s?[xX](?!\w)|(?:-|\s)?fold\b|"
    r"\s?times\b(?! (?:step|series|point|interval|complexity|in|per|during|over|on)\b))"
)
_POINTS = r"(?:\s?(?:\\?%\s?)?(?:absolute )?(?:percentage|percent|%) points?\b|\s?pp\b|\s?p\.p\.|(?:-|\s)?points?\b)"
_ABSOLUTE = rf"\s?{_SIGN} absolute\b|(?<=absolute )"
_MARK = rf"{_SIGN}|{_TIMES}|\s?(?:{UNITS})\b"
_ACRONYM = r"[A-Z][\w@-]*[A-Z][\w@.-]*\w|[A-Z]{2,}"
_SOME = r"an?|one|two|three|four|five|six|several|multiple|many"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("from-to", re.compile(
        rf"\bfrom {_D}(?P<a>{_NUM}){_D}(?P<ua>{_MARK})?{_D}(?:\s[\w'-]+){{0,8}}?\s?(?:to|down to|up to)\s(?:only |just |about |over )?"
        rf"{_D}(?P<b>{_NUMBER}){_D}(?P<ub>{_MARK})?{_D}(?!\w)")),
    ("between", re.compile(
        rf"\bbetween {_D}(?P<a>{_NUM}){_D}(?P<ua>{_MARK})?{_D} and {_D}\+?(?P<b>{_NUMBER}){_D}(?P<ub>{_MARK}|\s(?:{METRICS})\b|{_POINTS}){_D}(?!\w)")),
    ("points", re.compile(rf"{_D}(?P<a>{_NUM}){_D}(?:{_AND}(?P<b>{_NUMBER}){_D})?{_POINTS}")),
    ("metric-points", re.compile(
        rf"{_D}(?P<a>{_NUM}){_D}(?:{_TO}(?P<b>{_NUMBER}){_D})?\s(?:absolute |relative )?(?P<u>{METRICS}|{_ACRONYM})[ -](?:scores? )?points?\b")),
    ("percent-range", re.compile(rf"{_D}(?P<a>{_NUM}){_D}\s?{_SIGN}?{_TO}(?P<b>{_NUMBER}){_D}\s?{_SIGN}{_D}")),
    ("percent", re.compile(rf"{_D}(?P<a>{_NUM}){_D}\s?{_SIGN}{_D}(?!\w)")),
    ("times-range", re.compile(rf"{_D}(?P<a>{_NUM}){_D}{_TIMES}?{_TO}(?P<b>{_NUMBER}){_D}{_TIMES}{_D}")),
    ("times", re.compile(rf"{_D}(?P<a>{_NUM}){_D}{_TIMES}{_D}")),
    ("times-word", re.compile(
        rf"\b(?P<w>{'|'.join(WORD_NUMBERS)})(?:\s|-)(?:times\b(?! (?:in|per|during|over|on)\b)|fold\b)|\b(?P<h>twice)\b(?= (?:as|the|faster|more|less|better))")),
    ("magnitude", re.compile(
        rf"(?:(?P<a>{_NUM}){_D}?(?:{_AND}(?P<b>{_NUMBER}))?{_D}\s|(?:\b(?P<w>{_SOME})(?:(?: to |-to-)(?P<v>two|three|four|five))?\s)?)"
        r"(?:full |whole )?orders?[- ]of[- ]magnitudes?\b", re.I)),
    ("half", re.compile(
        r"\b(?:(?<=by )|(?<=in )|(?<=than )|(?<=only )|(?<=about )|(?<=nearly )|(?<=almost )|(?<=roughly )|(?<=approximately )|(?<=over )|(?<=with ))"
        r"(?P<h>half)\b(?! (?:a|an)\b)|\b(?P<i>half)(?= (?:of )?the\b)|\b(?P<k>halv(?:e|es|ed|ing))\b")),
    ("double", re.compile(r"\b(?P<d>doubl(?:e|es|ed|ing)|tripl(?:e|es|ed|ing))\b(?= (?:the|its|their|our|that of|performance|accuracy))")),
    ("unit", re.compile(rf"{_D}(?P<a>{_NUM}){_D}(?:{_TO}(?P<b>{_NUMBER}){_D})?\s?(?P<u>{UNITS})(?![\w-])")),
    ("metric-first", re.compile(
        rf"\b(?P<u>{METRICS})(?: scores?| metric| values?)?(?: (?:of|by|is|to|reaches|at|gain|improvement|increase)| =|:)+ "
        rf"(?:up to |about |around |only |over |nearly )?{_D}(?P<a>{_NUM}){_D}(?!\s?(?:{_SIGN}|\d|[a-z]*-?(?:fold|times)))")),
    ("acronym-first", re.compile(
        rf"\b(?P<u>{_ACRONYM})(?: scores?| metric| values?)? of (?:up to |about |around |only |over |nearly )?{_D}(?P<a>\d*\.\d+){_D}(?!\s?(?:{_SIGN}|\d))")),
    ("metric-last", re.compile(
        rf"{_D}(?P<a>{_NUM}){_D}(?:{_TO}(?P<b>{_NUMBER}){_D})?\s(?:absolute |relative |average |mean |test )*(?P<u>{METRICS})\b")),
    ("acronym-last", re.compile(
        rf"{_D}(?P<a>(?<![\w.\-/])\+?\d*\.\d+){_D}\s(?P<u>{_ACRONYM})(?= (?:improve|increase|gain|reduc|decrease|boost|drop|score)|[,.)]| (?:on|over|in|for|and)\b)")),
    ("number-by", re.compile(
        rf"\b(?:by|of) (?:a (?:margin|factor) of )?(?:up to |about |around |over |at least |nearly |almost )?{_D}(?P<a>\+?{_NUMBER}){_D}"
        r"(?=[,.;)]\D|[,.;)]?$| (?:on|in|over|and|compared|for|across|when|while|with)\b)")),
)  # fmt: skip
"""Forms of a quantity, in order of trial: a place that one form has taken is closed to those after it."""

_FACTOR = re.compile(r"\bfactors? of(?: about| roughly| up to| over| at least| nearly| almost)? \$?$")
_QUALIFIERS = (
    ("up to", re.compile(r"\b(?:up to|as (?:much|high|many) as|at most|a maximum(?: \w+)? of|upwards? of)(?: an?)?(?: \w+)?\s*[\$~+]*$", re.I)),
    ("at least", re.compile(r"\b(?:at least|a minimum of|no less than)(?: an?)?\s*\$?$", re.I)),
    ("over", re.compile(r"(?:\b(?:over|more than|above|exceed\w*|beyond|greater than|larger than|higher than)(?: an?)?|>|\\g(?:t|eq?)|≥)\s*\$?$", re.I)),
    ("about", re.compile(
        r"(?:\b(?:about|around|roughly|approximately|nearly|almost|close to|some|circa|on average)(?: an?)?|~|≈|\\(?:sim|approx))\s*[\$\\]*$",
        re.I)),
)  # fmt: skip
_INSIDE = re.compile(r"^\$?\s*(?P<s>[~≈]|\\sim|\\approx|>|≥|\\geq?)")
_AFTER = re.compile(r"^\s?(?:\$?\+\$?(?=\W)|or (?:more|higher|greater)\b)")
_CONTEXT = re.compile(r"\b(?:during|every|per|over a)\s\$?$")
_CONTEXT_AFTER = re.compile(
    r"^\s(?:of (?:testing|training|data|videos?|audio|speech)|(?:time )?(?:horizon|windows?|intervals?))\b"
)
"""What tells that a unit says how long or how much was looked at: no result."""
_RANGING = re.compile(
    r"\b(?:ranges?|intervals?|tolerances?)\b[^,;.]{0,60}$|\b(?:rang\w+|vary\w*|varies|span\w*|anywhere|values?)\s$|\b\w*(?:improvement|reduction|gain|increase|speed-?up|decrease|boost|saving)s?(?: \w+)?\s$"
)


_SIGNAL = re.compile(r"\d|half\b|halv|twice|fold\b|times\b|magnitude|doubl|tripl")
"""What every quantity has: without it a sentence need not be looked at closely."""


def quantities(text: str, start: int, end: int) -> list[Quantity]:
    """The quantities between two offsets of a text, in order, none inside another."""
    sentence = text[start:end]
    if not _SIGNAL.search(sentence):
        return []
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if any(match.start() < stop and match.end() > begin for begin, stop in taken):
                continue
            one = _quantity(kind, match, sentence)
            if one is not None:
                taken.append(match.span())
                found.append(one)
    found = _sharing_units(sorted(found, key=lambda one: one.start), sentence)
    found = _sharing_directions(found, sentence)
    return [replace(one, start=start + one.start, end=start + one.end) for one in found]


def _quantity(kind: str, match: re.Match[str], sentence: str) -> Quantity | None:
    """What a match says, with offsets into the sentence; None where a closer look finds no quantity."""
    groups = match.groupdict()
    value = tuple(_number(groups[name]) for name in ("a", "b") if groups.get(name))
    qualifier = _qualifier(sentence, match)
    unit = "%" if kind.startswith("percent") else "x" if kind.startswith("times") else groups.get("u") or ""
    direction = None
    if kind in ("from-to", "between"):
        unit = _unit(groups["ub"] or groups["ua"] or "")
        ranging = kind == "between" or bool(_RANGING.search(sentence[: match.start()]))
        if not unit and (ranging or all(number == int(number) and number >= 1000 for number in value)):
            return None
        qualifier = "range" if ranging else "from-to"
        if not ranging:
            direction = "up" if value[1] > value[0] else "down" if value[1] < value[0] else ""
    elif kind == "points" or (kind == "percent" and _is_absolute(match, sentence)):
        unit = "pp"
    elif kind == "unit" and _is_context(match, sentence):
        return None
    elif kind == "magnitude":
        unit = "orders of magnitude"
        words = [word.lower() for word in (groups["w"], groups["v"]) if word]
        value = value or tuple(WORD_NUMBERS.get(word, 2.0) for word in words) or (1.0,)
        vague = not groups["a"] and (not words or words[0] in ("several", "multiple", "many"))
        qualifier = qualifier or ("at least" if vague else "")
    elif kind in ("half", "double", "times-word"):
        word = next(told.lower() for told in groups.values() if told)
        value = (
            (0.5,) if word.startswith("hal") else (3.0,) if word.startswith("tripl") else (WORD_NUMBERS.get(word, 2.0),)
        )
        unit = "x"
        direction = {"half": "down", "double": "up"}.get(kind)
    elif kind == "number-by":
        unit = "x" if _FACTOR.search(sentence[: match.start("a")]) else ""
        direction = direction_of_number(sentence, *match.span("a"))
        if not unit and (not direction or (groups["a"].isdigit() and int(groups["a"]) >= 1000)):
            return None
    if len(value) == 2 and qualifier != "from-to":
        qualifier = qualifier or "range"
    span = match.span("a") if kind in ("metric-first", "acronym-first", "number-by") else match.span()
    begin, stop = _stripped(sentence, *span)
    if direction is None:
        direction = direction_of_number(sentence, begin, stop)
    return Quantity(value, unit, qualifier, direction, begin, stop)


def _is_absolute(match: re.Match[str], sentence: str) -> bool:
    """Whether a percentage is said to be absolute, so that it counts percentage points."""
    before = re.search(
        r"\babsolute (?:\w+ ){0,3}$|\babsolute (?:[\w-]+ ){1,3}of (?:up to )?\$?$", sentence[: match.start()]
    )
    return before is not None or re.match(r"\s?\(?absolute\b", sentence[match.end() :]) is not None


def _is_context(match: re.Match[str], sentence: str) -> bool:
    return bool(_CONTEXT.search(sentence[: match.start()]) or _CONTEXT_AFTER.match(sentence[match.end() :]))


def _stripped(sentence: str, begin: int, stop: int) -> tuple[int, int]:
    piece = sentence[begin:stop]
    return begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())


def _number(told: str) -> float:
    return float(re.sub(r"[^\d.]", "", told))


def _unit(told: str) -> str:
    bare = told.strip()
    if re.fullmatch(_SIGN, bare):
        return "%"
    if re.fullmatch(_POINTS, bare):
        return "pp"
    return "x" if bare and re.fullmatch(_TIMES, bare) else bare


def _qualifier(sentence: str, match: re.Match[str]) -> str:
    at = match.start("a") if match.groupdict().get("a") else match.start()
    before = sentence[max(0, at - 40) : at]
    inside = _INSIDE.match(sentence[at : match.end()])
    if inside:
        return "over" if inside["s"] in (">", "≥") or "g" in inside["s"] else "about"
    for name, pattern in _QUALIFIERS:
        if pattern.search(before):
            return name
    return "over" if _AFTER.match(sentence[match.end() :]) else ""


def _sharing_units(found: list[Quantity], sentence: str) -> list[Quantity]:
    """In "by 35 and 75%" and "8 and 125 times fewer" the first number has the unit of the last."""
    more: list[Quantity] = []
    for one in found:
        if one.unit not in ("%", "x", "pp") or len(one.value) != 1:
            continue
        shared = re.search(
            rf"(?<![\w.])((?:{_NUMBER},? )*{_NUMBER})(?:,|/)? ?(?:and|/) ?(?:by )?\$?$", sentence[: one.start]
        )
        for number in re.finditer(_NUMBER, shared[1]) if shared else ():
            begin = shared.start(1) + number.start() if shared else 0
            end = begin + len(number[0])
            direction = direction_of_number(sentence, begin, end) or one.direction
            more.append(replace(one, value=(_number(number[0]),), direction=direction, start=begin, end=end))
    spans = [(one.start, one.end) for one in more]
    kept = [one for one in found if not any(one.start < end and start < one.end for start, end in spans)]
    return sorted([*more, *kept], key=lambda one: one.start)


_CHAIN = re.compile(
    r"^[^,;:.()]{0,60}?(?:\([^()]{0,40}\))?,?\s?(?:and |as well as |/)?(?:by |of |an? )?(?:up to |about |over |nearly |around |an? )*\$?$"
)
"""What may stand between "3.5% on A" and "4.2%" when the second goes the way of the first."""
_VERB = re.compile(r"\b(?:achiev|reach|attain|obtain|accuracy of|rate of|while|with|compared|than|respectively)\w*")


def _sharing_directions(found: list[Quantity], sentence: str) -> list[Quantity]:
    """In "16% improvement on A and 37% on B", and in "35% and 75% lower", both numbers go the same way."""
    told = list(found)
    for at in range(1, len(told)):
        first, second = told[at - 1], told[at]
        between = sentence[first.end : second.start]
        if (
            first.unit != second.unit
            or first.qualifier == "from-to"
            or not _CHAIN.search(between)
            or _VERB.search(between)
        ):
            continue
        if first.direction and not second.direction:
            told[at] = replace(second, direction=first.direction)
        elif second.direction and not first.direction and re.fullmatch(r",?\s?(?:and|or|/|,)\s?\$?", between):
            told[at - 1] = replace(first, direction=second.direction)
    return told
