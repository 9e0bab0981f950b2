"""Keyword ranking: candidates out of the FTS5 index, then BM25F with a bonus for neighbours, over the best of them.

FTS5's own `bm25()` takes 1 to 2 microseconds per paper and word, which is too much where a long query's words occur in
half of 100,000 papers; the list of the papers that hold a word costs a tenth of that. So the lists give candidates by
the sum of the words' weights, and the score is computed for the best of them out of their texts (ours).
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from assay.papers.cjk import CJK, bigrams
from assay.papers.library import Library
from assay.papers.schema import TOKENIZER

if TYPE_CHECKING:
    import numpy as np

MOST_WORDS = 64
"""Words of a query that are looked at: a pasted abstract may hold more."""
BLOCK = 50
"""Candidates that are scored together; further pages are scored in further blocks."""
K1, B = 1.2, 0.75
"""Saturation and length normalisation of BM25."""
TITLE, AUTHORS = 3.0, 2.0
"""Weights of title and authors in BM25F beside the abstract's 1. Of 1, 3 and 8, 3 found one-sentence summaries best."""
NEIGHBOURS = 0.5
"""Bonus for two words that follow each other in the query and, at most NEAR words apart, in the paper: this part of
the lower of their two weights."""
NEAR = 3
COMMON = 5
"""A word in more than one in COMMON papers finds no candidates where FEW rarer words do; it counts in the score."""
FEW = 3
MANY = 5000
"""Papers with all words that FTS5 ranks itself; where more have them, those with all of them in the title do."""

_WORDS = """
a an and are as at be by can do for from how in into is it its not of on or our that the their this to using via we
what  when where which while with
"""
STOP = frozenset(_WORDS.split())
_PIECE = re.compile(r"[^\W_]+")
_WEIGHTS = "8.0, 8.0, 1.0, 2.0, 4.0"
"""Of title, name, abstract, authors and CJK in `bm25()`, where FTS5 ranks candidates."""

Filters = tuple[str, list[Any]]


@dataclass(frozen=True)
class Ranking:
    """The rows of one page, (paper, score), the number of papers that match, and how they matched."""

    rows: list[tuple[int, float]]
    total: int
    match: Literal["all", "any"]
    """ "all" words or "any" of them."""
    expression: str
    """What FTS5 is asked for to mark the words."""


def terms(words: str) -> dict[str, str]:
    """An FTS5 expression for each word of the user that holds a letter or a digit."""
    found: dict[str, str] = {}
    for word in words.replace("\0", " ").encode("utf-8", "replace").decode().lower().split():
        for run in CJK.findall(word):
            found[run] = "(cjk : (" + " AND ".join(f'"{pair}"' for pair in bigrams(run)) + "))"
        for rest in CJK.sub(" ", word).split():
            if any(character.isalnum() for character in rest):
                found[rest] = '"' + rest.replace('"', '""') + '"'
    return dict(list(found.items())[:MOST_WORDS])


def rank(library: Library, asked: dict[str, str], filters: Filters, limit: int, offset: int) -> Ranking:
    """The papers that hold the words `asked` (from `terms`, not empty), best first: rows offset to offset + limit.

    Papers with all words come first; where those are fewer than `limit`, papers with any of the words follow, without
    those that have only common words where others have rarer ones. Equal scores by row.
    """
    asked = {word: term for word, term in asked.items() if word not in STOP} or asked
    every = " AND ".join(asked.values())
    # Chinese words are no words to the score: then the order stays that of the index
    pieces = [] if any("cjk :" in term for term in asked.values()) else _pieces(asked)
    some_rows = _holders(library, every, filters, limit)
    if len(some_rows) == limit or len(asked) == 1:
        total = _count(library, every, filters)
        return Ranking(_all(library, every, pieces, filters, total, limit, offset), total, "all", every)
    first = _scored(library, some_rows, pieces)
    done = len(first)
    start, end = max(offset - done, 0), max(offset + limit - done, 0)
    rest, others = _candidates(library, asked, filters, set(some_rows), _blocks(end))
    rows = first[offset : offset + limit] + _page(library, rest, pieces, start, end - start)
    return Ranking(rows, done + others, "any", " OR ".join(asked.values()))


def _holders(library: Library, expression: str, filters: Filters, most: int) -> list[int]:
    """`most` papers that match, whichever: it stops as soon as there are so many."""
    condition, values = filters
    sql = f"SELECT words.rowid FROM {_tables(condition)} WHERE words MATCH ? AND {condition} LIMIT ?"  # noqa: S608
    return [int(row) for (row,) in library.db.execute(sql, (expression, *values, most))]


