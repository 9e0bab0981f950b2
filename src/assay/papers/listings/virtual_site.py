"""Events of the virtual sites of ICLR, NeurIPS and ICML: `<conf>-<year>-orals-posters.json`, its side file of abstracts
`<conf>-<year>-abstracts.json` (an object from event to abstract), and the site's own download of events.

| there | here |
| --- | --- |
| `id` | `ids.virtual`, with conference and year: "iclr2026/1234" |
| `name` | `title` |
| `authors[].fullname`, or `speakers/authors` in one text | `authors` |
| `topic` at "->" | `topics` |
| `decision`, `event_type`, `eventtype` | `status`, and the highest of oral, spotlight, poster as `decision` |
| `paper_url` | `ids.openreview`, `links.page` |
| `paper_pdf_url`, `eventmedia` | `links` |
| `sourceurl`, file name | `venue`, `year` |

An oral and its poster are one paper: they name each other in `related_events_ids`, or have the same title and authors.
Times and rooms are not kept, since they disagree with the calendar.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from assay.papers.clean import normal
from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import clean_abstract, with_venue
from assay.papers.listings.fields import Read, first, ids_in, link, status_of, text, texts, year
from assay.papers.paper import Paper, Problem, Status

FORMAT = "virtual site"
ABSTRACTS = "virtual site abstracts"
_RANK = ("oral", "spotlight", "poster", "")
_NO_PAPER = ("workshop", "tutorial", "invited", "talk", "social", "expo", "session", "break", "competition", "affinity")
_NAMES = {"iclr": "ICLR", "neurips": "NeurIPS", "nips": "NeurIPS", "icml": "ICML", "cvpr": "CVPR", "mlsys": "MLSys"}
_CONFERENCE = re.compile(r"\b(iclr|neurips|nips|icml|cvpr|mlsys)\b", re.IGNORECASE)


_BARE = "no abstracts in this file: read it together with its ...-abstracts.json"
_ALONE = "abstracts without their events: read them together with their ...-orals-posters.json"


def looks_like(text_: str) -> bool:
    """Whether it holds events: with `virtualsite_url`, or with `eventtype` and authors."""
    found = json_text.sample(text_, "results")
    return bool(found) and all(
        "virtualsite_url" in entry or ("eventtype" in entry and "authors" in entry) for entry in found
    )


def looks_like_abstracts(text_: str) -> bool:
    """Whether it is the side file: one object from numbers to texts."""
    value = json_text.parse(text_).value
    return (
        isinstance(value, dict)
        and bool(value)
        and all(name.isdigit() and (held is None or isinstance(held, str)) for name, held in value.items())
    )


def read(document: Document) -> Listing:
    """The papers among the events; other events, and fewer events than announced, are reported by their number."""
    read = Read(document, FORMAT, problems=list(document.problems))
    value = json_text.parse(document.text).value
    conference, when = _where(document.name)
    others: Counter[str] = Counter()
    same: dict[str, int] = {}  # where the paper of an event, or of a title with authors, stands
    rows = 0
    for number, line, event in json_text.objects(read, "results"):
        rows = number
        kind = first(event, "eventtype", "type", "event_type")
        people = _people(event)
        if any(word in kind.lower() for word in _NO_PAPER) or (not people and not first(event, "abstract")):
            others[kind or "no type"] += 1
            continue
        _add(read, number, line, event, people, conference, when, same)
    if others:
        told = ", ".join(f"{count} {kind}" for kind, count in others.most_common(5))
        read.problem(f"{others.total()} events are no papers: {told}")
    count = value.get("count") if isinstance(value, dict) else None
    if isinstance(count, int) and not isinstance(count, bool) and count > rows:
        read.problem(f"it says {count:,} events and holds {rows:,}: the download was cut")
    bare = sum(not paper.abstract for paper in read.papers)
    if bare and bare == len(read.papers):
        read.problem(_BARE)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def read_abstracts(document: Document) -> Listing:
    """Papers that are only an event and its abstract: `join_abstracts` gives them to the papers of the events."""
    read = Read(document, ABSTRACTS, problems=list(document.problems))
    conference, when = _where(document.name)
    if not conference:
        read.problem("the file's name does not say which conference and year the numbers belong to")
    value = json_text.parse(document.text).value
    for number, (event, abstract) in enumerate(value.items() if isinstance(value, dict) else (), 1):
        if text(abstract):
            read.add(number, f"Event {event}", abstract, (), False, ids={"virtual": _event(conference, when, event)})
    read.papers = [replace(paper, title_source="lead") for paper in read.papers]
    return Listing(read.papers, read.problems, {document.name: ABSTRACTS})


def join_abstracts(found: Listing) -> Listing:
    """A listing in which each paper of a side file has gone to the paper of its event, where both were read.

    Abstracts without their event stay as papers without a title, and are reported once per file.
    """
    sides = {file for file, format in found.formats.items() if format == ABSTRACTS}
    if not sides:
        return found
    events = {
        paper.ids["virtual"]: paper for paper in found.papers if _file(paper) not in sides and "virtual" in paper.ids
    }
    abstracts = {paper.ids["virtual"]: paper for paper in found.papers if _file(paper) in sides}
    papers: list[Paper] = []
    lost: Counter[str] = Counter()
    for paper in found.papers:
        if _file(paper) in sides:
            if paper.ids["virtual"] not in events:
                lost[_file(paper)] += 1
                papers.append(paper)
            continue
        side = next((abstracts[event] for event in _events(paper) if event in abstracts), None)
        papers.append(
            replace(paper, abstract=side.abstract, abstract_raw=side.abstract_raw, sources=paper.sources + side.sources)
            if side and not paper.abstract
            else paper
        )
    told = [one for one in found.problems if not one.what.endswith(_ALONE) and (lost or one.what != _BARE)]
    joined = Listing(papers, told, found.formats)
    for file, count in lost.items():
        joined.problems.append(Problem(f"{count} {_ALONE}", file=file))
    return joined


def _file(paper: Paper) -> str:
    return paper.sources[0].file


def _events(paper: Paper) -> list[str]:
    return [paper.ids["virtual"], *paper.extra.get("events", ())] if "virtual" in paper.ids else []


def _add(
    read: Read,
    number: int,
    line: int,
    event: json_text.Entry,
    people: list[str],
    conference: str,
    when: int | None,
    same: dict[str, int],
) -> None:
    venue, held = _where(first(event, "sourceurl"))
    venue, held = (venue or conference), (held or when)
    status, decision = _decision(event)
    area, _, sub = first(event, "topic").replace(" · ", "->").partition("->")
    page = link(event.get("paper_url")) or link(
        event.get("sourceurl") if "forum?id=" in first(event, "sourceurl") else ""
    )
    links = {"page": page, "pdf": link(event.get("paper_pdf_url"))}
    media = event.get("eventmedia")
    for item in media if isinstance(media, list) else ():
        if isinstance(item, dict) and (address := link(item.get("uri"))):
            name = first(item, "name").lower()
            links.setdefault("code" if "code" in name else "pdf" if "pdf" in name or "paper" in name else "", address)
    identifier = first(event, "id") or first(event, "uid")
    virtual = _event(venue, held, identifier) if identifier else ""
    site = link(event.get("virtualsite_url"), _site(venue))
    ids = ids_in(page) | ({"virtual": virtual} if virtual else {})
    related = event.get("related_events_ids")
    others = [_event(venue, held, text(one)) for one in related if text(one)] if isinstance(related, list) else []
    name = f"{normal(first(event, 'name'))} {' '.join(map(normal, people))}"
    at = next((same[one] for one in (virtual, *others, name) if one and one in same), None)
    if at is not None:
        _merge(read, at, status, decision, ids, links, first(event, "abstract"))
    else:
        at = len(read.papers)
        read.add(
            number,
            first(event, "name"),
            first(event, "abstract"),
            people,
            line=line,
            status=status,
            decision=decision,
            venue=f"{venue} {held}" if venue and held else venue,
            year=held,
            topics=((area.strip(), sub.strip()),) if area.strip() else (),
            keywords=texts(event.get("keywords"), ","),
            ids=ids,
            links={key: value for key, value in links.items() if key and value} or ({"page": site} if site else {}),
            extra={"events": others} if others else {},
        )
    same |= {one: at for one in (virtual, name) if one}


def _merge(
    read: Read, at: int, status: Status, decision: str, ids: dict[str, str], links: dict[str, str], abstract: str
) -> None:
    """The second event of a paper: what it knows more, and the higher of the two decisions."""
    paper = read.papers[at]
    events = {*paper.extra.get("events", ()), *([ids["virtual"]] if "virtual" in ids else [])} - {
        paper.ids.get("virtual")
    }
    higher = _RANK.index(decision) < _RANK.index(paper.decision) if {decision, paper.decision} <= set(_RANK) else False
    plain, raw, _ = clean_abstract(abstract)
    read.papers[at] = replace(
        paper,
        status=status if higher and status == "accepted" else paper.status,
        decision=decision if higher else paper.decision,
        ids={**ids, **paper.ids},
        links={**{name: value for name, value in links.items() if name and value}, **paper.links},
        abstract=paper.abstract or plain,
        abstract_raw=paper.abstract_raw or raw,
        extra={**paper.extra, "events": sorted(events)},
    )


def _decision(event: json_text.Entry) -> tuple[Status, str]:
    """Status and decision: a poster or oral is accepted unless it is said to be rejected."""
    told = first(event, "decision")
    status, _ = status_of(told) if told else ("accepted", "")
    if status in ("rejected", "withdrawn"):
        return status, ""
    low = " ".join((told, first(event, "event_type"), first(event, "eventtype"), first(event, "type"))).lower()
    return "accepted", next((word for word in _RANK if word in low), "")


def _people(event: json_text.Entry) -> list[str]:
    authors = event.get("authors")
    if isinstance(authors, list):
        names = [first(author, "fullname", "name") if isinstance(author, dict) else text(author) for author in authors]
        return [name for name in names if name]
    return list(texts(event.get("speakers/authors") or authors, ","))


def _where(told: str) -> tuple[str, int | None]:
    """Conference and year out of "https://openreview.net/group?id=ICLR.cc/2026/Conference" or a file's name."""
    name = _CONFERENCE.search(re.sub(r"[._/-]", " ", told))
    return (_NAMES[name[1].lower()] if name else ""), year(told)


def _site(venue: str) -> str:
    return f"https://{venue.lower()}.cc" if venue else ""


def _event(venue: str, when: int | None, identifier: str) -> str:
    return f"{venue.lower()}{when or ''}/{identifier}"
