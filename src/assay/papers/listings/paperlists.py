"""Public archives of paper lists: one JSON list (or JSON Lines) per venue and year.

| there | here |
| --- | --- |
| `id` where `site` is a forum, else `site`, `pdf` | `ids`, `links` |
| `title`, `abstract`, `keywords` (";") | the same |
| `author` (";"-joined) | `authors` |
| `primary_area` | `topics` |
| `status` (Poster, Oral, Reject, Withdraw, Desk Reject) | `status`, `decision` |
| `github`, `project` | `links.code`, `links.project` |
| `venue`, `year` | the same; "iclr2024" gives both |
| `tldr`, `track`, `award`, scores | `extra` |
"""

from __future__ import annotations

import re

from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, first, forum, ids_in, kept, link, status_of, text, texts, year

FORMAT = "paper list"
_USED = ("id", "title", "author", "abstract", "keywords", "primary_area", "status", "site", "pdf", "github", "project")
_VENUE = re.compile(r"([A-Za-z][A-Za-z .&-]*?)[\s_-]*((?:19|20)\d\d)$")


def looks_like(text_: str) -> bool:
    """Whether it is a list of objects with a title, one text of authors, and a status, site or track."""
    found = json_text.sample(text_, "papers")
    return bool(found) and all(
        "title" in entry
        and isinstance(entry.get("author", ""), str)
        and {"status", "track"} & entry.keys()
        and {"author", "site", "id"} & entry.keys()
        and "content" not in entry
        for entry in found
    )


def read(document: Document) -> Listing:
    """The papers of such a list; what is no object is a problem."""
    read = Read(document, FORMAT, problems=list(document.problems))
    named = venue_in(document.name)
    for number, line, entry in json_text.objects(read, "papers"):
        _add(read, number, line, entry, named)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _add(read: Read, number: int, line: int, entry: json_text.Entry, named: tuple[str, int | None]) -> None:
    site, pdf = link(entry.get("site")), link(entry.get("pdf"))
    ids = ids_in(site, pdf, link(entry.get("arxiv")), first(entry, "doi"))
    links: dict[str, str] = {
        "page": site,
        "pdf": pdf,
        "code": link(entry.get("github")),
        "project": link(entry.get("project")),
    }
    if "openreview.net" in site:
        more, pages = forum(text(entry.get("id")))
        ids, links = {**more, **ids}, {**pages, **{name: value for name, value in links.items() if value}}
    status, decision = status_of(first(entry, "status"))
    venue, when = venue_in(first(entry, "venue")) if first(entry, "venue") else named
    if status == "unknown" and venue:
        status = "published"  # a list of a conference's proceedings: "Long", "Findings", "Technical"
    used = (*_USED, "venue") if venue else _USED
    area = first(entry, "primary_area")
    read.add(
        number,
        first(entry, "title"),
        first(entry, "abstract"),
        texts(entry.get("author")),
        line=line,
        status=status,
        decision=decision,
        venue=f"{venue} {when}" if venue and when else venue,
        year=when or year(entry.get("year")),
        topics=((area, ""),) if area else (),
        keywords=texts(entry.get("keywords")),
        ids=ids,
        links={name: value for name, value in links.items() if value},
        extra=kept(entry, used),
    )


_NAMES = {"neurips": "NeurIPS", "nips": "NeurIPS", "corl": "CoRL", "eccv": "ECCV", "naacl": "NAACL", "emnlp": "EMNLP"}


def venue_in(name: str) -> tuple[str, int | None]:
    """Venue and year out of "iclr2017", "ICLR 2017" or "iclr2017.json"; a name without a year is a venue by itself."""
    stem = re.sub(r"\.(?:jsonl?|gz|csv|tsv|zip)\b", "", name.strip().rsplit("/", 1)[-1])
    found = _VENUE.fullmatch(stem)
    if not found:
        return ("", None) if "." in name or re.search(r"[\d_]", stem) else (stem, None)
    venue = found[1].strip()
    return _NAMES.get(venue.lower(), venue.upper() if venue.islower() and len(venue) < 9 else venue), int(found[2])
