"""`assay show`: one paper with its claims, its method and its verdicts; and how papers look in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay import catalogue, home, shelf
from assay.catalogue import Card
from assay.commands.terminal import console, plain, print_json, say
from assay.papers.library import Library, NoSuchPaper
from assay.papers.paper import Paper

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from assay.claims.extract import FoundClaim


def show(name: str, as_json: bool, by_model: bool = False) -> int:
    """A paper with what its abstract claims, its method and its verdicts."""
    cards, _ = catalogue.cards()
    paper = find(name, cards)
    found, unanswered = _claims(paper.abstract, by_model)
    card = shelf.method_of(paper, shelf.by_key(cards))
    lines, problems = _verdicts(card)
    problems = [*unanswered, *problems]
    if as_json:
        from assay.studies.ledger import line_dict

        print_json(
            {
                "paper": paper.to_dict(),
                "abstract_claims": [asdict(claim) for claim in found],
                "method": None if card is None else _method(card),
                "claims": [line_dict(line) for line in lines],
                "problems": problems,
            }
        )
        return 0
    out = console()
    _print_paper(out, paper)
    _print_claims(out, paper.abstract, found)
    if card is not None:
        _print_method(out, card, lines)
    for problem in problems:
        say(problem)
    return 0


def _claims(abstract: str, by_model: bool) -> tuple[list[FoundClaim], list[str]]:
    """The claims by the rules, or by the model that the settings name.

    By the rules too, with a line that says so, where the model gives no usable answer.
    """
    from assay.claims.extract import extract
    from assay.claims.model import ModelError, remote

    model = remote() if by_model else None
    try:
        return extract(abstract, model), []
    except ModelError as error:
        return extract(abstract), [f"{error}; these are the claims that the rules find"]


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
    out.print(title_text(paper))
    if paper.authors:
        out.print(", ".join(map(plain, paper.authors)) + ("" if paper.authors_complete else ", and others"))
    facts = [paper.venue, paper.status, paper.decision, *paper.certifications, date_of(paper), paper.key]
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


def _print_claims(out: Console, abstract: str, found: Sequence[FoundClaim]) -> None:
    """What the abstract claims: each sentence with its quantities marked, and below it what was read out of it."""
    from rich.padding import Padding

    from assay.claims.card import told

    if not found:
        return
    out.print("\nwhat the abstract claims", style="bold")
    for claim in found:
        text = plain_text("".join(c if c.isprintable() else " " for c in claim.sentence))
        for one in claim.quantities:
            text.stylize("bold yellow", one.start - claim.start, one.end - claim.start)
        out.print(Padding(text, (0, 0, 0, 2), expand=False))
        facts = [claim.direction, *told(claim), claim.compared]
        facts += [f"against {abstract[slice(*claim.baseline)]}"] if claim.baseline else []
        facts += [f"on {abstract[slice(*claim.data)]}"] if claim.data else []
        if line := " · ".join(plain(fact) for fact in facts if fact):
            out.print(Padding(plain_text(line, "dim"), (0, 0, 0, 4), expand=False))


def _print_method(out: Console, card: Card, lines: Sequence[Any]) -> None:
    from assay.studies.tables import verdict_table

    out.print(f"\nmethod {card.name}", style="bold")
    out.print(plain(card.summary))
    missing = catalogue.extra_missing(card)
    if missing:
        out.print(f"\nto use it:  {catalogue.install_line(card)}", soft_wrap=True)
    out.print("\nclaims, and what came of them here", style="bold")
    out.print(verdict_table(lines))
    example = _example(card)
    if example:
        out.print("\nhow to use it", style="bold")
        for line in example.rstrip().splitlines():
            out.print(f"  {line}", soft_wrap=True)
    out.print(f"\n`assay run {card.method}` tests the claims here", soft_wrap=True)


def title_text(paper: Paper) -> Text:
    """The title; a stand-in stands in brackets and slanted, since the listing gave none."""
    if paper.has_title:
        return plain_text(plain(paper.title), "bold")
    return plain_text(f"[{plain(paper.title)}]", "bold italic")


def plain_text(text: str, style: str = "") -> Text:
    """A text of rich, taken as it is."""
    from rich.text import Text

    return Text(text, style=style)


def date_of(paper: Paper) -> str:
    """When it was listed, or its year where the venue does not say it."""
    year = str(paper.year or "")
    return paper.date or ("" if year in paper.venue else year)
