"""Proximal policy optimisation on a vector environment, small enough to read in one go.

Source: J. Schulman et al., "Proximal Policy Optimization Algorithms", arXiv 1707.06347 (equation 7, the clipped
objective; algorithm 1), with generalised advantages (J. Schulman et al., arXiv 1506.02438, equation 16). The paper
trains with the same algorithm and a larger network on a GPU; network and settings here are ours, for minutes on a CPU.

Screens flicker, since sprites are drawn by XOR: the network sees the first two frames of a step OR-ed together, and the
last two, so that a sprite drawn in either is there and its motion can be told.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import ArrayLike, NDArray

from assay.methods.environments.octax.screen import pack

Params = dict[str, jax.Array]
PATCH = 4
"""Rows and columns of a patch, the network's first layer."""


@dataclass(frozen=True)
class PPOSettings:
    """Settings of `train_ppo`; ours."""

    steps: int = 200_000
    """Environment steps in all, over all environments."""
    rollout: int = 64
    """Steps of every environment between two updates."""
    epochs: int = 4
    """Passes over each rollout."""
    minibatches: int = 16
    """Parts of a rollout, each one gradient step."""
    learning_rate: float = 1e-3
    """Of Adam; falls linearly to 0."""
    discount: float = 0.99
    """Of a reward, per step."""
    smoothing: float = 0.95
    """lambda of the generalised advantages."""
    clip: float = 0.2
    """How far the ratio of new to old probability counts."""
    entropy: float = 0.01
    """Weight of the policy's entropy."""
    value: float = 0.5
    """Weight of the value's squared error."""
    largest_gradient: float = 0.5
    """Norm that gradients are cut to."""
    channels: int = 16
    """Outputs per patch."""
    hidden: int = 128
    """Units of the hidden layer."""


@dataclass(frozen=True)
class Trained:
    """What training gives.

    Attributes:
        params: the network's weights.
        curve: (k, 2) environment steps so far, and the mean score of episodes that ended since the row before.
    """

    params: Params
    curve: NDArray[np.float64]

    def policy(self, seed: int = 0) -> Callable[[NDArray[Any]], NDArray[np.int64]]:
        """A player that draws actions from the policy.

        Args:
            seed: of the draws.

        Returns a function from observations (n, frames, ...) to actions (n,).
        """
        key = [jax.random.key(seed)]

        def act(observations: NDArray[Any]) -> NDArray[np.int64]:
            key[0], now = jax.random.split(key[0])
            return np.asarray(_act(self.params, planes(observations), now)[0])

        return act


def planes(observations: ArrayLike) -> NDArray[np.uint32]:
    """What the network sees: the frames of the first half of a step OR-ed, and those of the second.

    Args:
        observations: (n, frames, rows, columns) of 0 and 1, or packed uint32 (n, frames, rows, words); an even number
            of frames.

    Returns uint32 (n, 2, rows, words).
    """
    words = np.asarray(observations)
    if words.dtype != np.uint32:
        words = pack(words)
    half = words.shape[1] // 2
    return np.stack([np.bitwise_or.reduce(words[:, :half], 1), np.bitwise_or.reduce(words[:, half:], 1)], axis=1)


def init(key: jax.Array, shape: tuple[int, int, int], actions: int, settings: PPOSettings) -> Params:
    """Random weights (orthogonal, as is usual for PPO).

    Args:
        key: of the draws.
        shape: planes, rows, words of an observation.
        actions: how many.
        settings: channels and hidden units.
    """
    count, rows, words = shape
    patches = rows // PATCH * (words * 32 // PATCH)
    k = jax.random.split(key, 4)
    weights = jax.nn.initializers.orthogonal
    return {
        "patch": weights(2**0.5)(k[0], (count * PATCH * PATCH, settings.channels)),
        "patch_bias": jnp.zeros(settings.channels),
        "hidden": weights(2**0.5)(k[1], (patches * settings.channels, settings.hidden)),
        "hidden_bias": jnp.zeros(settings.hidden),
        "policy": weights(0.01)(k[2], (settings.hidden, actions)),
        "policy_bias": jnp.zeros(actions),
        "value": weights(1.0)(k[3], (settings.hidden, 1)),
        "value_bias": jnp.zeros(1),
    }


