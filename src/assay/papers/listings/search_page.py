"""The search page of a conference site, Chinese or English, copied as text: topic line, author line, abstract.

The page prints no titles; each paper gets a stand-in (`standin.py`). Lines are told apart by order and shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from assay.papers.clean import clean, links_in, split_authors
from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import (
    check_count,
    clean_abstract,
    clean_authors,
    clean_title,
    join_broken_words,
    report,
    with_venue,
)
from assay.papers.listings.standin import stand_in
from assay.papers.paper import Paper, Problem

FORMAT = "conference search page"

HEADING = "论文检索"
_FURNITURE = re.compile(
    r"论文检索|[上下]一页|首页|末页|尾页|共\s*\d+\s*[篇条页](?:论文|结果)?|收藏.{0,5}|海报|口头报告|加载更多|登录|注册|搜索|检索|返回.{0,4}|筛选|排序|"
    r"展开|收起|第\s*\d+\s*页|(?:paper )?search|papers?|next(?: page)?|prev(?:ious)?(?: page)?|load more|show more|"
    r"(?:\d+ )?(?:papers?|results?)(?: found)?|page \d+(?: of \d+)?|sign in|log in|bookmark|poster|oral|spotlight|"
    r"[\d\W]+",
    re.IGNORECASE,
)
_CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef\d\s·.,!?-]{1,19}")
_LABEL = re.compile(
    r"(?:(?P<title>标题|题目|Title)|(?P<topic>主题|领域|Topics?|Area)|(?P<authors>作者|Authors?)|(?P<abstract>摘要|Abstract))\s*[:：]\s*",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?:^|[ .-])(?:\w|Jr|Sr|Ph\.D|St)\.$")
_LONGEST_AUTHORS = 800


@dataclass
class _Block:
    """A run of lines without a blank one. `kind`: topic, authors, abstract, title, furniture; "" for not yet known."""

    line: int
    lines: list[str]
    kind: str = ""

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def last_line(self) -> int:
        return self.line + len(self.lines) - 1


@dataclass
class _Entry:
    topic: _Block | None = None
    title: _Block | None = None
    authors: _Block | None = None
    abstract: list[_Block] = field(default_factory=list)

    @property
    def blocks(self) -> list[_Block]:
        found = [block for block in (self.topic, self.title, self.authors, *self.abstract) if block]
        return sorted(found, key=lambda block: block.line)


def looks_like(text: str) -> bool:
    """At least two entries with authors and an abstract, or the Chinese page's heading and one."""
    found, _ = _entries(text[:200_000])
    whole = [entry for entry in found if entry.authors and any(len(block.text) > 200 for block in entry.abstract)]
    return len(whole) >= (1 if HEADING in text[:2000] else 2)


def read(document: Document) -> Listing:
    """The papers of a page. A missing topic stays missing, a half-read entry is kept and reported."""
    problems: list[Problem] = list(document.problems)
    entries, furniture = _entries(document.text)
    check_count(document, len(entries))
    if unknown := [block for block in furniture if not _FURNITURE.fullmatch(block.text.strip())]:
        shown = ", ".join(repr(block.text.strip()) for block in unknown[:5])
        report(document, problems, f"page furniture left out: {shown}", line=unknown[0].line)
    papers = [_paper(entry, number, document, problems) for number, entry in enumerate(entries, 1)]
    return Listing(with_venue(join_broken_words(papers), document), problems, {document.name: FORMAT})


def _paper(entry: _Entry, number: int, document: Document, problems: list[Problem]) -> Paper:
    blocks = entry.blocks
    abstract, raw, cut = clean_abstract("\n\n".join(block.text for block in entry.abstract))
    authors, complete, long_authors = clean_authors(entry.authors.text) if entry.authors else ((), False, "")
    title, long = clean_title(entry.title.text) if entry.title else ("", "")
    shown = stand_in(abstract, raw, authors)
    whats = [cut, long, long_authors]
    if not authors:
        whats.append("no author line before the abstract")
    if not abstract:
        whats.append("authors without an abstract")
    report(document, problems, *whats, line=blocks[0].line, entry=number)
    for block in entry.abstract[1:]:
        what = "taken as a further paragraph of the abstract; another paper's, if its author line was not recognised"
        report(document, problems, what, line=block.line, entry=number)
    area, _, sub = clean(entry.topic.text).partition(" · ") if entry.topic else ("", "", "")
    return Paper(
        title=title or shown.title,
        title_source="listing" if title else shown.source,
        authors=authors,
        authors_complete=complete and bool(authors),
        abstract=abstract,
        abstract_raw=raw,
        topics=((area, sub),) if area else (),
        links=links_in(raw),
        extra={"name": shown.name} if shown.name and not title else {},
        sources=(document.source(FORMAT, number, blocks[0].line, blocks[-1].last_line),),
    )


