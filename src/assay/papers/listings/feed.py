"""Feeds: arXiv's Atom API and its RSS, and other Atom and RSS feeds of papers. Tags are told by namespace, not prefix.

| there | here |
| --- | --- |
| Atom `id` (".../abs/2601.01234v2") | `ids.arxiv`, `ids.arxiv_version` |
| `title`, `summary`; RSS `description` after "Abstract:" | `title`, `abstract` |
| `author/name`; RSS `dc:creator` in one text | `authors` |
| `category`, the primary one first | `topics`, ("cs", "LG") |
| `published`, `updated`; RSS `pubDate` | `dates` |
| `arxiv:journal_ref`, `arxiv:doi` | `venue`, `ids.doi` |
| `arxiv:comment`, `arxiv:announce_type` | `extra`; a code link in the comment is `links.code` |

"Accepted at X" in a comment is the authors' word: `extra.venue_claim`. An empty feed is valid. Entities and document
types are refused.
"""

from __future__ import annotations

import email.utils
import io
import re
from collections.abc import Iterator
from datetime import UTC
from typing import TYPE_CHECKING

from assay.papers.clean import LONGEST_TEXT, clean, links_in, split_authors
from assay.papers.listings.document import Document, Listing, ListingError
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, day, ids_in, link, year
from assay.papers.listings.mail import html_text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORMAT = "feed"
_ATOM = "{http://www.w3.org/2005/Atom}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_ROOT = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?[^>]*>\s*|<\?.*?\?>\s*)*"
    r"<(?:\w+:)?(feed|rss|RDF)\b",
    re.DOTALL,
)
_ENTRY = re.compile(r"<(?:\w+:)?(?:entry|item)\b")
_PREFIX = re.compile(r"^\s*(arXiv:\S+)?\s*(?:Announce Type:\s*(\S+))?\s*Abstract:\s*", re.IGNORECASE)
_TITLE_TAIL = re.compile(r"\s*\((arXiv:\S+)(?:\s+\[[^\]]*\])?(?:\s+UPDATED)?\)\s*$")
_CLAIM = re.compile(
    r"\b(?:accepted (?:at|by|to|in|for)|to appear (?:in|at)|published (?:in|at))\s+([^.;,(]{2,80})", re.I
)


def looks_like(text: str) -> bool:
    """Whether the root element is that of a feed."""
    return bool(_ROOT.match(text[:5000]))


def read(document: Document) -> Listing:
    """The papers of a feed; where it is cut, those before the cut. ListingError for entities and for arXiv's errors."""
    read = Read(document, FORMAT, problems=list(document.problems))
    lines = (
        [document.text.count("\n", 0, found.start()) + 1 for found in _ENTRY.finditer(document.text)]
        if document.text.count("<") < 2_000_000
        else []
    )
    listed = document.listed
    known: dict[str, int] = {}
    number = 0
    total = 0
    for element in _elements(read):
        name = _local(element)
        if name in ("pubDate", "lastBuildDate", "date"):
            listed = listed or _date(element.text or "")
        elif name == "totalResults":
            total = int(element.text or 0) if (element.text or "").strip().isdigit() else 0
        elif name in ("entry", "item"):
            number += 1
            line = lines[number - 1] if number <= len(lines) else 0
            _add(read, number, line, element, listed, known)
            element.clear()
    if total and not number:
        read.problem(f"it says {total:,} results and holds none: ask again")
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _elements(read: Read) -> Iterator[Element]:
    """The elements of the feed, each when it ends; a cut is reported."""
    from xml.etree.ElementTree import ParseError

    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", read.document.text, count=1)  # its charset is that of the bytes
    try:
        inside = 0
        for happens, element in iterparse(
            io.BytesIO(text.encode("utf-8", "replace")), events=("start", "end"), forbid_dtd=True
        ):
            entry = _local(element) in ("entry", "item")
            if happens == "start":
                inside += entry
                continue
            if not inside or entry:
                yield element
            inside -= entry
    except DefusedXmlException:
        raise ListingError(f"{read.document.name}: a feed with a document type or entities; refused") from None
    except ParseError as error:
        line = error.position[0]
        read.problem(f"damaged XML from here on ({str(error).partition(':')[0]})", line)


