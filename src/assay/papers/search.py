"""Keyword search over a library: BM25 of SQLite's FTS5, with the user's words taken as words whatever they hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.papers.cjk import CJK
from assay.papers.keyword import rank, terms
from assay.papers.library import MOST, Library, where
from assay.papers.paper import Paper

SNIPPET = 32
"""Words of a snippet."""
_OPEN, _CLOSE = "\x02", "\x03"


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
    asked = terms(words)
    with library.errors():
        if not asked:
            return _listed(library, filters, limit, offset)
        found = rank(library, asked, filters, limit, offset)
        return Hits(_hits(library, found.rows, found.expression, words), found.total, found.match)


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
