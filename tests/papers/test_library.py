import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from dataclasses import replace

import pytest
from made_up import DIGEST, PAGE, entry, paper, prose

from assay.papers.library import MIGRATIONS, Added, Library, LibraryError, NoSuchPaper
from assay.papers.listings.detect import read_source
from assay.papers.paper import STATUSES, Source
from assay.papers.search import search


@pytest.fixture
def library(tmp_path):
    with Library(tmp_path / "folder" / "library.sqlite") as opened:
        yield opened


def dump(library):
    return list(library.db.iterdump())


def in_step(library):
    """The search index holds what the papers hold: FTS5's own check raises where it does not."""
    library.db.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
    return (
        library.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        and not library.db.execute("PRAGMA foreign_key_check").fetchall()
    )


def test_reading_the_same_listing_twice_changes_nothing(library):
    listings = [read_source(DIGEST.encode()), read_source(PAGE.encode(), venue="ICLR 2026")]
    first = [library.add(listing.papers) for listing in listings]
    assert first == [Added(5, 1, 0), Added(4, 0, 0)]  # the certified paper is also among the accepted
    before = dump(library)
    assert [library.add(listing.papers) for listing in listings] == [Added(0, 0, 6), Added(0, 0, 4)]
    assert library.add(reversed(listings[0].papers)) == Added(0, 0, 6)
    assert dump(library) == before
    assert in_step(library)