def _add(read: Read, number: int, line: int, element: Element, listed: str, known: dict[str, int]) -> None:
    values = [(_local(child), child) for child in element]
    texts = {name: (child.text or "").strip() for name, child in reversed(values)}
    identifier = texts.get("id") or texts.get("guid") or ""
    if texts.get("title") == "Error" and "/api/errors" in identifier:
        raise ListingError(
            f"{read.document.name}: arXiv answered with an error: {clean(texts.get('summary', ''))[:200]}"
        )
    atom = element.tag.startswith(_ATOM)
    address = link(texts.get("link", "")) if not atom else ""
    pdf = ""
    for name, child in values:
        if name == "link" and atom:
            if child.get("title") == "pdf" or child.get("type") == "application/pdf":
                pdf = link(child.get("href"))
            elif child.get("rel", "alternate") == "alternate":
                address = address or link(child.get("href"))
    title, abstract, announced, inner = (
        texts.get("title", ""),
        texts.get("summary", ""),
        texts.get("announce_type", ""),
        "",
    )
    if not atom:
        abstract, announced, inner = _description(texts, announced)
        if tail := _TITLE_TAIL.search(title):
            title, inner = title[: tail.start()].rstrip(". "), inner or tail[1]
    ids = ids_in(identifier.replace("oai:arXiv.org:", "arxiv:"), inner, address, texts.get("doi", ""))
    authors, complete = _authors(element, texts)
    areas = [
        child.get("term") or child.text or "" for name, child in values if name in ("primary_category", "category")
    ]
    comment = clean(texts.get("comment", "")[:2000])
    claim = _CLAIM.search(comment)
    dates = {
        "listed": listed,
        "published": day(texts.get("published", "")) or _date(texts.get("pubDate", "")),
        "updated": day(texts.get("updated", "")),
    }
    if arxiv := ids.get("arxiv"):
        address = address or f"https://arxiv.org/abs/{arxiv}"
        if arxiv in known:  # several categories joined give the same paper once per category
            paper = read.papers[known[arxiv]]
            more = tuple(pair for pair in _topics(areas) if pair not in paper.topics)
            read.papers[known[arxiv]] = type(paper)(**{**vars(paper), "topics": paper.topics + more})
            return
        known[arxiv] = len(read.papers)
    links = {
        "page": address,
        "pdf": pdf,
        "code": links_in(comment).get("code", "") or links_in(abstract).get("code", ""),
    }
    journal = clean(texts.get("journal_ref", "")[:500])
    withdrawn = "withdrawn" in comment.lower() and len(abstract) < 400
    is_arxiv = "arxiv" in ids
    extra = {"comment": comment, "announce_type": announced, "venue_claim": claim[1].strip() if claim else ""}
    read.add(
        number,
        title,
        abstract[: LONGEST_TEXT + 1],
        authors,
        complete,
        line,
        status="withdrawn" if withdrawn else "published" if journal else "preprint" if is_arxiv else "unknown",
        venue=journal,
        year=year(dates["published"][:4]) or year(dates["updated"][:4]),
        topics=_topics(areas),
        ids=ids,
        links={name: value for name, value in links.items() if value},
        dates={name: value for name, value in dates.items() if value},
        extra={name: value for name, value in extra.items() if value},
    )


def _description(texts: dict[str, str], announced: str) -> tuple[str, str, str]:
    """The abstract of an RSS item, its announce type, and the identifier before it."""
    told = texts.get("description") or texts.get("encoded") or ""
    told = html_text(told) if re.search(r"<(?:p|br|div|a)\b", told[:LONGEST_TEXT], re.I) else told
    prefix = _PREFIX.match(told)
    if not prefix:
        return told, announced, ""
    return told[prefix.end() :], announced or (prefix[2] or ""), prefix[1] or ""


def _authors(element: Element, texts: dict[str, str]) -> tuple[list[str], bool]:
    """Names, and whether the list is complete; old feeds put links around them."""
    names: list[str] = []
    for child in element:
        if _local(child) == "author":
            inner = next((one.text or "" for one in child if _local(one) == "name"), child.text or "")
            names += [inner.strip()] if inner.strip() else []
    creators = [child.text or "" for child in element if child.tag == f"{_DC}creator"]
    if names or not creators:
        return names, True
    if len(creators) > 1:
        return [creator.strip() for creator in creators if creator.strip()], True
    found, complete = split_authors(html_text(creators[0]) if "<" in creators[0] else creators[0])
    return list(found), complete


def _topics(areas: list[str]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for area in dict.fromkeys(area.strip() for area in areas if area.strip()):
        archive, _, sub = area.partition(".")
        pairs.append((archive, sub) if re.fullmatch(r"[a-z-]+\.[A-Za-z-]+", area) else (area, ""))
    return tuple(dict.fromkeys(pairs))


def _local(element: Element) -> str:
    """The tag without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _date(told: str) -> str:
    """An ISO date (UTC) out of a date of RSS ("Tue, 06 Jan 2026 00:00:00 -0500") or an ISO one."""
    try:
        found = email.utils.parsedate_to_datetime(told)
        return (found.astimezone(UTC) if found.tzinfo else found).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return day(told)
