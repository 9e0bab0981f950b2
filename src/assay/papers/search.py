"""Keyword search over a library: BM25 of SQLite's FTS5, with the user's words taken as words whatever they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.papers.cjk import CJK, bigrams
from assay.papers.library import MOST, Library, where
from assay.papers.paper import Paper

WEIGHTS = {"title": 8.0, "name": 8.0, "abstract": 1.0, "authors": 2.0, "cjk": 4.0}
"""Weight of each column in BM25. The last holds title, abstract and authors, so it lies between them (ours)."""
MOST_WORDS = 64
"""Words of a query that are looked at: a pasted abstract may hold more."""
SNIPPET = 32
"""Words of a snippet."""
_OPEN, _CLOSE = "\x02", "\x03"
_COMMON = """
a an and are as at be by can do for from how in into is it its not of on or our that the their this to using via we
what  when where which while with
"""
_STOP = frozenset(_COMMON.split())


@dataclass(frozen=True)
class Snippet:
    """A piece of the abstract; `spans` are the (start, end) offsets in `text` of what the query matched."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()

    def marked(self, before: str, after: str) -> str:
        """The text with `before` and `after` around what matched."""
        parts, last = [], 0
        for start, end in self.spans:
            parts += [self.text[last:start], before, self.text[start:end], after]
            last = end
        return "".join([*parts, self.text[last:]])


@dataclass(frozen=True)
class Hit:
    """One paper found. `score` is BM25 with the sign turned: larger is better; 0 where the query has no words."""

    paper: Paper
    score: float
    snippet: Snippet


@dataclass(frozen=True)
class Hits(Sequence[Hit]):
    """One page of what was found: a sequence of hits."""

    hits: tuple[Hit, ...]
    total: int
    """How many papers match, on all pages."""
    match: Literal["all", "any", "list"]
    """Whether papers hold all words; or any of them, since too few hold all; or the query had no words and the papers
    that pass the filters are listed, newest first."""

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, at):  # type: ignore[no-untyped-def]  # int and slice, as of the tuple
        return self.hits[at]


def search(
    library: Library,
    words: str,
    *,
    venue: str | None = None,
    topic: str | None = None,
    status: str | Sequence[str] | None = None,
    since: str | None = None,
    keys: Iterable[str] | None = None,
    limit: int = 20,
    offset: int = 0,
) -> Hits:
    """Papers that hold `words`, best first; filters as in `library.where`.

    Every word is taken literally (no operators): "GFPO-v2" means the neighbours GFPO and v2, "C++" means C, a lone
    quote means nothing. Papers with all words come first; where those are fewer than `limit`, papers with any of the
    words follow. Words are stemmed (porter) and accents ignored; Chinese is matched by pairs of characters. A query
    without a letter or digit lists what passes the filters. ValueError for a filter that is none, or a negative limit.
    """
    if limit < 0 or offset < 0:
        raise ValueError(f"limit and offset must be 0 or more, not {limit} and {offset}")
    limit, offset = min(limit, MOST), min(offset, MOST)
    filters = where(venue=venue, topic=topic, status=status, since=since, keys=keys)
    terms = _terms(words)
    with library.errors():
        if not terms:
            return _listed(library, filters, limit, offset)
        every = " AND ".join(terms.values())
        first = _ranked(library, every, filters, limit, 0)
        if len(first) == limit or len(terms) == 1:
            rows = _ranked(library, every, filters, limit, offset) if offset else first
            return Hits(_hits(library, rows, every, words), _total(library, every, filters), "all")
        telling = [term for word, term in terms.items() if word not in _STOP] or list(terms.values())
        some = " OR ".join(telling)
        others = _ranked(library, some, filters, offset + limit + len(first), 0)
        known = {row for row, _ in first}
        rows = (first + [row for row in others if row[0] not in known])[offset : offset + limit]
        return Hits(_hits(library, rows, some, words), _total(library, some, filters), "any")


