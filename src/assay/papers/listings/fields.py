"""What readers of structured files share: values of unknown type become the fields of a Paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from assay.papers.clean import LONGEST_TEXT, clean
from assay.papers.listings.document import Document
from assay.papers.listings.entry import FORUM, check_count, clean_abstract, clean_title, forum_links, report, within
from assay.papers.listings.standin import stand_in
from assay.papers.paper import STATUSES, Paper, Problem, Status

_ARXIV = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf|html)/|arxiv:\s*|10\.48550/arxiv\.)?"
    r"((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}))(?:v(\d+))?(?:\.pdf)?$",
    re.IGNORECASE,
)
_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)$", re.IGNORECASE)
_ACL = re.compile(r"https?://(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)/([A-Za-z0-9.-]+?)/?(?:\.pdf)?$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MOST_NAMES = 5000
_LONGEST_EXTRA = 2000

_STATUS: dict[str, tuple[Status, str]] = {
    "poster": ("accepted", "poster"),
    "oral": ("accepted", "oral"),
    "spotlight": ("accepted", "spotlight"),
    "accept": ("accepted", ""),
    "notable": ("accepted", "notable"),
    "workshop": ("accepted", "workshop"),
    "desk reject": ("rejected", "desk reject"),
    "reject": ("rejected", ""),
    "withdraw": ("withdrawn", ""),
    "submitted": ("submitted", ""),
    "under review": ("submitted", ""),
    "published": ("published", ""),
    "preprint": ("preprint", ""),
}


def text(value: Any) -> str:
    """Text out of text or a number; "" out of anything else."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def first(entry: Mapping[str, Any], *names: str) -> str:
    """The first of these fields that holds a text."""
    return next((found for name in names if (found := text(entry.get(name)))), "")


def texts(value: Any, separator: str = ";") -> tuple[str, ...]:
    """The texts of a list, or of one text cut at `separator`, each once."""
    found = value if isinstance(value, list | tuple) else text(value).split(separator)
    return tuple(dict.fromkeys(one for item in found[:_MOST_NAMES] if (one := clean(text(item)))))


def whole(value: Any) -> int | None:
    """A whole number out of a number or digits."""
    try:
        return int(text(value)[:20])
    except ValueError:
        return None


def year(value: Any) -> int | None:
    """The first year, 1900 to 2099, in a text or number."""
    found = _YEAR.search(text(value)[:100])
    return int(found[0]) if found else None