def test_the_same_file_under_another_name_is_known(library, tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(DIGEST)
    library.add(read_source(tmp_path / "a.txt").papers)
    before = dump(library)
    assert library.add(read_source(tmp_path / "b.txt").papers) == Added(0, 0, 6)
    assert dump(library) == before


def test_another_file_with_the_same_paper_adds_a_source(library):
    library.add([paper(sources=(Source("f", "a.txt", "aa", 1),))])
    done = library.add([paper(sources=(Source("f", "b.txt", "bb", 9),))])
    assert done == Added(0, 1, 0)
    assert [source.file for source in library.list()[0].sources] == ["a.txt", "b.txt"]


def test_a_blind_submission_and_its_acceptance_become_one_paper(library):
    head = "Daily TMLR digest for {}\n\n{}\n===============\n"
    blind = head.format("Feb 21, 2026", "New submissions") + entry(
        "Blind Work on Imaginary Bridges", "Submit0001", None
    )
    accepted = head.format("Jun 01, 2026", "Accepted papers") + entry("Blind Work on Imaginary Bridges", "Submit0001")
    for text in (blind, accepted):
        library.add(read_source(text.encode()).papers)
    (found,) = library.list()
    assert [(step.status, step.date) for step in found.history] == [
        ("submitted", "2026-02-21"),
        ("accepted", "2026-06-01"),
    ]
    assert found.status == "accepted"
    assert found.authors == ("Author One", "Author Two")
    assert len(found.sources) == 2


def test_a_stand_in_gives_way_to_the_real_title(library):
    untitled = paper(7, title="We show a thing...", title_source="lead")
    assert library.add([untitled]) == Added(1, 0, 0)
    old = library.list()[0].key
    assert library.add([paper(7, ids={"openreview": "Real000001"})]) == Added(0, 1, 0)
    (found,) = library.list()
    assert (found.title, found.title_source, found.key) == (paper(7).title, "matched", "openreview:Real000001")
    assert library.get(old) == library.get("Real000001") == found
    assert search(library, "show").total == 0
    assert search(library, "number title").total == 1
    assert in_step(library)


def test_one_record_that_bridges_two_papers_merges_all_three(library):
    by_id = paper(1, title="First Title of the Work", ids={"arxiv": "2601.00001"}, abstract="")
    by_text = paper(2, title="Second Title of the Work")
    assert library.add([by_id, by_text]) == Added(2, 0, 0)
    keys = [one.key for one in library.list()]
    bridge = replace(by_text, ids={"arxiv": "2601.00001"}, dates={"listed": "2026-05-05"})
    assert library.add([bridge]) == Added(0, 1, 0)
    (found,) = library.list()
    assert list(found.extra["former_titles"]) == ["First Title of the Work"]
    assert all(library.get(key) == found for key in keys)
    assert in_step(library)


def test_what_may_be_the_same_is_said_and_not_merged(library):
    half = prose(1, 100).split()[:50]
    one = paper(1, abstract=" ".join(half + prose(2, 100).split()[:50]))
    two = paper(2, abstract=" ".join(half + prose(3, 100).split()[:50]))
    done = library.add([one, two])
    assert done.added == library.count() == 2
    (pair,) = done.may_be_same
    assert {pair.key, pair.other} == {found.key for found in library.list()}
    assert 0.4 < pair.containment < 0.6
    done = library.add([paper(1, abstract=one.abstract, authors=(*one.authors, *two.authors))])
    assert library.count() == 1
    assert done.may_be_same == (), "papers that became one are not asked about"


def test_papers_with_one_boilerplate_abstract_stay_apart_and_have_keys(library):
    talks = [paper(number, abstract=prose(99)) for number in range(4)]
    assert library.add(talks).added == 4
    keys = [found.key for found in library.list()]
    assert len(set(keys)) == 4
    assert sorted(library.get(key).title for key in keys) == sorted(talk.title for talk in talks)


def test_many_near_copies_are_found_all_the_same(library):
    """More copies than a shingle's list holds, and every kind of candidate among others."""
    others = [paper(number) for number in range(1, 80)]
    copies = [
        paper(0, title=f"Copy {number}", ids={"s2": str(number)}, abstract=prose(0, 120) + f" Version {number}.")
        for number in range(30)
    ]
    done = library.add([*others, *copies])
    assert library.count() == 80
    assert done.merged == 29


@pytest.mark.parametrize(
    "name",
    [
        "openreview:AbC12_-xyz",
        "AbC12_-xyz",
        "https://openreview.net/forum?id=AbC12_-xyz&noteId=Z",
        "https://openreview.net/pdf?id=AbC12_-xyz",
        "https://openreview.net/forum?referrer=x&id=AbC12_-xyz",
        "arxiv:2601.01234",
        "2601.01234",
        "https://arxiv.org/abs/2601.01234v3",
        "http://arxiv.org/pdf/2601.01234v1.pdf",
        "10.1000/abc",
        "https://doi.org/10.1000/ABC",
        " AbC1 ",
        "openreview:Ab",
    ],
)
def test_get(library, name):
    library.add(
        [
            paper(1, ids={"openreview": "AbC12_-xyz", "arxiv": "2601.01234", "doi": "10.1000/ABC"}),
            paper(2, ids={"openreview": "abC12_-xyz"}),
        ]
    )
    assert library.get(name).title == paper(1).title


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nothing", "no paper 'nothing'"),
        ("", "named by nothing"),
        ("A", "start of several papers: openreview:Aa"),
        ("Aa'; DROP TABLE paper", "no paper"),
    ],
)
def test_get_says_what_is_wrong(library, name, says):
    library.add([paper(1, ids={"openreview": "Aa00000001"}), paper(2, ids={"openreview": "Ab00000001"})])
    with pytest.raises(NoSuchPaper, match=says) as raised:
        library.get(name)
    assert "\n" not in str(raised.value)


def test_list_count_and_filters(library):
    library.add(
        [
            paper(
                1,
                venue="ICLR 2026",
                status="accepted",
                topics=(("Deep Learning", "Theory"),),
                dates={"listed": "2026-02-01"},
            ),
            paper(
                2,
                venue="ICLR 2025",
                status="rejected",
                topics=(("Applications", ""), ("Deep Learning", "Other")),
                year=2025,
            ),
            paper(3, venue="TMLR", status="submitted", dates={"published": "2026-03-01"}),
            paper(4, venue="", year=None, status="unknown"),
        ]
    )

    def found(**filters):
        numbers = sorted(int(one.title.split()[3]) for one in library.list(**filters))
        assert library.count(**filters) == len(numbers)
        return numbers

    assert [int(one.title.split()[3]) for one in library.list()] == [3, 1, 2, 4], "newest first, undated last"
    assert [len(library.list(limit=n, offset=o)) for n, o in ((2, 0), (2, 3), (0, 0))] == [2, 1, 0]
    assert found(venue="iclr") == [1, 2]
    assert found(venue="ICLR 2026") == [1]
    assert found(venue="ICL") == []
    assert found(venue="ICLR%") == []
    assert found(topic="deep learning") == [1, 2]
    assert found(topic="theory") == [1]
    assert found(topic="Deep Learning · Theory") == [1]
    assert found(status="accepted") == [1]
    assert found(status=["accepted", "submitted"]) == [1, 3]
    assert found(since="2026-02-15") == [3]
    assert found(since="2026") == [1, 3]
    assert found(since="2025-06") == [1, 2, 3]
    assert found(keys=[one.key for one in library.list(limit=2)]) == [1, 3]
    assert found(keys=[]) == []
    assert found(venue="iclr", status="accepted", since="2026-01-01") == [1]
    counts = library.counts()
    assert counts["venue"] == {"ICLR 2025": 1, "ICLR 2026": 1, "TMLR": 1}
    assert counts["year"] == {"2026": 2, "2025": 1}
    assert counts["topic"] == {"Deep Learning · Theory": 1, "Applications": 1, "Deep Learning · Other": 1}
    assert sum(counts["status"].values()) == 4


