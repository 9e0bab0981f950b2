"""The native machine: the same CHIP-8 as `reference`, compiled by numba, for many machines at once on all cores.

Every function here is told all it reads and writes; no Python object is touched while machines run, so that threads run
them side by side. Indices are checked or masked before memory, registers, stack or screen are touched, whatever state
the caller hands in: numba does not check them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numba import get_num_threads, njit
from numpy.typing import NDArray

from assay.methods.environments.octax import machine as _machine
from assay.methods.environments.octax.machine import Fault, Machines, Quirks

# numba takes plain integers of a module for constants
_VF_RESET, _MEMORY, _WAIT, _CLIP, _SHIFT, _JUMP, _SUPER, _OCTAX = (1 << i for i in range(8))
_END = _machine.MEMORY
_LAST = _machine.MEMORY - 1
_DEPTH = _machine.STACK_DEPTH
_FONT = _machine.FONT_START
_BIG_FONT = _machine.BIG_FONT_START
_EXITED, _UNKNOWN, _SUPER_CHIP, _XO_CHIP = (
    int(f) for f in (Fault.EXITED, Fault.UNKNOWN_OPCODE, Fault.SUPER_CHIP, Fault.XO_CHIP)
)
_PC, _OVERFLOW, _UNDERFLOW, _ADDRESS, _RESOLUTION = (
    int(f)
    for f in (
        Fault.PROGRAM_COUNTER,
        Fault.STACK_OVERFLOW,
        Fault.STACK_UNDERFLOW,
        Fault.ADDRESS,
        Fault.RESOLUTION,
    )
)
_CHUNK = 512
"""Fewest machines worth a thread."""

_native = njit(nogil=True, cache=True, boundscheck=False, error_model="numpy")
_inline = njit(nogil=True, cache=True, boundscheck=False, error_model="numpy", inline="always")


@_inline
def random_next(r):
    """The next state of xorshift32 after `r`, both unsigned 32 bits."""
    r = np.uint32(r ^ np.uint32(r << np.uint32(13)))
    r = np.uint32(r ^ (r >> np.uint32(17)))
    return np.uint32(r ^ np.uint32(r << np.uint32(5)))


@_native
def _xor_row(display, y, left, bits, columns, clip):
    """XOR a sprite's row, the highest bits of `bits`, into row y at column `left`. 1 where a lit pixel went out."""
    word = left >> 6
    shift = np.uint64(left & 63)
    here = bits >> shift
    over = bits << (np.uint64(64) - shift) if shift > np.uint64(0) else np.uint64(0)
    hit = display[y, word] & here
    display[y, word] ^= here
    if over != np.uint64(0):
        following = word + 1
        if following << 6 >= columns:
            if clip:
                over = np.uint64(0)
            following = 0
        hit |= display[y, following] & over
        display[y, following] ^= over
    return np.uint8(hit != np.uint64(0))


@_native
def _draw(m, x, y, n, quirks):
    """Dxyn; the fault, or 0."""
    V, memory, display = m.V, m.memory, m.display
    high = m.hires != 0 and display.shape[0] == 64
    rows, columns = (64, 128) if high else (32, 64)
    big = n == 0 and quirks & _SUPER != 0
    height = 16 if big else n
    address = np.int64(m.I)
    if quirks & _OCTAX == 0 and address + (32 if big else n) > _END:
        return _ADDRESS
    clip = quirks & _CLIP != 0
    left, top = np.int64(V[x]) % columns, np.int64(V[y]) % rows
    hit = np.uint8(0)
    for row in range(height):
        at = top + row
        if at >= rows:
            if clip:
                break
            at -= rows
        if big:
            bits = np.uint64(memory[address + 2 * row]) << np.uint64(56)
            bits |= np.uint64(memory[address + 2 * row + 1]) << np.uint64(48)
        else:
            bits = np.uint64(memory[min(address + row, _LAST)]) << np.uint64(56)
        if bits != np.uint64(0):
            hit |= _xor_row(display, at, left, bits, columns, clip)
    V[15] = hit
    return 0


