"""Our keyword search against bm25s, score by score.

FTS5 (and so Assay) computes BM25 with k1 = 1.2, b = 0.75, the classic idf ln((N - n + 0.5) / (n + 0.5)) and the factor
k1 + 1, over the length of all columns. bm25s has the same without that factor as its method "robertson". Compared are
the scores, on papers whose titles and authors are words no query has, so that each has one effective column of weight
1; the set of what matches; and the order. Ours alone is that papers with all words come before those with some.
"""

import random

import pytest

from assay.papers.library import Library
from assay.papers.paper import Paper
from assay.papers.search import search

bm25s = pytest.importorskip("bm25s", reason="pip install bm25s")

# words that the porter stemmer leaves alone, so that both index the same terms; frequencies fall off as Zipf's
WORDS = [
    first + middle + last for first in "bdfgklmnprtv" for middle in ("ax", "ox", "um", "ik") for last in ("ant", "ork")
]


@pytest.fixture(scope="module")
def corpus():
    draw = random.Random(5)
    weights = [1 / (rank + 3) for rank in range(len(WORDS))]
    return [" ".join(draw.choices(WORDS, weights, k=draw.randint(30, 120))) for _ in range(400)]


@pytest.fixture(scope="module")
def library(corpus):
    papers = [
        Paper(title="Zzz", abstract=text, authors=(f"Aa Ff{number}",), ids={"s2": str(number)})
        for number, text in enumerate(corpus)
    ]
    with Library(":memory:") as opened:
        assert opened.add(papers).added == len(corpus)
        yield opened


@pytest.fixture(scope="module")
def peer(corpus):
    texts = [f"zzz aa ff{number} {text}" for number, text in enumerate(corpus)]
    index = bm25s.BM25(method="robertson", k1=1.2, b=0.75)
    index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    return index


@pytest.mark.parametrize("seed", range(60))
def test_scores_and_order_are_those_of_bm25s(corpus, library, peer, seed):
    draw = random.Random(seed)
    words = draw.sample(WORDS, draw.randint(1, 4))
    scores = 2.2 * peer.get_scores(words)
    hits = search(library, " ".join(words), limit=len(corpus))
    found = [int(hit.paper.ids["s2"]) for hit in hits]
    holding = [len(set(words) & set(text.split())) for text in corpus]
    assert set(found) == {number for number, count in enumerate(holding) if count}
    assert hits.total == len(found)
    assert [hit.score for hit in hits] == pytest.approx([scores[number] for number in found], rel=1e-4, abs=1e-4)
    expected = sorted(found, key=lambda number: (holding[number] < len(words), -scores[number]))
    assert [holding[number] == len(words) for number in found] == [holding[number] == len(words) for number in expected]
    assert [scores[number] for number in found] == pytest.approx([scores[number] for number in expected], rel=1e-4)
