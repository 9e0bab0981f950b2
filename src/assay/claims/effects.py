"""What one trial can say about a claim: the values a test's `measure` returns and `verdict.judge` reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Rows:
    """Paired effects item by item, where the same items come back in every trial (a fixed test set)."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class Ratio:
    """A difference over a difference (a share of an excess): judged by Fieller's interval."""

    num: float
    den: float


@dataclass(frozen=True)
class Cases:
    """For `always`: how many independent cases were checked and how many broke the claim.

    A violation counts only when a second, different check confirmed it; `confirmed` says how many were.
    """

    checked: int
    violations: int
    confirmed: int
    worst: str = ""
    """The counterexample kept: the inputs that break the claim, in words a reader can rerun."""
    exhaustive: bool = False
    """True where the check is a proof or covers every case there is."""


@dataclass(frozen=True)
class Failed:
    """A trial without an effect: whose arm failed, and why. No trial is ever dropped."""

    who: Literal["method", "baseline"]
    why: str = ""


Value = float | Rows | Ratio | Cases | Failed


@dataclass(frozen=True)
class Rule:
    """What a test declares before its first trial; everything the verdict depends on besides the numbers."""

    kind: Literal["more", "keeps", "always"]
    margin: float
    """d > 0, the smallest effect that matters, on the declared scale (unused for `always`)."""
    planned: int = 8
    """Trials per regime declared for the study; only n, 2n and 4n are judged (at 95, 98 and 99 %)."""
    compares: Literal["magnitude", "direction", "mechanism"] = "direction"
    reported: float | None = None
    """R on the declared scale, read only where `compares` is "magnitude"."""
    over: Literal["all", "mean", "some"] = "all"
    resplit: float = 0.0
    """n_test / n_train where trials are re-splits of one data set; 0 where they are independent draws."""
    floor: float | None = None
    """The effect a trial counts with when the method diverges or raises (chance accuracy, the time limit), or None."""


@dataclass(frozen=True)
class Outcome:
    """What one regime gave: paired effects in the order of the seeds, for each baseline and each companion arm.

    A list has one entry per trial. `effects` is keyed by baseline ("" where the test has none). Companion arms are
    measured exactly as the method, in the method's place.
    """

    effects: Mapping[str, Sequence[Value]]
    control: Mapping[str, Sequence[Value]] | None = None
    simpler: Mapping[str, Sequence[Value]] | None = None
    """The method measured against the simpler arm: method - simpler, on the same scale."""
    spoiled: Mapping[str, Sequence[Value]] | None = None
    itself: Sequence[float] | None = None
    """For timed tests: the effect of an arm raced against itself, which has to stay within the margin."""
    unfit: str | None = None
    """Why the precondition fails, or None."""
    untested: str | None = None
    """Why it cannot be run here, or None."""
    notes: tuple[str, ...] = field(default=())
