"""What a reader follows, and what they made of papers: kept in the library, read by the digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from assay.papers.library import Library, where

Kind = Literal["topic", "author", "query", "method", "like"]
KINDS: tuple[str, ...] = get_args(Kind)
Judgement = Literal["read", "keep", "no"]
JUDGEMENTS: tuple[str, ...] = get_args(Judgement)


@dataclass(frozen=True)
class Follow:
    """One thing that is followed: part of a topic line, an author, words, a method's name, or a paper's key."""

    kind: str
    what: str


def follow(library: Library, kind: str, what: str) -> Follow:
    """Follow something; following it again changes nothing. ValueError for a kind that is none or nothing to follow.

    "like" takes anything that names a paper of the library; NoSuchPaper where it names none.
    """
    one = _checked(library, kind, what)
    with library.writing():
        library.db.execute("INSERT OR IGNORE INTO follow (kind, what) VALUES (?, ?)", (one.kind, one.what))
    return one


def unfollow(library: Library, kind: str, what: str) -> bool:
    """Follow something no longer; whether it was followed."""
    one = _checked(library, kind, what)
    with library.writing():
        done = library.db.execute("DELETE FROM follow WHERE kind = ? AND lower(what) = lower(?)", (one.kind, one.what))
    return done.rowcount > 0


def followed(library: Library) -> list[Follow]:
    """All that is followed, in the order it was begun."""
    with library.errors():
        return [Follow(*row) for row in library.db.execute("SELECT kind, what FROM follow ORDER BY id")]


def _checked(library: Library, kind: str, what: str) -> Follow:
    what = " ".join(what.split())
    if kind not in KINDS:
        raise ValueError(f"{kind!r} cannot be followed; there are {', '.join(KINDS)}")
    if not what:
        raise ValueError(f"follow {kind}: nothing to follow; name one")
    return Follow(kind, library.get(what).key if kind == "like" else what[:500])


def mark(library: Library, name: str, judgement: str | None) -> str:
    """Mark a paper as read, keep or no, or (None) take its mark back; returns its key. The last mark counts."""
    if judgement is not None and judgement not in JUDGEMENTS:
        raise ValueError(f"{judgement!r} is no mark; there are {', '.join(JUDGEMENTS)}")
    key = library.get(name).key
    with library.writing():
        for old in (key, *_former(library, key)):
            library.db.execute("DELETE FROM judged WHERE key = ?", (old,))
        if judgement is not None:
            library.db.execute("INSERT INTO judged (key, judgement) VALUES (?, ?)", (key, judgement))
    return key


def marks(library: Library) -> dict[int, str]:
    """The marks by row of the paper; a mark of a paper that was merged into another counts for that one."""
    with library.errors():
        rows = library.db.execute(
            "SELECT alias.paper, judgement FROM judged JOIN alias ON alias.key = judged.key ORDER BY at, judged.key"
        )
        return {int(paper): str(judgement) for paper, judgement in rows}


def rows_of(library: Library, keys: Sequence[str]) -> list[int]:
    """The rows of papers by key or former key."""
    condition, values = where(keys=keys)
    with library.errors():
        return [int(row) for (row,) in library.db.execute(f"SELECT id FROM paper WHERE {condition}", values)]  # noqa: S608


def _former(library: Library, key: str) -> list[str]:
    return [
        str(name)
        for (name,) in library.db.execute(
            "SELECT other.key FROM alias JOIN alias AS other ON other.paper = alias.paper WHERE alias.key = ?", (key,)
        )
    ]
