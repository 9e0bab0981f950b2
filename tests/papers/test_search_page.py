import pytest
from made_up import PAGE, prose

from assay.papers.listings import search_page
from assay.papers.listings.document import Document
from assay.papers.listings.standin import stand_in

LONG, LONG2, LONG3 = prose(11), prose(12), prose(13)


def read(text, **about):
    return search_page.read(Document.of(text, "p.txt", **about))


def test_a_whole_page():
    found = read(PAGE, venue="ICLR 2026")
    assert found.problems == []
    assert [paper.topics for paper in found.papers] == [
        (("Deep Learning", "Theory"),),
        (("Applications", "Language, Speech and Dialog"),),
        (),
        (("Computer Vision", "Vision Models & Multimodal"),),
    ]
    assert [paper.authors for paper in found.papers] == [
        ("Author One", "Author B. Two"),
        ("AUTHOR THREE", "ning Four", "Author J. Five"),
        ("Author Six", "Author Seven"),
        ("Author Eight",),
    ]
    assert [paper.authors_complete for paper in found.papers] == [True, False, True, True]
    assert [(paper.title, paper.title_source) for paper in found.papers] == [
        ("NIMBUS-2 - cloud counter for imaginary skies", "name"),
        ("CRP (Cloud Ranking Policy)", "name"),
        ("We study the ranking of clouds by weight and by colour...", "lead"),
        ("cloud drift maps", "repo"),
    ]
    assert found.papers[3].links == {"code": "https://github.com/made-up/cloud_drift_maps"}
    assert {(p.venue, p.year, p.status) for p in found.papers} == {("ICLR 2026", 2026, "unknown")}
    lines = PAGE.split("\n")
    for paper in found.papers:
        source = paper.sources[0]
        assert lines[source.first_line - 1].startswith((paper.topics[0][0] if paper.topics else paper.authors[0],))
        assert paper.abstract.startswith(lines[source.last_line - 1][:12])


def test_two_paragraphs_then_a_cut_entry():
    found = read(f"Applications · Robotics\n\nLi Wei\n\n{LONG}\n\n{LONG2}\n\nZhang San, Li Si 等\n")
    first, second = found.papers
    assert first.authors == ("Li Wei",)
    assert first.abstract == f"{LONG} {LONG2}"
    assert second.authors == ("Zhang San", "Li Si")
    assert not second.authors_complete
    assert second.topics == ()
    assert second.title == "Untitled paper by Zhang San and others"
    assert second.title_source == "lead"
    assert [problem.line for problem in found.problems] == [7, 9]
    assert "further paragraph" in found.problems[0].what
    assert "without an abstract" in found.problems[1].what


@pytest.mark.parametrize(
    ("blocks", "authors", "topics"),
    [
        pytest.param(["A · B", "Li Wei", LONG], [("Li Wei",)], [(("A", "B"),)], id="one author"),
        pytest.param(
            ["Li Wei", LONG, "Wang Wu", LONG2], [("Li Wei",), ("Wang Wu",)], [(), ()], id="no topic is inherited"
        ),
        pytest.param(
            ["A · B", "Li Wei", LONG, "Wang Wu", LONG2],
            [("Li Wei",), ("Wang Wu",)],
            [(("A", "B"),), ()],
            id="topic is not inherited",
        ),
        pytest.param(
            ["Anthony W. Lin, Joshua B Tenenbaum", LONG],
            [("Anthony W. Lin", "Joshua B Tenenbaum")],
            [()],
            id="initials",
        ),
        pytest.param(["张三，李四、王五 等", LONG], [("张三", "李四", "王五")], [()], id="full-width commas"),
        pytest.param(["主题：A · B", "作者：张三", "摘要：" + LONG], [("张三",)], [(("A", "B"),)], id="Chinese labels"),
        pytest.param(
            ["Topic: A · B", "Authors: X Y", "Abstract: " + LONG], [("X Y",)], [(("A", "B"),)], id="English labels"
        ),
        pytest.param(["A · B\nX One, Y Two\n" + LONG], [("X One", "Y Two")], [(("A", "B"),)], id="no blank lines"),
        pytest.param(
            ["A · B\nLi Wei\n" + LONG + "\nC · D\nX One, Y Two\n" + LONG2],
            [("Li Wei",), ("X One", "Y Two")],
            [(("A", "B"),), (("C", "D"),)],
            id="no blank lines at all",
        ),
        pytest.param(
            ["下一页", "Li Wei", LONG, "收藏", "共 20 篇", "Wang Wu", LONG2, "海报"],
            [("Li Wei",), ("Wang Wu",)],
            [(), ()],
            id="known furniture",
        ),
        pytest.param(
            ["Paper search", "X One, Y Two", LONG, "Next page"], [("X One", "Y Two")], [()], id="English furniture"
        ),
        pytest.param(
            ["Language, Speech · X, Y & Z", "X One, Y Two", LONG],
            [("X One", "Y Two")],
            [(("Language, Speech", "X, Y & Z"),)],
            id="commas in a topic",
        ),
    ],
)
def test_blocks(blocks, authors, topics):
    found = read("\n\n".join(blocks))
    assert [paper.authors for paper in found.papers] == authors
    assert [paper.topics for paper in found.papers] == topics
    assert found.problems == []
    assert all(len(paper.abstract) > 200 for paper in found.papers)


