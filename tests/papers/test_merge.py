import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import paper, prose

from assay.papers.clean import normal
from assay.papers.library import Library
from assay.papers.merge import ASK, MERGE, families, identifiers, merged, overlap, same, shingles
from assay.papers.paper import STATUSES, Seen, Source

TITLE = "A Distinctive Made-Up Title"


def mixed(number, other, share):
    """The abstract of `number` of which only the first `share` of the words is kept, the rest from another one."""
    mine, theirs = prose(number, 100).split()[:100], prose(other, 100).split()[:100]
    kept = round(share * 100)
    return " ".join(mine[:kept] + theirs[kept:])


@pytest.mark.parametrize(
    ("one", "two", "verdict"),
    [
        pytest.param({"ids": {"arxiv": "1"}}, {"ids": {"arxiv": "1"}}, "same", id="identifier"),
        pytest.param({"ids": {"doi": "10.1/AB"}}, {"ids": {"doi": "10.1/ab"}}, "same", id="DOIs in any case"),
        pytest.param(
            {"ids": {"arxiv": "2601.1"}}, {"ids": {"doi": "10.48550/arXiv.2601.1"}}, "same", id="arXiv's own DOI"
        ),
        pytest.param(
            {"ids": {"openreview": "AbCdEfGhIj"}},
            {"ids": {"openreview": "abcdefghij"}},
            "different",
            id="forum ids keep their case",
        ),
        pytest.param({"ids": {"arxiv": "1"}}, {"ids": {"s2": "1"}}, "different", id="other kind"),
        pytest.param(
            {"title": TITLE, "authors": ("A Roe",)},
            {"title": TITLE.upper(), "authors": ("B Poe", "Ann Roe")},
            "same",
            id="title and a family name",
        ),
        pytest.param(
            {"title": TITLE, "authors": ("A Roe",)},
            {"title": TITLE, "authors": ("B Poe",)},
            "different",
            id="title alone",
        ),
        pytest.param(
            {"title": TITLE, "authors": (), "abstract": ""}, {"title": TITLE}, "same", id="blind, distinctive title"
        ),
        pytest.param({"title": TITLE, "authors": ()}, {"title": TITLE}, "ask", id="blind, same title, other abstract"),
        pytest.param(
            {"title": "Plenary Talk", "authors": (), "abstract": ""},
            {"title": "Plenary Talk"},
            "different",
            id="blind, short title",
        ),
        pytest.param(
            {"title": TITLE, "title_source": "lead", "authors": ("A Roe",)},
            {"title": TITLE, "authors": ("A Roe",)},
            "different",
            id="a stand-in is no title",
        ),
        pytest.param({"abstract": prose(9)}, {"abstract": prose(9).upper(), "authors": ()}, "same", id="abstract"),
        pytest.param({"abstract": prose(9)}, {"abstract": prose(9)}, "ask", id="abstract of strangers"),
        pytest.param(
            {"abstract": prose(9)},
            {"abstract": prose(9), "authors_complete": False},
            "same",
            id="abstract, authors cut",
        ),
        pytest.param({"abstract": "Withdrawn."}, {"abstract": "Withdrawn."}, "different", id="few words"),
        pytest.param(
            {"abstract": "A short one.", "title_source": "lead"},
            {"abstract": "A short one!"},
            "same",
            id="few words, no title",
        ),
        pytest.param(
            {"abstract": "A short one."},
            {"abstract": "A short one.", "title": "Other", "authors": ("Given Family1",)},
            "same",
            id="few words, family name",
        ),
        pytest.param({"abstract": ""}, {"abstract": ""}, "different", id="no abstracts"),
        pytest.param(
            {"abstract": mixed(1, 2, 0.9)}, {"abstract": mixed(1, 3, 0.9), "authors": ()}, "same", id="nine tenths"
        ),
        pytest.param({"abstract": mixed(1, 2, 0.5)}, {"abstract": mixed(1, 3, 0.5), "authors": ()}, "ask", id="half"),
        pytest.param(
            {"abstract": mixed(1, 2, 0.5)},
            {"abstract": mixed(1, 3, 0.5), "authors": ("X Family1",)},
            "same",
            id="half, family name",
        ),
        pytest.param(
            {"abstract": mixed(1, 2, 0.35)},
            {"abstract": mixed(1, 3, 0.35), "authors": ("X Family1",)},
            "ask",
            id="a third, family name",
        ),
        pytest.param(
            {"abstract": mixed(1, 2, 0.1)}, {"abstract": mixed(1, 3, 0.1), "authors": ()}, "different", id="a tenth"
        ),
        pytest.param({}, {}, "different", id="nothing in common"),
    ],
)
def test_same(one, two, verdict):
    first, second = paper(1, **one), paper(2, **two)
    assert same(first, second)[0] == verdict
    assert same(second, first) == same(first, second)