@pytest.mark.parametrize(
    ("filters", "says"),
    [({"status": "done"}, "status: 'done' is none of"), ({"since": "yesterday"}, "since: 'yesterday' is no date")],
)
def test_wrong_filters(library, filters, says):
    with pytest.raises(ValueError, match=says):
        library.list(**filters)


def test_everything_survives_closing(tmp_path):
    papers = [paper(number, extra={"seen": [number]}, sources=(Source("f", "x", "s", number),)) for number in range(5)]
    with Library(tmp_path / "l.sqlite") as library:
        library.add(papers)
        before = library.list()
    with Library(tmp_path / "l.sqlite") as library:
        assert library.list() == before
        assert {one.extra["seen"][0] for one in before} == set(range(5))


# --- the file ------------------------------------------------------------------------------------------------------


def test_files_that_are_no_library(tmp_path):
    (tmp_path / "text.sqlite").write_text("not a database " * 100)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE t (a)")
    other.commit()
    other.close()
    for name, says in (
        ("text.sqlite", "no Assay library"),
        ("other.sqlite", "another program"),
        (".", "cannot be opened|unable to open"),
    ):
        with pytest.raises(LibraryError, match=says) as raised:
            Library(tmp_path / name)
        assert str(tmp_path) in str(raised.value)
        assert "\n" not in str(raised.value)
    assert (tmp_path / "text.sqlite").read_text().startswith("not a database"), "and the file is left as it is"


def test_a_newer_library_is_refused(tmp_path):
    with Library(tmp_path / "l.sqlite") as library:
        library.db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(LibraryError, match=r"newer Assay \(format \d+, this one knows \d+\)"):
        Library(tmp_path / "l.sqlite")


def test_a_damaged_library_is_one_line(tmp_path):
    with Library(tmp_path / "l.sqlite") as library:
        library.add([paper(number) for number in range(200)])
        library.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / "l.sqlite").read_bytes())
    draw = random.Random(0)
    for place in range(4096, len(data)):
        data[place] = draw.randrange(256)
    (tmp_path / "l.sqlite").write_bytes(data)

    def use(what):
        with Library(tmp_path / "l.sqlite") as library:
            what(library)

    for what in (
        Library.list,
        lambda library: search(library, "cloud gradient"),
        lambda library: library.add([paper(3)]),
    ):
        with pytest.raises(LibraryError) as raised:
            use(what)
        assert str(raised.value).startswith(str(tmp_path / "l.sqlite"))
        assert "\n" not in str(raised.value)


def test_an_interrupted_add_leaves_nothing(library):
    library.add([paper(1)])
    before = dump(library)

    def interrupted():
        yield paper(2)
        yield replace(paper(1), ids={"arxiv": "9"})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        library.add(interrupted())
    assert dump(library) == before
    assert in_step(library)
    assert library.add([paper(2)]).added == 1


def test_two_writers_lose_nothing(tmp_path):
    code = textwrap.dedent(
        """
        import sys; sys.path.insert(0, sys.argv[3])
        from assay.papers.library import Library
        from made_up import paper
        with Library(sys.argv[1]) as library:
            start = int(sys.argv[2])
            for number in range(start, start + 30):
                library.add([paper(number)])
        """
    )
    here = os.path.dirname(__file__)
    jobs = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "l.sqlite"), str(start), here])
        for start in (0, 20)
    ]
    assert [job.wait(60) for job in jobs] == [0, 0]
    with Library(tmp_path / "l.sqlite") as library:
        assert library.count() == 50
        assert in_step(library)


