"""Papers as files of other tools: BibTeX, RIS, CSL-JSON, CSV, and the JSON Lines that keep every field.

What each holds, and gives back when Assay reads it: title, authors with whether they are complete, abstract as plain
text, venue, year, keywords, identifiers that an address can carry (openreview, arxiv, doi, acl) and the links page and
pdf. RIS and CSL-JSON keep neither suffixes after a comma in names of one word nor a venue that says preprint; JSON
Lines keep everything. A stand-in for a title is written in brackets, so that nobody cites it.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from assay.papers.listings.citation import family_given
from assay.papers.paper import Paper

_TEX = {letter: f"\\{letter}" for letter in "{}$&%#_"} | {letter: f"{{{letter}}}" for letter in "`'<>"}
_TEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_WORDS = "a an the on in of for and to with from by via towards toward is are how what when do does"
_SMALL = frozenset(_WORDS.split())
_COLUMNS = (
    "key",
    "title",
    "authors",
    "abstract",
    "venue",
    "year",
    "status",
    "decision",
    "keywords",
    "topics",
    "openreview",
    "arxiv",
    "doi",
    "url",
    "pdf",
    "code",
    "date",
)


def bibtex(papers: Iterable[Paper]) -> str:
    """BibTeX; each key is family name, year and first word of the title, with a letter where two would be the same."""
    entries = []
    papers = list(papers)
    for paper, key in zip(papers, citation_keys(papers), strict=True):
        fields = {
            "title": f"{{{_tex(_title(paper))}}}",
            "author": _tex_names(paper),
            "booktitle" if _is_conference(paper) else "journal": _tex(paper.venue),
            "year": str(paper.year or ""),
            "url": _address(paper),
            "doi": paper.ids.get("doi", ""),
            "eprint": paper.ids.get("arxiv", ""),
            "archiveprefix": "arXiv" if paper.ids.get("arxiv") else "",
            "pdf": paper.links.get("pdf", ""),
            "keywords": _tex("; ".join(paper.keywords)),
            "note": ", ".join(f"{name} Certification" for name in paper.certifications),
            "abstract": _tex(paper.abstract),
        }
        kind = "inproceedings" if _is_conference(paper) else "article" if paper.venue else "misc"
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        entries.append("\n".join([f"@{kind}{{{key},", *lines, "}"]))
    return "\n\n".join(entries) + ("\n" if entries else "")


def ris(papers: Iterable[Paper]) -> str:
    """RIS."""
    lines: list[str] = []
    for paper in papers:
        kind = "CPAPER" if _is_conference(paper) else "JOUR" if paper.venue else "GEN"
        arxiv = paper.ids.get("arxiv")
        tags: list[tuple[str, str]] = [("TY", kind), ("TI", _title(paper))]
        tags += [("AU", _reversed(name)) for name in paper.authors]
        tags += [("AU", "others")] if paper.authors and not paper.authors_complete else []
        tags += [("T2", paper.venue), ("PY", str(paper.year or "")), ("AB", paper.abstract)]
        tags += [("KW", keyword) for keyword in paper.keywords]
        tags += [("DO", paper.ids.get("doi", "")), ("UR", _address(paper))]
        tags += [("UR", f"https://arxiv.org/abs/{arxiv}")] if arxiv and arxiv not in _address(paper) else []
        tags += [("L1", paper.links.get("pdf", ""))]
        lines += [f"{tag}  - {_one_line(value)}" for tag, value in tags if value]
        lines += ["ER  - ", ""]
    return "\n".join(lines)


def csl_json(papers: Iterable[Paper]) -> str:
    """CSL-JSON, for Zotero and pandoc."""
    papers = list(papers)
    return _json([_csl(paper, key) for paper, key in zip(papers, citation_keys(papers), strict=True)])


def csv_table(papers: Iterable[Paper]) -> str:
    """CSV, one row a paper; several values in a cell are separated by "; ". A cell never begins a formula."""
    held = io.StringIO()
    writer = csv.writer(held, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for paper in papers:
        authors = [*paper.authors, *(["et al."] if paper.authors and not paper.authors_complete else [])]
        row = {
            "key": paper.key,
            "title": _title(paper),
            "authors": "; ".join(authors),
            "abstract": paper.abstract,
            "venue": paper.venue,
            "year": str(paper.year or ""),
            "status": paper.status if paper.status != "unknown" else "",
            "decision": paper.decision,
            "keywords": "; ".join(paper.keywords),
            "topics": "; ".join(f"{area} · {sub}" if sub else area for area, sub in paper.topics),
            "url": _address(paper),
            "pdf": paper.links.get("pdf", ""),
            "code": paper.links.get("code", ""),
            "date": paper.date,
        } | {kind: paper.ids.get(kind, "") for kind in ("openreview", "arxiv", "doi")}
        writer.writerow([_no_formula(row[name]) for name in _COLUMNS])
    return held.getvalue()


def json_lines(papers: Iterable[Paper]) -> str:
    """One JSON object a line with every field; reading it back gives the same papers."""
    return "".join(json.dumps(paper.to_dict(), ensure_ascii=False) + "\n" for paper in papers)


FORMATS: dict[str, Callable[[Iterable[Paper]], str]] = {
    "bibtex": bibtex,
    "ris": ris,
    "csl-json": csl_json,
    "csv": csv_table,
    "jsonl": json_lines,
}
"""By the name that `--as` takes."""


def citation_keys(papers: Sequence[Paper]) -> list[str]:
    """A key for each paper: "one2026sums"; the second one of the same is "one2026sumsb"."""
    found: list[str] = []
    taken: set[str] = set()
    for paper in papers:
        name = _ascii(family_given(paper.authors[0])[0]) if paper.authors else ""
        words = [word for word in map(_ascii, paper.title.split()) if word and word not in _SMALL]
        base = f"{name or 'anonymous'}{paper.year or ''}{words[0] if words else ''}"
        key, count = base, 1
        while key in taken:
            count += 1
            key = base + (chr(96 + count) if count < 27 else f"-{count}")
        taken.add(key)
        found.append(key)
    return found


def _csl(paper: Paper, key: str) -> dict[str, Any]:
    arxiv = paper.ids.get("arxiv")
    authors: list[dict[str, str]] = []
    for name in paper.authors:
        family, given, suffix = family_given(name)
        parts = {"family": family, "given": given, "suffix": suffix} if given else {"literal": name}
        authors.append({part: value for part, value in parts.items() if value})
    authors += [{"literal": "others"}] if paper.authors and not paper.authors_complete else []
    found = {
        "id": key,
        "type": "paper-conference" if _is_conference(paper) else "article-journal" if paper.venue else "article",
        "title": _title(paper),
        "author": authors,
        "issued": {"date-parts": [[paper.year]]} if paper.year else None,
        "container-title": paper.venue,
        "abstract": paper.abstract,
        "keyword": ", ".join(paper.keywords),
        "DOI": paper.ids.get("doi"),
        "URL": _address(paper),
        "number": f"arXiv:{arxiv}" if arxiv else None,
    }
    return {name: value for name, value in found.items() if value}


def _title(paper: Paper) -> str:
    return paper.title if paper.has_title else f"[{paper.title}]"


def _address(paper: Paper) -> str:
    if page := paper.links.get("page"):
        return page
    site = {
        "openreview": "https://openreview.net/forum?id=",
        "arxiv": "https://arxiv.org/abs/",
        "acl": "https://aclanthology.org/",
    }
    return next((f"{start}{paper.ids[kind]}" for kind, start in site.items() if paper.ids.get(kind)), "")


def _is_conference(paper: Paper) -> bool:
    return bool(re.search(r"(?:19|20)\d\d$", paper.venue)) or (paper.status == "accepted" and paper.venue != "TMLR")


def _tex(text: str) -> str:
    """Plain text as TeX that flattens to it again; "--" is broken up, since TeX makes a dash of it."""
    return "".join(_TEX.get(letter, letter) for letter in _one_line(text)).replace("--", "-{}-")


def _tex_names(paper: Paper) -> str:
    names = []
    for name in paper.authors:
        family, given, suffix = family_given(name)
        plain = re.search(r"\band\b|,", f"{family} {given}") is None and family and given
        written = ", ".join(_tex(part) for part in (family, suffix, given) if part) if plain else f"{{{_tex(name)}}}"
        names.append(written)
    return " and ".join([*names, *(["others"] if names and not paper.authors_complete else [])])


def _reversed(name: str) -> str:
    family, given, suffix = family_given(name)
    return ", ".join(part for part in (family, suffix, given) if part) if given else name


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _no_formula(cell: str) -> str:
    """A spreadsheet takes a cell that begins so for a formula."""
    return f" {cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _ascii(word: str) -> str:
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]", "", plain.lower())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"
