"""BM25F with a bonus for neighbours: the score of a paper's texts for the words of a query."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.papers.schema import TOKENIZER

K1, B = 1.2, 0.75
"""Saturation and length normalisation of BM25."""
TITLE, AUTHORS = 3.0, 2.0
"""Weights of title and authors in BM25F beside the abstract's 1. Of 1, 3 and 8, 3 found one-sentence summaries best."""
NEIGHBOURS = 0.5
"""Bonus for two words that follow each other in the query and, at most NEAR words apart, in the paper: this part of
the lower of their two weights."""
NEAR = 3

Text = tuple[str, str, str]
"""Title, abstract, authors."""


def idf(count: int, papers: int) -> float:
    """The weight of a word that `count` of `papers` papers hold: ln(1 + (N - n + 0.5) / (n + 0.5)), never negative."""
    return math.log(1 + (max(papers - count, 0) + 0.5) / (count + 0.5))


@dataclass(frozen=True)
class Scored:
    """The score of a text, and the fields in which each of the words stands: "title", "abstract", "authors"."""

    value: float
    held: Mapping[str, tuple[str, ...]]


def score(texts: Sequence[Text], pieces: Sequence[str], weights: Sequence[float]) -> list[Scored]:
    """BM25F of each text for the words `pieces` of `weights`, plus the bonus for neighbours.

    A word's frequency is summed over the fields, each divided by its length norm and times its weight, and saturated
    once (Robertson, Zaragoza and Taylor 2004). Lengths are in words, their means those of `texts`. Words are those of
    the library's own tokenizer.
    """
    if not texts:
        return []
    pool = sqlite3.connect(":memory:", isolation_level=None)
    try:
        pool.execute(f"CREATE VIRTUAL TABLE held USING fts5 (title, abstract, authors, tokenize='{TOKENIZER}')")
        pool.execute("CREATE VIRTUAL TABLE held_at USING fts5vocab (held, instance)")
        pool.execute("BEGIN")
        # the words of the query have rows below 0, so that they are cut into the same terms as the texts
        pool.executemany(
            "INSERT INTO held (rowid, title) VALUES (?, ?)", ((-1 - at, piece) for at, piece in enumerate(pieces))
        )
        stems = {
            -1 - doc: term for doc, term in pool.execute("SELECT doc, term FROM held_at ORDER BY doc, offset DESC")
        }
        pool.executemany(
            "INSERT INTO held (rowid, title, abstract, authors) VALUES (?, ?, ?, ?)",
            [(at, *text) for at, text in enumerate(texts)],
        )
        lengths = [(len(title.split()), len(abstract.split())) for title, abstract, _ in texts]
        norms = [_norms(column) for column in zip(*lengths, strict=True)]
        found = [0.0] * len(texts)
        held: list[dict[str, tuple[str, ...]]] = [{} for _ in texts]
        before: dict[int, list[tuple[str, int]]] = {}
        for at, (piece, weight) in enumerate(zip(pieces, weights, strict=True)):
            places: dict[int, list[tuple[str, int]]] = {}
            for doc, column, offset in pool.execute(
                "SELECT doc, col, offset FROM held_at WHERE term = ? AND doc >= 0", (stems.get(at, ""),)
            ):
                places.setdefault(doc, []).append((column, offset))
            for doc, there in places.items():
                columns = [column for column, _ in there]
                value = TITLE * columns.count("title") / norms[0][doc] + columns.count("abstract") / norms[1][doc]
                value += AUTHORS * columns.count("authors")
                found[doc] += weight * value * (K1 + 1) / (value + K1)
                held[doc][piece] = tuple(name for name in ("title", "abstract", "authors") if name in columns)
                if doc in before and _near(before[doc], there):
                    found[doc] += NEIGHBOURS * min(weights[at - 1], weight)
            before = places
    finally:
        pool.close()
    return [Scored(value, fields) for value, fields in zip(found, held, strict=True)]


def _norms(lengths: Sequence[int]) -> list[float]:
    """Of each length against the mean; one below half of it counts as half, so that no stub beats an abstract."""
    mean = sum(lengths) / len(lengths) or 1.0
    return [1 - B + B * max(length / mean, 0.5) for length in lengths]


def _near(left: list[tuple[str, int]], right: list[tuple[str, int]]) -> bool:
    """Whether a place of `right` follows one of `left` by at most NEAR words in the same field."""
    after = set(right)
    return any((column, offset + step) in after for column, offset in left for step in range(1, NEAR + 1))
