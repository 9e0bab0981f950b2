"""Three machines, one behaviour: random programs in random states, field by field; and nothing outside a machine."""

import numpy as np
import pytest
from lockstep import differences, random_machines, reference_run

from assay.methods.environments.octax import native
from assay.methods.environments.octax.machine import PROFILES, TIMERS, Fault, machine_dtype
from assay.methods.environments.octax.screen import pack, pixels

KINDS = [(name, hires) for name in PROFILES for hires in (False, True) if not (name == "octax" and hires)]


@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_native_is_the_reference_instruction_by_instruction(profile, hires):
    quirks = PROFILES[profile]
    machines = random_machines(150, np.random.default_rng(1), hires)
    for step in range(8):
        expected = reference_run(machines, quirks, 1, 1)
        native.run_frames(machines, 1, quirks, 1)
        assert differences(expected, machines) == [], step
    expected = reference_run(machines, quirks, 3, 11)
    native.run_frames(machines, 3, quirks, 11)
    assert differences(expected, machines) == []


def test_random_programs_meet_every_fault():
    machines = random_machines(4000, np.random.default_rng(2))
    native.run_frames(machines, 3, PROFILES["schip"], 11)
    met = set(machines["fault"].tolist())
    machines = random_machines(500, np.random.default_rng(2))
    native.run_frames(machines, 3, PROFILES["vip"], 11)
    met |= set(machines["fault"].tolist())
    assert met >= set(map(int, Fault)) - {int(Fault.EXITED)}


@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_jax_is_native(profile, hires):
    jax = pytest.importorskip("jax")
    from assay.methods.environments.octax.jax_machine import from_machines, run_frames, to_machines

    quirks = PROFILES[profile]
    machines = random_machines(2000, np.random.default_rng(3), hires)
    state = from_machines(machines)
    assert differences(machines, to_machines(state)) == []
    one = jax.jit(jax.vmap(lambda state: run_frames(state, 3, 11, quirks)))
    for _ in range(3):
        native.run_frames(machines, 3, quirks, 11)
        state, screens = one(state)
        assert differences(machines, to_machines(state)) == []
    assert np.array_equal(np.asarray(screens)[:, -1], pack(pixels(machines)))


@pytest.mark.parametrize("timers", TIMERS)
@pytest.mark.parametrize("hires", [False, True])
def test_a_step_and_its_screens(timers, hires):
    """`play` against frames run one by one: keys, timers, screens packed and as pixels."""
    quirks = PROFILES["xochip"]
    start = random_machines(60, np.random.default_rng(4), hires)
    keys = np.random.default_rng(5).integers(0, 2**16, 60).astype(np.uint16)
    shape = (60, 3, *((64, 128) if hires else (32, 64)))
    seen, packed = np.zeros(shape, np.uint8), np.zeros((*shape[:3], shape[3] // 32), np.uint32)
    skip = np.zeros(60, bool)
    skip[7] = True
    one, other, by_hand = start.copy(), start.copy(), start.copy()
    native.play(one, keys, skip, seen, quirks, 11, timers, threads=1)
    native.play(other, keys, skip, packed, quirks, 11, timers, threads=1)
    assert differences(one, other) == []
    assert np.array_equal(pack(seen), packed)
    by_hand["keys"] = keys
    for frame in range(3):
        expected = pixels(reference_run(by_hand, quirks, 1, 11, timers="none"))
        by_hand = reference_run(by_hand, quirks, 1, 11, timers)
        assert np.array_equal(np.delete(seen[:, frame], 7, 0), np.delete(expected, 7, 0))
    running = by_hand["fault"] == 0
    if timers != "correct":
        for name in ("delay", "sound"):
            after = by_hand[name] - np.uint8(1) if timers == "octax" else np.zeros(60, np.uint8)
            by_hand[name] = np.where(running, after, by_hand[name])
    by_hand["keys"] = 0
    by_hand[7] = start[7]
    assert differences(one, by_hand) == []
    assert not seen[7].any()


def test_threads_change_nothing():
    start = random_machines(3 * native._CHUNK, np.random.default_rng(6))
    keys, skip = np.zeros(3 * native._CHUNK, np.uint16), np.zeros(3 * native._CHUNK, bool)
    results = []
    for threads in (1, 2, 3):
        machines, screens = start.copy(), np.zeros((3 * native._CHUNK, 4, 32, 2), np.uint32)
        native.play(machines, keys, skip, screens, PROFILES["schip"], 11, threads=threads)
        results.append((machines, screens))
    for machines, screens in results[1:]:
        assert differences(results[0][0], machines) == []
        assert np.array_equal(results[0][1], screens)


def _fuzz(steps, seed):
    """Steps of machines in any state at all, sound neighbours between them; returns instructions carried out."""
    rng, done = np.random.default_rng(seed), 0
    for profile, hires in KINDS:
        machines = random_machines(600, rng, hires, wild=0.3)
        raw = machines.view(np.uint8).reshape(600, -1)
        raw[1::6] = rng.integers(0, 256, raw[1::6].shape)  # states that no program can reach
        skip = np.zeros(600, bool)
        skip[::3] = True
        neighbours = machines[skip].copy()
        screens = np.zeros((600, 4, 64 if hires else 32, 4 if hires else 2), np.uint32)
        for _ in range(steps):
            keys = rng.integers(0, 2**16, 600).astype(np.uint16)
            native.play(machines, keys, skip, screens, PROFILES[profile], 11)
            machines["fault"][~skip] = 0
            machines["pc"][~skip] &= 0xFFE
            done += 400 * 44
        assert differences(neighbours, machines[skip]) == []
        assert not screens[skip].any()
    return done


def test_no_state_makes_a_machine_write_outside_itself():
    assert _fuzz(steps=10, seed=0) > 10**6


@pytest.mark.slow
def test_ten_million_instructions_of_anything():
    assert _fuzz(steps=100, seed=1) > 10**7


@pytest.mark.slow
def test_ten_million_instructions_of_anything_in_jax():
    """Random programs for ten million instructions: never an error, and still equal to the native machine."""
    jax = pytest.importorskip("jax")
    from assay.methods.environments.octax.jax_machine import from_machines, run_frames, to_machines

    done, rng = 0, np.random.default_rng(7)
    for profile, hires in KINDS:
        machines = random_machines(2000, rng, hires, wild=0.3)
        step = jax.jit(jax.vmap(lambda state, quirks=PROFILES[profile]: run_frames(state, 4, 11, quirks)[0]))
        for _ in range(18):
            machines["fault"], machines["pc"] = 0, machines["pc"] & 0xFFE
            state = step(from_machines(machines))
            native.run_frames(machines, 4, PROFILES[profile], 11)
            assert differences(machines, to_machines(state)) == []
            done += 2000 * 44
    assert done > 10**7


def test_a_machine_is_as_small_as_is_said():
    assert machine_dtype().itemsize == 4440
    assert machine_dtype(hires=True).itemsize == 5208