def day(value: Any) -> str:
    """An ISO date (UTC) out of an ISO date or time, or milliseconds since 1970; "" out of anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value / 1000, UTC).date().isoformat() if value > 0 else ""
        except (OverflowError, OSError, ValueError):
            return ""
    told = text(value)
    try:
        moment = datetime.fromisoformat(told.replace("/", "-"))
    except ValueError:
        try:
            return datetime.fromisoformat(told[:10].replace("/", "-")).date().isoformat()
        except ValueError:
            return ""
    return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()


def link(value: Any, base: str = "") -> str:
    """An absolute http(s) address, made so by `base` where it is relative; "" for anything else."""
    told = text(value)
    if not told or len(told) > 2000 or re.search(r"[\s<>\"]", told):
        return ""
    try:
        address = urljoin(base, told) if base else told
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""


def ids_in(*values: str) -> dict[str, str]:
    """The identifiers that links, DOIs and the like name: openreview, arxiv with arxiv_version, doi, acl."""
    found: dict[str, str] = {}
    for value in values:
        told = value.strip().rstrip(".")
        if forum := FORUM.search(told):
            found.setdefault("openreview", forum[1])
        elif arxiv := (_ARXIV.search(told) if len(told) < 200 else None):
            if "/" not in arxiv[1] or not _DOI.match(told) or "arxiv" in told.lower():
                found.setdefault("arxiv", arxiv[1])
                if arxiv[2]:
                    found.setdefault("arxiv_version", arxiv[2])
        elif acl := _ACL.match(told):
            found.setdefault("acl", acl[1])
        elif doi := _DOI.match(told):
            found.setdefault("doi", doi[1].lower())
    return found


def status_of(told: str) -> tuple[Status, str]:
    """Status and decision out of a word such as "Accept (poster)", "Desk Reject", "accepted"; unknown words keep."""
    low = told.lower()
    if low in STATUSES:
        return low, ""  # type: ignore[return-value]  # one of STATUSES
    status, decision = next((found for word, found in _STATUS.items() if word in low), ("unknown", told.strip()[:60]))
    for word in ("oral", "spotlight"):  # the highest of several
        if status == "accepted" and word in low:
            return status, word
    return status, decision


def kept(entry: Mapping[str, Any], used: Sequence[str]) -> dict[str, Any]:
    """The fields of an entry that no reader mapped, short enough to keep: texts, numbers, lists of them."""
    found: dict[str, Any] = {}
    for name, value in entry.items():
        if name in used or value in (None, "", [], {}) or not isinstance(name, str):
            continue
        if isinstance(value, str | int | float | bool):
            found[name[:100]] = value if not isinstance(value, str) else within(value, _LONGEST_EXTRA, name)[0]
        elif isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
            found[name[:100]] = [text(item)[:_LONGEST_EXTRA] for item in value[:200]]
    return found


@dataclass
class Read:
    """Papers and problems of a document under way."""

    document: Document
    format: str
    papers: list[Paper] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, what: str, line: int = 0, entry: int = 0) -> None:
        """Report something."""
        report(self.document, self.problems, what, line=line, entry=entry)

    def add(
        self,
        entry: int,
        title: str,
        abstract: str,
        authors: Sequence[str],
        complete: bool = True,
        line: int = 0,
        last_line: int = 0,
        **more: Any,
    ) -> Paper:
        """Add the paper of an entry: texts are cleaned and cut, a stand-in is made where there is no title."""
        check_count(self.document, len(self.papers) + 1)
        plain_title, about_title = clean_title(title)
        plain, raw, about_abstract = clean_abstract(abstract)
        names, about_names = _names(authors)
        if not plain_title and not plain and not names:
            self.problem("an entry without title, authors and abstract", line, entry)
        elif not plain_title:
            self.problem("no title: a stand-in is shown", line, entry)
        report(self.document, self.problems, about_title, about_abstract, about_names, line=line, entry=entry)
        for name in ("venue", "decision"):
            if more.get(name):
                more[name] = clean(within(more[name], 300, name)[0])
        if more.get("topics"):
            more["topics"] = tuple((clean(area[:300]), clean(sub[:300])) for area, sub in more["topics"][:100])
        shown = None if plain_title else stand_in(plain, raw, names)
        paper = Paper(
            title=shown.title if shown else plain_title,
            title_source=shown.source if shown else "listing",
            authors=names,
            authors_complete=complete and bool(names) and not about_names,
            abstract=plain,
            abstract_raw=raw,
            sources=(self.document.source(self.format, entry, line, last_line or line),),
            **{name: value for name, value in more.items() if value not in (None, "", (), {})},
        )
        self.papers.append(paper)
        return paper


def _names(authors: Sequence[str]) -> tuple[tuple[str, ...], str]:
    cut = [clean(within(name, 300, "")[0]) for name in authors[:_MOST_NAMES]]
    told = f"{len(authors):,} authors: the first {_MOST_NAMES:,} are kept" if len(authors) > _MOST_NAMES else ""
    if sum(map(len, cut)) > LONGEST_TEXT:
        while sum(map(len, cut)) > LONGEST_TEXT:
            cut = cut[: len(cut) // 2]
        told = f"author list of over {LONGEST_TEXT:,} characters: the first {len(cut)} are kept"
    return tuple(name for name in cut if name), told


def forum(identifier: str) -> tuple[dict[str, str], dict[str, str]]:
    """The ids and links of an OpenReview forum; empty for what is no identifier of one."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{9,12}", identifier):
        return {}, {}
    return {"openreview": identifier}, forum_links(identifier)
