"""A line of assembly, read: its tokens, and the values of expressions in it (ours). What `assembly` builds on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

SPECIAL = ("I", "DT", "ST", "K", "F", "HF", "B", "R")
"""Operands of instructions that are no numbers and no general registers."""
DEEPEST = 40
"""How deep parentheses and constants that use constants may nest."""


@dataclass(frozen=True)
class Problem:
    """One mistake in a source: its line and column, both from 1, what it is and how to put it right."""

    line: int
    column: int
    message: str


class Mistake(Exception):
    """Carries a problem to the place where it is noted."""

    def __init__(self, where: Token, message: str) -> None:
        self.problem = Problem(where.line, where.column, message)


@dataclass(frozen=True)
class Token:
    """`kind` is name, number, string, sign, end, or broken (then the text says what is wrong)."""

    kind: str
    text: str
    line: int
    column: int


_TOKEN = re.compile(
    r"""(?P<blank>\s+|;.*) | (?P<name>\.?[A-Za-z_]\w*(?:\.\w+)*) | (?P<number>[0-9]\w*|'.')
    | (?P<string>"[^"]*") | (?P<sign><<|>>|//|[-+*/%&|^~(),:=$\[\]])""",
    re.ASCII | re.VERBOSE,
)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F_]{1,20}|0[bB][01_]{1,40}|[0-9_]{1,20}", re.ASCII)


def read_tokens(text: str, line: int) -> Iterator[Token]:
    """The tokens of a line and an end; what cannot be read is a broken token, the last."""
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            if text[at] == '"':
                message = 'the string does not end; put a " after its last character'
            elif text[at] == "'":
                message = "no character is written like this; write one between two quotes, as 'A'"
            elif text[at] == "#":
                message = "a # stands outside a string; comments start with ; and hexadecimal numbers with 0x"
            else:
                message = f"{text[at]!a} has no meaning here; take it out"
            yield Token("broken", message, line, at + 1)
            return
        if match.lastgroup != "blank":
            yield Token(str(match.lastgroup), match.group(), line, at + 1)
        at = match.end()
    yield Token("end", "the end of the line", line, len(text) + 1)


def _number(token: Token) -> int:
    """The value of a number or character."""
    text = token.text
    if text.startswith("'"):
        if not 32 <= ord(text[1]) < 127:
            raise Mistake(token, f"{text!a} is not an ASCII character; give its number")
        return ord(text[1])
    digits = text.replace("_", "")
    if not _NUMBER.fullmatch(text) or not digits[2 if digits[1:2].isalpha() else 0 :]:
        raise Mistake(token, f"{text[:24]} is not a number; write 10, 0x0A, 0b1010 or 'c'")
    base = {"x": 16, "b": 2}.get(digits[1:2].lower(), 10)
    return int(digits, base)


def register_number(text: str) -> int | None:
    """0 to 15 for V0 to VF, else None."""
    return int(text[1], 16) if re.fullmatch(r"[Vv][0-9A-Fa-f]", text) else None


def is_reserved(text: str) -> bool:
    """Whether a name is an operand of its own: a register, or what only looks like one (V16)."""
    return text.upper() in SPECIAL or bool(re.fullmatch(r"[Vv]([0-9A-Fa-f]|[0-9]+)", text))


# --- expressions ----------------------------------------------------------------------------------------------------

_BINDING = {"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6}


class Expression:
    """Evaluates a list of tokens, all of it. `lookup` gives the value of a name or `$`."""

    def __init__(self, tokens: list[Token], lookup: Callable[[Token, int], int], depth: int) -> None:
        self.tokens, self.lookup, self.depth, self.at = tokens, lookup, depth, 0

    def value(self) -> int:
        value = self._binary(1)
        rest = self.tokens[self.at]
        if rest.kind == "broken":
            raise Mistake(rest, rest.text)
        if rest.kind != "end":
            advice = "put an operator or a comma before it" if rest.kind in ("name", "number") else "take it out"
            raise Mistake(rest, f"{rest.text} does not belong after the expression; {advice}")
        return value

    def _take(self) -> Token:
        token = self.tokens[self.at]
        self.at += token.kind not in ("end", "broken")
        return token

    def _binary(self, least: int) -> int:
        left = self._unary()
        while (binding := _BINDING.get(self.tokens[self.at].text, 0)) >= least:
            operator = self._take()
            left = _apply(operator, left, self._binary(binding + 1))
        return left

    def _unary(self) -> int:
        signs = []
        while self.tokens[self.at].text in ("-", "+", "~"):
            signs.append(self._take().text)
        value = self._primary()
        for sign in reversed(signs):
            value = -value if sign == "-" else ~value if sign == "~" else value
        return value

    def _primary(self) -> int:
        token = self._take()
        if token.kind == "number":
            return _bounded(token, _number(token))
        if token.kind == "name" or token.text == "$":
            return self.lookup(token, self.depth)
        if token.text == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                raise Mistake(token, f"the expression nests deeper than {DEEPEST}; split it into constants")
            value = self._binary(1)
            close = self._take()
            if close.text != ")":
                raise Mistake(close, f"{shown(close)} stands where a ) is missing; close the parenthesis")
            self.depth -= 1
            return value
        if token.kind == "broken":
            raise Mistake(token, token.text)
        if token.kind == "string":
            raise Mistake(token, "a string is no number; write a character as 'A', or use text \"...\"")
        raise Mistake(token, f"{shown(token)} stands where a number or a name is missing; put one there")


def shown(token: Token) -> str:
    """A token as messages have it."""
    return token.text if len(token.text) <= 24 else token.text[:21] + "..."


def _apply(operator: Token, a: int, b: int) -> int:
    sign = operator.text
    if sign in ("/", "//", "%") and b == 0:
        raise Mistake(operator, "division by zero; check the value on the right")
    if sign in ("<<", ">>") and not 0 <= b <= 31:
        raise Mistake(operator, f"a shift by {b} bits; shift by 0 to 31")
    results: dict[str, Callable[[], int]] = {
        "|": lambda: a | b,
        "^": lambda: a ^ b,
        "&": lambda: a & b,
        "<<": lambda: a << b,
        ">>": lambda: a >> b,
        "+": lambda: a + b,
        "-": lambda: a - b,
        "*": lambda: a * b,
        "/": lambda: a // b,
        "//": lambda: a // b,
        "%": lambda: a % b,
    }
    return _bounded(operator, results[sign]())


def _bounded(where: Token, value: int) -> int:
    if abs(value) > 0xFFFFFFFF:
        raise Mistake(where, "the value has more than 32 bits; use smaller numbers")
    return value
