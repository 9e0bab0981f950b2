"""Tables of papers with obvious columns: CSV, TSV, and JSON objects; and the JSON Lines that Assay itself writes.

Columns are found by their names, whatever their case and separators: title; abstract or summary; authors or author;
year; venue, journal, booktitle or conference; url or link; doi; arxiv; keywords or tags; status; date; code or github;
pdf; topic or area; id. What no column is for goes to `extra`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from assay.papers.clean import split_authors
from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import clean_abstract, with_venue
from assay.papers.listings.fields import Read, day, forum, ids_in, kept, link, status_of, text, texts, year
from assay.papers.paper import ID_KINDS, Paper

FORMAT = "table"
_COLUMNS = {
    "title": ("title", "papertitle", "name"),
    "abstract": ("abstract", "summary", "description"),
    "authors": ("authors", "author", "authornames", "creators"),
    "year": ("year", "publicationyear", "pubyear"),
    "venue": ("venue", "journal", "booktitle", "conference", "publicationtitle", "source", "sourcetitle"),
    "url": ("url", "link", "links", "page", "site"),
    "doi": ("doi",),
    "arxiv": ("arxiv", "arxivid", "eprint"),
    "keywords": ("keywords", "tags", "keyword", "authorkeywords"),
    "status": ("status", "decision"),
    "date": ("date", "published", "publicationdate", "dateadded"),
    "code": ("code", "github", "repository", "repo"),
    "pdf": ("pdf", "pdfurl"),
    "topic": ("topic", "topics", "area", "primaryarea", "subject"),
    "id": ("id", "forum", "openreview", "key"),
}
_LONGEST_CELL = 2_000_000
_KEPT = ("status", "decision", "certifications", "venue", "year", "topics", "keywords", "dates", "extra", "history")


def looks_like(text_: str) -> bool:
    """Whether it is JSON objects or delimited lines with a column for titles or abstracts, and another column known."""
    if json_text.looks_like(text_):
        value = json_text.parse(text_).value
        found = [value] if isinstance(value, dict) and "title" in value else json_text.sample(text_, "papers", "items")
        return bool(found) and all(_known(entry) for entry in found)
    head = text_.lstrip("\n").split("\n", 1)[0]
    return _known(dict.fromkeys(_cells(head, _delimiter(head)), "")) if len(head) < 5000 else False


def read(document: Document) -> Listing:
    """The papers of a table, a row each; a row with more or fewer cells than the head is read and reported."""
    read = Read(document, FORMAT, problems=list(document.problems))
    if json_text.looks_like(document.text):
        value = json_text.parse(document.text).value
        if isinstance(value, dict) and "title" in value:
            _add(read, 1, 1, 1, value)
        for number, line, entry in json_text.objects(read, "papers", "items"):
            _add(read, number, line, line, entry)
    else:
        for number, line, last, row in _rows(read):
            _add(read, number, line, last, row)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _known(entry: Mapping[str, Any]) -> bool:
    names = _named(entry)
    return bool({"title", "abstract"} & names.keys()) and len(names) > 1


def _named(entry: Mapping[str, Any]) -> dict[str, str]:
    """The columns that are known: our name, and theirs."""
    there = {re.sub(r"[\W_]+", "", name.casefold()): name for name in reversed(list(entry)) if isinstance(name, str)}
    return {
        ours: next(there[name] for name in names if name in there)
        for ours, names in _COLUMNS.items()
        if any(name in there for name in names)
    }


def _delimiter(head: str) -> str:
    return max("\t;,|", key=lambda mark: (head.count(mark), mark == ","))


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=False), [])
    except csv.Error:
        return []


def _rows(read: Read) -> Iterator[tuple[int, int, int, dict[str, Any]]]:
    """Number, first and last line, and cells by column of each row."""
    text_ = read.document.text
    lead = len(text_) - len(text_.lstrip("\n"))
    csv.field_size_limit(_LONGEST_CELL)
    lines = csv.reader(io.StringIO(text_.lstrip("\n")), delimiter=_delimiter(text_.lstrip("\n").split("\n", 1)[0]))
    try:
        head = [name.strip() for name in next(lines, [])]
    except csv.Error as error:
        read.problem(f"the head is no row of names ({error})", lead + 1)
        return
    number = 0
    while True:
        first_line = lead + lines.line_num + 1
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            read.problem(f"not a row ({error})", first_line)
            continue
        if not any(cell.strip() for cell in cells):
            continue
        number += 1
        if len(cells) != len(head):
            read.problem(f"{len(cells)} cells where the head has {len(head)}", first_line, number)
        more = {f"column {at + 1}": cell for at, cell in enumerate(cells) if at >= len(head)}
        yield number, first_line, lead + lines.line_num, dict(zip(head, cells, strict=False)) | more


def _add(read: Read, number: int, line: int, last_line: int, entry: Mapping[str, Any]) -> None:
    if _ours(read, number, line, entry):
        return
    names = _named(entry)

    def cell(name: str) -> str:
        return text(entry.get(names.get(name, "")))

    given = entry.get(names.get("authors", ""))
    complete = True
    if isinstance(given, list):
        authors = [text(one) or (text(one.get("name")) if isinstance(one, dict) else "") for one in given]
    else:
        authors, complete = _authors(text(given))
    page = link(cell("url"))
    ids = ids_in(page, cell("doi"), f"arxiv:{cell('arxiv')}" if cell("arxiv") else "", link(cell("pdf")))
    more, links = forum(cell("id")) if "openreview.net" in page or not ids else ({}, {})
    if not re.search(r"[A-Z].*[a-z]|[a-z].*[A-Z]", cell("id")):
        more, links = {}, {}  # a number or a word is no identifier of a forum
    status, decision = status_of(cell("status")) if cell("status") else ("unknown", "")
    links = {
        **links,
        **{name: link(value) for name, value in (("page", page), ("pdf", cell("pdf")), ("code", cell("code")))},
    }
    topics = tuple((area, "") for area in texts(entry.get(names.get("topic", "")), ";"))
    kind = "keywords"
    read.add(
        number,
        cell("title"),
        cell("abstract"),
        [name for name in authors if name],
        complete,
        line,
        last_line,
        status=status,
        decision=decision,
        venue=cell("venue")[:300],
        year=year(cell("year")) or year(cell("date")),
        topics=topics,
        keywords=texts(entry.get(names.get(kind, "")), ";" if ";" in cell(kind) else ","),
        ids={**more, **ids},
        links={name: value for name, value in links.items() if value},
        dates={"published": day(cell("date"))} if day(cell("date")) else {},
        extra=kept(entry, list(names.values())),
    )


def _authors(told: str) -> tuple[list[str], bool]:
    """Names out of one cell, cut at ";", else at " and ", else at commas."""
    if ";" in told:
        names = [piece.strip() for piece in told.split(";")]
        cut = names[-1].lower() in ("et al.", "et al", "others", "and others", "...", "等")
        return names[:-1] if cut else names, not cut
    if " and " in told and "," not in told.replace(", and ", " and "):
        return re.split(r",? and ", told), True
    found, complete = split_authors(told.replace(", and ", ", ").replace(" and ", ", "))
    return list(found), complete


def _ours(read: Read, number: int, line: int, entry: Mapping[str, Any]) -> bool:
    """Add a paper that Assay wrote, if it is one: it says whether its authors are complete."""
    ids = entry.get("ids")
    if "authors_complete" not in entry:
        return False
    if ids is not None and not (isinstance(ids, dict) and set(ids) <= {*ID_KINDS, "arxiv_version"}):
        read.problem("looks like a paper that Assay wrote, but its ids are none", line, number)
        return False
    try:
        own = Paper.from_dict(entry)
    except ValueError as error:
        read.problem(f"looks like a paper that Assay wrote, but: {error}", line, number)
        return False
    paper = read.add(
        number,
        own.title,
        own.abstract_raw,
        own.authors,
        line=line,
        **{name: getattr(own, name) for name in _KEPT},
        ids={kind: text(value)[:300] for kind, value in own.ids.items()},
        links={name: link(value) for name, value in own.links.items() if link(value)},
    )
    read.papers[-1] = replace(
        paper,
        title_source=own.title_source,
        authors_complete=own.authors_complete,
        abstract=clean_abstract(own.abstract)[0],
    )
    return True