@_native
def _scroll(m, opcode):
    """00Cn down, 00FB right, 00FC left, by pixels of the resolution it is in."""
    display = m.display
    high = m.hires != 0 and display.shape[0] == 64
    rows = 64 if high else 32
    four, rest = np.uint64(4), np.uint64(60)
    if opcode & 0xFFF0 == 0x00C0:
        n = opcode & 0xF
        for y in range(rows - 1, -1, -1):
            for word in range(display.shape[1]):
                display[y, word] = display[y - n, word] if y >= n else np.uint64(0)
        return
    for y in range(rows):
        if opcode == 0x00FB:
            if high:
                display[y, 1] = display[y, 1] >> four | display[y, 0] << rest
            display[y, 0] = display[y, 0] >> four
        else:
            display[y, 0] = display[y, 0] << four
            if high:
                display[y, 0] |= display[y, 1] >> rest
                display[y, 1] = display[y, 1] << four


@_native
def _clear(display):
    for y in range(display.shape[0]):
        for word in range(display.shape[1]):
            display[y, word] = np.uint64(0)


@_native
def _system(m, opcode, quirks):
    """0nnn but 00EE; the fault, or 0."""
    if opcode == 0x00E0:
        _clear(m.display)
    elif quirks & _OCTAX != 0:
        return 0
    elif opcode & 0xFFF0 == 0x00D0:
        return _XO_CHIP
    elif opcode & 0xFFF0 == 0x00C0 or 0x00FB <= opcode <= 0x00FF:
        if quirks & _SUPER == 0:
            return _SUPER_CHIP
        if opcode == 0x00FD:
            return _EXITED
        if opcode >= 0x00FE:
            if opcode == 0x00FF and m.display.shape[0] != 64:
                return _RESOLUTION
            m.hires = np.uint8(opcode == 0x00FF)
            _clear(m.display)
        else:
            _scroll(m, opcode)
    return 0


@_native
def _arithmetic(V, x, y, n, quirks):
    """8xyn; the fault, or 0. The flag is written last."""
    a, b = np.int64(V[x]), np.int64(V[y])
    source = a if quirks & _SHIFT != 0 else b
    flag = -1
    if n == 0x0:
        V[x] = b
        if quirks & _OCTAX != 0:
            flag = 0
    elif n <= 0x3:
        V[x] = a | b if n == 1 else (a & b if n == 2 else a ^ b)
        if quirks & _VF_RESET != 0:
            flag = 0
    elif n == 0x4:
        V[x] = (a + b) & 0xFF
        flag = (a + b) >> 8
    elif n == 0x5:
        V[x] = (a - b) & 0xFF
        flag = 1 if a >= b else 0
    elif n == 0x6:
        V[x] = source >> 1
        flag = source & 1
    elif n == 0x7:
        V[x] = (b - a) & 0xFF
        flag = 1 if b >= a else 0
    elif n == 0xE:
        V[x] = (source << 1) & 0xFF
        flag = source >> 7
    elif quirks & _OCTAX != 0:
        flag = 0
    else:
        return _UNKNOWN
    if flag >= 0:
        V[15] = flag
    return 0


