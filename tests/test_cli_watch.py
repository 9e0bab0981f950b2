"""`assay read --watch`: what is there, what comes, what changes; mails of a maildir once."""

import os
import signal
import subprocess
import sys
import time

import pytest

from assay import home
from assay.commands.watch import watch
from assay.papers.library import Library

BANNER = "Daily TMLR digest for Mar 03, 2026"
MAIL = f"Subject: {BANNER}\n\n{BANNER}\n\nNew submissions\n===============\n"
ENTRY = "Title: {0}\nAbstract: We study {0} in some depth and at some length.\nURL: https://openreview.net/forum?id={1}\n---\n"


def old(path, text):
    """A file that was written a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (time.time() - 100, time.time() - 100))
    return path


def test_what_is_there_then_what_comes_and_changes(tmp_path):
    seen = []

    def read(path):
        seen.append(path.name)
        if len(seen) == 2:
            old(tmp_path / "c.txt", "new")
            old(tmp_path / "a.txt", "changed and longer")

    old(tmp_path / "a.txt", "one")
    old(tmp_path / "b.txt", "two")
    old(tmp_path / ".hidden", "no")
    watch(tmp_path, read, every=0.01, rounds=4)
    assert seen == ["a.txt", "b.txt", "a.txt", "c.txt"]


def test_a_file_that_still_grows_waits(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("half")
    seen = []
    watch(tmp_path, lambda path: seen.append(path.read_text()), every=60, rounds=1)
    assert seen == [], "it was written a moment ago"
    watch(tmp_path, lambda path: seen.append(path.read_text()), every=0.2, rounds=3)
    assert seen == ["half"]


def test_a_mail_that_moves_and_gets_flags_is_read_once(tmp_path):
    seen = []

    def read(path):
        seen.append(path)
        new.rename(tmp_path / "cur" / "1.host:2,S")

    for name in ("cur", "new", "tmp"):
        (tmp_path / name).mkdir()
    old(tmp_path / "tmp" / "2.host", "not whole yet")
    new = old(tmp_path / "new" / "1.host", "mail")
    watch(tmp_path, read, every=0.01, rounds=3)
    assert seen == [new]


def test_the_command_reads_a_maildir_until_ctrl_c(tmp_path, assay_home):
    box = tmp_path / "box"
    for name in ("cur", "new", "tmp"):
        (box / name).mkdir(parents=True)
    old(box / "cur" / "1.host:2,S", MAIL + ENTRY.format("First Trees", "Submit0001"))
    old(box / "new" / "0.note", "no listing in it")
    quick = "from assay.commands import watch as w; w.watch.__defaults__ = (0.1, None)"
    code = f"import sys; {quick}; from assay.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "read", "--watch", str(box)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert "1 paper (1 added)" in process.stdout.readline()
        part = old(box / "tmp" / "2.host", MAIL + ENTRY.format("Second Trees", "Submit0002"))
        part.rename(box / "new" / "2.host")
        assert "1 paper (1 added)" in process.stdout.readline()
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "0.note" in err
    with Library(home.library_file()) as library:
        assert {paper.title for paper in library.list()} == {"First Trees", "Second Trees"}


@pytest.mark.parametrize("argv", [[], ["nowhere"], ["a", "b"], [".", "--cards"], [".", "--json"]])
def test_it_takes_one_folder(assay, argv):
    code, out, err = assay("read", "--watch", *argv)
    assert (code, out) == (2, "")
    assert "--watch" in err
