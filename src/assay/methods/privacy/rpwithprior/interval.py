"""The optimal interval of RPWithPrior (Algorithm 1 of the paper).

For labels with a step density, the interval [A1, A2] is chosen so that a release falls within `half_width` of the true
label as often as possible: it maximises F(A1, A2) = P(A1 <= Y <= A2) / (2 half_width + e^-epsilon (A2 - A1)).

The published code scans all pairs of bins and, in each, corners and interior candidates. Ours rests on two facts:

- Inside a bin, P and the denominator are both affine in A2 (for fixed A1), so the sign of dF/dA2 does not change there,
  and the same holds for A1: some maximum lies at a pair of nodes.
- Over node pairs, F is a ratio, so Dinkelbach's iteration finds its maximum exactly: for the best value so far, v, the
  pair that maximises P - v * denominator comes from one running minimum, O(k); the value rises strictly with each step
  until it is the maximum (W. Dinkelbach, Management Science 1967). A handful of steps replace the O(k^2) scan.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.methods.privacy.rpwithprior.priors import StepPrior


def optimal_interval(
    mass: ArrayLike, nodes: ArrayLike, epsilon: float, half_width: float
) -> tuple[float, float, float]:
    """The interval [A1, A2] that a release of RPWithPrior should use, and its value.

    Args:
        mass: (k,) weight of each bin, non-negative; normalised here.
        nodes: (k+1,) ends of the bins, strictly increasing, in label units.
        epsilon: budget of the release, >= 0 (0 is the limit of no information).
        half_width: half the width of the release's window (delta in the paper), > 0, in label units.

    Returns:
        (A1, A2, F(A1, A2)), where A1 and A2 are nodes; 2 half_width F is the probability that a release is drawn from
        the window around a label inside [A1, A2]. F is in 1 / label units. Empty bins at its ends
        are left out.

    Raises:
        ValueError: malformed prior, epsilon < 0, half_width <= 0.
    """
    prior = StepPrior(nodes, mass)
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon is {epsilon}: give a finite number >= 0")
    if not (math.isfinite(half_width) and half_width > 0):
        raise ValueError(f"half_width is {half_width}: give a finite number > 0")
    n = prior.nodes
    below = np.concatenate([[0.0], np.cumsum(prior.mass)])
    rate = math.exp(-epsilon)
    value, pair = 0.0, (0, len(n) - 1)
    while True:
        score = below - value * rate * n
        gain = score[1:] - np.minimum.accumulate(score[:-1])
        j = int(np.argmax(gain)) + 1
        i = j - 1 - int(np.argmin(score[:j][::-1]))  # first j, last i of equal ones: empty outer bins are left out
        found = float((below[j] - below[i]) / (2 * half_width + rate * (n[j] - n[i])))
        if found <= value:
            break
        value, pair = found, (i, j)
    return float(n[pair[0]]), float(n[pair[1]]), value
