"""The JAX backend: the same environments, as functions and as a vector environment, and behind gymnax."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytest.importorskip("jax")
import jax
import jax.numpy as jnp
from lockstep import differences, random_machines, reference_run

from assay.methods.environments.octax.assembly import assemble
from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.jax_env import Chip8Jax
from assay.methods.environments.octax.jax_machine import State, from_machines, run_frames, to_machines
from assay.methods.environments.octax.machine import PROFILES, Fault, MachineFault, stream
from assay.methods.environments.octax.screen import unpack

KINDS = [("vip", False), ("schip", True), ("xochip", True), ("octax", False)]
"""Every platform, both resolutions; the rest is compared by way of the native machine."""
RULES = {"sticky": 0.2, "noop_starts": 3, "max_steps": 12}


@pytest.fixture(scope="module")
def env():
    return Chip8Jax.make("catcher", packed=True, **RULES)


@pytest.fixture(scope="module")
def step(env):
    return jax.jit(jax.vmap(env.step))


@pytest.fixture(scope="module")
def start(env):
    return jax.jit(jax.vmap(env.reset))


def equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


# --- the machine -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("profile", "hires"), KINDS)
def test_it_is_the_reference_instruction_by_instruction(profile, hires):
    """Eight instructions of random machines, each from the state that the reference left behind, every field."""
    quirks = PROFILES[profile]
    machines = random_machines(60, np.random.default_rng(8), hires)
    one = jax.jit(jax.vmap(lambda state: run_frames(state, 1, 1, quirks)[0]))
    for step in range(8):
        expected = reference_run(machines, quirks, 1, 1)
        assert differences(expected, to_machines(one(from_machines(machines)))) == [], step
        machines = expected
        machines["fault"], machines["pc"] = 0, machines["pc"] & 0xFFE  # goes on, wherever that is
        machines["keys"] = ~machines["keys"]


# --- as a vector environment -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "rules"),
    [("catcher", {"packed": True, **RULES}), ("shooter", {"quirks": "octax", "sticky": 1e-10, "noop_starts": 2})],
)
def test_it_is_the_native_backend_step_by_step(game, rules):
    one, other = make_chip8(game, 6, **rules), make_chip8(game, 6, "jax", **rules)
    assert np.array_equal(one.reset(seed=3)[0], other.reset(seed=3)[0])
    rng = np.random.default_rng(0)
    for _ in range(40):
        actions = rng.integers(0, one.single_action_space.n, 6)
        a, b = one.step(actions), other.step(actions)
        for mine, theirs in zip(a[:4], b[:4], strict=True):
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs)
        assert np.array_equal(a[4]["score"], b[4]["score"])
    assert differences(one.machines, other.machines) == []
    assert np.array_equal(
        one.reset(seed=[9, None, None, 9, None, None])[0], other.reset(seed=[9, None, None, 9, None, None])[0]
    )
    mask = np.array([True, False] * 3)
    assert np.array_equal(one.reset(options={"reset_mask": mask})[0], other.reset(options={"reset_mask": mask})[0])


def test_high_resolution_is_shown_as_the_native_backend_shows_it():
    source = """
        start:
            LD I, dot
            DRW V1, V2, 1
            ADD V1, 7
            ADD V2, 3
            SNE V1, 70
            HIGH
            SNE V1, 140
            LOW
            LD V3, 9
        wait:
            ADD V3, -1
            SE V3, 0
            JP wait
            JP start
        dot: byte 0xA5
    """
    rom = assemble(source).rom
    one, other = (make_chip8(rom, 2, backend, hires=True) for backend in ("native", "jax"))
    assert np.array_equal(one.reset(seed=0)[0], other.reset(seed=0)[0])
    modes = set()
    for _ in range(40):
        assert np.array_equal(one.step([0, 0])[0], other.step([0, 0])[0])
        modes.add(int(one.machines["hires"][0]))
    assert modes == {0, 1}


def test_its_states_are_kept_and_its_errors_are_the_same():
    env = make_chip8("catcher", 2, "jax", seed=1)
    env.reset()
    state = env.save()
    after = env.step([0, 1])[0]
    env.load(state)
    assert np.array_equal(env.step([0, 1])[0], after)
    with pytest.raises(ValueError, match="of another kind"):
        env.load(make_chip8("catcher", 3, "jax").save())
    for stranger in (make_chip8("catcher", 2, "jax", packed=True), make_chip8("brick", 2, "jax")):
        with pytest.raises(ValueError, match="of another kind"):
            env.load(stranger.save())
    with pytest.raises(ValueError, match="actions: 3 for environment 1"):
        env.step([0, 3])
    broken = make_chip8(assemble("word 0x8128").rom, 2, "jax")
    broken.reset(seed=0)
    with pytest.raises(MachineFault, match="environment 0, pc 0x200: unknown opcode 8128"):
        broken.step([0, 0])


# --- as functions ------------------------------------------------------------------------------------------------


def test_a_seed_gives_what_the_native_backend_gives(env):
    states, screens, info = env.seeded(5)
    assert int(states.machine.rng) == stream(5)
    native = make_chip8("catcher", 1, packed=True, **RULES)
    first, infos = native.reset(seed=5)
    assert np.array_equal(np.asarray(screens), first[0])
    assert float(info["score"]) == infos["score"][0]


def test_many_are_single_ones_and_a_scan_is_a_loop(env, start, step):
    states, screens, _ = start(jax.random.split(jax.random.key(0), 4))
    single = jax.jit(env.step)
    for row in np.random.default_rng(0).integers(0, 3, (6, 4)):
        alone = [single(jax.tree.map(lambda leaf, i=i: leaf[i], states), row[i]) for i in range(4)]
        states, screens, rewards, terminated, truncated, info = step(states, row)
        together = (states, screens, rewards, terminated, truncated, info)
        assert equal(jax.tree.map(lambda *parts: jnp.stack(parts), *alone), together)
    actions = jnp.asarray(np.random.default_rng(1).integers(0, 3, (5, 4)))
    last, seen = jax.jit(lambda s, a: jax.lax.scan(lambda s, a: jax.vmap(env.step)(s, a)[:2], s, a))(states, actions)
    for k in range(5):
        states, screens, *_ = step(states, actions[k])
        assert np.array_equal(seen[k], screens)
    assert equal(last, states)


def test_maps_within_maps(env, start, step):
    states, *_ = start(jax.random.split(jax.random.key(3), 6))
    actions = jnp.arange(6) % 3
    nested = jax.tree.map(lambda leaf: leaf.reshape(2, 3, *leaf.shape[1:]), (states, actions))
    out = jax.jit(jax.vmap(jax.vmap(env.step)))(*nested)
    flat = jax.tree.map(lambda leaf: leaf.reshape(6, *leaf.shape[2:]), out)
    assert equal(flat, step(states, actions))
    shared = jax.jit(jax.vmap(env.step, in_axes=(None, 0)))(jax.tree.map(lambda leaf: leaf[0], states), actions)
    assert equal(jax.tree.map(lambda leaf: leaf[0], shared), jax.tree.map(lambda leaf: leaf[0], step(states, actions)))


def test_keys_are_what_episodes_differ_by(start):
    states, _, _ = start(jax.random.split(jax.random.key(0), 50))
    assert len(set(np.asarray(states.machine.rng).tolist())) == 50
    again, _, _ = start(jax.random.split(jax.random.key(0), 50))
    assert equal(states, again)
    assert len(set(np.asarray(states.machine.pc).tolist())) > 1  # several starts


def test_it_is_static_under_jit(env):
    compiled = []

    @jax.jit
    def reset(key):
        compiled.append(1)
        return env.reset(key)[1]

    reset(jax.random.key(0))
    reset(jax.random.key(1))
    assert len(compiled) == 1
    same = Chip8Jax.make("catcher", packed=True, **RULES)
    assert same == env
    assert hash(same) == hash(env)
    assert Chip8Jax.make("catcher", packed=False, **RULES) != env


def test_a_step_changes_no_type_so_that_nothing_is_compiled_twice(env):
    def kinds(tree):
        return [(leaf.shape, leaf.dtype, leaf.weak_type) for leaf in jax.tree.leaves(tree)]

    state, _, _ = jax.eval_shape(env.reset, jax.random.key(0))
    assert kinds(jax.eval_shape(env.step, state, jnp.int32(0))[0]) == kinds(state)


def test_a_state_is_kept_as_its_leaves(env, start, step, tmp_path):
    states, *_ = start(jax.random.split(jax.random.key(6), 4))
    states = step(states, jnp.array([0, 1, 2, 0]))[0]
    leaves, shape = jax.tree.flatten(states)
    np.savez(tmp_path / "states.npz", *map(np.asarray, leaves))
    with np.load(tmp_path / "states.npz") as file:
        again = jax.tree.unflatten(shape, [jnp.asarray(file[name]) for name in file.files])
    assert equal(step(states, jnp.array([1, 1, 0, 2])), step(again, jnp.array([1, 1, 0, 2])))


def test_bad_arguments_are_named_and_actions_out_of_range_are_the_nearest(env, start, step):
    for rules, message in (
        ({"keys": (4, 16)}, "keys: 16 is no key"),
        ({"timers": "fast"}, "timers: 'fast' is none of"),
        ({"ips": 59}, "ips: 59; at least 60"),
        ({"quirks": "octax", "hires": True}, "hires: the published package"),
    ):
        with pytest.raises(ValueError, match=message):
            Chip8Jax.make("catcher", **rules)
    states, *_ = start(jax.random.split(jax.random.key(0), 4))
    assert equal(step(states, jnp.array([-5, 99, 0, 2])), step(states, jnp.array([0, 2, 0, 2])))


def test_pixels_are_what_is_packed(env):
    pixels = Chip8Jax.make("catcher", **RULES)
    key = jax.random.key(4)
    assert np.array_equal(jax.jit(pixels.reset)(key)[1], unpack(np.asarray(jax.jit(env.reset)(key)[1])))


def test_a_machine_that_breaks_ends_the_episode():
    broken = Chip8Jax.make(assemble("LD V1, 7\nword 0x8128").rom, score="V1")
    state, _, _ = broken.reset(jax.random.key(0))
    state, _, reward, terminated, truncated, info = jax.jit(broken.step)(state, 0)
    assert (float(reward), bool(terminated), bool(truncated)) == (7.0, True, False)
    assert int(info["fault"]) == Fault.UNKNOWN_OPCODE
    machine = to_machines(jax.tree.map(lambda leaf: leaf[None], state.machine))
    assert (machine["fault_pc"][0], machine["fault_opcode"][0]) == (0x202, 0x8128)


def test_callables_and_ends(env):
    own = Chip8Jax.make("catcher", score=lambda machine: machine.V[14] * 3, done=lambda machine: machine.V[13] < 3)
    state, _, info = jax.jit(own.reset)(jax.random.key(0))
    assert float(info["score"]) == 0
    assert bool(own.over(state.machine)) is False
    later = Chip8Jax.make("catcher", noop_starts=2, done=lambda machine: machine.V[13] < 3)  # made without asking done
    assert bool(later.over(later.reset(jax.random.key(0))[0].machine)) is False


def test_frames_of_one_machine_need_no_map(env):
    state, _, _ = env.reset(jax.random.key(0))
    assert isinstance(state.machine, State)
    machine, screens = jax.jit(lambda m: run_frames(m, 2, 11, PROFILES["schip"]))(state.machine)
    assert screens.shape == (2, 32, 2)
    assert machine.pc.shape == ()


# --- gymnax ------------------------------------------------------------------------------------------------------


def test_gymnax_plays_it_and_starts_it_anew():
    pytest.importorskip("gymnax")
    from assay.methods.environments.octax.jax_gymnax import Chip8Gymnax

    env = Chip8Gymnax("catcher", max_steps=10)
    params = env.default_params
    assert (env.name, env.num_actions, env.action_space(params).n) == ("catcher", 3, 3)
    keys = jax.random.split(jax.random.key(0), 4)
    screens, state = jax.vmap(env.reset, in_axes=(0, None))(keys, params)
    assert screens.shape[1:] == env.observation_space(params).shape
    assert screens.dtype == jnp.float32
    many = jax.jit(jax.vmap(env.step, in_axes=(0, 0, 0, None)))
    ends = []
    for _ in range(21):
        out = many(keys, state, jnp.array([0, 1, 2, 0]), params)
        screens, state = out[:2]
        ends.append(bool(out[3][0]) if len(out) == 5 else bool(out[3][0] | out[4][0]))
    assert ends == [k in (9, 19) for k in range(21)]
    assert state.time.tolist() == [1] * 4


# --- without JAX -------------------------------------------------------------------------------------------------


def test_without_jax_there_is_a_line_that_says_what_to_install():
    program = """
        import sys
        sys.modules["jax"] = None
        from assay.methods.environments.octax.envs import make_chip8
        make_chip8("catcher").reset(seed=0)
        try:
            make_chip8("catcher", backend="jax")
        except ImportError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=False)
    assert done.stdout == "Chip8JaxVecEnv needs jax: pip install 'assay[environments-jax]'\n", done.stderr
