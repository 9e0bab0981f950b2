"""Vectors of a library's papers, one file per encoder beside the database, memory-mapped and searched exactly.

The database says in which row of the file a paper's vector stands. A batch is written to the file first and to the
database then, so that stopping at any moment loses at most the batch under way; a paper whose title or abstract changes
loses its row (a trigger), and gets a new one at the next update.
"""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.papers.encode import MULTILINGUAL, WORDS, Encoder, EncoderError, Multilingual, SentenceTransformers
from assay.papers.library import Library

if TYPE_CHECKING:
    import numpy as np

TITLE = 0.35
"""Part of the title's own vector in a paper's; on dev queries of ours better than none and than half."""
BATCH = 64
ALONE = 256
"""Papers that are encoded in this process: starting others takes seconds."""

Progress = Callable[[int, int], None]
"""Called with how many of how many papers are done."""


class Vectors:
    """The vectors of a library's papers by one encoder; use `open_vectors`."""

    def __init__(self, library: Library, encoder: Encoder, folder: Path) -> None:
        self.library = library
        self.encoder = encoder
        self.file = folder / f"{encoder.name}.f32"
        self._loaded: tuple[tuple[int, int], np.ndarray[Any, Any], np.ndarray[Any, Any]] | None = None

    def missing(self) -> int:
        """How many papers have no vector."""
        return len(self._without())

    def update(self, progress: Progress | None = None, jobs: int | None = None) -> int:
        """Encode the papers that have no vector, on `jobs` cores (default: all), and return how many those were.

        May be stopped at any time; what was done is kept. One process at a time; another waits.
        """
        from filelock import FileLock

        self.file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self.file}.lock"), self.library.errors():
            rows = self._without()
            done = 0
            for batch, vectors in _encoded(self.encoder, self._texts(rows), jobs or os.cpu_count() or 1):
                self._append(batch, vectors)
                done += len(batch)
                if progress is not None:
                    progress(done, len(rows))
        return done

    def load(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The papers' row numbers (papers,), ascending, and the rows of their vectors in `matrix`."""
        import numpy as np

        with self.library.errors():
            changes = (int(self.library.db.execute("PRAGMA data_version").fetchone()[0]), self.library.db.total_changes)
            if self._loaded is None or self._loaded[0] != changes:
                papers, rows = self.library.db.execute(
                    "SELECT group_concat(paper), group_concat(row) FROM vector WHERE encoder = ?", (self.encoder.name,)
                ).fetchone()
                self._loaded = (
                    changes,
                    np.fromstring(papers or "", dtype=np.int64, sep=","),
                    np.fromstring(rows or "", dtype=np.int64, sep=","),
                )
        return self._loaded[1], self._loaded[2]

    def matrix(self) -> np.ndarray[Any, Any]:
        """All rows of the file, float32, shape (rows, dim), memory-mapped; some may belong to no paper any more."""
        import numpy as np

        size = self.file.stat().st_size // (4 * self.encoder.dim) if self.file.exists() else 0
        if size == 0:
            return np.zeros((0, self.encoder.dim), np.float32)
        return np.memmap(self.file, np.float32, "r", shape=(size, self.encoder.dim))

    def of(self, papers: Sequence[int]) -> np.ndarray[Any, Any]:
        """The vectors of these papers, (papers, dim); zeros for one that has none."""
        import numpy as np

        known, rows = self.load()
        found = np.zeros((len(papers), self.encoder.dim), np.float32)
        at = np.searchsorted(known, papers) if len(known) else np.zeros(len(papers), np.int64)
        matrix = self.matrix()
        for place, (paper, near) in enumerate(zip(papers, at, strict=True)):
            if near < len(known) and known[near] == paper:
                found[place] = matrix[rows[near]]
        return found

    def nearest(self, query: np.ndarray[Any, Any], allowed: Sequence[int] | None, most: int) -> list[tuple[int, float]]:
        """The `most` papers nearest to a unit vector, with their products, best first; among `allowed` row numbers."""
        import numpy as np

        papers, rows = self.load()
        if not len(papers):
            return []
        near = (self.matrix() @ query.astype(np.float32))[rows]
        if allowed is not None:
            keep = np.isin(papers, allowed)
            papers, near = papers[keep], near[keep]
        most = min(most, len(papers))
        if most == 0:
            return []
        best = np.argpartition(-near, most - 1)[:most]
        best = best[np.lexsort((papers[best], -near[best]))]
        return [(int(papers[at]), float(near[at])) for at in best]

    def _without(self) -> list[int]:
        return [
            int(row)
            for (row,) in self.library.db.execute(
                "SELECT id FROM paper_text WHERE id NOT IN (SELECT paper FROM vector WHERE encoder = ?) ORDER BY id",
                (self.encoder.name,),
            )
        ]

    def _texts(self, rows: Sequence[int]) -> Iterator[list[tuple[int, str, str]]]:
        """The papers in batches: (row, title, abstract)."""
        for at in range(0, len(rows), BATCH):
            marks = ", ".join("?" * len(rows[at : at + BATCH]))
            yield self.library.db.execute(
                f"SELECT id, title, abstract FROM paper_text WHERE id IN ({marks})",  # noqa: S608
                rows[at : at + BATCH],
            ).fetchall()

    def _append(self, batch: Sequence[int], vectors: np.ndarray[Any, Any]) -> None:
        import numpy as np

        width = 4 * self.encoder.dim
        with open(self.file, "ab") as file:
            start = file.tell() // width
            file.truncate(start * width)  # half a row, where a writer was killed
            file.write(np.ascontiguousarray(vectors, np.float32).tobytes())
            file.flush()
            os.fsync(file.fileno())
        with self.library.writing():
            self.library.db.executemany(
                "INSERT OR REPLACE INTO vector SELECT ?, id, ? FROM paper_text WHERE id = ?",
                [(self.encoder.name, start + at, row) for at, row in enumerate(batch)],
            )


def open_vectors(library: Library, encoder: str) -> Vectors:
    """The vectors of a library by an encoder: "multilingual", "words", or a model of sentence-transformers.

    EncoderError where the encoder cannot be had, and for "words" that were never fitted (`fit_words`).
    """
    folder = _folder(library)
    return Vectors(library, _make(encoder, folder), folder)


def chosen(library: Library) -> str | None:
    """The encoder that `choose` named last; None where vectors were never made."""
    with library.errors():
        row = library.db.execute("SELECT value FROM setting WHERE name = 'encoder'").fetchone()
    return None if row is None else str(row[0])


def choose(library: Library, encoder: str) -> None:
    """Use this encoder from now on."""
    with library.errors():
        library.db.execute("INSERT OR REPLACE INTO setting VALUES ('encoder', ?)", (encoder,))


def fit_words(library: Library) -> Vectors:
    """The vectors by the library's own words, fitted anew where it has grown to twice what was fitted."""
    from assay.papers import lsa

    folder = _folder(library)
    folder.mkdir(parents=True, exist_ok=True)
    with library.errors():
        papers = int(library.db.execute("SELECT count(*) FROM paper").fetchone()[0])
        row = library.db.execute("SELECT value FROM setting WHERE name = 'words'").fetchone()
        if row is None or papers >= 2 * int(row[0]) or not (folder / f"{WORDS}.npz").exists():
            texts = library.db.execute("SELECT title || '. ' || abstract FROM paper_text ORDER BY id")
            lsa.fit(text for (text,) in texts).save(folder / f"{WORDS}.npz")
            with library.writing():
                library.db.execute("DELETE FROM vector WHERE encoder = ?", (WORDS,))
                library.db.execute("INSERT OR REPLACE INTO setting VALUES ('words', ?)", (str(papers),))
                (folder / f"{WORDS}.f32").unlink(missing_ok=True)
    return open_vectors(library, WORDS)


def _folder(library: Library) -> Path:
    """Where the files are: beside the library, or for one in memory in a folder that goes with it."""
    if library.path != ":memory:":
        return Path(f"{library.path}.vectors")
    if library.scratch is None:
        library.scratch = tempfile.TemporaryDirectory(prefix="assay-")
    return Path(library.scratch.name)


def _make(name: str, folder: Path) -> Encoder:
    if name == MULTILINGUAL:
        return Multilingual()
    if name == WORDS:
        from assay.papers import lsa

        file = folder / f"{WORDS}.npz"
        try:
            return lsa.Lsa.load(file)
        except FileNotFoundError:
            raise EncoderError("the library's words were not learned yet: assay embed") from None
        except (OSError, ValueError) as error:
            raise EncoderError(f"{file}: {error}; delete it and run `assay embed`") from None
    return SentenceTransformers(name)


# --- encoding on all cores ---------------------------------------------------------------------------------------

_Batch = list[tuple[int, str, str]]


def mixed(encoder: Encoder, papers: Sequence[tuple[str, str]]) -> np.ndarray[Any, Any]:
    """One unit vector per (title, abstract): that of both together, with a part TITLE of the title's own."""
    import numpy as np

    both = encoder.encode_documents([f"{title}. {abstract}" if abstract else title for title, abstract in papers])
    found = (1 - TITLE) * both + TITLE * encoder.encode_documents([title for title, _ in papers])
    unit: np.ndarray[Any, Any] = found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-12)
    return unit