def test_kill_at_any_moment_leaves_whole_batches(tmp_path):
    code = textwrap.dedent(
        """
        import sys; sys.path.insert(0, sys.argv[2])
        from assay.papers.library import Library
        from made_up import paper
        with Library(sys.argv[1]) as library:
            print("ready", flush=True)
            for batch in range(1000):
                library.add([paper(batch * 20 + number) for number in range(20)])
        """
    )
    path = tmp_path / "l.sqlite"
    draw = random.Random(7)
    for _ in range(6):
        job = subprocess.Popen(
            [sys.executable, "-c", code, str(path), os.path.dirname(__file__)], stdout=subprocess.PIPE
        )
        assert job.stdout is not None
        job.stdout.readline()
        time.sleep(draw.uniform(0.0, 0.4))
        job.send_signal(signal.SIGKILL)
        job.wait(30)
        job.stdout.close()
        with Library(path) as library:
            count = library.count()
            assert count % 20 == 0
            assert in_step(library)
            assert search(library, "Made-Up Title").total == count
            assert len(library.list()) == count


def test_migrations_run_once_and_in_order(tmp_path, monkeypatch):
    path = tmp_path / "l.sqlite"
    with Library(path) as library:
        library.add([paper(1)])
    more = (*MIGRATIONS, ("CREATE TABLE later (a)", "INSERT INTO later VALUES (1)"))
    monkeypatch.setattr("assay.papers.library.MIGRATIONS", more)
    for _ in range(2):
        with Library(path) as library:
            assert library.count() == 1
            assert library.db.execute("SELECT count(*) FROM later").fetchone() == (1,)
    monkeypatch.setattr("assay.papers.library.MIGRATIONS", (*more, ("CREATE TABLE half (a)", "NOT SQL")))
    with pytest.raises(LibraryError):
        Library(path)
    monkeypatch.setattr("assay.papers.library.MIGRATIONS", more)
    with Library(path) as library:
        assert library.db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)


def test_every_status_can_be_kept(library):
    library.add([paper(number, status=status) for number, status in enumerate(STATUSES)])
    assert set(library.counts()["status"]) == set(STATUSES)


def test_several_processes_open_a_new_library_at_once(tmp_path):
    code = "import sys; from assay.papers.library import Library; Library(sys.argv[1]).close()"
    for number in range(3):
        opening = [
            subprocess.Popen([sys.executable, "-c", code, str(tmp_path / f"{number}.sqlite")], stderr=subprocess.PIPE)
            for _ in range(4)
        ]
        assert [process.communicate()[1] for process in opening] == [b""] * 4


def test_a_library_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    path = tmp_path / "library.sqlite"
    with Library(path) as library:
        library.add([paper(1)])
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with Library(path) as library:
        assert len(search(library, "title")) == 1
        assert library.get(paper(1).title.upper()).title == paper(1).title
        with pytest.raises(LibraryError, match="readonly database; make the file and its folder writable"):
            library.add([paper(2)])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["library.sqlite"]


def test_links_without_scheme_titles_and_bytes_that_are_no_text(library):
    library.add([paper(1, ids={"openreview": "AbC12_-xyz"})])
    assert library.get("openreview.net/forum?id=AbC12_-xyz").title == library.get(f" {paper(1).title.lower()} ").title
    with pytest.raises(NoSuchPaper):
        library.get("\udcff")
    assert library.count(venue="\udcff", topic="\udcff") == 0


def test_limits_dates_and_statuses(library):
    library.add([paper(1, dates={"listed": "2026-02-21"})])
    assert len(search(library, "", limit=10**21)) == len(search(library, "title", limit=10**21)) == 1
    assert len(search(library, "title", offset=10**21)) == 0
    assert library.count(status="ACCEPTED") == 1
    assert library.count(since="2026-02") == 1
    for since in ("2026-13", "2026-02-30", "0000", "2026-2"):
        with pytest.raises(ValueError, match="is no date"):
            library.count(since=since)


def test_two_forums_with_a_common_title_and_name_are_asked(library):
    one, two = (paper(n, title="A Title", authors=("A Roe",), ids={"openreview": f"Forum0000{n}"}) for n in (1, 2))
    assert library.add([one, two]).added == 2