def network(params: Params, words: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Logits (n, actions) and values (n,) of packed planes, uint32 (n, planes, rows, words)."""
    n, count, rows, columns = *words.shape[:3], words.shape[3] * 32
    bits = words[..., None] >> (31 - jnp.arange(32, dtype=jnp.uint32)) & 1
    tiles = bits.reshape(n, count, rows // PATCH, PATCH, columns // PATCH, PATCH).transpose(0, 2, 4, 1, 3, 5)
    x = tiles.reshape(n, -1, count * PATCH * PATCH).astype(jnp.float32)
    x = jax.nn.relu(x @ params["patch"] + params["patch_bias"]).reshape(n, -1)
    x = jax.nn.relu(x @ params["hidden"] + params["hidden_bias"])
    return x @ params["policy"] + params["policy_bias"], (x @ params["value"] + params["value_bias"])[:, 0]


@jax.jit
def _act(params: Params, words: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Actions drawn from the policy, their log-probabilities, and values."""
    logits, values = network(params, words)
    actions = jax.random.categorical(key, logits)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], 1)[:, 0]
    return actions, chosen, values


def advantages(
    rewards: NDArray[Any],
    values: NDArray[Any],
    last: NDArray[Any],
    ends: NDArray[Any],
    discount: float,
    smoothing: float,
) -> NDArray[np.float32]:
    """Generalised advantages (arXiv 1506.02438, equation 16).

    Args:
        rewards: (steps, n).
        values: of the states acted in, (steps, n).
        last: values of the states after the last step, (n,).
        ends: whether an episode ended with the step, (steps, n); the next state then has no value.
        discount, smoothing: gamma and lambda.
    """
    out = np.zeros(rewards.shape, np.float32)
    running, following = np.zeros_like(last), last
    for t in range(len(rewards) - 1, -1, -1):
        on = 1.0 - ends[t]
        surprise = rewards[t] + discount * following * on - values[t]
        running = surprise + discount * smoothing * on * running
        out[t], following = running, values[t]
    return out


def loss(params: Params, batch: dict[str, jax.Array], settings: PPOSettings) -> jax.Array:
    """The clipped objective with value error and entropy, averaged over steps of weight 1."""
    logits, values = network(params, batch["words"])
    log_p = jax.nn.log_softmax(logits)
    chosen = jnp.take_along_axis(log_p, batch["actions"][:, None], 1)[:, 0]
    weight = batch["weights"] / jnp.maximum(batch["weights"].sum(), 1.0)
    gain = batch["advantages"]
    mean = (weight * gain).sum()
    gain = (gain - mean) / jnp.sqrt((weight * (gain - mean) ** 2).sum() + 1e-8)
    ratio = jnp.exp(chosen - batch["log_p"])
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    policy = -jnp.minimum(ratio * gain, clipped * gain)
    error = (values - batch["targets"]) ** 2
    entropy = -(jnp.exp(log_p) * log_p).sum(axis=1)
    return (weight * (policy + settings.value * error - settings.entropy * entropy)).sum()


