"""The machine in JAX: the same CHIP-8 as `reference`, for a batch of machines at once, on whatever JAX runs on.

A batch of machines disagrees about what to do next, so one instruction is carried out as arithmetic on arrays: every
machine's opcode is taken apart, all results are computed, and each machine selects its own. What is dear and rare
(drawing, storing, loading, scrolling) stands behind a branch that is taken when some machine of the batch needs it;
the memory is only written there. `run_frames` is written for a batch, and a rule for `jax.vmap` leads any number of
mapped axes to it, so that a function of one machine is as fast under `vmap` as the batch is.

Random numbers are the reference's xorshift32: one draw costs six operations, where splitting a threefry key for every
instruction, as Octax does, costs hundreds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap

from assay.methods.environments.octax.machine import (
    BIG_FONT_START,
    FONT_START,
    MEMORY,
    STACK_DEPTH,
    Fault,
    Machines,
    Quirks,
    machine_dtype,
)

Array = jax.Array
_LAST = MEMORY - 1


class State(NamedTuple):
    """A machine, or with leading axes a batch of them; fields as in `machine.machine_dtype`.

    `display` is uint32 (..., rows, columns / 32), leftmost pixel in the highest bit.
    """

    memory: Array
    display: Array
    V: Array
    flags: Array
    stack: Array
    sp: Array
    rng: Array
    I: Array  # noqa: E741 - the register's name
    pc: Array
    keys: Array
    fault_pc: Array
    fault_opcode: Array
    delay: Array
    sound: Array
    hires: Array
    waiting: Array
    fault: Array


def from_machines(machines: Machines) -> State:
    """Arrays of JAX from an array of machines (n,), with n as their first axis."""
    state: State = jax.tree.map(jnp.asarray, on_host(machines))
    return state


def on_host(machines: Machines) -> State:
    """The same as arrays of numpy."""
    parts: dict[str, Any] = {name: np.ascontiguousarray(machines[name]) for name in State._fields if name != "display"}
    words = np.asarray(machines["display"])
    halves = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)], axis=-1).astype(np.uint32)
    display: Any = halves.reshape(*words.shape[:2], -1)
    return State(display=display, **parts)


def to_machines(state: State) -> Machines:
    """An array of machines (n,) from a state with one leading axis."""
    rows = state.display.shape[-2]
    machines = np.zeros(state.pc.shape[0], machine_dtype(rows == 64))
    for name in State._fields:
        if name != "display":
            machines[name] = np.asarray(getattr(state, name))
    halves = np.asarray(state.display).astype(np.uint64)
    machines["display"] = halves[..., 0::2] << np.uint64(32) | halves[..., 1::2]
    return machines


def random_next(r: Array) -> Array:
    """The next state of xorshift32, uint32."""
    r = r ^ (r << 13)
    r = r ^ (r >> 17)
    return r ^ (r << 5)


def run_frames(
    state: State, frames: int, instructions: int, quirks: Quirks, timers: str = "correct"
) -> tuple[State, Array]:
    """Run frames of one machine (or under `jax.vmap`, of many), with the keys it holds.

    Args:
        state: without leading axes.
        frames: how many.
        instructions: per frame.
        quirks: the platform.
        timers: "correct" ticks both after every frame; "octax" once after the last, 0 becoming 255; "off" sets both to
            0 after the last.

    Returns the state, and the screens of all frames, uint32 (frames, rows, columns / 32).
    """
    return _single(frames, instructions, quirks, timers)(state)


@cache
def _single(frames: int, instructions: int, quirks: Quirks, timers: str) -> Callable[[State], tuple[State, Array]]:
    """`run_frames` for one machine, with the rule that sends mapped axes to the batch."""
    batch = _batch(frames, instructions, quirks, timers)

    @custom_vmap
    def single(state: State) -> tuple[State, Array]:
        first: tuple[State, Array] = jax.tree.map(
            lambda leaf: leaf[0], batch(jax.tree.map(lambda leaf: leaf[None], state))
        )
        return first

    @single.def_vmap
    def _rule(size: int, mapped: tuple[State], state: State) -> Any:
        out = batch(_spread(size, mapped[0], state))
        return out, jax.tree.map(lambda _: True, out)

    return single


@cache
def _batch(frames: int, instructions: int, quirks: Quirks, timers: str) -> Callable[[State], tuple[State, Array]]:
    """The same for a batch; a further mapped axis is folded into it."""

    @custom_vmap
    def batch(state: State) -> tuple[State, Array]:
        return _run_batch(state, frames, instructions, quirks, timers)

    @batch.def_vmap
    def _rule(size: int, mapped: tuple[State], state: State) -> Any:
        state = _spread(size, mapped[0], state)
        inner = state.pc.shape[1]
        out = batch(jax.tree.map(lambda leaf: leaf.reshape(size * inner, *leaf.shape[2:]), state))
        out = jax.tree.map(lambda leaf: leaf.reshape(size, inner, *leaf.shape[1:]), out)
        return out, jax.tree.map(lambda _: True, out)

    return batch


def _spread(size: int, mapped: State, state: State) -> State:
    """Every part with the mapped axis, those too that did not have it."""
    spread: State = jax.tree.map(
        lambda is_mapped, leaf: leaf if is_mapped else jnp.broadcast_to(leaf, (size, *leaf.shape)), mapped, state
    )
    return spread


def _run_batch(state: State, frames: int, instructions: int, quirks: Quirks, timers: str) -> tuple[State, Array]:
    def one_frame(state: State, _: None) -> tuple[State, Array]:
        carry = (state, jnp.zeros(state.pc.shape, bool), _nothing_to_store(state))
        state, _done, store = lax.fori_loop(0, instructions, lambda _, c: _instruction(quirks, *c), carry)
        state = state._replace(memory=_store(state.memory, store))
        screen = observed(state)
        if timers == "correct":
            running = state.fault == 0
            state = state._replace(delay=_down(state.delay, running), sound=_down(state.sound, running))
        return state, screen

    state, screens = lax.scan(one_frame, state, None, length=frames)
    running = state.fault == 0
    if timers == "octax":
        delay, sound = state.delay, state.sound
        state = state._replace(delay=jnp.where(running, delay - 1, delay), sound=jnp.where(running, sound - 1, sound))
    elif timers == "off":
        zero = jnp.uint8(0)
        state = state._replace(delay=jnp.where(running, zero, state.delay), sound=jnp.where(running, zero, state.sound))
    return state, jnp.moveaxis(screens, 0, 1)


def observed(state: State) -> Array:
    """The screens of a batch as they are observed: low resolution doubled where there may be both."""
    display = state.display
    if display.shape[1] != 64:
        return display
    halves = jnp.stack([display[:, :32, :2] >> 16, display[:, :32, :2] & 0xFFFF], axis=-1)
    doubled = _doubled(halves.reshape(*halves.shape[:2], 4)).repeat(2, axis=1)
    return jnp.where((state.hires != 0)[:, None, None], display, doubled)


def _doubled(bits: Array) -> Array:
    """16 pixels in 32: every bit twice."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        bits = (bits | bits << shift) & jnp.uint32(mask)
    return bits | bits << 1


