"""Cases of fidelity: one instruction from a random state, what real platforms do with it, and what a machine did.

A platform is one of the profiles "vip", "schip" and "xochip" of our reference machine. A machine is faithful in a case
when what it did is what at least one of them does, or what some interpreter of the time is said to have done: Fx1E that
reports in VF whether I passed 0xFFF (an Amiga interpreter), Fx29 that takes all of Vx for the digit, Fx0A that takes a
key as soon as it is pressed. Only what no platform does counts as a deviation. Timers are looked at over steps of an
environment, since one instruction cannot show them.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.methods.environments.octax.machine import FONT_START, PROFILES, Machines, new_machines
from assay.methods.environments.octax.reference import ReferenceMachine

PLATFORMS = ("vip", "schip", "xochip")
PROGRAM = 0x300
"""Where the instruction lies."""

# By group: opcodes with the bits that vary. Registers x and y, the byte nn and the address nnn are drawn at random.
GROUPS: dict[str, tuple[tuple[int, int], ...]] = {
    "arithmetic": (
        (0x6000, 0xFFF),
        (0x7000, 0xFFF),
        *((0x8000 | n, 0xFF0) for n in (0, 1, 2, 3, 4, 5, 6, 7, 0xE)),
    ),
    "jumps and calls": (
        (0x1000, 0xFFF),
        (0x2000, 0xFFF),
        (0x00EE, 0),
        (0x3000, 0xFFF),
        (0x4000, 0xFFF),
        (0x5000, 0xFF0),
        (0x9000, 0xFF0),
        (0xB000, 0xFFF),
    ),
    "memory": (
        (0xA000, 0xFFF),
        (0xF01E, 0xF00),
        (0xF029, 0xF00),
        (0xF033, 0xF00),
        (0xF055, 0xF00),
        (0xF065, 0xF00),
    ),
    "drawing": ((0x00E0, 0), (0xD001, 0xFF0), (0xD005, 0xFF0), (0xD008, 0xFF0), (0xD00F, 0xFF0)),
    "keys": ((0xE09E, 0xF00), (0xE0A1, 0xF00), (0xF00A, 0xF00)),
    "timers": (),
}


@dataclass(frozen=True)
class Case:
    """An instruction and the machine that carries it out, an array (1,) whose pc is at it; or timers over steps."""

    opcode: int
    machine: Machines
    steps: int = 0
    """Of the environment, for timers."""

    def __str__(self) -> str:
        m = self.machine[0]
        if self.steps:
            return f"DT = {m['delay']}, ST = {m['sound']}, read after {self.steps} steps of 4 frames"
        x, y = self.opcode >> 8 & 0xF, self.opcode >> 4 & 0xF
        held = [key for key in range(16) if m["keys"] >> key & 1]
        return (
            f"{self.opcode:04X} with V{x:X} = {m['V'][x]}, V{y:X} = {m['V'][y]}, VF = {m['V'][15]}, "
            f"I = 0x{m['I']:03X}, keys {held}"
        )


def cases(group: str, count: int, rng: np.random.Generator) -> list[Case]:
    """Random cases of a group, its instructions in turn.

    Registers are random, half of the time with equal Vx and Vy so that skips skip; I lies between 0x400 and 0xE00, 16
    calls deep at most 8; the screen is half lit; keys are none, one or several.
    """
    found = []
    for number in range(count):
        m = new_machines(b"\x00", [1])
        m["memory"][0, 0x400:0xE80] = rng.integers(0, 256, 0xA80)
        m["V"] = rng.integers(0, 256, 16)
        m["I"] = rng.integers(0x400, 0xE00)
        m["display"] = rng.integers(0, 2**64, m["display"].shape, dtype=np.uint64)
        m["sp"] = rng.integers(1, 9)
        m["stack"][0, : m["sp"][0]] = rng.integers(0x200, 0xFFE, m["sp"][0])
        m["keys"] = (0, 1 << int(rng.integers(16)), int(rng.integers(0, 0x10000)))[int(rng.integers(3))]
        m["delay"], m["sound"] = rng.integers(0, 256), rng.integers(0, 256)
        m["pc"] = PROGRAM
        if group == "timers":
            found.append(Case(0, m, int(rng.integers(1, 60))))
            continue
        fixed, free = GROUPS[group][number % len(GROUPS[group])]
        opcode = fixed | int(rng.integers(0, 0x10000)) & free
        if rng.random() < 0.5:
            m["V"][0, opcode >> 8 & 0xF] = m["V"][0, opcode >> 4 & 0xF] if opcode >> 12 in (5, 9) else opcode & 0xFF
        m["memory"][0, PROGRAM : PROGRAM + 2] = opcode >> 8, opcode & 0xFF
        found.append(Case(opcode, m))
    return found


Outcome = tuple[Any, ...]
"""What can be seen after a case: V, I, pc, memory, screen, timers, stack."""


def outcome(machine: Machines) -> Outcome:
    """What can be seen of a machine, an array (1,)."""
    m = machine[0]
    return (
        m["V"].tobytes(),
        int(m["I"]),
        int(m["pc"]),
        m["memory"].tobytes(),
        m["display"].tobytes(),
        int(m["delay"]),
        int(m["sound"]),
        m["stack"][: max(int(m["sp"]), 0)].tobytes(),
    )


PARTS = ("V", "I", "pc", "memory", "screen", "DT", "ST", "stack")


def by_reference(case: Case, profile: str, kind: type[ReferenceMachine] = ReferenceMachine) -> Outcome:
    """What a platform does in a case, by our reference machine."""
    machine = kind(b"\x00", PROFILES[profile])
    machine.load(case.machine)
    if case.steps:
        for _ in range(4 * case.steps):
            machine.tick()
    else:
        machine.instruction()
    return outcome(machine.save())


def accepted(case: Case) -> list[Outcome]:
    """All that counts as faithful in a case."""
    found = [by_reference(case, profile) for profile in PLATFORMS]
    if case.steps or case.opcode >> 12 != 0xF:
        return found
    m, x = case.machine.copy(), case.opcode >> 8 & 0xF
    value, keys = int(m["V"][0, x]), int(m["keys"][0])
    m["pc"] = PROGRAM + 2
    if case.opcode & 0xFF == 0x1E:
        total = int(m["I"][0]) + value
        m["I"], m["V"][0, 15] = total & 0xFFF, total > 0xFFF
    elif case.opcode & 0xFF == 0x29:
        m["I"] = FONT_START + 5 * value
    elif case.opcode & 0xFF == 0x0A and keys:
        m["V"][0, x] = (keys & -keys).bit_length() - 1
    else:
        return found
    return [*found, outcome(m)]


def by_native(case: Case, profile: str) -> Outcome:
    """The same by our native machine: the second check of what a platform does."""
    from assay.methods.environments.octax import native

    machine = case.machine.copy()
    if case.steps:
        native.run_frames(machine, 4 * case.steps, PROFILES[profile], 0)
    else:
        native.run_frames(machine, 1, PROFILES[profile], 1, "off")
        machine["delay"] = machine["delay"] if case.opcode & 0xF0FF == 0xF015 else case.machine["delay"]
        machine["sound"] = machine["sound"] if case.opcode & 0xF0FF == 0xF018 else case.machine["sound"]
    machine["keys"] = case.machine["keys"]
    return outcome(machine)


def by_octax(group_cases: list[Case]) -> list[Outcome]:
    """What the package `octax` does in every case: its own `fetch` and `execute`, or its environment's timers."""
    import jax
    import jax.numpy as jnp
    from octax.emulator import execute, fetch
    from octax.env import OctaxEnvState
    from octax.state import StackState

    from assay.methods.environments.octax.peers import octax_env

    def loaded(case: Case) -> Any:
        m = case.machine[0]
        bits = (m["display"][:, 0][:, None] >> np.arange(63, -1, -1, dtype=np.uint64)) & np.uint64(1)
        return OctaxEnvState(
            rng=jax.random.PRNGKey(0),
            memory=jnp.asarray(m["memory"]),
            pc=jnp.uint16(m["pc"]),
            display=jnp.asarray(bits.T.astype(bool)),
            stack=StackState(data=jnp.asarray(m["stack"]), pointer=jnp.int32(m["sp"])),
            delay_timer=jnp.uint8(m["delay"]),
            sound_timer=jnp.uint8(m["sound"]),
            keypad=jnp.asarray((int(m["keys"]) >> np.arange(16) & 1).astype(bool)),
            V=jnp.asarray(m["V"]),
            I=jnp.uint16(m["I"]),
            time=jnp.int32(0),
            previous_score=jnp.float32(0),
            current_score=jnp.float32(0),
        )

    warnings.filterwarnings("ignore", "scatter inputs", FutureWarning)  # the package's own
    states = jax.tree.map(lambda *parts: jnp.stack(parts), *[loaded(case) for case in group_cases])
    if group_cases[0].steps:
        env = octax_env(bytes.fromhex("1300"), (0,))
        env_steps = jnp.array([case.steps for case in group_cases])
        states = states.replace(memory=states.memory.at[:, PROGRAM].set(0x13).at[:, PROGRAM + 1].set(0x00))

        def until(state: Any, steps: Any) -> Any:
            return jax.lax.fori_loop(
                0, 60, lambda k, s: jax.tree.map(lambda a, b: jnp.where(k < steps, a, b), env.step(s, 1)[0], s), state
            )

        after = jax.jit(jax.vmap(until))(states, env_steps)
        after = after.replace(memory=jnp.asarray(np.stack([case.machine[0]["memory"] for case in group_cases])))
    else:
        after = jax.jit(jax.vmap(lambda state: execute(*fetch(state))))(states)
    return [_seen(jax.tree.map(lambda part, i=i: np.asarray(part[i]), after)) for i in range(len(group_cases))]


