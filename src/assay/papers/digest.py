"""What is new in the library, grouped, and ranked by what its reader follows and marked, each with a reason."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from assay.papers.clean import family
from assay.papers.follow import Follow, followed, marks, rows_of
from assay.papers.library import Library, where
from assay.papers.paper import Paper
from assay.papers.profile import Profile, learn

RANKED = 2000
"""The newest papers that are ranked; what lies beyond is counted and left out."""
BACKGROUND = 1000
"""Papers without a mark that the model learns from beside those with one."""
GROUPS = {
    "accepted": ("certified", "accepted", "published"),
    "new submissions": ("submitted", "preprint", "unknown"),
    "rejected and withdrawn": ("rejected", "withdrawn"),
}
By = Literal["status", "topic"]
_DECISIONS = ("", "poster", "spotlight", "notable", "oral")


@dataclass(frozen=True)
class Entry:
    """A paper of the digest, and in one line why it stands where it does."""

    paper: Paper
    score: float
    why: str


@dataclass(frozen=True)
class Group:
    """Papers under one heading, best first; `left_out` more were not shown."""

    name: str
    entries: tuple[Entry, ...]
    left_out: int = 0


@dataclass(frozen=True)
class Digest:
    """What is new: the groups, how many papers there are, and since when."""

    made: datetime
    groups: tuple[Group, ...]
    total: int
    since: str = ""
    """An ISO date, or "" for since the last digest."""
    last: int = 0
    """The last record that it covers, for `seen`."""
    marked: int = 0
    """How many marks the order was learned from."""
    follows: tuple[Follow, ...] = field(default=())


def digest(
    library: Library,
    since: str | None = None,
    by: By = "status",
    limit: int = 20,
    methods: Mapping[str, str] | None = None,
    everything: bool = False,
) -> Digest:
    """The papers that came or changed since the last digest, or listed since a date, at most `limit` in a group.

    With `everything`, all papers.
    `methods` gives the names of methods by key of their paper. ValueError for a date that is none.
    """
    follows = followed(library)
    judged = marks(library)
    with library.errors():
        last = int(library.db.execute("SELECT coalesce(max(id), 0) FROM record").fetchone()[0])
        rows = _new(library, since, everything)
    total = len(rows)
    rows = rows[:RANKED]
    profile, trained = _profile(library, judged, follows)
    papers = library.load(rows)
    texts = [f"{paper.title}. {paper.abstract}" for paper in papers]
    learned = profile.scores(texts) if profile else [0.0] * len(papers)
    entries = []
    for row, paper, text, score in zip(rows, papers, texts, learned, strict=True):
        if row in judged:
            continue  # its reader has seen it
        met = [why for one in follows if (why := _meets(one, paper, methods or {}))]
        why = _why(met, profile, text, float(score), paper)
        entries.append(Entry(paper, len(met) + float(score), why))
    groups = _grouped(entries, by, limit, profile is not None or bool(follows))
    return Digest(datetime.now(UTC), groups, total, since or "", last, trained, tuple(follows))


def seen(library: Library, last: int) -> None:
    """From now on, what comes after the record `last` is new."""
    with library.writing():
        library.db.execute(
            "INSERT INTO setting VALUES ('today', ?1) ON CONFLICT (name) DO UPDATE "
            "SET value = max(CAST(value AS INTEGER), CAST(?1 AS INTEGER))",
            (str(last),),
        )


def _new(library: Library, since: str | None, everything: bool) -> list[int]:
    """The rows of new papers, newest first."""
    if since is not None or everything:
        condition, values = where(since=since)
        sql = f"SELECT id FROM paper WHERE {condition} ORDER BY date DESC, id"  # noqa: S608
        return [int(row) for (row,) in library.db.execute(sql, values)]
    found = library.db.execute("SELECT value FROM setting WHERE name = 'today'").fetchone()
    return [
        int(row)
        for (row,) in library.db.execute(
            "SELECT DISTINCT paper.id FROM record JOIN paper ON paper.id = record.paper WHERE record.id > ? "
            "ORDER BY paper.date DESC, paper.id",
            (int(found[0]) if found else 0,),
        )
    ]


def _profile(library: Library, judged: Mapping[int, str], follows: Sequence[Follow]) -> tuple[Profile | None, int]:
    """The reader's profile, and how many papers they marked or follow the like of."""
    known: dict[int, str] = dict(judged)
    for row in rows_of(library, [one.what for one in follows if one.kind == "like"]):
        known.setdefault(row, "keep")
    if not known:
        return None, 0
    with library.errors():
        size = int(library.db.execute("SELECT coalesce(max(id), 0) FROM paper").fetchone()[0])
        draw = random.Random(0)  # noqa: S311 - the same papers each time
        others = {draw.randint(1, size) for _ in range(BACKGROUND)} - known.keys() if size else set()
        rows = [*known, *sorted(others)]
        found: dict[int, str] = {}
        for at in range(0, len(rows), 500):
            part = rows[at : at + 500]
            sql = f"SELECT id, title || '. ' || abstract FROM paper_text WHERE id IN ({', '.join('?' * len(part))})"  # noqa: S608
            found |= dict(library.db.execute(sql, part).fetchall())
    rows = [row for row in rows if row in found]
    return learn([found[row] for row in rows], [known.get(row) for row in rows]), len(known)


