"""How commands write: tables and text for people, JSON for programs, problems on stderr."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


class CommandError(ValueError):
    """A command cannot do what it was asked: one plain line that names what is wrong and the fix."""


def console(stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no automatic colours."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def say(line: str) -> None:
    """One plain line on stderr."""
    print(f"assay: {plain(line)}", file=sys.stderr)


def plain(text: object) -> str:
    """Text on one line without anything a terminal could obey."""
    spaced = "".join(" " if c.isspace() else c if c.isprintable() else "\ufffd" for c in str(text))
    return " ".join(spaced.split())


def print_json(value: Any) -> None:
    """A value as JSON on stdout. Paths and other things JSON does not know are written as text."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str, allow_nan=False))


def counted(number: int, noun: str) -> str:
    """ "1 paper", "3 papers"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
