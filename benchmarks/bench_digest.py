"""How well the digest ranks, by simulated readers, beside newest-first and a TF-IDF SVM as in arxiv-sanity-lite.

    python benchmarks/bench_digest.py --papers iclr2017.json

A reader is a keyword that at least 12 papers carry: those papers are the ones they want. Half of all papers, drawn at
random, they have been through: they kept those of their keyword and passed the others by. The other half is ranked.
Keywords, which the papers' texts do not hold, are seen by nobody. Average precision, mean over readers and seeds, with
a 95 % interval by resampling readers.

arxiv-sanity-lite's settings: TfidfVectorizer of words and pairs, 20,000 features, df 5 to 10 %, sublinear off;
LinearSVC, class_weight balanced, C 0.01, squared hinge. Papers of one conference have one date, so newest-first is a
random order here.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score
from sklearn.svm import LinearSVC

from assay.papers.listings.detect import read_source
from assay.papers.profile import learn

SEEDS = 5
LEAST = 12


def ours(texts: list[str], kept: np.ndarray, old: np.ndarray) -> np.ndarray:
    profile = learn([texts[at] for at in old], ["keep" if kept[at] else None for at in old])
    assert profile is not None
    return profile.scores(texts)


def sanity(matrix, kept: np.ndarray, old: np.ndarray) -> np.ndarray:
    model = LinearSVC(class_weight="balanced", C=0.01, max_iter=10_000, tol=1e-6)
    model.fit(matrix[old], kept[old])
    return model.decision_function(matrix)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--papers", required=True, help="a paper list with keywords")
    papers = [paper for paper in read_source(parser.parse_args().papers).papers if paper.abstract]
    texts = [f"{paper.title}. {paper.abstract}" for paper in papers]
    counts = Counter(keyword.lower() for paper in papers for keyword in paper.keywords)
    readers = sorted(keyword for keyword, count in counts.items() if count >= LEAST)
    wanted = {name: np.array([name in map(str.lower, paper.keywords) for paper in papers]) for name in readers}
    tfidf = TfidfVectorizer(ngram_range=(1, 2), max_features=20_000, min_df=5, max_df=0.1, stop_words="english")
    matrix = tfidf.fit_transform(texts)
    results: dict[str, list[list[float]]] = {"newest first": [], "TF-IDF SVM": [], "ours": []}
    seconds = Counter[str]()
    for name in readers:
        rows: dict[str, list[float]] = {arm: [] for arm in results}
        for seed in range(SEEDS):
            draw = np.random.default_rng(seed)
            order = draw.permutation(len(papers))
            old, new = order[: len(order) // 2], order[len(order) // 2 :]
            if not (wanted[name][old].any() and wanted[name][new].any()):
                continue
            arms = {
                "newest first": lambda d=draw: d.random(len(papers)),
                "TF-IDF SVM": lambda o=old, n=name: sanity(matrix, wanted[n], o),
                "ours": lambda o=old, n=name: ours(texts, wanted[n], o),
            }
            for arm, run in arms.items():
                start = time.perf_counter()
                scores = run()
                seconds[arm] += time.perf_counter() - start
                rows[arm].append(average_precision_score(wanted[name][new], scores[new]))
        for arm, values in rows.items():
            results[arm].append(values)
    draw = np.random.default_rng(0)
    told = f"{len(readers)} readers (keywords of {LEAST} papers or more), {SEEDS} splits"
    print(f"## Digest\n\n{len(papers)} papers, {told}.\n")
    print("| ranking | average precision | 95 % interval | ours minus it | seconds a reader |")
    print("| --- | --- | --- | --- | --- |")
    means = {arm: np.array([np.mean(row) for row in rows]) for arm, rows in results.items()}
    picks = draw.integers(0, len(readers), (2000, len(readers)))
    for arm, values in means.items():
        low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
        apart = means["ours"] - values
        near, far = np.percentile(apart[picks].mean(axis=1), [2.5, 97.5])
        gap = "" if arm == "ours" else f"{apart.mean():+.3f} [{near:+.3f}, {far:+.3f}]"
        took = seconds[arm] / len(readers) / SEEDS
        print(f"| {arm} | {values.mean():.3f} | {low:.3f} to {high:.3f} | {gap} | {took:.2f} |")


if __name__ == "__main__":
    main()
