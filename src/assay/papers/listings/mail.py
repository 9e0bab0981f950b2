"""Mails: one (.eml), or many (.mbox). Whatever listing is inside is read by its own reader; nothing is executed.

The parts are walked by hand with Python's tolerant parser, since the modern one raises on malformed headers.
"""

from __future__ import annotations

import email
import email.header
import email.utils
import re
from binascii import Error as Base64Error
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from email.errors import MessageError
from email.message import Message
from html import unescape

from assay.papers.clean import without_controls
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.tmlr import banner_date

FORMAT = "mail"

_FROM = re.compile(rb"(?:\A|\n)(?=From \S+ [^\n]*\d\d:\d\d[^\n]* \d{4})")
_HEADER = re.compile(
    r"(?:From|To|Cc|Subject|Date|Received|Return-Path|Delivered-To|MIME-Version|Message-ID|Content-Type|Reply-To|List-I[dD]):",
    re.I,
)
_DEEPEST = 20
"""Mails inside mails; deeper ones are reported and left."""
_PARAGRAPHS = "blockquote center dl h1 h2 h3 h4 h5 h6 hr ol p pre section table ul"
_BLOCKS = """address article aside br dd div dt fieldset footer form header li main nav tbody td th thead title tr"""
_PARAGRAPH_TAGS = frozenset(_PARAGRAPHS.split())
_BLOCK_TAGS = _PARAGRAPH_TAGS.union(_BLOCKS.split())
_TAG = re.compile(r"<(/?)(?:([A-Za-z][A-Za-z0-9]*)|[!?])[^<>]*>")
_UNSEEN_TAGS = ("script", "style", "template", "noscript", "head")


def looks_like(text: str) -> bool:
    """An mbox "From " line, or mail headers: two known ones before the first blank line, and nothing but headers."""
    start = text[:20_000].lstrip("\ufeff\n ")
    if re.match(r"From \S+ [^\n]*\d\d:\d\d[^\n]* \d{4}", start):
        return True
    head = start.split("\n\n")[0].split("\n")
    if not all(re.match(r"[!-9;-~]+:|[ \t]", line) for line in head[:-1]):
        return False
    return sum(bool(_HEADER.match(line)) for line in head) >= 2


def read(document: Document, read_document: Callable[[Document], Listing | None]) -> Listing:
    """The papers of all listings inside the mails of a document; `read_document` reads what is inside.

    Entries are numbered within their message, and a message is known again by its own bytes, so an mbox that has grown
    is read without repeating what was known.
    """
    found = Listing()
    pieces = _messages(document.data)
    without: list[int] = []
    for number, data in enumerate(pieces, 1):
        name = document.name if len(pieces) == 1 else f"{document.name} (message {number})"
        inside = Listing()
        try:
            for unit in _units(email.message_from_bytes(data), name, inside):
                for part in _listings(unit, replace(document, data=data, name=name), read_document):
                    inside.extend(part)
        except (RecursionError, MessageError, ValueError, LookupError, TypeError, AttributeError) as error:
            # the parser's own failures on hostile mail: the message is reported, the others are read
            inside.problems.append(
                replace(document, name=name).problem(f"damaged mail: {type(error).__name__}: {error}")
            )
        if not inside.formats and not inside.problems:
            without.append(number)
        if inside.papers or inside.formats:
            found.formats[name] = f"{FORMAT} ({', '.join(sorted(set(inside.formats.values())))})"
        found.papers += inside.papers
        found.problems += inside.problems
    if without:
        which = ", ".join(map(str, without[:10])) + ("..." if len(without) > 10 else "")
        what = "no listing in this mail" if len(pieces) == 1 else f"no listing in {len(without)} messages: {which}"
        found.problems.append(document.problem(what))
    if not found.formats:
        found.formats[document.name] = f"{FORMAT} (no listing in it)"
    return found


def _messages(data: bytes) -> list[bytes]:
    """The mails of an mbox, without their "From " lines and with ">From " restored; or the one mail there is."""
    data = data.lstrip(b"\xef\xbb\xbf\r\n ")
    if not re.match(rb"From \S+ [^\n]*\d\d:\d\d[^\n]* \d{4}", data):
        return [data]
    starts = [found.end() for found in _FROM.finditer(data)]
    pieces = [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]
    return [re.sub(rb"(?m)^>(>*From )", rb"\1", piece.partition(b"\n")[2].rstrip()) for piece in pieces]


def _units(message: Message, name: str, found: Listing, depth: int = 0) -> Iterator[Message]:
    """A mail and the mails attached to it, each without the others."""
    if depth > _DEEPEST:
        found.problems.append(Document(b"", name).problem(f"mails nested over {_DEEPEST} deep are not read"))
        return
    yield message
    for part in _own_parts(message):
        if part.get_content_type() == "message/rfc822":
            for inner in _inner(part):
                yield from _units(inner, name, found, depth + 1)