def _down(timer: Array, running: Array) -> Array:
    return jnp.where(running & (timer > 0), timer - 1, timer)


# --- one instruction of every machine -----------------------------------------------------------------------------


def _pick(table: Array, index: Array) -> Array:
    """table[b, index[b]] as int32, index within range."""
    return _each(table, index[:, None])[:, 0].astype(jnp.int32)


def _each(table: Array, index: Array) -> Array:
    """table[b, index[b, k]], every index within range."""
    return jnp.take_along_axis(table, index, axis=1, mode="promise_in_bounds")


def _first(conditions_and_values: list[tuple[Array, Any]], default: Any) -> Array:
    """The value of the last condition in the list that holds; conditions exclude each other."""
    out: Array = default
    for condition, value in conditions_and_values:
        out = jnp.where(condition, value, out)
    return out


def _instruction(q: Quirks, s: State, done: Array, store: Store) -> tuple[State, Array, Store]:
    """One instruction of every machine that runs; `done` machines have ended their frame.

    What it stores is written by the next one, before anything is read: within an instruction nothing reads the memory
    before it is written, so that XLA writes in place instead of copying all of it.
    """
    s = s._replace(memory=_store(s.memory, store))
    at = s.pc.astype(jnp.int32)
    active = (s.fault == 0) & ~done
    outside = at > _LAST - 1
    high_byte = _pick(s.memory, jnp.minimum(at, _LAST))
    low_byte = _pick(s.memory, jnp.minimum((at + 1) & 0xFFFF, _LAST))
    op = high_byte << 8 | low_byte
    if not q.octax:
        op = jnp.where(outside, 0, op)
    group = op >> 12
    x, y, n, nn, nnn = op >> 8 & 0xF, op >> 4 & 0xF, op & 0xF, op & 0xFF, op & 0xFFF
    vx, vy = _pick(s.V, x), _pick(s.V, y)
    index, delay = s.I.astype(jnp.int32), s.delay.astype(jnp.int32)
    sp, keys, waiting = s.sp.astype(jnp.int32), s.keys.astype(jnp.int32), s.waiting.astype(jnp.int32)
    misc = group == 0xF

    # faults first: a machine that cannot go on keeps its state
    fault = _faults(s, q, op, at, index, sp, x)
    fault = jnp.where(active, fault, 0)
    go = active & (fault == 0)

    # arithmetic
    eight = group == 0x8
    source = vx if q.shift else vy
    total, less, more = vx + vy, vx - vy, vy - vx
    result, flag = _arithmetic(q, n, vx, vy, source, total, less, more)
    flag = jnp.where(eight, flag, -1)

    # random numbers
    is_random = group == 0xC
    drawn = random_next(s.rng)
    rng = jnp.where(go & is_random, drawn, s.rng)

    # keys
    held = (keys >> (vx & 0xF) & 1) == 1
    lowest = _lowest_bit(keys)
    waits = misc & (nn == 0x0A)
    if q.octax:
        got_key, key, still = waits & (keys != 0), lowest, waits & (keys == 0)
    else:
        released = (waiting > 0) & (keys >> ((waiting - 1) & 0xF) & 1 == 0)
        got_key, key, still = waits & released, waiting - 1, waits & ~released
        seen = jnp.where((waiting == 0) & (keys != 0), lowest + 1, waiting)
        waiting = _first([(go & got_key, 0), (go & still, seen)], waiting)

    # registers
    new_vx = _first(
        [
            (group == 0x6, nn),
            (group == 0x7, vx + nn & 0xFF),
            (eight, result),
            (is_random, (drawn >> 24).astype(jnp.int32) & nn),
            (misc & (nn == 0x07), delay),
            (got_key, key),
        ],
        vx,
    )
    index_total = index + vx & 0xFFFF
    adds_index = misc & (nn == 0x1E)
    if q.octax:
        flag = jnp.where(adds_index, (index_total > 0xFFF).astype(jnp.int32), flag)

    # drawing: the screen and VF
    draws = go & (group == 0xD)
    display, hit = lax.cond(
        draws.any(),
        lambda: _draw(s, q, draws, vx, vy, n, index),
        lambda: (s.display, jnp.zeros_like(vx)),
    )
    flag = jnp.where(group == 0xD, hit, flag)
    display, hires = _system(s, q, op, go, display)

    lane = lax.broadcasted_iota(jnp.int32, s.V.shape, 1)
    V = jnp.where((lane == x[:, None]) & go[:, None], new_vx[:, None].astype(jnp.uint8), s.V)
    V = jnp.where((lane == 15) & (go & (flag >= 0))[:, None], flag[:, None].astype(jnp.uint8), V)

    # memory
    loads = go & misc & (nn == 0x65)
    V = lax.cond(loads.any(), lambda v: _load(s.memory, loads, v, x, index), lambda v: v, V)
    store = _storing(go & misc & ((nn == 0x33) | (nn == 0x55)), s.V, vx, x, nn == 0x33, index)
    flags = s.flags
    if q.super_chip:
        upto = lane <= x[:, None]
        to_flags, from_flags = go & misc & (nn == 0x75), go & misc & (nn == 0x85)
        flags = jnp.where(upto & to_flags[:, None], s.V, s.flags)
        V = jnp.where(upto & from_flags[:, None], s.flags, V)

    moved = index + x + 1 & 0xFFFF
    new_index = _first(
        [
            (group == 0xA, nnn),
            (adds_index, index_total & 0xFFF if q.octax else index_total),
            (misc & (nn == 0x29), FONT_START + 5 * vx & 0xFF if q.octax else FONT_START + 5 * (vx & 0xF)),
        ],
        index,
    )
    if q.memory:
        new_index = jnp.where(misc & ((nn == 0x55) | (nn == 0x65)), moved, new_index)
    if q.super_chip:
        new_index = jnp.where(misc & (nn == 0x30), BIG_FONT_START + 10 * (vx & 0xF), new_index)

    # where it goes on
    following = at + 2 & 0xFFFF
    calls, returns = group == 0x2, op == 0x00EE
    stack, popped = _stack(s, q, go, calls, returns, sp, following)
    skips = _first(
        [
            (group == 0x3, vx == nn),
            (group == 0x4, vx != nn),
            (group == 0x5, vx == vy),
            (group == 0x9, vx != vy),
            (group == 0xE, held != (nn == 0xA1)),
        ],
        jnp.zeros_like(go),
    )
    pc = jnp.where(skips, following + 2 & 0xFFFF, following)
    base = vx if q.jump else s.V[:, 0].astype(jnp.int32)
    jump = nn + vx & 0xFFF if q.octax else nnn + base
    pc = _first([((group == 0x1) | calls, nnn), (group == 0xB, jump), (returns, popped), (still, at)], pc)

    new_state = State(
        memory=s.memory,
        display=display,
        V=V,
        flags=flags,
        stack=stack,
        sp=jnp.where(go, _first([(calls, sp + 1), (returns, sp - 1)], sp), sp).astype(s.sp.dtype),
        rng=rng,
        I=jnp.where(go, new_index, index).astype(s.I.dtype),
        pc=jnp.where(go, pc, at).astype(s.pc.dtype),
        keys=s.keys,
        fault_pc=jnp.where(fault > 0, at, s.fault_pc).astype(s.fault_pc.dtype),
        fault_opcode=jnp.where(fault > 0, op, s.fault_opcode).astype(s.fault_opcode.dtype),
        delay=jnp.where(go & misc & (nn == 0x15), vx, s.delay).astype(s.delay.dtype),
        sound=jnp.where(go & misc & (nn == 0x18), vx, s.sound).astype(s.sound.dtype),
        hires=hires,
        waiting=waiting.astype(s.waiting.dtype),
        fault=jnp.where(fault > 0, fault, s.fault).astype(s.fault.dtype),
    )
    return new_state, done | draws if q.display_wait else done, store


