"""ROMs back to assembly, and what a program does instruction by instruction (ours).

`disassemble` writes the language of `assembly`; what it writes assembles to the same bytes, whatever the ROM holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from assay.methods.environments.octax.assembly import FORMS, Form
from assay.methods.environments.octax.machine import (
    FRAMES_PER_SECOND,
    KEYS,
    MEMORY,
    PROGRAM_START,
    Fault,
    Quirks,
    check_rom,
    find_quirks,
)
from assay.methods.environments.octax.reference import ReferenceMachine

_FREE = {"Vx": 0xF00, "Vy": 0x0F0, "nibble": 0x00F, "byte": 0x0FF, "addr": 0xFFF}
_SHORT = 8
"""Bytes in a line of data."""
_LONG = 16
"""From so many zeros on, they become one `space`."""
_LOOK_AHEAD = 24
"""How many instructions after `LD I` a drawing is looked for."""


def _free(form: Form) -> int:
    """The bits of an instruction that its operands fill."""
    bits = 0
    for operand in form.operands:
        bits |= _FREE.get(operand, 0)
    return bits | (0xF0 if form.operands == ("Vx",) and form.opcode >> 12 == 8 else 0)


_PATTERNS = tuple((0xFFFF & ~_free(form), form) for form in FORMS)


def _form_of(opcode: int, super_chip: bool) -> Form | None:
    """The form of an instruction, None where the machine halts on it."""
    if opcode & 0xFFF0 == 0x00D0:  # XO-CHIP
        return None
    found = [form for fixed, form in _PATTERNS if opcode & fixed == form.opcode]
    if not found or (found[0].super_chip and not super_chip):
        return None
    shortened = opcode >> 8 & 0xF == opcode >> 4 & 0xF and len(found) > 1 and found[1].operands == ("Vx",)
    return found[1] if shortened else found[0]


def mnemonic(opcode: int, super_chip: bool = True) -> str:
    """An instruction as `assemble` reads it, or `unknown XXXX`.

    8xy6 and 8xyE with x = y have one operand. Bnnn is `JP Vx, address` on a SUPER-CHIP, `JP V0, address` elsewhere.

    Args:
        opcode: 0 to 0xFFFF.
        super_chip: whether to know the instructions of the SUPER-CHIP.

    Raises ValueError for an opcode of more than 16 bits.
    """
    if not 0 <= opcode <= 0xFFFF:
        raise ValueError(f"opcode: {opcode} is not within 0 to 0xFFFF; an instruction has 16 bits")
    return _text(opcode, super_chip, {})


def _text(opcode: int, super_chip: bool, names: Mapping[int, str]) -> str:
    """As `mnemonic`, with names for the addresses of jumps and of I."""
    form = _form_of(opcode, super_chip)
    if form is None:
        return f"unknown {opcode:04X}"
    x, address = opcode >> 8 & 0xF, opcode & 0xFFF
    indexed = form.opcode == 0xB000
    named = form.mnemonic != "SYS" and address in names
    written = {
        "Vx": f"V{0 if indexed and not super_chip else x:X}",
        "Vy": f"V{opcode >> 4 & 0xF:X}",
        "nibble": str(opcode & 0xF),
        "byte": f"0x{opcode & 0xFF:02X}",
        "addr": names[address] if named else f"0x{address:03X}",
    }
    return f"{form.mnemonic} {', '.join(written.get(operand, operand) for operand in form.operands)}".strip()


# --- disassembling --------------------------------------------------------------------------------------------------


def disassemble(rom: bytes, start: int = PROGRAM_START, super_chip: bool = True) -> str:
    """A program as assembly text: what can be reached from its first instruction as code, the rest as data.

    Jumps, calls and both ways of a skip are followed; of a jump with a register (Bnnn), the row of jumps at its
    address. Bytes that I is set to before a drawing become `sprite` rows, other data `byte`. A jump into the middle of
    an instruction gets a constant, as does an address inside one. The text assembles to the same bytes.

    Source: ours.

    Args:
        rom: the program, 1 to 3,584 bytes, loaded at 0x200.
        start: the address of the first instruction.
        super_chip: whether to know the instructions of the SUPER-CHIP.

    Raises ValueError for an empty or too large ROM, or a start outside it.
    """
    check_rom(rom)
    end = PROGRAM_START + len(rom)
    if not PROGRAM_START <= start < end:
        raise ValueError(f"start: 0x{start:X} is outside the program, which lies at 0x200 to 0x{end - 1:X}")
    return _Listing(rom, start, super_chip).text()


class _Listing:
    """A ROM taken apart. `code` has the instruction at each address that begins one, no two of them overlapping."""

    def __init__(self, rom: bytes, start: int, super_chip: bool) -> None:
        self.rom, self.super_chip, self.end = bytes(rom), super_chip, PROGRAM_START + len(rom)
        self.code: dict[int, int] = {}
        self._follow(start)
        self.names: dict[int, str] = {}
        self.pictures: dict[int, int] = {}
        for at, opcode in self.code.items():
            self._refer(at, opcode)

    def _opcode(self, at: int) -> int | None:
        """The instruction at an address, None where it does not lie in the ROM."""
        if not PROGRAM_START <= at <= self.end - 2:
            return None
        return int.from_bytes(self.rom[at - PROGRAM_START : at - PROGRAM_START + 2], "big")

    def _follow(self, start: int) -> None:
        """Find the code. An instruction that overlaps one found before is followed, but stays what it was."""
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            at = waiting.pop()
            opcode = self._opcode(at)
            if at in seen or opcode is None:
                continue
            seen.add(at)
            if at - 1 not in self.code and at + 1 not in self.code:
                self.code[at] = opcode
            waiting += reversed(self._next(at, opcode))  # straight on first

    def _next(self, at: int, opcode: int) -> list[int]:
        """Where the program may go after an instruction."""
        form = _form_of(opcode, self.super_chip)
        address = opcode & 0xFFF
        if form is None or form.mnemonic in ("RET", "EXIT"):
            return []
        if form.opcode == 0x1000:
            return [address]
        if form.opcode == 0x2000:
            return [at + 2, address]
        if form.opcode == 0xB000:
            return self._table(address)
        return [at + 2, at + 4] if form.mnemonic in ("SE", "SNE", "SKP", "SKNP") else [at + 2]

    def _table(self, address: int) -> list[int]:
        """The jumps that stand in a row from an address on; the address where there are none."""
        jumps = []
        while (opcode := self._opcode(address)) is not None and opcode >> 12 == 1:
            jumps.append(address)
            address += 2
        return jumps or [address]

    def _refer(self, at: int, opcode: int) -> None:
        """Name the address that an instruction holds, if it lies in the ROM."""
        form, address = _form_of(opcode, self.super_chip), opcode & 0xFFF
        if form is None or "addr" not in form.operands or not PROGRAM_START <= address < self.end:
            return
        if form.mnemonic in ("JP", "CALL") or address in self.code or address - 1 in self.code:
            self.names[address] = f"L_{address:03X}"
        elif form.mnemonic == "LD":
            self.names.setdefault(address, f"data_{address:03X}")
            width = self._drawn(at + 2)
            if width:
                self.pictures[address] = width

    def _drawn(self, at: int) -> int:
        """The width of the sprite that is drawn next from an address on with I as it is; 0 where none is."""
        for _ in range(_LOOK_AHEAD):
            opcode = self.code.get(at)
            if opcode is None:
                return 0
            if opcode >> 12 == 0xD:
                return 16 if opcode & 0xF == 0 and self.super_chip else 8
            if opcode >> 12 == 0xA or opcode in (0x00EE, 0x00FD) or opcode & 0xF0FF in (0xF029, 0xF030):
                return 0
            at = opcode & 0xFFF if opcode >> 12 == 1 else at + 2
        return 0

    def text(self) -> str:
        """The assembly."""
        body: list[str] = []
        placed: set[int] = set()
        at = PROGRAM_START
        while at < self.end:
            if at in self.names:
                placed.add(at)
                body += ["", f"{self.names[at]}:"]
            size, rows = self._instruction(at) if at in self.code else self._data(at)
            body += rows
            at += size
        within = [f"{name} = 0x{at:03X}" for at, name in sorted(self.names.items()) if at not in placed]
        note = ["; addresses inside an instruction", *within, ""] if within else []
        return "\n".join([*note, *body]).lstrip("\n") + "\n"

    def _instruction(self, at: int) -> tuple[int, list[str]]:
        opcode = self.code[at]
        text = _text(opcode, self.super_chip, self.names)
        if text.startswith("unknown"):
            return 2, [f"    {f'word 0x{opcode:04X}':30}; {at:03X}  {text}"]
        return 2, [f"    {text:30}; {at:03X}  {opcode:04X}"]

    def _data(self, at: int) -> tuple[int, list[str]]:
        """All data up to the next label or instruction."""
        stop = at + 1
        while stop < self.end and stop not in self.code and stop not in self.names:
            stop += 1
        data = self.rom[at - PROGRAM_START : stop - PROGRAM_START]
        width = self.pictures.get(at, 0) // 8
        rows: list[str] = []
        done = 0
        while done < len(data):
            zeros = len(data) - done - len(data[done:].lstrip(b"\0"))
            if zeros >= _LONG:
                size, text = zeros, f"space {zeros}"
            elif width:
                size = width if done + width <= len(data) else 1
                text = f'sprite "{_pixels(data[done : done + size])}"'
            else:
                size = _until_zeros(data[done : done + _SHORT], data[done:])
                text = "byte " + ", ".join(f"0x{byte:02X}" for byte in data[done : done + size])
            picture = f"  {data[done : done + size].hex().upper()}" if text.startswith("sprite") else ""
            rows.append(f"    {text:47} ; {at + done:03X}{picture}")
            done += size
        return len(data), rows


def _until_zeros(row: bytes, data: bytes) -> int:
    """How many bytes of a row come before a long run of zeros, at least one."""
    for i in range(1, len(row)):
        if data[i : i + _LONG] == bytes(_LONG):
            return i
    return len(row)


def _pixels(data: bytes) -> str:
    return "".join("#" if byte & (0x80 >> bit) else "." for byte in data for bit in range(8))


# --- tracing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Traced:
    """One instruction that was carried out, or the one that the machine halted at.

    `str()` has at most 80 columns: number, label, address, opcode, instruction, and what changed.
    """

    number: int
    """Counted from 1."""
    pc: int
    opcode: int
    mnemonic: str
    changes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Old and new value of V0 to VF, I, DT, ST, SP (how many calls are open), and of the SUPER-CHIP's R0 to RF."""
    memory: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """Old and new value by address."""
    pixels: int = 0
    """How many pixels of the screen changed."""
    fault: Fault = Fault.NONE
    label: str = ""
    """Where it is, as `label` or `label+4`, if labels were given."""

    def __str__(self) -> str:
        label = self.label if len(self.label) <= 14 else ".." + self.label[-12:]
        where = f"{label:14} " if label else ""
        happened = [f"{name}={_value(name, new)}" for name, (_, new) in self.changes.items()]
        happened += [f"[{address:03X}]={new:02X}" for address, (_, new) in self.memory.items()]
        if self.pixels:
            happened.append(f"{self.pixels} pixel{'s' if self.pixels > 1 else ''}")
        if self.fault:
            happened.append(f"halts: {self.fault.name.lower().replace('_', ' ')}")
        row = (
            f"{self.number:5} {where}{self.pc:03X} {self.opcode:04X}  {_cut(self.mnemonic, 22):22} {' '.join(happened)}"
        )
        return _cut(row.rstrip(), 80)


