"""CSL-JSON, what Zotero and pandoc exchange: a list of objects, names as {family, given}, dates as date-parts."""

from __future__ import annotations

from typing import Any

from assay.papers.listings import citation, json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, first, text, texts

FORMAT = "CSL-JSON"
_PREPRINT = ("article", "manuscript", "preprint")


def looks_like(text_: str) -> bool:
    """Whether its objects have `type`, `title` and names with `family`, or dates as `issued`."""
    found = json_text.sample(text_, "items")
    return bool(found) and all("type" in entry and "title" in entry and _is_csl(entry) for entry in found)


def _is_csl(entry: json_text.Entry) -> bool:
    names = entry.get("author")
    named = isinstance(names, list) and any(
        isinstance(one, dict) and {"family", "literal"} & one.keys() for one in names
    )
    return named or isinstance(entry.get("issued"), dict)


def read(document: Document) -> Listing:
    """The references of a file."""
    read = Read(document, FORMAT, problems=list(document.problems))
    for number, line, entry in json_text.objects(read, "items"):
        _add(read, number, line, entry)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _add(read: Read, number: int, line: int, entry: json_text.Entry) -> None:
    names = entry.get("author") if isinstance(entry.get("author"), list) else []
    authors = [_name(one) for one in names or []]
    complete = all(authors) and "others" not in authors
    date = _date(entry.get("issued"))
    citation.add(
        read,
        number,
        line,
        line,
        citation.Reference(
            kind="preprint" if first(entry, "type") in _PREPRINT and not first(entry, "container-title") else "",
            title=first(entry, "title"),
            authors=[name for name in authors if name and name != "others"],
            complete=complete,
            abstract=first(entry, "abstract"),
            venue=first(entry, "container-title", "event-title", "collection-title"),
            year=date,
            date=date if len(date) == 10 else "",
            keywords=texts(entry.get("keyword"), ","),
            note=first(entry, "note"),
            addresses=[first(entry, "URL"), first(entry, "DOI"), _archive(first(entry, "number"))],
            extra={"key": first(entry, "id", "citation-key")} if first(entry, "id", "citation-key") else {},
        ),
    )


def _archive(number: str) -> str:
    return number if number.lower().startswith("arxiv:") else ""


def _name(name: Any) -> str:
    if not isinstance(name, dict):
        return text(name)
    if first(name, "literal"):
        return first(name, "literal")
    family = " ".join(part for part in (first(name, "non-dropping-particle"), first(name, "family")) if part)
    bare = " ".join(part for part in (first(name, "given"), first(name, "dropping-particle"), family) if part)
    return f"{bare}, {first(name, 'suffix')}" if first(name, "suffix") else bare


def _date(issued: Any) -> str:
    """An ISO date, or the start of one, out of {"date-parts": [[2026, 2, 21]]} or {"raw": "..."}."""
    if not isinstance(issued, dict):
        return text(issued)
    parts = issued.get("date-parts")
    if isinstance(parts, list) and parts and isinstance(parts[0], list):
        numbers = [text(part) for part in parts[0]]
        if numbers and all(part.isdigit() and len(part) < 5 for part in numbers):
            return "-".join([numbers[0], *(part.zfill(2) for part in numbers[1:3])])
    return first(issued, "raw", "literal")
