"""The native environments: gymnasium's rules, seeds, starts and ends, saved states, and what users get wrong."""

import dataclasses
import io
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from assay.methods.environments import Chip8Env, Chip8VecEnv, MachineFault, Quirks, assemble, find_game, make_chip8
from assay.methods.environments.octax import screen
from assay.methods.environments.octax.envs import rules_of
from assay.methods.environments.octax.machine import PROFILES, Fault

COUNTER = assemble("loop:\n ADD V0, 1\n JP loop").rom
"""V0 grows by 22 in a step of 44 instructions."""
COUNTING = {"score": "V0", "done": "V0 >= 100"}
"""The fifth step ends the game, at 110."""
BREAKS = assemble("LD V0, 1\nloop:\n SKNP V0\n JP bad\n JP loop\nbad:\n word 0x8008").rom
"""Breaks at 0x208 as soon as key 1 is held."""
HIRES = assemble(
    """
        HIGH
        LD V0, 100
        LD V1, 40
        LD I, ball
        DRW V0, V1, 2
    here:
        JP here
    ball:
        sprite "##......", "#......."
    """
).rom


def played(env, steps=60, seed=0, actions_seed=7):
    """All that an environment returns in so many steps of random actions."""
    rng = np.random.default_rng(actions_seed)
    observations, infos = env.reset(seed=seed)
    out = [(observations.copy(), infos["score"])]
    for _ in range(steps):
        actions = rng.integers(0, env.single_action_space.n, env.num_envs)
        observations, *rest, infos = env.step(actions)
        out.append((observations.copy(), *rest, infos["score"]))
    return out


def same(one, other):
    return all(np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


# --- gymnasium ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [{}, {"packed": True}, {"hires": True}, {"sticky": 0.25, "noop_starts": 5}])
@pytest.mark.parametrize("render_mode", [None, "rgb_array"])
def test_gymnasium_finds_no_fault(rules, render_mode):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(not wrapped|env.spec|render modes|flatten|1D, 2D or 3D).*")
        warnings.filterwarnings("ignore", message=".*Box observation space.*")
        check_env(Chip8Env("catcher", render_mode=render_mode, **rules), skip_render_check=render_mode is None)


@pytest.mark.parametrize(
    ("rules", "shape", "dtype"),
    [
        ({}, (4, 32, 64), np.uint8),
        ({"packed": True}, (4, 32, 2), np.uint32),
        ({"hires": True}, (4, 64, 128), np.uint8),
        ({"hires": True, "packed": True}, (4, 64, 4), np.uint32),
        ({"frame_skip": 2}, (2, 32, 64), np.uint8),
    ],
)
def test_spaces_and_types(rules, shape, dtype):
    env = make_chip8("catcher", 3, **rules)
    assert env.single_observation_space.shape == shape
    assert env.observation_space.shape == (3, *shape)
    assert env.single_action_space == gymnasium.spaces.Discrete(3)
    assert env.action_space.shape == (3,)
    observations, infos = env.reset(seed=0)
    assert observations.dtype == dtype
    assert env.observation_space.contains(observations)
    assert infos["score"].tolist() == [0.0] * 3
    observations, rewards, terminated, truncated, infos = env.step(env.action_space.sample())
    assert env.observation_space.contains(observations)
    assert rewards.dtype == infos["score"].dtype == np.float64
    assert terminated.dtype == truncated.dtype == bool
    assert rewards.shape == terminated.shape == truncated.shape == infos["score"].shape == (3,)
    assert infos["_score"].all()


def test_episode_statistics_of_gymnasium():
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make_chip8(COUNTER, 2, **COUNTING))
    env.reset(seed=0)
    for _ in range(5):
        *_, terminated, _, infos = env.step([16, 16])
    assert terminated.all()
    assert infos["episode"]["r"].tolist() == [110.0, 110.0]
    assert infos["episode"]["l"].tolist() == [5, 5]