@_native
def _miscellaneous(m, x, nn, quirks):
    """Fxnn but Fx0A; the fault, or 0."""
    V, memory = m.V, m.memory
    octax = quirks & _OCTAX != 0
    address, value = np.int64(m.I), np.int64(V[x])
    if nn == 0x07:
        V[x] = m.delay
    elif nn == 0x15:
        m.delay = V[x]
    elif nn == 0x18:
        m.sound = V[x]
    elif nn == 0x1E:
        total = (address + value) & 0xFFFF
        if octax:
            m.I = np.uint16(total & 0xFFF)
            V[15] = 1 if total > 0xFFF else 0
        else:
            m.I = np.uint16(total)
    elif nn == 0x29:
        m.I = np.uint16((_FONT + 5 * value) & 0xFF if octax else _FONT + 5 * (value & 0xF))
    elif nn == 0x33:
        if not octax and address + 3 > _END:
            return _ADDRESS
        for k in range(3):
            if address + k < _END:
                memory[address + k] = value // 100 if k == 0 else (value // 10 % 10 if k == 1 else value % 10)
    elif nn == 0x55 or nn == 0x65:
        if not octax and address + x >= _END:
            return _ADDRESS
        for k in range(x + 1):
            if nn == 0x65:
                V[k] = memory[min(address + k, _LAST)]
            elif address + k < _END:
                memory[address + k] = V[k]
        if quirks & _MEMORY != 0:
            m.I = np.uint16((address + x + 1) & 0xFFFF)
    elif octax:
        return 0
    elif nn == 0x30 or nn == 0x75 or nn == 0x85:
        if quirks & _SUPER == 0:
            return _SUPER_CHIP
        if nn == 0x30:
            m.I = np.uint16(_BIG_FONT + 10 * (value & 0xF))
        for k in range(x + 1):
            if nn == 0x75:
                m.flags[k] = V[k]
            elif nn == 0x85:
                V[k] = m.flags[k]
    elif nn == 0x01 or nn == 0x02 or nn == 0x3A or (nn == 0 and x == 0):
        return _XO_CHIP
    else:
        return _UNKNOWN
    return 0


@_native
def run_frame(m, instructions, quirks):
    """Run up to so many instructions of the machine (a record): `ReferenceMachine.frame`."""
    if m.fault != 0:
        return
    V, memory, stack = m.V, m.memory, m.stack
    octax = quirks & _OCTAX != 0
    pc, opcode, fault = np.int64(m.pc), np.int64(0), 0
    for _ in range(instructions):
        at = pc
        if pc <= _LAST - 1:
            opcode = np.int64(memory[pc]) << 8 | np.int64(memory[pc + 1])
        elif octax:
            opcode = np.int64(memory[min(pc, _LAST)]) << 8 | np.int64(memory[min((pc + 1) & 0xFFFF, _LAST)])
        else:
            opcode, fault = np.int64(0), _PC
            break
        pc = (pc + 2) & 0xFFFF
        high = opcode >> 12
        x, y, n, nn = opcode >> 8 & 0xF, opcode >> 4 & 0xF, opcode & 0xF, opcode & 0xFF
        skip = False
        if high == 0x6:
            V[x] = nn
        elif high == 0x7:
            V[x] = (np.int64(V[x]) + nn) & 0xFF
        elif high == 0x1:
            pc = opcode & 0xFFF
            if pc == at:
                break  # nothing changes any more in this frame
        elif high == 0x3:
            skip = V[x] == nn
        elif high == 0x4:
            skip = V[x] != nn
        elif high == 0x5:
            if n != 0 and not octax:
                fault = _XO_CHIP if n == 2 or n == 3 else _UNKNOWN
                break
            skip = V[x] == V[y]
        elif high == 0x9:
            if n != 0 and not octax:
                fault = _UNKNOWN
                break
            skip = V[x] != V[y]
        elif high == 0x8:
            fault = _arithmetic(V, x, y, n, quirks)
        elif high == 0xA:
            m.I = np.uint16(opcode & 0xFFF)
        elif high == 0xD:
            fault = _draw(m, x, y, n, quirks)
            if quirks & _WAIT != 0:
                break
        elif high == 0xE:
            if nn != 0x9E and nn != 0xA1 and not octax:
                fault = _UNKNOWN
                break
            skip = (m.keys >> (V[x] & 0xF) & 1 != 0) != (nn == 0xA1)
        elif high == 0x2:
            sp = np.int64(m.sp)
            if octax:
                index = sp + _DEPTH if sp < 0 else sp
                if 0 <= index < _DEPTH:
                    stack[index] = np.uint16(pc & 0xFFF)
            elif sp < 0 or sp >= _DEPTH:
                fault = _OVERFLOW
                break
            else:
                stack[sp] = np.uint16(pc)
            m.sp = np.int32(sp + 1)
            pc = opcode & 0xFFF
        elif opcode == 0x00EE:
            sp = np.int64(m.sp) - 1
            if octax:
                index = sp + _DEPTH if sp < 0 else sp
                pc = np.int64(stack[min(max(index, 0), _DEPTH - 1)])
                if 0 <= index < _DEPTH:
                    stack[index] = 0
            elif sp < 0 or sp >= _DEPTH:
                fault = _UNDERFLOW
                break
            else:
                pc = np.int64(stack[sp])
            m.sp = np.int32(sp)
        elif high == 0x0:
            fault = _system(m, opcode, quirks)
        elif high == 0xC:
            m.rng = random_next(m.rng)
            V[x] = np.int64(m.rng >> np.uint32(24)) & nn
        elif high == 0xB:
            if octax:
                pc = (nn + np.int64(V[x])) & 0xFFF
            else:
                pc = (opcode & 0xFFF) + np.int64(V[x] if quirks & _JUMP != 0 else V[0])
        elif nn == 0x0A:
            if octax:
                if m.keys != 0:
                    V[x] = _lowest(m.keys)
                    continue
            elif m.waiting != 0 and m.keys >> np.uint16((m.waiting - 1) & 0xF) & 1 == 0:
                V[x] = np.uint8(m.waiting - 1)
                m.waiting = np.uint8(0)
                continue
            elif m.waiting == 0 and m.keys != 0:
                m.waiting = np.uint8(_lowest(m.keys) + 1)
            pc = at
            break  # keys do not change within a frame
        else:
            fault = _miscellaneous(m, x, nn, quirks)
        if fault != 0:
            break
        if skip:
            pc = (pc + 2) & 0xFFFF
    if fault != 0:
        pc = at
        m.fault = np.uint8(fault)
        m.fault_pc = np.uint16(at)
        m.fault_opcode = np.uint16(opcode)
    m.pc = np.uint16(pc)


