"""What an environment does around the native machine: actions, starts, scores, ends; compiled by numba."""

from __future__ import annotations

import numpy as np

from assay.methods.environments.octax.expressions import STACK
from assay.methods.environments.octax.native import _native, random_next
from assay.methods.environments.octax.native_expressions import evaluate_on_stack


@_native
def choose(actions, last, skip, streams, threshold, masks, keys):
    """The keys that each environment holds, from its action or, where it sticks, from the one before.

    Args:
        actions: int64 (n,), each within range.
        last: the action before, int64 (n,); becomes the one that acts.
        skip: environments that do not act, bool (n,).
        streams: each environment's random stream, uint32 (n,); drawn from once where `threshold` is not 0.
        threshold: an action sticks where the draw is below it, 0 to 2^32.
        masks: keys held for each action, uint16 (actions,).
        keys: written, uint16 (n,).
    """
    for i in range(len(actions)):
        if skip[i]:
            continue
        if threshold > 0:
            streams[i] = random_next(streams[i])
            if np.int64(streams[i]) >= threshold:
                last[i] = actions[i]
        else:
            last[i] = actions[i]
        keys[i] = masks[last[i]]


@_native
def restart(machines, starts, chosen, streams, last, idle, steps):
    """A fresh start for the chosen environments: one of `starts`, by a draw where there are several.

    The machine's random stream goes on from where it is; `last` becomes `idle`, the action without a key.
    """
    for i in range(len(machines)):
        if chosen[i]:
            start = 0
            if len(starts) > 1:
                streams[i] = random_next(streams[i])
                start = np.int64(streams[i]) % len(starts)
            rng = machines[i].rng
            machines[i] = starts[start]
            machines[i].rng = rng
            last[i] = idle
            steps[i] = 0


@_native
def evaluate(machines, program, out):
    """An expression's value for every machine, into `out`, float64 (n,)."""
    stack = np.empty(STACK, np.int64)
    for i in range(len(machines)):
        m = machines[i]
        out[i] = evaluate_on_stack(program, m.V, m.memory, m.I, m.delay, m.sound, stack)


@_native
def settle(machines, scores, new_scores, ended, steps, max_steps, fresh, rewards, terminated, truncated):
    """Rewards and ends of one step.

    Args:
        machines: after the step.
        scores: before the step, float64 (n,); become the new ones.
        new_scores: float64 (n,).
        ended: what the game says, float64 (n,), not 0 at its end.
        steps: of the episode before this one, int32 (n,); counted up.
        max_steps: an episode is cut off after so many; 0 for never.
        fresh: environments that only started, bool (n,): no reward, no end.
        rewards: written, float64 (n,).
        terminated: written, bool (n,).
        truncated: written, bool (n,).
    """
    for i in range(len(machines)):
        rewards[i] = 0.0
        terminated[i] = False
        truncated[i] = False
        if not fresh[i]:
            steps[i] += 1
            rewards[i] = new_scores[i] - scores[i]
            terminated[i] = ended[i] != 0.0 or machines[i].fault != 0
            truncated[i] = max_steps > 0 and steps[i] >= max_steps and not terminated[i]
        scores[i] = new_scores[i]
