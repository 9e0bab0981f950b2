import pytest
from made_up import DIGEST, entry

from assay.papers.listings import tmlr
from assay.papers.listings.document import Document

HEAD = "Daily TMLR digest for Mar 03, 2026\nTMLR\n"
ACCEPTED = "Accepted papers\n===============\n"
SUBMITTED = "New submissions\n===============\n"
CERTIFIED = "New certifications\n==================\n"
URL = "URL: https://openreview.net/forum?id="


def read(text, **about):
    return tmlr.read(Document.of(text, "d.txt", **about))


def one(text):
    found = read(text)
    assert len(found.papers) == 1, [paper.title for paper in found.papers]
    return found.papers[0], [problem.what for problem in found.problems]


def test_a_whole_digest():
    found = read(DIGEST)
    assert found.problems == []
    assert [paper.status for paper in found.papers] == ["certified", "accepted", "accepted", *["submitted"] * 3]
    certified, accepted, second, blind = found.papers[:4]
    assert certified.title == accepted.title == "Counting Clouds: A Made-Up Title"
    assert certified.certifications == ("Featured", "Reproducibility")
    assert certified.abstract == ""
    assert certified.ids == accepted.ids == {"openreview": "CertAbc123"}
    assert accepted.authors == ("Author One", "Author Two")
    assert accepted.authors_complete
    assert second.authors == ("Author Three", "Jane Roe, Jr.", "Author Four")
    assert blind.authors == ()
    assert not blind.authors_complete
    assert {(p.venue, p.year, p.dates["listed"]) for p in found.papers} == {("TMLR", 2026, "2026-03-03")}
    assert accepted.links == {
        "page": "https://openreview.net/forum?id=CertAbc123",
        "pdf": "https://openreview.net/pdf?id=CertAbc123",
    }
    assert [paper.sources[0].entry for paper in found.papers] == [1, 2, 3, 4, 5, 6]
    lines = DIGEST.split("\n")
    for paper in found.papers[1:]:
        source = paper.sources[0]
        assert lines[source.first_line - 1].startswith("Title:")
        assert lines[source.last_line - 1].startswith("URL:")


def test_blank_lines_everywhere_change_nothing_but_lines():
    loose = read(DIGEST.replace("\n", "\n\n"))
    tight = read(DIGEST)
    assert loose.problems == []
    assert [(p.title, p.authors, p.abstract, p.ids) for p in loose.papers] == [
        (p.title, p.authors, p.abstract, p.ids) for p in tight.papers
    ]


@pytest.mark.parametrize(
    ("text", "title", "abstract"),
    [
        pytest.param(
            "Title: T\nAbstract: One.\nTwo.\n\nThree.\n" + URL + "AbC12_-xyz\n---",
            "T",
            "One. Two. Three.",
            id="several lines",
        ),
        pytest.param(
            "Title: Fields\nAbstract: We score by two fields.\nTitle: the page's heading, and\nURL: its address.\n"
            + URL
            + "AbC12_-xyz\n---",
            "Fields",
            "We score by two fields. Title: the page's heading, and URL: its address.",
            id="labels inside the abstract",
        ),
        pytest.param(
            "Title: T\nAbstract: It -- or --- so.\n" + URL + "AbC12_-xyz\n---",
            "T",
            "It -- or --- so.",
            id="dashes in a sentence",
        ),
        pytest.param(
            "Title: T\nAbstract: One.\n---\nTwo.\n" + URL + "AbC12_-xyz\n---",
            "T",
            "One. --- Two.",
            id="a rule inside the abstract",
        ),
        pytest.param(
            "Title: A title\nthat goes on\nAbstract: One.\n" + URL + "AbC12_-xyz\n---",
            "A title that goes on",
            "One.",
            id="wrapped title",
        ),
        pytest.param(
            "Title: T: sub: subsub\nAbstract: One.\nURL:\nhttps://openreview.net/forum?id=AbC12_-xyz\n---",
            "T: sub: subsub",
            "One.",
            id="wrapped link",
        ),
        pytest.param(
            "Title: T\nAbstract: One.\nURL: <http://www.openreview.net/forum?id=AbC12_-xyz&noteId=Zz>\n---",
            "T",
            "One.",
            id="link with more",
        ),
        pytest.param(
            "Title: T\nAbstract: One.\nURL: https://openreview.net/forum?referrer=%5Bx%5D&id=AbC12_-xyz",
            "T",
            "One.",
            id="no last separator",
        ),
    ],
)
def test_one_submission(text, title, abstract):
    paper, problems = one(HEAD + SUBMITTED + text)
    assert (paper.title, paper.abstract, paper.ids, problems) == (title, abstract, {"openreview": "AbC12_-xyz"}, [])


