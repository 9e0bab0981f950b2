"""Our profile "octax" against the installed package, step by step, on the games that come with it.

The package draws random bytes from a threefry key; here its random instruction is replaced by our xorshift32, so that
both machines see the same numbers. Everything else is the package's own.
"""

import numpy as np
import pytest

pytest.importorskip("octax")
pytest.importorskip("cv2")
import jax.numpy as jnp

from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.machine import stream
from assay.methods.environments.octax.published import published_games

FEW = ["brix", "deep", "space_flight3", "tank"]
STEPS = 60


@pytest.fixture
def create(monkeypatch):
    """The package's `create_environment`, with our random stream."""
    import octax.emulator
    import octax.env
    from octax.environments import create_environment

    def execute_random(state, instruction):
        r = state.rng
        r = r ^ (r << 13)
        r = r ^ (r >> 17)
        r = r ^ (r << 5)
        byte = (r >> 24).astype(jnp.uint8) & instruction.nn.astype(jnp.uint8)
        return state.replace(V=state.V.at[instruction.x].set(byte), rng=r)

    own = octax.env.create_state
    monkeypatch.setattr(octax.emulator, "execute_random", execute_random)
    monkeypatch.setattr(octax.env, "create_state", lambda key: own(jnp.uint32(stream(0))))
    return lambda name: create_environment(name)[0]


def in_lockstep(name, package):
    """Compare STEPS steps of random actions, in as many episodes as they take; returns how many those are."""
    ours, episodes, over = make_chip8(name, 1, quirks="octax"), 0, True
    assert package.num_actions == ours.single_action_space.n
    rng = np.random.default_rng(0)
    for step in range(STEPS):
        if over:
            ours.reset(seed=episodes)
            state, _, _ = package.reset(jnp.uint32(stream(episodes)))
            episodes += 1
        action = int(rng.integers(0, package.num_actions))
        state, screens, reward, terminated, truncated, _ = package.step(state, action)
        mine, gained, ended, _, _ = ours.step([action])
        machine = ours.machines[0]
        assert np.array_equal(np.asarray(screens).transpose(0, 2, 1), mine[0]), step
        assert np.array_equal(np.asarray(state.V), machine["V"]), step
        assert np.array_equal(np.asarray(state.memory), machine["memory"]), step
        assert (int(state.pc), int(state.I)) == (machine["pc"], machine["I"]), step
        assert (int(state.delay_timer), int(state.sound_timer)) == (machine["delay"], machine["sound"]), step
        assert (float(reward), bool(terminated)) == (gained[0], ended[0]), step
        over = bool(terminated or truncated)
    return episodes


@pytest.mark.filterwarnings("ignore:scatter inputs")
@pytest.mark.parametrize("name", FEW)
def test_a_published_game_step_by_step(name, create):
    assert in_lockstep(name, create(name)) < STEPS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:scatter inputs")
@pytest.mark.parametrize("name", [name for name in published_games() if name not in FEW])
def test_the_other_published_games_step_by_step(name, create):
    assert in_lockstep(name, create(name)) < STEPS
