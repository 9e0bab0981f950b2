"""`assay read`: listings into the library, once or as they come."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay import catalogue, home, shelf
from assay.commands.terminal import CommandError, counted, plain, print_json, progress, say
from assay.papers.clean import clean
from assay.papers.library import Added, Library, MaybeSame
from assay.papers.paper import Paper, Problem

if TYPE_CHECKING:
    from assay.papers.listings.document import Listing

_AT_ONCE = 2000
"""Papers that are added in one transaction, so that a long reading shows how far it is."""
SOME, NOTHING = 1, 2
"""Exit codes: something could not be read; nothing could."""


def read(
    sources: Sequence[str], venue: str | None, format: str | None, cards: bool, watched: bool, as_json: bool
) -> int:
    """Read listings, and the papers of cards where asked, into the library; or watch a folder for them."""
    if watched:
        return _watch(sources, clean(venue) if venue is not None else None, format, cards, as_json)
    if not sources and not cards:
        raise CommandError("read: nothing to read; name a file or a folder, or - for pasted text")
    if not all(source.strip() for source in sources):
        raise CommandError("read: a source is empty; name a file or a folder, or - for pasted text")
    venue = clean(venue) if venue is not None else None
    files: list[dict[str, Any]] = []
    problems: list[str] = []
    same: list[MaybeSame] = []
    with Library(home.library_file()) as library:
        for found in _listings(sources, format, venue):
            problems += [str(problem) for problem in found.problems]
            for name, papers in _by_file(found).items():
                done = _add(library, papers)
                files.append(_counts(name, found.formats.get(name, ""), len(papers), done))
                same += done.may_be_same
        if cards:
            known, broken = catalogue.cards()
            problems += [str(line) for line in broken]
            files.append(_counts("the methods' papers", "cards", len(known), shelf.add_cards(library, known)))
        titles = {
            pair: tuple(library.get(key).title for key in pair) for pair in ((one.key, one.other) for one in same)
        }
    if as_json:
        print_json({"files": files, "may_be_same": [vars(one) for one in same], "problems": problems})
    else:
        for file in files:
            print(_told(file))
        for (key, other), (title, like) in titles.items():
            print(f"may be the same: {plain(title)} ({key}) and {plain(like)} ({other})")
    for problem in problems:
        say(problem)
    if not files:
        return NOTHING
    return SOME if problems else 0


def _by_file(listing: Listing) -> dict[str, list[Paper]]:
    """The papers of a listing by the file they were read from; files without papers too."""
    found: dict[str, list[Paper]] = {file: [] for file in listing.formats}
    for paper in listing.papers:
        found.setdefault(paper.sources[0].file, []).append(paper)
    return found


def _counts(file: str, format: str, papers: int, done: Added) -> dict[str, Any]:
    return {
        "file": file,
        "format": format,
        "papers": papers,
        "added": done.added,
        "merged": done.merged,
        "unchanged": done.unchanged,
    }


def _told(file: dict[str, Any]) -> str:
    parts = [f"{file[word]} {word}" for word in ("added", "merged", "unchanged") if file[word]]
    return f"{plain(file['file'])}: {file['format']}, {counted(file['papers'], 'paper')}" + (
        f" ({', '.join(parts)})" if parts else ""
    )


def _listings(sources: Sequence[str], format: str | None, venue: str | None) -> list[Listing]:
    """What each source holds; events and their abstracts, which may be two sources, are put together."""
    from assay.papers.listings.detect import read_source
    from assay.papers.listings.document import Listing, ListingError
    from assay.papers.listings.virtual_site import ABSTRACTS, join_abstracts

    found: list[Listing] = []
    with progress("reading", len(sources)) as done:
        for number, source in enumerate(sources):
            try:
                found.append(read_source(source, format=format, venue=venue))
            except ListingError as error:
                found.append(Listing(problems=[Problem(str(error))]))
            done(number + 1)
    if not any(ABSTRACTS in one.formats.values() for one in found):
        return found
    together = Listing()
    for one in found:
        together.extend(one)
    return [join_abstracts(together)]


def _add(library: Library, papers: Sequence[Paper]) -> Added:
    """Add the papers of a file, in pieces where they are many; reading again after a stop adds what is missing."""
    total = Added(0, 0, 0)
    with progress("adding", len(papers)) as done:
        for at in range(0, max(len(papers), 1), _AT_ONCE):
            one = library.add(papers[at : at + _AT_ONCE])
            total = Added(
                total.added + one.added,
                total.merged + one.merged,
                total.unchanged + one.unchanged,
                total.may_be_same + one.may_be_same,
            )
            done(min(at + _AT_ONCE, len(papers)))
    return total


def _watch(sources: Sequence[str], venue: str | None, format: str | None, cards: bool, as_json: bool) -> int:
    """Read a folder and what comes into it, a line each, until Ctrl-C."""
    from assay.commands.watch import watch

    if len(sources) != 1 or cards or as_json:
        raise CommandError("read: --watch takes one folder, and neither --cards nor --json")
    folder = Path(sources[0])
    if not folder.is_dir():
        raise CommandError(f"read: --watch {folder}: not a folder")
    say(f"watching {folder}; Ctrl-C ends it")
    watch(folder, lambda path: _read_one(path, folder, venue, format))
    return 0


def _read_one(path: Path, folder: Path, venue: str | None, format: str | None) -> None:
    from assay.papers.listings.detect import read_source
    from assay.papers.listings.document import ListingError

    try:
        found = read_source(path, format=format, venue=venue)
    except ListingError as error:
        say(str(error))
        return
    with Library(home.library_file()) as library:
        for name, papers in _by_file(found).items():
            print(_told(_counts(name, found.formats.get(name, ""), len(papers), _add(library, papers))), flush=True)
    for problem in found.problems:
        say(str(problem))
