"""The digest on the command line: every form is valid, hostile papers stay text, mails are sent or say why not."""

import email
import email.policy
import json
import re
import socketserver
import threading
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from assay import home
from assay.papers.library import Library
from assay.papers.paper import Paper

HOSTILE = Paper(
    "<script>alert(1)</script> & *stars* [x](y) \u2028 " + "long " * 60,
    authors=("Ada <b>One</b>", "Zoë Müller"),
    abstract="We show $x < y$ & more]]>.\nSubject: injected " + "word " * 300,
    status="accepted",
    venue="ICLR 2026",
    links={"page": "javascript:alert(1)", "pdf": "https://example.org/a?b=1&c=<d>"},
    topics=(("机器学习", "A & B"),),
    dates={"listed": "2026-02-21"},
    ids={"openreview": "AbC12_-xyz"},
)


@pytest.fixture
def shelf():
    with Library(home.library_file()) as library:
        library.add([HOSTILE, Paper("Blind Trees", abstract="Trees grow.", status="submitted", ids={"s2": "1"})])


def test_today_shows_what_is_new_once(assay, shelf):
    code, out, err = assay("today")
    assert (code, err) == (0, "")
    assert "accepted" in out
    assert "Blind Trees" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "nothing new" in assay("today")[1]
    assert "Blind Trees" in assay("today", "--all")[1]


def test_a_date_does_not_move_what_is_new(assay, shelf):
    assert "script" in assay("today", "--since", "2026")[1]
    assert "Blind Trees" in assay("today")[1]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.links = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.links += [value for name, value in attrs if name == "href"]


def test_the_page_is_self_contained_and_escaped(assay, shelf, tmp_path):
    file = tmp_path / "d.html"
    assert assay("today", "--write", file)[0] == 0
    page = file.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.seen
    assert tags.links == ["https://example.org/a?b=1&c=<d>"]
    assert "http" not in re.sub(r'href="[^"]*"', "", page)
    assert "&lt;script&gt;" in page


def test_markdown_is_escaped(assay, shelf):
    out = assay("today", "--as", "markdown")[1]
    assert "\\<script\\>" in out
    assert "\\*stars\\*" in out
    assert "javascript" not in out


def test_the_feed_is_atom(assay, shelf):
    out = assay("today", "--as", "atom")[1]
    space = {"a": "http://www.w3.org/2005/Atom"}
    root = ElementTree.fromstring(out.encode())
    assert root.tag == "{http://www.w3.org/2005/Atom}feed"
    for element in (root, *root.findall("a:entry", space)):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"a:{name}", space)) == 1
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", element.findtext("a:updated", "", space))
    ids = [entry.findtext("a:id", "", space) for entry in root.findall("a:entry", space)]
    assert ids == ["urn:assay:paper:openreview:AbC12_-xyz", "urn:assay:paper:s2:1"]
    assert "s2:1" in assay("today", "--all", "--as", "atom")[1], "a paper keeps its identifier"