def _cut(text: str, columns: int) -> str:
    return text if len(text) <= columns else text[: columns - 2] + ".."


def _value(name: str, value: int) -> str:
    return f"{value:03X}" if name == "I" else str(value) if name == "SP" else f"{value:02X}"


Held = Mapping[int, Collection[int]] | Callable[[int], Collection[int]] | None
"""Keys by instruction number: a mapping, each entry good until the next one; or a function of the number."""


def trace(
    rom: bytes,
    instructions: int = 100,
    quirks: str | Quirks = "schip",
    keys: Held = None,
    seed: int = 0,
    labels: Mapping[str, int] | None = None,
    per_frame: int = 700 // FRAMES_PER_SECOND,
) -> Iterator[Traced]:
    """Run a program on the reference machine and tell what each instruction changed.

    It ends early, with a line that has `fault` set, where the machine halts. The timers go down after every
    `per_frame` instructions (on a machine that waits for the display, also after each drawing); that is not among the
    changes. A SUPER-CHIP may switch to high resolution. Source: ours.

    Args:
        rom: the program.
        instructions: how many to run at most.
        quirks: a profile's name or Quirks.
        keys: which keys, 0 to 15, are held: by instruction number from 1, each entry until the next; or a function of
            the number; None for none.
        seed: of the random stream.
        labels: addresses by name, as `Program.labels` has them, shown instead of numbers.
        per_frame: instructions in 1/60 s.

    Raises ValueError for a ROM that cannot be loaded, an unknown profile, a negative number of instructions, fewer
    than one per frame, or a key that does not exist.
    """
    found = find_quirks(quirks)
    check_rom(rom)
    if instructions < 0:
        raise ValueError(f"instructions: {instructions} is negative; give how many to run")
    if per_frame < 1:
        raise ValueError(f"per_frame: {per_frame} is less than 1; the usual speed is {700 // FRAMES_PER_SECOND}")
    if isinstance(keys, Mapping):
        for held in keys.values():
            _mask(held)
    return _run(ReferenceMachine(rom, found, seed, hires=found.super_chip), instructions, keys, labels or {}, per_frame)


