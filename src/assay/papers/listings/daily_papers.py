"""Hugging Face's daily papers: a list of objects, each with the paper's own inside.

| there (in `paper`) | here |
| --- | --- |
| `id` | `ids.arxiv` |
| `title`, `summary` | `title`, `abstract`; the outer ones only where these lack |
| `authors[].name`, but hidden ones | `authors` |
| `githubRepo`, `projectPage` | `links` |
| `submittedOnDailyAt` | `dates.listed` |
| `publishedAt` | `dates.published` |
| `upvotes`, `ai_summary`, `ai_keywords` (machine-written) | `extra` |
"""

from __future__ import annotations

from typing import Any

from assay.papers.listings import json_text
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, day, first, ids_in, kept, link, text

FORMAT = "daily papers"
_USED = ("id", "title", "summary", "authors", "githubRepo", "projectPage", "submittedOnDailyAt", "publishedAt")


def looks_like(text_: str) -> bool:
    """Whether it is a list of objects with `paper`, an object with `id`."""
    found = json_text.sample(text_)
    return bool(found) and all(isinstance(entry.get("paper"), dict) and "id" in entry["paper"] for entry in found)


def read(document: Document) -> Listing:
    """The papers of the list."""
    read = Read(document, FORMAT, problems=list(document.problems))
    for number, line, entry in json_text.objects(read):
        if isinstance(paper := entry.get("paper"), dict):
            _add(read, number, line, paper, entry)
        else:
            read.problem("no paper in this entry", line, number)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _add(read: Read, number: int, line: int, paper: json_text.Entry, entry: json_text.Entry) -> None:
    ids = ids_in(first(paper, "id"))
    if "arxiv" not in ids:
        read.problem(f"no arXiv identifier: {first(paper, 'id')[:60]!r}", line, number)
    page = {"page": f"https://arxiv.org/abs/{ids['arxiv']}"} if "arxiv" in ids else {}
    links = {"code": link(paper.get("githubRepo")), "project": link(paper.get("projectPage")), **page}
    dates = {
        "listed": day(paper.get("submittedOnDailyAt")),
        "published": day(paper.get("publishedAt")) or day(entry.get("publishedAt")),
    }
    authors = paper.get("authors") if isinstance(paper.get("authors"), list) else []
    names = [_name(author) for author in authors or [] if not (isinstance(author, dict) and author.get("hidden"))]
    read.add(
        number,
        first(paper, "title") or first(entry, "title"),
        first(paper, "summary") or first(entry, "summary"),
        [name for name in names if name],
        complete=all(names) and len(names) == len(authors or []),
        line=line,
        status="preprint",
        ids=ids,
        links={name: value for name, value in links.items() if value},
        dates={name: value for name, value in dates.items() if value},
        extra=kept(paper, _USED),
    )


def _name(author: Any) -> str:
    return text(author.get("name")) if isinstance(author, dict) else text(author)
