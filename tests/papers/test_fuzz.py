"""Broken listings: whatever the bytes, papers and problems or one ListingError, and no entry is lost silently."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_up import DIGEST, PAGE
from test_mail import HEADERS, html, message

from assay.papers.library import Library
from assay.papers.listings import mail
from assay.papers.listings.detect import READERS, read_source
from assay.papers.listings.document import Listing, ListingError

FORMATS = [None, *(reader.name for reader in READERS)]
SAMPLES = {
    "digest": (DIGEST.encode(), 6),
    "page": (PAGE.encode(), 4),
    "mail": (message().as_bytes(), 6),
    "html mail": ((HEADERS + "Content-Type: text/html; charset=utf-8\n\n" + html()).encode(), 6),
    "mbox": (
        b"From a@b Wed Mar  4 00:30:00 2026\n"
        + message().as_bytes()
        + b"\nFrom a@b Wed Mar  4 00:30:00 2026\n"
        + message(PAGE).as_bytes(),
        10,
    ),
}
quiet = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def read(data, format=None):
    """What a reader makes of anything: a sound listing, or None for a ListingError of one line."""
    try:
        found = read_source(data, format=format)
    except ListingError as error:
        line = str(error)
        if "\n" in line or len(line) > 600:
            raise AssertionError(line) from error
        return None
    assert isinstance(found, Listing)
    assert found.formats
    for paper in found.papers:
        assert paper.title.strip()
        assert "\n" not in paper.title
        assert len(paper.title) < 2_000
        for text in (paper.title, paper.abstract, *paper.authors):
            assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000 for c in text)
        (source,) = paper.sources
        assert 1 <= source.first_line <= source.last_line
        assert source.entry >= 1
        assert len(source.sha256) == 64
    for problem in found.problems:
        assert problem.what
        assert "\n" not in problem.what
    return found


def keep(found):
    """Whatever was read can be kept, searched and read again."""
    with Library(":memory:") as library:
        library.add(found.papers)
        assert library.add(found.papers).unchanged == len(found.papers)


@quiet
@given(st.binary(max_size=400), st.sampled_from(FORMATS))
def test_any_bytes(data, format):
    found = read(data, format)
    if found:
        keep(found)


LINES = [
    "Daily TMLR digest for Mar 03, 2026",
    "Accepted papers",
    "===============",
    "New submissions",
    "New certifications",
    "---",
    "",
    "Title: x",
    "Title:",
    "Authors: A B, C D",
    "Abstract: We propose X, a y.",
    "URL: https://openreview.net/forum?id=AbC12_-xyz",
    "URL:",
    "Featured Certification: T",
    "https://openreview.net/forum?id=AbC12_-xyz",
    "A · B",
    "Li Wei",
    "A B, C D 等",
    "论文检索",
    "下一页",
    "From: a@b",
    "Subject: Daily TMLR digest for Mar 03, 2026",
    "From a@b Wed Mar  4 00:30:00 2026",
    "Content-Type: multipart/mixed; boundary=x",
    "--x",
    "--x--",
    "Content-Transfer-Encoding: base64",
    "Content-Type: text/html",
    "<html><body>",
    "> ",
    "> Title: y",
    "word " * 60,
    "$\\frac{",
    "\\",
]


@quiet
@given(st.lists(st.sampled_from(LINES), max_size=40), st.sampled_from(["\n", "\r\n", "\n\n"]), st.sampled_from(FORMATS))
def test_any_mixture_of_lines(lines, end, format):
    found = read(end.join(lines).encode(), format)
    if found:
        keep(found)


@pytest.mark.parametrize("name", SAMPLES)
def test_mutations_lose_no_entry_silently(name):
    """One to four bytes changed, deleted, put in or doubled: fewer papers only with a problem that says so."""
    whole, papers = SAMPLES[name]
    draw = random.Random(f"mutate {name}")
    for _ in range(120):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(data))
            change = draw.randrange(4)
            if change == 0:
                data[place] = draw.randrange(256)
            elif change == 1:
                del data[place]
            elif change == 2:
                data.insert(place, draw.choice(b"\n\r\0 -=:>\xff<&$\\{"))
            else:
                data[place:place] = data[place : place + draw.randrange(30)]
        found = read(bytes(data))
        if found and len(found.papers) < papers and b"multipart" not in data:
            assert found.problems, bytes(data)


@pytest.mark.parametrize("name", SAMPLES)
def test_every_truncation(name):
    whole, papers = SAMPLES[name]
    most = 0
    for end in range(0, len(whole), 97):
        found = read(whole[:end])
        count = len(found.papers) if found else 0
        assert count <= papers
        assert count >= most - 1, "reading on never loses what was read"
        most = max(most, count)
    assert len(read(whole).papers) == papers


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize(
    "charset", ["utf-16", "utf-16-le", "utf-32", "gb18030", "cp037", "latin-1", "utf-7", "shift_jis"]
)
def test_wrong_encodings(name, charset):
    text = SAMPLES[name][0].decode()
    found = read(text.encode(charset, "replace"))
    if charset in ("utf-16", "gb18030", "latin-1") and name != "mbox":
        assert found
        assert len(found.papers) >= 4


@pytest.mark.parametrize(
    "line",
    [
        "Title: " + "x" * 10_000_000,
        "Abstract: " + "word " * 2_000_000,
        "Authors: " + "A B, " * 2_000_000,
        "URL: https://openreview.net/forum?id=" + "a" * 10_000_000,
        "---" * 3_000_000,
        "=" * 10_000_000,
        "> " * 5_000_000,
        "A · B " * 1_500_000,
        "From: " + "x" * 10_000_000,
        "\\" * 10_000_000,
        "$a" * 5_000_000,
        "&amp;" * 2_000_000,
        "<" * 3_000_000,
        "Featured Certification, " * 400_000,
    ],
    ids=lambda line: line[:12],
)
def test_lines_of_ten_megabytes(line):
    """In the middle of a digest, in front of a page, and by itself; a quadratic step would take days."""
    head, tail = DIGEST.split("New submissions")
    found = read(f"{head}{line}\nNew submissions{tail}".encode())
    assert found
    assert len(found.papers) >= 5
    assert found.problems or set(line) == {"-"}
    read(f"{line}\n\n{PAGE}".encode(), "search-page")
    read(line[:1_000_000].encode(), "mail")


@pytest.mark.parametrize(
    "lines",
    [
        "\n" * 1_000_000,
        "Title: x\n" * 30_000,
        "---\n" * 100_000,
        "A · B\n\n" * 30_000,
        "Li Wei\n\n" * 30_000,
        ">" * 1_000_000,
        "A B, C D\n" * 30_000,
    ],
)
@pytest.mark.parametrize("format", ["tmlr", "search-page", "mail"])
def test_many_lines(lines, format):
    read(("New submissions\n=====\n" + lines).encode(), format)


def test_nothing_is_executed_or_interpreted(tmp_path, capsys):
    hostile = "<script>alert(1)</script> {{7*7}} $(touch x) `touch x` %s %n ' OR 1=1; -- "
    hostile += "\\input{/etc/passwd} \\write18{touch x} ../../x \x1b[2J"
    for text in (DIGEST.replace("Counting Clouds", hostile), PAGE.replace("We introduce", f"{hostile} We introduce")):
        found = read(text.encode())
        assert found
        assert len(found.papers) >= 4
        kept = " ".join(paper.title + paper.abstract for paper in found.papers)
        assert "<script>alert(1)</script>" in kept
        assert "7*7" in kept
        assert "root:" not in kept
        assert "\x1b" not in kept
        with Library(tmp_path / "l.sqlite") as library:
            library.add(found.papers)
            assert library.count() >= 4
    assert capsys.readouterr() == ("", "")
    assert [path.name for path in tmp_path.iterdir()] == ["l.sqlite"]


@quiet
@given(st.text(alphabet="<>/!-?abscript styl\"'=& \n", max_size=120))
def test_any_html(text):
    assert isinstance(mail.html_text(text), str)
