"""`assay read`, `assay search` and `assay show`: what they print, their JSON, and what they do with mistakes."""

import io
import json
from dataclasses import replace

import pytest

from assay import catalogue, home
from assay.papers.library import Library
from assay.papers.paper import Paper, Source

PAPERS = (
    Paper(
        "Trees That Learn",
        authors=tuple(f"Author {name}" for name in ("One", "Two", "Three", "Four", "Five", "Six", "Seven")),
        abstract="We grow trees from noisy labels. They stay small, and they predict well.",
        status="accepted",
        venue="TMLR",
        year=2026,
        topics=(("Theory", "Trees"),),
        ids={"openreview": "AbC12_-xyz"},
        links={"page": "https://openreview.net/forum?id=AbC12_-xyz"},
        dates={"listed": "2026-02-21"},
    ),
    Paper(
        "GFPO-v2",
        title_source="name",
        authors=("Author Eight",),
        authors_complete=False,
        abstract="GFPO-v2 \x1b[31mtrains\x1b[0m policies with noisy rewards; it can't be fooled.",
        status="submitted",
        venue="ICLR 2027",
        year=2027,
    ),
)


@pytest.fixture
def shelf_of_two():
    """A library with two papers."""
    with Library(home.library_file()) as library:
        library.add(PAPERS)


def test_an_empty_library_says_what_to_type(assay, assay_home):
    code, out, err = assay("search", "trees")
    assert (code, out) == (0, "")
    assert err.startswith("assay: the library is empty: `assay read FILE` adds")
    assert "`assay read --cards`" in err
    assert json.loads(assay("search", "trees", "--json")[1])["hits"] == []
    assert not assay_home.exists(), "searching makes no files"


def test_search_shows_what_matched(assay, shelf_of_two):
    code, out, err = assay("search", "noisy", "labels", "trees")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    lines = out.splitlines()
    assert lines[0] == "Few papers have all of these words; those with some of them follow."
    assert lines[2] == "Trees That Learn"
    assert "Author Six, and others" in " ".join(out.split())
    assert "Author Seven" not in out
    assert "TMLR · accepted · 2026-02-21 · openreview:AbC12_-xyz" in out
    assert "[GFPO-v2]" in lines
    assert "Author Eight, and others" in out
    assert "[In brackets]: the listing gives no title" in out
    assert lines[-1] == "2 of 2 papers"
    assert "\x1b" not in out


def test_all_words_are_not_said_to_be_some(assay, shelf_of_two):
    out = assay("search", "trees", "labels", "--limit", "1")[1]
    assert out.splitlines()[0] == "Trees That Learn"
    assert out.splitlines()[-1] == "1 of 1 paper"
    assert "In brackets" not in out


@pytest.mark.parametrize(
    "query", ['"', "can't", "C++", "NEAR(", "GFPO-v2", "title:x", "a OR", "*", "-", "'; DROP TABLE paper"]
)
def test_any_text_is_a_query(assay, shelf_of_two, query):
    code, out, err = assay("search", "--json", "--", query)
    assert (code, err) == (0, "")
    assert json.loads(out)["query"] == query


def test_search_as_json_marks_what_matched(assay, shelf_of_two):
    found = json.loads(assay("search", "trees", "--json")[1])
    (hit,) = found["hits"]
    assert (found["match"], found["total"]) == ("all", 1)
    assert hit["paper"]["title"] == "Trees That Learn"
    assert hit["paper"]["key"] == "openreview:AbC12_-xyz"
    assert hit["method"] is None
    assert [hit["snippet"][start:end].lower() for start, end in hit["spans"]] == ["trees"]


