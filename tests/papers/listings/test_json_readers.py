"""Readers of JSON: what each format holds becomes the right field, and its traps lose nothing."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.papers.listings.detect import read_source
from assay.papers.listings.document import ListingError
from assay.papers.paper import Paper


def read(value, format=None):
    data = value if isinstance(value, str | bytes) else json.dumps(value)
    return read_source(data if isinstance(data, bytes) else data.encode(), format=format)


def whats(listing):
    return [problem.what for problem in listing.problems]


def only(value, format=None):
    listing = read(value, format)
    assert whats(listing) == []
    assert len(listing.papers) == 1
    return listing.papers[0]


# --- OpenReview --------------------------------------------------------------------------------------------------


def note(content, **more):
    return {"id": "AbC12_-xyz", "forum": "AbC12_-xyz", "content": content} | more


def wrapped(**content):
    return {name: {"value": value} for name, value in content.items()}


FULL = wrapped(
    title="On {\\em Sums}",
    abstract="We add $a_1$ and b.",
    authors=["Ada One", "Bo Two"],
    authorids=["~Ada_One1", "~Bo_Two1"],
    keywords=["sums", "adding"],
    primary_area="arithmetic",
    venue="ICLR 2026 Poster",
    venueid="ICLR.cc/2026/Conference",
    pdf="/pdf/0a1b.pdf",
    TLDR="Adding works.",
)


def test_an_openreview_note():
    paper = only({"notes": [note(FULL, cdate=1_760_000_000_000, mdate=1_770_000_000_000, number=17)], "count": 1})
    assert paper.title == "On Sums"
    assert paper.abstract_raw == "We add $a_1$ and b."
    assert paper.authors == ("Ada One", "Bo Two")
    assert (paper.venue, paper.year, paper.status, paper.decision) == ("ICLR 2026", 2026, "accepted", "poster")
    assert paper.topics == (("arithmetic", ""),)
    assert paper.keywords == ("sums", "adding")
    assert paper.ids == {"openreview": "AbC12_-xyz"}
    assert paper.links["pdf"] == "https://openreview.net/pdf/0a1b.pdf"
    assert paper.dates == {"published": "2025-10-09", "updated": "2026-02-02"}
    assert paper.extra == {"TLDR": "Adding works.", "number": 17}


@pytest.mark.parametrize(
    ("authors", "names", "complete"),
    [
        (["Ada One"], ("Ada One",), True),
        ([{"fullname": "Ada One", "username": "~Ada_One1", "institutions": []}], ("Ada One",), True),
        (None, (), False),
        ([], (), False),
        ("Ada One, Bo Two", ("Ada One", "Bo Two"), True),
    ],
)
def test_the_shapes_of_authors(authors, names, complete):
    paper = only([note(FULL | {"authors": {"value": authors}})])
    assert (paper.authors, paper.authors_complete) == (names, complete)


@pytest.mark.parametrize(
    ("venue", "venueid", "expected"),
    [
        ("Submitted to ICLR 2026", "ICLR.cc/2026/Conference/Submission", ("ICLR 2026", "submitted", "")),
        ("ICLR 2026 Conference Withdrawn Submission", "ICLR.cc/2026/Conference/Withdrawn_Submission",
         ("ICLR 2026 Conference Withdrawn Submission", "withdrawn", "")),
        ("Accepted by TMLR", "TMLR", ("TMLR", "accepted", "")),
        ("Submitted to TMLR", "TMLR/Under_Review", ("TMLR", "submitted", "")),
        ("NeurIPS 2025 spotlight", "NeurIPS.cc/2025/Conference", ("NeurIPS 2025", "accepted", "spotlight")),
        ("", "ICLR.cc/2026/Conference/Desk_Rejected_Submission", ("Conference 2026", "rejected", "desk reject")),
    ],
)  # fmt: skip
def test_venues_of_notes(venue, venueid, expected):
    paper = only([note(FULL | wrapped(venue=venue, venueid=venueid))])
    assert (paper.venue, paper.status, paper.decision) == expected


def test_notes_of_version_1_have_bare_values():
    paper = only([note({"title": "Old", "abstract": "Words.", "authors": ["Ada One"], "keywords": []})])
    assert (paper.title, paper.authors) == ("Old", ("Ada One",))


def test_reviews_are_no_papers():
    review = {"id": "Rev1234567", "forum": "AbC12_-xyz", "replyto": "AbC12_-xyz", "content": wrapped(review="Good.")}
    assert len(read([note(FULL), review]).papers) == 1


def test_no_notes_is_not_success():
    listing = read({"notes": [], "count": 12})
    assert whats(listing) == [
        "it says 12 notes and holds 0: ask for the rest and read them too",
        "no paper among 0 notes",
    ]


def test_tmlr_certifications_and_nulls():
    paper = only([note(FULL | wrapped(certifications=["Survey Certification", "J2C Certification"], keywords=None))])
    assert paper.certifications == ("Survey", "J2C")


# --- virtual sites -----------------------------------------------------------------------------------------------


def event(identifier, **more):
    return {
        "id": identifier,
        "name": "A &amp; B",
        "authors": [{"id": 1, "fullname": "Ada One"}, {"id": 2, "fullname": "Bo Two"}],
        "abstract": "We add.",
        "topic": "Theory->Sums",
        "decision": "Accept (poster)",
        "eventtype": "Poster",
        "virtualsite_url": "/virtual/2026/poster/1",
        "sourceurl": "https://openreview.net/group?id=ICLR.cc/2026/Conference",
        "paper_url": "https://openreview.net/forum?id=AbC12_-xyz",
        "related_events_ids": [],
    } | more


def test_an_event():
    paper = only({"count": 1, "results": [event(7)]})
    assert (paper.title, paper.venue, paper.year) == ("A & B", "ICLR 2026", 2026)
    assert (paper.status, paper.decision) == ("accepted", "poster")
    assert paper.topics == (("Theory", "Sums"),)
    assert paper.ids == {"openreview": "AbC12_-xyz", "virtual": "iclr2026/7"}


@pytest.mark.parametrize("turned", [False, True])
def test_an_oral_and_its_poster_are_one_paper(turned):
    oral = event(8, eventtype="Oral", decision="Accept (oral)", paper_url=None, related_events_ids=[7], abstract="")
    rows = [event(7, related_events_ids=[8]), oral]
    paper = only({"results": rows[::-1] if turned else rows})
    assert (paper.decision, paper.abstract, paper.ids["openreview"]) == ("oral", "We add.", "AbC12_-xyz")


def test_events_that_are_no_papers_and_missing_rows_are_told():
    listing = read(
        {"count": 9, "results": [event(7), event(9, eventtype="Workshop"), event(10, authors=[], abstract="")]}
    )
    assert len(listing.papers) == 1
    assert whats(listing) == [
        "2 events are no papers: 1 Workshop, 1 Poster",
        "it says 9 events and holds 3: the download was cut",
    ]


def test_rejected_events_stay_rejected():
    assert only({"results": [event(7, decision="Reject")]}).status == "rejected"


def test_abstracts_of_the_side_file_join(tmp_path):
    events = {"results": [event(7, abstract=""), event(8, name="Another", paper_url=None, abstract=None)]}
    (tmp_path / "iclr-2026-orals-posters.json").write_text(json.dumps(events))
    (tmp_path / "iclr-2026-abstracts.json").write_text(json.dumps({"7": "Seven adds.", "8": "Eight <b>adds</b>."}))
    listing = read_source(tmp_path)
    assert [(paper.title, paper.abstract) for paper in listing.papers] == [
        ("A & B", "Seven adds."),
        ("Another", "Eight <b>adds</b>."),
    ]
    assert whats(listing) == []


def test_a_side_file_alone_is_told(tmp_path):
    file = tmp_path / "icml-2026-abstracts.json"
    file.write_text(json.dumps({"7": "Seven adds numbers and more."}))
    listing = read_source(file)
    assert listing.papers[0].ids == {"virtual": "icml2026/7"}
    assert not listing.papers[0].has_title
    assert whats(listing) == ["1 abstracts without their events: read them together with their ...-orals-posters.json"]


def test_the_sites_own_download():
    row = {"type": "Poster", "name": "Sums", "virtualsite_url": "https://iclr.cc/virtual/2026/poster/1",
           "speakers/authors": "Ada One, Bo Two", "abstract": "We add."}  # fmt: skip
    paper = only([row])
    assert (paper.authors, paper.decision) == (("Ada One", "Bo Two"), "poster")
    assert paper.links == {"page": "https://iclr.cc/virtual/2026/poster/1"}


# --- paper lists, daily papers, Semantic Scholar -----------------------------------------------------------------


def test_a_paper_list(tmp_path):
    row = {"id": "AbC12_-xyz", "title": "Sums", "track": "main", "status": "Oral", "tldr": "Adds.",
           "abstract": "We add.",
           "keywords": "sums;adding", "primary_area": "theory", "author": "Ada One;Bo Two", "rating": "6;8",
           "site": "https://openreview.net/forum?id=AbC12_-xyz",
           "github": "https://github.com/a/b", "project": ""}  # fmt: skip
    file = tmp_path / "iclr2024.json"
    file.write_text(json.dumps([row]))
    paper = read_source(file).papers[0]
    assert (paper.venue, paper.year, paper.status, paper.decision) == ("ICLR 2024", 2024, "accepted", "oral")
    assert (paper.authors, paper.keywords) == (("Ada One", "Bo Two"), ("sums", "adding"))
    assert paper.links["code"] == "https://github.com/a/b"
    assert paper.extra == {"track": "main", "tldr": "Adds.", "rating": "6;8"}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Desk Reject", ("rejected", "desk reject")),
        ("Withdraw", ("withdrawn", "")),
        ("Spotlight", ("accepted", "spotlight")),
        ("Reject", ("rejected", "")),
    ],
)
def test_statuses_of_paper_lists(status, expected):
    paper = only([{"title": "Sums", "author": "Ada One", "status": status, "track": "main", "abstract": "We add."}])
    assert (paper.status, paper.decision) == expected


def test_daily_papers():
    inner = {"id": "2601.01234", "title": "Sums\n and more", "summary": "We\nadd.", "upvotes": 7,
             "ai_summary": "Machine.",
             "authors": [{"name": "Ada One"}, {"name": "Bo Two", "hidden": True}],
             "githubRepo": "https://github.com/a/b",
             "publishedAt": "2026-01-05T00:00:00.000Z", "submittedOnDailyAt": "2026-01-07T08:00:00.000Z"}  # fmt: skip
    paper = only([{"paper": inner, "title": "Outer", "summary": "Outer."}])
    assert (paper.title, paper.abstract, paper.ids) == ("Sums and more", "We add.", {"arxiv": "2601.01234"})
    assert (paper.authors, paper.authors_complete) == (("Ada One",), False)
    assert paper.dates == {"listed": "2026-01-07", "published": "2026-01-05"}
    assert paper.extra == {"upvotes": 7, "ai_summary": "Machine."}
    assert paper.status == "preprint"


S2 = {
    "paperId": "f" * 40,
    "externalIds": {"ArXiv": "2601.01234", "DOI": "10.48550/arXiv.2601.01234", "CorpusId": 99},
    "title": "Sums",
    "abstract": None,
    "tldr": {"model": "m", "text": "It adds."},
    "venue": "arXiv.org",
    "year": 2026,
    "authors": [{"authorId": "1", "name": "Ada One"}],
    "openAccessPdf": {"url": "", "status": None},
    "s2FieldsOfStudy": [{"category": "Mathematics", "source": "s2"}],
}


@pytest.mark.parametrize("shape", [S2, [S2], {"total": 1, "offset": 0, "data": [S2]}])
def test_semantic_scholar(shape):
    paper = only(shape)
    assert paper.ids == {"arxiv": "2601.01234", "s2": "f" * 40, "corpus": "99"}
    assert (paper.abstract, paper.extra["tldr"]) == ("", "It adds.")
    assert (paper.status, paper.venue, paper.topics) == ("preprint", "", (("Mathematics", ""),))


def test_a_null_of_a_batch_is_told():
    listing = read([S2, None])
    assert (len(listing.papers), whats(listing)) == (1, ["null: nothing was found for it"])


# --- tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table",
    [
        "Title,Authors,Abstract,Year,DOI\nSums,Ada One; Bo Two,We add.,2026,10.1234/AbC\n",
        "\ufeffTITLE;Author;Summary;Publication Year;doi\r\n"
        "Sums;Ada One and Bo Two;We add.;2026;https://doi.org/10.1234/abc\r\n",
        "title\tauthors\tabstract\tyear\tdoi\nSums\tAda One, Bo Two\tWe add.\t2026\t10.1234/abc\n",
        '[{"title": "Sums", "authors": ["Ada One", "Bo Two"], "abstract": "We add.", "year": 2026,'
        ' "doi": "10.1234/abc"}]',
        '{"title": "Sums", "authors": [{"name": "Ada One"}, {"name": "Bo Two"}],'
        ' "summary": "We add.", "year": "2026", "DOI": "10.1234/ABC"}',
    ],
)
def test_tables(table):
    paper = only(table)
    assert (paper.title, paper.authors, paper.abstract) == ("Sums", ("Ada One", "Bo Two"), "We add.")
    assert (paper.year, paper.ids) == (2026, {"doi": "10.1234/abc"})


def test_rows_over_lines_and_rows_of_the_wrong_length():
    listing = read('title,abstract,year\n"Sums, and\nmore","We\nadd.",2026\nShort,Only two\nLong,We,2026,more\n')
    assert [paper.title for paper in listing.papers] == ["Sums, and more", "Short", "Long"]
    assert [(problem.line, problem.entry) for problem in listing.problems] == [(5, 2), (6, 3)]
    assert [(p.sources[0].first_line, p.sources[0].last_line) for p in listing.papers] == [(2, 4), (5, 5), (6, 6)]
    assert listing.papers[2].extra == {"column 4": "more"}


def test_a_row_without_a_title_gets_a_stand_in():
    listing = read("title,abstract\n,We introduce FOO-2 for sums.\n")
    assert listing.papers[0].title_source == "name"
    assert whats(listing) == ["no title: a stand-in is shown"]


# --- damage ------------------------------------------------------------------------------------------------------


def test_cut_json_is_read_as_far_as_it_goes():
    ids = [f"AbC12_-xy{n}" for n in range(5)]
    text = json.dumps([note(FULL | wrapped(title=f"Number {id[-1]}"), id=id, forum=id) for id in ids], indent=1)
    listing = read(text[: int(len(text) * 0.7)])
    assert [paper.title for paper in listing.papers] == ["Number 0", "Number 1", "Number 2"]
    assert "3 whole entries before it were read" in whats(listing)[0]
    assert listing.problems[0].line > 50


def test_a_damaged_line_of_json_lines_is_told():
    listing = read('{"title": "A", "abstract": "x"}\n{"title": "B", "abs\n{"title": "C", "abstract": "x"}\n')
    assert [paper.title for paper in listing.papers] == ["A", "C"]
    assert [problem.line for problem in listing.problems] == [2]


def test_json_cut_in_its_first_entry_says_so():
    with pytest.raises(ListingError, match=r"line 1: damaged JSON .*: 0 whole entries before it were read"):
        read('[{"title": "Sums')


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, '[{"title": "x", "abstract": ' + "[" * 100_000],
)
def test_deep_nesting_is_refused(text):
    with pytest.raises(ListingError) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_wrong_types_everywhere():
    rows = [
        {"paperId": 5, "title": ["x"], "abstract": {"a": 1}, "authors": "Ada", "externalIds": [], "year": "never"},
        {"paperId": "s", "title": 5, "authors": [None, 3, {"name": None}], "openAccessPdf": "no", "tldr": 3},
    ]
    listing = read(rows)
    assert [paper.title for paper in listing.papers] == ["Untitled paper", "5"]
    assert whats(listing) == ["an entry without title, authors and abstract"]


def test_escapes_do_not_reach_the_terminal():
    row = {"title": "A\u001b[31mB\u0007", "abstract": "x\u0000y", "year": 2026, "venue": "V\u001b]0;t\u0007"}
    paper = only([row])
    assert (paper.title, paper.abstract, paper.venue) == ("AB", "xy", "V")


JSONS = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FORMATS = [None, "openreview", "virtual-site", "daily-papers", "semantic-scholar", "paper-list", "table"]
NAMES = ["id", "forum", "title", "abstract", "authors", "author", "name", "content", "paper", "paperId", "externalIds",
         "eventtype", "virtualsite_url", "year", "status", "track", "keywords", "venue", "ids",
         "authors_complete"]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(NAMES), JSONS, max_size=8), min_size=1, max_size=3),
    st.sampled_from([None, "notes", "results", "data", "papers"]),
    st.sampled_from(FORMATS),
)
def test_any_values_of_any_field(rows, wrapper, format):
    """No entry is lost without a word, and nothing but a ListingError is raised."""
    try:
        listing = read({wrapper: rows} if wrapper else rows, format)
    except ListingError:
        return
    assert len(listing.papers) + len(listing.problems) > 0
    for paper in listing.papers:
        assert Paper.from_dict(paper.to_dict()) == paper