def _faults(s: State, q: Quirks, op: Array, at: Array, index: Array, sp: Array, x: Array) -> Array:
    """Why the next instruction cannot be carried out, 0 where it can."""
    if q.octax:
        return jnp.zeros_like(op)
    group, n, nn = op >> 12, op & 0xF, op & 0xFF
    misc, zero = group == 0xF, group == 0x0
    super_misc = misc & ((nn == 0x30) | (nn == 0x75) | (nn == 0x85))
    super_system = zero & ((op & 0xFFF0 == 0x00C0) | ((op >= 0x00FB) & (op <= 0x00FF)))
    known = (nn == 0x07) | (nn == 0x0A) | (nn == 0x15) | (nn == 0x18) | (nn == 0x1E) | (nn == 0x29) | (nn == 0x33)
    known |= (nn == 0x55) | (nn == 0x65)
    xo_misc = misc & ((nn == 0x01) | (nn == 0x02) | (nn == 0x3A) | ((nn == 0) & (x == 0)))
    five = group == 0x5
    unknown = (group == 0x9) & (n != 0) | (five & (n != 0)) | (misc & ~known & ~super_misc)
    unknown |= (group == 0xE) & (nn != 0x9E) & (nn != 0xA1)
    unknown |= (group == 0x8) & (n > 7) & (n != 0xE)
    size = jnp.where(n == 0, 32, n) if q.super_chip else n
    past = (group == 0xD) & (index + size > MEMORY)
    past |= misc & (nn == 0x33) & (index + 3 > MEMORY)
    past |= misc & ((nn == 0x55) | (nn == 0x65)) & (index + x >= MEMORY)
    fault = _first(
        [
            (unknown, int(Fault.UNKNOWN_OPCODE)),
            (xo_misc | (five & ((n == 2) | (n == 3))) | (zero & (op & 0xFFF0 == 0x00D0)), int(Fault.XO_CHIP)),
            (past, int(Fault.ADDRESS)),
            ((group == 0x2) & ((sp < 0) | (sp >= STACK_DEPTH)), int(Fault.STACK_OVERFLOW)),
            ((op == 0x00EE) & ((sp < 1) | (sp > STACK_DEPTH)), int(Fault.STACK_UNDERFLOW)),
        ],
        jnp.zeros_like(op),
    )
    if not q.super_chip:
        fault = jnp.where(super_misc | super_system, int(Fault.SUPER_CHIP), fault)
    else:
        fault = jnp.where(op == 0x00FD, int(Fault.EXITED), fault)
        if s.display.shape[1] != 64:
            fault = jnp.where(op == 0x00FF, int(Fault.RESOLUTION), fault)
    return jnp.where(at > _LAST - 1, int(Fault.PROGRAM_COUNTER), fault)