def checked(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = {part.get_content_type(): part for part in message.walk()}
    assert not any(part.defects for part in message.walk())
    assert set(parts) == {"multipart/alternative", "text/plain", "text/html"}
    assert all(len(line) <= 998 for line in raw.splitlines())
    assert {"From", "To", "Subject", "Date", "Message-ID", "MIME-Version"} <= set(message.keys())
    assert "injected" in parts["text/plain"].get_content()
    assert message["Subject"].startswith("Papers of ")
    return message


def test_the_mail_is_valid(assay, shelf, monkeypatch):
    monkeypatch.setenv("ASSAY_SMTP_FROM", "digest@example.org")
    message = checked(assay("today", "--as", "mail")[1].encode())
    assert message["From"] == "digest@example.org"


class Smtp(socketserver.StreamRequestHandler):
    """As much of SMTP as one mail needs."""

    refuse = False

    def handle(self):
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline():
            word = line.split()[0].upper() if line.split() else b""
            if word == b"EHLO":
                self.wfile.write(b"250-here\r\n250 AUTH PLAIN\r\n")
            elif word == b"AUTH":
                self.server.secret = line
                self.wfile.write(b"535 no\r\n" if self.refuse else b"235 yes\r\n")
            elif word == b"DATA":
                self.wfile.write(b"354 go\r\n")
                lines = []
                while (line := self.rfile.readline()) != b".\r\n":
                    lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
                self.server.mail = b"".join(lines)
                self.wfile.write(b"250 ok\r\n")
            elif word == b"QUIT":
                self.wfile.write(b"221 bye\r\n")
                return
            else:
                self.wfile.write(b"250 ok\r\n")


@pytest.fixture
def smtp(monkeypatch):
    with socketserver.TCPServer(("127.0.0.1", 0), Smtp) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("ASSAY_SMTP_HOST", "127.0.0.1")
        monkeypatch.setenv("ASSAY_SMTP_PORT", str(server.server_address[1]))
        monkeypatch.setenv("ASSAY_SMTP_FROM", "digest@example.org")
        yield server
        server.shutdown()


def test_a_mail_is_sent(assay, shelf, smtp, monkeypatch):
    monkeypatch.setenv("ASSAY_SMTP_USER", "me")
    monkeypatch.setenv("ASSAY_SMTP_PASSWORD", "secret")
    code, out, err = assay("today", "--to", "reader@example.org")
    assert (code, out, err) == (0, "sent to reader@example.org: 2 new papers\n", "")
    assert checked(smtp.mail)["To"] == "reader@example.org"


def test_what_was_not_sent_stays_new_and_no_password_is_shown(assay, shelf, smtp, monkeypatch):
    monkeypatch.setattr(Smtp, "refuse", True)
    monkeypatch.setenv("ASSAY_SMTP_USER", "me")
    monkeypatch.setenv("ASSAY_SMTP_PASSWORD", "secret")
    code, out, err = assay("today", "--to", "reader@example.org")
    assert (code, out) == (2, "")
    assert "refused ASSAY_SMTP_USER" in err
    assert "secret" not in err
    assert "Blind Trees" in assay("today")[1]


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["today", "--to", "nobody"], "no mail address"),
        (["today", "--to", "a@b.org\nBcc: x@y.org"], "no mail address"),
        (["today", "--to", "a@b.org"], "ASSAY_SMTP_HOST must name"),
        (["today", "--as", "word"], "there is no such form"),
        (["today", "--by", "colour"], "group by status or by topic"),
        (["today", "--since", "soon"], "since: 'soon' is no date"),
        (["today", "--json", "--as", "html"], "--json goes with neither"),
        (["follow", "colour", "red"], "cannot be followed"),
        (["follow", "topic"], "nothing to follow"),
        (["unfollow", "topic", "x"], "was not followed"),
        (["mark", "s2:1", "love"], "is no mark"),
        (["mark", "s2:9", "keep"], "no paper 's2:9'"),
    ],
)
def test_mistakes_are_one_line(assay, shelf, argv, says, monkeypatch):
    monkeypatch.delenv("ASSAY_SMTP_HOST", raising=False)
    code, out, err = assay(*argv)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_marks_and_follows(assay, shelf):
    assert assay("mark", "s2:1", "keep")[1] == "keep: Blind Trees\n"
    assert assay("follow", "author", "Ada One")[0] == 0
    assert json.loads(assay("follow", "--json")[1]) == {"follows": [{"kind": "author", "what": "Ada One"}], "marks": 1}
    found = json.loads(assay("today", "--json")[1])
    assert (found["total"], found["marks"]) == (2, 1)
    assert assay("unfollow", "author", "ada one")[0] == 0
    assert assay("mark", "s2:1", "forget")[1] == "forgotten: Blind Trees\n"


def test_an_empty_library_says_what_to_type(assay, assay_home):
    for argv in (["today"], ["follow"], ["mark", "x", "keep"]):
        code, out, err = assay(*argv)
        assert (code, out) == (2, "")
        assert "the library is empty" in err
    assert not assay_home.exists()
