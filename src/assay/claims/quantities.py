"""Quantities in a sentence: per cent and percentage points, multiples, ranges, "from 72.1 to 72.3", orders of magnitude.

Works on plain text and on TeX as printed ("35\\%", "$2\\times$", "$\\sim$30%"): offsets are those of the text given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.claims.cues import direction_at


@dataclass(frozen=True)
class Quantity:
    """One quantity. `value` holds one number, or two for a range or a change from the first to the second."""

    value: tuple[float, ...]
    unit: str
    """"%", "pp" (percentage points), "x" (a multiple), "orders of magnitude", or a unit or metric as written: "dB"."""
    qualifier: str
    """"", "up to", "at least", "over", "about", "range" or "from-to"."""
    direction: str
    """Which way the thing measured goes: "up", "down" or ""."""
    start: int
    end: int
    """Offsets into the text."""


_SIGN = r"(?:\\?%|\\,?\\%|\s?(?:per ?cent|percent)\b)"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_NUM = rf"(?<![\w.\-/])[-+−~≈<>≥≤]?(?:\\(?:sim|approx|geq?|leq?)\s?)?{_NUMBER}"
_JOIN = r"\s?(?:-|–|—|--|to|and)\s?"
_DOLLAR = r"\$?"
_TIMES = r"(?:\s?\\times|\s?×|\s?[xX](?![\w])|-?\s?fold\b|\s?times\b(?! (?:step|series|point|interval|complexity))|\s?\{?\\times\}?)"
_POINTS = r"(?:\s?(?:\\?%\s?)?(?:absolute )?(?:percentage|percent|%) points?\b|\s?pp\b|\s?p\.p\.|-?\s?points?\b)"
_METRICS = (
    r"(?:BLEU|ROUGE(?:-[12L])?|CIDEr|METEOR|SPICE|FID|IS|LPIPS|SSIM|PSNR|mAP(?:@[\d.:]+)?|AP(?:50|75)?|mIoU|IoU|PQ|F1|F-?score|"
    r"AUC|AUROC|AUPRC|MRR|NDCG|nDCG|NDS|MAE|RMSE|MSE|ADE|FDE|WER|CER|EER|perplexity|PPL|Elo|R2|MOTA|IDF1|HOTA|MPJPE|Dice|"
    r"accuracy|success rate|recall|precision)"
)
_UNITS = (
    r"(?:dB|ms|s|sec|seconds?|milliseconds?|minutes?|min|hours?|days?|FPS|fps|Hz|kHz|MHz|GHz|GB|MB|KB|TB|GFLOPs|FLOPs|TFLOPs|"
    r"W|mW|J|mJ|kWh|mm|cm|m|km|pixels?|px|degrees?|°|bits?|bpp|nats?)"
)
_WORDS = {"half": 0.5, "twice": 2.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0,
          "eight": 8.0, "nine": 9.0, "ten": 10.0, "one": 1.0, "a": 1.0, "an": 1.0, "several": 2.0}  # fmt: skip
_WORD_NUM = r"\b(?:two|three|four|five|six|seven|eight|nine|ten)"

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("from-to", re.compile(
        rf"\bfrom {_DOLLAR}(?P<a>{_NUM}){_DOLLAR}\s?(?P<ua>{_SIGN}|{_TIMES}|{_UNITS}\b)?{_DOLLAR}(?:\s[\w-]+){{0,8}}?\s?(?:to|down to|up to)\s"
        rf"(?:only )?{_DOLLAR}(?P<b>{_NUMBER}){_DOLLAR}\s?(?P<ub>{_SIGN}|{_TIMES}|{_UNITS}\b)?{_DOLLAR}")),
    ("points", re.compile(rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}(?:{_JOIN}{_DOLLAR}(?P<b>{_NUMBER}){_DOLLAR})?{_POINTS}")),
    ("percent-range", re.compile(
        rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}\s?{_SIGN}?{_DOLLAR}(?:\s?(?:-|–|—|--)\s?|\s?to\s){_DOLLAR}(?P<b>{_NUMBER}){_DOLLAR}\s?{_SIGN}{_DOLLAR}")),
    ("percent", re.compile(rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}\s?{_SIGN}{_DOLLAR}(?![\w])")),
    ("times-range", re.compile(
        rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}{_TIMES}?{_DOLLAR}\s?(?:-|–|—|--|to)\s?{_DOLLAR}(?P<b>{_NUMBER}){_DOLLAR}{_TIMES}{_DOLLAR}")),
    ("times", re.compile(rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}{_TIMES}{_DOLLAR}")),
    ("times-word", re.compile(rf"(?P<w>{_WORD_NUM})(?:\s|-)(?:times|fold)\b|\b(?P<h>twice)\b(?= (?:as|the|faster|more|less|better))")),
    ("magnitude", re.compile(
        rf"(?:(?P<a>{_NUM}){_DOLLAR}?(?:{_JOIN}(?P<b>{_NUMBER}))?|\b(?P<w>an?|one|two|three|four|five|several|multiple)(?: to (?P<v>two|three|four))?)"
        r"\s(?:full )?orders?[- ]of[- ]magnitudes?", re.I)),
    ("half", re.compile(r"\b(?:(?:by|less than|only|about|nearly|at) (?:about |roughly |nearly |almost |over |more than )?(?P<h>half)|(?P<k>halv(?:e|es|ed|ing)))\b")),
    ("double", re.compile(r"\b(?P<d>doubl(?:e|es|ed|ing)|tripl(?:e|es|ed|ing))\b(?= (?:the|its|their|our|performance|accuracy))")),
    ("unit", re.compile(rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}\s?(?P<u>{_UNITS})(?![\w-])")),
    ("metric-first", re.compile(
        rf"\b(?P<u>{_METRICS})(?: scores?| metric)?(?: of| by| is| to| reaches| =|:)+ (?:up to |about |around |only |over )?{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}(?!\s?(?:{_SIGN}|\d|[a-z]*-?(?:fold|times)))")),
    ("metric-last", re.compile(rf"{_DOLLAR}(?P<a>{_NUM}){_DOLLAR}\s(?P<u>(?:absolute |relative )?(?:{_METRICS}|points?))\b")),
    ("number-by", re.compile(
        rf"\b(?:by|of) (?:a (?:margin|factor) of )?(?:up to |about |around |over |at least )?{_DOLLAR}(?P<a>{_NUMBER}){_DOLLAR}(?=[,.;)]| (?:on|in|over|and|compared|for|across)\b)")),
)  # fmt: skip
_FACTOR = re.compile(r"\bfactors? of(?: about| roughly| up to| over| at least)? \$?$")
_QUALIFIERS = (
    ("up to", re.compile(r"\b(?:up to|as (?:much|high|many) as|at most|a maximum of)(?: an?)?(?: \w+)?\s*[\$~]*$", re.I)),
    ("at least", re.compile(r"\b(?:at least|a minimum of|no less than)(?: an?)?\s*\$?$", re.I)),
    ("over", re.compile(r"(?:\b(?:over|more than|above|exceed\w*|beyond|greater than|larger than)(?: an?)?|>|\\g(?:t|eq?)|≥)\s*\$?$", re.I)),
    ("about", re.compile(
        r"(?:\b(?:about|around|roughly|approximately|nearly|almost|close to|some|circa|on average)(?: an?)?|~|≈|\\(?:sim|approx))\s*[\$\\]*$",
        re.I)),
)  # fmt: skip
_INSIDE = re.compile(r"^\$?\s*(?P<s>[~≈]|\\sim|\\approx|>|≥|\\geq?)")
_AFTER = re.compile(r"^\s?(?:\$?\+\$?|or (?:more|higher|greater)\b)")
_PLAIN_FACT = re.compile(
    r"^\s?(?:of (?:the )?(?:data|training|samples|labels|parameters|images|cases|users|papers|participants|all)\b)"
)


def quantities(text: str, start: int, end: int) -> list[Quantity]:
    """The quantities between two offsets of a text, in order, none inside another."""
    sentence = text[start:end]
    found: list[Quantity] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(sentence):
            if any(match.start() < stop and match.end() > begin for begin, stop in taken):
                continue
            one = _quantity(kind, match, sentence, start)
            if one is not None:
                taken.append(match.span())
                found.append(one)
    found.sort(key=lambda one: one.start)
    return _respectively(found, sentence, start)


def _quantity(kind: str, match: re.Match[str], sentence: str, offset: int) -> Quantity | None:
    groups = match.groupdict()
    value = tuple(_number(groups[name]) for name in ("a", "b") if groups.get(name))
    qualifier = _qualifier(sentence, match)
    unit = "%" if kind.startswith("percent") else "x" if kind.startswith("times") else "pp" if kind == "points" else ""
    if kind == "from-to":
        unit = _unit(groups["ub"] or groups["ua"] or "")
        qualifier = "from-to"
        if not (groups["ub"] or groups["ua"]) and all(
            number == int(number) and 1900 <= number < 2100 for number in value
        ):
            return None
    elif kind == "magnitude":
        unit = "orders of magnitude"
        value = value or tuple(_WORDS.get(word.lower(), 2.0) for word in (groups["w"], groups["v"]) if word)
        qualifier = "at least" if (groups["w"] or "").lower() in ("several", "multiple") else qualifier
    elif kind in ("half", "double", "times-word"):
        word = (groups.get("w") or groups.get("h") or groups.get("k") or groups.get("d") or "").lower().strip()
        value = (0.5,) if word.startswith("hal") else (3.0,) if word.startswith("tripl") else (_WORDS.get(word, 2.0),)
        unit = "x"
    elif kind in ("unit", "metric-first", "metric-last"):
        unit = "pp" if groups["u"].endswith(("point", "points")) else groups["u"]
    elif kind == "number-by":
        if _FACTOR.search(sentence[: match.start("a")]):
            unit = "x"
        elif direction_at(sentence, match.start(), match.end()) == "" or (
            groups["a"].isdigit() and len(groups["a"]) == 4
        ):
            return None
    if len(value) == 2 and kind != "from-to":
        qualifier = qualifier or "range"
    direction = direction_at(sentence, match.start(), match.end())
    if kind == "from-to" and len(value) == 2 and value[0] != value[1]:
        direction = "up" if value[1] > value[0] else "down"
    if kind in ("half",):
        direction = "down"
    if kind == "double":
        direction = direction or "up"
    span = match.span("a") if kind in ("metric-first", "number-by") else match.span()
    begin, stop = _stripped(sentence, *span)
    return Quantity(value, unit, qualifier, direction, offset + begin, offset + stop)


def _stripped(sentence: str, begin: int, stop: int) -> tuple[int, int]:
    piece = sentence[begin:stop]
    return begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())


def _number(told: str) -> float:
    return float(re.sub(r"[^\d.]", "", told))


def _unit(told: str) -> str:
    bare = told.strip()
    if re.fullmatch(_SIGN, bare) or bare in ("%", "\\%"):
        return "%"
    return "x" if bare and re.fullmatch(_TIMES, f" {bare}") else bare


def _qualifier(sentence: str, match: re.Match[str]) -> str:
    at = match.start("a") if "a" in match.groupdict() and match["a"] else match.start()
    before = sentence[max(0, at - 40) : at]
    inside = _INSIDE.match(sentence[at : match.end()])
    if inside:
        return "over" if inside["s"] in (">", "≥") or "g" in inside["s"] else "about"
    for name, pattern in _QUALIFIERS:
        if pattern.search(before):
            return name
    return "over" if _AFTER.match(sentence[match.end() :]) else ""


def _respectively(found: list[Quantity], sentence: str, offset: int) -> list[Quantity]:
    """In "by 35 and 75%, respectively" the first number shares the unit of the second."""
    if "respectively" not in sentence:
        return found
    more: list[Quantity] = []
    for one in found:
        before = sentence[: one.start - offset]
        shared = re.search(rf"(?<![\w.])((?:{_NUMBER},? )*{_NUMBER})(?:,)? and (?:by )?\$?$", before)
        if shared and one.unit in ("%", "x", "pp"):
            for number in re.finditer(_NUMBER, shared[1]):
                at = shared.start(1) + number.start()
                more.append(
                    Quantity(
                        (_number(number[0]),),
                        one.unit,
                        one.qualifier,
                        one.direction,
                        offset + at,
                        offset + at + len(number[0]),
                    )
                )
    starts = {one.start for one in more}
    return sorted([*more, *(one for one in found if one.start not in starts)], key=lambda one: one.start)
