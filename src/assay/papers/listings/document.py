"""What a reader gets, `Document`, and what it gives, `Listing`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field, replace
from functools import cached_property

from assay.papers.clean import without_controls
from assay.papers.paper import Paper, Problem, Source

_BLANK = re.compile(r"(?<!\n)\n{1000,}")
_CJK_RUN = re.compile(r"[\u3400-\u9fff]{2,}")


class ListingError(Exception):
    """A listing cannot be read at all; one line that names the file and says why."""


@dataclass
class Listing:
    """The papers of a listing, what could not be read, and what each file was taken for (format by file name)."""

    papers: list[Paper] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    formats: dict[str, str] = field(default_factory=dict)

    def extend(self, other: Listing) -> None:
        """Append what another reader found."""
        self.papers += other.papers
        self.problems += other.problems
        self.formats |= other.formats


@dataclass(frozen=True)
class Document:
    """One listing as bytes, with what is known about it. Line numbers are those of `text`."""

    data: bytes
    name: str = "pasted text"
    charset: str = ""
    """As declared, where it was (mails)."""
    listed: str = ""
    """ISO date the listing is from, used where its text has none."""
    venue: str = ""
    """Given by the user for listings that do not name it."""

    @classmethod
    def of(cls, text: str, name: str = "pasted text", listed: str = "", venue: str = "") -> Document:
        """A document out of a string."""
        return cls(text.encode("utf-8", "replace"), name, listed=listed, venue=venue)

    @cached_property
    def _decoded(self) -> tuple[str, str]:
        text, guess = decode(self.data, self.charset)
        plain = without_controls(text)
        lost = len(text.replace("\r\n", "\n").replace("\ufeff", "")) - len(plain)
        told = [guess] if guess else []
        if lost:
            told.append(f"{lost} control characters left out")
        plain, runs = _without_blanks(plain)
        told += [
            f"{count} blank lines left out from line {line} on: later line numbers leave them out too"
            for line, count in runs
        ]
        return plain, "; ".join(told)

    @property
    def text(self) -> str:
        """The text, without control characters, with `\\n` line ends."""
        return self._decoded[0]

    @property
    def problems(self) -> list[Problem]:
        """What was guessed on decoding."""
        return [Problem(self._decoded[1], file=self.name)] if self._decoded[1] else []

    @cached_property
    def sha256(self) -> str:
        """Of the bytes, so the same file under another name is known again."""
        return hashlib.sha256(self.data).hexdigest()

    def source(self, format: str, entry: int, first_line: int, last_line: int) -> Source:
        """Where an entry of this document stands."""
        return Source(format, self.name, self.sha256, entry, first_line, last_line)

    def problem(self, what: str, line: int = 0, entry: int = 0) -> Problem:
        """Something wrong in this document."""
        return Problem(what, line, entry, self.name)

    def with_text(self, text: str) -> Document:
        """The same document with a text made out of it (HTML to plain)."""
        changed = replace(self)
        vars(changed)["_decoded"] = (text, self._decoded[1])
        vars(changed)["sha256"] = self.sha256
        return changed


def _without_blanks(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its longest runs of blank lines, and the line and length of the first of them.

    A run at the end goes unreported, since nothing follows it.
    """
    end = len(text.rstrip("\n"))
    if len(text) - end > 1:
        text = text[: end + 1]
    first = _BLANK.search(text)
    if not first:
        return text, []
    short = _BLANK.sub("\n\n", text)
    return short, [(text.count("\n", 0, first.start()) + 2, len(text) - len(short))]


def decode(data: bytes, declared: str = "") -> tuple[str, str]:
    """Text out of bytes, and what had to be guessed ("" for nothing). Never fails.

    A byte-order mark decides; then UTF-8, then the declared charset, then GB 18030 where the result has runs of
    Chinese, then UTF-8 with a few damaged bytes, then Windows-1252.
    """
    for mark, charset in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            text = data.decode(charset, "replace")
            return text, f"damaged {charset.upper()}" if "\ufffd" in text else ""
    try:
        # ISO 2022 ("\x1b$B...") and UTF-7 are valid ASCII: there the declaration counts
        early = declared.lower().startswith(("iso-2022", "utf-7", "hz"))
        return (data.decode(declared) if early else data.decode("utf-8")), ""
    except (UnicodeDecodeError, LookupError):
        pass
    if declared and declared.lower().replace("_", "-") not in ("utf-8", "utf8", "us-ascii", "ascii"):
        try:
            return data.decode(declared), ""
        except (UnicodeDecodeError, LookupError):
            pass
    loose = data.decode("utf-8", "replace")
    damaged = loose.count("\ufffd")
    beyond_ascii = len(loose) - damaged - len(data.decode("ascii", "ignore"))
    if damaged <= beyond_ascii:
        return loose, f"not valid UTF-8: {damaged} damaged characters"
    try:
        chinese = data.decode("gb18030")
        runs = sum(map(len, _CJK_RUN.findall(chinese)))
        if 2 * runs > len(re.findall(r"[\u3400-\u9fff]", chinese)):  # accented letters misread stand alone
            return chinese, "not UTF-8, read as GB 18030"
    except UnicodeDecodeError:
        pass
    said = f" as declared ({declared})" if declared else ""
    return data.decode("cp1252", "replace"), f"not UTF-8{' and not' + said if said else ''}, read as Windows-1252"
