import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import paper, prose

from assay.papers.cjk import bigrams, grams
from assay.papers.library import Library
from assay.papers.search import Snippet, search


def titles(hits):
    return [hit.paper.title for hit in hits]


@pytest.fixture(scope="module")
def library():
    with Library(":memory:") as opened:
        opened.add(
            [
                paper(
                    1,
                    title="GFPO-v2: Filtering Groups",
                    abstract="We filter groups with GFPO-v2 in C++ code. " + prose(1),
                ),
                paper(
                    2,
                    title="Trees Can't Grow",
                    abstract="Some forests are random, and they cannot grow vs. others. " + prose(2),
                ),
                paper(3, title="机器学习 with Trees", abstract="深度学习模型的稳定性研究。 " + prose(3)),
                paper(
                    4,
                    title="Ratios x:y and NOT Operators",
                    authors=("Zo\u00eb M\u00fcller", "Li Wei"),
                    abstract=prose(4),
                ),
                paper(
                    5,
                    title="Forests",
                    abstract="",
                    extra={"summary": "Our own words about zeppelins."},
                    venue="ICLR 2026",
                    status="submitted",
                ),
                paper(6, title="Zeppelins in the Title", abstract=prose(6)),
                paper(
                    7,
                    title="An Abstract That Says It",
                    abstract="One zeppelin here. " + prose(7),
                    dates={"listed": "2026-05-05"},
                ),
            ]
        )
        yield opened


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("GFPO-v2", ["GFPO-v2: Filtering Groups"]),
        ("gfpo", ["GFPO-v2: Filtering Groups"]),
        ("v2-GFPO", []),
        ("C++", ["GFPO-v2: Filtering Groups"]),
        ("can't", ["Trees Can't Grow"]),
        ("vs.", ["Trees Can't Grow"]),
        ("growing tree", ["Trees Can't Grow", "机器学习 with Trees"]),
        ("x:y", ["Ratios x:y and NOT Operators"]),
        ("title:trees", []),
        ("NOT", ["Ratios x:y and NOT Operators"]),
        ('"x:y', ["Ratios x:y and NOT Operators"]),
        ("muller", ["Ratios x:y and NOT Operators"]),
        ("ZO\u00cb", ["Ratios x:y and NOT Operators"]),
        ("机器学习", ["机器学习 with Trees"]),
        ("学习模型", ["机器学习 with Trees"]),
        ("稳", ["机器学习 with Trees"]),
        ("trees机器", ["机器学习 with Trees", "Trees Can't Grow"]),
        ("学机", []),
        ("nowhere", []),
    ],
)
def test_words_are_words(library, words, found):
    hits = search(library, words)
    assert titles(hits) == found
    assert hits.total == len(found)


@pytest.mark.parametrize("words", ["", " ", "*", '"', "' ' \"", "++ -- ::", "\0", "()", "^", "\ud800"])
def test_a_query_without_words_lists_the_newest(library, words):
    hits = search(library, words)
    assert (len(hits), hits.total, hits.match) == (7, 7, "list")
    assert hits[0].paper.title == "An Abstract That Says It"
    assert hits[0].score == 0


@pytest.mark.parametrize(
    "words",
    [
        "a AND",
        "AND",
        "OR OR",
        "NEAR(a b)",
        "a NOT b",
        "{title}: x",
        "-x",
        "^x",
        "x*",
        "(x",
        "x)",
        '""x""',
        "a\0b",
        "words MATCH 'x'",
        "'; DROP TABLE paper; --",
        "w " * 5000,
        "字" * 5000,
        " ".join(map(str, range(3000))),
    ],
)
def test_operators_are_ordinary(library, words):
    hits = search(library, words)
    assert hits.match in ("all", "any", "like")
    assert hits.total <= 7


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=40) | st.text(alphabet="\"'*:^(){}-+ aANDORT字学", max_size=30))
def test_no_query_is_an_error(words):
    with Library(":memory:") as library:
        library.add([paper(1)])
        assert search(library, words).total <= 1


