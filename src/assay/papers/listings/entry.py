"""What the readers share: an entry's raw texts become the fields of a Paper, with a stand-in where the title lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.papers.clean import LONGEST_TEXT, LONGEST_TITLE, clean, rejoin, split_authors, words_of
from assay.papers.listings.document import Document, ListingError
from assay.papers.paper import Paper, Problem

FORUM = re.compile(r"https?://(?:www\.)?openreview\.net/\S*?[?&]id=([A-Za-z0-9_-]{9,12})(?![A-Za-z0-9_-])")
"""A link to an OpenReview forum: identifiers are 9 to 12 characters, and their case counts."""


def forum_links(identifier: str) -> dict[str, str]:
    """The page and the PDF of an OpenReview forum."""
    site = "https://openreview.net"
    return {"page": f"{site}/forum?id={identifier}", "pdf": f"{site}/pdf?id={identifier}"}


def within(text: str, most: int, what: str) -> tuple[str, str]:
    """At most `most` characters of a text, and what to report where some were cut ("" for none)."""
    if len(text) <= most:
        return text, ""
    return text[:most] + "…", f"{what} of {len(text):,} characters: the first {most:,} are kept"


def clean_title(raw: str) -> tuple[str, str]:
    """A title as plain text, and what to report about it."""
    cut, problem = within(raw.strip(), LONGEST_TITLE, "title")
    return clean(cut), problem


def clean_authors(raw: str) -> tuple[tuple[str, ...], bool, str]:
    """The names of an author line, whether it is complete, and what to report about it."""
    cut, problem = within(raw.strip(), LONGEST_TEXT, "author line")
    names, complete = split_authors(cut)
    return names, complete and not problem, problem


def clean_abstract(raw: str) -> tuple[str, str, str]:
    """An abstract as plain text, the same as read, and what to report about it."""
    cut, problem = within(raw.strip(), LONGEST_TEXT, "abstract")
    return clean(cut), cut, problem


def join_broken_words(papers: Sequence[Paper]) -> list[Paper]:
    """Join words that a PDF broke ("com- mon") where the listing itself holds them whole."""
    if not any("- " in paper.abstract for paper in papers):
        return list(papers)
    words = words_of(text for paper in papers for text in (paper.title, paper.abstract))
    return [replace(paper, abstract=rejoin(paper.abstract, words)) for paper in papers]


def with_venue(papers: Sequence[Paper], document: Document) -> list[Paper]:
    """Set the venue the user gave where the listing names none; a year at its end counts too."""
    if not document.venue:
        return list(papers)
    year = re.search(r"(?:19|20)\d\d$", document.venue)
    return [
        paper
        if paper.venue
        else replace(paper, venue=document.venue, year=paper.year or (int(year[0]) if year else None))
        for paper in papers
    ]


MOST_ENTRIES = 250_000
"""Entries of one listing; more is refused. The largest that people have hold about half of that."""


def check_count(document: Document, count: int) -> None:
    """ListingError where a listing has too many entries."""
    if count > MOST_ENTRIES:
        raise ListingError(f"{document.name}: over {MOST_ENTRIES:,} entries; split it")


def report(document: Document, problems: list[Problem], *whats: str, line: int = 0, entry: int = 0) -> None:
    """Add a problem for each of `whats` that is not empty."""
    problems += [document.problem(what, line, entry) for what in whats if what]
