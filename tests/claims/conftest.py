"""What the tests of verdicts share: one call from plain lists to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import pytest

from assay.claims.effects import Outcome, Rule
from assay.claims.verdict import Verdict, judge

OUTCOME = {field.name for field in fields(Outcome)}


def said(effects: Any, **given: Any) -> Verdict:
    """The verdict on `effects` (a list, or lists by baseline); other fields of Rule and Outcome by name."""

    def keyed(value: Any) -> Any:
        return value if isinstance(value, Mapping) else {"": value}

    companions = {name: given.pop(name) for name in list(given) if name in OUTCOME}
    for name in ("control", "simpler", "spoiled"):
        if name in companions:
            companions[name] = keyed(companions[name])
    rule = {"kind": "more", "margin": 0.2, "planned": 5} | given
    return judge(Rule(**rule), Outcome(effects=keyed(effects), **companions))


@pytest.fixture(scope="session")
def verdict() -> Callable[..., Verdict]:
    return said