def test_search_filters(assay, shelf_of_two):
    def titles(*argv):
        return [hit["paper"]["title"] for hit in json.loads(assay("search", "--json", *argv)[1])["hits"]]

    assert titles("noisy") == titles() != []
    assert titles("noisy", "--venue", "iclr") == ["GFPO-v2"]
    assert titles("noisy", "--topic", "trees") == ["Trees That Learn"]
    assert titles("noisy", "--status", "submitted") == ["GFPO-v2"]
    assert len(titles("noisy", "--status", "submitted", "--status", "accepted")) == 2
    assert titles("noisy", "--since", "2026-03") == ["GFPO-v2"]
    assert titles("noisy", "--limit", "1") == titles("noisy")[:1]
    assert titles("noisy", "--has", "method") == []
    code, out, err = assay("search", "noisy", "--has", "method")
    assert (code, out, err) == (0, "", "assay: nothing found; try fewer or other words, or fewer filters\n")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--since", "yesterday"], "assay: --since: 'yesterday' is no date"),
        (["--status", "famous"], "assay: --status: 'famous' is none of"),
        (
            ["--has", "code,x"],
            "assay: --has x: papers can be asked for method, code, claims, or several with commas between",
        ),
        (["--as", "word"], "assay: --as word: there is no such format; --as takes bibtex, ris, csl-json, csv, jsonl"),
    ],
)
def test_a_filter_that_is_none_is_one_line(assay, shelf_of_two, argv, says):
    code, out, err = assay("search", "x", *argv)
    assert (code, out) == (2, "")
    assert err.startswith(says)
    assert len(err.splitlines()) == 1


def test_papers_of_cards_are_read_once_and_found_by_their_method(assay, plugin):
    plugin()
    code, out, err = assay("read", "--cards")
    assert (code, err) == (0, "")
    number = int(out.split(", ")[1].split()[0])
    assert out == f"the methods' papers: cards, {number} papers ({number} added)\n"
    again = assay("read", "--cards")
    assert again == (0, f"the methods' papers: cards, {number} papers ({number} unchanged)\n", "")
    (hit,) = json.loads(assay("search", "made-up", "--has", "method", "--json")[1])["hits"]
    assert (hit["paper"]["title"], hit["method"]) == ("A Toy", "theory/toy")
    assert "method theory/toy" in assay("search", "made-up")[1]


def test_reading_cards_goes_on_beside_a_broken_one(assay, plugin):
    plugin("badplug.bad", **{"card.toml": ""})
    code, out, err = assay("read", "--cards")
    assert code == 1
    assert "cards, " in out
    assert "badplug" in err


def test_show_a_paper(assay, shelf_of_two):
    code, out, err = assay("show", "AbC12")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith("Trees That Learn\nAuthor One, Author Two")
    assert "TMLR · accepted · 2026-02-21 · openreview:AbC12_-xyz" in out
    assert "Theory · Trees" in out
    assert "We grow trees from noisy labels." in out
    assert "https://openreview.net/forum?id=AbC12_-xyz" in out
    assert "method" not in out
    for name in ("openreview:AbC12_-xyz", "https://openreview.net/forum?id=AbC12_-xyz", "AbC12_-xyz"):
        assert assay("show", name)[1] == out


def test_show_a_stand_in(assay, shelf_of_two):
    with Library(home.library_file()) as library:
        (key,) = [paper.key for paper in library.list() if not paper.has_title]
    code, out, _ = assay("show", key)
    assert code == 0
    assert out.startswith("[GFPO-v2]\nAuthor Eight, and others\n")
    assert "\x1b" not in out


def test_show_a_method_without_a_library(assay, plugin, assay_home):
    plugin()
    code, out, err = assay("show", "toy")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith("A Toy\nA. Author, B. Author\n")
    assert "arxiv  2601.99999" in out
    assert "method theory/toy" in out
    assert "The toy is higher" in out
    assert "untested" in out
    assert "how to use it" in out
    assert "  from toyplug.toy import double" in out
    assert "`assay run toy` tests the claims here" in out
    for name in ("theory/toy", "2601.99999", "https://arxiv.org/abs/2601.99999v2", "2601.9999"):
        assert assay("show", name)[1] == out
    assert not assay_home.exists()


