import base64
import quopri
from email.message import EmailMessage

import pytest
from made_up import DIGEST, PAGE, entry

from assay.papers.listings import mail
from assay.papers.listings.detect import read_source

TITLES = [
    "Counting Clouds: A Made-Up Title",
    "Counting Clouds: A Made-Up Title",
    "A Second Made-Up Paper About Rivers",
    "Blind Work on Imaginary Bridges",
    "Another Blind Work on Paper Boats",
    "A Third Blind Work on Glass Towers",
]
HEADERS = "From: list@example.org\nTo: me@example.org\nSubject: digest\nDate: Wed, 04 Mar 2026 00:31:00 +0000\n"


def titles(found):
    return [paper.title for paper in found.papers]


def message(text=DIGEST, **headers):
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "list@example.org", "digest"
    for name, value in headers.items():
        mail[name] = value
    mail.set_content(text)
    return mail


def html(text=DIGEST):
    body = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>\r\n")
    head = "<head><title>x</title><style>p {}</style></head>"
    return f"<html>{head}<body><script>var x='Title: no';</script><div>{body}</div></body></html>"


def test_a_plain_mail():
    found = read_source((HEADERS + "\n" + DIGEST).encode())
    assert titles(found) == TITLES
    assert found.problems == []
    assert list(found.formats.values()) == ["mail (TMLR digest)"]


@pytest.mark.parametrize("encoding", ["7bit", "quoted-printable", "base64"])
def test_transfer_encodings(encoding):
    plain = (
        DIGEST.replace("imaginary", "imaginary \u00e9")
        + "Title: \u00c9tude\nAbstract: \u201cx\u201d\nURL: https://openreview.net/forum?id=Uni0000001\n---\n"
    )
    raw = plain.encode()
    coded = {
        "7bit": lambda: raw,
        "quoted-printable": lambda: quopri.encodestring(raw),
        "base64": lambda: base64.encodebytes(raw),
    }[encoding]()
    head = f"{HEADERS}Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: {encoding}\n\n"
    found = read_source(head.encode() + coded)
    assert titles(found) == [*TITLES, "\u00c9tude"]
    assert found.problems == []


def test_a_soft_break_inside_a_link():
    body = DIGEST.split("Accepted papers")[0].split("New certifications")[0] + (
        "New submissions\n===============\nTitle: T\nAbstract: One.\nURL: https://openreview.net/forum?id=3DAbC12=\n_-xyz\n---\n"
    )
    found = read_source(
        f"{HEADERS}Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain\n\n{body}".replace(
            "======", "=3D=3D=3D"
        ).encode()
    )
    assert [paper.ids for paper in found.papers] == [{"openreview": "AbC12_-xyz"}]


def test_html_only_and_alternatives():
    only = EmailMessage()
    only["From"], only["Subject"] = "a@example.org", "s"
    only.set_content(html(), subtype="html")
    assert titles(read_source(only.as_bytes())) == TITLES
    both = message()
    both.add_alternative(html(), subtype="html")
    assert titles(read_source(both.as_bytes())) == TITLES, "the plain part is enough"
    empty = message("See the HTML part.")
    empty.add_alternative(html(), subtype="html")
    assert titles(read_source(empty.as_bytes())) == TITLES
    preformatted = EmailMessage()
    preformatted["From"], preformatted["Subject"] = "a@example.org", "s"
    preformatted.set_content(f"<pre>{DIGEST}</pre>", subtype="html")
    assert titles(read_source(preformatted.as_bytes())) == TITLES


def test_nested_mails_and_attachments():
    outer = message("FYI, see below.")
    outer.add_attachment(message())
    assert titles(read_source(outer.as_bytes())) == TITLES
    twice = message("FYI")
    twice.add_attachment(outer)
    assert titles(read_source(twice.as_bytes())) == TITLES
    file = message("see the file")
    file.add_attachment(DIGEST, filename="digest.txt")
    assert titles(read_source(file.as_bytes())) == TITLES
    two = message()
    two.add_attachment(PAGE, filename="page.txt")
    assert len(read_source(two.as_bytes()).papers) == 6 + 4


def test_deep_nesting_is_reported():
    inner = message()
    for _ in range(25):
        outer = message("FYI")
        outer.add_attachment(inner)
        inner = outer
    found = read_source(inner.as_bytes())
    assert found.papers == []
    assert any("nested over 20 deep" in problem.what for problem in found.problems)
    boundary = "".join(f"Content-Type: multipart/mixed; boundary=b{i}\n\n--b{i}\n" for i in range(3_000))
    hostile = read_source((HEADERS + "MIME-Version: 1.0\n" + boundary + "\n" + DIGEST).encode())
    assert hostile.papers or hostile.problems


@pytest.mark.parametrize("delsp", ["no", "yes"])
def test_format_flowed(delsp):
    long = "A Title That Is Long Enough To Be Wrapped By A Mail Program Somewhere"
    words = entry(long, "Flow000001", "Author One, Author Two, Author Three").replace("---", "").split("\n")
    soft = " \n" if delsp == "no" else "  \n"
    flowed = soft.join(words[0].split(" To ")).replace(soft, soft + "To ") + "\n"
    flowed += "Authors: Author One," + soft + "Author Two," + soft + "Author Three\n" + "\n".join(words[2:]) + "\n---\n"
    body = "Daily TMLR digest for Mar 03, 2026\nAccepted papers\n===============\n" + flowed
    head = f"{HEADERS}Content-Type: text/plain; charset=utf-8; format=flowed; delsp={delsp}\n\n"
    found = read_source((head + body).encode())
    assert titles(found) == [long]
    assert found.problems == []
    assert found.papers[0].authors == ("Author One", "Author Two", "Author Three")


