"""Text as listings print it becomes plain text: entities, invisible characters, TeX, Markdown, line breaks.

pylatexenc is imported on the first text that holds TeX, so importing this module is cheap.
"""

from __future__ import annotations

import html
import logging
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

_CONTROLS = dict.fromkeys([*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)])
"""C0 and C1 controls but tab and line ends: a title must not be able to drive a terminal."""
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # window titles, links
    r"|\x1b(?:[#%()*+./-][0-~]|[78=>c])"
)
"""The escape sequences of terminals (ECMA-48), whole: without its ESC alone the rest would stay as debris."""
_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
_DROPPED = _CONTROLS | _INVISIBLE | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_MATH = r"""(?:\$\$(?:[^$\\]|\\.)+\$\$                                      # display maths
    | \$(?=[^\s$])(?=[^$]*[\\^_{=])(?:[^$\\]|\\.)+(?<!\s)\$             # what only maths would hold
    | \$(?=[^\s$])(?:[^$\\]|\\.)+(?<!\s)\$(?!\d))                       # not "$5-$10"
"""
_WORD = re.compile(rf"(?: {_MATH} | \\. | \S)+", re.VERBOSE | re.DOTALL)
_ESCAPE = re.compile(rf"(?: \\. | {_MATH} | (?P<plain>[$%&\#]))", re.VERBOSE | re.DOTALL)
_BRACE = re.compile(r"\\.|([{}])", re.DOTALL)
_TEX_SIGN = re.compile(r"[\\${}~]|``|''")
_SWITCH = re.compile(r"\\(?:tiny|small|footnotesize|normalsize|large|Large|LARGE|huge|Huge|bf|it|em|rm|sc|tt)\b\s*")
_UNREAD = re.compile(r"\\(?:(?:no)?cite[a-z]*\*?|label)\{[^{}]*\}")
_EMPHASIS = re.compile(r"(?<![\w*^])(\*{1,2})(?=[^\s*])([^*\n]{1,300}?)(?<=\S)\1(?![\w*])")
_BROKEN = re.compile(r"\b([^\W\d_]{2,})- ([^\W\d_]{2,})\b")
_URL = re.compile(r"\\url\{([^{}\s]+)\}|\b(https?://[^\s<>\"'{}|^`]+)")
_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "anonymous.4open.science")
_CUT = re.compile(r"(?:[,，、]?\s*(?:等人?|…|\.\.\.|\bet\s+al\b\.?|\b(?:and\s+)?others))\s*$")
_SUFFIX = re.compile(r"(?:Jr|Sr)\.?|I{2,3}|IV|Ph\.?D\.?|M\.?D\.?")

LONGEST_TEXT = 50_000
"""Characters of an abstract that are kept; no real one comes near it."""
LONGEST_TITLE = 1_000


