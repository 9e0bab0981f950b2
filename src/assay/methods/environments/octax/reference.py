"""The reference machine: one CHIP-8 in plain Python, slow and meant to be read. The other two must agree with it.

Where platforms differ the quirk is named (`machine.Quirks`). What is marked "octax" is what the package `octax` 0.1.1
does, read from its code and checked by running it.
"""

from __future__ import annotations

import numpy as np

from assay.methods.environments.octax.machine import (
    BIG_FONT_START,
    FONT_START,
    MEMORY,
    STACK_DEPTH,
    Fault,
    Machines,
    Quirks,
    machine_dtype,
    new_machines,
)


class Halt(Exception):
    """The instruction cannot be carried out."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault


class ReferenceMachine:
    """One machine whose parts are plain integers and lists.

    Attributes have the names of `machine.machine_dtype`; `pixels` is the screen as a list of rows of 0 and 1, of the
    resolution it is in.

    Args:
        rom: the program.
        quirks: which platform.
        seed: of the random stream.
        hires: whether the program may switch to high resolution.
    """

    def __init__(self, rom: bytes, quirks: Quirks, seed: int = 0, hires: bool = False) -> None:
        self.quirks, self.allow_hires = quirks, hires
        self.load(new_machines(rom, [seed], hires))

    def load(self, machines: Machines) -> None:
        """Take over the state of `machines`, an array of one."""
        m = machines[0]
        self.memory = [int(byte) for byte in m["memory"]]
        self.V = [int(v) for v in m["V"]]
        self.flags = [int(v) for v in m["flags"]]
        self.stack = [int(v) for v in m["stack"]]
        self.I, self.pc, self.sp = int(m["I"]), int(m["pc"]), int(m["sp"])
        self.delay, self.sound = int(m["delay"]), int(m["sound"])
        self.hires, self.waiting, self.keys = int(m["hires"]), int(m["waiting"]), int(m["keys"])
        self.rng = int(m["rng"])
        self.fault, self.fault_pc, self.fault_opcode = int(m["fault"]), int(m["fault_pc"]), int(m["fault_opcode"])
        rows, columns = self.size
        words = m["display"].tolist()
        self.pixels = [[words[y][x // 64] >> (63 - x % 64) & 1 for x in range(columns)] for y in range(rows)]

    def save(self) -> Machines:
        """The state as an array of one machine."""
        machines = np.zeros(1, machine_dtype(self.allow_hires))
        for name in machines.dtype.names or ():
            if name != "display":
                machines[name][0] = getattr(self, name)
        for y, row in enumerate(self.pixels):
            for word in range(len(row) // 64):
                bits = int("".join(map(str, row[64 * word : 64 * word + 64])), 2)
                machines["display"][0, y, word] = bits
        return machines

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the screen as it is now."""
        return (64, 128) if self.hires else (32, 64)

    # --- time -----------------------------------------------------------------------------------------------------

    def frame(self, instructions: int) -> None:
        """Run up to so many instructions; a drawing ends the frame where the quirk says so."""
        for _ in range(instructions):
            opcode = self.instruction()
            if self.fault or (self.quirks.display_wait and opcode >> 12 == 0xD):
                return

    def tick(self) -> None:
        """1/60 s: both timers down by one, not below 0. A halted machine's stand still."""
        if not self.fault:
            self.delay, self.sound = max(self.delay - 1, 0), max(self.sound - 1, 0)

    def tick_octax(self) -> None:
        """octax: once per step of the environment, and 0 wraps round to 255."""
        self.delay, self.sound = (self.delay - 1) % 256, (self.sound - 1) % 256

    # --- one instruction ------------------------------------------------------------------------------------------

    def instruction(self) -> int:
        """Fetch and carry out one instruction; returns it. A fault leaves the state as it was before."""
        if self.fault:
            return 0
        at, opcode = self.pc, 0
        try:
            opcode = self._fetch()
            self.pc = (self.pc + 2) & 0xFFFF
            self._execute(opcode)
        except Halt as halt:
            self.pc = at
            self.fault, self.fault_pc, self.fault_opcode = int(halt.fault), at, opcode
        return opcode

    def _fetch(self) -> int:
        if self.quirks.octax:  # reads past the end see the last byte
            high, low = min(self.pc, MEMORY - 1), min((self.pc + 1) & 0xFFFF, MEMORY - 1)
            return self.memory[high] << 8 | self.memory[low]
        if self.pc > MEMORY - 2:
            raise Halt(Fault.PROGRAM_COUNTER)
        return self.memory[self.pc] << 8 | self.memory[self.pc + 1]

    def _execute(self, opcode: int) -> None:
        V, q = self.V, self.quirks
        x, y, n = opcode >> 8 & 0xF, opcode >> 4 & 0xF, opcode & 0xF
        nn, nnn = opcode & 0xFF, opcode & 0xFFF
        match opcode >> 12:
            case 0x0:
                self._system(opcode)
            case 0x1:
                self.pc = nnn
            case 0x2:
                self._push()
                self.pc = nnn
            case 0x3:
                self._skip_if(V[x] == nn)
            case 0x4:
                self._skip_if(V[x] != nn)
            case 0x5:
                self._only(n == 0, Fault.XO_CHIP if n in (2, 3) else Fault.UNKNOWN_OPCODE)
                self._skip_if(V[x] == V[y])
            case 0x6:
                V[x] = nn
            case 0x7:
                V[x] = (V[x] + nn) & 0xFF
            case 0x8:
                self._arithmetic(x, y, n)
            case 0x9:
                self._only(n == 0)
                self._skip_if(V[x] != V[y])
            case 0xA:
                self.I = nnn
            case 0xB:
                if q.octax:  # the page x00 is lost
                    self.pc = (nn + V[x]) & 0xFFF
                else:
                    self.pc = nnn + V[x if q.jump else 0]
            case 0xC:
                V[x] = self._random_byte() & nn
            case 0xD:
                self._draw(x, y, n)
            case 0xE:
                self._only(nn in (0x9E, 0xA1))
                down = bool(self.keys >> (V[x] & 0xF) & 1)
                self._skip_if(down != (nn == 0xA1))
            case 0xF:
                self._miscellaneous(x, nn)

    def _only(self, known: bool, fault: Fault = Fault.UNKNOWN_OPCODE) -> None:
        """Halt on an instruction that does not exist; octax takes it for its neighbour."""
        if not known and not self.quirks.octax:
            raise Halt(fault)

    def _skip_if(self, condition: bool) -> None:
        if condition:
            self.pc = (self.pc + 2) & 0xFFFF

    def _push(self) -> None:
        if self.quirks.octax:  # the 17th is dropped, the pointer moves on; Python's negative indices hold
            if -STACK_DEPTH <= self.sp < STACK_DEPTH:
                self.stack[self.sp] = self.pc & 0xFFF
        elif self.sp == STACK_DEPTH:
            raise Halt(Fault.STACK_OVERFLOW)
        else:
            self.stack[self.sp] = self.pc
        self.sp += 1

    def _pop(self) -> None:
        if self.quirks.octax:
            self.sp -= 1
            index = self.sp + STACK_DEPTH if self.sp < 0 else self.sp
            self.pc = self.stack[min(max(index, 0), STACK_DEPTH - 1)]
            if 0 <= index < STACK_DEPTH:
                self.stack[index] = 0
            return
        if self.sp == 0:
            raise Halt(Fault.STACK_UNDERFLOW)
        self.sp -= 1
        self.pc = self.stack[self.sp]

    def _system(self, opcode: int) -> None:
        if opcode == 0x00E0:
            self._clear()
        elif opcode == 0x00EE:
            self._pop()
        elif self.quirks.octax:
            pass
        elif opcode & 0xFFF0 == 0x00D0:
            raise Halt(Fault.XO_CHIP)
        elif opcode & 0xFFF0 == 0x00C0 or 0x00FB <= opcode <= 0x00FF:
            if not self.quirks.super_chip:
                raise Halt(Fault.SUPER_CHIP)
            self._super_chip(opcode)
        # every other 0nnn calls machine code of the original computer, which no interpreter has: ignored

    def _super_chip(self, opcode: int) -> None:
        rows, columns = self.size
        if opcode & 0xFFF0 == 0x00C0:
            n = opcode & 0xF  # rows of the resolution it is in (ours, as modern interpreters)
            self.pixels = [[0] * columns for _ in range(n)] + self.pixels[: rows - n]
        elif opcode == 0x00FB:
            self.pixels = [[0] * 4 + row[:-4] for row in self.pixels]
        elif opcode == 0x00FC:
            self.pixels = [row[4:] + [0] * 4 for row in self.pixels]
        elif opcode == 0x00FD:
            raise Halt(Fault.EXITED)
        else:
            if opcode == 0x00FF and not self.allow_hires:
                raise Halt(Fault.RESOLUTION)
            self.hires = int(opcode == 0x00FF)
            self._clear()  # switching clears (as modern interpreters)

    def _clear(self) -> None:
        rows, columns = self.size
        self.pixels = [[0] * columns for _ in range(rows)]

    def _arithmetic(self, x: int, y: int, n: int) -> None:
        """8xyn. The flag is written last, so that VF as target holds the flag."""
        V, q = self.V, self.quirks
        a, b = V[x], V[y]
        source = a if q.shift else b
        flag: int | None = None
        match n:
            case 0x0:
                V[x] = b
                flag = 0 if q.octax else None
            case 0x1 | 0x2 | 0x3:
                V[x] = a | b if n == 1 else a & b if n == 2 else a ^ b
                flag = 0 if q.vf_reset else None
            case 0x4:
                V[x], flag = (a + b) & 0xFF, int(a + b > 0xFF)
            case 0x5:
                V[x], flag = (a - b) & 0xFF, int(a >= b)
            case 0x6:
                V[x], flag = source >> 1, source & 1
            case 0x7:
                V[x], flag = (b - a) & 0xFF, int(b >= a)
            case 0xE:
                V[x], flag = (source << 1) & 0xFF, source >> 7
            case _:
                self._only(False)
                flag = 0
        if flag is not None:
            V[0xF] = flag

    def _random_byte(self) -> int:
        """Marsaglia's xorshift32 (ours: Octax splits a threefry key); the highest byte of the new state."""
        r = self.rng
        r = (r ^ r << 13) & 0xFFFFFFFF
        r ^= r >> 17
        r = (r ^ r << 5) & 0xFFFFFFFF
        self.rng = r
        return r >> 24

    def _draw(self, x: int, y: int, n: int) -> None:
        """Dxyn: XOR of n rows of 8 pixels, or of 16 rows of 16 for n = 0 on a SUPER-CHIP (in both resolutions)."""
        q, (rows, columns) = self.quirks, self.size
        big = n == 0 and q.super_chip
        height, width = (16, 16) if big else (n, 8)
        size = height * width // 8
        if q.octax:
            data = [self.memory[min(self.I + k, MEMORY - 1)] for k in range(size)]
        else:
            if self.I + size > MEMORY:
                raise Halt(Fault.ADDRESS)
            data = self.memory[self.I : self.I + size]
        left, top = self.V[x] % columns, self.V[y] % rows
        hit = 0
        for row in range(height):
            bits = data[2 * row] << 8 | data[2 * row + 1] if big else data[row]
            for column in range(width):
                px, py = left + column, top + row
                if not bits >> (width - 1 - column) & 1 or (q.clip and (px >= columns or py >= rows)):
                    continue
                px, py = px % columns, py % rows
                hit |= self.pixels[py][px]
                self.pixels[py][px] ^= 1
        self.V[0xF] = hit

    def _miscellaneous(self, x: int, nn: int) -> None:
        V, q = self.V, self.quirks
        match nn:
            case 0x07:
                V[x] = self.delay
            case 0x0A:
                self._wait_for_key(x)
            case 0x15:
                self.delay = V[x]
            case 0x18:
                self.sound = V[x]
            case 0x1E:
                total = (self.I + V[x]) & 0xFFFF
                if q.octax:
                    self.I, V[0xF] = total & 0xFFF, int(total > 0xFFF)
                else:
                    self.I = total
            case 0x29:
                self.I = (FONT_START + 5 * V[x]) & 0xFF if q.octax else FONT_START + 5 * (V[x] & 0xF)
            case 0x33:
                self._store([V[x] // 100, V[x] // 10 % 10, V[x] % 10])
            case 0x55:
                self._store(V[: x + 1])
                self.I = (self.I + x + 1) & 0xFFFF if q.memory else self.I
            case 0x65:
                if not q.octax and self.I + x >= MEMORY:
                    raise Halt(Fault.ADDRESS)
                V[: x + 1] = [self.memory[min(self.I + k, MEMORY - 1)] for k in range(x + 1)]
                self.I = (self.I + x + 1) & 0xFFFF if q.memory else self.I
            case 0x30 | 0x75 | 0x85 if not q.octax:
                if not q.super_chip:
                    raise Halt(Fault.SUPER_CHIP)
                if nn == 0x30:
                    self.I = BIG_FONT_START + 10 * (V[x] & 0xF)
                elif nn == 0x75:
                    self.flags[: x + 1] = V[: x + 1]
                else:
                    V[: x + 1] = self.flags[: x + 1]
            case _:
                known_to_xo = nn in (0x01, 0x02, 0x3A) or (nn == 0 and x == 0)
                self._only(False, Fault.XO_CHIP if known_to_xo else Fault.UNKNOWN_OPCODE)

    def _store(self, data: list[int]) -> None:
        if not self.quirks.octax and self.I + len(data) > MEMORY:
            raise Halt(Fault.ADDRESS)
        for k, byte in enumerate(data):
            if self.I + k < MEMORY:  # octax: what lies past the end is dropped
                self.memory[self.I + k] = byte

    def _wait_for_key(self, x: int) -> None:
        """Fx0A: wait until a key is pressed and released again. octax takes the lowest key that is held."""
        lowest = (self.keys & -self.keys).bit_length() - 1
        if self.quirks.octax:
            if self.keys:
                self.V[x] = lowest
            else:
                self.pc = (self.pc - 2) & 0xFFFF
        elif self.waiting and not self.keys >> (self.waiting - 1) & 1:
            self.V[x], self.waiting = self.waiting - 1, 0
        else:
            self.waiting = self.waiting or lowest + 1
            self.pc -= 2