def _mask(keys: Collection[int]) -> int:
    """The keys as bits."""
    bits = 0
    for key in keys:
        if key not in range(KEYS):
            raise ValueError(f"keys: {key!r} is no key; they are 0 to {KEYS - 1}")
        bits |= 1 << int(key)
    return bits


def _run(
    machine: ReferenceMachine, instructions: int, keys: Held, labels: Mapping[str, int], per_frame: int
) -> Iterator[Traced]:
    names: dict[int, str] = {}
    for name, address in labels.items():
        names.setdefault(address, name)
    in_frame = 0
    for number in range(1, instructions + 1):
        if callable(keys):
            machine.keys = _mask(keys(number))
        elif keys is not None and number in keys:
            machine.keys = _mask(keys[number])
        at, before = machine.pc, _snapshot(machine)
        opcode = machine.instruction()
        yield _traced(number, at, opcode, before, machine, names)
        if machine.fault:
            return
        in_frame += 1
        if in_frame == per_frame or (machine.quirks.display_wait and opcode >> 12 == 0xD):
            machine.tick()
            in_frame = 0


_Snapshot = tuple[dict[str, int], list[int], list[list[int]]]


def _snapshot(machine: ReferenceMachine) -> _Snapshot:
    """Registers by name, the memory, and the screen."""
    registers = {f"V{i:X}": value for i, value in enumerate(machine.V)}
    registers |= {"I": machine.I, "DT": machine.delay, "ST": machine.sound, "SP": machine.sp}
    registers |= {f"R{i:X}": value for i, value in enumerate(machine.flags)}
    return registers, list(machine.memory), [list(row) for row in machine.pixels]