def _count(library: Library, expression: str, filters: Filters) -> int:
    condition, values = filters
    sql = f"SELECT count(*) FROM {_tables(condition)} WHERE words MATCH ? AND {condition}"  # noqa: S608
    return int(library.db.execute(sql, (expression, *values)).fetchone()[0])


def _tables(condition: str) -> str:
    """The index, joined with the papers where there are filters: the join takes a third of a query's time."""
    return "words" if condition == "1" else "words JOIN paper ON paper.id = words.rowid"


# --- papers with all words ---------------------------------------------------------------------------------------


def _all(
    library: Library, every: str, pieces: list[str], filters: Filters, total: int, limit: int, offset: int
) -> list[tuple[int, float]]:
    """One page of the papers with all words. Where they are many, those with all in the title come first."""
    if total > MANY and "cjk :" not in every:
        title = f"{{title name}} : ({every})"
        if _count(library, title, filters) >= offset + limit:
            every = title
    condition, values = filters
    sql = (
        f"SELECT words.rowid, bm25(words, {_WEIGHTS}) AS score FROM {_tables(condition)} "  # noqa: S608
        f"WHERE words MATCH ? AND {condition} ORDER BY score, words.rowid LIMIT ?"
    )
    found = library.db.execute(sql, (every, *values, _blocks(offset + limit)))
    return _page(library, [int(row) for row, _ in found], pieces, offset, limit)


# --- papers with any word ----------------------------------------------------------------------------------------


def _candidates(
    library: Library, asked: dict[str, str], filters: Filters, known: set[int], most: int
) -> tuple[list[int], int]:
    """The `most` papers (more where several are last) that hold any of the words, and how many there are.

    They are ordered by the sum of the words' weights, in which words of the title count twice.
    """
    import numpy as np

    size = int(library.db.execute("SELECT coalesce(max(id), 0) FROM paper").fetchone()[0]) + 1
    papers = _papers(library)
    one_by_one = [f'"{piece}"' for piece in _pieces(asked)] + [term for term in asked.values() if "cjk :" in term]
    counted = sorted((_holding(library, term), term) for term in one_by_one)
    sums = np.zeros(size, np.float32)
    for at, (count, term) in enumerate(counted):
        if count == 0 or (at >= FEW and count * COMMON > papers):
            continue
        weight = idf(count, papers)
        sums[_rows(library, term)] += weight
        if "cjk :" not in term:
            sums[_rows(library, f"title : {term}")] += weight
    condition, values = filters
    if condition != "1":
        allowed = np.zeros(size, bool)
        sql = f"SELECT group_concat(id) FROM paper WHERE {condition}"  # noqa: S608
        allowed[_parsed(library.db.execute(sql, values).fetchone()[0])] = True
        sums[~allowed] = 0
    sums[list(known)] = 0
    found = np.flatnonzero(sums)
    least = 0.0 if len(found) <= most else np.partition(sums[found], -most)[-most]
    best = found[sums[found] >= least]
    return [int(row) for row in best[np.argsort(-sums[best], kind="stable")]], len(found)