def without_controls(text: str) -> str:
    """`text` without escape sequences, control characters and byte-order marks, with `\\n` line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SEQUENCE.sub("", text).translate(_CONTROLS | {0xFEFF: None})


def clean(text: str) -> str:
    """One line of plain text out of a paragraph as printed; linear in its length.

    The order matters: entities (twice at most, `&amp;lt;` occurs), NFC, invisible characters, TeX, Markdown emphasis,
    spaces. Where TeX cannot be read the text stays as it is.
    """
    for _ in range(2):
        if "&" in text:
            # only entities that end in ";": html.unescape alone reads "&noteId=" as a "not" sign
            text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    text = unicodedata.normalize("NFC", _SEQUENCE.sub("", text)).translate(_DROPPED)
    if "\\" in text or text.count("$") > 1:
        text = " ".join(text.split())
        text = unicodedata.normalize("NFC", from_tex(text))
    if "*" in text:
        text = _EMPHASIS.sub(r"\2", text)
    return " ".join(text.split())


def from_tex(text: str) -> str:
    """Plain text out of TeX; a `$` that opens no maths is money, and `%` is no comment. Raw text where it fails.

    Only the words that hold TeX are parsed (pylatexenc takes 10 ms for a whole abstract).
    """
    if len(text) > LONGEST_TEXT:
        return text
    bare = _UNREAD.sub("", _SWITCH.sub("", text)).replace("\\ ", " ")
    bare = re.sub(r"\\href\{[^{}]*\}\{([^{}]*)\}|\\url\{([^{}]*)\}", r"\1\2", bare)
    done: list[str] = []
    open_words: list[str] = []
    depth = 0
    for word in _WORD.findall(bare):
        for brace in _BRACE.findall(word):
            depth += {"{": 1, "}": -1}.get(brace, 0)
        open_words.append(word)
        if depth <= 0:
            done.append(_one_tex(" ".join(open_words)))
            open_words, depth = [], 0
    done += [_one_tex(word) for word in open_words]  # a brace that nothing closes
    return " ".join(done)


@lru_cache(maxsize=4096)
def _one_tex(text: str) -> str:
    if not _TEX_SIGN.search(text):
        return text

    def escape(found: re.Match[str]) -> str:
        return "\\" + found[0] if found["plain"] else found[0]

    try:
        flat = _tex_reader()(_ESCAPE.sub(escape, text))
    except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
        return text  # text that only looks like TeX
    return text if "%s" in flat and "%s" not in text else flat  # a macro without its arguments


@cache
def _tex_reader() -> Callable[[str], str]:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexWalker

    logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)  # it warns about every macro without arguments
    reader = LatexNodes2Text(math_mode="text", keep_comments=True)

    def read(text: str) -> str:
        nodes, _, _ = LatexWalker(text, tolerant_parsing=True).get_latex_nodes()
        return str(reader.nodelist_to_text(nodes))

    return read


@lru_cache(maxsize=512)
def normal(text: str) -> str:
    """`text` for comparing: no TeX commands, NFKC, lower case, letters and digits only, single spaces."""
    if "\\" in text:
        text = re.sub(r"\\[A-Za-z]+\*?", " ", text)
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", text).casefold()).strip()


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """The words of texts in lower case, without the halves of words that a PDF broke ("com- mon")."""
    found: set[str] = set()
    for text in texts:
        found.update(re.findall(r"[^\W\d_]+", _BROKEN.sub(" ", text).casefold()))
    return frozenset(found)


def rejoin(text: str, words: frozenset[str]) -> str:
    """Join "com- mon" where the whole is one of `words` and the halves are not; leave "post- hoc" alone."""

    def join(found: re.Match[str]) -> str:
        left, right = found[1].casefold(), found[2].casefold()
        whole = left + right in words and left not in words and right not in words
        return found[1] + found[2] if whole else found[0]

    return _BROKEN.sub(join, text) if "- " in text else text


def split_authors(line: str) -> tuple[tuple[str, ...], bool]:
    """The names of an author line, and whether the list is complete (no "等", "et al.", "and others", "...")."""
    line = clean(line)
    short = _CUT.sub("", line)
    names: list[str] = []
    for piece in re.split(r"\s*[,，、;；]\s*", short):
        if names and _SUFFIX.fullmatch(piece):
            names[-1] += f", {piece}"
        elif piece:
            names.append(piece)
    return tuple(names), short == line


@lru_cache(maxsize=4096)
def family(name: str) -> str:
    """The family name for comparing: the last word in lower case, without accents and suffix; "" for no name."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    words = [word for word in re.split(r"[\s,]+", bare) if word and not _SUFFIX.fullmatch(word)]
    return normal(words[-1]) if words else ""


def links_in(text: str) -> dict[str, str]:
    """`code` and `project` links of an abstract as read, the first of each."""
    found: dict[str, str] = {}
    for match in _URL.finditer(text):
        url = (match[1] or match[2]).replace("\\_", "_").replace("\\%", "%").rstrip("\\")
        url = url[:-1] if url[-1] in ".,)" else url
        host = re.sub(r"^https?://(?:www\.)?", "", url).split("/")[0].lower()
        found.setdefault("code" if host in _CODE_HOSTS else "project", url)
    return found