def test_overlap_by_hand():
    words = [f"word{i}" for i in range(30)]
    whole, part = shingles(" ".join(words)), shingles(" ".join(words[:25]))
    assert (len(whole), len(part)) == (28, 23)
    assert overlap(whole, part) == (1.0, 23 / 28)
    assert shingles(" ".join(words[:24])) == frozenset()
    assert overlap(whole, frozenset()) == (0.0, 0.0)
    other = shingles(" ".join(words[:15] + [f"else{i}" for i in range(15)]))
    assert overlap(whole, other) == (13 / 28, 13 / 43)


def test_a_lost_first_and_last_sentence_is_the_same_paper():
    text = prose(5, 150)
    cut = ". ".join(text.split(". ")[1:-1])
    contained, jaccard = overlap(shingles(text), shingles(cut))
    assert contained == 1.0
    assert jaccard > MERGE


def test_strangers_share_next_to_nothing():
    sets = [shingles(prose(seed, 150)) for seed in range(40)]
    assert max(overlap(one, two)[0] for i, one in enumerate(sets) for two in sets[:i]) < ASK / 3


def test_a_submission_its_acceptance_and_its_certification():
    forum = {"openreview": "AbC12_-xyz"}
    submitted = paper(
        1,
        title="Old Title",
        authors=(),
        authors_complete=False,
        status="submitted",
        ids=forum,
        dates={"listed": "2026-01-05"},
        sources=(Source("f", "a.txt", "aa", 1),),
    )
    accepted = paper(
        1,
        title="New Title",
        status="accepted",
        ids=forum,
        dates={"listed": "2026-03-01"},
        sources=(Source("f", "b.txt", "bb", 4),),
    )
    certified = paper(
        1,
        title="New Title",
        abstract="",
        status="certified",
        certifications=("J2C",),
        ids=forum,
        dates={"listed": "2026-03-02"},
    )
    found = merged([accepted, certified, submitted])
    assert found.key == "openreview:AbC12_-xyz"
    assert (found.title, found.extra) == ("New Title", {"former_titles": ("Old Title",)})
    assert found.status == "certified"
    assert found.certifications == ("J2C",)
    assert found.authors == accepted.authors
    assert found.authors_complete
    assert found.abstract == accepted.abstract
    assert found.history == (
        Seen("submitted", "2026-01-05", "a.txt"),
        Seen("accepted", "2026-03-01", "b.txt"),
        Seen("certified", "2026-03-02", ""),
    )
    assert found.dates == {"listed": "2026-03-02"}
    assert [source.file for source in found.sources] == ["a.txt", "b.txt"]


@pytest.mark.parametrize(
    ("one", "two", "field", "value"),
    [
        ({"title_source": "lead"}, {"title": "Real"}, "title_source", "matched"),
        ({"title_source": "lead"}, {"title": "Real"}, "title", "Real"),
        ({"title_source": "lead", "title": "L"}, {"title_source": "name", "title": "N"}, "title", "N"),
        ({"status": "submitted"}, {"status": "rejected"}, "status", "rejected"),
        ({"status": "rejected"}, {"status": "accepted"}, "status", "accepted"),
        ({"status": "unknown"}, {"status": "submitted"}, "status", "submitted"),
        (
            {"authors": ("A B", "C D"), "authors_complete": False},
            {"authors": ("A B", "C D", "E F")},
            "authors",
            ("A B", "C D", "E F"),
        ),
        ({"authors": ("A B",)}, {"authors": ("A B", "C D"), "authors_complete": False}, "authors", ("A B",)),
        ({"ids": {"arxiv": "1"}}, {"ids": {"doi": "10.1/X"}}, "ids", {"arxiv": "1", "doi": "10.1/x"}),
        ({"ids": {"doi": "10.48550/arXiv.7"}}, {"ids": {"arxiv": "7"}}, "ids", {"arxiv": "7"}),
        ({"topics": (("A", "B"),)}, {"topics": (("A", "B"), ("C", ""))}, "topics", (("A", "B"), ("C", ""))),
        ({"venue": "arXiv", "status": "preprint"}, {"venue": "ICLR 2026", "status": "accepted"}, "venue", "ICLR 2026"),
        ({"venue": ""}, {"venue": "TMLR"}, "venue", "TMLR"),
        ({"decision": "poster"}, {"decision": ""}, "decision", "poster"),
        ({"links": {"code": "u"}}, {"links": {"pdf": "v"}}, "links", {"code": "u", "pdf": "v"}),
        (
            {"dates": {"published": "2026-02-01"}},
            {"dates": {"published": "2026-01-01"}},
            "dates",
            {"published": "2026-01-01"},
        ),
        (
            {"dates": {"updated": "2026-02-01"}},
            {"dates": {"updated": "2026-01-01"}},
            "dates",
            {"updated": "2026-02-01"},
        ),
    ],
)
def test_merged_fields(one, two, field, value):
    first, second = paper(1, **one), paper(1, **two)
    assert getattr(merged([first, second]), field) == value
    assert merged([first, second]) == merged([second, first])