def test_render():
    env = make_chip8("catcher", 2, render_mode="rgb_array")
    observations, _ = env.reset(seed=0)
    first, second = env.render()
    assert first.shape == second.shape == (256, 512, 3)
    assert np.array_equal(first, screen.to_rgb(observations[0, -1]))
    assert make_chip8("catcher").render() is None
    one = Chip8Env("catcher", render_mode="rgb_array")
    one.reset(seed=0)
    assert np.array_equal(one.render(), first)


# --- what is seen ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hires", [False, True])
def test_packed_screens_hold_the_same_pixels(hires):
    plain = played(make_chip8("shooter", 5, hires=hires))
    packed = played(make_chip8("shooter", 5, hires=hires, packed=True))
    assert any(frame[0].any() for frame in plain)
    assert same(plain, [(screen.unpack(frame[0]), *frame[1:]) for frame in packed])


def test_low_resolution_is_shown_doubled():
    low, high = played(make_chip8("shooter", 3)), played(make_chip8("shooter", 3, hires=True))
    assert same([(frame[0].repeat(2, axis=2).repeat(2, axis=3), *frame[1:]) for frame in low], high)


def test_the_last_frame_of_a_start_is_the_screen_and_the_others_are_blank():
    env = make_chip8("brick", 3)
    observations, _ = env.reset(seed=0)
    assert not observations[:, :3].any()
    assert np.array_equal(observations[:, 3], screen.pixels(env.machines))
    assert observations[:, 3].any(axis=(1, 2)).all()


def test_a_program_in_high_resolution():
    env = make_chip8(HIRES, 2, hires=True)
    env.reset(seed=0)
    observations = env.step([16, 16])[0]
    assert observations.shape == (2, 4, 64, 128)
    assert np.argwhere(observations[1, 3]).tolist() == [[40, 100], [40, 101], [41, 100]]


def test_copies_are_new_arrays_and_the_same_array_is_reused_without():
    copying, reusing = make_chip8("catcher", 2), make_chip8("catcher", 2, copy=False)
    first, _ = copying.reset(seed=0)
    kept = first.copy()
    second, third = copying.step([0, 1])[0], copying.step([0, 1])[0]
    assert np.array_equal(first, kept)
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(second, third)
    shared, _ = reusing.reset(seed=0)
    assert reusing.step([0, 1])[0] is shared
    assert reusing.step([0, 1])[0] is shared
    assert np.array_equal(shared, third)
    assert same(played(copying), played(reusing))


# --- seeds and numbers of environments ---------------------------------------------------------------------------

RANDOM = {"sticky": 0.3, "noop_starts": 6, "max_steps": 40}


def test_many_environments_are_as_many_single_ones():
    many = make_chip8("snake", 5, **RANDOM)
    singles = [make_chip8("snake", 1, **RANDOM) for _ in range(5)]
    together = [many.reset(seed=11)[0]]
    apart = [np.concatenate([env.reset(seed=11 + i)[0] for i, env in enumerate(singles)])]
    rng = np.random.default_rng(0)
    for _ in range(120):
        actions = rng.integers(0, 5, 5)
        results = many.step(actions)
        one_by_one = [env.step(actions[i : i + 1]) for i, env in enumerate(singles)]
        together += results[:4]
        apart += [np.concatenate(parts) for parts in list(zip(*one_by_one, strict=True))[:4]]
    assert all(np.array_equal(a, b) for a, b in zip(together, apart, strict=True))
    assert sum(part.sum() for part in together if part.dtype == bool) > 5  # episodes ended, and began anew


def test_the_single_environment_is_the_first_of_many():
    many, one = make_chip8("snake", 3, **RANDOM), Chip8Env("snake", **RANDOM)
    observations, _ = many.reset(seed=4)
    observation, info = one.reset(seed=4)
    assert np.array_equal(observation, observations[0])
    assert info == {"score": 0.0}
    over = False
    while not over:
        observations, rewards, terminated, truncated, infos = many.step([2, 0, 1])
        observation, reward, end, cut, info = one.step(2)
        assert np.array_equal(observation, observations[0])
        assert (reward, end, cut, info["score"]) == (rewards[0], terminated[0], truncated[0], infos["score"][0])
        assert type(reward) is float
        assert type(end) is type(cut) is bool
        over = end or cut
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        one.step(0)


