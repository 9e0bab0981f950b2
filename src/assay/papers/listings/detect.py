"""Which reader? By content, never by file name alone. A new reader is one more line of READERS."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from assay.papers.listings import (
    bibtex,
    csl,
    daily_papers,
    feed,
    fetch,
    json_text,
    mail,
    openreview,
    paperlists,
    ris,
    search_page,
    semantic_scholar,
    table,
    tmlr,
    virtual_site,
    web_page,
    zipped,
)
from assay.papers.listings.document import Document, Listing, ListingError
from assay.papers.paper import Problem

LARGEST = 200 * 1024 * 1024
"""Bytes of a listing, unpacked; more is refused."""


class Reader(NamedTuple):
    """A format: its name, how its text is told from others', and the function that reads a document of it."""

    name: str
    looks_like: Callable[[str], bool]
    read: Callable[[Document], Listing]


READERS = (
    Reader("mail", mail.looks_like, lambda document: mail.read(document, _read_part)),
    Reader("tmlr", tmlr.looks_like, lambda document: tmlr.read(document, _page)),
    Reader("openreview", openreview.looks_like, openreview.read),
    Reader("virtual-site", virtual_site.looks_like, virtual_site.read),
    Reader("virtual-site-abstracts", virtual_site.looks_like_abstracts, virtual_site.read_abstracts),
    Reader("daily-papers", daily_papers.looks_like, daily_papers.read),
    Reader("semantic-scholar", semantic_scholar.looks_like, semantic_scholar.read),
    Reader("paper-list", paperlists.looks_like, paperlists.read),
    Reader("csl-json", csl.looks_like, csl.read),
    Reader("feed", feed.looks_like, feed.read),
    Reader("bibtex", bibtex.looks_like, bibtex.read),
    Reader("ris", ris.looks_like, ris.read),
    Reader("table", table.looks_like, table.read),
    Reader("search-page", search_page.looks_like, search_page.read),
)


def read_source(source: str | Path | bytes, format: str | None = None, venue: str | None = None) -> Listing:
    """The papers of a file, a folder, an https address, standard input ("-"), or bytes; gzip and zip are unpacked.

    `format` names one of READERS instead of looking; `venue` ("ICLR 2026") is set where the listing names none. In a
    folder a file that is no listing is a problem of the result. ListingError, one line, where nothing can be read.
    """
    if format is not None and format not in (names := [reader.name for reader in READERS]):
        raise ListingError(f"format: there is no {format!r}; there are {', '.join(names)}")
    return virtual_site.join_abstracts(_read_source(source, format, venue))


def _read_source(source: str | Path | bytes, format: str | None, venue: str | None) -> Listing:
    if isinstance(source, bytes):
        return _read(Document(source, venue=venue or ""), format)
    if str(source) == "-":
        if sys.stdin is None:
            raise ListingError("standard input: it is closed; name a file, or pipe text into it")
        return _read(Document(sys.stdin.buffer.read(LARGEST + 1), "standard input", venue=venue or ""), format)
    if fetch.is_address(str(source)):
        return _read(Document(fetch.fetch(str(source), LARGEST), shown(str(source)), venue=venue or ""), format)
    path = Path(source)
    if os.path.isdir(path):  # Path.is_dir raises where a folder above cannot be read
        return _read_folder(path, format, venue)
    return _read(Document(_bytes(path), shown(path.name), venue=venue or ""), format)


def _read_folder(folder: Path, format: str | None, venue: str | None) -> Listing:
    found = Listing()
    failed: list[str] = []

    def closed(error: OSError) -> None:
        why = (error.strerror or str(error)).lower()
        if Path(error.filename) == folder:
            raise ListingError(f"{folder}: cannot be read: {why}")
        inside = shown(os.path.relpath(error.filename, folder))
        failed.append(f"{inside}: {why}")
        found.problems.append(Problem(f"folder cannot be read: {why}", file=inside))

    for place, folders, names in os.walk(folder, onerror=closed):
        maildir = {"cur", "new"} <= set(folders)  # its tmp/ holds mails that are not whole yet
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not (maildir and name == "tmp"))
        for path in (Path(place, name) for name in sorted(names) if not name.startswith(".")):
            name = shown(str(path.relative_to(folder)))
            try:
                found.extend(_read(Document(_bytes(path), name, venue=venue or ""), format))
            except ListingError as error:
                failed.append(str(error))
                found.problems.append(
                    Problem(str(error).removeprefix(f"{path}: ").removeprefix(f"{name}: "), file=name)
                )
    if not found.formats:
        raise ListingError(f"{folder}: no listing in this folder" + (f" ({failed[0]})" if failed else ""))
    return found