def test_show_as_json(assay, plugin):
    plugin()
    assay("read", "--cards")
    assay("run", "toy")
    code, out, err = assay("show", "2601.99999", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["paper"]["key"] == "arxiv:2601.99999"
    assert found["method"]["name"] == "theory/toy"
    assert found["method"]["install"] is None
    assert "double(21)" in found["method"]["example"]
    assert [claim["verdict"]["word"] for claim in found["claims"]] == ["consistent"]


def test_a_listing_and_a_card_of_one_paper_are_one_paper(assay, plugin):
    plugin()
    with Library(home.library_file()) as library:
        library.add(
            [Paper("A Toy", authors=("A. Author", "B. Author"), abstract="We toy.", ids={"arxiv": "2601.99999"})]
        )
    others = len(catalogue.cards()[0]) - 1
    assert f"({others} added, 1 merged)" in assay("read", "--cards")[1]
    out = assay("show", "toy")[1]
    assert "We toy." in out
    assert "method theory/toy" in out


def test_show_of_nothing_says_what_to_do(assay, shelf_of_two):
    code, out, err = assay("show", "zzz")
    assert (code, out) == (2, "")
    assert err == f"assay: no paper 'zzz' in {home.library_file()}; `assay search` finds it by its words\n"


def test_show_of_nothing_in_an_empty_library(assay, assay_home):
    code, out, err = assay("show", "zzz")
    assert (code, out) == (2, "")
    assert err == "assay: no paper or method 'zzz', and the library is empty; `assay read FILE` adds papers\n"
    assert not assay_home.exists()


def test_show_of_a_start_of_several_names_them(assay, shelf_of_two):
    with Library(home.library_file()) as library:
        library.add([Paper("Other Trees", ids={"openreview": "AbC12_-abc"})])
    code, out, err = assay("show", "AbC12")
    assert (code, out) == (2, "")
    assert "several papers: " in err
    assert "openreview:AbC12_-xyz" in err


@pytest.mark.parametrize("argv", [["search", "x"], ["show", "x"], ["read", "--cards"]])
def test_a_damaged_library_is_one_line(assay, assay_home, argv):
    assay_home.mkdir()
    home.library_file().write_text("this is no database, but long enough to look at" * 50)
    code, out, err = assay(*argv)
    assert (code, out) == (2, "")
    assert err.startswith(f"assay: {home.library_file()}: ")
    assert len(err.splitlines()) == 1


DIGEST = """Daily TMLR digest for Feb 21, 2026

Accepted papers
===============

Title: Trees That Learn

Authors: Author One, Author Two

Abstract: We grow trees from noisy labels. They stay small, and they predict well.

URL: https://openreview.net/forum?id=AbC12_-xyz

---

New submissions
===============

Title: Shrubs That Forget

Abstract: We prune shrubs until they forget what they were told, and say how much that costs.

URL: https://openreview.net/forum?id=DeF34_-uvw

---
"""


@pytest.fixture
def digest(tmp_path):
    file = tmp_path / "digest.txt"
    file.write_text(DIGEST)
    return file


def test_read_a_file_twice(assay, digest):
    assert assay("read", digest) == (0, "digest.txt: TMLR digest, 2 papers (2 added)\n", "")
    assert assay("read", digest) == (0, "digest.txt: TMLR digest, 2 papers (2 unchanged)\n", "")
    titles = [hit["paper"]["title"] for hit in json.loads(assay("search", "--json")[1])["hits"]]
    assert sorted(titles) == ["Shrubs That Forget", "Trees That Learn"]


def test_read_pasted_text_with_a_damaged_end(assay, digest, monkeypatch):
    assay("read", digest)
    cut = DIGEST[: DIGEST.rindex("URL:")].encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(cut)))
    code, out, err = assay("read", "-", "--json")
    assert code == 1
    found = json.loads(out)
    (file,) = found["files"]
    assert (file["file"], file["format"], file["papers"]) == ("standard input", "TMLR digest", 2)
    assert file["added"] + file["merged"] + file["unchanged"] == 2
    (problem,) = found["problems"]
    assert problem.startswith("standard input, line ")
    assert err == f"assay: {problem}\n"


def test_read_a_folder_and_go_on_beside_what_is_no_listing(assay, digest, tmp_path):
    folder = tmp_path / "mails"
    folder.mkdir()
    digest.rename(folder / "digest.txt")
    (folder / "note.txt").write_text("buy milk")
    code, out, err = assay("read", folder, tmp_path / "nowhere")
    assert code == 1
    assert out == "digest.txt: TMLR digest, 2 papers (2 added)\n"
    note, nowhere = err.splitlines()
    assert "note.txt" in note
    assert "no known listing" in note
    assert nowhere == f"assay: {tmp_path / 'nowhere'}: no such file or folder"


@pytest.mark.parametrize("content", [None, "", "buy milk"])
def test_reading_nothing_is_2(assay, tmp_path, content):
    file = tmp_path / "file.txt"
    if content is not None:
        file.write_text(content)
    code, out, err = assay("read", file)
    assert (code, out) == (2, "")
    assert err.startswith("assay: ")
    assert "file.txt: " in err
    assert len(err.splitlines()) == 1