def test_environments_do_not_depend_on_how_many_there_are():
    few, many = played(make_chip8("gunner", 4, **RANDOM), actions_seed=1), make_chip8("gunner", 300, **RANDOM)
    rng, more = np.random.default_rng(1), np.random.default_rng(2)
    many.reset(seed=0)
    for frame in few[1:]:
        actions = more.integers(0, 6, 300)
        actions[:4] = rng.integers(0, 6, 4)
        results = many.step(actions)
        assert all(np.array_equal(a, b[:4]) for a, b in zip(frame[:4], results[:4], strict=True))


def test_threads_change_nothing():
    one, two, three = (played(make_chip8("shooter", 500, threads=t, packed=True), 15) for t in (1, 2, 3))
    assert same(one, two)
    assert same(one, three)


def test_seeds_one_by_one():
    env = make_chip8("snake", 3, **RANDOM)
    env.reset(seed=5)
    by_number = env.machines["rng"].copy(), env._streams.copy()
    env.reset(seed=[5, 6, 7])
    assert np.array_equal(env.machines["rng"], by_number[0])
    assert np.array_equal(env._streams, by_number[1])
    for _ in range(20):
        env.step([0, 1, 2])
    before = env.machines["rng"].copy()
    env.reset(seed=[None, 6, None])
    assert env.machines["rng"].tolist() == [before[0], by_number[0][1], before[2]]
    assert before[0] != by_number[0][0]


def test_no_seed_goes_on_with_the_streams():
    env = make_chip8("catcher", 2, noop_starts=8)
    one = played(env, 30, seed=3)
    assert not same(one, played(env, 30, seed=None))
    assert same(one, played(env, 30, seed=3))


def test_the_seed_of_the_first_reset():
    given = make_chip8("snake", 2, seed=9)
    assert same(played(given, 20, seed=None), played(make_chip8("snake", 2), 20, seed=9))
    fresh = [make_chip8("snake", 2) for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].machines["rng"].tolist() != fresh[1].machines["rng"].tolist()


def test_starts_differ_by_steps_without_a_key():
    env = make_chip8("paddle", 200, noop_starts=4)
    env.reset(seed=0)
    starts = {machine.tobytes() for machine in env.machines["display"]}
    plain = make_chip8("paddle", 1)
    plain.reset(seed=0)
    reached = {plain.machines["display"][0].tobytes()}
    for _ in range(4):
        plain.step([2])
        reached.add(plain.machines["display"][0].tobytes())
    assert starts == reached
    assert len(starts) > 1


def test_an_action_that_always_sticks_is_never_another():
    stuck, still = make_chip8("catcher", 2, sticky=1.0), make_chip8("catcher", 2)
    rng = np.random.default_rng(0)
    stuck.reset(seed=0)
    still.reset(seed=0)
    for _ in range(30):
        assert np.array_equal(stuck.step(rng.integers(0, 2, 2))[0], still.step([2, 2])[0])


def test_how_often_actions_stick():
    env = make_chip8(COUNTER, 4000, sticky=0.25, max_steps=0)
    env.reset(seed=0)
    env.step(np.full(4000, 16))
    env.step(np.zeros(4000, int))
    assert abs((env._last == 16).mean() - 0.25) < 0.03  # 4.4 standard deviations


# --- ends --------------------------------------------------------------------------------------------------------


def test_the_step_after_an_end_starts_anew_and_ignores_its_action():
    env = make_chip8(COUNTER, 2, **COUNTING)
    start, _ = env.reset(seed=0)
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    for step in range(1, 15):
        observations, rewards, terminated, truncated, infos = env.step([0, 16])
        place = step % 6  # five steps of an episode, and the one that starts the next
        assert rewards.tolist() == [0.0 if place == 0 else 22.0] * 2
        assert infos["score"].tolist() == [22.0 * place] * 2
        assert terminated.tolist() == [place == 5] * 2
        assert not truncated.any()
        if place == 0:
            assert np.array_equal(observations, start)


