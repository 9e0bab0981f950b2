"""`Paper`, the one record of the library, and what readers report beside it.

Every reader of `assay.papers.listings` turns a file into papers and problems; `assay.papers.library` keeps the papers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from assay.papers.clean import normal

Status = Literal["unknown", "submitted", "rejected", "withdrawn", "preprint", "accepted", "published", "certified"]
"""From the earliest to the latest: on merging, a later status beats an earlier one."""
STATUSES: tuple[str, ...] = get_args(Status)

TitleSource = Literal["listing", "matched", "name", "repo", "lead"]
"""`listing`: printed there; `matched`: taken from another listing of the same paper; the rest are stand-ins made from
the abstract: the system's `name`, the slug of a code link (`repo`), the start of a sentence (`lead`)."""
TITLE_SOURCES: tuple[str, ...] = get_args(TitleSource)

ID_KINDS = ("openreview", "arxiv", "doi", "acl", "pmlr", "s2", "corpus", "dblp", "virtual")
"""Identifiers that tell papers apart, each unique by itself; `arxiv_version` may stand beside `arxiv`."""
_KEY_KINDS = ID_KINDS[:6]

SHORT = 25
"""Abstracts of fewer words are compared by equality only, and are no identity where the paper has a title."""


@dataclass(frozen=True)
class Source:
    """Where a paper was seen: entry number and lines count from 1, `sha256` is that of the file or of the message."""

    format: str
    file: str
    sha256: str = ""
    entry: int = 0
    first_line: int = 0
    last_line: int = 0


@dataclass(frozen=True)
class Problem:
    """Something a reader could not read or had to guess. Line and entry count from 1; 0 means the whole file."""

    what: str
    line: int = 0
    entry: int = 0
    file: str = ""

    def __str__(self) -> str:
        where = [self.file] if self.file else []
        where += [f"line {self.line}"] if self.line else []
        where += [f"entry {self.entry}"] if self.entry else []
        return f"{', '.join(where)}: {self.what}" if where else self.what


@dataclass(frozen=True)
class Seen:
    """One step of a paper's life: the status a listing gave it, on which date (ISO or ""), in which file."""

    status: Status
    date: str = ""
    source: str = ""


@dataclass(frozen=True)
class Paper:
    """One paper. Texts are plain (entities, TeX and Markdown flattened) except `abstract_raw`.

    Readers fill one in per entry; the library merges those of the same paper and fills `key` and `history`.
    """

    title: str
    """Never empty; `title_source` says where it comes from."""
    title_source: TitleSource = "listing"
    authors: tuple[str, ...] = ()
    """In order, "Given Family", as printed."""
    authors_complete: bool = True
    """False when the listing cut the list, or under blind review (then the list is empty)."""
    abstract: str = ""
    abstract_raw: str = ""
    """As read, for display with maths; `abstract` where nothing else is given."""
    status: Status = "unknown"
    decision: str = ""
    """A finer word: "poster", "spotlight", "oral"."""
    certifications: tuple[str, ...] = ()
    """TMLR: "Featured", "Reproducibility", "J2C"..."""
    venue: str = ""
    year: int | None = None
    topics: tuple[tuple[str, str], ...] = ()
    """(area, subarea), subarea may be ""."""
    keywords: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    """By kind, see ID_KINDS; `arxiv` without version."""
    links: Mapping[str, str] = field(default_factory=dict)
    """`page`, `pdf`, `code`, `project`, `data`."""
    dates: Mapping[str, str] = field(default_factory=dict)
    """`listed`, `published`, `updated`: ISO dates, UTC."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Known but unmapped; anything JSON can hold. `summary` is searched where there is no abstract."""
    sources: tuple[Source, ...] = ()
    history: tuple[Seen, ...] = ()
    """Every status with its date, earliest first; filled by the library."""
    key: str = ""
    """Stable identity, filled by the library; `key_of` computes it."""

    def __post_init__(self) -> None:
        if not self.title.strip():
            raise ValueError("paper: title is empty; give a title, or a stand-in with its title_source")
        if not self.abstract_raw:
            object.__setattr__(self, "abstract_raw", self.abstract)
        if self.status not in STATUSES:
            raise ValueError(f"paper {self.title!r}: status {self.status!r} is none of {', '.join(STATUSES)}")
        if self.title_source not in TITLE_SOURCES:
            raise ValueError(
                f"paper {self.title!r}: title_source {self.title_source!r} is none of {', '.join(TITLE_SOURCES)}"
            )

    @property
    def has_title(self) -> bool:
        """Whether the title is the paper's own and no stand-in."""
        return self.title_source in ("listing", "matched")

    @property
    def date(self) -> str:
        """When it was last listed, else published or updated: an ISO date, or ""."""
        return next((self.dates[name] for name in ("listed", "published", "updated") if self.dates.get(name)), "")

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold; empty fields are left out. `Paper.from_dict` takes it back."""
        found: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name in ("sources", "history"):
                value = [vars(item) for item in value]
            elif part.name == "topics":
                value = [list(pair) for pair in value]
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Mapping):
                value = dict(value)
            if value or part.name == "authors_complete":
                found[part.name] = value
        if self.abstract_raw == self.abstract:
            found.pop("abstract_raw", None)
        return found

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Paper:
        """The inverse of `to_dict`. ValueError naming the field for anything else."""
        known = {part.name for part in fields(cls)}
        if unknown := sorted(set(found) - known):
            raise ValueError(f"paper: no field {unknown[0]!r}; there are {', '.join(sorted(known))}")
        if not isinstance(found.get("title"), str):
            raise ValueError("paper: field 'title' must be text")
        ready = dict(found)
        try:
            for name in ("authors", "certifications", "keywords"):
                ready[name] = tuple(str(item) for item in found.get(name, ()))
            ready["topics"] = tuple((str(area), str(sub)) for area, sub in found.get("topics", ()))
            ready["sources"] = tuple(Source(**item) for item in found.get("sources", ()))
            ready["history"] = tuple(Seen(**item) for item in found.get("history", ()))
            for name in ("ids", "links", "dates", "extra"):
                ready[name] = dict(found.get(name, {}))
        except (TypeError, ValueError) as error:
            raise ValueError(f"paper {found['title']!r}: a field has the wrong shape: {error}") from None
        return cls(**ready)


def key_of(paper: Paper) -> str:
    """The key of a paper: its first identifier, else a hash of its abstract, else one of its title and year.

    Ours: an abstract of fewer than 25 words ("Withdrawn.") identifies nothing where there is a title.
    """
    for kind in _KEY_KINDS:
        if paper.ids.get(kind):
            value = paper.ids[kind]
            return f"{kind}:{value.lower() if kind == 'doi' else value}"
    text = normal(paper.abstract)
    if text and not (paper.has_title and text.count(" ") + 1 < SHORT):
        return "text:" + hashlib.sha256(text.encode()).hexdigest()[:16]
    return "title:" + hashlib.sha256(f"{normal(paper.title)} {paper.year or ''}".encode()).hexdigest()[:16]
