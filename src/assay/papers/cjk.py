"""Chinese, Japanese and Korean text as single characters and bigrams, since FTS5 takes a whole run for one word."""

from __future__ import annotations

import re

CJK = re.compile(
    r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def grams(text: str) -> str:
    """What the index keeps for the CJK runs of `text`: their bigrams and their characters, "" where there are none."""
    found: dict[str, None] = {}
    for run in CJK.findall(text):
        found.update(dict.fromkeys(bigrams(run)))
        found.update(dict.fromkeys(run))
    return " ".join(found)


def bigrams(run: str) -> list[str]:
    """The pairs of neighbours of one run; the run itself where it is one character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
