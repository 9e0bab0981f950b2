import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import paper, prose

from assay.papers.paper import ID_KINDS, STATUSES, TITLE_SOURCES, Paper, Problem, Seen, Source, key_of

text = st.text(max_size=30)
papers = st.builds(
    Paper,
    title=st.text(min_size=1).filter(str.strip),
    title_source=st.sampled_from(TITLE_SOURCES),
    authors=st.lists(text, max_size=4).map(tuple),
    authors_complete=st.booleans(),
    abstract=text,
    abstract_raw=text,
    status=st.sampled_from(STATUSES),
    decision=text,
    certifications=st.lists(text, max_size=2).map(tuple),
    venue=text,
    year=st.none() | st.integers(1900, 2100),
    topics=st.lists(st.tuples(text, text), max_size=2).map(tuple),
    keywords=st.lists(text, max_size=2).map(tuple),
    ids=st.dictionaries(st.sampled_from(ID_KINDS), text, max_size=3),
    links=st.dictionaries(text, text, max_size=2),
    dates=st.dictionaries(st.sampled_from(["listed", "published", "updated"]), text, max_size=3),
    extra=st.dictionaries(text, st.lists(st.integers(0, 5)) | text, max_size=2),
    sources=st.lists(st.builds(Source, text, text, text, st.integers(0, 9)), max_size=2).map(tuple),
    history=st.lists(st.builds(Seen, st.sampled_from(STATUSES), text, text), max_size=2).map(tuple),
    key=text,
)


@given(papers)
def test_json_round_trip(paper):
    assert Paper.from_dict(json.loads(json.dumps(paper.to_dict()))) == paper


def test_empty_fields_are_left_out():
    assert Paper("T").to_dict() == {
        "title": "T",
        "title_source": "listing",
        "authors_complete": True,
        "status": "unknown",
    }


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"title": " "}, "title is empty"),
        ({"title": "T", "status": "done"}, "status 'done' is none of"),
        ({"title": "T", "title_source": "guess"}, "title_source 'guess' is none of"),
        ({"title": "T", "name": "N"}, "no field 'name'"),
        ({"title": 3}, "'title' must be text"),
        ({}, "'title' must be text"),
        ({"title": "T", "topics": ["abc"]}, "wrong shape"),
        ({"title": "T", "sources": [{"where": "x"}]}, "wrong shape"),
    ],
)
def test_wrong_fields_are_named(fields, says):
    with pytest.raises(ValueError, match=says) as raised:
        Paper.from_dict(fields)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"ids": {"openreview": "AbC12_-xyz", "arxiv": "2601.01234"}}, "openreview:AbC12_-xyz"),
        ({"ids": {"arxiv": "2601.01234", "doi": "10.1/X"}}, "arxiv:2601.01234"),
        ({"ids": {"doi": "10.1/ABC"}}, "doi:10.1/abc"),
        ({"ids": {"acl": "2022.acl-long.1", "s2": "9"}}, "acl:2022.acl-long.1"),
        ({"ids": {"pmlr": "v1/a"}}, "pmlr:v1/a"),
        ({"ids": {"s2": "9", "virtual": "4"}}, "s2:9"),
    ],
)
def test_key_is_the_first_identifier(fields, key):
    assert key_of(paper(**fields)) == key


def test_key_without_identifier():
    by_text, by_title = key_of(paper()), key_of(paper(abstract=""))
    assert by_text.startswith("text:")
    assert len(by_text) == 5 + 16
    assert by_title.startswith("title:")
    assert len(by_title) == 6 + 16
    assert key_of(paper(title="Another title")) == by_text
    assert key_of(paper(abstract=prose(1).upper().replace(".", " ;"))) == by_text, "case and punctuation do not count"
    assert key_of(paper(abstract="", year=2025)) != by_title
    assert key_of(paper(abstract="Withdrawn.")) == by_title, "a few words are no identity where there is a title"
    assert key_of(paper(abstract="Withdrawn.", title_source="lead")).startswith("text:")


def test_dates_and_problems():
    assert paper().date == ""
    assert paper(dates={"published": "2026-01-02", "updated": "2026-05-05"}).date == "2026-01-02"
    assert str(Problem("no URL line", line=7, entry=2, file="a.txt")) == "a.txt, line 7, entry 2: no URL line"
    assert str(Problem("empty")) == "empty"


def test_import_is_light():
    code = (
        "import sys; import assay.papers.library, assay.papers.search, assay.papers.listings.detect; "
        "print(sorted({'numpy', 'scipy', 'pandas', 'pylatexenc'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
