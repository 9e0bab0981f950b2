"""Search over a library: by the words of a query and, where its papers have vectors, by its meaning.

The two orders are fused by reciprocal rank (Cormack, Clarke and Buettcher 2009). How much the meaning counts depends on
how sure the words are: a paper that holds nearly all of a query is hardly ever the wrong one, and meaning by itself
finds less than words do (benchmarks/results.md).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from assay.papers import glossary
from assay.papers.cjk import CJK
from assay.papers.keyword import MOST_WORDS, Filters, Ranking, Row, coverage, like, rank, terms
from assay.papers.library import MOST, Library, where
from assay.papers.paper import Paper
from assay.papers.schema import TOKENIZER

if TYPE_CHECKING:
    from assay.papers.vectors import Vectors

POOL = 50
"""Papers of each order that are fused."""
FLAT = 5
"""k of reciprocal rank fusion, 1 / (k + rank): small, so that the first places count."""
SURE, UNSURE = 0.8, 0.45
"""Meaning counts nothing where the best paper by words holds this much of the query, and as much as the words below
UNSURE; between them in proportion. Chosen on queries of ours that no benchmark has."""
KEPT = 0.4
"""The best paper by words stays first where it holds more than this much of the query."""
LIKE = "like:"
"""A query that begins so asks for papers like the one it names."""
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
    """One paper found.

    `score` compares the hits of one answer, larger is better: BM25F, or reciprocal ranks where meaning took part; 0
    where the query has no words.
    """

    paper: Paper
    score: float
    snippet: Snippet
    why: tuple[str, ...] = ()
    """Why it is there: the words it holds and where, how a Chinese term was read, its place by meaning."""


@dataclass(frozen=True)
class Hits(Sequence[Hit]):
    """One page of what was found: a sequence of hits."""

    hits: tuple[Hit, ...]
    total: int
    """How many papers match, on all pages."""
    match: Literal["all", "any", "list", "like"]
    """Whether papers hold all words; or any of them, since too few hold all; or the query had no words and the papers
    that pass the filters are listed, newest first; or they are like a paper or a text."""
    meaning: bool = False
    """Whether vectors took part."""

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
    has: Iterable[str] = (),
    keys: Iterable[str] | None = None,
    limit: int = 20,
    offset: int = 0,
    vectors: Vectors | None = None,
) -> Hits:
    """Papers for a query, best first; filters as in `library.where`. With `vectors` by meaning too.

    Every word is taken literally (no operators): "GFPO-v2" means the neighbours GFPO and v2, "C++" means C, a lone
    quote means nothing. Papers with all words come first; where those are fewer than `limit`, papers with any of the
    words follow. Words are stemmed (porter) and accents ignored. Chinese is matched by pairs of characters, and where
    too few papers hold it, by the English of its terms (`assay.papers.glossary`).

    "like:" and a key, link or title finds papers like that one; so does a text of more than MOST_WORDS words (a pasted
    abstract). A query without a letter or digit lists what passes the filters. ValueError for a filter that is none,
    or a negative limit; NoSuchPaper for a "like:" that names none.
    """
    if limit < 0 or offset < 0:
        raise ValueError(f"limit and offset must be 0 or more, not {limit} and {offset}")
    limit, offset = min(limit, MOST), min(offset, MOST)
    filters = where(venue=venue, topic=topic, status=status, since=since, has=has, keys=keys)
    if words.strip().lower().startswith(LIKE):
        return _like_paper(library, words.strip()[len(LIKE) :], filters, limit, offset, vectors)
    with library.errors():
        if len(words.split()) > MOST_WORDS and not CJK.search(words):
            return _like_text(library, words, filters, limit, offset, vectors)
        asked = terms(words)
        if not asked:
            return _listed(library, filters, limit, offset)
        if CJK.search(words):
            return _chinese(library, words, filters, limit, offset, vectors)
        if vectors is None:
            return _answer(library, rank(library, asked, filters, limit, offset), words)
        found = rank(library, asked, filters, max(POOL, offset + limit), 0, enough=limit)
        sure = coverage(library, asked, found.rows[0]) if found.rows else 0.0
        weight = min(1.0, max(0.0, (SURE - sure) / (SURE - UNSURE)))
        if weight == 0:
            return _answer(library, replace(found, rows=found.rows[offset : offset + limit]), words)
        return _fused(library, found, words, words, filters, weight, limit, offset, vectors, keep_first=sure > KEPT)


def _chinese(library: Library, words: str, filters: Filters, limit: int, offset: int, vectors: Vectors | None) -> Hits:
    """By the Chinese itself; where too few papers hold it, then by its terms in English, and by meaning."""
    literal = rank(library, terms(words), filters, limit, offset)
    if literal.match == "all" and literal.total >= limit:
        return _answer(library, literal, words)
    english = glossary.english(words)
    read = tuple(f"{chinese} read as {form}" for chinese, form in glossary.translated(words))
    pool = max(POOL, offset + limit)
    first = rank(library, terms(words), filters, pool, 0).rows if literal.total else []
    asked = terms(english)
    if not asked and vectors is None:
        return _answer(library, literal, words)
    found = rank(library, asked, filters, pool, 0, enough=limit) if asked else Ranking([], 0, "any", "")
    known = {row.paper for row in first}
    rows = first + [row for row in found.rows if row.paper not in known]
    found = replace(found, rows=rows, total=max(found.total, len(rows)))
    if vectors is None:
        return _answer(library, replace(found, rows=rows[offset : offset + limit]), words, read)
    text = words if vectors.encoder.multilingual else english
    return _fused(library, found, words, text, filters, 1.0, limit, offset, vectors, read)


def _like_paper(
    library: Library, name: str, filters: Filters, limit: int, offset: int, vectors: Vectors | None
) -> Hits:
    """Papers like one of the library: by its telling words, and by its vector."""
    paper = library.get(name)
    with library.errors():
        row = int(library.db.execute("SELECT id FROM paper WHERE key = ?", (paper.key,)).fetchone()[0])
        text = f"{paper.title} {paper.abstract}"
        if vectors is None:
            return _answer(library, like(library, text, filters, limit, offset, row), "", match="like")
        found = like(library, text, filters, max(POOL, offset + limit), 0, row)
        near = vectors.nearest(vectors.of([row])[0], _allowed(library, filters), POOL + 1)
        near = [pair for pair in near if pair[0] != row and pair[1] > 0]
        return _merged(library, found, "", near, 1.0, limit, offset, match="like")


def _like_text(library: Library, text: str, filters: Filters, limit: int, offset: int, vectors: Vectors | None) -> Hits:
    """Papers like a pasted text."""
    if vectors is None:
        return _answer(library, like(library, text, filters, limit, offset), "", match="like")
    found = like(library, text, filters, max(POOL, offset + limit), 0)
    return _fused(library, found, "", text, filters, 1.0, limit, offset, vectors, match="like")


def _fused(
    library: Library,
    found: Ranking,
    words: str,
    text: str,
    filters: Filters,
    weight: float,
    limit: int,
    offset: int,
    vectors: Vectors,
    read: tuple[str, ...] = (),
    match: Literal["like"] | None = None,
    keep_first: bool = False,
) -> Hits:
    """The order by words and that by the meaning of `text`, as one."""
    query = vectors.encoder.encode_queries([text])[0]
    near = vectors.nearest(query, _allowed(library, filters), POOL)
    return _merged(library, found, words, near, weight, limit, offset, read, match, keep_first)


def _merged(
    library: Library,
    found: Ranking,
    words: str,
    near: Sequence[tuple[int, float]],
    weight: float,
    limit: int,
    offset: int,
    read: tuple[str, ...] = (),
    match: Literal["like"] | None = None,
    keep_first: bool = False,
) -> Hits:
    scores: dict[int, float] = {}
    for place, row in enumerate(found.rows):
        scores[row.paper] = 1 / (FLAT + place + 1)
    if keep_first:
        scores[found.rows[0].paper] += 1
    for place, (paper, _) in enumerate(near):
        scores[paper] = scores.get(paper, 0.0) + weight / (FLAT + place + 1)
    held = {row.paper: row.held for row in found.rows}
    rows = [
        Row(paper, score, held.get(paper, {}))
        for paper, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))[offset : offset + limit]
    ]
    places = {paper: f"meaning: place {place + 1}, {score:.2f}" for place, (paper, score) in enumerate(near)}
    page = replace(found, rows=rows, total=max(found.total, len(scores)))
    answer = _answer(library, page, words, read, places, match)
    return replace(answer, meaning=True)


def _allowed(library: Library, filters: Filters) -> list[int] | None:
    """The rows that pass the filters; None for all."""
    condition, values = filters
    if condition == "1":
        return None
    return [int(row) for (row,) in library.db.execute(f"SELECT id FROM paper WHERE {condition}", values)]  # noqa: S608


def _answer(
    library: Library,
    found: Ranking,
    words: str,
    read: tuple[str, ...] = (),
    places: dict[int, str] | None = None,
    match: Literal["like"] | None = None,
) -> Hits:
    why = {}
    for row in found.rows:
        fields = {
            name: [piece for piece, where in row.held.items() if name in where]
            for name in ("title", "abstract", "authors")
        }
        told = [f"{name}: {', '.join(pieces)}" for name, pieces in fields.items() if pieces]
        why[row.paper] = (
            *(read if told else ()),
            *told,
            *([places[row.paper]] if places and row.paper in places else []),
        )
    rows = [(row.paper, row.score) for row in found.rows]
    return Hits(_hits(library, rows, found.expression, words, why), found.total, match or found.match)


def _listed(library: Library, filters: Filters, limit: int, offset: int) -> Hits:
    condition, values = filters
    total = library.db.execute(f"SELECT count(*) FROM paper WHERE {condition}", values).fetchone()[0]  # noqa: S608
    rows = library.db.execute(
        f"SELECT id, 0.0 FROM paper WHERE {condition} ORDER BY date DESC, id LIMIT ? OFFSET ?",  # noqa: S608
        (*values, limit, offset),
    ).fetchall()
    return Hits(_hits(library, rows, "", "", {}), total, "list")


def _hits(
    library: Library, rows: list[tuple[int, float]], expression: str, words: str, why: dict[int, tuple[str, ...]]
) -> tuple[Hit, ...]:
    ids = [row for row, _ in rows]
    marked = _marked(library, ids, expression) if expression else {}
    found = []
    for paper, (row, score) in zip(library.load(ids), rows, strict=True):
        told = paper.abstract or str(paper.extra.get("summary", ""))
        snippet = _snippet(marked.get(row, ""))
        found.append(Hit(paper, score, snippet if snippet.spans else _start(told, words), why.get(row, ())))
    return tuple(found)


def _marked(library: Library, ids: Sequence[int], expression: str) -> dict[int, str]:
    """Pieces of the abstracts with marks around what matches, out of an index of these papers alone.

    Asking the library's own index for each of a few papers takes a millisecond apiece.
    """
    pool = sqlite3.connect(":memory:")
    try:
        pool.execute(
            f"CREATE VIRTUAL TABLE words USING fts5 (title, name, abstract, authors, cjk, tokenize='{TOKENIZER}')"
        )
        rows = library.db.execute(
            "SELECT t.id, title, name, abstract, authors, cjk FROM json_each(?) JOIN paper_text AS t ON t.id = value",
            (json.dumps(ids),),
        )
        pool.executemany(
            "INSERT INTO words (rowid, title, name, abstract, authors, cjk) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
        return dict(
            pool.execute(
                "SELECT rowid, snippet(words, 2, ?, ?, '…', ?) FROM words WHERE words MATCH ?",
                (_OPEN, _CLOSE, SNIPPET, expression),
            ).fetchall()
        )
    finally:
        pool.close()


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
