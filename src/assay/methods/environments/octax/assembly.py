"""An assembler for CHIP-8 and SUPER-CHIP (ours, with the mnemonics of the field).

A program is lines of text:

    ; a comment
    ball = V3                 ; a name for a register
    SPEED = 2 * 3             ; a constant
    start:                    ; a label
        LD ball, SPEED        ; an instruction
    .loop:                    ; a local label: belongs to the label before it
        DRW V0, V1, 5
        JP .loop
    ship:
        sprite "..##..##"     ; a row of 8 (or 16) pixels each: # is lit, . is dark
        byte 1, 0b101, 0x7F, 'A'

Instructions: CLS RET JP CALL SE SNE LD ADD OR AND XOR SUB SUBN SHR SHL RND DRW SKP SKNP SYS, and of SUPER-CHIP SCD SCR
SCL EXIT LOW HIGH. Special operands: I, [I], DT, ST, K (wait for a key), F (small digit), HF (large digit), B (decimal
digits), R (RPL flags). Data: `byte`, `word`, `text "AB"`, `sprite`, `space n`, `align n`, `org address`. Numbers are
expressions of + - * // % << >> & | ^ ~ and brackets over constants, labels and `$`, the address of the line.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.methods.environments.octax.machine import LARGEST_ROM, MEMORY, PROGRAM_START


@dataclass(frozen=True)
class Line:
    """A line of source and what it became."""

    number: int
    """Counted from 1."""
    address: int
    data: bytes
    text: str


@dataclass(frozen=True)
class Program:
    """An assembled program."""

    rom: bytes
    labels: dict[str, int]
    """Addresses by label; local ones as `label.local`."""
    lines: tuple[Line, ...]

    @property
    def listing(self) -> str:
        """Address, bytes and source of every line."""
        rows = []
        for line in self.lines:
            parts = [line.data[i : i + 6] for i in range(0, len(line.data), 6)] or [b""]
            where = f"{line.address:03X}" if line.data else "   "
            rows.append(f"{where}  {parts[0].hex(' ').upper():<17}  {line.text}".rstrip())
            rows += [f"{line.address + 6 * i:03X}  {part.hex(' ').upper()}" for i, part in enumerate(parts) if i]
        return "\n".join(rows) + "\n"

    def label_at(self, address: int) -> str | None:
        """The label of an address, or None.

        Args:
            address: 0 to 4095.
        """
        return next((name for name, at in self.labels.items() if at == address), None)


class AssemblyError(ValueError):
    """A program that cannot be assembled: every mistake in it, a line each, `name:line:column: what`.

    Attributes: problems, the lines.
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class _Mistake(Exception):
    """A mistake at a column of the line at hand."""

    def __init__(self, column: int, what: str) -> None:
        self.column, self.what = column, what


# --- what instructions look like -----------------------------------------------------------------------------------

# One form: kinds of operands, then the opcode from their values. Kinds: x a register; 0 register V0; n, b, a numbers of
# 4, 8 and 12 bits; anything else a special operand by its name.
_Form = tuple[tuple[str, ...], Callable[..., int]]


def _alu(n: int) -> list[_Form]:
    return [(("x", "x"), lambda x, y: 0x8000 | x << 8 | y << 4 | n)]


def _shift(n: int) -> list[_Form]:
    return [*_alu(n), (("x",), lambda x: 0x8000 | x << 8 | x << 4 | n)]


def _fixed(opcode: int) -> list[_Form]:
    return [((), lambda: opcode)]


def _one(nn: int, *names: str) -> _Form:
    """An Fxnn whose operands are a register and special ones, in the order of `names` ("x" is the register)."""
    return names, lambda x: 0xF000 | x << 8 | nn


