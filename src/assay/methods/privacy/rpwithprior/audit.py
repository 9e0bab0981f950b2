"""The exact privacy loss of a fitted mechanism.

A release with log density log p(z | y) is epsilon-label-DP if log p(z | y) - log p(z | y') <= epsilon for all z, y, y'.
For every mechanism here this supremum is attained on a finite set of points that follows from where its density is
constant or monotone, so it can be computed and need not be estimated. It covers one release given what `fit` learned;
the budget of `fit` adds to it.
"""

from __future__ import annotations

import math

import numpy as np

from assay.methods.privacy.rpwithprior.mechanisms import LabelMechanism


def exact_epsilon(mechanism: LabelMechanism) -> float:
    """The largest log ratio of densities of one release between two labels; infinite where it is unbounded.

    Computed from log densities, so within rounding of them: about 1e-14 absolute, which is 5e-9 of a budget of 1e-6.
    Compare with an absolute tolerance. Equals `mechanism.privacy["release_epsilon"]` for a mechanism that uses its
    budget in full.
    """
    points = mechanism.audit_points()
    if points is None:
        return math.inf
    z, y = points
    logs = mechanism.log_density(z[:, None], y[None, :])
    possible = logs[np.isfinite(logs).any(axis=1)]
    return float((possible.max(axis=1) - possible.min(axis=1)).max())
