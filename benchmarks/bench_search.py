"""Search, by words and fused with meaning, side by side with bm25s and tantivy in one run; prints Markdown tables.

    python benchmarks/bench_search.py --papers papers-22k.jsonl.gz --summaries iclr2017.json [--keep FOLDER]

The library holds both files. Queries: the one-sentence summaries of the second file (its field `tldr`, which is not
indexed), each with its own paper as the one right answer; and queries.jsonl and queries-2.jsonl (see queries.md), whose
positions are those of the first file. Times are per query, in one process, after a first query; the 100,000 papers of
the second table are copies of these. `--keep` keeps library and vectors for the next run. Goals: keyword MRR at least
0.01 above bm25s; fused not below keyword on summaries, 0.10 above it in recall@5 on paraphrases; Chinese recall@5 at
least 0.85; p95 under 30 ms by words and 80 ms fused at 100,000 papers, in less than 1 GiB.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bm25s
import numpy as np
import tantivy

from assay.papers.library import Library
from assay.papers.listings.detect import read_source
from assay.papers.search import search
from assay.papers.vectors import Vectors, choose, chosen, fit_words, open_vectors

MANY = 100_000
Queries = list[tuple[str, int]]


def build(folder: Path, papers: str, summaries: str, encoder: str) -> Path:
    """The library of both files with its vectors."""
    file = folder / "library.sqlite"
    with Library(file) as library:
        if library.count() == 0:
            for source in (papers, summaries):
                start = time.perf_counter()
                found = read_source(source).papers
                library.add(found)
                print(f"{source}: {len(found)} papers in {time.perf_counter() - start:.0f} s", file=sys.stderr)
        vectors = fit_words(library) if encoder == "words" else open_vectors(library, encoder)
        start = time.perf_counter()
        if count := vectors.update(lambda done, total: print(f"\r{done}/{total}", end="", file=sys.stderr)):
            print(f"\n{count} embedded in {time.perf_counter() - start:.0f} s", file=sys.stderr)
        choose(library, encoder)
    return file


def queries(library: Library, papers: str, summaries: str) -> dict[str, Queries]:
    """Each set of queries with the row of its one right answer."""
    rows = {(name, entry): row for row, name, entry in library.db.execute(
        "SELECT record.paper, file, entry FROM source JOIN record ON record.id = record")}  # fmt: skip
    told = [
        (str(paper.extra["tldr"]), rows[Path(summaries).name, paper.sources[0].entry])
        for paper in read_source(summaries).papers
        if paper.extra.get("tldr")
    ]
    found: dict[str, Queries] = {f"{len(told)} summaries": told}
    for file, which in (("queries.jsonl", ""), ("queries-2.jsonl", ", second set")):
        lines = (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines()
        for language, name in (("en", "60 paraphrases"), ("zh", "60 Chinese")):
            held = [line for line in map(json.loads, lines) if line["language"] == language]
            found[name + which] = [(line["query"], rows[Path(papers).name, line["at"] + 1]) for line in held]
    return found


def ours(library: Library, vectors: Vectors | None) -> Callable[[str], list[int]]:
    rows = dict(library.db.execute("SELECT key, id FROM paper"))
    return lambda query: [rows[hit.paper.key] for hit in search(library, query, limit=10, vectors=vectors)]


def peer_bm25s(library: Library) -> Callable[[str], list[int]]:
    found = library.db.execute("SELECT id, title || ' ' || abstract FROM paper_text ORDER BY id").fetchall()
    index = bm25s.BM25()
    index.index(bm25s.tokenize([text for _, text in found], stopwords="en", show_progress=False), show_progress=False)
    rows = np.array([row for row, _ in found])

    def ask(query: str) -> list[int]:
        tokens = bm25s.tokenize([query], stopwords="en", show_progress=False, return_ids=False)
        if not tokens[0]:
            return []
        return rows[index.retrieve(tokens, k=10, show_progress=False)[0][0]].tolist()

    return ask


def peer_tantivy(library: Library) -> Callable[[str], list[int]]:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=True)
    for name in ("title", "abstract"):
        builder.add_text_field(name, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer()
    for row, title, abstract in library.db.execute("SELECT id, title, abstract FROM paper_text ORDER BY id"):
        writer.add_document(tantivy.Document(row=row, title=title, abstract=abstract))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def ask(query: str) -> list[int]:
        plain = "".join(letter if letter.isalnum() else " " for letter in query).lower()
        parsed = index.parse_query(plain, ["title", "abstract"])
        return [searcher.doc(at)["row"][0] for _, at in searcher.search(parsed, 10).hits]

    return ask


def measured(ask: Callable[[str], list[int]], asked: Queries) -> tuple[float, float, float, float]:
    """MRR@10, recall@5, median and 95th percentile of milliseconds."""
    ask("a first query")
    ranks, times = [], []
    for query, right in asked:
        start = time.perf_counter()
        found = ask(query)
        times.append(1000 * (time.perf_counter() - start))
        ranks.append(found.index(right) + 1 if right in found else 0)
    mrr = float(np.mean([1 / rank if rank else 0 for rank in ranks]))
    recall = float(np.mean([0 < rank <= 5 for rank in ranks]))
    return mrr, recall, *map(float, np.percentile(times, [50, 95]))


def quality(file: Path, papers: str, summaries: str) -> None:
    with Library(file) as library:
        name = chosen(library) or "multilingual"
        arms = {
            "ours, words": ours(library, None),
            f"ours, words and meaning ({name})": ours(library, open_vectors(library, name)),
            f"bm25s {bm25s.__version__}": peer_bm25s(library),
            f"tantivy {tantivy.__version__}": peer_tantivy(library),
        }
        print(f"## Search\n\n{library.count():,} papers.\n")
        print("| queries | search | MRR@10 | recall@5 | p50 ms | p95 ms |\n| --- | --- | --- | --- | --- | --- |")
        for title, asked in queries(library, papers, summaries).items():
            for arm, ask in arms.items():
                mrr, recall, middle, high = measured(ask, asked)
                print(f"| {title} | {arm} | {mrr:.3f} | {recall:.3f} | {middle:.1f} | {high:.1f} |", flush=True)


def grow(file: Path, many: Path) -> None:
    """A library of MANY papers with vectors: copies of those of `file`."""
    with Library(file) as library:  # merges the log into the file
        library.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        name = chosen(library)
    shutil.copy(file, many)
    Path(f"{many}.vectors").mkdir(exist_ok=True)
    for part in Path(f"{file}.vectors").iterdir():
        shutil.copy(part, f"{many}.vectors")
    with Library(many) as library:
        old = Vectors(library, open_vectors(library, str(name)).encoder, Path(f"{many}.vectors"))
        vectors = np.array(old.matrix())
        size, top = library.count(), int(library.db.execute("SELECT max(id) FROM paper").fetchone()[0])
        records = int(library.db.execute("SELECT max(id) FROM record").fetchone()[0])
        with library.writing():
            for copy in range(1, -(-MANY // size)):
                by = copy * top
                keep = f"id <= {top} AND id + {by} <= {top} * {MANY} / {size}"
                copies = {
                    "paper": f"id + {by}, key || '-{copy}', venue, year, status, topics, date, code",
                    "paper_text": f"id + {by}, title, name, abstract, authors, cjk",
                    "record": f"id + {copy * records}, hash || x'{copy:02x}', body, runs, paper + {by}, added",
                    "vector": f"encoder, paper + {by}, row + {copy * len(vectors)}",
                }
                for table, columns in copies.items():
                    which = keep.replace("id", "paper") if table in ("record", "vector") else keep
                    library.db.execute(f"INSERT INTO {table} SELECT {columns} FROM {table} WHERE {which}")
        with open(old.file, "ab") as held:
            for _ in range(1, -(-MANY // size)):
                held.write(vectors.tobytes())


def ask_many(many: Path, asked: Path) -> None:
    """Times of every query on the large library, in a process of its own, so that its memory can be told."""
    words = [(query, 0) for query in json.loads(asked.read_text())]
    with Library(many) as library:
        vectors = open_vectors(library, str(chosen(library)))
        print(f"\n{library.count():,} papers, {Path(many).stat().st_size / 2**20:.0f} MiB.\n")
        print("| search | p50 ms | p95 ms | peak memory MiB |\n| --- | --- | --- | --- |")
        for name, held in (("ours, words", None), ("ours, words and meaning", vectors)):

            def ask(query: str, held: Vectors | None = held) -> list[int]:
                return [len(search(library, query, limit=10, vectors=held))]

            measured(ask, words[:50])
            _, _, middle, high = measured(ask, words)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"| {name} | {middle:.1f} | {high:.1f} | {peak:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers")
    parser.add_argument("--summaries")
    parser.add_argument("--encoder", default="multilingual")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--ask", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask_many(*given.ask)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        file = build(folder, given.papers, given.summaries, given.encoder)
        quality(file, given.papers, given.summaries)
        many = folder / "many.sqlite"
        if not many.exists():
            grow(file, many)
        with Library(file) as library:
            asked = [query for found in queries(library, given.papers, given.summaries).values() for query, _ in found]
        (Path(scratch) / "asked.json").write_text(json.dumps(asked))
        sys.stdout.flush()
        subprocess.run([sys.executable, __file__, "--ask", str(many), str(Path(scratch) / "asked.json")], check=True)


if __name__ == "__main__":
    main()
