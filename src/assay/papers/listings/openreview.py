"""Notes of the OpenReview API, as saved by a client: version 2 (`{"value": x}`) and version 1 (bare values).

| there | here |
| --- | --- |
| `forum` or `id` | `ids.openreview`, `links.page` |
| `title`, `abstract`, `keywords` | the same |
| `authors`: names, or objects with `fullname`; none under blind review | `authors` |
| `primary_area` or `subject_areas` | `topics` |
| `venue` ("ICLR 2026 Poster", "Submitted to TMLR"), tail of `venueid` | `venue`, `year`, `status`, `decision` |
| `certifications` | `certifications` |
| `pdate`, `odate` or `cdate`; `mdate` | `dates.published`; `dates.updated` |
| `pdf`, `code`, `supplementary_material` | `links` |
| `TLDR`, `number` | `extra` |
"""

from __future__ import annotations

import re
from typing import Any

from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, day, forum, kept, link, status_of, text, texts, whole, year
from assay.papers.paper import Status

FORMAT = "OpenReview notes"
_SITE = "https://openreview.net"
_USED = (
    "title",
    "abstract",
    "keywords",
    "authors",
    "authorids",
    "primary_area",
    "subject_areas",
    "venue",
    "venueid",
    "certifications",
    "pdf",
    "code",
    "_bibtex",
    "paperhash",
    "readers",
)
_TAIL = {"withdrawn": "withdrawn", "desk_rejected": "desk reject", "rejected": "rejected"}


def looks_like(text_: str) -> bool:
    """Whether it holds notes: objects with `content`, and an `id` or `forum`."""
    value = json_text.parse(text_).value
    if isinstance(value, dict) and isinstance(value.get("notes"), list):
        return True
    found = json_text.sample(text_)
    return bool(found) and all(
        isinstance(note.get("content"), dict) and {"id", "forum"} & note.keys() for note in found
    )


def read(document: Document) -> Listing:
    """The papers among the notes; reviews and comments are no papers and left out."""
    read = Read(document, FORMAT, problems=list(document.problems))
    replies = found = 0
    for number, line, note in json_text.objects(read, "notes"):
        found = number
        if not isinstance(note.get("content"), dict):
            read.problem("no note: it has no content", line, number)
        elif note.get("replyto") or (note.get("forum") and note.get("id") and note["forum"] != note["id"]):
            replies += 1
        else:
            _add(read, number, line, note)
    value = json_text.parse(document.text).value
    count = value.get("count") if isinstance(value, dict) else None
    if isinstance(count, int) and count > found:
        read.problem(f"it says {count:,} notes and holds {found:,}: ask for the rest and read them too")
    if not read.papers:
        read.problem(f"no paper among {found} notes" + (f" ({replies} reviews and comments)" if replies else ""))
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _add(read: Read, number: int, line: int, note: json_text.Entry) -> None:
    content = {name: _bare(value) for name, value in note["content"].items()}
    identifier = text(note.get("forum")) or text(note.get("id"))
    ids, links = forum(identifier)
    if not ids:
        read.problem(f"no identifier of a forum: {identifier[:60]!r}", line, number)
    for name in ("pdf", "code", "video", "supplementary_material"):
        if address := link(content.get(name), _SITE):
            links[{"supplementary_material": "supplement"}.get(name, name)] = address
    venue, when, status, decision = _venue(text(content.get("venue")), text(content.get("venueid")))
    area = text(content.get("primary_area")) or ", ".join(texts(content.get("subject_areas"), ","))
    published = next((found for name in ("pdate", "odate", "cdate", "tcdate") if (found := day(note.get(name)))), "")
    dates = {"published": published, "updated": day(note.get("mdate"))}
    authors, odd = _authors(content.get("authors"))
    if odd:
        read.problem(f"{odd} authors without a name", line, number)
    read.add(
        number,
        text(content.get("title")),
        text(content.get("abstract")),
        authors,
        complete=not odd,
        line=line,
        status=status,
        decision=decision,
        venue=venue,
        year=when or (year(published[:4]) if venue else None),
        certifications=tuple(
            name.removesuffix("Certification").strip() for name in texts(content.get("certifications"), ",")
        ),
        topics=((area, ""),) if area else (),
        keywords=texts(content.get("keywords"), ","),
        ids=ids,
        links=links,
        dates={name: value for name, value in dates.items() if value},
        extra=kept(content, _USED) | ({"number": whole(note.get("number"))} if whole(note.get("number")) else {}),
    )


def _bare(value: Any) -> Any:
    """The value of a field: version 2 wraps it."""
    return value.get("value") if isinstance(value, dict) and "value" in value else value


def _authors(value: Any) -> tuple[list[str], int]:
    """Names out of any of the three shapes, and how many authors had none."""
    found: list[str] = []
    odd = 0
    for author in value if isinstance(value, list) else texts(value, ","):
        name = text(author) or (
            text(author.get("fullname")) or text(author.get("name")) if isinstance(author, dict) else ""
        )
        found += [name] if name else []
        odd += not name
    return found, odd


def _venue(venue: str, venueid: str) -> tuple[str, int | None, Status, str]:
    """Venue, year, status and decision: "Submitted to ICLR 2026", "Accepted by TMLR", "ICLR 2026 Poster"."""
    parts = venueid.split("/")
    tail = parts[-1].lower()
    told = next((word for end, word in _TAIL.items() if end in tail), "")
    if not venue:
        name = next((part for part in parts if part and "." not in part and not part.isdigit()), "")
        when = year(venueid)
        status, decision = status_of(told or ("submitted" if tail == "submission" else ""))
        return f"{name} {when}" if name and when else name, when, status, decision
    low = venue.lower()
    name = re.sub(
        r"^(?:submitted to|accepted by|accepted to|withdrawn from|under review (?:for|at))\s+", "", venue, flags=re.I
    )
    found = re.match(r"(.*?\b(?:19|20)\d\d)\b\s*(.*)$", name)
    name, rest = (found[1], found[2]) if found else (name, "")
    if re.fullmatch(r"(?:Conference|Workshop)\b.*|", rest):
        name, rest = f"{name} {rest}".strip(), ""
    if told:
        status, decision = status_of(told)
    elif low.startswith(("submitted", "under review")):
        status, decision = status_of("submitted")
    elif low.startswith("withdrawn"):
        status, decision = status_of("withdrawn")
    elif low.startswith("accepted") or not rest:
        status, decision = status_of("accepted")
    else:
        status, decision = status_of(rest)
        if status == "unknown":
            status, decision = "accepted", rest.lower()
    return name.strip(), year(name), status, decision
