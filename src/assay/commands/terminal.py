"""How commands write: tables and text for people, JSON for programs, problems on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on stderr that is told how far something is; shown only in a terminal, and after a second."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    start = time.monotonic()
    with Progress(*columns, console=console(stderr=True), transient=True, disable=False) as bar:
        task = bar.add_task(what, total=total, visible=False)
        yield lambda done: bar.update(task, completed=done, visible=time.monotonic() - start > 1)
