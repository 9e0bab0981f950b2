"""Papers and methods brought together: the paper of a card, and the method of a paper."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from assay.catalogue import Card, CardError
from assay.papers.library import Added, Library, NoSuchPaper
from assay.papers.paper import ID_KINDS, STATUSES, Paper, Source, key_of

_AT_ONCE = 500
"""Abstracts that are looked through in one transaction."""


def paper_of(card: Card) -> Paper:
    """The paper that a card describes, with its key; its summary is the card's, since a card holds no abstract.

    Raises CardError, naming the field, where status or ids are none that papers have.
    """
    file = card.folder / "card.toml"
    if card.status not in STATUSES:
        raise CardError(f"{file}: status {card.status!r} is none of {', '.join(STATUSES)}")
    known = (*ID_KINDS, "arxiv_version")
    for kind in card.ids:
        if kind not in known:
            raise CardError(f"{file}: [ids] has an unknown kind {kind!r}; it may have {', '.join(known)}")
    paper = Paper(
        title=card.title,
        authors=card.authors,
        authors_complete=bool(card.authors),
        status=card.status,  # type: ignore[arg-type]  # one of STATUSES, seen above
        venue=card.venue,
        year=card.year,
        ids=dict(card.ids),
        links=dict(card.links),
        extra={"summary": card.summary},
        sources=(Source("card", f"{card.name}/card.toml", hashlib.sha256(file.read_bytes()).hexdigest(), entry=1),),
    )
    return replace(paper, key=key_of(paper))


def add_cards(library: Library, cards: Iterable[Card]) -> Added:
    """Add the papers of cards to a library; those that are there already stay as they are."""
    return library.add([paper_of(card) for card in cards])


def keys_of(card: Card) -> list[str]:
    """The keys by which a library may know a card's paper: its identifiers, and the key of its own words."""
    return [*(f"{kind}:{value}" for kind, value in card.ids.items() if kind in ID_KINDS), paper_of(card).key]


def by_key(cards: Iterable[Card]) -> dict[str, Card]:
    """Cards by every key of their papers, for `method_of`."""
    return {key: card for card in cards for key in keys_of(card)}


def method_of(paper: Paper, known: Mapping[str, Card]) -> Card | None:
    """The card of a paper's method, by its key or any of its identifiers; `known` is from `by_key`."""
    keys = [paper.key, *(f"{kind}:{value}" for kind, value in paper.ids.items())]
    return next((known[key] for key in keys if key in known), None)


def record_of(card: Card, library: Library | None) -> Paper:
    """The library's paper of a card, or the card's own words where the library does not have it."""
    own = paper_of(card)
    if library is not None:
        for key in keys_of(card):
            try:
                return library.get(key)
            except NoSuchPaper:
                continue
    return own


def note_claims(library: Library, progress: Callable[[int], None] = lambda done: None) -> int:
    """Count the claims in the abstracts that were not looked through, so that search can ask for them.

    Returns how many abstracts were. What was done stays when it is stopped.
    """
    from assay.claims.extract import claim_sentences

    waiting = unclaimed(library)
    with library.errors():
        for at in range(0, len(waiting), _AT_ONCE):
            part = waiting[at : at + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            rows = library.db.execute(f"SELECT id, abstract FROM paper_text WHERE id IN ({marks})", part)  # noqa: S608
            counted = [(row, len(claim_sentences(abstract))) for row, abstract in rows.fetchall()]
            with library.writing():
                library.db.executemany("INSERT OR REPLACE INTO claimed SELECT id, ?2 FROM paper WHERE id = ?1", counted)
            progress(at + len(part))
    return len(waiting)


def unclaimed(library: Library) -> list[int]:
    """The rows of the papers whose abstracts were not looked through for claims."""
    with library.errors():
        rows = library.db.execute("SELECT id FROM paper_text WHERE id NOT IN (SELECT paper FROM claimed) ORDER BY id")
        return [int(row) for (row,) in rows]