def test_an_episode_is_cut_off_at_its_longest():
    env = make_chip8(COUNTER, 1, score="V0", max_steps=3)
    env.reset(seed=0)
    seen = []
    for _ in range(9):
        _, rewards, terminated, truncated, _ = env.step([16])
        assert not terminated.any()
        seen.append((rewards[0], bool(truncated[0])))
    assert seen == [(22, False), (22, False), (22, True), (0, False)] * 2 + [(22, False)]


def test_an_end_is_no_cut():
    env = make_chip8(COUNTER, 1, max_steps=5, **COUNTING)
    env.reset(seed=0)
    *_, (_, _, terminated, truncated, _) = [env.step([16]) for _ in range(5)]
    assert terminated[0]
    assert not truncated[0]


def test_no_longest_episode():
    env = make_chip8(COUNTER, 1, max_steps=0)
    env.reset(seed=0)
    assert not any(env.step([16])[3][0] for _ in range(4600))


def test_environments_end_each_on_its_own():
    env = make_chip8("snake", 16)
    env.reset(seed=0)
    over, steps = np.zeros(16, bool), np.zeros(16, int)
    for _ in range(300):
        _, rewards, terminated, truncated, infos = env.step(np.full(16, 4) - (np.arange(16) % 5))
        assert not rewards[over].any()
        assert not (terminated | truncated)[over].any()
        assert not infos["score"][over].any()
        over = terminated | truncated
        steps += over
    assert len(set(steps.tolist())) > 1


@pytest.mark.parametrize("game", ["paddle", "shooter"])
def test_rewards_sum_to_the_change_of_the_score(game):
    env = make_chip8(game, 8, max_steps=200)
    _, infos = env.reset(seed=0)
    first, total = infos["score"].copy(), np.zeros(8)
    rng, last, over = np.random.default_rng(0), infos["score"], np.zeros(8, bool)
    for _ in range(200):
        _, rewards, terminated, truncated, infos = env.step(rng.integers(0, env.single_action_space.n, 8))
        total += np.where(over, 0, rewards)
        last = np.where(over, last, infos["score"])
        over |= terminated | truncated
    assert np.array_equal(total, last - first)
    assert total.any()


def test_a_program_that_ends_itself_is_over_without_an_error():
    env = make_chip8(assemble("LD V0, 7\nEXIT").rom, 1, score="V0")
    env.reset(seed=0)
    _, rewards, terminated, truncated, _ = env.step([16])
    assert (rewards[0], terminated[0], truncated[0]) == (7.0, True, False)
    assert env.step([16])[1:4] == (0.0, False, False)


# --- score, end, keys, timers, quirks ----------------------------------------------------------------------------


def test_score_and_end_as_functions():
    by_text = make_chip8(COUNTER, 3, **COUNTING)
    by_function = make_chip8(COUNTER, 3, score=lambda m: m["V"][:, 0], done=lambda m: m["V"][:, 0] >= 100)
    assert same(played(by_text, 20), played(by_function, 20))
    constant = make_chip8(COUNTER, 3, score=lambda m: 5)
    assert constant.reset(seed=0)[1]["score"].tolist() == [5.0] * 3


def test_a_function_of_the_wrong_shape():
    env = make_chip8(COUNTER, 3, score=lambda m: m["V"])
    with pytest.raises(ValueError, match=r"the callable returned shape \(3, 16\), not \(3,\)"):
        env.reset(seed=0)


def test_keys_are_held_for_the_step_and_released_after_it():
    counts = assemble("LD V0, 3\nloop:\n SKNP V0\n ADD V1, 1\n JP loop").rom
    env = make_chip8(counts, 3, keys=(7, 3), score="V1")
    env.reset(seed=0)
    assert (env.step([0, 1, 2])[1] > 0).tolist() == [False, True, False]
    assert not env.machines["keys"].any()
    assert env.single_action_space.n == 3


