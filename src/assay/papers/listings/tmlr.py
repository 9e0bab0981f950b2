"""The TMLR digest mails, daily and weekly: accepted papers, new submissions (no authors), new certifications."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from assay.papers.listings.document import Document, Listing
from assay.papers.listings.entry import (
    FORUM,
    check_count,
    clean_abstract,
    clean_authors,
    clean_title,
    forum_links,
    join_broken_words,
    report,
)
from assay.papers.listings.standin import stand_in
from assay.papers.paper import Paper, Problem, Status

FORMAT = "TMLR digest"

BANNER = re.compile(r"\b(?:Daily|Weekly) TMLR digest for ([A-Z][a-z]{2,8}) +(\d{1,2}), *(\d{4})")
_HEADINGS: dict[str, Status] = {
    "New certifications": "certified",
    "Accepted papers": "accepted",
    "New submissions": "submitted",
}
_RULED = re.compile(rf"^[> ]*(?:{'|'.join(_HEADINGS)})[ \t]*\n(?:[> \t]*\n){{0,5}}[> \t]*===", re.MULTILINE)
_RULE = re.compile(r"={3,}\s*")
_END = re.compile(r"-{3,}\s*")
_LABEL = re.compile(r"(Title|Authors|Abstract|URL)\s*[:：]\s*(.*)", re.DOTALL)
_CERTIFICATIONS = re.compile(r"((?:[^:,]*? Certification)(?:, ?[^:,]*? Certification)*): ?(.*)", re.DOTALL)
_FOOTER = re.compile(
    r"[\s>_=*-]*$|[\s>]*(?:you (?:have )?received this|you are receiving|to (?:unsubscribe|stop|view this|post to)"
    r"|unsubscribe|for more options|visit |https?://(?!\S*openreview)|mailing list|\S+ mailing list|sent (?:from|by)"
    r"|TMLR\b|the TMLR|best|regards|thanks|\S+@\S+$)",
    re.IGNORECASE,
)
"""Lines of the footers that mailing lists and mail programs add."""
_LONG = 200
"""Characters of a line above a digest that is no header of a mail: what holds one is reported."""
_ORDER = ("Title", "Authors", "Abstract", "URL")


def looks_like(text: str) -> bool:
    """A banner line, or one of the three headings with a rule below."""
    return bool(BANNER.search(text) or _RULED.search(text))


def banner_date(text: str) -> str:
    """The ISO date of the first digest banner in `text`, or ""."""
    found = BANNER.search(text)
    if not found:
        return ""
    try:
        return datetime.strptime(f"{found[1][:3]} {found[2]} {found[3]}", "%b %d %Y").date().isoformat()
    except ValueError:
        return ""


@dataclass
class _Entry:
    """The lines of one entry, by field. `state` is the field that a line without a label goes on."""

    first_line: int
    last_line: int = 0
    state: str = ""
    fields: dict[str, list[str]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    doubts: list[tuple[str, int]] = field(default_factory=list)

    def text(self, name: str) -> str:
        return "\n".join(self.fields.get(name, ())).strip()


def read(document: Document, read_other: Callable[[Document], Listing | None] = lambda _: None) -> Listing:
    """The papers of one or more digests in one text; a digest without entries is valid and gives none.

    `read_other` is given the text before, between and after the digests, and reads it where it is a listing.
    """
    reader = _Reader(document)
    for number, line in enumerate(_unquoted(document.text), 1):
        reader.line(number, line.rstrip())
    reader.end_entry()
    reader.end()
    papers = join_broken_words(reader.papers)
    if papers and not all(paper.dates for paper in papers):
        reader.problems.append(document.problem("no digest date found: the papers have no date"))
    if not papers and FORUM.search(document.text):
        reader.problems.append(document.problem("a digest, but no entry could be read: its layout is another one"))
    found = Listing(papers, document.problems + reader.problems, {document.name: FORMAT})
    for lines, after in reader.outside:
        _read_outside(document, lines, after, read_other, found)
    return found


def _read_outside(
    document: Document,
    lines: list[tuple[int, str]],
    after: bool,
    read_other: Callable[[Document], Listing | None],
    found: Listing,
) -> None:
    """Read lines around a digest as another listing, or report them where they are no header and no footer."""
    text, last = [], 0
    for number, line in lines:
        text.append("\n" * (number - 1 - last) + line + "\n")  # so that line numbers stay those of the document
        last = number
    other = read_other(document.with_text("".join(text)))
    if other is not None:
        found.papers += other.papers
        found.problems += [problem for problem in other.problems if problem not in found.problems]
        found.formats[document.name] = " and ".join([FORMAT, *other.formats.values()])
        return
    telling = [(at, line) for at, line in lines if (len(line) > _LONG or (after and not _FOOTER.match(line)))]
    if telling:
        at, line = telling[0]
        what = f"lines from {at} on are no part of a digest and were not read; split the file: {line.strip()[:60]!r}"
        found.problems.append(document.problem(what, at))


def _unquoted(text: str) -> list[str]:
    """The lines, without the "> " that a forwarded mail puts before each."""
    lines = text.split("\n")
    marked = re.compile(r"((?:> ?)+)(?:" + "|".join(_HEADINGS) + r")\s*$")
    quote = next((found[1] for found in map(marked.match, lines) if found), "")
    depth = quote.count(">")
    return [re.sub(rf"^(?:> ?){{1,{depth}}}", "", line) for line in lines] if depth else lines


class _Reader:
    """Takes the lines one by one. Outside of entries it skips what it does not know (furniture, list footers)."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.papers: list[Paper] = []
        self.problems: list[Problem] = []
        self.status: Status | None = None
        self.listed = document.listed
        self.entry: _Entry | None = None
        self.skipped: list[tuple[int, str]] = []
        self.outside: list[tuple[list[tuple[int, str]], bool]] = []
        """Lines around digests, and whether a digest is above them."""
        self.above = (0, "")

    def line(self, number: int, line: str) -> None:
        before, self.above = self.above, (number, line) if line.strip() else self.above
        if self.entry is None or self.entry.state in ("", "URL"):
            if line.strip() in _HEADINGS:
                self.end_entry()
                if self.status is not None or any("openreview.net" in skipped for _, skipped in self.skipped):
                    self._report_skipped()
                self._leave()
                self.status = _HEADINGS[line.strip()]
                return
            if _RULE.fullmatch(line):
                self._unknown_heading(*before)
                return
            if BANNER.search(line):
                self.end_entry()
                self.listed = banner_date(line) or self.listed
                self._leave()
                self.status = None
                return
        elif _RULE.fullmatch(line) and before[1].strip() in _HEADINGS:
            self._heading_in_abstract(before[1].strip())
            return
        if self.status is None:
            self.skipped.append((number, line))
            return
        if _END.fullmatch(line):
            self._separator()
        elif self.status == "certified":
            self._certification(number, line)
        else:
            self._labelled(number, line)

    def _unknown_heading(self, number: int, heading: str) -> None:
        """A rule below a line that is none of the three headings begins a section we do not know."""
        name = heading.strip()
        if not name or name in _HEADINGS or _LABEL.match(name) or len(name) > 60:
            return
        self.skipped = [] if self.status is None else [(at, text) for at, text in self.skipped if at != number]
        if self.entry and self.entry.lines[-1:] == [heading]:
            self.entry.lines.pop()
        self.end_entry()
        self.status = "unknown"
        self.problems.append(self.document.problem(f"unknown section {name[:60]!r}: its papers have no status", number))

    def _heading_in_abstract(self, heading: str) -> None:
        """The entry above was cut, so that its heading was taken for a line of the abstract."""
        if self.entry and (lines := self.entry.fields.get(self.entry.state)):
            while lines and lines.pop().strip() != heading:
                pass
        self.end_entry()
        self.status, self.skipped = _HEADINGS[heading], []

    def _separator(self) -> None:
        if self.status == "certified" or self.entry is None or self.entry.state == "URL":
            self.end_entry()
        else:
            # no link yet: "---" may be a line of the abstract; the next line tells
            self.entry.lines.append("---")

    def _labelled(self, number: int, line: str) -> None:
        label = _LABEL.match(line)
        name = label[1] if label else ""
        entry = self.entry
        if entry and entry.lines[-1:] == ["---"] and line.strip():
            if name == "Title":
                self.end_entry()
                entry = None
            else:
                entry.lines.pop()
                entry.fields.setdefault(entry.state, []).append("---")
        if entry and entry.state == "URL" and name and not (name == "URL" and not entry.text("URL")):
            if name != "Title":
                self.problems.append(
                    self.document.problem(f"an entry begins with {name!r}: its first lines are lost", number)
                )
            self.end_entry()
            entry = None
        if entry is None:
            if not name or (name == "URL" and not FORUM.search(line)):
                if line.strip():
                    self.skipped.append((number, line))
                return
            self._report_skipped()
            entry = self.entry = _Entry(number)
        entry.last_line = number if line.strip() else entry.last_line
        if entry.state == "URL":
            if not entry.text("URL") or not FORUM.search(entry.text("URL")):
                entry.fields["URL"].append(line.strip())  # a link that was wrapped onto the next line
            elif line.strip():
                entry.doubts.append((f"not understood: {line.strip()[:60]!r}", number))
        elif name and self._begins(entry, name, label[2] if label else "", number):
            entry.state = name
            entry.fields[name] = [label[2]] if label else []
        else:
            entry.fields.setdefault(entry.state, []).append(line)

    def _begins(self, entry: _Entry, name: str, rest: str, number: int) -> bool:
        """Whether a label begins the next field; inside an abstract only a link to a forum does."""
        if name == "URL":
            return "openreview.net" in rest or (not rest.strip() and entry.state in ("Abstract", "Authors"))
        if entry.state == "Abstract" and name == "Abstract":
            entry.doubts.append(("a second 'Abstract:' before the link: two entries may have run together", number))
        return entry.state == "" or _ORDER.index(name) > _ORDER.index(entry.state)

    def _certification(self, number: int, line: str) -> None:
        if self.entry is None:
            if not line.strip():
                return
            if not _CERTIFICATIONS.match(line) and not FORUM.search(line):
                self.skipped.append((number, line))
                return
            self._report_skipped()
            self.entry = _Entry(number)
        self.entry.lines.append(line)
        if line.strip():
            self.entry.last_line = number

    def _report_skipped(self) -> None:
        if self.skipped:
            number, line = self.skipped[0]
            what = f"{len(self.skipped)} lines outside of entries not understood: {line.strip()[:60]!r}"
            self.problems.append(self.document.problem(what, number))
        self.skipped = []

    def _leave(self) -> None:
        """Set the lines skipped apart, for another reader."""
        if any(line.strip() for _, line in self.skipped):
            self.outside.append((self.skipped, self.status is not None))
        self.skipped = []

    def end(self) -> None:
        """Lines after the last entry are the list's footer, unless they speak of papers."""
        if self.status is not None and any(
            "openreview.net" in line or "Certification" in line for _, line in self.skipped
        ):
            self._report_skipped()
        self._leave()

    def end_entry(self) -> None:
        """Turn the entry under way into a paper."""
        entry, self.entry = self.entry, None
        if entry is None or self.status is None:
            return
        number = len(self.papers) + 1
        check_count(self.document, number)
        certified = self.status == "certified"
        certifications = self._certification_fields(entry, number) if certified else ()
        title, about_title = clean_title(entry.text("Title"))
        abstract, raw, about_abstract = clean_abstract(entry.text("Abstract"))
        authors, complete, about_authors = clean_authors(entry.text("Authors"))
        forum = FORUM.search("".join(entry.text("URL").split()) if entry.text("URL") else "")
        missing = [
            f"no {name} line" if name not in entry.fields else f"the {name} line is empty"
            for name, found in (("Title", title), ("Authors", authors), ("Abstract", abstract))
            if not found
            and not (name == "Authors" and self.status in ("submitted", "unknown"))
            and not (name == "Abstract" and certified)
        ]
        if not forum:
            there = entry.text("URL")
            missing.append(
                f"no OpenReview link in {there[:80]!r}" if there else "no URL line: the entry is cut or damaged"
            )
        report(
            self.document,
            self.problems,
            *missing,
            about_title,
            about_authors,
            about_abstract,
            line=entry.first_line,
            entry=number,
        )
        self.problems += [self.document.problem(what, line, number) for what, line in entry.doubts]
        shown = stand_in(abstract, raw, authors) if not title else None
        self.papers.append(
            Paper(
                title=shown.title if shown else title,
                title_source=shown.source if shown else "listing",
                authors=authors,
                authors_complete=complete and bool(authors),
                abstract=abstract,
                abstract_raw=raw,
                status=self.status,
                certifications=certifications,
                venue="TMLR",
                year=int(self.listed[:4]) if self.listed else None,
                ids={"openreview": forum[1]} if forum else {},
                links=forum_links(forum[1]) if forum else {},
                dates={"listed": self.listed} if self.listed else {},
                sources=(self.document.source(FORMAT, number, entry.first_line, entry.last_line),),
            )
        )

    def _certification_fields(self, entry: _Entry, number: int) -> tuple[str, ...]:
        """Fill the fields of an entry of the certification section, which has no labels; its certifications."""
        paragraphs = [part for part in re.split(r"\n\s*\n", "\n".join(entry.lines).strip()) if part]
        parts = paragraphs if len(paragraphs) == 3 else [line for line in entry.lines if line.strip()]
        if parts and FORUM.search(parts[-1]):
            entry.fields["URL"] = [parts.pop()]
        if len(parts) > 2:
            entry.doubts.append(
                ("title or authors over several lines: taken as the last line the authors", entry.first_line)
            )
        if len(parts) > 1:
            entry.fields["Authors"] = [parts.pop()]
        heading = " ".join(" ".join(parts).split())
        found = _CERTIFICATIONS.match(heading)
        if not found:
            entry.fields["Title"] = [heading]
            entry.doubts.append(("no certification before the title", entry.first_line))
            return ()
        entry.fields["Title"] = [found[2]]
        names = tuple(name.strip().removesuffix("Certification").strip() for name in found[1].split(","))
        if "Event" in names and ": " in found[2]:
            entry.doubts.append(("the event's own text may be part of the title", entry.first_line))
        return names
