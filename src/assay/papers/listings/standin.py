"""A stand-in for the title of a paper whose listing has none: the system's name, else the code link's slug, else the
start of the sentence that says what the paper does. A stand-in is short of a title, never another paper's name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from assay.papers.clean import links_in
from assay.papers.paper import TitleSource

_VERB = (
    r"(?:[Ww]e|[Tt]his (?:paper|work))(?: then| also| further| therefore| thus|,? in this (?:work|paper),?)? "
    r"(?:introduces?|proposes?|presents?|develops?|design|build|release|train|describe|call)"
)
_NAME = r"[A-Za-z][A-Za-z0-9]*(?:[-.+][A-Za-z0-9]+)*\+?"
_WORDS = r"(?:[A-Z][\w-]*|of|and|for|the|to|via|in|with|on|from|by)"
_LONG = rf"[A-Z][\w-]*(?: {_WORDS}){{0,7}}"

_LONG_SHORT = re.compile(rf"{_VERB} (?:the |an? )?(?P<gloss>{_LONG}) \((?P<name>{_NAME})\)")
_SHORT_LONG = re.compile(rf"{_VERB} (?:the |an? )?(?P<name>{_NAME}) \((?P<gloss>[A-Za-z][\w -]{{5,80}})\)")
_SAID = re.compile(rf"{_VERB} (?:the |an? )?(?P<name>{_NAME})(?=,| [–—-]| which| that|: )")
_CALLED = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|namely|introduc\w+|through|propos\w+|"
    r"(?:call|name|dub|term) (?:it|this|our \w+)) "
    rf"(?:the )?(?P<name>{_NAME})(?=[,.:;]| \(| for| that| which| to)"
)
_IS_A = re.compile(rf"(?:^|[.?!] )(?P<name>{_NAME}) is an? ")
_BEFORE = re.compile(
    r"\b(?:such as|like|on|surpass\w*|outperform\w*|compar\w+(?: (?:to|with|against))?|e\.g\.,?|including|using|over) $"
)
_NO_NAMES = """
ai ml llm llms rl sft lora dpo ppo grpo rlhf gpt bert llama qwen mujoco gsm8k math ltl cnn gnn gnns rnn mlp vlm
vlms mllm  mllms vae gan gans sgd adam nlp cv rag cot kv gpu cpu api iid pac mdp pomdp ode odes pde sde sae saes nl
sl lm lms vit clip  jax pytorch atari imagenet cifar-10 here we it this our in to first then finally however
"""
_STOP = frozenset(_NO_NAMES.split())
_DOES = re.compile(
    r"\b[Ww]e (?:\w+ly )?(?:propose|study|present|show|introduce|develop|investigate|prove|address|find|answer) "
)


@dataclass(frozen=True)
class StandIn:
    """A title to show until the real one is known; `name` is the system's, or ""."""

    title: str
    source: TitleSource
    name: str = ""


def stand_in(abstract: str, raw: str, authors: Sequence[str]) -> StandIn:
    """The stand-in for an entry with this abstract (as plain text, and as read). Never empty."""
    slug = _slug(links_in(raw).get("code", ""))
    if found := _system(abstract, slug):
        name, gloss = found
        return StandIn(f"{name} ({gloss})" if gloss else _with_phrase(name, abstract), "name", name)
    if slug:
        return StandIn(re.sub(r"[-_]+", " ", slug).strip(), "repo")
    return StandIn(_lead(abstract) or _by(authors), "lead")


def _system(abstract: str, slug: str) -> tuple[str, str] | None:
    """The name of what the abstract introduces, with its long form or "", or None."""
    best: tuple[tuple[int, int, int, int, int], str, str] | None = None
    for strength, pattern in ((3, _LONG_SHORT), (3, _SHORT_LONG), (3, _SAID), (2, _CALLED), (1, _IS_A)):
        for found in islice(pattern.finditer(abstract[:20_000]), 50):
            name = found["name"]
            gloss = " ".join((found.groupdict().get("gloss") or "").split())
            if not _is_name(name, gloss, sure=strength > 1):
                continue
            first = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", abstract)
            if first and strength < 3 and _BEFORE.search(abstract[: first.start()]):
                continue
            mentions = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", abstract))
            rank = (strength, bool(gloss), mentions, name.lower() in slug.lower(), -found.start())
            if best is None or rank > best[0]:
                best = (rank, name, gloss)
    return (best[1], best[2]) if best else None


def _is_name(name: str, gloss: str, sure: bool) -> bool:
    """Two capitals, a digit or a hyphen after a capital; a plain capitalised word only where the sentence is sure."""
    if name.lower() in _STOP or len(name) < 2 or len(name) > 40:
        return False
    capitals = sum(map(str.isupper, name))
    if gloss:
        initials = [word[0].lower() for word in re.split(r"[ -]", gloss) if word]
        return capitals >= 2 and name[0].lower() in initials
    return capitals >= 2 or (capitals == 1 and name[0].isupper() and (sure or not name.isalpha()))


def _with_phrase(name: str, abstract: str) -> str:
    """ "Name - what it is", from "Name, a ..." or "Name is a ..."."""
    found = re.search(rf"(?<![\w-]){re.escape(name)}(?:,| is) an? ([^,.;:()]+)", abstract)
    if not found:
        return name
    phrase = re.split(r" (?:that|which|whose|where|by|guided|to|across|with|based|implemented) ", found[1] + " ")[
        0
    ].split()
    return f"{name} - {' '.join(phrase)}" if 0 < len(phrase) <= 8 else name


def _slug(url: str) -> str:
    """The last part of a repository's address, where it says something."""
    parts = url.split("/")[3:]
    slug = parts[1] if len(parts) > 1 and "anonymous" not in url else ""
    slug = slug.removesuffix(".git")
    return (
        slug
        if sum(map(str.isalpha, slug)) >= 3 and slug.lower() not in ("code", "anonymous", "paper", "submission")
        else ""
    )


def _lead(abstract: str) -> str:
    """At most 12 words of the first clause that says what the paper does, else of the first sentence."""
    text = abstract[:20_000]
    found = _DOES.search(text)
    clause = re.split(r"[.?!] |[,;:] ", text[found.start() :] if found else text, maxsplit=1)[0].rstrip(".")
    words = clause.split()
    if not words:
        return ""
    lead = " ".join(words[:12])[:200]
    return lead[0].upper() + lead[1:] + "..."


def _by(authors: Sequence[str]) -> str:
    return f"Untitled paper by {authors[0]}{' and others' if len(authors) > 1 else ''}" if authors else "Untitled paper"