def _encoded(
    encoder: Encoder, batches: Iterator[_Batch], jobs: int
) -> Iterator[tuple[list[int], np.ndarray[Any, Any]]]:
    """Batches with their vectors, in order; the multilingual encoder works on one thread, so in several processes."""
    ahead = [batch for _, batch in zip(range(ALONE // BATCH + 1), batches, strict=False)]
    if jobs == 1 or encoder.name != MULTILINGUAL or len(ahead) <= ALONE // BATCH:
        for batch in _chained(ahead, batches):
            yield [row for row, _, _ in batch], mixed(encoder, [text[1:] for text in batch])
        return
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    with _pool(ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_start)) as pool:
        waiting: list[tuple[list[int], Future[Any]]] = []
        for batch in _chained(ahead, batches):
            waiting.append(([row for row, _, _ in batch], pool.submit(_work, [text[1:] for text in batch])))
            if len(waiting) > 2 * jobs:
                rows, future = waiting.pop(0)
                yield rows, future.result()
        for rows, future in waiting:
            yield rows, future.result()


def _chained(first: Sequence[_Batch], rest: Iterator[_Batch]) -> Iterator[_Batch]:
    yield from first
    yield from rest


@contextmanager
def _pool(pool: Any) -> Iterator[Any]:
    """A pool of processes that does not finish what is waiting when we are stopped."""
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


_worker: list[Encoder] = []


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _worker.append(Multilingual())


def _work(papers: list[tuple[str, str]]) -> np.ndarray[Any, Any]:
    return mixed(_worker[0], papers)