def _arithmetic(
    q: Quirks, n: Array, vx: Array, vy: Array, source: Array, total: Array, less: Array, more: Array
) -> tuple[Array, Array]:
    """8xyn: the result, and the flag or -1 for none."""
    result = _first(
        [
            (n == 0x0, vy),
            (n == 0x1, vx | vy),
            (n == 0x2, vx & vy),
            (n == 0x3, vx ^ vy),
            (n == 0x4, total & 0xFF),
            (n == 0x5, less & 0xFF),
            (n == 0x6, source >> 1),
            (n == 0x7, more & 0xFF),
            (n == 0xE, source << 1 & 0xFF),
        ],
        vx,
    )
    logic = (n >= 1) & (n <= 3)
    flag = _first(
        [
            (n == 0x4, total >> 8),
            (n == 0x5, (less >= 0).astype(jnp.int32)),
            (n == 0x6, source & 1),
            (n == 0x7, (more >= 0).astype(jnp.int32)),
            (n == 0xE, source >> 7),
            ((n == 0) | logic, -1),
            (logic, 0 if q.vf_reset else -1),
        ],
        jnp.zeros_like(n),
    )
    if q.octax:
        flag = jnp.where(n == 0, 0, flag)
    return result, flag


def _lowest_bit(keys: Array) -> Array:
    """The lowest key held, 0 where none is."""
    return lax.population_count((keys & -keys) - 1 & 0xFFFF) & 0xF


