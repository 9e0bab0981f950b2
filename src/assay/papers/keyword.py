"""Keyword ranking: candidates out of the FTS5 index, then BM25F with a bonus for neighbours, over the best of them.

FTS5's own `bm25()` takes 1 to 2 microseconds per paper and word, which is too much where a long query's words occur in
half of 100,000 papers; the list of the papers that hold a word costs a tenth of that. So the lists give candidates by
the sum of the words' weights, and the score is computed for the best of them out of their texts (ours).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assay.papers.cjk import CJK, bigrams
from assay.papers.library import Library
from assay.papers.scoring import idf, score

if TYPE_CHECKING:
    import numpy as np

MOST_WORDS = 64
"""Words of a query that are looked at; a longer one is a pasted text (`like`)."""
BLOCK = 50
"""Candidates that are scored together; further pages are scored in further blocks."""
COMMON = 5
"""A word in more than one in COMMON papers finds no candidates where FEW rarer words do; it counts in the score."""
ENOUGH = 0.6
"""And where the rarer words' papers, counted for each word, are this part of all, the next word finds none either."""
FREE = 1000
"""So many papers always are candidates: it takes no time."""
FEW = 3
TELLING = 25
"""Words of a text that papers like it are looked for by."""
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
_ALL = ""
"""Under this, `Library.holding` has the number of all papers."""


@dataclass(frozen=True)
class Row:
    """A paper found: its row, its score, and the fields in which each word of the query stands."""

    paper: int
    score: float
    held: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranking:
    """The rows of one page, the number of papers that match, and how they matched."""

    rows: list[Row]
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


def rank(
    library: Library, asked: dict[str, str], filters: Filters, limit: int, offset: int, enough: int | None = None
) -> Ranking:
    """The papers that hold the words `asked` (from `terms`, not empty), best first: rows offset to offset + limit.

    Papers with all words come first; where those are fewer than `enough` (by default `limit`), papers with any of the
    words follow, without those that have only common words where others have rarer ones. Equal scores by row.
    """
    enough = limit if enough is None else enough
    asked = {word: term for word, term in asked.items() if word not in STOP} or asked
    every = " AND ".join(asked.values())
    # Chinese words are no words to the score: then the order stays that of the index
    pieces = [] if any("cjk :" in term for term in asked.values()) else _pieces(asked)
    some_rows = _holders(library, every, filters, enough)
    if len(some_rows) == enough or len(asked) == 1:
        total = _count(library, every, filters)
        return Ranking(_all(library, every, pieces, filters, total, limit, offset), total, "all", every)
    return _any(library, asked, pieces, filters, limit, offset, some_rows)


def like(library: Library, text: str, filters: Filters, limit: int, offset: int, without: int | None = None) -> Ranking:
    """The papers that share the most telling words of a text, best first; never the paper `without`."""
    counts = Counter(_PIECE.findall(CJK.sub(" ", text.lower())))
    worth = {piece: count * weight(library, piece) for piece, count in counts.items() if piece not in STOP}
    best = sorted(worth, key=lambda piece: -worth[piece])[:TELLING]
    asked = {piece: f'"{piece}"' for piece in counts if piece in best}
    if not asked:
        return Ranking([], 0, "any", "")
    return _any(library, asked, list(asked), filters, limit, offset, [], without)


def _any(
    library: Library,
    asked: dict[str, str],
    pieces: list[str],
    filters: Filters,
    limit: int,
    offset: int,
    first: list[int],
    without: int | None = None,
) -> Ranking:
    """The papers `first`, which hold all words, and after them those with any, but the paper `without`."""
    rows = _scored(library, first, pieces)
    done = len(rows)
    start, end = max(offset - done, 0), max(offset + limit - done, 0)
    rest, others = _candidates(library, asked, filters, {*first, *([] if without is None else [without])}, _blocks(end))
    rows = rows[offset : offset + limit] + _page(library, rest, pieces, start, end - start)
    return Ranking(rows, done + others, "any", " OR ".join(asked.values()))


def coverage(library: Library, asked: dict[str, str], row: Row) -> float:
    """How much of a query's words a paper holds, each by its weight: 0 to 1."""
    worth = {piece: weight(library, piece) for piece in _pieces(asked)}
    return sum(worth[piece] for piece in row.held if piece in worth) / sum(worth.values()) if worth else 0.0


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
) -> list[Row]:
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
    counted = sorted((count, term) for term in one_by_one if (count := _holding(library, term)))
    sums = np.zeros(size, np.float32)
    listed = 0
    for at, (count, term) in enumerate(counted):
        listed += count
        if at >= FEW and (count > max(papers / COMMON, FREE) or listed > max(papers * ENOUGH, FREE)):
            break  # the rest is commoner still
        worth = idf(count, papers)
        sums[_rows(library, term)] += worth
        if "cjk :" not in term:
            sums[_rows(library, f"title : {term}")] += worth
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


def _papers(library: Library) -> int:
    if _ALL not in library.holding:
        library.holding[_ALL] = int(library.db.execute("SELECT count(*) FROM paper").fetchone()[0])
    return library.holding[_ALL]


def _holding(library: Library, term: str) -> int:
    """How many papers hold a term, counted to a third of all: what is commoner weighs next to nothing; remembered."""
    if term not in library.holding:
        most = max(_papers(library) // 3, FREE)
        sql = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        library.holding[term] = int(library.db.execute(sql, (term, most)).fetchone()[0])
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


def _page(library: Library, rows: Sequence[int], pieces: list[str], start: int, count: int) -> list[Row]:
    """`count` of the rows from `start` on, in blocks that are scored each by itself, so that pages fit together."""
    if count <= 0:
        return []
    first = start // BLOCK * BLOCK
    scored: list[Row] = []
    for at in range(first, min(start + count, len(rows)), BLOCK):
        scored += _scored(library, rows[at : at + BLOCK], pieces)
    return scored[start - first : start - first + count]


def _scored(library: Library, rows: Sequence[int], pieces: list[str]) -> list[Row]:
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
    found = score([texts[row] for row in rows], pieces, [weight(library, piece) for piece in pieces])
    scored = [Row(row, one.value, one.held) for row, one in zip(rows, found, strict=True)]
    return sorted(scored, key=lambda row: (-row.score, row.paper)) if pieces else scored


def weight(library: Library, piece: str) -> float:
    """The weight of a word by how many papers hold it."""
    return idf(_holding(library, f'"{piece}"'), _papers(library))


def _pieces(asked: dict[str, str]) -> list[str]:
    """The words of a query as the index cuts them ("GFPO-v2" is two), without common ones where others are left."""
    found = dict.fromkeys(piece for word in asked for piece in _PIECE.findall(CJK.sub(" ", word)))
    return [piece for piece in found if piece not in STOP] or list(found)
