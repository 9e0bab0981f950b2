"""BibTeX, through bibtexparser, which reads on after a block that is broken.

| there | here |
| --- | --- |
| `title`, `abstract`, `keywords`, `year` | the same, TeX flattened |
| `author` ("A and B and others", "Family, Given") | `authors`, "Given Family" |
| `booktitle`, `journal`, `series` | `venue` |
| `url`, `doi`, `eprint` with `archiveprefix`; entry key of PMLR and the ACL Anthology | `ids`, `links` |
| `pdf` | `links.pdf` |
| `note` ("J2C Certification" in TMLR's) | `certifications`, else `extra` |

Broken blocks, doubled keys and fields are read all the same, and reported.
"""

from __future__ import annotations

import logging
import re
from typing import Any

from assay.papers.clean import clean
from assay.papers.listings import citation
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import with_venue
from assay.papers.listings.fields import Read, texts

FORMAT = "BibTeX"
_BEGINS = re.compile(r"^[ \t]*@[A-Za-z]+\s*[{(]", re.MULTILINE)
_PMLR = re.compile(r"pmlr-v(\d+)-(\S+)$")
_NO_PAPERS = ("comment", "string", "preamble")
_KEPT = ("volume", "number", "pages", "publisher", "editor", "organization", "school", "month", "primaryclass")
_FIELD = re.compile(r"\b(title|author|abstract|booktitle|journal|year|url|doi|eprint|keywords)\s*=\s*([{\"]?)", re.I)

_LOST = re.compile(r"@|\w\s*=\s*[{\"]|^\s*\}", re.MULTILINE)
"""What a remark between entries hardly holds, and a damaged entry does."""


def looks_like(text: str) -> bool:
    """Whether a line begins an entry of BibTeX near the start of a text."""
    return bool(_BEGINS.search(text[:20_000]))


def read(document: Document) -> Listing:
    """The entries of a file; @string is applied, @comment and @preamble are left out."""
    from bibtexparser import model
    from bibtexparser.entrypoint import parse_string

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # it warns of every broken block; we report them
    read = Read(document, FORMAT, problems=list(document.problems))
    number = 0
    for block in parse_string(document.text).blocks:
        line = (block.start_line or 0) + 1
        last = line + (block.raw or "").rstrip().count("\n")
        entry: Any = block
        if isinstance(block, model.ParsingFailedBlock):
            kind = re.match(r"\s*@(\w+)", block.raw or "")
            if kind and kind[1].lower() in _NO_PAPERS:
                continue
            number += 1
            entry = getattr(block, "ignore_error_block", None)
            why = " ".join(str(block.error).split()).rstrip(".")[:200]
            read.problem(why or "broken entry: a brace or quote is not closed; read as far as possible", line, number)
            if not isinstance(entry, model.Entry):
                _add(read, number, line, last, "", _salvaged(block.raw or ""))
                continue
        elif isinstance(block, model.Entry):
            number += 1
        else:
            if isinstance(block, model.ImplicitComment) and _LOST.search(block.comment):
                read.problem(f"outside of an entry: {' '.join(block.comment.split())[:60]!r}", line)
            continue
        fields: dict[str, str] = {}
        for one in entry.fields:
            fields.setdefault(one.key.lower(), _tex(str(one.value)))
        _add(read, number, line, last, entry.key, fields, entry.entry_type.lower())
    return Listing(with_venue(read.papers, document), read.problems, {document.name: FORMAT})


_RUN_TOGETHER = re.compile(r"\w\s*=\s*[{\"]")
"""What a value hardly holds, and one that swallowed the next entry does."""


def _add(read: Read, number: int, line: int, last: int, key: str, fields: dict[str, str], kind: str = "") -> None:
    if swallowed := next(
        (name for name in ("title", "author", "year") if _RUN_TOGETHER.search(fields.get(name, ""))), ""
    ):
        read.problem(f"the {swallowed} holds another field: two entries may have run together", line, number)
    names, complete = citation.bibtex_names(fields.get("author", ""))
    authors = [name if "\\" in name else name.replace("{", "").replace("}", "") for name in names]
    ids: dict[str, str] = {}
    if pmlr := _PMLR.match(key):
        ids["pmlr"] = f"v{pmlr[1]}/{pmlr[2]}"
    archive = fields.get("archiveprefix", fields.get("eprinttype", "")).lower()
    eprint = fields.get("eprint", "")
    is_arxiv = archive == "arxiv" or (not archive and bool(re.fullmatch(r"\d{4}\.\d{4,5}(v\d+)?", eprint)))
    url = re.sub(r"\\url\{(.*)\}$", r"\1", fields.get("url") or fields.get("howpublished", "")).replace("\\_", "_")
    venue = fields.get("booktitle") or fields.get("journal") or fields.get("series", "")
    extra = {name: clean(fields[name])[:500] for name in _KEPT if fields.get(name)}
    extra |= {"key": key} if key else {}
    citation.add(
        read,
        number,
        line,
        last,
        citation.Reference(
            kind="preprint" if is_arxiv and not venue else "",
            title=_unbraced(fields.get("title", "")),
            authors=authors,
            complete=complete,
            abstract=_unbraced(fields.get("abstract", "")),
            venue=clean(_unbraced(venue[:500])),
            year=fields.get("year", ""),
            date=fields.get("date", ""),
            keywords=texts(_unbraced(fields.get("keywords", "")), ";" if ";" in fields.get("keywords", "") else ","),
            note=clean(_unbraced(fields.get("note", "")[:2000])),
            addresses=[url.strip(), fields.get("doi", "").replace("\\_", "_"), f"arxiv:{eprint}" if is_arxiv else ""],
            pdf=fields.get("pdf", ""),
            ids=ids,
            extra=extra,
        ),
    )


def _tex(value: str) -> str:
    """A field as `clean` takes it; "^" is what pylatexenc makes another sign of."""
    return value.replace(r"\textasciicircum{}", "^")


def _unbraced(value: str) -> str:
    """Text without the braces that protect capitals; where it holds TeX, `clean` takes them away with it."""
    return value if "\\" in value or value.count("$") > 1 else value.replace("{", "").replace("}", "")


def _salvaged(raw: str) -> dict[str, str]:
    """What can be read of a block with unbalanced braces: each field up to the line that begins the next one."""
    found: dict[str, str] = {}
    starts = list(_FIELD.finditer(raw))
    for at, start in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(raw)
        value = raw[start.end() : end].strip().rstrip(",").strip()
        if start[2]:
            value = re.sub(r"[}\"]\s*,?\s*[})]*\s*$", "", value)
        found.setdefault(start[1].lower(), value.strip())
    return found
