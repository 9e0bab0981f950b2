"""When two records are the same paper, and what they are together. No database here.

Sameness is a relation between records as read, never between papers already merged, and a merged paper is a function
of its set of records: so the order of reading does not matter.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Literal

from assay.papers.clean import family, normal
from assay.papers.paper import ID_KINDS, SHORT, STATUSES, Paper, Seen, key_of

MERGE, MERGE_KIN, MERGE_JACCARD, ASK = 0.60, 0.40, 0.30, 0.15
"""Containment from which two abstracts are one paper's (with a shared family name: MERGE_KIN), the Jaccard index it
takes besides, and the containment from which we ask. Measured on 37 abstracts: different papers reach 0.026."""
DISTINCTIVE = 4
"""Words a title needs for a record without authors to be recognised by it."""

Verdict = Literal["same", "ask", "different"]


def content(paper: Paper) -> dict[str, Any]:
    """What a record says, without where it was seen: two readings that say the same are one record."""
    return replace(paper, sources=(), history=(), key="").to_dict()


def families(paper: Paper) -> frozenset[str]:
    """The family names of the authors, for comparing."""
    return frozenset(filter(None, map(family, paper.authors)))


def identifiers(paper: Paper) -> list[str]:
    """`kind:value` of every identifier; DOIs in lower case, arXiv's own DOI read as the arXiv number."""
    found = []
    for kind in ID_KINDS:
        if value := paper.ids.get(kind):
            value = value.lower() if kind == "doi" else value
            if value.startswith("10.48550/arxiv."):
                kind, value = "arxiv", value.removeprefix("10.48550/arxiv.")
            found.append(f"{kind}:{value}")
    return found


def marks(paper: Paper) -> tuple[list[str], list[str]]:
    """What a record is found by, and what it finds others by; who is found is a candidate, judged by `same`.

    A title is looked up together with a family name; alone only where one of the two has no authors.
    """
    both = identifiers(paper)
    if text := normal(paper.abstract):
        both.append("text:" + _short_hash(text))
    if not paper.has_title or not (title := normal(paper.title)):
        return both, both
    hashed = _short_hash(title)
    both += [f"title:{hashed} {name}" for name in families(paper)]
    blind, anyone = f"blind:{hashed}", f"title:{hashed}"
    return [*both, anyone, *([] if paper.authors else [blind])], [*both, blind if paper.authors else anyone]


def shingles(text: str) -> frozenset[int]:
    """32-bit hashes of the runs of three words of an abstract; empty under 25 words."""
    words = normal(text).split()
    if len(words) < SHORT:
        return frozenset()
    return frozenset(zlib.crc32(" ".join(three).encode()) for three in zip(words, words[1:], words[2:], strict=False))


def overlap(one: frozenset[int], two: frozenset[int]) -> tuple[float, float]:
    """Containment (overlap / smaller set) and Jaccard index of two sets of shingles; zeros where one is empty."""
    if not one or not two:
        return 0.0, 0.0
    common = len(one & two)
    return common / min(len(one), len(two)), common / (len(one) + len(two) - common)


def same(one: Paper, two: Paper) -> tuple[Verdict, float]:
    """Whether two records are the same paper, and the containment of their abstracts.

    By any identifier; by equal titles and a shared family name, unless they are two forums whose abstracts have nothing
    in common (a common title and a common name); by equal titles of four or more words where one has no
    authors (blind review), unless both have abstracts that have nothing in common; by the abstracts. Ours: complete
    author lists without a common name are different papers whatever the abstracts say, so that case is asked; and
    equal abstracts under 25 words need a missing or equal title, since "Withdrawn." says nothing.
    """
    if set(identifiers(one)) & set(identifiers(two)):
        return "same", 1.0
    kin = bool(families(one) & families(two))
    blind = not one.authors or not two.authors
    title = normal(one.title)
    titled = one.has_title and two.has_title
    equal_title = titled and title != "" and title == normal(two.title)
    equal_text = one.abstract != "" and normal(one.abstract) == normal(two.abstract) != ""
    long_one, long_two = shingles(one.abstract), shingles(two.abstract)
    contained, jaccard = (1.0, 1.0) if equal_text else overlap(long_one, long_two)
    apart = bool(long_one and long_two) and contained < ASK
    if equal_title and kin:
        forums = {paper.ids["openreview"] for paper in (one, two) if paper.ids.get("openreview")}
        return ("ask" if apart and len(forums) == 2 else "same"), contained
    if equal_title and blind and title.count(" ") + 1 >= DISTINCTIVE:
        return ("ask" if apart else "same"), contained
    if equal_text and not long_one:
        return ("same" if not titled or kin else "different"), contained
    strangers = one.authors_complete and two.authors_complete and not blind and not kin
    if contained >= (MERGE_KIN if kin else MERGE) and jaccard >= MERGE_JACCARD and not strangers:
        return "same", contained
    return ("ask" if contained >= ASK else "different"), contained