@pytest.mark.parametrize(
    ("timers", "delays"), [("correct", [2, 1, 0, 0, 0]), ("octax", [2, 1, 0, 255, 254]), ("off", [0] * 5)]
)
def test_timers_by_frame(timers, delays):
    env = make_chip8(assemble("LD V0, 3\nLD DT, V0\nhere:\n JP here").rom, 1, frame_skip=1, timers=timers)
    env.reset(seed=0)
    seen = []
    for _ in range(5):
        env.step([16])
        seen.append(int(env.machines["delay"][0]))
    assert seen == delays


@pytest.mark.parametrize(("timers", "delays"), [("correct", [6, 2, 0]), ("octax", [9, 8, 7]), ("off", [0, 0, 0])])
def test_timers_by_step_of_four_frames(timers, delays):
    env = make_chip8(assemble("LD V0, 10\nLD DT, V0\nLD ST, V0\nhere:\n JP here").rom, 1, timers=timers)
    env.reset(seed=0)
    for delay in delays:
        env.step([16])
        assert env.machines["delay"].tolist() == env.machines["sound"].tolist() == [delay]


def test_defaults_come_from_the_game():
    assert rules_of("catcher").quirks == PROFILES["schip"]
    assert rules_of("catcher").timers == "correct"
    assert rules_of("catcher", quirks="octax").timers == "octax"
    game = dataclasses.replace(find_game("catcher"), quirks="vip", timers="off", keys=(4,), score="7", hires=True)
    rules = rules_of(game)
    assert (rules.quirks, rules.timers, rules.keys, rules.score) == (PROFILES["vip"], "off", (4,), "7")
    assert rules.observation_space.shape == (4, 64, 128)
    given = rules_of(game, quirks="xochip", timers="correct", keys=[1, 2], score="8", hires=False)
    assert (given.quirks, given.timers, given.keys, given.score) == (PROFILES["xochip"], "correct", (1, 2), "8")
    assert rules_of(COUNTER).keys == tuple(range(16))
    assert rules_of(COUNTER).quirks == PROFILES["schip"]


@pytest.mark.parametrize(("quirks", "value"), [("vip", 3), ("schip", 8), (Quirks(shift=True), 8), (Quirks(), 3)])
def test_quirks_reach_the_machine(quirks, value):
    rom = assemble("LD V0, 16\nLD V1, 6\nSHR V0, V1\nhere:\n JP here").rom
    env = make_chip8(rom, 1, quirks=quirks, score="V0")
    env.reset(seed=0)
    assert env.step([16])[1][0] == value


def test_speed_and_startup():
    env = make_chip8(COUNTER, 1, score="V0", ips=1200, frame_skip=3, startup=10)
    assert env.reset(seed=0)[1]["score"].tolist() == [5.0]
    assert env.step([16])[1][0] == 30.0


def test_a_game_by_its_file(tmp_path):
    (tmp_path / "mine.asm").write_text("loop:\n ADD V0, 1\n JP loop")
    (tmp_path / "mine.ch8").write_bytes(COUNTER)
    for path in (tmp_path / "mine.asm", str(tmp_path / "mine.ch8")):
        env = make_chip8(path, 1, score="V0")
        env.reset(seed=0)
        assert env.step([16])[1][0] == 22.0
        assert env.rules.rom == COUNTER
        assert env.rules.name == "mine"


# --- saved states ------------------------------------------------------------------------------------------------


def test_a_saved_state_comes_back(tmp_path):
    env = make_chip8("snake", 4, **RANDOM)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(35):
        env.step(rng.integers(0, 5, 4))
    state = env.save()
    np.savez(tmp_path / "state.npz", **state)
    actions = rng.integers(0, 5, (60, 4))
    first = [env.step(a)[:4] for a in actions]
    env.load(state)
    assert same(first, [env.step(a)[:4] for a in actions])
    elsewhere = make_chip8("snake", 4, **RANDOM)  # never reset
    with np.load(tmp_path / "state.npz") as file:
        elsewhere.load(file)
    assert same(first, [elsewhere.step(a)[:4] for a in actions])


