"""What we write, we read back: read(write(papers)) == papers on the fields that each format can hold."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.papers.clean import clean
from assay.papers.export import FORMATS, bibtex, citation_keys, csv_table, ris
from assay.papers.listings.detect import read_source
from assay.papers.paper import Paper

PAPER = Paper(
    title="Sums & Differences: 100% of {Groups} in $5_000",
    authors=("Ada van der One", "Zoë Müller, Jr.", "李伟"),
    abstract="We add a_1, b^2 ~ c; 50% of <d> -- and 'more'. 机器学习 too.",
    venue="ICLR 2026",
    year=2026,
    status="accepted",
    keywords=("sums", "machine learning"),
    ids={"openreview": "AbC12_-xyz", "arxiv": "2601.01234", "doi": "10.1234/abc_d"},
    links={"page": "https://openreview.net/forum?id=AbC12_-xyz", "pdf": "https://openreview.net/pdf?id=AbC12_-xyz"},
)


def held(paper, *without):
    found = {
        name: getattr(paper, name) for name in ("title", "authors", "authors_complete", "abstract", "venue", "year")
    }
    found |= {"keywords": paper.keywords, "ids": dict(paper.ids), "pdf": paper.links.get("pdf")}
    return {name: value for name, value in found.items() if name not in without}


def back(papers, format):
    listing = read_source(FORMATS[format](papers).encode())
    assert [problem.what for problem in listing.problems] == []
    return listing.papers


@pytest.mark.parametrize("format", FORMATS)
def test_one_paper_comes_back(format):
    (paper,) = back([PAPER], format)
    lost = {"csl-json": ("pdf",)}.get(format, ())
    assert held(paper, *lost) == held(PAPER, *lost)


@pytest.mark.parametrize("format", FORMATS)
def test_an_incomplete_list_and_a_bare_paper_come_back(format):
    cut = Paper("Sums", authors=("Ada One", "Bo Two"), authors_complete=False, abstract="We add.", year=2025)
    bare = Paper("Only a Title of a Paper", authors=("Ada One",), abstract="Bare.")
    found = back([cut, bare], format)
    assert [(paper.title, paper.authors, paper.authors_complete) for paper in found] == [
        ("Sums", ("Ada One", "Bo Two"), False),
        ("Only a Title of a Paper", ("Ada One",), True),
    ]


def test_stand_ins_are_in_brackets():
    paper = Paper("FOO - a method", "name", ("Ada One",), abstract="We introduce FOO.")
    assert "title = {{[FOO - a method]}}" in bibtex([paper])
    assert "TI  - [FOO - a method]" in ris([paper])
    assert json.loads(FORMATS["csl-json"]([paper]))[0]["title"] == "[FOO - a method]"


def test_keys_are_plain_and_differ():
    papers = [Paper("The Sums", authors=("Zoë Müller",), year=2026)] * 3 + [Paper("Sums"), Paper("机器")]
    assert citation_keys(papers) == [
        "muller2026sums",
        "muller2026sumsb",
        "muller2026sumsc",
        "anonymoussums",
        "anonymous",
    ]


def test_a_cell_is_no_formula():
    assert ' =HYPERLINK("' in csv_table([Paper('=HYPERLINK("x")', abstract="+1")]).replace('""', '"')


def test_nothing_gives_nothing():
    assert [write([]) for write in (bibtex, ris)] == ["", ""]
    assert FORMATS["csl-json"]([]) == "[]\n"


LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
SPECIAL = st.sampled_from([*"{}$&%#_^~\\*`'\"<>-@=,;:./|[]()+!? ", "--", "``", "''", "\\n", "机", "é", "ﬁ"])


def plain(longest):
    """Texts as the readers leave them: cleaning changes nothing more."""
    texts = st.lists(LETTERS | SPECIAL | st.sampled_from("abcXYZ 12"), min_size=1, max_size=longest).map("".join)
    return texts.map(lambda text: clean(clean(text))).filter(lambda text: text and clean(text) == text)


WORD = st.text("abcdefghijklmnopqrstuvwxyzéüß", min_size=2, max_size=7).map(str.capitalize)
NAMES = st.lists(st.tuples(WORD, WORD).map(" ".join), min_size=1, max_size=4, unique=True)
PAPERS = st.builds(
    lambda title, abstract, authors, year, complete, venue: Paper(
        title=title,
        abstract=abstract,
        authors=tuple(authors),
        year=year,
        authors_complete=complete,
        venue=f"{venue} {year}",
        status="accepted",
    ),
    plain(30).filter(lambda text: any(map(str.isalnum, text))),
    plain(60),
    NAMES,
    st.integers(1950, 2090),
    st.booleans(),
    WORD,
)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=120, deadline=None)
@given(papers=st.lists(PAPERS, min_size=1, max_size=3))
def test_reading_gives_back_what_was_written(format, papers):
    found = back(papers, format)
    kept = ("title", "abstract", "authors", "authors_complete", "venue", "year")
    assert [[getattr(paper, name) for name in kept] for paper in found] == [
        [getattr(paper, name) for name in kept] for paper in papers
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(PAPERS, max_size=3))
def test_json_lines_keep_everything(papers):
    full = [Paper.from_dict(PAPER.to_dict() | paper.to_dict()) for paper in papers]
    found = read_source(FORMATS["jsonl"](full).encode()).papers if full else []
    assert [paper.to_dict() | {"sources": ()} for paper in found] == [
        paper.to_dict() | {"sources": ()} for paper in full
    ]