@_native
def _lowest(keys):
    """The lowest key held; some key is."""
    key = 0
    while keys >> np.uint16(key) & 1 == 0:
        key += 1
    return key


@_native
def tick(m, timers):
    """1/60 s with correct timers; the machine must not have halted."""
    if timers == 0 and m.fault == 0:
        m.delay = np.uint8(max(np.int64(m.delay) - 1, 0))
        m.sound = np.uint8(max(np.int64(m.sound) - 1, 0))


# --- screens -------------------------------------------------------------------------------------------------------


@_inline
def _spread(half):
    """32 pixels doubled to 64: every bit twice."""
    b = half
    b = (b | b << np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    b = (b | b << np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    b = (b | b << np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    b = (b | b << np.uint64(2)) & np.uint64(0x3333333333333333)
    b = (b | b << np.uint64(1)) & np.uint64(0x5555555555555555)
    return b | b << np.uint64(1)


@_native
def _screen_word(m, y, word):
    """64 pixels of the screen as observed where there is high resolution: low resolution is doubled."""
    if m.hires != 0:
        return m.display[y, word]
    both = m.display[y >> 1, 0]
    return _spread(both >> np.uint64(32) if word == 0 else both & np.uint64(0xFFFFFFFF))


@_native
def observe_packed(m, out):
    """The screen into `out`, (rows, columns / 64) of 64 bits that hold two of 32, the left one first in memory."""
    display, half = m.display, np.uint64(32)
    if display.shape[0] == 32:
        for y in range(32):
            out[y, 0] = display[y, 0] >> half | display[y, 0] << half
        return
    for y in range(64):
        for word in range(2):
            bits = _screen_word(m, y, word)
            out[y, word] = bits >> half | bits << half


@_native
def observe_pixels(m, table, out):
    """The screen into `out`, (rows, columns / 8) of 64 bits that hold eight pixels, the left one first in memory."""
    display = m.display
    for y in range(display.shape[0]):
        for word in range(display.shape[1]):
            bits = display[y, 0] if display.shape[0] == 32 else _screen_word(m, y, word)
            for byte in range(8):
                out[y, 8 * word + byte] = table[(bits >> np.uint64(56 - 8 * byte)) & np.uint64(0xFF)]


PIXELS_OF_BYTE: NDArray[np.uint64] = np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8).view(np.uint64)[:, 0]
"""Eight pixels, 0 or 1 in a byte each, for every byte of a screen."""


# --- many machines -------------------------------------------------------------------------------------------------


@_native
def _play(machines, lo, hi, keys, skip, frames, instructions, timers, quirks, packed, table, out):
    """One environment step of the machines lo to hi - 1, each with its keys held, and the screens of all frames."""
    for i in range(lo, hi):
        if skip[i]:
            continue
        m = machines[i]
        m.keys = keys[i]
        for frame in range(frames):
            run_frame(m, instructions, quirks)
            if packed:
                observe_packed(m, out[i, frame])
            else:
                observe_pixels(m, table, out[i, frame])
            tick(m, timers)
        if m.fault == 0:
            if timers == 1:
                m.delay = np.uint8(np.int64(m.delay) - 1 & 0xFF)
                m.sound = np.uint8(np.int64(m.sound) - 1 & 0xFF)
            elif timers == 2:
                m.delay = np.uint8(0)
                m.sound = np.uint8(0)
        m.keys = np.uint16(0)


@_native
def _observe(machines, chosen, packed, table, out):
    for i in range(len(machines)):
        if chosen[i]:
            out[i] = np.uint64(0)
            if packed:
                observe_packed(machines[i], out[i, out.shape[1] - 1])
            else:
                observe_pixels(machines[i], table, out[i, out.shape[1] - 1])


@_native
def _run(machines, instructions, quirks, timers):
    for i in range(len(machines)):
        run_frame(machines[i], instructions, quirks)
        tick(machines[i], timers)


def play(
    machines: Machines,
    keys: NDArray[np.uint16],
    skip: NDArray[np.bool_],
    observations: NDArray[Any],
    quirks: Quirks,
    instructions: int,
    timers: str = "correct",
    threads: int | None = None,
) -> None:
    """One environment step of every machine: frames of `instructions` instructions, with their screens.

    Args:
        machines: changed in place, shape (n,).
        keys: a bit per key held during the step, shape (n,); released at its end.
        skip: machines to leave alone, shape (n,).
        observations: written, (n, frames, rows, columns) of uint8 or (n, frames, rows, columns / 32) of uint32
            (packed), C-contiguous; `frames` says how many frames the step has.
        quirks: the platform.
        instructions: per frame.
        timers: "correct" (1 down per frame, not below 0), "octax" (1 down per step, 0 becomes 255) or "off" (0 after
            every step, as the published games that disable them).
        threads: at most so many; default all cores.
    """
    n = len(machines)
    packed, out = observations.dtype == np.uint32, observations.view(np.uint64)
    clock = _machine.TIMERS.index(timers)
    rest = (keys, skip, out.shape[1], instructions, clock, quirks.bits, packed, PIXELS_OF_BYTE, out)
    parts = min(threads or cores(), n // _CHUNK)
    if parts <= 1:
        _play(machines, 0, n, *rest)
        return
    edges = [n * part // parts for part in range(parts + 1)]
    others = [_pool().submit(_play, machines, lo, hi, *rest) for lo, hi in pairwise(edges[1:])]
    _play(machines, 0, edges[1], *rest)  # the first part here, since a thread takes a while to wake up
    for other in others:
        other.result()


def observe(machines: Machines, observations: NDArray[Any], chosen: NDArray[np.bool_]) -> None:
    """Blank frames and the present screen last, for the chosen machines; `observations` as in `play`."""
    _observe(machines, chosen, observations.dtype == np.uint32, PIXELS_OF_BYTE, observations.view(np.uint64))


def run_frames(machines: Machines, frames: int, quirks: Quirks, instructions: int, timers: str = "correct") -> None:
    """Run whole frames of every machine in place, with the keys it holds; timers "correct" or "off" (untouched)."""
    for _ in range(frames):
        _run(machines, instructions, quirks.bits, _machine.TIMERS.index(timers))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="chip8")


def cores() -> int:
    """Threads that numba may use: all cores, unless it was told otherwise."""
    return int(get_num_threads())
