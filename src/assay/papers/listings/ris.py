"""RIS, through rispy, after the lines are brought into its form.

| there | here |
| --- | --- |
| `TI`, `T1`; `AB`, `N2`; `KW` | `title`, `abstract`, `keywords` |
| `AU`, `A1` ("Family, Given") | `authors` |
| `PY`, `Y1`, `DA` ("2025/12/16/") | `year`, `dates.published` |
| `T2`, `JO`, `JF`, `BT`, `C3` | `venue` |
| `DO`, `UR`, `L1` | `ids`, `links` |

One space or none before the hyphen, lines without a tag (they continue the last one), a missing last `ER` and a
byte-order mark are put right.
"""

from __future__ import annotations

import re
from typing import Any

from assay.papers.listings import citation
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, first, texts

FORMAT = "RIS"
_TAG = re.compile(r"([A-Z][A-Z0-9])\s{0,3}-(?:\s(.*)|)$")
_BEGINS = re.compile(r"^TY\s{0,3}-\s", re.MULTILINE)
_ONCE = ("TI", "T1", "AB", "PY", "T2")
"""Tags that a reference has once."""
_PREPRINT = ("UNPB", "GEN", "ELEC")
_MAPPED = """
type_of_reference title primary_title authors first_authors abstract notes_abstract keywords year publication_year
date secondary_title journal_name alternate_title3 alternate_title2 doi urls url file_attachments1 notes unknown_tag
"""
_USED = frozenset(_MAPPED.split())


def looks_like(text: str) -> bool:
    """Whether a line begins a reference near the start of a text."""
    return bool(_BEGINS.search(text[:5000]))


def read(document: Document) -> Listing:
    """The references of a file."""
    import rispy

    read = Read(document, FORMAT, problems=list(document.problems))
    for number, (line, last, lines) in enumerate(_references(read), 1):
        try:
            found = rispy.loads("\n".join([*lines, "ER  - "]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            read.problem(f"not understood: {error}", line, number)
            found = []
        entry: dict[str, Any] = dict(found[0]) if found else {}
        _add(read, number, line, last, entry)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _references(read: Read) -> list[tuple[int, int, list[str]]]:
    """First and last line of each reference, and its lines as rispy wants them, without `ER`."""
    found: list[tuple[int, int, list[str]]] = []
    lines: list[str] = []
    start = outside = 0
    told = read.document.text.rstrip("\n").split("\n")
    for at, text in enumerate([*told, "ER  - "], 1):
        tag = _TAG.match(text.rstrip())
        name = tag[1] if tag else ""
        value = (tag[2] or "").strip() if tag else ""
        if name in ("TY", "ER") and lines:
            found.append((start, min(at, len(told)) if name == "ER" else at - 1, lines))
            lines = []
            if name == "TY":
                read.problem("no ER line before the next reference", at, len(found))
        if name == "TY":
            start, lines = at, [f"TY  - {value}"]
        elif name and lines:
            if name in _ONCE and any(line.startswith(f"{name}  -") for line in lines):
                read.problem(f"a second {name} line: two references may have run together", at, len(found) + 1)
            lines.append(f"{name}  - {value}")
        elif lines and text.strip():
            lines[-1] += f" {text.strip()}"
        elif text.strip() and name != "ER":
            outside += 1
            if outside == 1:
                read.problem(f"outside of a reference: {text.strip()[:60]!r}", at)
    return found


def _add(read: Read, number: int, line: int, last: int, entry: dict[str, Any]) -> None:
    names = [*entry.get("authors", []), *entry.get("first_authors", [])]
    complete = not any(name.strip(" .,").lower() in ("others", "et al") for name in names)
    when = first(entry, "year", "publication_year", "date")
    date = re.match(r"(\d{4})[/-](\d{1,2})[/-](\d{1,2})", first(entry, "date") or when)
    urls = entry.get("urls") or ([entry["url"]] if entry.get("url") else [])
    files = entry.get("file_attachments1")
    notes = entry.get("notes") or []
    citation.add(
        read,
        number,
        line,
        last,
        citation.Reference(
            kind="preprint" if entry.get("type_of_reference") in _PREPRINT else "",
            title=first(entry, "title", "primary_title"),
            authors=[
                citation.given_family(name) for name in names if name.strip(" .,").lower() not in ("others", "et al")
            ],
            complete=complete,
            abstract=first(entry, "abstract", "notes_abstract"),
            venue=first(entry, "secondary_title", "journal_name", "alternate_title3", "alternate_title2"),
            year=when,
            date=f"{date[1]}-{int(date[2]):02}-{int(date[3]):02}" if date else "",
            keywords=texts(entry.get("keywords", [])),
            note="; ".join(notes) if isinstance(notes, list) else str(notes),
            addresses=[*urls, first(entry, "doi")],
            pdf=str(files[0] if isinstance(files, list) and files else files or ""),
            extra={name: value for name, value in entry.items() if name not in _USED and isinstance(value, str)},
        ),
    )