def test_a_saved_state_is_a_copy():
    env = make_chip8("snake", 2, copy=False)
    env.reset(seed=0)
    state = env.save()
    before = {name: part.copy() for name, part in state.items()}
    env.step([0, 1])
    env.load(state)
    env.step([0, 1])
    assert all(np.array_equal(state[name], before[name]) for name in before)


@pytest.mark.parametrize("other", [{"num_envs": 3}, {"hires": True}, {"packed": True}, {"frame_skip": 2}])
def test_a_state_of_another_kind_is_refused(other):
    state = make_chip8("snake", **{"num_envs": 2, **other}).save()
    env = make_chip8("snake", 2)
    with pytest.raises(ValueError, match="is not of this environment; take it from one of the same rules"):
        env.load(state)
    with pytest.raises(ValueError, match="'scores' is not of this environment"):
        env.load({"machines": env.save()["machines"]})


def test_a_single_environment_comes_back():
    env = Chip8Env("snake", **RANDOM)
    env.reset(seed=0)
    env.step(1)
    state = env.save()
    first = [env.step(a)[:4] for a in (0, 1, 2)]
    env.load(state)
    assert same(first, [env.step(a)[:4] for a in (0, 1, 2)])


def test_an_environment_goes_through_pickle():
    env = make_chip8("snake", 3, **RANDOM)
    env.reset(seed=0)
    env.step([0, 1, 2])
    other = pickle.loads(pickle.dumps(env))
    assert isinstance(other, Chip8VecEnv)
    for _ in range(50):
        assert same([env.step([0, 1, 2])[:4]], [other.step([0, 1, 2])[:4]])


# --- starting some -----------------------------------------------------------------------------------------------


def test_a_mask_starts_only_the_chosen():
    env = make_chip8(COUNTER, 3, score="V0")
    start, _ = env.reset(seed=0)
    env.step([16] * 3)
    before = env.machines.copy()
    observations, infos = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert infos["score"].tolist() == [22.0, 0.0, 22.0]
    assert np.array_equal(observations[1], start[1])
    assert np.array_equal(env.machines[[0, 2]], before[[0, 2]])
    assert env.step([16] * 3)[4]["score"].tolist() == [44.0, 22.0, 44.0]


def test_a_mask_keeps_the_screens_of_the_others():
    env = make_chip8("brick", 2)
    env.reset(seed=0)
    seen = env.step([2, 2])[0]
    kept = seen.copy()
    observations, _ = env.reset(options={"reset_mask": np.array([True, False])})
    assert np.array_equal(observations[1], kept[1])
    assert np.array_equal(seen, kept)


def test_a_chosen_environment_that_was_over_is_no_longer():
    env = make_chip8(COUNTER, 2, **COUNTING)
    env.reset(seed=0)
    for _ in range(5):
        terminated = env.step([16, 16])[2]
    assert terminated.all()
    env.reset(options={"reset_mask": np.array([True, False])})
    assert env.step([16, 16])[1].tolist() == [22.0, 0.0]


def test_a_seed_with_a_mask_leaves_the_others_alone():
    env = make_chip8("snake", 2, **RANDOM)
    env.reset(seed=0)
    env.step([0, 0])
    before = env.machines[1].copy(), env._streams[1]
    env.reset(seed=100, options={"reset_mask": np.array([True, False])})
    assert (env.machines[1], env._streams[1]) == before


@pytest.mark.parametrize("mask", [[True], [1, 0], np.ones((2, 1), bool)])
def test_masks_that_do_not_fit(mask):
    env = make_chip8(COUNTER, 2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"reset_mask: .*; bool \(2,\) is needed"):
        env.reset(options={"reset_mask": np.array(mask)})


def test_a_mask_needs_a_start():
    with pytest.raises(ValueError, match="have not started; call reset"):
        make_chip8(COUNTER, 2).reset(options={"reset_mask": np.array([True, True])})