@pytest.mark.parametrize(
    ("heading", "title", "certifications", "problem"),
    [
        ("Featured Certification: A Title", "A Title", ("Featured",), None),
        ("J2C Certification, Expert Certification: A: B: C", "A: B: C", ("J2C", "Expert"), None),
        (
            "Survey Certification: On Robustness Certification: a survey",
            "On Robustness Certification: a survey",
            ("Survey",),
            None,
        ),
        (
            "Event Certification: SomeConf 2026 track: A Title",
            "SomeConf 2026 track: A Title",
            ("Event",),
            "event's own text",
        ),
        ("Brand New Certification: A Title", "A Title", ("Brand New",), None),
    ],
)
def test_certifications(heading, title, certifications, problem):
    paper, problems = one(
        f"{HEAD}{CERTIFIED}{heading}\nAuthor One, Author Two\nhttps://openreview.net/forum?id=AbC12_-xyz\n---\n"
    )
    assert (paper.title, paper.certifications, paper.status) == (title, certifications, "certified")
    assert paper.authors == ("Author One", "Author Two")
    assert paper.ids == {"openreview": "AbC12_-xyz"}
    assert len(problems) == (1 if problem else 0)
    assert all(problem in what for what in problems)


def test_a_wrapped_certification_is_read_by_its_paragraphs():
    text = f"{HEAD}{CERTIFIED}Featured Certification: A Title\nthat goes on\n\nAuthor One,\nAuthor Two\n\nhttps://openreview.net/forum?id=AbC12_-xyz\n\n---\n"
    paper, problems = one(text)
    assert (paper.title, paper.authors, problems) == ("A Title that goes on", ("Author One", "Author Two"), [])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Title: T\nAbstract: One two.\n---\n", "no URL line"),
        ("Title: T\nAbstract: One two", "no URL line"),
        ("Title: T\nAbstract: One two.\nURL: https://openreview.net/forum?id=short\n---\n", "no OpenReview link in"),
        ("Title: T\n" + URL + "AbC12_-xyz\n---\n", "no Abstract line"),
        ("Abstract: We show one thing. Two.\n" + URL + "AbC12_-xyz\n---\n", "no Title line"),
        ("Title:\nAbstract: We show one thing. Two.\n" + URL + "AbC12_-xyz\n---\n", "the Title line is empty"),
    ],
)
def test_half_read_entries_are_kept_and_reported(text, says):
    found = read(HEAD + SUBMITTED + text)
    assert len(found.papers) == 1
    assert len(found.problems) == 1
    assert says in found.problems[0].what
    assert found.problems[0].line == 5
    assert found.problems[0].entry == 1
    assert found.problems[0].file == "d.txt"
    if "Title" in says:
        assert (found.papers[0].title, found.papers[0].title_source) == ("We show one thing...", "lead")


def test_accepted_without_authors_is_reported():
    paper, problems = one(HEAD + ACCEPTED + entry("A Paper", "AbC12_-xyz", None))
    assert paper.status == "accepted"
    assert paper.authors == ()
    assert problems == ["no Authors line"]


def test_a_lost_separator_does_not_join_entries():
    text = (
        HEAD
        + SUBMITTED
        + entry("First Paper", "First00001", None).removesuffix("---")
        + entry("Second Paper", "Second0001", None)
    )
    found = read(text)
    assert [paper.title for paper in found.papers] == ["First Paper", "Second Paper"]
    assert found.problems == []


def test_entries_that_run_together_are_reported():
    lost_link = entry("First Paper", "First00001", None).split("\nURL")[0]
    found = read(HEAD + SUBMITTED + lost_link + "\n" + entry("Second Paper", "Second0001", None))
    assert len(found.papers) == 1
    assert any("run together" in problem.what for problem in found.problems)


