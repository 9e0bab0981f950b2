"""An assembler for CHIP-8 and SUPER-CHIP programs: text in, ROM, labels and a listing out (ours).

One statement a line, `;` starts a comment:

    ball_x = V3              ; a name for a register
    SPEED  = 2               ; a constant
    start:                   ; a label; `.name:` is local to the label before it
        LD   ball_x, 10
    .loop:
        ADD  ball_x, SPEED
        JP   .loop           ; from elsewhere: start.loop
    ball:
        sprite ".##.....", "####....", ".##....."

Instructions have their classic names, listed in `FORMS`; they and the registers are read in any case, other names
exactly as written. Numbers are 10, 0x0A, 0b1010 or 'c'; `$` is the address of the statement; operators bind as in
Python, from `|` over `^`, `&`, `<< >>`, `+ -`, `* / // %` to unary `- + ~`; both divisions round down. A name may be
used before its line. Data: `byte e, ...`, `word e, ...` (high byte first), `text "ABC", 0`, `sprite "..##.#..", ...`
(8 or 16 pixels a row, lit where one of # X x O o * @ stands), `space n, fill`, `align n`, `org address`.

SHR and SHL with one operand shift it in place on every machine. `JP V0, address` and `JP Vx, address` are one opcode:
a machine with the jump quirk (SUPER-CHIP) adds the register that the address's first digit names, any other adds V0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches

from assay.methods.environments.octax.assembly_text import (
    DEEPEST,
    SPECIAL,
    Expression,
    Mistake,
    Problem,
    Token,
    is_reserved,
    read_tokens,
    register_number,
    shown,
)
from assay.methods.environments.octax.machine import LARGEST_ROM, MEMORY, PROGRAM_START


@dataclass(frozen=True)
class Form:
    """One form of an instruction: its name, its operands, and the opcode whose operands are all 0."""

    mnemonic: str
    operands: tuple[str, ...]
    opcode: int
    super_chip: bool = False

    def __str__(self) -> str:
        return f"{self.mnemonic} {', '.join(self.operands)}".strip()


def _form(text: str, opcode: int, super_chip: bool = False) -> Form:
    mnemonic, _, operands = text.partition(" ")
    return Form(mnemonic, tuple(operands.split(", ")) if operands else (), opcode, super_chip)


FORMS = (
    _form("CLS", 0x00E0),
    _form("RET", 0x00EE),
    _form("SCD nibble", 0x00C0, True),
    _form("SCR", 0x00FB, True),
    _form("SCL", 0x00FC, True),
    _form("EXIT", 0x00FD, True),
    _form("LOW", 0x00FE, True),
    _form("HIGH", 0x00FF, True),
    _form("SYS addr", 0x0000),
    _form("JP addr", 0x1000),
    _form("CALL addr", 0x2000),
    _form("SE Vx, byte", 0x3000),
    _form("SNE Vx, byte", 0x4000),
    _form("SE Vx, Vy", 0x5000),
    _form("LD Vx, byte", 0x6000),
    _form("ADD Vx, byte", 0x7000),
    _form("LD Vx, Vy", 0x8000),
    _form("OR Vx, Vy", 0x8001),
    _form("AND Vx, Vy", 0x8002),
    _form("XOR Vx, Vy", 0x8003),
    _form("ADD Vx, Vy", 0x8004),
    _form("SUB Vx, Vy", 0x8005),
    _form("SHR Vx, Vy", 0x8006),
    _form("SHR Vx", 0x8006),
    _form("SUBN Vx, Vy", 0x8007),
    _form("SHL Vx, Vy", 0x800E),
    _form("SHL Vx", 0x800E),
    _form("SNE Vx, Vy", 0x9000),
    _form("LD I, addr", 0xA000),
    _form("JP Vx, addr", 0xB000),
    _form("RND Vx, byte", 0xC000),
    _form("DRW Vx, Vy, nibble", 0xD000),
    _form("SKP Vx", 0xE09E),
    _form("SKNP Vx", 0xE0A1),
    _form("LD Vx, DT", 0xF007),
    _form("LD Vx, K", 0xF00A),
    _form("LD DT, Vx", 0xF015),
    _form("LD ST, Vx", 0xF018),
    _form("ADD I, Vx", 0xF01E),
    _form("LD F, Vx", 0xF029),
    _form("LD HF, Vx", 0xF030, True),
    _form("LD B, Vx", 0xF033),
    _form("LD [I], Vx", 0xF055),
    _form("LD Vx, [I]", 0xF065),
    _form("LD R, Vx", 0xF075, True),
    _form("LD Vx, R", 0xF085, True),
)
"""Every instruction there is. Vx and Vy are registers, addr 12 bits, byte 8 bits, nibble 4 bits."""

PIXELS_ON, PIXELS_OFF = "#XxOo*@", ". "
"""The characters of a `sprite` row."""

_BY_MNEMONIC: dict[str, list[Form]] = {}
for _each in FORMS:
    _BY_MNEMONIC.setdefault(_each.mnemonic, []).append(_each)
_DATA = ("byte", "word", "text", "sprite", "space", "align", "org")
_RANGES = {"nibble": (0, 15), "byte": (-128, 255), "word": (-0x8000, 0xFFFF), "addr": (0, 0xFFF)}
_KINDS = {"Vx": "V", "Vy": "V", "nibble": "number", "byte": "number", "addr": "number"}
_LAYOUT = {
    "space": ("space n or space n, fill", 0, LARGEST_ROM),
    "align": ("align n", 1, MEMORY),
    "org": ("org address", PROGRAM_START, MEMORY),
}
_NAMES = {"nibble": "a nibble", "byte": "a byte", "word": "a word", "addr": "an address"}


class AssemblyError(ValueError):
    """A source cannot be assembled. The text has a line for every mistake, `name:line:column: what; how`.

    Args:
        name: of the source.
        problems: the mistakes, in the order of the source.
    """

    def __init__(self, name: str, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__(name, problems)
        self.name = name

    def __str__(self) -> str:
        return "\n".join(f"{self.name}:{p.line}:{p.column}: {p.message}" for p in self.problems)


@dataclass(frozen=True)
class Line:
    """One line of the source: its number from 1, the address it starts at, the bytes it became, its text."""

    number: int
    address: int
    data: bytes
    text: str


@dataclass(frozen=True)
class Program:
    """An assembled program.

    `rom` is what a machine loads at 0x200. `labels` has the address of each label (a local one as `label.name`),
    `constants` the value of each constant, `registers` the number of each register that was given a name.
    """

    rom: bytes
    labels: dict[str, int]
    constants: dict[str, int]
    registers: dict[str, int]
    lines: tuple[Line, ...]

    @property
    def listing(self) -> str:
        """The source with addresses and bytes: a line for each of its lines, the first 8 bytes of each."""
        rows = []
        for line in self.lines:
            empty = not line.data and not line.text.partition(";")[0].strip()
            address = "" if empty else f"{line.address:03X}"
            data = line.data[:8].hex(" ").upper() + (" .." if len(line.data) > 8 else "")
            rows.append(f"{address:3}  {data:26}  {line.number:4}  {line.text}".rstrip())
        return "\n".join(rows) + "\n"

    def label_at(self, address: int) -> str | None:
        """The label that stands at an address, the first of several; None where there is none.

        Args:
            address: 0 to 4095.
        """
        return next((name for name, at in self.labels.items() if at == address), None)


def assemble(source: str, name: str = "<source>") -> Program:
    """Assemble a program; the language is described at the head of this module.

    Source: ours; the instructions' names are those in common use.

    Args:
        source: the text.
        name: what error messages call it, usually its file's name.

    Raises:
        AssemblyError: the source has mistakes; it lists all of them.
    """
    if not isinstance(source, str):
        raise ValueError(f"source: a str is needed, not {type(source).__name__}; decode the file first")
    assembler = _Assembler(source)
    assembler.place()
    assembler.encode()
    if assembler.problems:
        raise AssemblyError(name, sorted(assembler.problems, key=lambda p: (p.line, p.column)))
    return assembler.program()


# --- assembling -----------------------------------------------------------------------------------------------------


def _split(tokens: list[Token]) -> list[list[Token]]:
    """Operands, each with an end (or a broken token) as its last."""
    operands: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == "," and token.kind == "sign":
            operands[-1].append(Token("end", "a comma", token.line, token.column))
            operands.append([])
        else:
            operands[-1].append(token)
    return operands


@dataclass
class _Statement:
    """A line of the source on its way to bytes. `head` is what the statement begins with, `operands` the rest."""

    number: int
    text: str
    labels: list[Token] = field(default_factory=list)
    head: Token | None = None
    operands: list[list[Token]] = field(default_factory=list)
    defines: bool = False
    address: int = 0
    size: int = 0
    failed: bool = False
    data: bytes = b""


class _Assembler:
    """Reads all lines, then gives every line its address (`place`), then its bytes (`encode`)."""

    def __init__(self, source: str) -> None:
        self.problems: dict[Problem, None] = {}
        self.labels: dict[str, int] = {}
        self.values: dict[str, int] = {}
        self.owners: dict[str, _Statement] = {}
        self.here = PROGRAM_START
        self.scope = ""
        source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        lines = source.split("\n")
        if len(lines) > 1 and not lines[-1]:
            del lines[-1]
        self.statements = [self._read(text, number) for number, text in enumerate(lines, 1)]

    def note(self, mistake: Mistake) -> None:
        """Keep a problem, once."""
        self.problems[mistake.problem] = None

    def _read(self, text: str, number: int) -> _Statement:
        """A line's labels, what it defines or does, and its operands; names with a dot made whole."""
        statement = _Statement(number, text)
        tokens = list(read_tokens(text, number))
        while len(tokens) > 1 and tokens[0].kind == "name" and tokens[1].text == ":":
            if not tokens[0].text.startswith("."):
                self.scope = tokens[0].text
            label = self._whole(tokens[0])
            self._own(label, tokens[0].text, statement)
            statement.labels.append(label)
            tokens = tokens[2:]
        if tokens[0].kind == "end":
            return statement
        statement.head = tokens[0]
        statement.defines = tokens[0].kind == "name" and tokens[1].kind == "sign" and tokens[1].text == "="
        if statement.defines:
            statement.head = self._whole(tokens[0])
            self._own(statement.head, tokens[0].text, statement)
        rest = [self._whole(token) for token in tokens[2 if statement.defines else 1 :]]
        if rest and (statement.defines or rest[0].kind != "end"):
            statement.operands = _split(rest)
        return statement

    def _whole(self, token: Token) -> Token:
        if token.kind == "name" and token.text.startswith("."):
            return Token("name", self.scope + token.text, token.line, token.column)
        return token

    def _own(self, token: Token, written: str, statement: _Statement) -> None:
        """Enter a new name."""
        try:
            if is_reserved(written):
                raise Mistake(token, f"{written} names a register or timer; choose another name")
            if "." in written[1:]:
                raise Mistake(token, f"{written}: a dot may only come first; write .name below its label")
            if written.startswith(".") and not self.scope:
                raise Mistake(token, f"{written} stands before any label; write one above it")
            if token.text in self.owners:
                first = self.owners[token.text].number
                raise Mistake(token, f"{token.text} is defined twice, first in line {first}; rename one of them")
            self.owners[token.text] = statement
        except Mistake as mistake:
            self.note(mistake)

    # --- names and values ---

    def register(self, tokens: list[Token]) -> int | None:
        """The register that an operand names, itself or by a name given to it; else None."""
        for _ in range(DEEPEST):
            if len(tokens) != 2 or tokens[0].kind != "name":
                return None
            number = register_number(tokens[0].text)
            if number is not None:
                return number
            owner = self.owners.get(tokens[0].text)
            if owner is None or not owner.defines or len(owner.operands) != 1:
                return None
            tokens = owner.operands[0]
        return None

    def evaluate(self, tokens: list[Token], here: int, depth: int = 0) -> int:
        """The value of an expression in a statement at address `here`, 0 where that is not known yet."""

        def lookup(token: Token, depth: int) -> int:
            if token.text != "$":
                return self._value_of(token, depth)
            if not here:
                raise Mistake(token, "the address here depends on an earlier line that asks for it; use a plain number")
            return here

        return Expression(tokens, lookup, depth).value()

    def _value_of(self, token: Token, depth: int) -> int:
        name = token.text
        if name in self.labels:
            return self.labels[name]
        if name in self.values:
            return self.values[name]
        if self.register([token, Token("end", "", 0, 0)]) is not None:
            raise Mistake(token, f"{name} is a register; only numbers, constants and labels can stand here")
        owner = self.owners.get(name)
        if owner is None:
            raise Mistake(token, self._unknown(name))
        if not owner.defines:
            raise Mistake(token, f"the label {name} comes after a line that needs its address; put it before that line")
        if depth >= DEEPEST:
            raise Mistake(token, f"{name} is defined by itself, or through more than {DEEPEST} names; simplify it")
        value = self.evaluate(self._only_operand(owner), owner.address, depth + 1)
        self.values[name] = value
        return value

    def _unknown(self, name: str) -> str:
        if re.fullmatch(r"[Vv][0-9]+", name):
            return f"there is no register {name}; they are V0 to V9 and VA to VF"
        if name.upper() in SPECIAL:
            return f"{name} cannot be part of an expression; it is an operand of its own"
        if re.fullmatch(r"[0-9A-Fa-f]+", name):
            return f"{name} is not defined; write 0x{name} if it is a number"
        known = list(self.owners) if len(self.problems) < 50 else []  # guessing takes long
        return f"{name} is not defined; {_guess(name, known, f'write {name}: or {name} = ...')}"

    def _only_operand(self, statement: _Statement) -> list[Token]:
        if len(statement.operands) > 1:
            raise Mistake(statement.operands[0][-1], "a constant has one value; take out the comma and what follows")
        return statement.operands[0]

    # --- first pass: addresses ---

    def place(self) -> None:
        """Give every statement its address and size, every label its address."""
        beyond: _Statement | None = None
        for statement in self.statements:
            statement.address = self.here
            for label in statement.labels:
                if self.owners.get(label.text) is statement:
                    self.labels.setdefault(label.text, min(self.here, MEMORY))
            try:
                statement.size = self._size(statement)
            except Mistake as mistake:
                self.note(mistake)
                statement.failed = True
            self.here += statement.size
            if self.here > MEMORY and beyond is None:
                beyond = statement
        if beyond is not None and beyond.head is not None:
            size = self.here - PROGRAM_START
            advice = f"at most {LARGEST_ROM} fit; this line is the first past 0xFFF"
            self.note(Mistake(beyond.head, f"the program has {size} bytes; {advice}"))

    def _size(self, statement: _Statement) -> int:
        head, operands = statement.head, statement.operands
        if head is None or statement.defines:
            return 0
        word = head.text.lower()
        if word not in _DATA:
            return 2
        if word in ("byte", "word"):
            return len(operands) * (1 if word == "byte" else 2)
        if word == "text":
            return sum(len(each[0].text) - 2 if each[0].kind == "string" else 1 for each in operands)
        if word == "sprite":
            return sum((len(each[0].text) - 2) // 8 for each in operands if each[0].kind == "string")
        if not 1 <= len(operands) <= (2 if word == "space" else 1):
            raise Mistake(head, f"{word} with {len(operands)} values; write {_LAYOUT[word][0]}")
        value = self.evaluate(operands[0], self.here)
        low, high = _LAYOUT[word][1:]
        if not low <= value <= high:
            limits = f"{low} to {high}" if word != "org" else "0x200 to 0x1000"
            raise Mistake(operands[0][0], f"{word} {value}; give {limits}")
        if word == "space":
            return value
        if word == "align":
            return -self.here % value
        if value < self.here:
            raise Mistake(operands[0][0], f"org 0x{value:X} goes back from 0x{self.here:X}; addresses only grow")
        return value - self.here

    # --- second pass: bytes ---

    def encode(self) -> None:
        """Give every statement its bytes; evaluate every constant, used or not."""
        for statement in self.statements:
            try:
                if statement.defines:
                    tokens = self._only_operand(statement)
                    if self.register(tokens) is None:
                        self.evaluate(tokens, statement.address)
                elif statement.head is not None and not statement.failed:
                    statement.data = self._data(statement, statement.head)
            except Mistake as mistake:
                self.note(mistake)
        if self.here == PROGRAM_START and not self.problems:
            self.problems[Problem(1, 1, "the program is empty; write an instruction")] = None

    def _data(self, statement: _Statement, head: Token) -> bytes:
        word, operands, here = head.text.lower(), statement.operands, statement.address
        last = operands[-1][-1] if operands else head
        if last.kind == "broken":
            raise Mistake(last, last.text)
        if word.upper() in _BY_MNEMONIC:
            return self._instruction(head, operands, here).to_bytes(2, "big")
        if word not in _DATA:
            raise Mistake(head, _unknown_word(head, alone=not operands))
        if not operands:
            raise Mistake(head, f"{word} needs something to put there; write it behind")
        if word in ("space", "align", "org"):
            fill = self._ranged(operands[1], "byte", here) if len(operands) == 2 else 0
            return bytes([fill]) * min(statement.size, MEMORY)
        return b"".join(self._each(operands, lambda tokens: self._datum(word, tokens, here)))

    def _each(self, operands: list[list[Token]], action: Callable[[list[Token]], bytes]) -> list[bytes]:
        """What becomes of each operand, all their mistakes noted."""
        done = []
        for tokens in operands:
            try:
                done.append(action(tokens))
            except Mistake as mistake:
                self.note(mistake)
        return done

    def _datum(self, word: str, tokens: list[Token], here: int) -> bytes:
        if tokens[0].kind == "string" and word in ("text", "sprite"):
            if tokens[1].kind != "end":
                raise Mistake(tokens[1], f"{shown(tokens[1])} does not belong after a string; put a comma before it")
            return _text(tokens[0]) if word == "text" else _row(tokens[0])
        if word == "sprite":
            raise Mistake(tokens[0], f'{shown(tokens[0])} is no row; write rows of pixels as "..##..#."')
        return self._ranged(tokens, "word" if word == "word" else "byte", here).to_bytes(1 + (word == "word"), "big")

    def _kind(self, tokens: list[Token]) -> str:
        """What an operand is: "V" for a register, a special operand, or "number"."""
        if self.register(tokens) is not None:
            return "V"
        text = "".join(token.text for token in tokens[:-1]).upper()
        return text if text in (*SPECIAL, "[I]") else "number"

    def _instruction(self, head: Token, operands: list[list[Token]], here: int) -> int:
        kinds = [self._kind(tokens) for tokens in operands]
        forms = _BY_MNEMONIC[head.text.upper()]
        form = next((form for form in forms if [_KINDS.get(kind, kind) for kind in form.operands] == kinds), None)
        if form is None:
            raise self._no_form(head, operands, kinds, forms)
        opcode, before = form.opcode, len(self.problems)
        for kind, tokens in zip(form.operands, operands, strict=True):
            register = self.register(tokens)
            if register is not None:
                opcode |= register << (8 if kind == "Vx" else 4)
            elif kind in _RANGES:
                try:
                    opcode |= self._ranged(tokens, kind, here)
                except Mistake as mistake:
                    self.note(mistake)
        if len(self.problems) > before:
            return 0
        if form.operands == ("Vx",) and form.opcode >> 12 == 8:
            opcode |= opcode >> 4 & 0xF0
        if str(form) == "JP Vx, addr":
            return self._indexed_jump(opcode, operands, here)
        return opcode

    def _indexed_jump(self, opcode: int, operands: list[list[Token]], here: int) -> int:
        """Bxnn holds its register and the address's first digit in one place: they must be the same, or V0."""
        x, address = self.register(operands[0]) or 0, self._ranged(operands[1], "addr", here)
        if x and address >> 8 != x:
            where = f"0x{x:X}00 to 0x{x:X}FF; use the register that its first digit names, or V0"
            raise Mistake(operands[1][0], f"JP V{x:X} reaches only {where} (0x{address:03X} is given)")
        return opcode

    def _no_form(self, head: Token, operands: list[list[Token]], kinds: list[str], forms: list[Form]) -> Mistake:
        """The mistake of operands that fit no form of an instruction."""
        for tokens in operands:
            first = tokens[0]
            if first.kind == "end":
                return Mistake(first, f"an operand is missing before {first.text}; write it or take the comma out")
            alone = first.kind == "name" and len(tokens) == 2 and first.text.upper() not in SPECIAL
            if alone and register_number(first.text) is None and first.text not in self.owners:
                return Mistake(first, self._unknown(first.text))
        alike = [form for form in forms if kinds and form.operands and _KINDS.get(form.operands[0], "") == kinds[0]]
        alike = alike or [form for form in forms if kinds and kinds[0] in form.operands[:1]] or forms
        given = ", ".join({"V": "a register", "number": "a number"}.get(kind, kind) for kind in kinds) or "no operands"
        return Mistake(head, f"there is no {head.text.upper()} with {given}; there is {' | '.join(map(str, alike))}")

    def _ranged(self, tokens: list[Token], kind: str, here: int) -> int:
        """The value of an operand within the limits of its kind, a negative one as its two's complement."""
        value, (low, high) = self.evaluate(tokens, here), _RANGES[kind]
        if not low <= value <= high:
            if kind == "addr" and self.here > MEMORY:
                return 0  # the program is too large, which was said already
            limits = f"{low} to {high}" if kind != "addr" else "0 to 0xFFF"
            raise Mistake(tokens[0], f"{value} does not fit {_NAMES[kind]}; give {limits}")
        return value & {"nibble": 0xF, "byte": 0xFF, "word": 0xFFFF, "addr": 0xFFF}[kind]

    def program(self) -> Program:
        """The outcome, where there was no problem."""
        registers, constants = {}, {}
        for name, owner in self.owners.items():
            if owner.defines:
                register = self.register(owner.operands[0])
                if register is not None:
                    registers[name] = register
                else:
                    constants[name] = self.evaluate(owner.operands[0], owner.address)
        lines = tuple(Line(each.number, each.address, each.data, each.text) for each in self.statements)
        return Program(b"".join(line.data for line in lines), dict(self.labels), constants, registers, lines)


def _unknown_word(head: Token, alone: bool) -> str:
    """What to say of a line that begins with no instruction."""
    if head.kind == "broken":
        return head.text
    if head.kind != "name":
        return f"a line cannot begin with {shown(head)}; begin with an instruction, a label or a name"
    known = [word.lower() for word in (*_BY_MNEMONIC, *_DATA)]
    close = get_close_matches(head.text.lower(), known, 1)
    if close:
        return f"unknown instruction {head.text}; did you mean {close[0] if close[0] in _DATA else close[0].upper()}?"
    advice = "put a : after it if it is a label" if alone else "see FORMS for all there are"
    return f"unknown instruction {head.text}; {advice}"


def _text(token: Token) -> bytes:
    string = token.text[1:-1]
    for i, character in enumerate(string):
        if not 32 <= ord(character) < 127:
            where = Token("string", "", token.line, token.column + 1 + i)
            raise Mistake(where, f"{character!a} is not an ASCII character; end the string and give its number")
    return string.encode("ascii")


def _row(token: Token) -> bytes:
    """A row of a sprite: 8 or 16 pixels."""
    string = token.text[1:-1]
    for i, character in enumerate(string):
        if character not in PIXELS_ON + PIXELS_OFF:
            where = Token("string", "", token.line, token.column + 1 + i)
            raise Mistake(where, f"{character!a} is no pixel; write . for dark and # for lit ones")
    if len(string) not in (8, 16):
        raise Mistake(token, f"a row of {len(string)} pixels; give 8 or 16")
    bits = "".join("1" if character in PIXELS_ON else "0" for character in string)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def _guess(name: str, known: list[str], otherwise: str) -> str:
    """The advice that ends a message about an unknown name."""
    close = get_close_matches(name, known, 1)
    return f"did you mean {close[0]}?" if close else otherwise