def _meets(one: Follow, paper: Paper, methods: Mapping[str, str]) -> str:
    """Why a paper meets what is followed, "" where it does not."""
    what = one.what.casefold()
    if one.kind == "topic":
        met = any(what in f"{area} · {sub}".casefold() for area, sub in paper.topics) or any(
            what == keyword.casefold() for keyword in paper.keywords
        )
        return f"topic {one.what}" if met else ""
    if one.kind == "author":
        own = [name for name in paper.authors if family(name) == family(one.what)]
        met = any(what == name.casefold() or _initials(name) == _initials(one.what) or " " not in what for name in own)
        return f"by {one.what}" if met else ""
    if one.kind == "query":
        text = f"{paper.title} {paper.abstract} {' '.join(paper.keywords)}".casefold()
        return f"has {one.what}" if all(word in text for word in what.split()) else ""
    if one.kind == "method":
        keys = [paper.key, *(f"{kind}:{value}" for kind, value in paper.ids.items())]
        name = next((methods[key] for key in keys if key in methods), "")
        return f"the paper of {name}" if name and what in (name.casefold(), name.casefold().rpartition("/")[2]) else ""
    return "followed" if paper.key == one.what else ""


def _initials(name: str) -> tuple[str, str]:
    """First letter and family name: "A. One" is "Ada One"."""
    return name.strip()[:1].casefold(), family(name)


def _why(met: Sequence[str], profile: Profile | None, text: str, score: float, paper: Paper) -> str:
    reasons = profile.reasons(text) if profile and score > 0 else []
    told = list(met)
    if reasons:
        told.append("like what you kept: " + ", ".join(reasons))
    if told:
        return "; ".join(told)
    words = [*(f"{name} certification" for name in paper.certifications), paper.decision]
    words += ["code"] if paper.links.get("code") else []
    return ", ".join(word for word in words if word)


def _grouped(entries: Sequence[Entry], by: By, limit: int, personal: bool) -> tuple[Group, ...]:
    groups: dict[str, list[Entry]] = {name: [] for name in GROUPS} if by == "status" else {}
    for entry in entries:
        if by == "status":
            name = next(name for name, statuses in GROUPS.items() if entry.paper.status in statuses)
        else:
            area, sub = entry.paper.topics[0] if entry.paper.topics else ("other topics", "")
            name = f"{area} · {sub}" if sub else area
        groups.setdefault(name, []).append(entry)
    found = []
    for name, held in groups.items():
        held.sort(key=lambda entry: _order(entry, personal))
        if held:
            found.append(Group(name, tuple(held[:limit]), max(len(held) - limit, 0)))
    if by == "topic":
        found.sort(key=lambda group: (group.name == "other topics", -max(e.score for e in group.entries), group.name))
    return tuple(found)


def _order(entry: Entry, personal: bool) -> tuple[object, ...]:
    """By score where there is a reader to please; then certifications, decision, code, the newest, the title."""
    paper = entry.paper
    rank = _DECISIONS.index(paper.decision) if paper.decision in _DECISIONS else 0
    newest = "".join(chr(0x10FFFF - ord(letter)) for letter in paper.date)
    return (
        -entry.score if personal else 0.0,
        -len(paper.certifications),
        -rank,
        not paper.links.get("code"),
        newest,
        paper.title,
    )