FORMS: dict[str, list[_Form]] = {
    "CLS": _fixed(0x00E0),
    "RET": _fixed(0x00EE),
    "SCR": _fixed(0x00FB),
    "SCL": _fixed(0x00FC),
    "EXIT": _fixed(0x00FD),
    "LOW": _fixed(0x00FE),
    "HIGH": _fixed(0x00FF),
    "SCD": [(("n",), lambda n: 0x00C0 | n)],
    "SYS": [(("a",), lambda a: a)],
    "JP": [
        (("a",), lambda a: 0x1000 | a),
        (("0", "a"), lambda a: 0xB000 | a),
        (("x", "b"), lambda x, b: 0xB000 | x << 8 | b),
    ],
    "CALL": [(("a",), lambda a: 0x2000 | a)],
    "SE": [(("x", "x"), lambda x, y: 0x5000 | x << 8 | y << 4), (("x", "b"), lambda x, b: 0x3000 | x << 8 | b)],
    "SNE": [(("x", "x"), lambda x, y: 0x9000 | x << 8 | y << 4), (("x", "b"), lambda x, b: 0x4000 | x << 8 | b)],
    "ADD": [
        (("I", "x"), lambda x: 0xF01E | x << 8),
        (("x", "x"), lambda x, y: 0x8004 | x << 8 | y << 4),
        (("x", "b"), lambda x, b: 0x7000 | x << 8 | b),
    ],
    "OR": _alu(1),
    "AND": _alu(2),
    "XOR": _alu(3),
    "SUB": _alu(5),
    "SUBN": _alu(7),
    "SHR": _shift(6),
    "SHL": _shift(0xE),
    "RND": [(("x", "b"), lambda x, b: 0xC000 | x << 8 | b)],
    "DRW": [(("x", "x", "n"), lambda x, y, n: 0xD000 | x << 8 | y << 4 | n)],
    "SKP": [(("x",), lambda x: 0xE09E | x << 8)],
    "SKNP": [(("x",), lambda x: 0xE0A1 | x << 8)],
    "LD": [
        (("I", "a"), lambda a: 0xA000 | a),
        _one(0x07, "x", "DT"),
        _one(0x0A, "x", "K"),
        _one(0x15, "DT", "x"),
        _one(0x18, "ST", "x"),
        _one(0x29, "F", "x"),
        _one(0x30, "HF", "x"),
        _one(0x33, "B", "x"),
        _one(0x55, "[I]", "x"),
        _one(0x65, "x", "[I]"),
        _one(0x75, "R", "x"),
        _one(0x85, "x", "R"),
        (("x", "x"), lambda x, y: 0x8000 | x << 8 | y << 4),
        (("x", "b"), lambda x, b: 0x6000 | x << 8 | b),
    ],
}
"""Every instruction's forms by its mnemonic."""
DATA = ("byte", "word", "text", "sprite", "space", "align", "org")
_SPECIAL = ("I", "[I]", "DT", "ST", "K", "F", "HF", "B", "R")
_SHOWN = {"x": "Vx", "0": "V0", "n": "0..15", "b": "byte", "a": "address"}
_LIMITS = {"n": (0, 15, "0 to 15"), "b": (-128, 255, "-128 to 255"), "a": (0, 0xFFF, "0 to 0xFFF")}
_NAME = re.compile(r"[A-Za-z_]\w*")
_LABEL = re.compile(r"\s*(\.?[A-Za-z_]\w*)\s*:")
_CONSTANT = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
_WORD = re.compile(r"\s*([A-Za-z_]\w*)")
_REGISTER = re.compile(r"[Vv]([0-9A-Fa-f])")
_LIT, _DARK = "#XxOo*@", ". "


def assemble(source: str, name: str = "<source>") -> Program:
    """The program of an assembly text, in the language this module describes.

    Args:
        source: the text.
        name: what errors call it.

    Raises AssemblyError with every mistake, each with its line and column and how to put it right.
    """
    return _Assembler(source, name).program()


@dataclass
class _Item:
    """A line that puts bytes somewhere: an instruction or data."""

    number: int
    word: str
    column: int
    operands: list[tuple[str, int]]
    """Text and column of each."""
    scope: str
    address: int = 0
    size: int = 2
    data: bytes = b""


