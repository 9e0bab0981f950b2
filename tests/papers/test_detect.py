import gzip
import io
import os
import sys
import zipfile

import pytest
from made_up import DIGEST, PAGE

from assay.papers.listings import detect, entry
from assay.papers.listings.detect import READERS, read_source
from assay.papers.listings.document import ListingError, decode

NAMES = ", ".join(reader.name for reader in READERS)


def test_a_file_a_folder_and_standard_input(tmp_path, monkeypatch):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "anything.xyz").write_text(DIGEST)
    (tmp_path / "b.txt").write_text(PAGE, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no listing\nat all")
    (tmp_path / ".hidden").write_text(DIGEST)
    found = read_source(tmp_path, venue="ICLR 2026")
    assert [len(found.papers), found.formats] == [
        10,
        {"b.txt": "conference search page", "new/anything.xyz": "TMLR digest"},
    ]
    assert {paper.venue for paper in found.papers} == {"ICLR 2026", "TMLR"}
    assert [(problem.file, "no known listing" in problem.what) for problem in found.problems] == [("notes.txt", True)]
    assert len(read_source(str(tmp_path / "b.txt")).papers) == 4
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DIGEST.encode())))
    piped = read_source("-")
    assert len(piped.papers) == 6
    assert piped.papers[0].sources[0].file == "standard input"
    assert len(read_source(gzip.compress(DIGEST.encode())).papers) == 6


def test_the_same_bytes_have_the_same_hash_whatever_the_name(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(DIGEST)
    one, two = (read_source(tmp_path / name).papers[0].sources[0] for name in ("a.txt", "b.txt"))
    assert one.sha256 == two.sha256
    assert (one.file, two.file) == ("a.txt", "b.txt")


def test_html_page_saved_from_a_browser():
    body = "".join(f"<p>{block}</p>" for block in PAGE.split("\n\n"))
    found = read_source(f"<!DOCTYPE html><html><head><title>t</title></head><body>{body}</body></html>".encode())
    assert len(found.papers) == 4
    assert found.problems == []


@pytest.mark.parametrize("name", [reader.name for reader in READERS])
def test_a_named_format_without_an_entry_is_refused(name):
    with pytest.raises(ListingError, match=f"no entry of this format found \\({name}\\)"):
        read_source(b"whatever\n", format=name)


def test_a_named_digest_without_entries_is_valid():
    assert read_source(b"Daily TMLR digest for Mar 03, 2026\n", format="tmlr").papers == []


@pytest.mark.parametrize(
    "text", [DIGEST + PAGE, PAGE + DIGEST, PAGE + DIGEST.partition("TMLR\nNew")[2].join(["New", ""])]
)
def test_two_listings_in_one_text_are_both_read(text):
    found = read_source(text.encode())
    assert len(found.papers) == 10
    assert found.formats == {"pasted text": "TMLR digest and conference search page"}
    lines = text.split("\n")
    for paper in found.papers:
        first = lines[paper.sources[0].first_line - 1]
        assert first.startswith(("Title: ", "Featured")) or " · " in first or first == "Author Six, Author Seven"


@pytest.mark.parametrize(("text", "line"), [(DIGEST + "\nOne more thing\n", 36), ("long " * 50 + "\n" + DIGEST, 1)])
def test_text_around_a_digest_is_reported_with_its_line(text, line):
    found = read_source(text.encode())
    assert len(found.papers) == 6
    (problem,) = found.problems
    assert problem.line == line
    assert "were not read; split the file" in problem.what


def test_folders_that_cannot_be_read(tmp_path, monkeypatch):
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.txt").write_text(DIGEST)
    shut, real = {str(tmp_path / "closed")}, os.scandir

    def scandir(path):
        if str(path) in shut:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = read_source(tmp_path)
    assert len(found.papers) == 6
    assert [str(problem) for problem in found.problems] == ["closed: folder cannot be read: permission denied"]
    shut.add(str(tmp_path))
    with pytest.raises(ListingError, match="permission denied"):
        read_source(tmp_path)


def test_a_file_name_that_is_no_utf8(tmp_path):
    (tmp_path / "b.txt").write_text(PAGE, encoding="utf-8")
    strange = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt")
    with open(strange, "w") as file:
        file.write(DIGEST)
    assert set(read_source(tmp_path).formats) == {"b.txt", "\ufffd.txt"}
    assert read_source(strange).papers[0].sources[0].file == "\ufffd.txt"


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ListingError, match="standard input: it is closed"):
        read_source("-")


def test_long_runs_of_blank_lines_are_left_out_and_noted():
    found = read_source((DIGEST + "\n" * 5000).encode())
    assert (len(found.papers), found.problems) == (6, [])
    found = read_source((DIGEST + "\n" * 5000 + PAGE).encode())
    assert len(found.papers) == 10
    (problem,) = found.problems
    assert problem.what.startswith("4999 blank lines left out from line 35 on")