def _traced(
    number: int, at: int, opcode: int, before: _Snapshot, machine: ReferenceMachine, names: Mapping[int, str]
) -> Traced:
    """What an instruction at address `at` did, from the machine before and after it."""
    after = _snapshot(machine)
    fault = Fault(machine.fault)
    return Traced(
        number,
        at,
        opcode,
        "" if fault == Fault.PROGRAM_COUNTER else _text(opcode, machine.quirks.super_chip, names),
        {name: (old, after[0][name]) for name, old in before[0].items() if old != after[0][name]},
        {i: (before[1][i], after[1][i]) for i in range(MEMORY) if before[1][i] != after[1][i]},
        _changed(before[2], after[2]),
        fault,
        _where(at, names),
    )


def _changed(before: list[list[int]], after: list[list[int]]) -> int:
    """How many pixels differ; after a switch of the resolution, how many were lit."""
    if len(before) != len(after):
        return sum(map(sum, before)) + sum(map(sum, after))
    return sum(a != b for old, new in zip(before, after, strict=True) for a, b in zip(old, new, strict=True))


def _where(at: int, names: Mapping[int, str]) -> str:
    """The last name at or before an address, and how far behind it that is."""
    near = max((address for address in names if address <= at), default=None)
    if near is None:
        return ""
    return names[near] if near == at else f"{names[near]}+{at - near}"