def _stack(
    s: State, q: Quirks, go: Array, calls: Array, returns: Array, sp: Array, following: Array
) -> tuple[Array, Array]:
    """The stack after a call or return, and the address that a return goes to."""
    lane = lax.broadcasted_iota(jnp.int32, s.stack.shape, 1)
    if not q.octax:
        popped = _pick(s.stack, jnp.clip(sp - 1, 0, STACK_DEPTH - 1))
        pushes = (lane == sp[:, None]) & (go & calls)[:, None]
        return jnp.where(pushes, following[:, None].astype(s.stack.dtype), s.stack), popped
    top = jnp.where(sp < 0, sp + STACK_DEPTH, sp)
    below = jnp.where(sp - 1 < 0, sp - 1 + STACK_DEPTH, sp - 1)
    popped = _pick(s.stack, jnp.clip(below, 0, STACK_DEPTH - 1))
    pushes = (lane == top[:, None]) & (go & calls)[:, None]
    pops = (lane == below[:, None]) & (go & returns)[:, None]
    stack = jnp.where(pushes, (following & 0xFFF)[:, None].astype(s.stack.dtype), s.stack)
    return jnp.where(pops, jnp.zeros_like(stack), stack), popped


def _bytes_at(memory: Array, address: Array) -> Array:
    """The bytes of every machine's memory at (b, k) addresses, the last one for those past the end; uint8 (b, k)."""
    return _each(memory, jnp.minimum(address, _LAST))


class Store(NamedTuple):
    """Bytes to be written: (b, 16) of them, and where; past the end of memory for those that are not."""

    where: Array
    data: Array


def _nothing_to_store(s: State) -> Store:
    count = s.pc.shape[0]
    return Store(jnp.full((count, 16), MEMORY), jnp.zeros((count, 16), jnp.uint8))