def _entries(text: str) -> tuple[list[_Entry], list[_Block]]:
    """The entries, and the blocks that are no part of any."""
    blocks = _blocks(text)
    furniture = [block for block in blocks if block.kind == "furniture"]
    blocks = [block for block in blocks if block.kind != "furniture"]
    entries: list[_Entry] = []
    entry: _Entry | None = None
    for at, block in enumerate(blocks):
        after = blocks[at + 1] if at + 1 < len(blocks) else None
        kind = block.kind or _kind(block, entry, after)
        if kind == "furniture":
            furniture.append(block)
            continue
        if entry is None or (kind != "abstract" and (entry.abstract or getattr(entry, kind) is not None)):
            entry = _Entry()
            entries.append(entry)
        if kind == "abstract":
            entry.abstract.append(block)
        else:
            setattr(entry, kind, block)
    return entries, furniture


def _kind(block: _Block, entry: _Entry | None, after: _Block | None) -> str:
    """What a block is, given the entry under way and the block after it."""
    text = block.text.strip()
    long_after = after is not None and (after.kind == "abstract" or (not after.kind and len(after.text) > 200))
    if _is_topic(text) and (after is None or len(after.text) <= _LONGEST_AUTHORS or not _is_authors(text)):
        return "topic"
    expected = entry is not None and entry.authors is None and not entry.abstract  # right after a topic or a title
    if _is_authors(text):
        if _CHINESE.fullmatch(text) and not _are_chinese_names(text):
            return "furniture"
        if long_after and (expected or _capitalised(text)):
            return "authors"
        if (expected or after is None or _is_topic(after.text.strip())) and _several_names(text):
            return "authors"
    elif _CHINESE.fullmatch(text):
        return "furniture"
    if entry is None and len(text) < 100:
        return "furniture"  # a heading above the first entry
    return "abstract"


def _blocks(text: str) -> list[_Block]:
    """Runs of lines without a blank one; topic and author lines that no blank line sets apart are cut off."""
    found: list[_Block] = []
    start, lines = 1, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            if not lines:
                start = number
            lines.append(line)
        elif lines:
            found += _cut(start, lines)
            lines = []
    return found


def _cut(start: int, lines: list[str]) -> list[_Block]:
    found: list[_Block] = []
    rest: _Block | None = None
    after_topic = False
    for number, line in enumerate(lines, start):
        text = line.strip()
        label = _LABEL.match(text)
        if label and label.lastgroup:
            rest = _Block(number, [text[label.end() :]], label.lastgroup)
            found.append(rest)
        elif _FURNITURE.fullmatch(text[:100]) and len(text) < 100:
            found.append(_Block(number, [text], "furniture"))
            rest = None
        elif len(lines) > 1 and (
            _is_topic(text) or _several_names(text) or (after_topic and rest is None and _is_authors(text))
        ):
            found.append(_Block(number, [text]))
            rest = None
        elif rest:
            rest.lines.append(line)
        else:
            rest = _Block(number, [line])
            found.append(rest)
        after_topic = _is_topic(text)
    return found


def _is_topic(text: str) -> bool:
    """One line of at most 100 characters with exactly one " · " and no full stop."""
    return len(text) <= 100 and text.count(" · ") == 1 and "\n" not in text and not text.endswith(".")


def _is_authors(text: str) -> bool:
    """One line whose comma pieces have one to six words, no digits, and no full stop but after an initial."""
    if len(text) > _LONGEST_AUTHORS or "\n" in text or re.search(r"[\d:：;；!?。]", text):
        return False
    names, complete = split_authors(text)
    if not complete:
        return all(len(name.split()) <= 6 for name in names) and bool(names)
    return bool(names) and all(
        1 <= len(name.split()) <= 6 and (not name.endswith(".") or _INITIAL.search(name)) for name in names
    )


def _several_names(text: str) -> bool:
    """Whether an author line shows by itself that it is one: several names of two to five words, or a cut list."""
    if not _is_authors(text):
        return False
    names, complete = split_authors(text)
    full = sum(2 <= len(name.split()) <= 5 and _capitalised(name) for name in names)
    return (not complete and full * 2 >= len(names)) or (len(names) > 1 and full * 3 >= len(names) * 2)


def _capitalised(text: str) -> bool:
    """Whether a third of the words or more begin as names do: with no lower-case letter."""
    words = re.findall(r"[^\W\d_][\w'-]*", text)
    return sum(not word[0].islower() for word in words) * 3 >= len(words) > 0


def _are_chinese_names(text: str) -> bool:
    names, _ = split_authors(text)
    return all(2 <= len(name) <= 4 for name in names)
