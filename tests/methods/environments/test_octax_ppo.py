"""PPO: its advantages, its objective, its eyes; training that can be repeated."""

import numpy as np
import pytest

pytest.importorskip("jax")
pytest.importorskip("optax")
import jax
import jax.numpy as jnp

from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.ppo import (
    PPOSettings,
    advantages,
    init,
    loss,
    mean_score,
    network,
    planes,
    train_ppo,
)
from assay.methods.environments.octax.screen import pack

SMALL = PPOSettings(steps=1536, rollout=32, minibatches=2, hidden=16, channels=4)


def test_advantages_are_the_weighted_sum_of_surprises():
    rng = np.random.default_rng(0)
    rewards, values, last = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.normal(size=3)
    ends = rng.random((7, 3)) < 0.3
    found = advantages(rewards, values, last, ends.astype(float), 0.9, 0.8)
    following = np.concatenate([values[1:], last[None]])
    surprise = rewards + 0.9 * following * ~ends - values
    for t in range(7):
        for i in range(3):
            total, weight = 0.0, 1.0
            for k in range(t, 7):
                total += weight * surprise[k, i]
                if ends[k, i]:
                    break
                weight *= 0.9 * 0.8
            assert found[t, i] == pytest.approx(total, abs=1e-5)


def test_an_end_cuts_what_comes_after_it():
    rewards, values = np.array([[0.0], [1.0]]), np.zeros((2, 1))
    cut = advantages(rewards, values, np.array([5.0]), np.array([[1.0], [0.0]]), 1.0, 1.0)
    assert cut[:, 0].tolist() == [0.0, 6.0]


def test_planes_hold_what_was_lit_in_either_frame():
    frames = np.random.default_rng(0).integers(0, 2, (5, 4, 32, 64)).astype(np.uint8)
    expected = np.stack([frames[:, :2].max(1), frames[:, 2:].max(1)], 1)
    assert np.array_equal(planes(frames), pack(expected))
    assert np.array_equal(planes(pack(frames)), pack(expected))


def batch(params, words, actions, shift=0.0, advantage=(1.0, -1.0), weights=(1.0, 1.0)):
    logits, values = network(params, words)
    log_p = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], 1)[:, 0]
    return {
        "words": words,
        "actions": actions,
        "log_p": log_p - shift,
        "advantages": jnp.array(advantage),
        "targets": values,
        "weights": jnp.array(weights),
    }


@pytest.fixture(scope="module")
def some():
    words = jnp.asarray(np.random.default_rng(0).integers(0, 2**32, (2, 2, 32, 2), dtype=np.uint32))
    return init(jax.random.key(0), (2, 32, 2), 3, SMALL), words, jnp.array([0, 2])


def test_the_objective_is_clipped(some):
    params, words, actions = some
    plain = PPOSettings(entropy=0.0, value=0.0)
    # the ratio is exp(1) for both: the gain of the good action is cut to 1.2, the loss of the bad one is not
    found = float(loss(params, batch(params, words, actions, shift=1.0), plain))
    assert found == pytest.approx(-0.5 * (1.2 - np.exp(1.0)), rel=1e-3)
    gradient = jax.grad(loss)(params, batch(params, words, actions, 1.0, (1.0, 1.0), (1.0, 1.0)), plain)
    assert float(jnp.abs(gradient["policy"]).max()) < 1e-6  # equal advantages: nothing to prefer


def test_steps_without_weight_teach_nothing(some):
    params, words, actions = some
    one = batch(params, words, actions, 0.1, (1.0, -1.0), (1.0, 0.0))
    other = {**one, "advantages": jnp.array([1.0, 99.0]), "targets": one["targets"].at[1].set(77.0)}
    assert float(loss(params, one, SMALL)) == pytest.approx(float(loss(params, other, SMALL)))


def test_training_can_be_repeated_and_its_policy_plays():
    def trained(seed):
        return train_ppo(make_chip8("catcher", 16, packed=True, max_steps=60), SMALL, seed=seed)

    one, same, other = trained(0), trained(0), trained(1)
    assert np.array_equal(one.curve, same.curve)
    assert all(np.array_equal(a, b) for a, b in zip(one.params.values(), same.params.values(), strict=True))
    assert not np.array_equal(one.params["hidden"], other.params["hidden"])
    assert 0 < one.curve[-1, 0] <= 1536
    screens, _ = make_chip8("catcher", 50, packed=True).reset(seed=0)
    act = one.policy(seed=3)
    assert set(act(screens).tolist()) <= {0, 1, 2}
    assert not np.array_equal(act(screens), act(screens))


def test_progress_and_changed_rewards():
    told = []
    env = make_chip8("catcher", 16, packed=True, max_steps=60)
    train_ppo(
        env,
        PPOSettings(steps=1024, rollout=32, minibatches=2, hidden=8),
        0,
        lambda done, what: told.append(done),
        lambda r: r * 0,
    )
    assert told == [0.5, 1.0]


def test_mean_score_counts_first_episodes_only():
    env = make_chip8("catcher", 8, max_steps=20)
    mean, scores = mean_score(env, lambda screens: np.zeros(8, int), seed=0)
    assert mean == scores.mean()
    assert env._steps.max() <= 20
