"""JSON as listings hold it: a value, a list, or one object a line; what is damaged is read as far as it goes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assay.papers.listings.entry import check_count

if TYPE_CHECKING:
    from assay.papers.listings.fields import Read

Entry = dict[str, Any]


@dataclass(frozen=True)
class Parsed:
    """What a text holds; `problems` are (what, line). `value` is None where the text is no JSON at all."""

    value: Any
    problems: tuple[tuple[str, int], ...] = ()
    lines: tuple[int, ...] = ()
    """For one object a line: the line of each."""


def looks_like(text: str) -> bool:
    """Whether a text begins as JSON does."""
    return text.lstrip()[:1] in ("{", "[")


@lru_cache(maxsize=2)
def parse(text: str) -> Parsed:
    """The value of a text, parsed once for all readers that look at it."""
    if not looks_like(text):
        return Parsed(None)
    try:
        return Parsed(_loads(text))
    except RecursionError:
        return Parsed(None, (("JSON nested too deeply to be a listing", 1),))
    except ValueError as error:
        damage = error
    lines = _by_lines(text)
    if lines is not None:
        return lines
    at = damage.pos if isinstance(damage, json.JSONDecodeError) else 0
    why = damage.msg if isinstance(damage, json.JSONDecodeError) else str(damage)
    entries = _as_far_as_it_goes(text)
    line = text.count("\n", 0, at) + 1
    return Parsed(entries or None, ((f"damaged JSON ({why}): {len(entries)} whole entries before it were read", line),))


def _loads(text: str) -> Any:
    return json.loads(text, parse_constant=lambda name: None, parse_int=_int)


def _int(digits: str) -> int | str:
    """A number; one of more digits than Python turns into a number stays text."""
    return int(digits) if len(digits) < 1000 else digits


def _by_lines(text: str) -> Parsed | None:
    """One JSON object a line, if the first line is one by itself."""
    found: list[Any] = []
    places: list[int] = []
    problems: list[tuple[str, int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found.append(_loads(line))
            places.append(number)
        except (ValueError, RecursionError):
            if not found:
                return None
            problems.append((f"not a JSON value: {line.strip()[:60]!r}", number))
    return Parsed(found, tuple(problems), tuple(places)) if found else None


def _as_far_as_it_goes(text: str) -> list[Any]:
    """The whole objects of the first list of objects, up to where the text is damaged."""
    decoder = json.JSONDecoder(parse_constant=lambda name: None)
    found: list[Any] = []
    at = text.find("[")
    while at >= 0 and text[at + 1 : at + 200].lstrip()[:1] != "{":
        at = text.find("[", at + 1)
    while at >= 0:
        at = text.find("{", at)
        if at < 0:
            break
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        found.append(value)
    return found


def entries(text: str, *names: str) -> list[Any]:
    """The entries of a listing: the value itself where it is a list, or what one of its fields `names` holds."""
    value = parse(text).value
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        for name in names:
            if isinstance(value.get(name), list):
                return list(value[name])
    return []


def objects(read: Read, *names: str) -> Iterator[tuple[int, int, Entry]]:
    """Entry number, line (0 where it is not known) and object of each entry; what is none is reported."""
    text = read.document.text
    parsed = parse(text)
    for what, line in parsed.problems:
        read.problem(what, line)
    found = entries(text, *names)
    check_count(read.document, len(found))
    for number, entry in enumerate(found, 1):
        line = parsed.lines[number - 1] if parsed.lines else 0
        if isinstance(entry, dict):
            yield number, line, entry
        else:
            said = "null: nothing was found for it" if entry is None else f"no object: {str(entry)[:60]!r}"
            read.problem(said, line, number)


def sample(text: str, *names: str) -> list[Entry]:
    """The first objects among the entries, to tell formats apart by."""
    return [entry for entry in entries(text, *names)[:50] if isinstance(entry, dict)][:10]