# --- what users get wrong ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "arguments", "says"),
    [
        (b"", {}, "ROM: it is empty"),
        (bytes(3585), {}, "ROM: 3585 bytes; a program has at most 3584, from 0x200 to 0xFFF"),
        ("cather", {}, "no game 'cather'; did you mean catcher"),
        (COUNTER, {"quirks": "chip48"}, "quirks: 'chip48' is none of vip, schip, xochip, octax"),
        (COUNTER, {"timers": "on"}, "timers: 'on' is none of correct, octax, off"),
        (COUNTER, {"keys": (3, 16)}, "keys: 16 is no key; a keypad has 0 to 15"),
        (COUNTER, {"keys": (-1,)}, "keys: -1 is no key"),
        (COUNTER, {"keys": (3, 4, 3)}, r"keys: \[3, 4, 3\] names a key twice"),
        (COUNTER, {"score": "V16"}, "V16"),
        (COUNTER, {"score": "V5 +"}, "score|V5"),
        (COUNTER, {"done": "W3"}, "W3"),
        (COUNTER, {"num_envs": 0}, "num_envs: 0; a whole number, at least 1"),
        (COUNTER, {"num_envs": -3}, "num_envs: -3"),
        (COUNTER, {"num_envs": 2.0}, "num_envs: 2.0; a whole number"),
        (COUNTER, {"num_envs": True}, "num_envs: True"),
        (COUNTER, {"ips": 59}, "ips: 59; at least 60"),
        (COUNTER, {"ips": 700.0}, "ips: 700.0 is no whole number"),
        (COUNTER, {"frame_skip": 0}, "frame_skip: 0; at least 1"),
        (COUNTER, {"noop_starts": -1}, "noop_starts: -1; at least 0"),
        (COUNTER, {"max_steps": -1}, "max_steps: -1; at least 0"),
        (COUNTER, {"startup": -1}, "startup: -1; at least 0"),
        (COUNTER, {"sticky": 1.5}, "sticky: 1.5; a probability from 0 to 1"),
        (COUNTER, {"sticky": float("nan")}, "sticky: nan"),
        (COUNTER, {"backend": "numba"}, 'backend: \'numba\'; there are "native" and "jax"'),
        (COUNTER, {"render_mode": "human"}, "render_mode: 'human'; there is \"rgb_array\""),
        (COUNTER, {"quirks": "octax", "hires": True}, "hires: the published package has no high resolution"),
        (COUNTER, {"noop_starts": 9, **COUNTING}, "noop_starts: 9; doing nothing ends the game after 5 steps"),
    ],
)
def test_arguments_that_cannot_be(game, arguments, says):
    with pytest.raises(ValueError, match=says) as caught:
        make_chip8(game, **arguments)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        make_chip8(tmp_path / "none.ch8")
    (tmp_path / "empty.ch8").write_bytes(b"")
    with pytest.raises(ValueError, match=r"empty\.ch8: it is empty"):
        make_chip8(tmp_path / "empty.ch8")


def test_the_largest_program_fits():
    env = make_chip8(COUNTER + bytes(3584 - len(COUNTER)))
    env.reset(seed=0)
    assert not env.step([16])[2][0]


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ([0, 3, 1], "actions: 3 for environment 1; there are 0 to 2"),
        ([0, 1, -1], "actions: -1 for environment 2; there are 0 to 2"),
        ([0, 1], r"actions: int64 \(2,\); whole numbers of shape \(3,\) are needed"),
        ([0.0, 1.0, 2.0], r"actions: float64 \(3,\)"),
        (1, r"actions: int64 \(\)"),
        (np.array([2**63, 0, 0], np.uint64), "for environment 0"),
    ],
)
def test_actions_out_of_range(actions, says):
    env = make_chip8("catcher", 3)
    env.reset(seed=0)
    before = env.save()
    with pytest.raises(ValueError, match=says):
        env.step(actions)
    assert all(np.array_equal(before[name], part) for name, part in env.save().items())


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64])
def test_every_type_of_whole_numbers(dtype):
    env = make_chip8("catcher", 2)
    env.reset(seed=0)
    assert np.array_equal(env.step(np.array([0, 1], dtype))[1], [0.0, 0.0])


