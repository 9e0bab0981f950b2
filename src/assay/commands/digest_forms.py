"""The digest as Markdown, as a page, as a mail, as an Atom feed and as JSON."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from typing import Any

from assay.papers.digest import Digest, Entry, Group
from assay.papers.paper import Paper

_MOST_AUTHORS = 8
_STYLE = """
:root { color-scheme: light dark; --dim: #555; --line: #ddd; --link: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --dim: #aaa; --line: #444; --link: #8ab4f8; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; } h2 { border-bottom: 1px solid var(--line); margin-top: 2rem; font-size: 1.25rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .2rem; } p { margin: .2rem 0; } a { color: var(--link); }
.dim, .why { color: var(--dim); } .why { font-style: italic; } summary { cursor: pointer; color: var(--dim); }
"""


def title(digest: Digest) -> str:
    """The heading: "Papers of 1 December 2026: 12 new"."""
    day = f"{digest.made.day} {digest.made:%B %Y}"
    return f"Papers of {day}: {digest.total} new" + (f" since {digest.since}" if digest.since else "")


def page_of(paper: Paper) -> str:
    """Where a paper can be read: only web addresses."""
    return next((paper.links[name] for name in ("page", "pdf", "project") if _is_web(paper.links.get(name, ""))), "")


def facts(paper: Paper) -> str:
    """Venue, status, decision, certifications and topics in one line."""
    topics = [f"{area} · {sub}" if sub else area for area, sub in paper.topics[:2]]
    words = [
        paper.venue,
        paper.status if paper.status != "unknown" else "",
        paper.decision,
        *paper.certifications,
        *topics,
    ]
    return " | ".join(word for word in words if word)


def people(paper: Paper) -> str:
    """The authors, the first of many."""
    names = list(paper.authors[:_MOST_AUTHORS])
    more = len(paper.authors) > _MOST_AUTHORS or (bool(names) and not paper.authors_complete)
    return ", ".join(names) + (", and others" if more else "")


def name_of(paper: Paper) -> str:
    """The title; a stand-in in brackets."""
    return paper.title if paper.has_title else f"[{paper.title}]"


def left_out(group: Group) -> str:
    """What to say of those not shown."""
    return f"{group.left_out} more are not shown" if group.left_out else ""


def markdown(digest: Digest) -> str:
    """Markdown; what could be markup in a title or an abstract is escaped."""
    lines = [f"# {_md(title(digest))}", ""]
    for group in digest.groups:
        lines += [f"## {_md(group.name.capitalize())}", ""]
        for entry in group.entries:
            paper = entry.paper
            link = page_of(paper)
            head = _md(name_of(paper))
            lines.append(f"### [{head}](<{link}>)" if link and not re.search(r"[<>\s]", link) else f"### {head}")
            lines.append("")
            for text in (people(paper), facts(paper)):
                lines += [_md(text), ""] if text else []
            lines += [f"*{_md(entry.why)}*", ""] if entry.why else []
            lines += [_md(paper.abstract), ""] if paper.abstract else []
        lines += [left_out(group), ""] if group.left_out else []
    if not digest.groups:
        lines.append("Nothing new.")
    return "\n".join(lines).rstrip() + "\n"


def page(digest: Digest) -> str:
    """A page that needs nothing else: no script, no other file."""
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_h(title(digest))}</title><style>{_STYLE}</style></head><body><main><h1>{_h(title(digest))}</h1>",
    ]
    for group in digest.groups:
        parts.append(f"<section><h2>{_h(group.name.capitalize())}</h2>")
        parts += [_article(entry) for entry in group.entries]
        parts.append(f'<p class="dim">{left_out(group)}</p>' if group.left_out else "")
        parts.append("</section>")
    if not digest.groups:
        parts.append("<p>Nothing new.</p>")
    return "\n".join([*filter(None, parts), "</main></body></html>"]) + "\n"


def _article(entry: Entry) -> str:
    paper = entry.paper
    link = page_of(paper)
    head = f'<a href="{_h(link)}">{_h(name_of(paper))}</a>' if link else _h(name_of(paper))
    lines = [f"<article><h3>{head}</h3>"]
    lines += [f"<p>{_h(people(paper))}</p>"] if paper.authors else []
    lines += [f'<p class="dim">{_h(facts(paper))}</p>'] if facts(paper) else []
    lines += [f'<p class="why">{_h(entry.why)}</p>'] if entry.why else []
    if paper.abstract:
        lines.append(f"<details><summary>Abstract</summary><p>{_h(paper.abstract)}</p></details>")
    return "\n".join([*lines, "</article>"])


def plain_text(digest: Digest) -> str:
    """Text for a mail, in lines of 76 characters."""
    import textwrap

    lines = [title(digest), "=" * len(title(digest)), ""]
    for group in digest.groups:
        lines += [group.name.upper(), ""]
        for entry in group.entries:
            paper = entry.paper
            for text in (name_of(paper), people(paper), facts(paper), entry.why and f"({entry.why})"):
                lines += textwrap.wrap(text, 76)
            lines += [page_of(paper)] if page_of(paper) else []
            lines += ["", *textwrap.wrap(paper.abstract, 76, initial_indent="  ", subsequent_indent="  "), ""]
        lines += [left_out(group), ""] if group.left_out else []
    return "\n".join(lines if digest.groups else [*lines, "Nothing new."]).rstrip() + "\n"


def mail(digest: Digest, sender: str, to: str) -> EmailMessage:
    """A message with a part of text and one of HTML."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = to
    message["Subject"] = title(digest)
    message["Date"] = format_datetime(digest.made)
    message["Message-ID"] = make_msgid(domain="assay.invalid")
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(plain_text(digest), cte="quoted-printable")
    message.add_alternative(page(digest), subtype="html", cte="quoted-printable")
    return message


def atom(digest: Digest) -> str:
    """An Atom feed (RFC 4287), an entry a paper; a paper keeps its identifier from feed to feed."""
    made = _moment(digest.made)
    parts = [
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
        f"<id>urn:assay:digest</id><title>{_h(title(digest))}</title><updated>{made}</updated>",
        "<author><name>Assay</name></author><generator>Assay</generator>",
    ]
    for entry in _entries(digest):
        paper = entry.paper
        day = paper.date if re.fullmatch(r"\d{4}-\d\d-\d\d", paper.date) else ""
        link = page_of(paper)
        parts.append(f"<entry><id>urn:assay:paper:{_urn(paper.key)}</id><title>{_h(name_of(paper))}</title>")
        parts.append(f"<updated>{f'{day}T00:00:00Z' if day else made}</updated>")
        parts += [f"<author><name>{_h(name)}</name></author>" for name in paper.authors]
        parts += [f'<link rel="alternate" href="{_h(link)}"/>'] if link else []
        parts += [f'<category term="{_h(area)}"/>' for area, _ in paper.topics]
        told = "\n\n".join(text for text in (facts(paper), entry.why, paper.abstract) if text)
        parts.append(f'<summary type="text">{_h(told)}</summary></entry>')
    return "\n".join([*parts, "</feed>"]) + "\n"


def as_dict(digest: Digest) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "made": digest.made.isoformat(),
        "since": digest.since or None,
        "total": digest.total,
        "marks": digest.marked,
        "groups": [
            {
                "name": group.name,
                "left_out": group.left_out,
                "papers": [
                    {"paper": entry.paper.to_dict(), "score": entry.score, "why": entry.why} for entry in group.entries
                ],
            }
            for group in digest.groups
        ],
    }


def _entries(digest: Digest) -> Iterator[Entry]:
    for group in digest.groups:
        yield from group.entries


def _is_web(address: str) -> bool:
    return address.startswith(("https://", "http://"))


def _h(text: str) -> str:
    """Escaped for HTML and XML, without what XML cannot hold."""
    return html.escape("".join(letter for letter in text if letter.isprintable() or letter in "\n\t"))


def _md(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", " ".join(text.split()))


def _urn(key: str) -> str:
    from urllib.parse import quote

    return quote(key, safe=":")


def _moment(when: datetime) -> str:
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")