def test_read_takes_a_format_and_a_venue(assay, tmp_path):
    page = tmp_path / "page.txt"
    page.write_text(
        "Theory · Trees\n\nAuthor One, Author Two\n\n"
        "We introduce GreenTree, which grows trees from noisy labels and keeps them small in every case we tried.\n"
    )
    code, out, _ = assay("read", page, "--format", "search-page", "--venue", "ICLR 2027")
    assert code == 0
    assert "1 paper (1 added)" in out
    (hit,) = json.loads(assay("search", "--venue", "ICLR", "--json")[1])["hits"]
    assert hit["paper"]["venue"] == "ICLR 2027"
    code, out, err = assay("read", page, "--format", "novel")
    assert (code, out) == (2, "")
    assert "there is no 'novel'; there are mail, tmlr, openreview, " in err


def test_read_needs_something_to_read(assay, assay_home):
    code, out, err = assay("read")
    assert (code, out) == (2, "")
    assert err == "assay: read: nothing to read; name a file or a folder, or - for pasted text\n"
    assert not assay_home.exists()


@pytest.mark.parametrize("as_json", [True, False])
def test_papers_that_may_be_the_same_are_named(assay, tmp_path, as_json):
    words = "we grow trees from noisy labels and keep them small while they predict as well as before on every table"
    extra = "which nobody had expected of so plain a rule in spite of many earlier reports about rules of that kind"
    with Library(home.library_file()) as library:
        library.add([Paper("First Trees", abstract=f"{words} {extra}", ids={"arxiv": "2601.11111"})])
    file = tmp_path / "digest.txt"
    other = f"{words} and then we stop here since this is another paper that says other things about other matters"
    file.write_text(
        "Daily TMLR digest for Feb 21, 2026\n\nNew submissions\n===============\n\n"
        f"Title: Second Trees\n\nAbstract: {other}\n\nURL: https://openreview.net/forum?id=AbC12_-xyz\n\n---\n"
    )
    code, out, err = assay("read", file, *["--json"] * as_json)
    assert (code, err) == (0, "")
    if as_json:
        (pair,) = json.loads(out)["may_be_same"]
        assert {pair["key"], pair["other"]} == {"arxiv:2601.11111", "openreview:AbC12_-xyz"}
    else:
        line = out.splitlines()[1]
        assert line.startswith("may be the same: ")
        assert "First Trees (arxiv:2601.11111)" in line
        assert "Second Trees (openreview:AbC12_-xyz)" in line


