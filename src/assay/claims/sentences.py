"""Sentences of an abstract, as offsets into it."""

from __future__ import annotations

import re

_END = re.compile(
    r"[.!?][\"')\]}”’]*(?=\s+[\"'(\[“‘]*(?:[A-Z0-9$]|\\[a-zA-Z])|\s*$|(?<=[a-z]{3}[.!?])[A-Z][a-z]+[ ,])|\n\s*\n"
)
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|et al|cf|vs|resp|approx|Fig|Figs|Eq|Eqs|Sec|Secs|Tab|No|Dr|Prof|Mr|Mrs|St|w\.r\.t|a\.k\.a|"
    r"Alg|"
    r"Thm|Prop|Ref|Refs|Vol|pp)|\b[A-Z])\.$"
)
"""What ends in a full stop without ending a sentence: abbreviations and initials."""
_ETC = re.compile(r"\b(?:etc|et al)\.$")


def sentences(text: str) -> list[tuple[int, int]]:
    """(start, end) of each sentence, without the spaces around it. Every letter of the text lies in one of them."""
    found: list[tuple[int, int]] = []
    start = 0
    for end in (match.end() for match in _END.finditer(text)):
        piece = text[start:end].rstrip()
        bare = piece.rstrip("\"')]}”’")
        rest = text[end:].lstrip()
        if _SHORT.search(bare) and not (_ETC.search(bare) and re.match(r"[A-Z][a-z]* [a-z]", rest)):
            continue
        if re.search(r"\b(?:et al|vs|i\.e|e\.g)\.$", bare) and rest:
            continue
        if piece.strip():
            found.append(_trimmed(text, start, end))
        start = end
    if text[start:].strip():
        found.append(_trimmed(text, start, len(text)))
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