def merged(records: Sequence[Paper], key: str = "") -> Paper:
    """The one paper of several records, whatever their order, with its history, and its key where none is given.

    Later records (by date, then status) win where two disagree; older titles and identifiers stay in
    `extra.former_titles` and `extra.former_ids`. A paper whose stand-in title met a real one has the title source
    `matched`.
    """
    ordered = sorted(records, key=_rank) if len(records) > 1 else list(records)
    newest_first = ordered[::-1]
    lead = max(ordered, key=lambda paper: STATUSES.index(paper.status))
    lead = next(paper for paper in newest_first if paper.status == lead.status)

    titled = [paper for paper in newest_first if paper.has_title]
    stand_ins = [paper for paper in newest_first if not paper.has_title]
    named = titled[0] if titled else min(stand_ins, key=lambda p: ("name", "repo", "lead").index(p.title_source))
    source = "matched" if titled and stand_ins else named.title_source
    people = max(newest_first, key=lambda p: (bool(p.authors), p.authors_complete, len(p.authors)))
    told = next((paper for paper in newest_first if paper.abstract), named)

    extra: dict[str, Any] = {}
    for paper in ordered:
        extra |= paper.extra
    former = _once(
        [title for paper in ordered for title in paper.extra.get("former_titles", ())]
        + [paper.title for paper in titled[::-1] if normal(paper.title) != normal(named.title)]
    )
    names = [name for paper in ordered for name in identifiers(paper)]
    ids = _latest({kind: value} for kind, _, value in (name.partition(":") for name in names))
    former_ids = sorted(set(names) - {f"{kind}:{value}" for kind, value in ids.items()})
    if version := max(paper.ids.get("arxiv_version", "") for paper in ordered):
        ids["arxiv_version"] = version
    extra |= {name: found for name, found in (("former_titles", former), ("former_ids", former_ids)) if found}

    dates: dict[str, str] = {}
    for name, pick in (("listed", max), ("published", min), ("updated", max)):
        if found := [paper.dates[name] for paper in ordered if paper.dates.get(name)]:
            dates[name] = pick(found)
    paper = Paper(
        title=named.title,
        title_source=source,
        authors=people.authors,
        authors_complete=people.authors_complete,
        abstract=told.abstract,
        abstract_raw=told.abstract_raw,
        status=lead.status,
        decision=lead.decision or next((p.decision for p in newest_first if p.decision), ""),
        certifications=_once(chain.from_iterable(p.certifications for p in ordered)),
        venue=lead.venue or next((p.venue for p in newest_first if p.venue), ""),
        year=lead.year or next((p.year for p in newest_first if p.year), None),
        topics=_once(chain.from_iterable(p.topics for p in ordered)),
        keywords=_once(chain.from_iterable(p.keywords for p in ordered)),
        ids=ids,
        links=_latest(paper.links for paper in ordered),
        dates=dates,
        extra=extra,
        sources=tuple(
            sorted({s for p in ordered for s in p.sources}, key=lambda s: (s.sha256, s.entry, s.file, s.format))
        ),
        history=_history(ordered),
        key=key,
    )
    return paper if key else replace(paper, key=key_of(paper))


def _rank(paper: Paper) -> tuple[str, int, str]:
    """Orders records from old to new; the content decides between records of the same day and status."""
    date = paper.date or (f"{paper.year}-12-31" if paper.year else "")
    return date, STATUSES.index(paper.status), str(content(paper))


def _history(ordered: Iterable[Paper]) -> tuple[Seen, ...]:
    """Each (status, date) once, by date and status, with the first file that says so."""
    steps: dict[tuple[str, str], Seen] = {}
    for paper in ordered:
        file = min((source.file for source in paper.sources), default="")
        told = paper.history
        if paper.status != "unknown":
            told += (Seen(paper.status, paper.date, file),)
        for step in told:
            known = steps.get((step.status, step.date))
            if known is None or step.source < known.source:
                steps[step.status, step.date] = step
    return tuple(sorted(steps.values(), key=lambda step: (step.date, STATUSES.index(step.status))))


def _latest(found: Iterable[Any]) -> dict[str, str]:
    together: dict[str, str] = {}
    for part in found:
        together |= part
    return dict(sorted(together.items()))


def _once(items: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(items))


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