@pytest.mark.parametrize(
    ("seed", "says"),
    [
        ([1, 2, 3], "seed: 3 seeds for 2 environments"),
        ([1, -2], "seed: -2; a whole number, at least 0"),
        (-1, "seed: -1; a whole number, at least 0"),
        ([0.5, 1], "seed: 0.5; a whole number"),
    ],
)
def test_seeds_that_cannot_be(seed, says):
    env = make_chip8("catcher", 2)
    with pytest.raises(ValueError, match=says):
        env.reset(seed=seed)


def test_a_step_before_the_first_start():
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before the first step"):
        make_chip8("catcher").step([0])
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\)"):
        Chip8Env("catcher").step(0)


# --- programs that break -----------------------------------------------------------------------------------------


def test_a_program_that_breaks_names_its_environment():
    env = make_chip8(BREAKS, 4, keys=(1,))
    env.reset(seed=0)
    env.step([1, 1, 1, 1])
    with pytest.raises(MachineFault, match="environment 2, pc 0x208: unknown opcode 8008") as caught:
        env.step([1, 1, 0, 1])
    error = caught.value
    assert (error.fault, error.environment, error.pc, error.opcode) == (Fault.UNKNOWN_OPCODE, 2, 0x208, 0x8008)
    _, rewards, terminated, _, _ = env.step([1, 1, 1, 1])  # it starts anew
    assert not rewards.any()
    assert not terminated.any()
    with pytest.raises(MachineFault, match=r"environment 0, .* \(and 1 more environments\)"):
        env.step([0, 1, 0, 1])


@pytest.mark.parametrize(
    ("source", "rules", "says"),
    [
        ("HIGH", {"quirks": "vip"}, '00FF is a SUPER-CHIP instruction; use quirks="schip"'),
        ("SCD 4", {"quirks": "vip"}, "00C4 is a SUPER-CHIP instruction"),
        ("LD HF, V0", {"quirks": "vip"}, "F030 is a SUPER-CHIP instruction"),
        ("HIGH", {"hires": False}, "00FF switches to high resolution; make the environment with hires=True"),
        ("start:\n CALL start", {}, "2200 calls deeper than 16 subroutines"),
        ("RET", {}, "00EE returns, but nothing was called"),
        ("JP 0xFFE", {}, "the program counter left the memory"),
        ("LD I, 0xFFF\nLD [I], V2", {}, "F255 reads or writes past the end of memory"),
        ("word 0xF000, 0x1234", {}, "F000 is an XO-CHIP instruction, which no profile has"),
    ],
)
def test_what_breaks_and_how_to_put_it_right(source, rules, says):
    env = make_chip8(assemble(source).rom, 1, **rules)
    env.reset(seed=0)
    with pytest.raises(MachineFault, match=says):
        env.step([16])


def test_a_program_that_breaks_in_its_startup():
    with pytest.raises(MachineFault, match="environment 0, pc 0x200: 00EE returns"):
        make_chip8(assemble("RET").rom, startup=3)


def test_a_program_that_waits_for_a_key_that_nobody_has():
    waiting = assemble("LD V0, K\nADD V1, 1\nhere:\n JP here").rom
    with pytest.warns(UserWarning, match="waits for a key .Fx0A., and keys is empty: nothing will wake it"):
        env = make_chip8(waiting, 1, keys=(), score="V1")
    assert env.single_action_space.n == 1
    with pytest.warns(UserWarning, match="waits for a key"):
        make_chip8(waiting, 1, keys=(), startup=5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make_chip8(waiting, 1, keys=(5,), score="V1")
        make_chip8(COUNTER, 1, keys=())
    env.reset(seed=0)
    assert [env.step([action])[1][0] for action in (1, 0, 1)] == [0.0, 0.0, 1.0]  # pressed, then released


def test_the_saved_state_is_plain_arrays():
    env = make_chip8("catcher", 2)
    env.reset(seed=0)
    buffer = io.BytesIO()
    np.savez(buffer, **env.save())
    buffer.seek(0)
    with np.load(buffer, allow_pickle=False) as file:
        assert set(file.files) == set(env.save())
