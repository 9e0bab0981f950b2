"""What BibTeX, RIS and CSL-JSON share: names, and the fields of a reference as those of a Paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.papers.clean import links_in
from assay.papers.listings.fields import Read, day, ids_in, link, year
from assay.papers.paper import Status

_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV|Ph\.?D\.?|M\.?D\.?")
_TMLR = re.compile(r"^(?:TMLR|Transactions on Machine Learning Research)$", re.IGNORECASE)
_CERTIFICATION = re.compile(r"([^,;]+?)\s+Certification\b")
_PREPRINT = re.compile(r"arxiv|preprint|corr\b", re.IGNORECASE)


@dataclass
class Reference:
    """A reference as a file gives it: texts as written there."""

    kind: str = ""
    """"preprint", "submitted" or "" for what was published."""
    title: str = ""
    authors: Sequence[str] = ()
    complete: bool = True
    abstract: str = ""
    venue: str = ""
    year: str = ""
    date: str = ""
    keywords: Sequence[str] = ()
    note: str = ""
    addresses: Sequence[str] = ()
    """Links, DOIs and arXiv identifiers, most telling first."""
    pdf: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def add(read: Read, number: int, line: int, last_line: int, found: Reference) -> None:
    """Add the paper of a reference."""
    ids = {**ids_in(*found.addresses, found.venue if "arxiv" in found.venue.lower() else ""), **found.ids}
    pages = [address for one in found.addresses if (address := link(one))]
    code = next((address for address in pages if "code" in links_in(address)), "")
    page = next((address for address in pages if address != code), "")
    if not page and "openreview" in ids:
        page = f"https://openreview.net/forum?id={ids['openreview']}"
    links = {"page": page, "code": code, "pdf": link(found.pdf)}
    venue, when = found.venue, year(found.year) or year(found.date)
    preprint = found.kind == "preprint" or bool(_PREPRINT.search(venue))
    status: Status = "preprint" if preprint else "published" if venue else "unknown"
    certifications: tuple[str, ...] = ()
    if _TMLR.match(venue):
        venue, status = "TMLR", "published"
        certifications = tuple(name.strip() for name in _CERTIFICATION.findall(found.note))
        status = "certified" if certifications else status
    extra = dict(found.extra)
    if found.note and not certifications:
        extra["note"] = found.note[:2000]
    read.add(
        number,
        found.title,
        found.abstract,
        found.authors,
        found.complete,
        line,
        last_line,
        status=status,
        venue="" if preprint and _PREPRINT.search(venue) else venue,
        year=when,
        keywords=tuple(found.keywords),
        certifications=certifications,
        ids=ids,
        links={name: value for name, value in links.items() if value},
        dates={"published": day(found.date)} if len(found.date) >= 8 and day(found.date) else {},
        extra=extra,
    )


def given_family(name: str) -> str:
    """ "Given Family" out of "Family, Given" or "Family, Jr, Given"; other names as they are."""
    pieces = [piece.strip() for piece in _outside_braces(name, ",")]
    pieces = [piece for piece in pieces if piece]
    if len(pieces) == 3 and _SUFFIX.fullmatch(pieces[1]):
        return f"{pieces[2]} {pieces[0]}, {pieces[1]}"
    if len(pieces) == 2 and not _SUFFIX.fullmatch(pieces[1]):
        return f"{pieces[1]} {pieces[0]}"
    return ", ".join(pieces)


def family_given(name: str) -> tuple[str, str, str]:
    """Family, given and suffix of "Given Family" or "Given Family, Jr."; a name of one word is a family's."""
    bare, _, suffix = name.partition(", ")
    words = bare.split()
    at = len(words) - 1
    while at > 1 and words[at - 1][:1].islower():  # "van der Berg" belongs together
        at -= 1
    return " ".join(words[at:]), " ".join(words[:at]), suffix


def _outside_braces(text: str, mark: str) -> list[str]:
    """`text` cut at `mark` outside of braces."""
    pieces, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0) if text[at - 1 : at] != "\\" else 0
        if depth <= 0 and text.startswith(mark, at):
            pieces.append(text[start:at])
            start = at + len(mark)
    return [*pieces, text[start:]]


def bibtex_names(told: str) -> tuple[list[str], bool]:
    """The names of a BibTeX author field, and whether it is complete (no "others")."""
    names = [name.strip() for name in _outside_braces(" ".join(told.split()), " and ")]
    complete = not any(name.lower() in ("others", "et al.", "et al") for name in names)
    return [
        given_family(name) for name in names if name and name.lower() not in ("others", "et al.", "et al")
    ], complete