@dataclass
class _Assembler:
    source: str
    name: str
    problems: list[tuple[int, int, str]] = field(default_factory=list)
    names: dict[str, int | str] = field(default_factory=dict)
    """Labels and constants; a register's name is the text "V3"."""
    labels: dict[str, int] = field(default_factory=dict)
    items: list[_Item] = field(default_factory=list)

    def program(self) -> Program:
        texts = self.source.splitlines()
        self._read(texts)
        for item in self.items:
            self._try(item.number, lambda item=item: self._encode(item))  # type: ignore[misc]
        end = max((item.address + item.size for item in self.items), default=PROGRAM_START)
        if end > MEMORY:
            self.problems.append((len(texts), 1, f"the program has {end - PROGRAM_START} bytes; at most {LARGEST_ROM}"))
        if not self.problems and end == PROGRAM_START:
            self.problems.append((1, 1, "the program is empty; write an instruction"))
        if self.problems:
            shown = (f"{self.name}:{line}:{column}: {what}" for line, column, what in sorted(set(self.problems)))
            raise AssemblyError(list(shown))
        rom = bytearray(end - PROGRAM_START)
        by_line: dict[int, _Item] = {}
        for item in self.items:
            rom[item.address - PROGRAM_START : item.address - PROGRAM_START + len(item.data)] = item.data
            by_line[item.number] = item
        lines, address = [], PROGRAM_START
        for number, text in enumerate(texts, 1):
            found = by_line.get(number)
            address = found.address if found else address
            lines.append(Line(number, address, found.data if found else b"", text))
            address += len(found.data) if found else 0
        return Program(bytes(rom), dict(self.labels), tuple(lines))

    def _try(self, number: int, action: Callable[[], object]) -> None:
        try:
            action()
        except _Mistake as mistake:
            self.problems.append((number, mistake.column, mistake.what))

    # --- first pass: where everything lies -------------------------------------------------------------------------

    def _read(self, texts: list[str]) -> None:
        self.at, self.scope = PROGRAM_START, ""
        for number, text in enumerate(texts, 1):
            self._try(number, lambda number=number, text=text: self._read_line(number, text))  # type: ignore[misc]

    def _read_line(self, number: int, text: str) -> None:
        text = _without_comment(text)
        start = 0
        if found := _LABEL.match(text):
            self._label(found[1], found.start(1) + 1)
            start = found.end()
        elif found := _CONSTANT.match(text):
            self._constant(found[1], found.start(1) + 1, text[found.end() :].strip(), found.end() + 1)
            return
        if not text[start:].strip():
            return
        found = _WORD.match(text, start)
        if not found:
            column = len(text) - len(text[start:].lstrip()) + 1
            raise _Mistake(column, f"{text[start:].strip()[:20]!r} is no instruction, label or constant")
        item = _Item(number, found[1], found.start(1) + 1, _split(text, found.end()), self.scope, self.at)
        item.size = self._size(item)
        self.items.append(item)
        self.at = item.address + item.size

    def _label(self, name: str, column: int) -> None:
        if name.startswith("."):
            if not self.scope:
                raise _Mistake(column, f"local label {name!r} stands before any label; write one above it")
            name = self.scope + name
        else:
            self.scope = name
        self._new(name, column, self.at)
        self.labels[name] = self.at

    def _constant(self, name: str, column: int, text: str, at: int) -> None:
        register = self._register(text)
        self._new(name, column, f"V{register:X}" if register is not None else self._value(text, at))

    def _new(self, name: str, column: int, value: int | str) -> None:
        if _REGISTER.fullmatch(name) or name.upper() in _SPECIAL:
            raise _Mistake(column, f"{name!r} is a register or special operand; take another name")
        if name.upper() in FORMS or name.lower() in DATA:
            raise _Mistake(column, f"{name!r} is an instruction; take another name")
        if name in self.names:
            raise _Mistake(column, f"{name!r} is there already; take another name")
        self.names[name] = value

    def _size(self, item: _Item) -> int:
        word, operands = item.word.lower(), item.operands
        if item.word.upper() in FORMS:
            return 2
        if word not in DATA:
            close = difflib.get_close_matches(item.word.upper(), FORMS, 2) or difflib.get_close_matches(word, DATA, 2)
            raise _Mistake(item.column, f"unknown instruction {item.word!r}" + _meant(close))
        if not operands:
            raise _Mistake(item.column, f"{word} needs an operand")
        if word in ("byte", "word"):
            return len(operands) * (1 if word == "byte" else 2)
        if word in ("text", "sprite"):
            return sum(len(self._string(item, *operand)) for operand in operands)
        number = self._value(*operands[0])
        if word == "space":
            if not 0 <= number <= LARGEST_ROM:
                raise _Mistake(operands[0][1], f"space {number}; 0 to {LARGEST_ROM}")
            return number
        if word == "align":
            if not 1 <= number <= MEMORY:
                raise _Mistake(operands[0][1], f"align {number}; 1 to {MEMORY}")
            return -self.at % number
        if not self.at <= number <= MEMORY:
            raise _Mistake(operands[0][1], f"org 0x{number:X} lies before 0x{self.at:X}, where the program is already")
        return number - self.at

    def _string(self, item: _Item, text: str, column: int) -> bytes:
        try:
            string = ast.literal_eval(text) if text[:1] == '"' else None
        except (SyntaxError, ValueError):
            string = None
        if not isinstance(string, str):
            raise _Mistake(column, f"{item.word} takes text in double quotes, not {text[:20]!r}")
        if item.word.lower() == "text":
            if not string.isascii():
                raise _Mistake(column, "text takes ASCII characters only")
            return string.encode("ascii")
        wrong = next((c for c in string if c not in _LIT + _DARK), None)
        if wrong is not None or len(string) not in (8, 16):
            what = f"holds {wrong!r}" if wrong is not None else f"has {len(string)} pixels"
            raise _Mistake(column, f"a row of a sprite {what}; 8 or 16 of . (dark) and # (lit) are needed")
        bits = "".join("1" if c in _LIT else "0" for c in string)
        return int(bits, 2).to_bytes(len(bits) // 8, "big")

    # --- second pass: bytes ----------------------------------------------------------------------------------------

    def _encode(self, item: _Item) -> None:
        word = item.word.lower()
        self.at, self.scope = item.address, item.scope
        if item.word.upper() in FORMS:
            item.data = self._instruction(item).to_bytes(2, "big")
        elif word == "byte":
            item.data = bytes(self._number("b", *operand) & 0xFF for operand in item.operands)
        elif word == "word":
            item.data = b"".join(self._in(0, 0xFFFF, *operand).to_bytes(2, "big") for operand in item.operands)
        elif word in ("text", "sprite"):
            item.data = b"".join(self._string(item, *operand) for operand in item.operands)
        else:
            fill = self._number("b", *item.operands[1]) if word == "space" and len(item.operands) > 1 else 0
            item.data = bytes([fill & 0xFF]) * item.size

    def _instruction(self, item: _Item) -> int:
        forms = FORMS[item.word.upper()]
        kinds = [self._kind(text) for text, _ in item.operands]
        for form, encode in forms:
            if len(form) == len(kinds) and all(_fits(want, kind) for want, kind in zip(form, kinds, strict=True)):
                values = []
                for want, (text, column) in zip(form, item.operands, strict=True):
                    if want == "x":
                        values.append(self._register(text))
                    elif want in _LIMITS:
                        number = self._number(want, text, column)
                        values.append(number & 0xFF if want == "b" else number)
                return encode(*values)
        shown = ", ".join(f"{item.word.upper()} {', '.join(_SHOWN.get(k, k) for k in form)}".strip() for form, _ in forms)
        raise _Mistake(item.column, f"{item.word} does not take these operands; there is {shown}")

    def _kind(self, text: str) -> str:
        register = self._register(text)
        if register is not None:
            return f"V{register:X}"
        return text.upper() if text.upper() in _SPECIAL else "number"

    def _register(self, text: str) -> int | None:
        named = self.names.get(text)
        found = _REGISTER.fullmatch(named if isinstance(named, str) else text)
        return int(found[1], 16) if found else None

    def _number(self, kind: str, text: str, column: int) -> int:
        low, high, _ = _LIMITS[kind]
        return self._in(low, high, text, column)

    def _in(self, low: int, high: int, text: str, column: int) -> int:
        value = self._value(text, column)
        if not low <= value <= high:
            raise _Mistake(column, f"{text} is {value}; {low} to {high} is possible here")
        return value

    def _value(self, text: str, column: int) -> int:
        """The number of an expression."""
        readable = re.sub(r"(?<![\w.])\.([A-Za-z_]\w*)", lambda m: f"{_local(self.scope)}{m[1]}", text).replace("$", "_HERE_")
        readable = re.sub(r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)", lambda m: f"{_local(m[1])}{m[2]}", readable)
        try:
            tree = ast.parse(readable.strip() or "?", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise _Mistake(column, f"{text[:30]!r} is no number or expression") from None
        return self._evaluate(tree, text, column, 0)

    def _evaluate(self, node: ast.expr, text: str, column: int, depth: int) -> int:
        if depth > 50:
            raise _Mistake(column, f"{text[:30]!r} is nested too deep")
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return value
            case ast.Constant(value=str(value)) if len(value) == 1:
                return ord(value)
            case ast.Name(id="_HERE_"):
                return self.at
            case ast.Name(id=name):
                return self._lookup(name, column)
            case ast.UnaryOp(op=ast.USub() | ast.Invert() | ast.UAdd() as op, operand=operand):
                value = self._evaluate(operand, text, column, depth + 1)
                return -value if isinstance(op, ast.USub) else ~value if isinstance(op, ast.Invert) else value
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                a, b = (self._evaluate(side, text, column, depth + 1) for side in (left, right))
                if isinstance(op, ast.FloorDiv | ast.Div | ast.Mod) and b == 0:
                    raise _Mistake(column, f"{text}: division by zero")
                if isinstance(op, ast.LShift | ast.RShift) and not 0 <= b <= 16:
                    raise _Mistake(column, f"{text}: shift by {b}; 0 to 16 is possible")
                value = _OPERATORS[type(op)](a, b)
                if abs(value) > 1 << 32:
                    raise _Mistake(column, f"{text}: the number becomes too large")
                return value
        raise _Mistake(column, f"{text[:30]!r} is no number or expression")

    def _lookup(self, name: str, column: int) -> int:
        shown = re.sub(r"_LOCAL_(\w*)_OF_", r"\1.", name)
        value = self.names.get(shown)
        if isinstance(value, int):
            return value
        if isinstance(value, str) or _REGISTER.fullmatch(shown):
            raise _Mistake(column, f"{shown} is a register; a number is needed here")
        close = difflib.get_close_matches(shown, [n for n, v in self.names.items() if isinstance(v, int)], 2)
        raise _Mistake(column, f"unknown label or constant {shown!r}" + (_meant(close) if close else "; define it"))


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}


def _local(scope: str) -> str:
    """What a local label's name begins with, as one word of Python."""
    return f"_LOCAL_{scope}_OF_"


def _meant(close: list[str]) -> str:
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _fits(want: str, kind: str) -> bool:
    if want == "x":
        return kind.startswith("V")
    if want == "0":
        return kind == "V0"
    return kind == "number" if want in _LIMITS else kind == want


def _quoted(text: str) -> list[bool]:
    """For every character, whether it lies inside quotes."""
    inside, quote = [], ""
    for i, c in enumerate(text):
        inside.append(bool(quote))
        if quote:
            quote = "" if c == quote else quote
        elif c == '"' or (c == "'" and text[i + 2 : i + 3] == "'"):
            quote = c
    return inside


def _without_comment(text: str) -> str:
    inside = _quoted(text)
    end = next((i for i, c in enumerate(text) if c == ";" and not inside[i]), len(text))
    return text[:end]


def _split(text: str, start: int) -> list[tuple[str, int]]:
    """The operands after `start`, with their columns; sprites may follow each other without commas."""
    inside, parts, begin = _quoted(text), [], start
    for i in range(start, len(text) + 1):
        if i == len(text) or (text[i] == "," and not inside[i]):
            part = text[begin:i]
            parts.append((part.strip(), begin + len(part) - len(part.lstrip()) + 1))
            begin = i + 1
    return parts if text[start:].strip() else []
