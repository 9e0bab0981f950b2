"""Listing run folders: the index against reading every run.json again, in one run.

python benchmarks/bench_runs.py [--runs 10000]
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

from assay.studies.records import environment, now, runs


def fill(root: Path, count: int) -> None:
    """So many finished runs, each with the full list of installed versions in its run.json."""
    session = {"start": now(), "end": now(), **environment()}
    for i in range(count):
        folder = root / f"run{i:05d}"
        folder.mkdir()
        info = {
            "format": 1,
            "method": "privacy/rpwithprior",
            "study": "error-map",
            "scale": "small",
            "protocol": f"{i:064d}",
            "planned": 5,
            "seeds": 5,
            "settings": {"regimes": ["all"]},
            "trials": 5,
            "state": "finished",
            "sessions": [session],
        }
        (folder / "run.json").write_text(json.dumps(info))


def afresh(root: Path) -> int:
    """The plain way: open every run.json."""
    return len([json.loads(file.read_text()) for file in root.glob("*/run.json")])


def seconds(fn, repeats: int = 5) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        fn()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    count = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, count)
        start = time.perf_counter()
        assert len(runs(root)[0]) == count
        build = time.perf_counter() - start
        ours, plain = seconds(lambda: runs(root)), seconds(lambda: afresh(root))
    print(f"### Listing {count:,} run folders\n")
    print("| way | seconds | ratio |\n| --- | --- | --- |")
    print(f"| index, checked against every file's time (goal < 0.3 s) | {ours:.3f} | 1 |")
    print(f"| reading every run.json | {plain:.3f} | {plain / ours:.1f} |")
    print(f"| first listing, which builds the index | {build:.3f} | {build / ours:.1f} |")


if __name__ == "__main__":
    main()