def test_forwarded_text():
    quoted = "".join(f"> {line}\n" for line in DIGEST.split("\n"))
    found = read_source(f"{HEADERS}\nLook at this:\n\n{quoted}".encode())
    assert titles(found) == TITLES
    assert found.problems == []
    inline = f"{HEADERS}\nFrom: other@example.org\nSubject: Fwd\n\n{DIGEST}"
    assert titles(read_source(inline.encode())) == TITLES


@pytest.mark.parametrize(
    ("charset", "declared", "problems"),
    [
        ("utf-8", "utf-8", 0),
        ("utf-8", "iso-8859-1", 0),
        ("utf-8", None, 0),
        ("utf-8", "no-such-charset", 0),
        ("iso-8859-1", "iso-8859-1", 0),
        ("cp1252", None, 1),
        ("cp1252", "utf-8", 1),
        ("gb18030", "gb18030", 0),
        ("iso-2022-jp", "iso-2022-jp", 0),
        ("utf-16", "utf-16", 0),
    ],
)
def test_charsets(charset, declared, problems):
    title = (
        "\u00c9tude \u2013 na\u00efve"
        if charset in ("utf-8", "cp1252", "utf-16")
        else {"iso-8859-1": "\u00c9tude"}.get(charset, "漢字 題名")
    )
    body = "Daily TMLR digest for Mar 03, 2026\n\nNew submissions\n===============\n" + entry(title, "Chars00001", None)
    kind = f"Content-Type: text/plain; charset={declared}\n" if declared else ""
    head = f"{HEADERS}MIME-Version: 1.0\n{kind}Content-Transfer-Encoding: base64\n\n"
    found = read_source(head.encode() + base64.encodebytes(body.encode(charset)))
    assert titles(found) == [title]
    assert len(found.problems) == problems


def test_an_mbox_of_several_digests_dated_by_their_subjects():
    bare = "New submissions\n===============\n"
    coded = base64.b64encode(b"Daily TMLR digest for Mar 03, 2026").decode()
    one = f"From a@example.org Wed Mar  4 00:30:00 2026\nFrom: a@example.org\nSubject: =?UTF-8?B?{coded}?=\n\n"
    one += f"{bare}{entry('One Paper', 'Mbox000001', None)}\n>From here it goes on.\n\n"
    two = "From b@example.org Thu Mar  5 00:30:00 2026\nFrom: b@example.org\nSubject: lunch\n\n"
    two += "No listing here.\nFrom the start we said so.\n\n"
    three = "From c@example.org Fri Mar  6 00:30:00 2026\nFrom: c@example.org\nSubject: Fwd\n"
    three += f"Date: Thu, 05 Mar 2026 23:50:00 -0500\n\n{bare}{entry('Two Paper', 'Mbox000002', None)}\n"
    found = read_source((one + two + three).encode())
    assert [(paper.title, paper.dates["listed"]) for paper in found.papers] == [
        ("One Paper", "2026-03-03"),
        ("Two Paper", "2026-03-06"),
    ]
    assert [paper.sources[0].file for paper in found.papers] == ["pasted text (message 1)", "pasted text (message 3)"]
    after, without = [problem.what for problem in found.problems]
    assert after == "lines from 7 on are no part of a digest and were not read; split the file: 'From here it goes on.'"
    assert without == "no listing in 1 messages: 2"
    grown = read_source((one + two + three + one.replace("Mbox000001", "Mbox000009")).encode())
    assert [paper.sources[0].sha256 for paper in grown.papers[:2]] == [
        paper.sources[0].sha256 for paper in found.papers
    ]


def test_a_truncated_mail_keeps_what_is_there():
    whole = message().as_bytes()
    found = read_source(whole[: whole.index(b"Another Blind") + 10])
    assert titles(found)[:4] == TITLES[:4]
    assert len(found.papers) == 5
    assert any("no URL line" in problem.what for problem in found.problems)
    coded = base64.encodebytes(DIGEST.encode())[:2001]
    cut = read_source(f"{HEADERS}Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n".encode() + coded)
    assert cut.papers
    assert cut.problems


def test_mail_without_listing():
    found = read_source(f"{HEADERS}\nHello.".encode())
    assert found.papers == []
    assert [problem.what for problem in found.problems] == ["no listing in this mail"]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (HEADERS + "\nx", True),
        ("From a@example.org Wed Mar  4 00:30:00 2026\nx", True),
        ("Subject: x\n\tfolded\nX-Other: y\nDate: z\n\nbody", True),
        ("From: x\n\nOne header is not enough", False),
        ("From: x\nno header\nSubject: y\n\n", False),
        ("From the start we said so at 10:30", False),
        (DIGEST, False),
        (PAGE, False),
        ("", False),
    ],
)
def test_looks_like(text, known):
    assert mail.looks_like(text) is known


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two<br/>Three</p>", "One\n\nTwo\nThree"),
        ("a<b>b</b>c &amp; d", "abc & d"),
        ("<script>if (a<b) x()</script>kept<style>p{}</style>", "kept"),
        ("<script>never closed kept", "never closed kept"),
        ("<!-- <b>no</b> -->yes<!-- never closed", "yes<!-- never closed"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<pre>a\n  b</pre>c\nd", "a\nb\n\nc d"),
        ("<DIV>x</DIV>y", "x\ny"),
        ("", ""),
    ],
)
def test_html_text(html, text):
    assert mail.html_text(html) == text


@pytest.mark.parametrize("piece", ["<", "<!--", "<script>", "<a '", '<a "x', "</", "<br", "&lt;", "<!--<script>"])
def test_html_text_takes_megabytes(piece):
    """A quadratic step would take hours on these."""
    assert isinstance(mail.html_text(piece * (500_000 // len(piece)) + "-->"), str)
