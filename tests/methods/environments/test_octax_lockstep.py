"""Machines side by side on every opcode and every mixture of quirks, and machines in states that no program reaches.

Random programs on the four platforms are in test_octax_backends.
"""

from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from lockstep import differences, random_machines, reference_run

from assay.methods.environments.octax import native
from assay.methods.environments.octax.machine import MEMORY, PROFILES, Quirks
from assay.methods.environments.octax.screen import pack, pixels

KINDS = [(name, hires) for name in PROFILES for hires in (False, True) if not (name == "octax" and hires)]
QUIRKS = [field.name for field in fields(Quirks)]


def about_to_do(opcodes, rng, hires):
    """Machines in random states, each before one of the opcodes; half of them with I within 33 bytes of the end."""
    machines = random_machines(len(opcodes), rng, hires)
    every = np.arange(len(opcodes))
    machines["pc"] = rng.integers(0x100, MEMORY // 2 - 1, len(opcodes)) * 2
    machines["memory"][every, machines["pc"]] = opcodes >> 8
    machines["memory"][every, machines["pc"].astype(int) + 1] = opcodes & 0xFF
    near = rng.random(len(opcodes)) < 0.5
    machines["I"][near] = rng.integers(MEMORY - 33, MEMORY + 2, near.sum())
    machines["sp"] = rng.choice([0, 1, 8, 15, 16], len(opcodes))
    waits = rng.random(len(opcodes)) < 0.3
    machines["waiting"][waits] = rng.integers(1, 17, waits.sum())
    equal = rng.random(len(opcodes)) < 0.5  # so that skips skip
    machines["V"][every[equal], opcodes[equal] >> 8 & 0xF] = np.where(
        np.isin(opcodes >> 12, (5, 9)), machines["V"][every, opcodes >> 4 & 0xF], opcodes & 0xFF
    )[equal]
    return machines


def native_is_reference(opcodes, profile, hires):
    """One instruction each."""
    machines = about_to_do(opcodes, np.random.default_rng(len(opcodes)), hires)
    expected = reference_run(machines, PROFILES[profile], 1, 1)
    native.run_frames(machines, 1, PROFILES[profile], 1)
    assert differences(expected, machines) == []


@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_some_opcodes_on_the_reference_and_native(profile, hires):
    native_is_reference(np.random.default_rng(1).permutation(0x10000)[:500], profile, hires)


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_every_opcode_on_the_reference_and_native(profile, hires):
    """Every seventh, from another one for each kind of machine: together all 65,536."""
    native_is_reference(np.arange(0x10000)[KINDS.index((profile, hires)) :: len(KINDS)], profile, hires)


def jax_is_native(parts, profile, hires):
    """Each opcode from a random state; and the screen that JAX shows after it."""
    jax = pytest.importorskip("jax")
    from assay.methods.environments.octax.jax_machine import from_machines, run_frames, to_machines

    quirks = PROFILES[profile]
    once = jax.jit(jax.vmap(lambda state: run_frames(state, 1, 1, quirks)))
    for part in parts:
        machines = about_to_do(part, np.random.default_rng(int(part[0])), hires)
        state, screens = once(from_machines(machines))
        native.run_frames(machines, 1, quirks, 1)
        assert differences(machines, to_machines(state)) == []
        assert np.array_equal(np.asarray(screens)[:, 0], pack(pixels(machines)))


@pytest.mark.parametrize(("profile", "hires"), [("schip", False), ("xochip", True), ("octax", False)])
def test_some_opcodes_natively_and_in_jax(profile, hires):
    jax_is_native([np.random.default_rng(7).permutation(0x10000)[:6000]], profile, hires)


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_every_opcode_natively_and_in_jax(profile, hires):
    jax_is_native(np.arange(0x10000).reshape(8, -1), profile, hires)


def test_every_mixture_of_quirks():
    """All of them, not only the four that have names; the published machine has no SUPER-CHIP."""
    rng = np.random.default_rng(2)
    for on in product((False, True), repeat=len(QUIRKS)):
        chosen = dict(zip(QUIRKS, on, strict=True))
        if chosen["octax"] and chosen["super_chip"]:
            with pytest.raises(ValueError, match="not both"):
                Quirks(**chosen)
            continue
        quirks = Quirks(**chosen)
        machines = random_machines(3, rng, hires=not quirks.octax)
        expected = reference_run(machines, quirks, 2, 11)
        native.run_frames(machines, 2, quirks, 11)
        assert differences(expected, machines) == [], quirks


@pytest.mark.parametrize("hires", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_seen_at_a_reset_and_after_a_step(hires, packed):
    machines = random_machines(40, np.random.default_rng(3), hires)
    rows, columns = (64, 128) if hires else (32, 64)
    shape, kind = ((40, 4, rows, columns // 32), np.uint32) if packed else ((40, 4, rows, columns), np.uint8)
    seen, chosen = np.full(shape, 3, kind), np.arange(40) % 3 != 0
    native.observe(machines, seen, chosen)
    shown = pack(pixels(machines)) if packed else pixels(machines)
    assert np.array_equal(seen[chosen, 3], shown[chosen])
    assert not seen[chosen, :3].any()
    assert (seen[~chosen] == 3).all()
    if hires:  # a low screen is every pixel twice in both directions
        low, full = machines["hires"] == 0, pixels(machines)
        assert 5 < low.sum() < 35
        assert np.array_equal(full[low], full[low, ::2, ::2].repeat(2, axis=1).repeat(2, axis=2))
    native.play(machines, np.zeros(40, np.uint16), ~chosen, seen, PROFILES["xochip"], 11)
    shown = pack(pixels(machines)) if packed else pixels(machines)
    assert np.array_equal(seen[chosen, 3], shown[chosen])
    assert (seen[~chosen] == 3).all()


# --- states that no program reaches ------------------------------------------------------------------------------

EXTREMES = {
    "sp": [-(2**31), -17, -16, -1, 0, 16, 17, 2**31 - 1],
    "pc": [0, 0xFFD, 0xFFE, 0xFFF, 0x1000, 0xFFFE, 0xFFFF],
    "I": [0, 0xFF0, 0xFFF, 0x1000, 0xFFF0, 0xFFFF],
    "hires": [0, 1, 2, 255],
    "waiting": [0, 1, 16, 17, 128, 255],
    "keys": [0, 1, 0x8000, 0xFFFF],
    "rng": [0, 1, 2**32 - 1],
}
EXTREME_OPCODES = [
    0x00E0, 0x00EE, 0x00CF, 0x00FB, 0x00FC, 0x2FFE, 0xBFFF, 0xCAFF, 0xDAB0, 0xDABF, 0xEA9E, 0xFA0A, 0xFA1E, 0xFA29,
    0xFA30, 0xFA33, 0xFF55, 0xFF65, 0xFF75, 0xFF85,
]  # fmt: skip


def corrupt_machines(count, rng, hires):
    """Machines of nothing but random bytes, most fields at their extremes; not halted, unless by chance."""
    machines = random_machines(count, rng, hires)
    machines.view(np.uint8)[:] = rng.integers(0, 256, machines.nbytes, dtype=np.uint8)
    for name, values in EXTREMES.items():
        extreme = rng.random(count) < 0.9
        machines[name][extreme] = rng.choice(values, extreme.sum())
    machines["fault"] = 0
    opcodes = rng.choice(EXTREME_OPCODES, (count, MEMORY // 2)).astype(">u2")
    fixed = rng.random((count, 1)) < 0.8
    machines["memory"] = np.where(fixed, opcodes.view(np.uint8).reshape(count, MEMORY), machines["memory"])
    return machines


@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_whatever_its_state_a_machine_writes_nothing_but_itself(profile, hires):
    """Every machine lies between two records of 0xA5, and the whole between two more; play and run_frames."""
    rng, count, quirks = np.random.default_rng(4), 1500, PROFILES[profile]
    array = np.zeros(2 * count + 1, random_machines(1, rng, hires).dtype)
    raw, skip = array.view(np.uint8).reshape(len(array), -1), np.arange(len(array)) % 2 == 0
    raw[:] = 0xA5
    screens = np.zeros((len(array), 2, 64 if hires else 32, 4 if hires else 2), np.uint32)
    changed = np.zeros(count, bool)
    for _ in range(6):
        array[1::2] = corrupt_machines(count, rng, hires)
        before = array[1::2].copy()
        native.run_frames(array, 1, quirks, 11)
        changed |= array[1::2] != before
        array["fault"][1::2] = 0
        native.play(array, rng.integers(0, 2**16, len(array)).astype(np.uint16), skip, screens, quirks, 11)
        assert (raw[::2] == 0xA5).all()
        assert not screens[skip].any()
        assert set(array["fault"][1::2].tolist()) <= set(range(10))
    assert changed.mean() > 0.9


@pytest.mark.parametrize("hires", [False, True])
def test_whatever_its_state_a_machine_leaves_its_neighbours_alone_in_jax(hires):
    jax = pytest.importorskip("jax")
    from assay.methods.environments.octax.jax_machine import from_machines, run_frames, to_machines

    rng, quirks = np.random.default_rng(5), PROFILES["xochip"]
    step = jax.jit(jax.vmap(lambda state: run_frames(state, 1, 11, quirks)[0]))
    sound = random_machines(400, rng, hires)
    alone = sound.copy()
    native.run_frames(alone, 1, quirks, 11)
    mixed = np.zeros(800, sound.dtype)
    mixed[::2], mixed[1::2] = sound, corrupt_machines(400, rng, hires)
    after = to_machines(step(from_machines(mixed)))
    assert differences(alone, np.ascontiguousarray(after[::2])) == []
    assert set(after["fault"].tolist()) <= set(range(10))


# --- long --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_ten_million_instructions_on_the_reference_and_native():
    """On the published machine, which never halts: every instruction that is counted was carried out."""
    rng, quirks, carried_out = np.random.default_rng(6), PROFILES["octax"], 0
    while carried_out < 10**7:
        machines = random_machines(100, rng)
        for _ in range(5):  # the same programs from elsewhere, with what they have written
            machines["pc"] = rng.integers(0, MEMORY // 2, 100) * 2
            machines["keys"] = rng.integers(0, 2**16, 100)
            expected = reference_run(machines, quirks, 1, 1000)
            native.run_frames(machines, 1, quirks, 1000)
            assert differences(expected, machines) == []
            assert not machines["fault"].any()
            carried_out += 100 * 1000
