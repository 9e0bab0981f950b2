"""A claim of a paper, as something that can be tested.

The words are those of docs/verdicts.md: a claim is of one kind, `more` (an effect in a direction), `keeps` (no loss)
or `always` (exact), and a sentence of a paper with "and" becomes two claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["more", "keeps", "always"]
Bound = Literal["", "up to", "at least", "about"]
Source = Literal["paper", "code", "notes", "plot"]
By = Literal["paper", "us"]


@dataclass(frozen=True)
class Reported:
    """One number a paper reports for a claim, where it stands, and how far it can be compared."""

    value: float | None
    """None where the paper gives words only ("always the best")."""
    unit: str = ""
    at: str = ""
    """Data set, table or figure the number belongs to."""
    bound: Bound = ""
    source: Source = "paper"
    version: str = ""
    """Which version of the paper says so: "submission", "accepted", "arXiv v2"."""
    words: str = ""
    """What is reported where there is no number, in our words."""


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a paper."""

    id: str
    says: str
    """The claim in our own words, one sentence."""
    kind: Kind
    reported: tuple[Reported, ...] = ()
    replaces: str | None = None
    """The id of an older wording of the same claim."""
    by: By = "paper"
    """"us" for checks of our own, which are left out of totals."""
    untested: str | None = None
    """Why nothing here can test it, or None."""
