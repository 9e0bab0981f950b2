"""Papers of Semantic Scholar's API: a search (`data`), a batch (a list, null for what is missing), or one paper.

| there | here |
| --- | --- |
| `paperId`, `corpusId`, `externalIds` | `ids`; arXiv's own DOI (10.48550) is the arXiv identifier |
| `title`, `abstract`, `year` | the same; the `tldr` never stands for an abstract |
| `authors[].name` | `authors` |
| `venue`, else `publicationVenue.name` or `journal.name` | `venue` |
| `publicationDate` | `dates.published` |
| `openAccessPdf.url`, `url` | `links` |
| `fieldsOfStudy`, `s2FieldsOfStudy[].category` | `topics` |
| `tldr`, `citationCount` | `extra` |
"""

from __future__ import annotations

from typing import Any

from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, day, first, ids_in, kept, link, text, whole

FORMAT = "Semantic Scholar"
_USED = (
    "paperId",
    "corpusId",
    "externalIds",
    "title",
    "abstract",
    "year",
    "authors",
    "venue",
    "publicationVenue",
    "publicationDate",
    "openAccessPdf",
    "url",
    "fieldsOfStudy",
    "s2FieldsOfStudy",
    "tldr",
    "journal",
)


def looks_like(text_: str) -> bool:
    """Whether its objects have `paperId`."""
    value = json_text.parse(text_).value
    if isinstance(value, dict) and "paperId" in value:
        return True
    found = json_text.sample(text_, "data", "recommendedPapers")
    return bool(found) and all("paperId" in entry for entry in found)


def read(document: Document) -> Listing:
    """The papers; a null of a batch is a problem, since something was asked for and not found."""
    read = Read(document, FORMAT, problems=list(document.problems))
    value = json_text.parse(document.text).value
    if isinstance(value, dict) and "paperId" in value:
        _add(read, 1, 0, value)
    for number, line, entry in json_text.objects(read, "data", "recommendedPapers"):
        _add(read, number, line, entry)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _add(read: Read, number: int, line: int, entry: json_text.Entry) -> None:
    other = _object(entry.get("externalIds"))
    ids = ids_in(first(other, "ArXiv"), first(other, "DOI"))
    for kind, name in (("acl", "ACL"), ("dblp", "DBLP")):
        if first(other, name):
            ids.setdefault(kind, first(other, name))
    if first(entry, "paperId"):
        ids["s2"] = first(entry, "paperId")
    if corpus := first(other, "CorpusId") or first(entry, "corpusId"):
        ids["corpus"] = corpus
    venue = (
        first(entry, "venue")
        or first(_object(entry.get("publicationVenue")), "name")
        or first(_object(entry.get("journal")), "name")
    )
    published = day(entry.get("publicationDate"))
    preprint = venue.lower().startswith("arxiv") or not venue
    areas = [text(area) for area in _list(entry.get("fieldsOfStudy"))]
    areas += [first(_object(area), "category") for area in _list(entry.get("s2FieldsOfStudy"))]
    authors = [_name(author) for author in _list(entry.get("authors"))]
    tldr = first(_object(entry.get("tldr")), "text")
    links = {"page": link(entry.get("url")), "pdf": link(_object(entry.get("openAccessPdf")).get("url"))}
    read.add(
        number,
        first(entry, "title"),
        first(entry, "abstract"),
        [name for name in authors if name],
        complete=all(authors),
        line=line,
        venue="" if preprint else venue,
        year=whole(entry.get("year")),
        status="published" if not preprint else "preprint" if "arxiv" in ids else "unknown",
        topics=tuple((area, "") for area in dict.fromkeys(areas) if area),
        ids=ids,
        links={name: value for name, value in links.items() if value},
        dates={"published": published} if published else {},
        extra=kept(entry, _USED) | ({"tldr": tldr} if tldr else {}),
    )


def _object(value: Any) -> json_text.Entry:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _name(author: Any) -> str:
    return text(author.get("name")) if isinstance(author, dict) else text(author)