def _inner(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def _own_parts(message: Message) -> Iterator[Message]:
    """The leaves of a mail's own tree, attached mails as leaves."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if part.is_multipart() and (part is message or part.get_content_type() != "message/rfc822"):
            waiting += reversed(_inner(part))
        else:
            yield part


def _listings(
    unit: Message, document: Document, read_document: Callable[[Document], Listing | None]
) -> Iterator[Listing]:
    """What the plain parts of a mail hold; where they hold no listing, what its HTML parts hold."""
    listed = banner_date(_header(unit, "Subject")) or _date(_header(unit, "Date"))
    parts = [part for part in _own_parts(unit) if part.get_content_maintype() in ("text", "application")]
    for kind in ("plain", "html"):
        any_read = False
        for part in parts:
            html = part.get_content_subtype() == "html"
            if html != (kind == "html"):
                continue
            data = part.get_payload(decode=True)
            if not isinstance(data, bytes) or not data.strip():
                continue
            if data.startswith((b"PK\x03\x04", b"\x1f\x8b")):
                packed = read_document(replace(document, data=data, listed=listed))
                if packed is not None:
                    yield packed
                continue
            raw = replace(document, data=data, charset=str(part.get_content_charset() or ""), listed=listed)
            text = html_text(raw.text) if html or is_html(raw.text) else _unflowed(raw.text, part)
            inside = raw.with_text(text)
            vars(inside)["sha256"] = document.sha256
            read = read_document(inside) if not looks_like(text) else _forwarded(inside, read_document)
            if read is not None:
                any_read = True
                yield read
        if any_read:
            return


def _forwarded(document: Document, read_document: Callable[[Document], Listing | None]) -> Listing | None:
    """A body that itself begins like a mail ("From: ... Subject: ..."): what follows those lines."""
    text = document.text
    for _ in range(_DEEPEST):
        if not looks_like(text):
            return read_document(document.with_text(text))
        text = text.lstrip().partition("\n\n")[2]
    return None


def _header(message: Message, name: str) -> str:
    """A header as text, encoded words decoded; what cannot be decoded stays as it is."""
    value = str(message.get(name, ""))
    with suppress(MessageError, LookupError, ValueError, Base64Error):
        value = str(email.header.make_header(email.header.decode_header(value)))
    return " ".join(without_controls(value).split())


def _date(header: str) -> str:
    """The UTC date of a Date header, or ""."""
    try:
        found = email.utils.parsedate_to_datetime(header)
        return (found.astimezone(UTC) if found.tzinfo else found).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def _unflowed(text: str, part: Message) -> str:
    """`format=flowed` (RFC 3676): a line that ends in a space goes on in the next one, of the same quote depth."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    drop = str(part.get_param("delsp", "")).lower() == "yes"
    lines: list[str] = []
    goes_on = ""
    for line in text.split("\n"):
        quote = re.match(r">*", line)[0]  # type: ignore[index]  # it always matches
        body = line[len(quote) :].removeprefix(" ")
        if goes_on and goes_on == f"{quote}|":
            lines[-1] += body
        else:
            lines.append(f"{quote} {body}" if quote else body)
        flows = body.endswith(" ") and body != "-- "
        goes_on = f"{quote}|" if flows else ""
        if flows and drop:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def is_html(text: str) -> bool:
    """Whether a text begins as an HTML page does, whatever it is declared to be."""
    return bool(re.match(r"\s*<(?:!doctype html|html)\b", text[:2000], re.IGNORECASE))


def html_text(html: str) -> str:
    """The text of an HTML page: block tags become line ends; scripts, styles and comments are left out. Linear."""
    lowered = html.lower() if len(html.lower()) == len(html) else html
    last_close = {name: lowered.rfind(f"</{name}") for name in _UNSEEN_TAGS}
    last_comment = html.rfind("-->")
    out: list[str] = []
    at, kept_lines = 0, False
    while (start := html.find("<", at)) >= 0:
        piece = html[at:start]
        out.append(piece if kept_lines else re.sub(r"\s+", " ", piece))
        if html.startswith("<!--", start) and start < last_comment:
            at = html.find("-->", start) + 3
            continue
        tag = _TAG.match(html, start)
        if not tag:
            out.append("<")
            at = start + 1
            continue
        at = tag.end()
        name = (tag[2] or "").lower()
        if name in _UNSEEN_TAGS and not tag[1] and at <= last_close[name]:
            at = lowered.find(f"</{name}", at)
        elif name in _BLOCK_TAGS:
            out.append("\n\n" if name in _PARAGRAPH_TAGS else "\n")
        if name == "pre":
            kept_lines = not tag[1]
    out.append(html[at:] if kept_lines else re.sub(r"\s+", " ", html[at:]))
    text = without_controls(unescape("".join(out)))
    text = re.sub(r"[ \t\u00a0]*\n[ \t\u00a0]*", "\n", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()