@pytest.mark.parametrize("second", ["Code is available online", "Code, data and models will be released", LONG2])
def test_a_further_paragraph_is_no_author_line(second):
    found = read(f"A · B\n\nX One\n\n{LONG}\n\n{second}\n\nC · D\n\nY Two\n\n{LONG3}")
    assert [paper.authors for paper in found.papers] == [("X One",), ("Y Two",)]
    assert found.papers[0].abstract == f"{LONG} {second}"
    assert [problem.line for problem in found.problems] == [7]


def test_an_abstract_without_authors_is_kept_and_reported():
    found = read(f"A · B\n\n{LONG}\n\nC · D\n\nY Two\n\n{LONG2}")
    assert [(paper.authors, paper.topics) for paper in found.papers] == [
        ((), (("A", "B"),)),
        (("Y Two",), (("C", "D"),)),
    ]
    assert not found.papers[0].authors_complete
    assert [problem.what for problem in found.problems] == ["no author line before the abstract"]


def test_unknown_furniture_is_reported_once():
    found = read(f"X One, Y Two\n\n{LONG}\n\n今天天气很好\n\nZ Three, W Four\n\n{LONG2}\n\n明天天气也好\n")
    assert len(found.papers) == 2
    assert len(found.problems) == 1
    assert "今天天气很好" in found.problems[0].what
    assert found.problems[0].line == 5


def test_broken_words_are_joined_with_the_page_as_dictionary():
    found = read(
        f"X One, Y Two\n\nThe com- mon way and the post- hoc way. {LONG}\n\nZ Three, W Four\n\nA common post. {LONG2}"
    )
    assert found.papers[0].abstract.startswith("The common way and the post- hoc way.")
    assert found.papers[0].abstract_raw.startswith("The com- mon way")


def test_a_printed_title_counts_as_the_listings():
    found = read(f"Title: A Printed Title\n\nAuthors: X One\n\nAbstract: {LONG}")
    assert [(paper.title, paper.title_source) for paper in found.papers] == [("A Printed Title", "listing")]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (PAGE, True),
        (PAGE.removeprefix("论文检索\n\n"), True),
        (f"论文检索\n\nX One\n\n{LONG}", True),
        (f"X One\n\n{LONG}", False),
        ("Just a note.\n\nWith two paragraphs, and no papers.", False),
        (f"{LONG}\n\n{LONG2}\n\n{LONG3}", False),
        ("", False),
    ],
)
def test_looks_like(text, known):
    assert search_page.looks_like(text) is known


@pytest.mark.parametrize(
    ("abstract", "title", "source"),
    [
        (
            "We introduce GFPX (Group Filtered Policy Xylophones), which curbs.",
            "GFPX (Group Filtered Policy Xylophones)",
            "name",
        ),
        ("We present Robust Cloud Sorting (RCS), a method.", "RCS (Robust Cloud Sorting)", "name"),
        (
            "We propose AutoCumulus, a framework for cloud evaluation, that works.",
            "AutoCumulus - framework for cloud evaluation",
            "name",
        ),
        ("We introduce Octo, a high-speed suite of games. It runs.", "Octo - high-speed suite of games", "name"),
        ("A merging framework called G-Cloud for merging. G-Cloud is fast.", "G-Cloud", "name"),
        ("We do it through INSPECTRUM, a probing framework that predicts.", "INSPECTRUM - probing framework", "name"),
        (
            "We build DaCloud-V4, a dataset of clouds. Using it, we train CloudZilla, a family of models.",
            "DaCloud-V4 - dataset of clouds",
            "name",
        ),
        (
            "It outperforms LoRA. We study layers and heads. It surpasses GPT-4o.",
            "We study layers and heads...",
            "lead",
        ),
        ("We propose LoRA, a thing. And more of it.", "We propose LoRA...", "lead"),
        ("It helps models such as CloudBERT-2, called CloudBERT-2 here. We show gains.", "We show gains...", "lead"),
        ("Clouds are nice. Rain is not.", "Clouds are nice...", "lead"),
        (
            "We present one two three four five six seven eight nine ten eleven twelve thirteen.",
            "We present one two three four five six seven eight nine ten...",
            "lead",
        ),
        ("Code: https://github.com/who/rain_maps-v2.", "rain maps v2", "repo"),
        ("Code: https://anonymous.4open.science/r/rain-1234. Clouds fall.", "Code...", "lead"),
        ("", "Untitled paper by A One and others", "lead"),
    ],
)
def test_stand_ins(abstract, title, source):
    shown = stand_in(abstract, abstract, ("A One", "B Two"))
    assert (shown.title, shown.source) == (title, source)


def test_a_stand_in_is_never_empty():
    for abstract in ("", ".", "...", "? ! .", "We", "\u3002"):
        assert stand_in(abstract, abstract, ()).title.strip()
