"""`assay read`, `assay search` and `assay show`: the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay import catalogue, home, shelf
from assay.catalogue import Card
from assay.commands.terminal import CommandError, console, counted, plain, print_json, say
from assay.papers.clean import clean
from assay.papers.library import Added, Library, MaybeSame, NoSuchPaper
from assay.papers.paper import Paper

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from assay.papers.listings.document import Listing
    from assay.papers.search import Hit, Hits, Snippet


# --- read --------------------------------------------------------------------------------------------------------

SOME, NOTHING = 1, 2
"""Exit codes: something could not be read; nothing could."""


def read(sources: Sequence[str], venue: str | None, format: str | None, cards: bool, as_json: bool) -> int:
    """Read listings, and the papers of cards where asked, into the library."""
    from assay.papers.listings.detect import read_source
    from assay.papers.listings.document import ListingError

    if not sources and not cards:
        raise CommandError("read: nothing to read; name a file or a folder, or - for pasted text")
    if not all(source.strip() for source in sources):
        raise CommandError("read: a source is empty; name a file or a folder, or - for pasted text")
    venue = clean(venue) if venue is not None else None
    files: list[dict[str, Any]] = []
    problems: list[str] = []
    same: list[MaybeSame] = []
    with Library(home.library_file()) as library:
        for source in sources:
            try:
                listing = read_source(source, format=format, venue=venue)
            except ListingError as error:
                problems.append(str(error))
                continue
            problems += [str(problem) for problem in listing.problems]
            for name, papers in _by_file(listing).items():
                done = library.add(papers)
                files.append(_counts(name, listing.formats.get(name, ""), len(papers), done))
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


# --- search ------------------------------------------------------------------------------------------------------

_EMPTY = (
    "the library is empty: `assay read FILE` adds the papers of a listing, `assay read --cards` those of the methods"
)
_MOST_AUTHORS = 6


def search(
    words: Sequence[str],
    venue: str | None,
    topic: str | None,
    status: Sequence[str],
    since: str | None,
    has: str | None,
    limit: int,
    as_json: bool,
) -> int:
    """Papers of the library that hold the words, best first."""
    if has is not None and has != "method":
        raise CommandError(f"--has {has}: papers can be asked for a method; write --has method")
    from assay.papers.search import search as find_in

    known = shelf.by_key(catalogue.cards()[0])
    query = " ".join(words)
    with Library(home.library_file() if home.library_file().exists() else ":memory:") as library:
        try:
            hits = find_in(
                library,
                query,
                venue=venue,
                topic=topic,
                status=list(status) or None,
                since=since,
                keys=None if has is None else list(known),
                limit=limit,
            )
        except ValueError as error:
            raise CommandError(f"--{error}") from None
        empty = library.count() == 0
    if as_json:
        print_json(
            {"query": query, "match": hits.match, "total": hits.total, "hits": [_hit(hit, known) for hit in hits]}
        )
        return 0
    if empty:
        say(_EMPTY)
    elif not hits:
        say("nothing found; try fewer or other words, or fewer filters")
    else:
        _print_hits(console(), hits, known)
    return 0


def _hit(hit: Hit, known: Mapping[str, Card]) -> dict[str, Any]:
    card = shelf.method_of(hit.paper, known)
    return {
        "paper": hit.paper.to_dict(),
        "method": None if card is None else card.name,
        "score": hit.score,
        "snippet": hit.snippet.text,
        "spans": [list(span) for span in hit.snippet.spans],
    }


def _print_hits(out: Console, hits: Hits, known: Mapping[str, Card]) -> None:
    from rich.padding import Padding

    if hits.match == "any":
        out.print("Few papers have all of these words; those with some of them follow.\n", style="italic")
    for hit in hits:
        card = shelf.method_of(hit.paper, known)
        out.print(_title(hit.paper))
        below = [_people(hit.paper), _facts(hit.paper), _snippet(hit.snippet)]
        if card is not None:
            below.insert(2, _plain_text(f"method {card.name}", "green"))
        for text in below:
            if text:
                out.print(Padding(text, (0, 0, 0, 2), expand=False))
        out.print()
    if not all(hit.paper.has_title for hit in hits):
        out.print("[In brackets]: the listing gives no title; a name or the start of the abstract stands in.")
    out.print(f"{len(hits)} of {counted(hits.total, 'paper')}")


def _people(paper: Paper) -> Text:
    names = [plain(name) for name in paper.authors[:_MOST_AUTHORS]]
    more = len(paper.authors) > _MOST_AUTHORS or (bool(names) and not paper.authors_complete)
    return _plain_text(", ".join(names) + (", and others" if more else ""))


def _facts(paper: Paper) -> Text:
    facts = [paper.venue, paper.status, _date(paper), paper.key]
    return _plain_text(" · ".join(plain(fact) for fact in facts if fact), "dim")


def _date(paper: Paper) -> str:
    """When it was listed, or its year where the venue does not say it."""
    year = str(paper.year or "")
    return paper.date or ("" if year in paper.venue else year)


def _snippet(snippet: Snippet) -> Text:
    """The snippet with what matched in bold; a letter for a letter, so that the offsets hold."""
    text = _plain_text("".join(c if c.isprintable() else " " for c in snippet.text))
    for start, end in snippet.spans:
        text.stylize("bold yellow", start, end)
    return text


def _plain_text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style)


# --- show --------------------------------------------------------------------------------------------------------


def show(name: str, as_json: bool) -> int:
    """A paper with its claims, its method and its verdicts."""
    cards, _ = catalogue.cards()
    paper = find(name, cards)
    card = shelf.method_of(paper, shelf.by_key(cards))
    lines, problems = _verdicts(card)
    if as_json:
        from assay.studies.ledger import line_dict

        print_json(
            {
                "paper": paper.to_dict(),
                "method": None if card is None else _method(card),
                "claims": [line_dict(line) for line in lines],
                "problems": problems,
            }
        )
        return 0
    out = console()
    _print_paper(out, paper)
    if card is not None:
        _print_method(out, card, lines)
    for problem in problems:
        say(problem)
    return 0


def find(name: str, cards: Sequence[Card]) -> Paper:
    """The paper of a method, or the one the library has under this name, or the one of a card that answers to it.

    Raises NoSuchPaper, in one line, where none or several answer.
    """
    wanted = name.strip().strip("/").lower()
    named = [card for card in cards if wanted in (card.name.lower(), card.method.lower())]
    if not home.library_file().exists():
        return shelf.paper_of(named[0]) if len(named) == 1 else _of_cards(name, cards)
    with Library(home.library_file()) as library:
        if len(named) == 1:
            return shelf.record_of(named[0], library)
        try:
            return library.get(name)
        except NoSuchPaper as error:
            if "several" in str(error):
                raise
            try:
                return _of_cards(name, cards)
            except NoSuchPaper:
                raise error from None


def _of_cards(name: str, cards: Sequence[Card]) -> Paper:
    """The paper of a card that answers to a key, identifier or link."""
    with Library(":memory:") as library:
        shelf.add_cards(library, cards)
        try:
            return library.get(name)
        except NoSuchPaper as error:
            if "several" in str(error):
                raise
            raise NoSuchPaper(
                f"no paper or method {name!r}, and the library is empty; `assay read FILE` adds papers"
            ) from None


def _verdicts(card: Card | None) -> tuple[list[Any], list[str]]:
    if card is None:
        return [], []
    from assay.studies.ledger import ledger

    found = ledger(methods=[card.name])
    return list(found.current), list(found.problems)


def _method(card: Card) -> dict[str, Any]:
    missing = catalogue.extra_missing(card)
    return {
        "name": card.name,
        "summary": card.summary,
        "basis": card.basis,
        "exports": list(card.exports),
        "install": catalogue.install_line(card) if missing else None,
        "differs": [vars(difference) for difference in card.differs],
        "example": _example(card),
    }


def _example(card: Card) -> str:
    file = card.folder / "example.py"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _print_paper(out: Console, paper: Paper) -> None:
    out.print(_title(paper))
    if paper.authors:
        out.print(", ".join(map(plain, paper.authors)) + ("" if paper.authors_complete else ", and others"))
    facts = [paper.venue, paper.status, paper.decision, *paper.certifications, _date(paper), paper.key]
    out.print(" · ".join(plain(fact) for fact in facts if fact), style="dim")
    for area, sub in paper.topics:
        out.print(plain(f"{area} · {sub}" if sub else area), style="dim")
    width = max(map(len, [*paper.ids, *paper.links]), default=0) + 2
    for label, value in {**paper.ids, **paper.links}.items():
        out.print(f"{plain(label):{width}}{plain(value)}", style="dim", soft_wrap=True)
    if len({step.date for step in paper.history}) > 1:
        steps = [f"{step.status} {step.date}".strip() for step in paper.history]
        out.print(plain(", ".join(steps)), style="dim")
        files = sorted({source.file for source in paper.sources if source.file})
        if files:
            out.print(plain("read from " + ", ".join(files)), style="dim")
    if paper.abstract:
        out.print()
        out.print(plain(paper.abstract))


def _print_method(out: Console, card: Card, lines: Sequence[Any]) -> None:
    from assay.studies.tables import verdict_table

    out.print(f"\nmethod {card.name}", style="bold")
    out.print(plain(card.summary))
    missing = catalogue.extra_missing(card)
    if missing:
        out.print(f"\nto use it:  {catalogue.install_line(card)}", soft_wrap=True)
    out.print("\nclaims", style="bold")
    out.print(verdict_table(lines))
    example = _example(card)
    if example:
        out.print("\nhow to use it", style="bold")
        for line in example.rstrip().splitlines():
            out.print(f"  {line}", soft_wrap=True)
    out.print(f"\n`assay run {card.method}` tests the claims here", soft_wrap=True)


def _title(paper: Paper) -> Text:
    """The title; a stand-in stands in brackets and slanted, since the listing gave none."""
    if paper.has_title:
        return _plain_text(plain(paper.title), "bold")
    return _plain_text(f"[{plain(paper.title)}]", "bold italic")