def test_mistakes_of_one_line(assay, shelf_of_two):
    for words, says in (
        (("read", ""), "a source is empty"),
        (("search", "--since", "2026-13"), "is no date"),
        (("show", "\udcff"), "no paper"),
    ):
        code, out, err = assay(*words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert says in err
    assert assay("search", "trees", "--limit", "9" * 21)[0] == 0


def test_show_prints_the_history_of_a_paper_seen_twice(assay):
    with Library(home.library_file()) as library:
        for number, (status, day) in enumerate((("submitted", "2026-01-05"), ("accepted", "2026-02-21"))):
            source = (Source("TMLR digest", f"{number}.txt", f"hash{number}", 1),)
            library.add([replace(PAPERS[0], status=status, dates={"listed": day}, sources=source)])
    code, out, _ = assay("show", "trees that learn")
    assert code == 0
    assert "submitted 2026-01-05, accepted 2026-02-21" in out
    assert "read from 0.txt, 1.txt" in out


def test_the_venue_is_cleaned(assay, tmp_path):
    page = "论文检索\n\nDeep Learning · Theory\n\nAuthor One, Author B. Two\n\n" + "We count clouds over hills. " * 12
    (tmp_path / "page.txt").write_text(page, encoding="utf-8")
    assert assay("read", str(tmp_path / "page.txt"), "--venue", "\x1b[31mICLR\x1b[0m  2026")[0] == 0
    with Library(home.library_file()) as library:
        assert {paper.venue for paper in library.list()} == {"ICLR 2026"}


def test_papers_can_be_asked_for_code_and_claims(assay):
    with Library(home.library_file()) as library:
        library.add(
            [
                Paper("Bare Trees", abstract="We plant trees.", ids={"s2": "1"}),
                Paper("Coded Trees", abstract="We plant.", ids={"s2": "2"}, links={"code": "https://github.com/a/b"}),
                Paper("Fast Trees", abstract="We plant trees. They grow 2x faster than all others.", ids={"s2": "3"}),
            ]
        )

    def titles(*argv):
        return [hit["paper"]["title"] for hit in json.loads(assay("search", *argv, "--json")[1])["hits"]]

    assert titles("--has", "code") == ["Coded Trees"]
    assert titles("trees", "--has", "claims") == ["Fast Trees"]
    assert titles("--has", "claims,code") == []
    with Library(home.library_file()) as library:
        library.add([Paper("Bare Trees", abstract="We plant trees. They outperform all baselines.", ids={"s2": "1"},
                           dates={"listed": "2027-01-01"})])  # fmt: skip
    assert sorted(titles("--has", "claims")) == ["Bare Trees", "Fast Trees"], (
        "a changed abstract is looked through again"
    )


def test_show_marks_what_the_abstract_claims(assay):
    with Library(home.library_file()) as library:
        library.add(
            [Paper("Fast Trees", abstract="We plant trees. They grow up to 2x faster than bushes.", ids={"s2": "3"})]
        )
    code, out, err = assay("show", "s2:3")
    assert (code, err) == (0, "")
    assert "what the abstract claims\n  They grow up to 2x faster than bushes.\n" in out
    assert "up to 2x up" in out
    (claim,) = json.loads(assay("show", "s2:3", "--json")[1])["abstract_claims"]
    assert claim["quantities"][0]["value"] == [2.0]
    code, out, err = assay("show", "s2:3", "--model")
    assert (code, out) == (2, "")
    assert "ASSAY_CLAIMS_URL" in err


def test_search_says_why_and_writes_what_it_found(assay, shelf_of_two):
    out = assay("search", "noisy", "labels", "--why")[1]
    assert "  abstract: noisy, labels\n" in out
    assert assay("search", "noisy", "--as", "bibtex", "--limit", "all")[1].count("@") == 2
    written = json.loads(assay("search", "noisy", "--as", "csl-json")[1])
    assert {entry["title"] for entry in written} == {"Trees That Learn", "[GFPO-v2]"}
    assert assay("search", "like:AbC12_-xyz", "--why")[0] == 0


def test_embed_makes_search_find_by_meaning(assay, shelf_of_two):
    code, out, err = assay("embed", "--encoder", "words")
    assert (code, out, err) == (0, "2 papers embedded by words; search uses it from now on\n", "")
    assert json.loads(assay("embed", "--json")[1]) == {"encoder": "words", "dim": 2, "embedded": 0}
    assert json.loads(assay("search", "noisy labels trees today", "--json")[1])["meaning"]
    assert not json.loads(assay("search", "noisy labels trees today", "--words", "--json")[1])["meaning"]


def test_embed_needs_a_library(assay, assay_home):
    code, out, err = assay("embed")
    assert (code, out) == (2, "")
    assert "the library is empty" in err
    assert not assay_home.exists()


def test_events_and_their_abstracts_are_two_sources(assay, tmp_path):
    events, abstracts = tmp_path / "iclr-2026-orals-posters.json", tmp_path / "iclr-2026-abstracts.json"
    row = {
        "id": 7,
        "name": "Sums",
        "authors": [{"fullname": "Ada One"}],
        "eventtype": "Poster",
        "virtualsite_url": "/x",
    }
    events.write_text(json.dumps({"results": [row]}))
    abstracts.write_text(json.dumps({"7": "We add numbers, and then we add some more of them."}))
    assert assay("read", events)[0] == 1, "alone its abstracts are missing"
    code, _, err = assay("read", abstracts, events)
    assert (code, err) == (0, "")
    (hit,) = json.loads(assay("search", "add numbers", "--json")[1])["hits"]
    assert hit["paper"]["title"] == "Sums"


def test_two_files_of_one_name_are_told_apart(assay, tmp_path):
    for folder, title in (("a", "Sums"), ("b", "Trees")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "refs.bib").write_text(f"@article{{x, title={{{title}}}, author={{A B}}}}")
    files = json.loads(assay("read", tmp_path / "a" / "refs.bib", tmp_path / "b" / "refs.bib", "--json")[1])["files"]
    assert [(file["file"], file["added"]) for file in files] == [("refs.bib", 1), ("refs.bib", 1)]
