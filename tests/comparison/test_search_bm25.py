"""Our keyword scores against bm25s, score by score.

Ours are BM25F; where a text has one field and no bonus for neighbours that is BM25 with k1 = 1.2 and b = 0.75, Lucene's
idf ln(1 + (N - n + 0.5) / (n + 0.5)) and the factor k1 + 1, which bm25s leaves out in its method "lucene". Compared are
the scores; and through the library the set of what matches and that papers with all words come first.
"""

import random

import pytest

from assay.papers import scoring
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
    return [" ".join(draw.choices(WORDS, weights, k=draw.randint(60, 120))) for _ in range(400)]


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
    index = bm25s.BM25(method="lucene", k1=scoring.K1, b=scoring.B)
    index.index(bm25s.tokenize(corpus, stopwords=None, show_progress=False), show_progress=False)
    return index


@pytest.mark.parametrize("seed", range(60))
def test_scores_are_those_of_bm25s(corpus, peer, seed, monkeypatch):
    monkeypatch.setattr(scoring, "NEIGHBOURS", 0.0)
    draw = random.Random(seed)
    words = draw.sample(WORDS, draw.randint(1, 4))
    weights = [scoring.idf(sum(word in text.split() for text in corpus), len(corpus)) for word in words]
    found = scoring.score([("", text, "") for text in corpus], words, weights)
    theirs = (scoring.K1 + 1) * peer.get_scores(words)
    assert [one.value for one in found] == pytest.approx(list(theirs), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("seed", range(20))
def test_what_matches_and_its_order(corpus, library, seed):
    draw = random.Random(seed)
    words = draw.sample(WORDS, draw.randint(1, 4))
    hits = search(library, " ".join(words), limit=len(corpus))
    found = [int(hit.paper.ids["s2"]) for hit in hits]
    holding = [len(set(words) & set(text.split())) for text in corpus]
    assert set(found) == {number for number, count in enumerate(holding) if count}
    assert hits.total == len(found) == len(set(found))
    assert [holding[number] == len(words) for number in found] == sorted(
        (holding[number] == len(words) for number in found), reverse=True
    )
