"""Reading listings and searching papers, side by side with bm25s in the same run; prints markdown tables.

    python benchmarks/bench_papers.py --papers FILE.jsonl.gz --listings DIGEST PAGE

FILE holds one JSON object per line with `title`, `abstract`, `author` ("; "-joined) and `venue`. Without it a library
with a Zipf vocabulary is made up; without listings, a digest and a page of 17 and 20 entries are. Copies of the papers
are made distinct: words shuffled, authors and title numbered. Goals: both listings under 0.3 s; p95 of a keyword query
under 30 ms over 22,547 papers, and linear or better up to 5 copies.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bm25s

from assay.papers.clean import clean
from assay.papers.library import Library
from assay.papers.paper import Paper
from assay.papers.search import search

READ = """
import sys, time
wall, cpu = time.perf_counter(), time.process_time()
from assay.papers.listings.detect import read_source
cold = [len(read_source(path).papers) for path in sys.argv[1:]]
print(time.perf_counter() - wall, time.process_time() - cpu, sum(cold))
wall, cpu = time.perf_counter(), time.process_time()
for path in sys.argv[1:]: read_source(path)
print(time.perf_counter() - wall, time.process_time() - cpu, sum(cold))
"""


def load(file: Path) -> list[Paper]:
    """The papers of a JSON Lines file."""
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Paper(
            title=clean(row["title"]) or "?",
            authors=tuple(name.strip() for name in row.get("author", "").split(";") if name.strip()),
            abstract=clean(row.get("abstract") or ""),
            status="accepted",
            venue=row.get("venue", ""),
        )
        for row in rows
    ]


def made_up(count: int) -> list[Paper]:
    """Papers with abstracts of about 160 words from a Zipf vocabulary of 30,000."""
    draw = random.Random(0)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    vocabulary = list(dict.fromkeys("".join(draw.choices(syllables, k=draw.randint(2, 5))) for _ in range(40_000)))[
        :30_000
    ]
    weights = [1 / (rank + 2) for rank in range(len(vocabulary))]

    def words(least: int, most: int) -> str:
        return " ".join(draw.choices(vocabulary, weights, k=draw.randint(least, most)))

    return [
        Paper(
            title=words(5, 11),
            authors=tuple(words(2, 2) for _ in range(draw.randint(1, 6))),
            abstract=words(100, 220),
            status="accepted",
            venue=f"venue{number % 20}",
        )
        for number in range(count)
    ]


def copies(papers: list[Paper], number: int) -> Iterator[Paper]:
    """The papers again, made distinct."""
    draw = random.Random(number)
    for paper in papers:
        words = paper.abstract.split()
        draw.shuffle(words)
        names = tuple(f"{name}{number}" for name in paper.authors)
        yield Paper(
            title=f"{paper.title} {number}",
            authors=names,
            abstract=" ".join(words),
            status="accepted",
            venue=paper.venue,
        )


def queries(papers: list[Paper], count: int) -> list[str]:
    """Two to four neighbouring words of titles."""
    draw = random.Random(1)
    found: list[str] = []
    while len(found) < count:
        words = re.findall(r"\w[\w-]+", draw.choice(papers).title)
        length = draw.randint(2, 4)
        if len(words) >= length:
            start = draw.randrange(len(words) - length + 1)
            found.append(" ".join(words[start : start + length]))
    return found


def timed(run: Callable[[str], object], asked: list[str]) -> tuple[float, float]:
    """Median and 95th percentile over the queries in ms wall time, of each query its best of three rounds."""
    best = [float("inf")] * len(asked)
    for _ in range(3):
        for at, query in enumerate(asked):
            start = time.perf_counter()
            run(query)
            best[at] = min(best[at], 1e3 * (time.perf_counter() - start))
    best.sort()
    return best[len(best) // 2], best[int(0.95 * len(best))]


def read_listings(files: list[Path]) -> None:
    """Time both listings in a fresh interpreter: with imports, and again."""
    print("| reading both listings | wall s | CPU s | papers |\n| --- | --- | --- | --- |")
    runs = [
        subprocess.run(
            [sys.executable, "-c", READ, *map(str, files)], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(3)
    ]
    for row, name in enumerate(("fresh process, imports included", "again in the same process")):
        wall, cpu, count = min((run.split("\n")[row].split() for run in runs), key=lambda parts: float(parts[0]))
        print(f"| {name} | {float(wall):.3f} | {float(cpu):.3f} | {count} |")


def made_up_listings(folder: Path, papers: list[Paper]) -> list[Path]:
    """A digest of 17 entries and a page of 20."""
    entries = "".join(
        f"Title: {p.title}\nAbstract: {p.abstract}\nURL: https://openreview.net/forum?id=Bench{n:05}\n---\n"
        for n, p in enumerate(papers[:17])
    )
    blocks = [f"Area · Part\n\n{', '.join(p.authors)}\n\n{p.abstract}\n\n" for p in papers[17:37]]
    digest, page = folder / "digest.txt", folder / "page.txt"
    digest.write_text(
        f"Daily TMLR digest for Mar 03, 2026\n\nNew submissions\n===============\n{entries}", encoding="utf-8"
    )
    page.write_text("论文检索\n\n" + "".join(blocks), encoding="utf-8")
    return [digest, page]


def compare(papers: list[Paper], asked: list[str], many: list[int], folder: Path) -> None:
    """One library that grows, and bm25s on the same texts."""
    library = Library(folder / "library.sqlite")
    texts: list[str] = []
    first: tuple[int, float] | None = None
    rows = []
    build = 0.0
    for number in range(1, max(many) + 1):
        part = papers if number == 1 else list(copies(papers, number))
        start = time.process_time()
        library.add(part)
        build += time.process_time() - start
        texts += [f"{paper.title} {paper.abstract}" for paper in part]
        if number not in many:
            continue
        count = library.count()
        start = time.process_time()
        library.add(list(copies(papers[:17], 1000 + number)))
        digest = time.process_time() - start
        index = bm25s.BM25()
        start = time.process_time()
        index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
        peer_build = time.process_time() - start
        ours = timed(lambda query: search(library, query, limit=20), asked)
        filtered = timed(lambda query: search(library, query, limit=20, venue=papers[0].venue), asked)
        peer = timed(
            lambda query, index=index: index.retrieve(
                bm25s.tokenize(query, show_progress=False), k=20, show_progress=False
            ),  # type: ignore[misc]
            asked,
        )
        first = first or (count, ours[1])
        growth = (ours[1] / first[1]) / (count / first[0])
        size = (folder / "library.sqlite").stat().st_size / 1e6
        cells = (
            f"{count:,}",
            f"{build:.1f}",
            f"{peer_build:.1f}",
            f"{digest:.3f}",
            f"{size:.0f}",
            f"{ours[0]:.1f} / {ours[1]:.1f}",
            f"{filtered[0]:.1f} / {filtered[1]:.1f}",
            f"{peer[0]:.1f} / {peer[1]:.1f}",
            f"{ours[0] / peer[0]:.1f} / {ours[1] / peer[1]:.1f}",
            f"{growth:.2f}",
        )
        rows.append(f"| {' | '.join(cells)} |")
    library.close()
    print(
        "\n| papers | build CPU s | bm25s build CPU s | add 17 more, CPU s | file MB | search p50 / p95 ms "
        "| with a venue p50 / p95 ms | bm25s p50 / p95 ms | ratio p50 / p95 | p95 growth over linear |"
    )
    print("| --- " * 10 + "|")
    print("\n".join(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=Path, help="papers, JSON Lines, gzipped or not")
    parser.add_argument("--listings", type=Path, nargs="+", help="listings to read")
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 2, 5], help="how many copies of the papers")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--count", type=int, default=22_547, help="made-up papers, without --papers")
    given = parser.parse_args()
    papers = load(given.papers) if given.papers else made_up(given.count)
    about = f"{len(papers):,} papers{'' if given.papers else ' (made up)'}, {given.queries} queries"
    machine = f"{platform.processor() or platform.machine()}, Python {platform.python_version()}"
    print(f"{time.strftime('%Y-%m-%d')}, {machine}, bm25s {bm25s.__version__}, {about}\n")
    with tempfile.TemporaryDirectory() as folder:
        read_listings(given.listings or made_up_listings(Path(folder), papers))
        compare(papers, queries(papers, given.queries), given.copies, Path(folder))


if __name__ == "__main__":
    main()