def test_a_single_entry_page_can_be_named():
    block = PAGE.split("\n\n")
    assert len(read_source("\n\n".join(block[1:4]).encode(), format="search-page").papers) == 1


@pytest.mark.parametrize(
    ("data", "format", "says"),
    [
        (
            b"one\ntwo\nthree\nfour",
            None,
            f"no known listing (tried {NAMES}); it begins 'one' / 'two' / 'three'",
        ),
        (b"", None, "empty"),
        (b" \n ", None, "empty"),
        (b"\x1f\x8bgarbage", None, "damaged gzip"),
        (gzip.compress(DIGEST.encode())[:-20], None, "damaged gzip"),
        (b"x", "word", f"there is no 'word'; there are {NAMES}"),
        (b"PK\x03\x04" + bytes(range(256)), None, "damaged or encrypted zip"),
    ],
)
def test_errors_are_one_line(data, format, says):
    with pytest.raises(ListingError) as raised:
        read_source(data, format=format)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_errors_of_files_are_one_line(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    for path, says in ((tmp_path / "none.txt", "no such file"), (tmp_path / "empty", "no listing in this folder")):
        with pytest.raises(ListingError, match=says) as raised:
            read_source(path)
        assert str(path) in str(raised.value)
        assert "\n" not in str(raised.value)
    monkeypatch.setattr(detect, "LARGEST", 1000)
    (tmp_path / "big.txt").write_bytes(b"x" * 1001)
    for big in (tmp_path / "big.txt", b"x" * 1001, gzip.compress(b"x" * 1_000_000)):
        with pytest.raises(ListingError, match="over 0 MB; split it"):
            read_source(big)


@pytest.mark.parametrize(
    ("data", "declared", "text", "guess"),
    [
        ("plain é".encode(), "", "plain é", ""),
        (b"\xef\xbb\xbfx", "", "x", ""),
        ("论文".encode("utf-16"), "", "论文", ""),
        ("论文检索".encode("gb18030"), "", "论文检索", "not UTF-8, read as GB 18030"),
        ("é à".encode("cp1252"), "", "é à", "not UTF-8, read as Windows-1252"),
        ("é".encode("latin-1"), "latin-1", "é", ""),
        ("ééééé".encode()[:-1], "", "éééé\ufffd", "not valid UTF-8: 1 damaged characters"),
        (b"\x81\x8d\x8f", "", "\ufffd" * 3, "not UTF-8, read as Windows-1252"),
        (b"", "", "", ""),
    ],
)
def test_decode(data, declared, text, guess):
    assert decode(data, declared) == (text, guess)


def test_controls_are_left_out_and_reported():
    found = read_source(DIGEST.replace("Daily", "\0Da\x1bily").replace("\n", "\r\n").encode())
    assert len(found.papers) == 6
    assert [problem.what for problem in found.problems] == ["2 control characters left out"]


def test_chinese_page_in_gb18030():
    found = read_source(PAGE.encode("gb18030"))
    assert len(found.papers) == 4
    assert [problem.what for problem in found.problems] == ["not UTF-8, read as GB 18030"]


def zip_of(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return held.getvalue()


def test_a_zip_is_read_file_by_file():
    inner = zip_of(x=DIGEST)
    listing = read_source(zip_of(**{"../../etc__a.txt": DIGEST, "b.txt": PAGE, "c.zip": inner, "d.txt": "no listing"}))
    assert set(listing.formats) == {"pasted text/a.txt", "pasted text/b.txt"}
    assert [problem.file for problem in listing.problems] == ["pasted text/c.zip", "pasted text/d.txt"]
    with pytest.raises(ListingError, match="no listing in this archive"):
        read_source(zip_of(x="nothing"))


def test_zips_that_expand_or_are_damaged_are_refused(monkeypatch):
    monkeypatch.setattr(detect, "LARGEST", 10_000)
    with pytest.raises(ListingError, match="expands to more than"):
        read_source(zip_of(a=DIGEST, b="x" * 1_000_000))
    with pytest.raises(ListingError, match="damaged or encrypted zip"):
        read_source(zip_of(a=DIGEST)[:-30])


@pytest.mark.parametrize("kind", ["digest", "table", "page"])
def test_a_listing_with_too_many_entries_is_refused(kind, monkeypatch):
    monkeypatch.setattr(entry, "MOST_ENTRIES", 3)
    listings = {"digest": DIGEST, "page": PAGE, "table": "title,abstract\n" + "T,We add.\n" * 4}
    with pytest.raises(ListingError, match="over 3 entries; split it"):
        read_source(listings[kind].encode())