def idf(count: int, papers: int) -> float:
    """The weight of a word that `count` of `papers` papers hold: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    return math.log(1 + (max(papers - count, 0) + 0.5) / (count + 0.5))


def _papers(library: Library) -> int:
    return int(library.db.execute("SELECT count(*) FROM paper").fetchone()[0])


def _holding(library: Library, term: str) -> int:
    """How many papers hold a term; remembered, since the commonest take longest to count."""
    if term not in library.holding:
        library.holding[term] = _count(library, term, ("1", []))
    return library.holding[term]


def _rows(library: Library, expression: str) -> np.ndarray[Any, Any]:
    return _parsed(
        library.db.execute("SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (expression,)).fetchone()[0]
    )


def _parsed(numbers: str | None) -> np.ndarray[Any, Any]:
    """Row numbers out of "1,2,3": a tenth of the time that a row of Python for each takes."""
    import numpy as np

    return np.fromstring(numbers or "", dtype=np.int64, sep=",")


# --- scores ------------------------------------------------------------------------------------------------------


def _blocks(count: int) -> int:
    """`count` rounded up to whole blocks."""
    return -(-count // BLOCK) * BLOCK


def _page(library: Library, rows: Sequence[int], pieces: list[str], start: int, count: int) -> list[tuple[int, float]]:
    """`count` of the rows from `start` on, in blocks that are scored each by itself, so that pages fit together."""
    if count <= 0:
        return []
    first = start // BLOCK * BLOCK
    scored: list[tuple[int, float]] = []
    for at in range(first, min(start + count, len(rows)), BLOCK):
        scored += _scored(library, rows[at : at + BLOCK], pieces)
    return scored[start - first : start - first + count]


def _scored(library: Library, rows: Sequence[int], pieces: list[str]) -> list[tuple[int, float]]:
    """The rows with their scores, best first. Without words to score by (Chinese alone) they keep their order."""
    if not rows:
        return []
    marks = ", ".join("?" * len(rows))
    texts = {
        int(row): (title if name in title else f"{title} {name}", abstract, authors)
        for row, title, name, abstract, authors in library.db.execute(
            f"SELECT id, title, name, abstract, authors FROM paper_text WHERE id IN ({marks})",  # noqa: S608
            list(rows),
        )
    }
    papers = _papers(library)
    weights = [idf(_holding(library, f'"{piece}"'), papers) for piece in pieces]
    scores = dict(zip(rows, score([texts[row] for row in rows], pieces, weights), strict=True))
    if not pieces:
        scores = {row: 1 / (at + 1) for at, row in enumerate(rows)}
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]) if pieces else -item[1])


def score(texts: Sequence[tuple[str, str, str]], pieces: Sequence[str], weights: Sequence[float]) -> list[float]:
    """BM25F of each (title, abstract, authors) for the words `pieces` of `weights`, plus the bonus for neighbours.

    A word's frequency is summed over the fields, each divided by its length norm and times its weight, and saturated
    once (Robertson, Zaragoza and Taylor 2004). Lengths are in words, their means those of `texts`. Words are those of
    the library's own tokenizer.
    """
    if not texts:
        return []
    pool = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for name in ("asked", "held"):
            pool.execute(f"CREATE VIRTUAL TABLE {name} USING fts5 (title, abstract, authors, tokenize='{TOKENIZER}')")
            pool.execute(f"CREATE VIRTUAL TABLE {name}_at USING fts5vocab ({name}, instance)")
        pool.execute("BEGIN")
        pool.executemany("INSERT INTO asked (rowid, title) VALUES (?, ?)", enumerate(pieces))
        pool.executemany(
            "INSERT INTO held (rowid, title, abstract, authors) VALUES (?, ?, ?, ?)",
            [(at, *text) for at, text in enumerate(texts)],
        )
        stems = dict(pool.execute("SELECT doc, term FROM asked_at ORDER BY doc, offset DESC").fetchall())
        lengths = [(len(title.split()), len(abstract.split())) for title, abstract, _ in texts]
        norms = [_norms(column) for column in zip(*lengths, strict=True)]
        found = [0.0] * len(texts)
        places: list[dict[int, list[tuple[str, int]]]] = []
        for at, weight in enumerate(weights):
            frequency: dict[int, float] = {}
            places.append({})
            for doc, column, offset in pool.execute(
                "SELECT doc, col, offset FROM held_at WHERE term = ?", (stems.get(at, ""),)
            ):
                part = {"title": TITLE / norms[0][doc], "abstract": 1 / norms[1][doc], "authors": AUTHORS}[column]
                frequency[doc] = frequency.get(doc, 0.0) + part
                places[at].setdefault(doc, []).append((column, offset))
            for doc, value in frequency.items():
                found[doc] += weight * value * (K1 + 1) / (value + K1)
        for at in range(len(pieces) - 1):
            bonus = NEIGHBOURS * min(weights[at], weights[at + 1])
            for doc in places[at].keys() & places[at + 1].keys():
                if _near(places[at][doc], places[at + 1][doc]):
                    found[doc] += bonus
    finally:
        pool.close()
    return found


def _norms(lengths: Sequence[int]) -> list[float]:
    """Of each length against the mean; one below half of it counts as half, so that no stub beats an abstract."""
    mean = sum(lengths) / len(lengths) or 1.0
    return [1 - B + B * max(length / mean, 0.5) for length in lengths]


def _near(left: list[tuple[str, int]], right: list[tuple[str, int]]) -> bool:
    """Whether a place of `right` follows one of `left` by at most NEAR words in the same field."""
    after = set(right)
    return any((column, offset + step) in after for column, offset in left for step in range(1, NEAR + 1))


def _pieces(asked: dict[str, str]) -> list[str]:
    """The words of a query as the index cuts them ("GFPO-v2" is two), without common ones where others are left."""
    found = dict.fromkeys(piece for word in asked for piece in _PIECE.findall(CJK.sub(" ", word)))
    return [piece for piece in found if piece not in STOP] or list(found)
