"""What a reader likes, as weights of words: a linear model learned from marks in well under a second.

TF-IDF of words and of pairs of neighbours, as arxiv-sanity-lite has it, and ridge regression on the marks, by least
squares on the sparse matrix. Papers that were not marked count as mildly unwanted, since a reader who kept nothing of
them passed them by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from scipy import sparse

WORTH = {"keep": 1.0, "read": 0.5, "no": -1.0}
"""What the model learns of a mark (ours)."""
PASSED = -0.2
"""And of a paper without one."""
RIDGE = 1.0
MOST_WORDS = 20_000
TOLD = 3
"""Words that explain a paper's place."""
_WORD = re.compile(r"[^\W\d_][\w-]+")
_COMMON = """
a about above after all also an and any are as at be been but by can could do does for from has have how however if in
into is it its more most new no not of on one only or other our over paper propose proposed results show such than that
the their then these they this those through to two under up use used using very via was we well were what when where
which while who will with without work you based method methods model models approach approaches both between each
present first
"""
_STOP = frozenset(_COMMON.split())


@dataclass(frozen=True)
class Profile:
    """The learned weights: vocabulary, idf, and a weight per word."""

    words: Mapping[str, int]
    idf: np.ndarray[Any, Any]
    weights: np.ndarray[Any, Any]

    def scores(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """How much the reader should like each text; only differences matter."""
        found: np.ndarray[Any, Any] = _matrix(texts, self.words, self.idf) @ self.weights
        return found

    def reasons(self, text: str) -> list[str]:
        """The words of a text that raise its score most."""
        row = _matrix([text], self.words, self.idf)
        names = {at: word for word, at in self.words.items()}
        parts = zip(row.indices, row.data, strict=True)
        worth = sorted(((float(value * self.weights[at]), names[at]) for at, value in parts), reverse=True)
        told: list[str] = []
        for value, word in worth:
            if value > 0 and not any(word in other or other in word for other in told):
                told.append(word)
        return told[:TOLD]


def learn(texts: Sequence[str], marks: Sequence[str | None]) -> Profile | None:
    """A profile from texts with their marks (None: passed by); None where no paper was kept, read or refused."""
    import numpy as np
    from scipy.sparse.linalg import lsqr

    if not any(marks):
        return None
    words, idf = _vocabulary(texts)
    wanted = np.array([PASSED if mark is None else WORTH[mark] for mark in marks])
    liked = wanted > 0
    share = np.where(liked, 0.5 / max(liked.sum(), 1), 0.5 / max((~liked).sum(), 1)) * len(texts)
    matrix = _matrix(texts, words, idf)
    balanced = matrix.multiply(np.sqrt(share)[:, None]).tocsr()
    found = lsqr(balanced, wanted * np.sqrt(share), damp=np.sqrt(RIDGE), iter_lim=100)
    return Profile(words, idf, found[0])


def _tokens(text: str) -> list[str]:
    words = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
    return words + [f"{one} {two}" for one, two in pairwise(words)]


def _vocabulary(texts: Sequence[str]) -> tuple[dict[str, int], np.ndarray[Any, Any]]:
    import numpy as np

    spread: Counter[str] = Counter()
    for text in texts:
        spread.update(set(_tokens(text)))
    least = 2 if len(texts) > 20 else 1
    kept = [pair for pair in spread.most_common(MOST_WORDS) if pair[1] >= least]
    counts = np.array([count for _, count in kept], np.float64)
    return {word: at for at, (word, _) in enumerate(kept)}, np.log((1 + len(texts)) / (1 + counts)) + 1


def _matrix(texts: Sequence[str], words: Mapping[str, int], idf: np.ndarray[Any, Any]) -> sparse.csr_array:
    """Rows of (1 + ln tf) idf, each of length 1."""
    import numpy as np
    from scipy import sparse

    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for text in texts:
        counts = Counter(words[token] for token in _tokens(text) if token in words)
        row = (1 + np.log(np.array(list(counts.values()), np.float64))) * idf[list(counts)] if counts else np.zeros(0)
        columns += counts.keys()
        values += list(row / max(float(np.linalg.norm(row)), 1e-12))
        starts.append(len(columns))
    return sparse.csr_array((values, columns, starts), shape=(len(texts), len(words)))