def _terms(words: str) -> dict[str, str]:
    """An FTS5 expression for each word of the user that holds a letter or a digit."""
    found: dict[str, str] = {}
    for word in words.replace("\0", " ").encode("utf-8", "replace").decode().lower().split():
        for run in CJK.findall(word):
            found[run] = "(cjk : (" + " AND ".join(f'"{pair}"' for pair in bigrams(run)) + "))"
        for rest in CJK.sub(" ", word).split():
            if any(character.isalnum() for character in rest):
                found[rest] = '"' + rest.replace('"', '""') + '"'
    return dict(list(found.items())[:MOST_WORDS])


def _ranked(
    library: Library, expression: str, filters: tuple[str, list[object]], limit: int, offset: int
) -> list[tuple[int, float]]:
    condition, values = filters
    weights = ", ".join(map(str, WEIGHTS.values()))
    return library.db.execute(
        f"SELECT words.rowid, -bm25(words, {weights}) AS score FROM {_tables(condition)} "  # noqa: S608
        f"WHERE words MATCH ? AND {condition} ORDER BY score DESC, words.rowid LIMIT ? OFFSET ?",
        (expression, *values, limit, offset),
    ).fetchall()


def _total(library: Library, expression: str, filters: tuple[str, list[object]]) -> int:
    condition, values = filters
    sql = f"SELECT count(*) FROM {_tables(condition)} WHERE words MATCH ? AND {condition}"  # noqa: S608
    return int(library.db.execute(sql, (expression, *values)).fetchone()[0])


def _tables(condition: str) -> str:
    """The index, joined with the papers where there are filters: the join takes a third of a query's time."""
    return "words" if condition == "1" else "words JOIN paper ON paper.id = words.rowid"


def _listed(library: Library, filters: tuple[str, list[object]], limit: int, offset: int) -> Hits:
    condition, values = filters
    total = library.db.execute(f"SELECT count(*) FROM paper WHERE {condition}", values).fetchone()[0]  # noqa: S608
    rows = library.db.execute(
        f"SELECT id, 0.0 FROM paper WHERE {condition} ORDER BY date DESC, id LIMIT ? OFFSET ?",  # noqa: S608
        (*values, limit, offset),
    ).fetchall()
    return Hits(_hits(library, rows, "", ""), total, "list")


def _hits(library: Library, rows: list[tuple[int, float]], expression: str, words: str) -> tuple[Hit, ...]:
    ids = [row for row, _ in rows]
    marked: dict[int, str] = {}
    if expression:
        marked = dict(
            library.db.execute(
                "SELECT words.rowid, snippet(words, 2, ?, ?, '…', ?) FROM json_each(?) AS wanted "
                "CROSS JOIN words ON words.rowid = wanted.value WHERE words MATCH ?",
                (_OPEN, _CLOSE, SNIPPET, json.dumps(ids), expression),
            )
        )
    found = []
    for paper, (row, score) in zip(library.load(ids), rows, strict=True):
        told = paper.abstract or str(paper.extra.get("summary", ""))
        snippet = _snippet(marked.get(row, ""))
        found.append(Hit(paper, score, snippet if snippet.spans else _start(told, words)))
    return tuple(found)


def _snippet(marked: str) -> Snippet:
    """Offsets out of the marks that FTS5 set."""
    spans: list[tuple[int, int]] = []
    text, start = "", 0
    for piece in re.split(f"([{_OPEN}{_CLOSE}])", marked):
        if piece == _OPEN:
            start = len(text)
        elif piece == _CLOSE:
            spans.append((start, len(text)))
        else:
            text += piece
    return Snippet(text, tuple(spans))


def _start(text: str, words: str) -> Snippet:
    """The piece of `text` around the first Chinese run of the query, which FTS5 cannot mark; else its start."""
    runs = [run for run in CJK.findall(words) if run in text]
    at = max(text.find(runs[0]) - 40, 0) if runs else 0
    piece = text[at : at + 200]
    spans = [(match.start(), match.end()) for run in runs for match in re.finditer(re.escape(run), piece)]
    lead, tail = "…" if at else "", "…" if at + 200 < len(text) else ""
    spans = sorted((start + len(lead), end + len(lead)) for start, end in spans)
    apart = [span for i, span in enumerate(spans) if i == 0 or span[0] >= spans[i - 1][1]]
    return Snippet(lead + piece + tail, tuple(apart))
