"""Papers and methods brought together: the paper of a card, and the method of a paper."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from assay.catalogue import Card, CardError
from assay.papers.library import Added, Library, NoSuchPaper
from assay.papers.paper import ID_KINDS, STATUSES, Paper, Source, key_of


def paper_of(card: Card) -> Paper:
    """The paper that a card describes; its summary is the card's, since a card holds no abstract.

    Raises CardError, naming the field, where status or ids are none that papers have.
    """
    file = card.folder / "card.toml"
    if card.status not in STATUSES:
        raise CardError(f"{file}: status {card.status!r} is none of {', '.join(STATUSES)}")
    known = (*ID_KINDS, "arxiv_version")
    for kind in card.ids:
        if kind not in known:
            raise CardError(f"{file}: [ids] has an unknown kind {kind!r}; it may have {', '.join(known)}")
    return Paper(
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


def add_cards(library: Library, cards: Iterable[Card]) -> Added:
    """Add the papers of cards to a library; those that are there already stay as they are."""
    return library.add([paper_of(card) for card in cards])


def method_of(paper: Paper, cards: Iterable[Card]) -> Card | None:
    """The card of a paper's method: they share an identifier, or paper and card have the same key."""
    for card in cards:
        if any(paper.ids.get(kind) == value for kind, value in card.ids.items() if kind in ID_KINDS):
            return card
        if paper.key == key_of(paper_of(card)):
            return card
    return None


def record_of(card: Card, library: Library | None) -> Paper:
    """The library's paper of a card, or the card's own words where the library does not have it."""
    own = paper_of(card)
    if library is not None:
        for key in (key_of(own), *(f"{kind}:{value}" for kind, value in card.ids.items() if kind in ID_KINDS)):
            try:
                return library.get(key)
            except NoSuchPaper:
                continue
    return own
