"""The contract of a study: what a `study.py` writes and what the runner gives it.

A study is a pure function of settings, regime, seed and the prepared folder. Seeds, processes and machines are the
runner's business. Arms are recorded as they finish, so a killed run loses the arm under way and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from assay.claims.effects import Cases, Failed, Ratio, Rows, Rule, Value

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Cases",
    "Failed",
    "Metric",
    "Ratio",
    "Rows",
    "Rule",
    "Series",
    "Settings",
    "Study",
    "Test",
    "Trial",
    "TrialRun",
    "Value",
]


@dataclass(frozen=True)
class Series:
    """A curve of one arm: x and y of equal length, and what they are. Thinned to 500 points when recorded."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    x_label: str = ""
    y_label: str = ""


Metric = float | Series | Rows | Ratio | Cases | str


@dataclass(frozen=True)
class Settings:
    """Base of every study's settings. Subclasses are frozen dataclasses whose fields are documented with their unit."""

    seeds: int = 8
    """Trials per regime: seeds 0..seeds-1."""
    regimes: tuple[str, ...] = ("all",)
    """Conditions under which the verdict may differ, named before the run."""
    threads: int = 1
    """Threads a trial may use; numerical libraries are pinned to it."""


def local(default: str = "") -> Any:
    """A settings field that only says where something lies on this machine: not part of the protocol."""
    return field(default=default, metadata={"protocol": False})


def declared(settings: Settings) -> dict[str, Any]:
    """The settings that are part of the protocol, as plain values: all but seeds and what is `local`."""
    return {
        f.name: getattr(settings, f.name)
        for f in fields(settings)
        if f.name != "seeds" and f.metadata.get("protocol", True)
    }


@dataclass(frozen=True)
class Trial:
    """One finished (or partly finished) trial as a test sees it: the arms of one seed in one regime."""

    regime: str
    seed: int
    arms: Mapping[str, Mapping[str, Metric]]
    """Metrics of the arms that finished, by arm and metric."""
    failed: Mapping[str, str]
    """Arms that raised or diverged, with the reason."""
    missing: Mapping[str, str]
    """Arms skipped because something is not installed, with the install line."""
    complete: bool = True

    def __getitem__(self, arm: str) -> Mapping[str, Metric]:
        return self.arms[arm]

    def value(self, arm: str, metric: str) -> float:
        """The number `metric` of `arm`; a TypeError where the metric is no number."""
        found = self.arms[arm][metric]
        if not isinstance(found, int | float):
            raise TypeError(f"metric {metric!r} of arm {arm!r} is {type(found).__name__}, not a number")
        return float(found)


Measure = Callable[[Trial, str, str | None], Value]
"""(trial, arm, baseline or None) -> the effect on the test's scale, positive where the claim holds, 0 for no effect."""


@dataclass(frozen=True)
class Test:
    """Connects a claim to a study: which arm, against what, measured how. All of it is part of the protocol."""

    __test__ = False  # not a pytest class

    claim: str
    """The claim's id in card.toml."""
    arm: str
    measure: Measure
    margin: float
    """The smallest effect that matters, on `scale` (for `always`: the tolerance, stated only)."""
    scale: Literal["difference", "log"] = "difference"
    against: tuple[str, ...] = ()
    """Baselines; several means that all must be beaten."""
    control: str | None = None
    simpler: str | None = None
    spoiled: str | None = None
    itself: str | None = None
    """For timed tests: the arm that repeats `arm`'s work, named by `TrialRun.race`."""
    compares: Literal["magnitude", "direction", "mechanism"] = "direction"
    reported: float | None = None
    """R on `scale`, where `compares` is "magnitude"."""
    over: Literal["all", "mean", "some"] = "all"
    regimes: tuple[str, ...] | None = None
    """The regimes the claim speaks of; None means all of the settings' regimes."""
    resplit: float = 0.0
    """n_test / n_train where trials are re-splits of one data set."""
    floor: float | None = None
    """The effect a failed trial of the method counts with; None: failures cap the verdict."""
    of: Literal["ours", "authors"] = "ours"
    """Whose the tested procedure is: ours, or the authors' (their code, or their procedure as they describe it)."""
    label: str = ""
    """A few words that tell this test from others of the same claim ("central prior")."""


class TrialRun(Protocol):
    """What `Study.trial` is given for one seed in one regime."""

    settings: Any
    regime: str
    seed: int
    prepared: Path
    """Folder that `Study.prepare` filled; empty where the study prepares nothing."""

    def arm(
        self, name: str, fn: Callable[[], Mapping[str, Metric]], needs: Sequence[str] = ()
    ) -> Mapping[str, Metric] | None:
        """Run one arm and record it as soon as it returns; an arm on record is not run again.

        `needs` names import packages; when one is missing the arm is recorded as missing with its install line.
        An exception records the arm as failed, with its traceback, and the trial goes on. Returns the arm's metrics,
        or None where it is missing or failed.
        """
        ...

    def race(self, contenders: Mapping[str, Callable[[], object]], repeats: int = 5) -> None:
        """Time contenders interleaved, after a warm-up of each; records arms with `cpu` and `wall` (median seconds).

        The first contender runs a second time as "<name> again", so that a test can see the machine's noise.
        """
        ...

    def once(self, key: str, fn: Callable[[], Any]) -> Any:
        """The value of `fn()`, computed once per trial and kept on disk (a fine-tuned start shared by arms)."""
        ...

    def rng(self, key: str) -> np.random.Generator:
        """A generator that depends on the seed and on `key` alone, the same in every regime and after a resume.

        Give each arm and each draw a key of its own: a generator shared by arms would give other numbers when a resumed
        trial leaves out the arms on record.
        """
        ...

    def file(self, name: str) -> Path:
        """A path beside the record for a picture or array of this trial; its folder exists."""
        ...

    def progress(self, done: float, what: str = "") -> None:
        """Say how far the arm under way is, `done` from 0 to 1."""
        ...


class Study(Protocol):
    """One experiment of a method. `small` takes at most 10 minutes on two idle cores, all seeds and regimes."""

    name: str
    tests: tuple[Test, ...]
    small: Settings
    full: Settings
    stand_in: str
    """What stands in for the paper's own data or model, printed with every verdict; "" for nothing."""

    def trial(self, run: TrialRun) -> None: ...


# Optional attributes and methods of a study, with what they mean when absent. Read with `option(study, name)`.
#   timed: bool = False                                  a test about time: one job at a time
#   prepare(settings, folder, progress) -> None          once per machine, under a lock, keyed by settings and source
#   missing(settings) -> list[str]                       what a user has to supply, asked before anything starts
#   fits(test, trials) -> str | None                     the precondition of one regime, from baseline arms only
#   full_stand_in: str                                   what stands in at the full scale, where that differs
#   tiny: Settings                                       what `assay.testing` tries instead, where a small trial is long
_ABSENT: dict[str, Any] = {
    "timed": False,
    "prepare": None,
    "missing": None,
    "fits": None,
    "full_stand_in": None,
    "tiny": None,
}


def option(study: Study, name: str) -> Any:
    """An optional attribute of a study, or its default."""
    return getattr(study, name, _ABSENT[name])


def stand_in(study: Study, scale: str) -> str:
    """What stands in for the paper's own data or model when a study runs at this scale."""
    full = option(study, "full_stand_in")
    return full if scale == "full" and full is not None else study.stand_in