def test_an_entry_cut_before_the_next_section_keeps_to_itself():
    found = read(
        HEAD
        + ACCEPTED
        + "Title: Cut\nAuthors: Author One\nAbstract: It ends\n"
        + SUBMITTED
        + entry("Whole", "Whole00001", None)
    )
    cut, whole = found.papers
    assert (cut.title, cut.status, cut.abstract) == ("Cut", "accepted", "It ends")
    assert (whole.title, whole.status, whole.ids) == ("Whole", "submitted", {"openreview": "Whole00001"})
    assert [problem.what for problem in found.problems] == ["no URL line: the entry is cut or damaged"]


def test_furniture_of_web_copies_and_list_footers_is_skipped():
    text = (
        "Skip to first unread message\n12 views\nsome list\nunread,\nMar 3, 2026, 12:30:01 AM\nto announce\n"
        + HEAD
        + SUBMITTED
        + entry("Only Paper", "Only000001", None)
        + "\n\nYou received this message because you are subscribed.\nTo unsubscribe, go to https://example.org/x?id=1.\n"
    )
    paper, problems = one(text)
    assert paper.title == "Only Paper"
    assert problems == []


def test_lines_between_entries_are_reported():
    text = (
        HEAD
        + SUBMITTED
        + entry("First Paper", "First00001", None)
        + "\nstray words\n"
        + entry("Second", "Second0001", None)
    )
    found = read(text)
    assert len(found.papers) == 2
    assert ["stray words" in problem.what for problem in found.problems] == [True]
    assert text.split("\n")[found.problems[0].line - 1] == "stray words"


@pytest.mark.parametrize("text", [HEAD, HEAD + SUBMITTED, HEAD + ACCEPTED + SUBMITTED])
def test_a_digest_without_entries_is_valid(text):
    assert tmlr.looks_like(text)
    assert read(text).papers == []
    assert read(text).problems == []


def test_an_unknown_section_is_read_and_reported():
    found = read(
        HEAD
        + "Retracted papers\n================\n"
        + entry("Gone", "Gone000001")
        + "\n"
        + SUBMITTED
        + entry("Here", "Here000001", None)
    )
    assert [(paper.title, paper.status) for paper in found.papers] == [("Gone", "unknown"), ("Here", "submitted")]
    assert [problem.what for problem in found.problems] == [
        "unknown section 'Retracted papers': its papers have no status"
    ]


def test_several_digests_in_one_text_keep_their_dates():
    weekly = "Weekly TMLR digest for Apr 7, 2026\n" + SUBMITTED + entry("Later", "Later00001", None)
    found = read(DIGEST + weekly)
    assert [paper.dates["listed"] for paper in found.papers] == ["2026-03-03"] * 6 + ["2026-04-07"]


def test_the_date_is_from_the_mail_where_there_is_no_banner():
    text = SUBMITTED + entry("Only", "Only000001", None)
    assert read(text, listed="2026-05-06").papers[0].dates == {"listed": "2026-05-06"}
    found = read(text)
    assert found.papers[0].dates == {}
    assert found.papers[0].year is None
    assert "no digest date" in found.problems[0].what
    assert tmlr.banner_date("Daily TMLR digest for Feb 31, 2026") == tmlr.banner_date("nothing") == ""


def test_forwarded_text_is_unquoted():
    plain = read(DIGEST)
    for quote in ("> ", ">> ", "> > "):
        quoted = read("".join(quote + line + "\n" for line in DIGEST.split("\n")))
        assert [(p.title, p.abstract, p.ids) for p in quoted.papers] == [
            (p.title, p.abstract, p.ids) for p in plain.papers
        ]
        assert quoted.problems == []


def test_scripts_and_controls_in_titles_stay_text():
    paper, _ = one(
        HEAD
        + SUBMITTED
        + entry("<script>alert('x')</script> \x1b]0;owned\x07 &lt;img onerror=x&gt;", "AbC12_-xyz", None)
    )
    assert paper.title == "<script>alert('x')</script> <img onerror=x>"


def test_huge_fields_are_cut_and_reported():
    found = read(HEAD + SUBMITTED + entry("word " * 1_000_000, "AbC12_-xyz", None, "long " * 2_000_000))
    assert len(found.papers) == 1
    assert len(found.papers[0].title) <= 1_001
    assert len(found.papers[0].abstract) <= 50_001
    assert sorted(problem.what.split(" ")[0] for problem in found.problems) == ["abstract", "title"]


@pytest.mark.parametrize("text", ["A digest of TMLR", "Accepted papers\nTitle: x", "New submissions", ""])
def test_other_texts_are_no_digest(text):
    assert not tmlr.looks_like(text)
