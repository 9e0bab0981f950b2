"""Listings attached to mails, packed or not; and what is wrong with one attachment costs no other."""

import gzip
import io
import zipfile
from email.message import EmailMessage

import pytest
from made_up import DIGEST

from assay.papers.listings import detect
from assay.papers.listings.detect import read_source

BIB = b"@article{a, title={Attached Sums}, author={A B}, year={2024}}\n"
TABLE = b"title,abstract\nTabled Sums,We add.\n"


def mail(*attachments, body="See the attached list."):
    message = EmailMessage()
    message["Subject"] = "papers"
    message["From"] = "a@example.org"
    message.set_content(body)
    for name, data in attachments:
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message.as_bytes()


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


@pytest.mark.parametrize(
    "attachments",
    [
        [("refs.bib", BIB), ("list.csv", TABLE)],
        [("refs.bib.gz", gzip.compress(BIB)), ("list.csv", TABLE)],
        [("both.zip", zipped(a=BIB, b=TABLE))],
    ],
)
def test_what_is_attached_is_read(attachments):
    listing = read_source(mail(*attachments))
    assert sorted(paper.title for paper in listing.papers) == ["Attached Sums", "Tabled Sums"]
    assert [problem.what for problem in listing.problems] == []


def test_a_digest_in_the_body_and_a_list_attached():
    listing = read_source(mail(("refs.bib", BIB), body=DIGEST))
    assert "Attached Sums" in [paper.title for paper in listing.papers]
    assert len(listing.papers) > 3


def test_a_bomb_and_a_damaged_archive_cost_nothing_else(monkeypatch):
    monkeypatch.setattr(detect, "LARGEST", 50_000)
    bomb = zipped(a=b"0" * 10_000_000)
    listing = read_source(
        mail(("bomb.zip", bomb), ("cut.zip", zipped(a=BIB)[:-20]), ("b.gz", gzip.compress(BIB)[:-9]), ("refs.bib", BIB))
    )
    assert [paper.title for paper in listing.papers] == ["Attached Sums"]
    whats = " / ".join(problem.what for problem in listing.problems)
    assert "expands to more than" in whats
    assert "damaged or encrypted zip" in whats
    assert "damaged gzip" in whats
