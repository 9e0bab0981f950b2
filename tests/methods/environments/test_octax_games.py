"""Our own games: complete, fair, playable, and with the scores that are stated."""

import numpy as np
import pytest

from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.game import find_game, labels, list_games, own_games
from assay.methods.environments.octax.machine import LARGEST_ROM

GAMES = sorted(own_games())


def episodes(game, player, count=64, seed=99, **rules):
    """Scores and lengths of the first episodes."""
    env = make_chip8(game, count, packed=True, **rules)
    env.reset(seed=seed)
    scores, lengths, over = np.zeros(count), np.zeros(count), np.zeros(count, bool)
    ended = np.zeros(count, bool)
    while not over.all():
        _, rewards, terminated, truncated, _ = env.step(np.asarray(player(env.machines)))
        scores += np.where(over, 0, rewards)
        lengths += ~over
        ended |= terminated & ~over
        over |= terminated | truncated
    return scores, lengths, ended


def at_random(game, seed=0):
    rng = np.random.default_rng(seed)
    return lambda machines: rng.integers(0, len(game.keys) + 1, len(machines))


def test_there_are_eight_in_eight_genres():
    assert len(GAMES) >= 8
    assert {own_games()[name].genre for name in GAMES} == {
        "brick", "catcher", "maze", "paddle", "runner", "shooter", "snake", "tank",
    }  # fmt: skip
    assert [game.name for game in list_games("assay")] == GAMES


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_all_there_is_to_say(name):
    game = find_game(name)
    assert game.name == name
    assert game.source == "assay"
    assert 0 < len(game.rom) <= LARGEST_ROM
    assert len(game.key_names) == len(game.keys) > 0
    for part in (game.title, game.about, game.levels):
        assert part
    assert game.random_score is not None
    assert game.good_score > game.random_score
    assert "start" in labels(game)


@pytest.mark.parametrize("name", GAMES)
def test_random_play_scores_as_stated_and_comes_to_an_end(name):
    game = find_game(name)
    scores, _, ended = episodes(game, at_random(game))
    assert abs(scores.mean() - game.random_score) < 4 * scores.std() / 8 + 0.5
    assert ended.mean() > 0.9


@pytest.mark.parametrize("name", GAMES)
def test_good_play_scores_as_stated(name):
    game = find_game(name)
    scores, _, _ = episodes(game, game.player, count=32)
    assert abs(scores.mean() - game.good_score) < 4 * scores.std() / 32**0.5 + 1
    assert scores.mean() > game.random_score + 5


@pytest.mark.parametrize("quirks", ["schip", "xochip", "octax"])
@pytest.mark.parametrize("name", GAMES)
def test_it_runs_on_other_machines_without_a_fault(name, quirks):
    env = make_chip8(name, 8, quirks=quirks, packed=True)
    env.reset(seed=0)
    act = at_random(find_game(name))
    for _ in range(300):
        env.step(act(env.machines))


@pytest.mark.parametrize("name", GAMES)
def test_the_screen_shows_something_and_episodes_differ(name):
    env = make_chip8(name, 16)
    env.reset(seed=0)
    act = at_random(find_game(name))
    for _ in range(30):
        screens = env.step(act(env.machines))[0]
    assert 0.005 < screens.mean() < 0.8
    assert len({screen.tobytes() for screen in screens}) > 8


@pytest.mark.parametrize("name", GAMES)
def test_no_start_has_drawn_a_random_number(name):
    """Otherwise every episode would begin alike."""
    env = make_chip8(name, 2)
    env.reset(seed=0)
    assert not np.array_equal(env.machines["rng"][0], env.machines["rng"][1])
    from assay.methods.environments.octax.machine import stream

    assert env.machines["rng"].tolist() == [stream(0), stream(1)]
    assert env._starts["rng"].tolist() == [stream(0)]


def test_every_dot_of_the_mazes_can_be_eaten():
    scores, _, ended = episodes(find_game("maze"), find_game("maze").player, count=16)
    assert scores.max() == scores.min() or ended.all()
    layouts = find_game("maze").rom[labels(find_game("maze"))["pictures"] - 0x200 :]
    open_cells = 48 * 8 - sum(byte.bit_count() for byte in layouts[:48])
    assert scores.max() + 1 == open_cells  # the first is eaten before the first step