def train_ppo(
    env: Any,
    settings: PPOSettings | None = None,
    seed: int = 0,
    progress: Callable[[float, str], None] | None = None,
    reward: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> Trained:
    """Train a policy on a vector environment.

    Args:
        env: a `Chip8VecEnv`, best with packed observations; any gymnasium VectorEnv with binary screens whose
            episodes start anew at the step after their end.
        settings: what to train with.
        seed: of weights, actions and environments.
        progress: told how far it is, 0 to 1, and the latest mean score.
        reward: changes the rewards (n,) of a step before they are learned from; scores stay what they are.

    Returns the weights and the curve of scores.
    """
    s = settings or PPOSettings()
    n, updates = env.num_envs, max(1, s.steps // (s.rollout * env.num_envs))
    observations, _ = env.reset(seed=seed)
    words = planes(observations)
    key, start = jax.random.split(jax.random.key(seed))
    params = init(start, words.shape[1:], int(env.single_action_space.n), s)
    schedule = optax.linear_schedule(s.learning_rate, 0.0, updates * s.epochs * s.minibatches)
    optimiser = optax.chain(optax.clip_by_global_norm(s.largest_gradient), optax.adam(schedule, eps=1e-5))
    state, update = optimiser.init(params), _updater(optimiser, s)
    scores, over, curve, ended = np.zeros(n), np.zeros(n, bool), [], []
    for number in range(updates):
        seen, fields = [], {name: np.zeros((s.rollout, n), np.float32) for name in ("log_p", "values", "rewards")}
        actions, ends = np.zeros((s.rollout, n), np.int32), np.zeros((s.rollout, n), np.float32)
        weights = np.ones((s.rollout, n), np.float32)
        for t in range(s.rollout):
            key, now = jax.random.split(key)
            actions[t], fields["log_p"][t], fields["values"][t] = map(np.asarray, _act(params, words, now))
            weights[t] = ~over  # the step that only starts an episode teaches nothing
            seen.append(words)
            observations, rewards, terminated, truncated, _ = env.step(actions[t])
            words = planes(observations)
            scores = np.where(over, 0.0, scores + rewards)
            over = terminated | truncated
            ended += scores[over].tolist()
            fields["rewards"][t] = rewards if reward is None else reward(rewards)
            ends[t] = over
        last = np.asarray(network(params, jnp.asarray(words))[1])
        gains = advantages(fields["rewards"], fields["values"], last, ends, s.discount, s.smoothing)
        batch = {"words": np.stack(seen), "actions": actions, "log_p": fields["log_p"], "weights": weights}
        batch |= {"advantages": gains, "targets": gains + fields["values"]}
        key, now = jax.random.split(key)
        flat = {name: part.reshape(s.rollout * n, *part.shape[2:]) for name, part in batch.items()}
        params, state = update(params, state, flat, now)
        if ended:
            curve.append(((number + 1) * s.rollout * n, float(np.mean(ended))))
            ended = []
        if progress is not None:
            progress((number + 1) / updates, f"score {curve[-1][1]:.1f}" if curve else "")
    return Trained(params, np.array(curve, np.float64).reshape(-1, 2))


def _updater(optimiser: optax.GradientTransformation, s: PPOSettings) -> Callable[..., Any]:
    """All gradient steps on one rollout, compiled."""

    def one(carry: Any, batch: Any) -> Any:
        params, state = carry
        gradient = jax.grad(loss)(params, batch, s)
        change, state = optimiser.update(gradient, state, params)
        return (optax.apply_updates(params, change), state), None

    @jax.jit
    def update(params: Params, state: Any, flat: dict[str, jax.Array], key: jax.Array) -> Any:
        count = flat["actions"].shape[0] // s.minibatches

        def one_pass(carry: Any, key: jax.Array) -> Any:
            order = jax.random.permutation(key, count * s.minibatches)
            parts = {k: v[order].reshape(s.minibatches, count, *v.shape[1:]) for k, v in flat.items()}
            return jax.lax.scan(one, carry, parts)

        return jax.lax.scan(one_pass, (params, state), jax.random.split(key, s.epochs))[0]

    return update


def mean_score(
    env: Any, player: Callable[[NDArray[Any]], ArrayLike], seed: int = 0
) -> tuple[float, NDArray[np.float64]]:
    """The mean score of the first episode of every environment, and all of them.

    Args:
        env: a vector environment whose episodes end (see `max_steps`).
        player: observations (n, ...) to actions (n,).
        seed: of the environments.
    """
    observations, _ = env.reset(seed=seed)
    scores, over = np.zeros(env.num_envs), np.zeros(env.num_envs, bool)
    while not over.all():
        observations, rewards, terminated, truncated, _ = env.step(np.asarray(player(observations)))
        scores += np.where(over, 0.0, rewards)
        over |= terminated | truncated
    return float(scores.mean()), scores
