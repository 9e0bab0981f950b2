"""Chinese terms of machine learning in English, so that a Chinese query finds English abstracts by their words."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from assay.papers.cjk import CJK


@cache
def terms() -> dict[str, tuple[str, ...]]:
    """English forms by Chinese term, of glossary.txt."""
    found: dict[str, tuple[str, ...]] = {}
    for line in files("assay.papers").joinpath("glossary.txt").read_text(encoding="utf-8").splitlines():
        chinese, _, english = line.strip().partition(" ")
        if english and not line.startswith("#"):
            found[chinese] = tuple(form.strip() for form in english.split(" / "))
    return found


def translated(query: str) -> list[tuple[str, str]]:
    """The terms of a query with their English: the longest first from left to right; what is unknown is left out."""
    known = terms()
    longest = max(map(len, known))
    found: list[tuple[str, str]] = []
    for run in CJK.findall(query):
        at = 0
        while at < len(run):
            for end in range(min(len(run), at + longest), at, -1):
                if run[at:end] in known:
                    found.append((run[at:end], " ".join(known[run[at:end]])))
                    at = end
                    break
            else:
                at += 1
    return list(dict.fromkeys(found))


def english(query: str) -> str:
    """The query with its Chinese in English, "" where nothing is left of it."""
    return " ".join([*(form for _, form in translated(query)), *CJK.sub(" ", query).split()])