def _storing(stores: Array, V: Array, vx: Array, x: Array, decimal: Array, index: Array) -> Store:
    """What Fx33 and Fx55 write."""
    k = jnp.arange(16)
    digits = jnp.stack([vx // 100, vx // 10 % 10, vx % 10], axis=1).astype(jnp.uint8)
    data = jnp.where(decimal[:, None], jnp.pad(digits, ((0, 0), (0, 13))), V)
    written = stores[:, None] & (k < jnp.where(decimal, 3, x + 1)[:, None])
    return Store(jnp.where(written, index[:, None] + k, MEMORY), data)


def _store(memory: Array, store: Store) -> Array:
    machine = jnp.arange(memory.shape[0])[:, None]

    def write(memory: Array) -> Array:
        return memory.at[machine, store.where].set(store.data, mode="drop")

    written: Array = lax.cond((store.where < MEMORY).any(), write, lambda memory: memory, memory)
    return written


def _load(memory: Array, loads: Array, V: Array, x: Array, index: Array) -> Array:
    """Fx65."""
    lane = jnp.arange(16)
    return jnp.where(loads[:, None] & (lane <= x[:, None]), _bytes_at(memory, index[:, None] + lane), V)


def _draw(s: State, q: Quirks, draws: Array, vx: Array, vy: Array, n: Array, index: Array) -> tuple[Array, Array]:
    """Dxyn: the screens, and 1 where a lit pixel went out."""
    all_rows, all_words = s.display.shape[1:]
    high = s.hires != 0 if all_rows == 64 else jnp.zeros(n.shape, bool)
    rows, columns = jnp.where(high, 64, 32)[:, None], jnp.where(high, 128, 64)[:, None, None]
    big = (n == 0) if q.super_chip else jnp.zeros(n.shape, bool)
    height = jnp.where(big, 16, n)[:, None]
    left, top = vx[:, None, None] % columns, vy[:, None] % rows
    row = jnp.arange(all_rows)
    k = row - top  # the sprite's row that lies on each row of the screen
    if not q.clip:
        k = jnp.where(k < 0, k + rows, k)
    inside = draws[:, None] & (k >= 0) & (k < height) & (row < rows)
    at = index[:, None] + jnp.where(big, 2, 1)[:, None] * jnp.clip(k, 0, 15)  # of the byte that lies on each row
    bits = _bytes_at(s.memory, at).astype(jnp.uint32) << 24
    if q.super_chip:
        bits |= jnp.where(big[:, None], _bytes_at(s.memory, at + 1).astype(jnp.uint32) << 16, 0)
    bits = jnp.where(inside, bits, 0)[:, :, None]
    shift = left - 32 * jnp.arange(all_words)  # of the sprite against each word of the row
    sprite = _shifted(bits, shift)
    if not q.clip:
        sprite = sprite | _shifted(bits, shift - columns)
    sprite = jnp.where(32 * jnp.arange(all_words) < columns, sprite, 0)
    hit = ((s.display & sprite) != 0).any(axis=(1, 2)).astype(jnp.int32)
    return s.display ^ sprite, hit


def _shifted(bits: Array, shift: Array) -> Array:
    """Words of 32 bits moved right by `shift`, or left where it is negative; 0 where nothing is left."""
    right = bits >> jnp.clip(shift, 0, 31).astype(jnp.uint32)
    left = bits << jnp.clip(-shift, 0, 31).astype(jnp.uint32)
    return jnp.where((shift >= 32) | (shift <= -32), 0, jnp.where(shift >= 0, right, left))


def _system(s: State, q: Quirks, op: Array, go: Array, display: Array) -> tuple[Array, Array]:
    """00E0 and the screen of a SUPER-CHIP: the screens and resolutions."""
    clears = go & (op == 0x00E0)
    if not q.super_chip:
        return jnp.where(clears[:, None, None], 0, display), s.hires
    low, high = go & (op == 0x00FE), go & (op == 0x00FF)
    scrolls = go & ((op & 0xFFF0 == 0x00C0) | (op == 0x00FB) | (op == 0x00FC))
    display = jnp.where((clears | low | high)[:, None, None], 0, display)
    display = lax.cond(scrolls.any(), lambda d: _scroll(s, op, scrolls, d), lambda d: d, display)
    return display, jnp.where(low, jnp.uint8(0), jnp.where(high, jnp.uint8(1), s.hires))


def _scroll(s: State, op: Array, scrolls: Array, display: Array) -> Array:
    """00Cn down, 00FB right, 00FC left, within the resolution each screen is in."""
    all_rows, all_words = display.shape[1:]
    high = s.hires != 0 if all_rows == 64 else jnp.zeros(op.shape, bool)
    rows, words = jnp.where(high, 64, 32)[:, None], jnp.where(high, 4, 2)[:, None, None]
    down = jnp.where(op & 0xFFF0 == 0x00C0, op & 0xF, 0)[:, None]
    source = jnp.arange(all_rows) - down
    moved = _each(display, jnp.clip(source, 0, all_rows - 1)[:, :, None])
    moved = jnp.where(((source >= 0) & (jnp.arange(all_rows) < rows))[:, :, None], moved, 0)
    before = jnp.pad(display, ((0, 0), (0, 0), (1, 0)))[:, :, :-1]
    after = jnp.pad(display, ((0, 0), (0, 0), (0, 1)))[:, :, 1:]
    within = jnp.arange(all_words) < words
    right = jnp.where(within, display >> 4 | before << 28, 0)
    left = jnp.where(within, display << 4 | after >> 28, 0)
    code = op[:, None, None]
    result = jnp.where(code == 0x00FB, right, jnp.where(code == 0x00FC, left, moved))
    return jnp.where(scrolls[:, None, None], result, display)