def _seen(state: Any) -> Outcome:
    words = np.ascontiguousarray(np.packbits(state.display.T, axis=1)).view(">u8").astype(np.uint64)
    depth = max(int(state.stack.pointer), 0)
    return (
        state.V.tobytes(),
        int(state.I),
        int(state.pc),
        state.memory.tobytes(),
        words.tobytes(),
        int(state.delay_timer),
        int(state.sound_timer),
        state.stack.data[:depth].astype(np.uint16).tobytes(),
    )


def difference(case: Case, did: Outcome, platform: str) -> str:
    """A case in which a machine did what no platform does, in words, with what `platform` would have done."""
    right = by_reference(case, platform)
    parts = []
    for name, mine, theirs in zip(PARTS, right, did, strict=True):
        if mine == theirs:
            continue
        if name == "V":
            registers = [k for k in range(16) if mine[k] != theirs[k]]
            parts += [f"V{k:X} = {theirs[k]} (right: {mine[k]})" for k in registers]
        elif isinstance(mine, int):
            shown = "0x{:03X}" if name in ("I", "pc") else "{}"
            parts.append(f"{name} = {shown.format(theirs)} (right: {shown.format(mine)})")
        else:
            parts.append(f"{name} differs")
    return f"{case}: {', '.join(parts)}"


class Spoiled(ReferenceMachine):
    """A machine with a fault in every group, which the test has to catch."""

    def _arithmetic(self, x: int, y: int, n: int) -> None:
        super()._arithmetic(x, y, n)
        if n == 0x4:
            self.V[0xF] ^= 1

    def _skip_if(self, condition: bool) -> None:
        super()._skip_if(not condition)

    def _store(self, data: list[int]) -> None:
        super()._store(data[::-1])

    def _draw(self, x: int, y: int, n: int) -> None:
        super()._draw(x, y, n)
        self.V[0xF] = 0

    def tick(self) -> None:
        """Both timers wrap round."""
        self.delay, self.sound = (self.delay - 1) % 256, (self.sound - 1) % 256
