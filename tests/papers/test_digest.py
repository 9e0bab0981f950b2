"""What is followed and marked decides what comes first, and the digest says why."""

import pytest
from made_up import WORDS, paper, prose

from assay.papers.digest import digest, seen
from assay.papers.follow import KINDS, Follow, follow, followed, mark, marks, unfollow
from assay.papers.library import Library, NoSuchPaper
from assay.papers.profile import learn


def about(number, words, **more):
    more = {"title": f"Paper {number} on {words[0]}", "dates": {"listed": "2026-02-01"}, "status": "submitted"} | more
    return paper(number, abstract=f"{' '.join(words)} {prose(number, 30)}", ids={"s2": str(number)}, **more)


@pytest.fixture
def library():
    papers = [about(number, ["zebra", "stripes"]) for number in range(20)]
    papers += [about(number, ["yak", "wool"]) for number in range(20, 40)]
    papers += [
        about(40, ["okapi", "forest"], status="accepted", authors=("Ada One", "Bo Two"), topics=(("Zoo", "Okapi"),))
    ]
    with Library(":memory:") as opened:
        assert opened.add(papers).added == 41
        yield opened


def titles(found, group=None):
    return [entry.paper.title for one in found.groups if group in (None, one.name) for entry in one.entries]


def test_follows_are_kept_once_and_taken_back(library):
    assert follow(library, "topic", "  Deep   Learning ") == Follow("topic", "Deep Learning")
    follow(library, "topic", "Deep Learning")
    assert follow(library, "like", "s2:3").what == "s2:3"
    assert followed(library) == [Follow("topic", "Deep Learning"), Follow("like", "s2:3")]
    assert unfollow(library, "topic", "deep learning")
    assert not unfollow(library, "topic", "deep learning")


@pytest.mark.parametrize(("kind", "what"), [("colour", "red"), ("topic", "  "), ("topic", "")])
def test_what_cannot_be_followed(library, kind, what):
    with pytest.raises(ValueError, match=r"followed|nothing"):
        follow(library, kind, what)


def test_like_needs_a_paper(library):
    with pytest.raises(NoSuchPaper):
        follow(library, "like", "s2:999")


def test_the_last_mark_counts_and_follows_a_merged_paper(library):
    mark(library, "s2:1", "keep")
    mark(library, "s2:1", "no")
    assert list(marks(library).values()) == ["no"]
    more = {"title": "Paper 1 on zebra", "ids": {"s2": "1", "openreview": "AbC12_-xyz"}}
    library.add([paper(1, abstract=f"zebra stripes {prose(1, 30)}", **more)])
    assert library.get("s2:1").key == "openreview:AbC12_-xyz"
    assert list(marks(library).values()) == ["no"]
    mark(library, "AbC12_-xyz", None)
    assert marks(library) == {}
    with pytest.raises(ValueError, match="no mark"):
        mark(library, "s2:1", "love")


def test_marks_put_first_what_is_like_them(library):
    for number in range(5):
        mark(library, f"s2:{number}", "keep")
    for number in range(20, 25):
        mark(library, f"s2:{number}", "no")
    found = digest(library, limit=100)
    ranked = titles(found, "new submissions")
    assert len(ranked) == 30, "what has a mark is gone"
    assert sum("zebra" in title for title in ranked[:15]) >= 13
    assert sum("yak" in title for title in ranked[15:]) >= 13
    first = found.groups[-1].entries[0]
    assert "like what you kept: " in first.why
    assert "zebra" in first.why
    assert found.marked == 10


@pytest.mark.parametrize(
    ("kind", "what", "why"),
    [
        ("topic", "okapi", "topic okapi"),
        ("author", "A. One", "by A. One"),
        ("author", "ada one", "by ada one"),
        ("query", "forest okapi", "has forest okapi"),
        ("method", "zoo", "the paper of animals/zoo"),
        ("like", "s2:40", "followed"),
    ],
)
def test_what_is_followed_is_the_reason(library, kind, what, why):
    assert kind in KINDS
    follow(library, kind, what)
    (group, *_) = digest(library, by="topic", methods={"s2:40": "animals/zoo"}).groups
    assert group.name == "Zoo · Okapi"
    assert group.entries[0].why.startswith(why)


def test_another_author_of_the_same_family_is_not_followed(library):
    follow(library, "author", "Carl One")
    assert all("by Carl" not in entry.why for group in digest(library).groups for entry in group.entries)


def test_new_is_what_came_since(library):
    found = digest(library)
    assert (found.total, len(found.groups)) == (41, 2)
    seen(library, found.last)
    assert digest(library).total == 0
    library.add([about(41, ["gnu"]), about(0, ["zebra", "stripes"], status="accepted", dates={"listed": "2026-03-01"})])
    later = digest(library)
    assert sorted(titles(later)) == ["Paper 0 on zebra", "Paper 41 on gnu"], "new, and one whose status changed"
    assert titles(digest(library, since="2026-02-15")) == ["Paper 0 on zebra"]
    seen(library, 1)
    assert digest(library).total == 2, "an older digest does not bring back what was seen"
    with pytest.raises(ValueError, match="since"):
        digest(library, since="soon")


def test_without_marks_certified_and_oral_come_first():
    with Library(":memory:") as library:
        library.add([
            about(1, ["a"], status="accepted", decision="poster"),
            about(2, ["b"], status="accepted", decision="oral"),
            about(3, ["c"], status="certified", certifications=("Featured",)),
            about(4, ["d"], status="accepted", links={"code": "https://github.com/a/b"}),
        ])  # fmt: skip
        found = digest(library)
        assert [title[6] for title in titles(found)] == ["3", "2", "1", "4"]
        assert [entry.why for entry in found.groups[0].entries] == ["Featured certification", "oral", "poster", "code"]


def test_what_is_left_out_is_counted(library):
    (accepted, new) = digest(library, limit=5).groups
    assert (len(accepted.entries), accepted.left_out) == (1, 0)
    assert (len(new.entries), new.left_out) == (5, 35)


def test_a_long_history_is_learned_from():
    texts = [f"{WORDS[number % 40]} {prose(number, 150)}" for number in range(1500)]
    profile = learn(texts, ["keep" if number % 40 == 3 else None for number in range(1500)])
    assert profile is not None
    assert profile.reasons(WORDS[3])[0] == WORDS[3]
    assert learn(texts[:3], [None] * 3) is None
