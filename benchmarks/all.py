"""Runs every benchmark and writes benchmarks/results.md with date, processor and versions.

    python benchmarks/all.py [--papers FILE.jsonl.gz] [--summaries FILE.json] [--listings FILE FILE]

Without files of your own the papers are made up, with words as frequent as in real text; how well search and digest do
can be measured on real papers only.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from assay.studies.records import environment, now

HERE = Path(__file__).parent
PEERS = (
    "ale-py",
    "bm25s",
    "chip8-py",
    "diffprivlib",
    "jax",
    "numba",
    "numpy",
    "octax",
    "scipy",
    "scikit-learn",
    "tantivy",
)


def output(script: str, *arguments: str) -> str:
    print(f"{script} ...", file=sys.stderr, flush=True)
    command = [sys.executable, str(HERE / script), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def _of_real_papers(papers: str | None, summaries: str | None) -> list[str]:
    if not (papers and summaries):
        return []
    return [
        output("bench_search.py", "--papers", papers, "--summaries", summaries),
        output("bench_digest.py", "--papers", summaries),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers")
    parser.add_argument("--summaries")
    parser.add_argument("--listings", nargs=2)
    given = parser.parse_args()
    papers = [*(["--papers", given.papers] if given.papers else [])]
    papers += ["--listings", *given.listings] if given.listings else []
    where = environment()
    versions = ", ".join(f"{name} {where['versions'][name]}" for name in PEERS if name in where["versions"])
    parts = [
        "# Benchmarks\n",
        "Ours beside a peer, in one run on one machine; ratios travel, seconds do not. Made by `make bench`.\n",
        f"{now()[:10]} · {where['processor']} · {where['cores']} cores · Python {where['python']} · {versions}\n",
        output("bench_papers.py", *papers),
        *_of_real_papers(given.papers, given.summaries),
        output("bench_runs.py"),
        output("bench_privacy.py"),
        output("bench_environments.py"),
        output("bench_cli.py"),
    ]
    (HERE / "results.md").write_text("\n".join(parts), encoding="utf-8")
    print((HERE / "results.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
