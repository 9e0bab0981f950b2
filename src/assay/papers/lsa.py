"""TF-IDF of a library's own words, reduced by a truncated SVD (latent semantic analysis, Deerwester et al. 1990).

The encoder that needs no package: words that occur together in the library's abstracts come to lie near each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from scipy import sparse

    Vectors = np.ndarray[Any, np.dtype[np.float32]]

DIM = 256
MOST_TEXTS = 20_000
"""Texts that are fitted; more say little new about the words."""
MOST_WORDS = 50_000
RARE, COMMON = 3, 0.5
"""Words in fewer texts than RARE, or in more than this part of them, are left out."""
_ROUNDS = 3
"""Power iterations of the randomised SVD (Halko, Martinsson and Tropp 2011, algorithm 4.4)."""
_MORE = 20
"""Columns of the random start beyond those that are kept."""
_WORD = re.compile(r"[^\W\d_]{2,}")


class Lsa:
    """A fitted model: vocabulary, idf of each word, and the projection (words, dim)."""

    name = "words"
    multilingual = False

    def __init__(self, words: Sequence[str], idf: Vectors, projection: Vectors) -> None:
        self.words = list(words)
        self.idf = idf
        self.projection = projection
        self.dim = int(projection.shape[1])
        self._at = {word: at for at, word in enumerate(self.words)}

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (texts, dim); zeros for a text without known words."""
        import numpy as np

        found = np.asarray(_weighted(texts, self._at, self.idf) @ self.projection, np.float32)
        unit: Vectors = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-12))
        return unit

    encode_queries = encode_documents

    def save(self, file: Path) -> None:
        """Write the model; another process sees the old file or the new one, never a half."""
        import numpy as np

        part = file.with_name(f"{file.stem}.part.npz")
        np.savez(part, words=np.array(self.words, dtype=str), idf=self.idf, projection=self.projection)
        part.replace(file)

    @classmethod
    def load(cls, file: Path) -> Lsa:
        """Read a model. OSError or ValueError where the file is none."""
        import zipfile

        import numpy as np

        try:
            with np.load(file, allow_pickle=False) as found:
                return cls(found["words"].tolist(), found["idf"], found["projection"])
        except (KeyError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(f"{file}: damaged: {error}") from None


def fit(texts: Iterable[str]) -> Lsa:
    """Learn the words of `texts` and how they go together; takes 20 seconds for 20,000 abstracts on one core."""
    import numpy as np

    every = list(texts)
    if len(every) > MOST_TEXTS:
        every = [every[int(at)] for at in np.linspace(0, len(every) - 1, MOST_TEXTS)]
    spread: Counter[str] = Counter()
    for text in every:
        spread.update(set(_words(text)))
    rare = RARE if len(every) >= 10 * RARE else 1
    kept = [pair for pair in spread.most_common() if rare <= pair[1] <= max(COMMON * len(every), rare)][:MOST_WORDS]
    words = [word for word, _ in kept]
    idf = np.log(len(every) / np.array([count for _, count in kept], np.float32)) + 1
    matrix = _weighted(every, {word: at for at, word in enumerate(words)}, idf)
    return Lsa(words, idf.astype(np.float32), _directions(matrix))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _weighted(texts: Sequence[str], at: dict[str, int], idf: Vectors) -> sparse.csr_array:
    """Rows of (1 + ln tf) idf, each of length 1."""
    import numpy as np
    from scipy import sparse

    columns: list[int] = []
    values: list[float] = []
    starts = [0]
    for text in texts:
        counts = Counter(at[word] for word in _words(text) if word in at)
        columns += counts.keys()
        values += counts.values()
        starts.append(len(columns))
    weights = (1 + np.log(np.array(values, np.float32))) * idf[np.array(columns, np.int64)]
    matrix = sparse.csr_array((weights, columns, starts), shape=(len(texts), len(at)), dtype=np.float32)
    norms = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1), np.float32)).reshape(-1)
    scale = sparse.diags_array(1 / np.maximum(norms, np.float32(1e-12)), dtype=np.float32)
    return sparse.csr_array(scale @ matrix)


def _directions(matrix: sparse.csr_array) -> Vectors:
    """The right singular vectors of the largest singular values, (words, dim)."""
    import numpy as np

    dim = min(DIM, *matrix.shape)
    if dim == 0:
        return np.zeros((matrix.shape[1], 1), np.float32)
    start = np.random.default_rng(0).standard_normal((matrix.shape[1], min(dim + _MORE, *matrix.shape)))
    basis = matrix @ start.astype(np.float32)
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(basis)
        across, _ = np.linalg.qr(matrix.T @ basis)
        basis = matrix @ across
    basis, _ = np.linalg.qr(basis)
    _, _, directions = np.linalg.svd((matrix.T @ basis).T, full_matrices=False)
    return np.ascontiguousarray(directions[:dim].T, np.float32)
