"""A paper's page saved from a browser: the tags that such pages carry for machines.

Google Scholar's `citation_*` (OpenReview, arXiv, ACL, PMLR, Springer...), Dublin Core's `DC.*`, and JSON-LD of
schema.org's ScholarlyArticle. A page without them is read as its text by the other readers.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from assay.papers.clean import clean
from assay.papers.listings import citation
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, first, text, texts

FORMAT = "web page"
_SIGN = re.compile(r"""citation_title|["']DC\.title["']|ScholarlyArticle""", re.IGNORECASE)
_MOST = 5_000_000
"""Characters of a page that are looked at."""


class _Tags(HTMLParser):
    """The meta tags and the JSON-LD of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.meta: dict[str, list[str]] = {}
        self.canonical = ""
        self.scripts: list[str] = []
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        if tag == "meta":
            name = (held.get("name") or held.get("property") or "").lower()
            if name and held.get("content", "").strip():
                self.meta.setdefault(name, []).append(held["content"].strip())
        elif tag == "link" and held.get("rel") == "canonical":
            self.canonical = held.get("href", "")
        elif tag == "script" and held.get("type") == "application/ld+json":
            self._in_script = True
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data


def looks_like(html: str) -> bool:
    """Whether a page names a paper for machines."""
    return bool(_SIGN.search(html[:_MOST]))


def read(document: Document) -> Listing | None:
    """The paper of a page; None where the tags name none."""
    tags = _Tags()
    tags.feed(document.text[:_MOST])
    tags.close()
    found = _citation(tags) or _dublin_core(tags) or _json_ld(tags)
    if found is None:
        return None
    read = Read(document, FORMAT, problems=list(document.problems))
    citation.add(read, 1, 1, document.text.count("\n") + 1, found)
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


def _citation(tags: _Tags) -> citation.Reference | None:
    def one(*names: str) -> str:
        return next((tags.meta[f"citation_{name}"][0] for name in names if f"citation_{name}" in tags.meta), "")

    if not one("title"):
        return None
    names = tags.meta.get("citation_author") or [
        name for told in tags.meta.get("citation_authors", []) for name in told.split(";")
    ]
    date = re.sub(r"[/.]", "-", one("publication_date", "online_date", "date", "year"))
    arxiv = one("arxiv_id")
    return citation.Reference(
        kind="preprint" if arxiv and not one("conference_title", "journal_title") else "",
        title=one("title"),
        authors=[citation.given_family(name) for name in names],
        abstract=one("abstract") or _described(tags),
        venue=clean(one("conference_title", "journal_title", "inbook_title", "conference")),
        year=date,
        date=date,
        keywords=texts("; ".join(tags.meta.get("citation_keywords", [])).replace(",", ";")),
        addresses=[
            tags.canonical,
            *tags.meta.get("og:url", []),
            one("abstract_html_url"),
            one("doi"),
            f"arxiv:{arxiv}" if arxiv else "",
            one("pdf_url") if "openreview.net" in one("pdf_url") else "",
        ],
        pdf=one("pdf_url"),
    )


def _described(tags: _Tags) -> str:
    """The description, where it is long enough to be an abstract."""
    told = next((tags.meta[name][0] for name in ("og:description", "description") if name in tags.meta), "")
    return told if len(told.split()) >= 40 else ""


def _dublin_core(tags: _Tags) -> citation.Reference | None:
    def one(name: str) -> str:
        return next((tags.meta[key][0] for key in (f"dc.{name}", f"dcterms.{name}") if key in tags.meta), "")

    if not one("title"):
        return None
    names = tags.meta.get("dc.creator") or tags.meta.get("dc.contributor") or []
    return citation.Reference(
        title=one("title"),
        authors=[citation.given_family(name) for name in names],
        abstract=one("abstract") or one("description"),
        venue=clean(one("source")),
        year=one("date"),
        date=one("date"),
        addresses=[one("identifier"), tags.canonical],
    )


def _json_ld(tags: _Tags) -> citation.Reference | None:
    for script in tags.scripts:
        try:
            value = json.loads(script)
        except (ValueError, RecursionError):
            continue
        graph = value.get("@graph", [value]) if isinstance(value, dict) else value
        for entry in graph if isinstance(graph, list) else []:
            if isinstance(entry, dict) and "ScholarlyArticle" in str(entry.get("@type", "")):
                return _article(entry)
    return None


def _article(entry: dict[str, Any]) -> citation.Reference:
    authors = entry.get("author")
    authors = authors if isinstance(authors, list) else [authors]
    names = [first(one, "name") if isinstance(one, dict) else text(one) for one in authors]
    whole = entry.get("isPartOf")
    date = first(entry, "datePublished", "dateCreated")
    return citation.Reference(
        title=first(entry, "headline", "name"),
        authors=[name for name in names if name],
        abstract=first(entry, "abstract", "description"),
        venue=clean(first(whole, "name")) if isinstance(whole, dict) else "",
        year=date,
        date=date[:10],
        keywords=texts(entry.get("keywords"), ","),
        addresses=[first(entry, "url", "@id"), first(entry, "sameAs")],
    )
