"""`assay search` and `assay embed`: finding papers, by words and by meaning, and handing them on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay import catalogue, home, shelf
from assay.catalogue import Card
from assay.commands.papers import date_of, plain_text, title_text
from assay.commands.terminal import CommandError, console, counted, plain, print_json, progress, say
from assay.papers.library import Library
from assay.papers.paper import Paper

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from assay.papers.search import Hit, Hits, Snippet
    from assay.papers.vectors import Vectors

_HAS = ("method", "code", "claims")
_FEW = 64
"""Papers that are embedded on the way to an answer: a second's work."""
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
    written: str | None,
    why: bool,
    by_words: bool,
    as_json: bool,
) -> int:
    """Papers of the library for a query, best first; or their export."""
    from assay.papers.search import search as find_in

    wanted = _has(has)
    writer = _writer(written, as_json)
    cards = catalogue.cards()[0]
    known = shelf.by_key(cards)
    query = " ".join(words)
    with Library(home.library_file() if home.library_file().exists() else ":memory:") as library:
        if "claims" in wanted:
            with progress("looking for claims", len(shelf.unclaimed(library))) as done:
                shelf.note_claims(library, done)
        vectors = None if by_words or not query.strip() else _vectors(library)
        try:
            hits = find_in(
                library,
                _of_method(query, cards, library),
                venue=venue,
                topic=topic,
                status=list(status) or None,
                since=since,
                has=[one for one in wanted if one != "method"],
                keys=list(known) if "method" in wanted else None,
                limit=limit,
                vectors=vectors,
            )
        except ValueError as error:
            raise CommandError(f"--{error}") from None
        empty = library.count() == 0
    if writer is not None:
        sys.stdout.write(writer(hit.paper for hit in hits))
        if empty:
            say(_EMPTY)
        return 0
    if as_json:
        print_json(
            {
                "query": query,
                "match": hits.match,
                "meaning": hits.meaning,
                "total": hits.total,
                "hits": [_hit(hit, known) for hit in hits],
            }
        )
        return 0
    if empty:
        say(_EMPTY)
    elif not hits:
        say("nothing found; try fewer or other words, or fewer filters")
    else:
        _print_hits(console(), hits, known, why)
    return 0


def _of_method(query: str, cards: Sequence[Card], library: Library) -> str:
    """ "like:octax" is like the paper of the method of that name."""
    from assay.papers.search import LIKE

    name = query.strip()[len(LIKE) :].strip().lower() if query.strip().lower().startswith(LIKE) else ""
    named = [card for card in cards if name and name in (card.name.lower(), card.method.lower())]
    return f"{LIKE}{shelf.record_of(named[0], library).key}" if len(named) == 1 else query


def _has(told: str | None) -> list[str]:
    wanted = [one.strip().lower() for one in (told or "").split(",") if one.strip()]
    for one in wanted:
        if one not in _HAS:
            raise CommandError(
                f"--has {one}: papers can be asked for {', '.join(_HAS)}, or several with commas between"
            )
    return wanted


def _writer(told: str | None, as_json: bool) -> Callable[[Iterable[Paper]], str] | None:
    if told is None:
        return None
    from assay.papers.export import FORMATS

    if told not in FORMATS or as_json:
        what = "--as and --json exclude each other" if told in FORMATS else f"--as {told}: there is no such format"
        raise CommandError(f"{what}; --as takes {', '.join(FORMATS)}")
    return FORMATS[told]


def _vectors(library: Library) -> Vectors | None:
    """The vectors that `assay embed` made, with those of the few papers that came since; None where there are none."""
    from assay.papers.encode import EncoderError
    from assay.papers.vectors import chosen, open_vectors

    name = chosen(library)
    if name is None:
        return None
    try:
        vectors = open_vectors(library, name)
    except EncoderError as error:
        say(f"searching by words alone: {error}")
        return None
    missing = vectors.missing()
    if missing > _FEW:
        say(f"{counted(missing, 'paper')} can be found by words alone so far: `assay embed` makes their vectors")
    elif missing:
        vectors.update()
    return vectors


def embed(encoder: str | None, jobs: int | None, as_json: bool) -> int:
    """Make the vectors of the papers that have none, by which search finds papers of the same meaning."""
    from assay.papers.encode import WORDS, default_encoder
    from assay.papers.vectors import choose, chosen, fit_words, open_vectors

    if not home.library_file().exists():
        raise CommandError(_EMPTY)
    with Library(home.library_file()) as library:
        name = encoder or chosen(library) or default_encoder()
        vectors = fit_words(library) if name == WORDS else open_vectors(library, name)
        with progress("embedding", vectors.missing()) as done:
            count = vectors.update(lambda at, _: done(at), jobs)
        choose(library, name)
    if as_json:
        print_json({"encoder": name, "dim": vectors.encoder.dim, "embedded": count})
    else:
        print(f"{counted(count, 'paper')} embedded by {plain(name)}; search uses it from now on")
    return 0


def _hit(hit: Hit, known: Mapping[str, Card]) -> dict[str, Any]:
    card = shelf.method_of(hit.paper, known)
    return {
        "paper": hit.paper.to_dict(),
        "method": None if card is None else card.name,
        "score": hit.score,
        "snippet": hit.snippet.text,
        "spans": [list(span) for span in hit.snippet.spans],
        "why": list(hit.why),
    }


def _print_hits(out: Console, hits: Hits, known: Mapping[str, Card], why: bool) -> None:
    from rich.padding import Padding

    if hits.match == "any":
        out.print("Few papers have all of these words; those with some of them follow.\n", style="italic")
    for hit in hits:
        card = shelf.method_of(hit.paper, known)
        out.print(title_text(hit.paper))
        below = [_people(hit.paper), _facts(hit.paper), _snippet(hit.snippet)]
        if card is not None:
            below.insert(2, plain_text(f"method {card.name}", "green"))
        if why:
            below += [plain_text(plain(line), "italic") for line in hit.why]
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
    return plain_text(", ".join(names) + (", and others" if more else ""))


def _facts(paper: Paper) -> Text:
    facts = [paper.venue, paper.status, date_of(paper), paper.key]
    return plain_text(" · ".join(plain(fact) for fact in facts if fact), "dim")


def _snippet(snippet: Snippet) -> Text:
    """The snippet with what matched in bold; a letter for a letter, so that the offsets hold."""
    text = plain_text("".join(c if c.isprintable() else " " for c in snippet.text))
    for start, end in snippet.spans:
        text.stylize("bold yellow", start, end)
    return text
