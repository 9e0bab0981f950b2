"""Claims of an abstract as the `[[claim]]` blocks of a card, for the author of a method to finish."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.claims.extract import FoundClaim

_BOUNDS = {"up to": "up to", "at least": "at least", "over": "at least", "about": "about"}
"""What a card calls a qualifier."""


def claim_toml(abstract: str, found: Sequence[FoundClaim]) -> str:
    """One block a claim, in TOML: what the paper reports is filled in, the wording is left to write.

    The sentence itself stands in a comment, since a card says claims in its author's own words. `kind` is a guess: a
    guarantee that holds "always" reads like any other result.
    """
    blocks = []
    taken: set[str] = set()
    for claim in found:
        data = abstract[slice(*claim.data)] if claim.data else ""
        lines = [
            "[[claim]]",
            f"# {_plain(claim.sentence)}",
            *_named(abstract, claim),
            f"id = {_quoted(_name(claim, taken))}",
            'says = "TODO: the claim in your own words"',
            f'kind = "{"keeps" if claim.direction == "equal" else "more"}"',
            f"reported = [{', '.join(_reported(claim, data))}]",
            'untested = "TODO: a study, or why none can test it"',
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def told(claim: FoundClaim) -> list[str]:
    """The quantities of a claim, each as a person would write it: "up to 35 %", "from 5.8 to 3.1 %"."""
    found = []
    for one in claim.quantities:
        unit = {"pp": " points", "x": "x", "%": " %"}.get(one.unit, f" {one.unit}")
        numbers = [f"{value:g}" for value in one.value]
        if one.qualifier == "from-to":
            text = f"from {' to '.join(numbers)}{unit}"
        else:
            qualifier = "" if one.qualifier in ("", "range") else f"{one.qualifier} "
            text = f"{qualifier}{' to '.join(numbers)}{unit}"
        found.append(text + (f" {one.direction}" if one.direction else ""))
    return found


def _reported(claim: FoundClaim, data: str) -> list[str]:
    """Each number as a table with value, unit, bound and where; without numbers the direction in words."""
    at = f", at = {_quoted(data)}" if data else ""
    if not claim.quantities:
        return [f"{{ words = {_quoted(claim.direction or 'TODO')}{at} }}"]
    found = []
    for one in claim.quantities:
        bound = _BOUNDS.get(one.qualifier, "")
        bound = f', bound = "{bound}"' if bound else ""
        found += [f"{{ value = {value!r}, unit = {_quoted(one.unit)}{bound}{at} }}" for value in one.value]
    return found


def _named(abstract: str, claim: FoundClaim) -> list[str]:
    """A comment that names what is measured and what it is compared with, for which a card has no fields."""
    facts = [f"measured: {claim.compared}"] if claim.compared else []
    facts += [f"against: {abstract[slice(*claim.baseline)]}"] if claim.baseline else []
    return [f"# {_plain('; '.join(facts))}"] if facts else []


def _name(claim: FoundClaim, taken: set[str]) -> str:
    words = re.findall(r"[a-z]+", f"{claim.direction} {claim.compared}".lower()) or ["claim"]
    base, number = "-".join(words[:4]), 1
    name = base
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    taken.add(name)
    return name


def _quoted(text: str) -> str:
    return '"' + _plain(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(text: str) -> str:
    """A text on one line, without letters that TOML forbids."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