def test_two_identifiers_of_a_kind_are_both_kept():
    old = paper(1, ids={"openreview": "Old0000001"}, dates={"listed": "2025-01-01"})
    new = paper(1, ids={"openreview": "New0000001"}, dates={"listed": "2026-01-01"})
    found = merged([new, old])
    assert found.ids == {"openreview": "New0000001"}
    assert found.extra["former_ids"] == ["openreview:Old0000001"]


def test_one_record_is_merged_into_itself():
    single = paper(1, dates={"listed": "2026-01-01"}, extra={"a": 1})
    found = merged([single])
    assert replace(found, key="", history=()) == single
    assert merged([found]) == found


# --- any order of reading gives the same papers --------------------------------------------------------------------

records = st.builds(
    lambda who, kind, status, day, ids, cut: paper(
        who,
        **{
            "title": f"Made-Up Paper {who % 3} Of The Pool",
            "title_source": "lead" if kind == "page" else "listing",
            "authors": () if kind == "blind" else (f"A Family{who % 3}", f"B Family{who}"),
            "authors_complete": kind == "full",
            "abstract": "" if kind == "bare" else (prose(who % 4) if not cut else mixed(who % 4, 90 + who, 0.6)),
            "status": status,
            "dates": {"listed": f"2026-01-0{day}"} if day else {},
            "ids": {"openreview": f"Forum{ids:05}"} if ids else {},
            "sources": (Source("test", f"{day}.txt", f"{who}{day}{kind}", who),),
        },
    ),
    who=st.integers(0, 5),
    kind=st.sampled_from(["full", "blind", "page", "bare"]),
    status=st.sampled_from(STATUSES),
    day=st.integers(0, 4),
    ids=st.integers(0, 3),
    cut=st.booleans(),
)


def papers_after(order, size):
    with Library(":memory:") as library:
        for start in range(0, len(order), size):
            library.add(order[start : start + size])
        return sorted((one for one in library.list()), key=lambda one: json.dumps(one.to_dict(), sort_keys=True))


@settings(max_examples=60, deadline=None)
@given(st.lists(records, min_size=1, max_size=9), st.randoms(use_true_random=False), st.integers(1, 9))
def test_the_order_of_reading_does_not_matter(pool, draw, size):
    shuffled = list(pool)
    draw.shuffle(shuffled)
    expected = papers_after(pool, len(pool))
    found = papers_after(shuffled, size)
    # where two different papers would have one key (equal boilerplate abstracts), who gets it is a matter of order
    assert [replace(one, key="") for one in found] == [replace(one, key="") for one in expected]
    assert len({one.key for one in found}) == len(found)
    with Library(":memory:") as library:
        library.add(pool)
        again = library.add(shuffled)
        assert (again.added, again.merged, again.unchanged) == (0, 0, len(pool))


@settings(max_examples=40, deadline=None)
@given(records, records)
def test_sameness_is_symmetric_and_merging_keeps_everything(one, two):
    assert same(one, two) == same(two, one)
    both = merged([one, two])
    assert both == merged([two, one])
    assert set(both.sources) == set(one.sources) | set(two.sources)
    assert set(families(both)) >= max((families(one), families(two)), key=len) or both.authors
    assert set(identifiers(one) + identifiers(two)) == set(identifiers(both)) | set(both.extra.get("former_ids", ()))
    assert normal(both.title) in {normal(one.title), normal(two.title)}


def test_shuffled_digests_of_a_whole_year():
    """One life per paper, in any order: submitted, accepted, certified, on a search page."""
    draw = random.Random(0)
    lives = []
    for number in range(12):
        forum = {"openreview": f"Life{number:06}"}
        lives += [
            paper(
                number,
                authors=(),
                authors_complete=False,
                status="submitted",
                ids=forum,
                dates={"listed": "2025-05-01"},
            ),
            paper(number, status="accepted", ids=forum, dates={"listed": "2025-09-01"}),
            paper(
                number,
                abstract="",
                status="certified",
                certifications=("Survey",),
                ids=forum,
                dates={"listed": "2025-10-01"},
            ),
            paper(number, title="We show...", title_source="lead", status="unknown", venue="", year=None),
        ]
    expected = papers_after(lives, len(lives))
    assert len(expected) == 12
    assert all(len(one.history) == 3 and one.title_source == "matched" for one in expected)
    for _ in range(5):
        draw.shuffle(lives)
        assert papers_after(lives, 7) == expected
