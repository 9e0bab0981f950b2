"""Environments for gymnasium: its checker, its rules of starting anew, seeds, states, and bad arguments."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from assay.methods.environments.octax import native
from assay.methods.environments.octax.assembly import assemble
from assay.methods.environments.octax.envs import Chip8Env, Chip8VecEnv, make_chip8
from assay.methods.environments.octax.game import Game, find_game, list_games, load_rom
from assay.methods.environments.octax.machine import MachineFault
from assay.methods.environments.octax.screen import unpack

COUNTER = assemble("loop: ADD V1, 1\nLD V0, 4\nLD DT, V0\nwait: LD V0, DT\nSE V0, 0\nJP wait\nJP loop").rom
"""V1 counts up once in four frames, so once a step."""
RANDOM = assemble("loop: RND V0, 255\nLD F, V0\nDRW V0, V0, 5\nJP loop").rom
COUNTED = {"score": "V1", "done": "V1 >= 6", "keys": (4, 6)}


def play(env, actions):
    """Everything that steps return, stacked."""
    parts = [env.step(row) for row in actions]
    return [np.stack([part[k] for part in parts]) for k in range(4)]


# --- gymnasium ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, {"packed": True}, {"hires": True}, {"sticky": 0.2, "noop_starts": 3}])
def test_gymnasium_is_content(rules):
    check_env(Chip8Env("catcher", **rules), skip_render_check=True)


def test_gymnasium_is_content_with_rendering():
    env = Chip8Env("paddle", render_mode="rgb_array")
    check_env(env)
    env.reset(seed=0)
    assert env.render().shape == (256, 512, 3)


def test_spaces_and_what_is_in_them():
    env = make_chip8("brick", 3)
    screens, infos = env.reset(seed=0)
    assert env.single_observation_space.shape == (4, 32, 64)
    assert env.single_action_space.n == 3
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert screens in env.observation_space
    assert set(infos) == {"score", "_score"}
    screens, rewards, terminated, truncated, _ = env.step([0, 1, 2])
    assert screens in env.observation_space
    assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, bool, bool)
    hires = make_chip8(COUNTER, 2, hires=True, packed=True)
    assert hires.reset(seed=0)[0].shape == (2, 4, 64, 4)


def test_statistics_of_gymnasium_work():
    env = RecordEpisodeStatistics(make_chip8(COUNTER, 2, **COUNTED))
    env.reset(seed=0)
    found = [env.step([2, 2])[4] for _ in range(7)]
    episodes = [info["episode"] for info in found if "episode" in info]
    assert episodes[0]["l"].tolist() == [6, 6]
    assert episodes[0]["r"].tolist() == [6.0, 6.0]


def test_an_episode_starts_anew_at_the_step_after_its_end():
    env = make_chip8(COUNTER, 2, **COUNTED)
    first, infos = env.reset(seed=0)
    assert infos["score"].tolist() == [0, 0]
    seen = [env.step([2, 2]) for _ in range(8)]
    assert [step[2].tolist()[0] for step in seen] == [False] * 5 + [True] + [False] * 2
    assert [step[1][0] for step in seen] == [1.0] * 6 + [0.0, 1.0]
    assert [step[4]["score"][0] for step in seen] == [1, 2, 3, 4, 5, 6, 0, 1]
    assert np.array_equal(seen[6][0], first)


def test_an_episode_is_cut_off():
    env = make_chip8(COUNTER, 1, score="V1", max_steps=3)
    env.reset(seed=0)
    seen = [env.step([0]) for _ in range(5)]
    assert [bool(step[3][0]) for step in seen] == [False, False, True, False, False]
    assert not any(step[2][0] for step in seen)
    endless = make_chip8(COUNTER, 1, score="V1", max_steps=0)
    endless.reset(seed=0)
    assert not any(endless.step([0])[3][0] for _ in range(20))
    both = make_chip8(COUNTER, 1, score="V1", done="V1 == 3", max_steps=3)
    both.reset(seed=0)
    last = [both.step([0]) for _ in range(3)][-1]
    assert (bool(last[2][0]), bool(last[3][0])) == (True, False)


def test_rewards_add_up_to_the_change_of_the_score():
    env = make_chip8("shooter", 8, seed=3)
    _, infos = env.reset()
    first, total, rng = infos["score"], np.zeros(8), np.random.default_rng(0)
    for _ in range(150):
        _, rewards, terminated, truncated, infos = env.step(rng.integers(0, 4, 8))
        assert not (terminated | truncated).any()
        total += rewards
    assert np.array_equal(total, infos["score"] - first)
    assert np.array_equal(env.scores, infos["score"])


# --- seeds -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, {"sticky": 0.3, "noop_starts": 4, "max_steps": 20}])
def test_many_are_single_ones_of_their_seeds(rules):
    env = make_chip8("paddle", 3, **rules)
    many, _ = env.reset(seed=10)
    singles = [Chip8Env("paddle", **rules) for _ in range(3)]
    assert all(np.array_equal(single.reset(seed=10 + i)[0], many[i]) for i, single in enumerate(singles))
    rng, over = np.random.default_rng(0), [False] * 3
    for _ in range(60):
        actions = rng.integers(0, 3, 3)
        screens, rewards, terminated, truncated, infos = env.step(actions)
        for i, single in enumerate(singles):
            if over[i]:
                one, info = single.reset()
                over[i] = False
            else:
                one, reward, end, cut, info = single.step(actions[i])
                assert (reward, end, cut) == (rewards[i], terminated[i], truncated[i])
                over[i] = end or cut
            assert np.array_equal(one, screens[i])
            assert info["score"] == infos["score"][i]


def test_how_many_run_beside_one_changes_nothing():
    actions = np.random.default_rng(0).integers(0, 3, (40, 5))
    few, many = make_chip8("catcher", 5, threads=1), make_chip8("catcher", 300, threads=2)
    few.reset(seed=7)
    many.reset(seed=7)
    one = play(few, actions)
    other = play(many, np.pad(actions, ((0, 0), (0, 295))))
    assert all(np.array_equal(a, b[:, :5]) for a, b in zip(one, other, strict=True))


def test_seeds_of_resets():
    env = make_chip8(RANDOM, 3, startup=0)
    env.reset(seed=[5, None, 9])
    first = env.machines["rng"].copy()
    env.reset(seed=[5, 8, 9])
    assert np.array_equal(first != env.machines["rng"], [False, True, False])
    env.reset(seed=4)
    assert len(set(env.machines["rng"].tolist())) == 3
    env.step([0, 0, 0])
    going_on = env.machines["rng"].copy()
    env.reset()
    assert np.array_equal(going_on, env.machines["rng"])
    fresh = [int(make_chip8(RANDOM).reset()[1]["_score"][0]) for _ in range(1)]
    assert fresh == [1]
    a, b = make_chip8(RANDOM), make_chip8(RANDOM)
    a.reset()
    b.reset()
    assert a.machines["rng"] != b.machines["rng"]
    c, d = make_chip8(RANDOM, seed=3), make_chip8(RANDOM)
    c.reset()
    d.reset(seed=3)
    assert c.machines["rng"] == d.machines["rng"]


def test_noop_starts_give_different_starts_and_sticky_actions_stick():
    env = make_chip8(COUNTER, 200, noop_starts=4, score="V1")
    _, infos = env.reset(seed=0)
    assert set(infos["score"].tolist()) == {0.0, 1.0, 2.0, 3.0, 4.0}
    keyed = assemble("loop: LD V0, 4\nSKNP V0\nLD V1, 1\nLD V0, 6\nSKNP V0\nLD V1, 2\nJP loop").rom
    env = make_chip8(keyed, 4000, keys=(4, 6), sticky=0.25, seed=0)
    env.reset()
    env.step(np.zeros(4000, int))
    env.step(np.ones(4000, int))
    kept = (env.machines["V"][:, 1] != 2).mean()
    assert abs(kept - 0.25) < 0.03
    always = make_chip8(keyed, 2, keys=(4, 6), sticky=1.0, seed=0)
    always.reset()
    assert always.step([0, 0]) is not None
    assert (always.machines["V"][:, 1] == 0).all()


def test_some_environments_can_be_started_alone():
    env = make_chip8(COUNTER, 3, **COUNTED)
    env.reset(seed=0)
    for _ in range(2):
        env.step([2, 2, 2])
    _, infos = env.reset(options={"reset_mask": np.array([True, False, False])})
    assert infos["score"].tolist() == [0, 2, 2]
    before = env.machines["rng"].copy()
    env.reset(seed=77, options={"reset_mask": np.array([False, True, False])})
    assert (before != env.machines["rng"]).tolist() == [False, True, False]


# --- observations ------------------------------------------------------------------------------------------------


def test_packed_observations_are_the_same_pixels():
    actions = np.random.default_rng(1).integers(0, 4, (30, 6))
    one, other = make_chip8("shooter", 6), make_chip8("shooter", 6, packed=True)
    assert np.array_equal(one.reset(seed=2)[0], unpack(other.reset(seed=2)[0]))
    assert np.array_equal(play(one, actions)[0], unpack(play(other, actions)[0]))


def test_the_last_frame_of_a_start_is_the_screen_and_the_rest_is_blank():
    screens, _ = make_chip8("maze", 2).reset(seed=0)
    assert not screens[:, :3].any()
    assert screens[:, 3].mean() > 0.3


def test_arrays_are_new_unless_copy_is_off():
    env = make_chip8("brick", 2)
    first, _ = env.reset(seed=0)
    kept = first.copy()
    second = env.step([0, 0])[0]
    assert second is not first
    assert np.array_equal(first, kept)
    env = make_chip8("brick", 2, copy=False)
    first, _ = env.reset(seed=0)
    assert env.step([0, 0])[0] is first


def test_high_resolution_programs():
    rom = assemble('HIGH\nLD V0, 100\nLD V1, 50\nLD I, dot\nDRW V0, V1, 1\nloop: JP loop\ndot: sprite "#......."').rom
    env = make_chip8(rom, 2, hires=True)
    env.reset(seed=0)
    screens = env.step([0, 0])[0]
    assert np.argwhere(screens[1, 3]).tolist() == [[50, 100]]
    low = make_chip8(rom, 2)
    low.reset(seed=0)
    with pytest.raises(MachineFault, match="make the environment with hires=True"):
        low.step([0, 0])


def test_rendering():
    env = make_chip8("catcher", 2, render_mode="rgb_array")
    env.reset(seed=0)
    pictures = env.render()
    assert [p.shape for p in pictures] == [(256, 512, 3)] * 2
    assert make_chip8("catcher", 2).render() is None


# --- score, end, timers ------------------------------------------------------------------------------------------


def test_callables_do_as_expressions_do():
    rules = {"score": lambda m: m["V"][:, 1] * 2, "done": lambda m: m["V"][:, 1] > 3}
    env, other = make_chip8(COUNTER, 2, **rules), make_chip8(COUNTER, 2, score="V1 * 2", done="V1 > 3")
    env.reset(seed=0)
    other.reset(seed=0)
    for _ in range(6):
        a, b = env.step([0, 0]), other.step([0, 0])
        assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4], strict=True))
    bad = make_chip8(COUNTER, 2, score=lambda m: m["V"])
    with pytest.raises(ValueError, match="returned shape"):
        bad.reset(seed=0)


def test_exit_ends_an_episode():
    env = make_chip8(assemble("LD V1, 5\nEXIT").rom, 1, score="V1")
    env.reset(seed=0)
    _, rewards, terminated, _, _ = env.step([0])
    assert (rewards[0], bool(terminated[0])) == (5.0, True)


@pytest.mark.parametrize(
    ("timers", "values"), [("correct", [5, 1, 0, 0]), ("octax", [8, 7, 6, 5]), ("off", [0, 0, 0, 0])]
)
def test_timers(timers, values):
    rom = assemble("LD V0, 9\nLD DT, V0\nloop: JP loop").rom
    env = make_chip8(rom, 1, timers=timers, score="DT")
    env.reset(seed=0)
    assert [int(env.step([0])[4]["score"][0]) for _ in range(4)] == values


def test_what_a_game_says_is_what_one_gets_unless_told_otherwise():
    env = make_chip8("catcher")
    assert (env.rules.quirks.shift, env.rules.timers, env.rules.keys) == (True, "correct", (7, 9))
    assert make_chip8("catcher", quirks="octax").rules.timers == "octax"
    assert make_chip8("catcher", quirks="octax", timers="correct").rules.timers == "correct"
    assert make_chip8("catcher", keys=(9, 7)).rules.keys == (9, 7)


# --- states ------------------------------------------------------------------------------------------------------


def test_states_are_kept_and_restored(tmp_path):
    actions = np.random.default_rng(0).integers(0, 4, (20, 3))
    env = make_chip8("shooter", 3, sticky=0.3, noop_starts=2, max_steps=15)
    env.reset(seed=0)
    play(env, actions[:8])
    state = env.save()
    np.savez(tmp_path / "state.npz", **state)
    expected = play(env, actions[8:])
    env.load(state)
    assert all(np.array_equal(a, b) for a, b in zip(expected, play(env, actions[8:]), strict=True))
    other = make_chip8("shooter", 3, sticky=0.3, noop_starts=2, max_steps=15)
    with np.load(tmp_path / "state.npz") as kept:
        other.load(dict(kept))
    assert all(np.array_equal(a, b) for a, b in zip(expected, play(other, actions[8:]), strict=True))
    for stranger in (
        make_chip8("shooter", 4),
        make_chip8("shooter", 3, packed=True),
        make_chip8("shooter", 3, hires=True),
    ):
        with pytest.raises(ValueError, match="is not of this environment"):
            stranger.load(state)
    with pytest.raises(ValueError, match="of another program"):
        make_chip8("snake", 3).load(state)


def test_a_single_environment_keeps_its_state_too():
    env = Chip8Env("catcher")
    env.reset(seed=0)
    state = env.save()
    after = env.step(0)[0]
    env.load(state)
    assert np.array_equal(env.step(0)[0], after)


def test_environments_can_be_pickled():
    env = make_chip8("catcher", 2)
    env.reset(seed=0)
    other = pickle.loads(pickle.dumps(env))
    assert np.array_equal(env.step([0, 1])[0], other.step([0, 1])[0])


# --- bad input ---------------------------------------------------------------------------------------------------

BAD = [
    ({"num_envs": 0}, "num_envs: 0"),
    ({"num_envs": 1.5}, "num_envs: 1.5"),
    ({"backend": "cuda"}, 'there are "native" and "jax"'),
    ({"quirks": "chip9"}, "'chip9' is none of vip, schip, xochip, octax"),
    ({"frame_skip": 0}, "frame_skip: 0; at least 1"),
    ({"ips": 59}, "ips: 59; at least 60"),
    ({"ips": 700.5}, "ips: 700.5 is no whole number"),
    ({"timers": "slow"}, "timers: 'slow' is none of correct, octax, off"),
    ({"sticky": 1.5}, "sticky: 1.5; a probability"),
    ({"noop_starts": -1}, "noop_starts: -1; at least 0"),
    ({"max_steps": -1}, "max_steps: -1; at least 0"),
    ({"startup": -1}, "startup: -1; at least 0"),
    ({"keys": (4, 16)}, "keys: 16 is no key"),
    ({"keys": (4, 4)}, "names a key twice"),
    ({"score": "V16"}, "no register V16"),
    ({"done": "V1 =="}, "bad syntax"),
    ({"quirks": "octax", "hires": True}, "no high resolution"),
    ({"render_mode": "human"}, "render_mode: 'human'"),
    ({"threads": 0}, "threads: 0; a whole number"),
    ({"threads": 1.5}, "threads: 1.5"),
    ({"keys": 5}, "keys: 5 is no sequence"),
    ({"sticky": "a"}, "sticky: 'a'; a probability"),
    ({"seed": -1}, "seed: -1"),
]


@pytest.mark.parametrize(("arguments", "says"), BAD)
def test_bad_arguments_are_one_line(arguments, says):
    with pytest.raises(ValueError, match=r".") as caught:
        make_chip8(COUNTER, **arguments)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ([0, 3], "actions: 3 for environment 1; there are 0 to 2"),
        ([-1, 0], "actions: -1 for environment 0"),
        ([0], "shape (2,)"),
        ([0.0, 1.0], "whole numbers"),
    ],
)
def test_bad_actions(actions, says):
    env = make_chip8("catcher", 2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r".") as caught:
        env.step(actions)
    assert says in str(caught.value)


def test_bad_seeds_and_masks():
    env = make_chip8("catcher", 2)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0, 0])
    with pytest.raises(ValueError, match="have not started"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=0)
    for seed in ([1], -1, [1, -2], [1, 2.5]):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": [1, 0]})
    single = Chip8Env(COUNTER, **COUNTED)
    with pytest.raises(gymnasium.error.ResetNeeded):
        single.step(0)


def test_programs_that_break_name_the_environment():
    rom = assemble("RND V0, 1\nSE V0, 0\nword 0x8128\nloop: JP loop").rom
    env = make_chip8(rom, 50)
    env.reset(seed=0)
    with pytest.raises(MachineFault, match=r"environment \d+, pc 0x204: unknown opcode 8128 \(and \d+ more") as caught:
        env.step(np.zeros(50, int))
    assert env.machines["fault"][caught.value.environment] == caught.value.fault
    with pytest.raises(MachineFault, match="environment 0, pc 0x200"):
        make_chip8(assemble("word 0x8128").rom, startup=5)
    env.reset(seed=1)  # after a fault one can start again


def test_a_start_that_is_an_end():
    with pytest.raises(ValueError, match="doing nothing ends the game after 6 steps"):
        make_chip8(COUNTER, noop_starts=10, **COUNTED)


def test_waiting_for_a_key_that_nobody_can_press():
    rom = assemble("LD V1, K\nloop: JP loop").rom
    with pytest.warns(UserWarning, match="waits for a key"):
        make_chip8(rom, keys=(), startup=10)


def test_roms_and_games_that_are_none(tmp_path):
    with pytest.raises(ValueError, match="it is empty"):
        make_chip8(b"")
    with pytest.raises(ValueError, match="3585 bytes"):
        make_chip8(bytes(3585))
    with pytest.raises(ValueError, match="no game 'cather'; did you mean catcher"):
        make_chip8("cather")
    with pytest.raises(FileNotFoundError):
        make_chip8(tmp_path / "none.ch8")
    (tmp_path / "bad.asm").write_text("LDD V1")
    with pytest.raises(ValueError, match=r"bad\.asm:1:1"):
        make_chip8(tmp_path / "bad.asm")
    with pytest.raises(ValueError, match='there are "assay" and "octax"'):
        list_games("atari")


def test_programs_by_path(tmp_path):
    (tmp_path / "mine.ch8").write_bytes(COUNTER)
    (tmp_path / "mine.asm").write_text("start: JP start")
    assert make_chip8(tmp_path / "mine.ch8", **COUNTED).rules.rom == COUNTER
    assert make_chip8(str(tmp_path / "mine.asm")).rules.rom == load_rom(tmp_path / "mine.asm")
    game = Game("mine", tmp_path / "mine.ch8", score="V1")
    assert find_game(game) is game
    assert make_chip8(game).rules.score == "V1"


def test_speed_does_not_cost_memory():
    env = Chip8VecEnv(make_chip8("brick", packed=True).rules, 100)
    held = env.machines.nbytes + env.reset(seed=0)[0].nbytes
    assert held / 100 < 8 * 1024
    assert native.cores() >= 1