def test_names_and_titles_count_more_than_abstracts(library):
    assert titles(search(library, "zeppelin")) == ["Zeppelins in the Title", "Forests", "An Abstract That Says It"]
    scores = [hit.score for hit in search(library, "zeppelin")]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_papers_with_all_words_come_first_then_those_with_any(library):
    hits = search(library, "trees grow zeppelins", limit=10)
    assert hits.match == "any"
    assert hits.total == 5
    hits = search(library, "zeppelins title", limit=10)
    assert hits.match == "any"
    assert titles(hits)[0] == "Zeppelins in the Title"
    assert search(library, "zeppelins title", limit=1).match == "all"
    first = titles(search(library, "trees grow zeppelins", limit=10))
    paged = [
        title
        for start in range(0, 6, 2)
        for title in titles(search(library, "trees grow zeppelins", limit=2, offset=start))
    ]
    assert paged == first
    assert len(first) == 5


def test_common_words_do_not_dilute(library):
    hits = search(library, "the zeppelin of the nowhere", limit=10)
    assert hits.match == "any"
    assert hits.total == 3
    assert search(library, "the").total == search(library, "the").total


def test_filters_lose_nothing(tmp_path):
    """The one that passes the filter is found though a thousand better hits do not."""
    with Library(tmp_path / "l.sqlite") as library:
        many = [
            paper(number, title=f"Zeppelin Zeppelin {number}", venue="ICLR 2025", year=2025) for number in range(300)
        ]
        rare = paper(
            1000,
            title="Something Else",
            abstract="A zeppelin. " + prose(1000),
            venue="TMLR",
            status="submitted",
            topics=(("Skies", "Ships"),),
            dates={"listed": "2026-08-08"},
        )
        library.add([*many, rare])
        key = library.list(venue="TMLR")[0].key
        for filters in (
            {"venue": "tmlr"},
            {"topic": "ships"},
            {"status": "submitted"},
            {"since": "2026-08"},
            {"keys": [key]},
            {"venue": "TMLR", "topic": "Skies", "status": ["submitted"], "since": "2026-08-08", "keys": [key]},
        ):
            hits = search(library, "zeppelin", limit=5, **filters)
            assert (titles(hits), hits.total) == (["Something Else"], 1)
        assert search(library, "zeppelin", limit=5).total == 301
        assert search(library, "zeppelin", venue="nowhere").total == 0
        pages = [
            title
            for start in range(0, 301, 50)
            for title in titles(search(library, "zeppelin", limit=50, offset=start))
        ]
        assert len(pages) == len(set(pages)) == 301


@pytest.mark.parametrize("bad", [{"limit": -1}, {"offset": -1}, {"status": "x"}, {"since": "soon"}])
def test_wrong_arguments(library, bad):
    with pytest.raises(ValueError, match=r"limit|status|since"):
        search(library, "x", **bad)


def test_snippets_are_offsets_never_markup(library):
    hit = search(library, "filter groups")[0]
    assert [hit.snippet.text[start:end] for start, end in hit.snippet.spans][:2] == ["filter", "groups"]
    assert "\x02" not in hit.snippet.text
    assert hit.snippet.marked("[", "]").startswith("We [filter] [groups]")
    cjk = search(library, "稳定性")[0].snippet
    assert [cjk.text[start:end] for start, end in cjk.spans] == ["稳定性"]
    by_title = search(library, "ratios")[0].snippet
    assert by_title.spans == ()
    assert by_title.text == prose(4)[:200] + "…"
    assert search(library, "zeppelins")[1].snippet.marked("<", ">") == "Our own words about <zeppelins>."
    assert Snippet("plain").marked("[", "]") == "plain"


def test_the_index_follows_what_is_merged():
    with Library(":memory:") as library:
        library.add([paper(1, title="Oldname Here", ids={"arxiv": "1"}, dates={"listed": "2026-01-01"})])
        library.add(
            [
                paper(
                    1,
                    title="Newname Here",
                    ids={"arxiv": "1"},
                    dates={"listed": "2026-02-02"},
                    abstract="Only aardvarks. " + prose(5),
                )
            ]
        )
        assert search(library, "oldname").total == 0
        assert titles(search(library, "newname aardvark")) == ["Newname Here"]


def test_name_of_the_system_is_weighted():
    with Library(":memory:") as library:
        library.add(
            [
                paper(1, title="About Zork", extra={"name": "ZORK"}, abstract=""),
                paper(2, title="About zork", abstract=""),
            ]
        )
        assert [hit.paper.extra.get("name") for hit in search(library, "zork")] == ["ZORK", None]


def test_grams():
    assert grams("ab 机器学习 c 学") == "机器 器学 学习 机 器 学 习"
    assert grams("none") == ""
    assert bigrams("学") == ["学"]
    assert bigrams("学习") == ["学习"]