def shown(name: str) -> str:
    """A file name as text that can be stored: bytes that are no UTF-8 become "\ufffd"."""
    return os.fsencode(name).decode("utf-8", "replace")


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():
            raise ListingError(f"{path}: " + ("not a plain file" if path.exists() else "no such file or folder"))
        if path.stat().st_size > LARGEST:
            raise ListingError(f"{path}: over {LARGEST >> 20} MB; split it")
        return path.read_bytes()
    except OSError as error:
        raise ListingError(f"{path}: cannot be read: {error.strerror or error}") from None


def _read_zip(document: Document, format: str | None) -> Listing:
    found = Listing()
    failed = ""
    for name, data in zipped.members(document.data, document.name, LARGEST):
        inside = f"{document.name}/{shown(name)}"
        if zipped.looks_like(data):
            found.problems.append(Problem("an archive inside an archive is not opened", file=inside))
            continue
        try:
            found.extend(_read(Document(data, inside, venue=document.venue), format))
        except ListingError as error:
            failed = failed or str(error)
            found.problems.append(Problem(str(error).removeprefix(f"{inside}: "), file=inside))
    if not found.formats:
        raise ListingError(f"{document.name}: no listing in this archive" + (f" ({failed})" if failed else ""))
    return found


def _read(document: Document, format: str | None) -> Listing:
    if zipped.looks_like(document.data):
        return _read_zip(document, format)
    if document.data.startswith(b"\x1f\x8b"):
        document = Document(_unzipped(document), document.name, venue=document.venue)
    if len(document.data) > LARGEST:
        raise ListingError(f"{document.name}: over {LARGEST >> 20} MB; split it")
    if not document.data.strip():
        raise ListingError(f"{document.name}: empty")
    if format is not None:
        reader = next(reader for reader in READERS if reader.name == format)
        listing = reader.read(document)
        if not listing.papers and not reader.looks_like(document.text):
            raise ListingError(
                f"{document.name}: no entry of this format found ({format}); without --format it is looked"
            )
        return listing
    found = read_document(document)
    if found is None:
        for what, line in json_text.parse(document.text).problems[:1]:
            raise ListingError(f"{document.name}: line {line}: {what}")
        lines = [line.strip() for line in document.text[:5000].split("\n") if line.strip()][:3]
        seen = " / ".join(repr(line[:60]) for line in lines)
        tried = ", ".join(reader.name for reader in READERS)
        raise ListingError(f"{document.name}: no known listing (tried {tried}); it begins {seen}; --format names one")
    return found


def read_document(document: Document) -> Listing | None:
    """What the first reader that knows the document makes of it; None where none does."""
    if mail.is_html(document.text):
        if web_page.looks_like(document.text) and (found := web_page.read(document)) is not None:
            return found
        document = document.with_text(mail.html_text(document.text))
    for reader in READERS:
        if reader.looks_like(document.text):
            return reader.read(document)
    return None


def _read_part(document: Document) -> Listing | None:
    """A part of a mail: any listing, packed or not. What is wrong with an attachment is no reason to drop the mail."""
    if not (zipped.looks_like(document.data) or document.data.startswith(b"\x1f\x8b")):
        return read_document(document)
    try:
        return _read(document, None)
    except ListingError as error:
        return Listing([], [document.problem(str(error).removeprefix(f"{document.name}: "))], {})


def _page(document: Document) -> Listing | None:
    """A search page that was pasted into the same text as a digest; None where there is none."""
    return search_page.read(document) if search_page.looks_like(document.text.lstrip("\n")) else None


def _unzipped(document: Document) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(document.data)) as file:
            return file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ListingError(f"{document.name}: damaged gzip file: {error}") from None
