"""Parity with diffprivlib's mechanisms: the same distributions, value by value against vectorised."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from scipy import stats

from assay.methods.privacy import LaplaceLabels, StaircaseLabels


@pytest.fixture(scope="module")
def mechanisms():
    """diffprivlib's mechanisms, without its models, which no longer import with current scikit-learn."""
    absent = "diffprivlib.models" not in sys.modules
    if absent:
        sys.modules["diffprivlib.models"] = types.ModuleType("diffprivlib.models")
    from diffprivlib import mechanisms

    yield mechanisms
    if absent:
        del sys.modules["diffprivlib.models"]


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_laplace(mechanisms, epsilon: float) -> None:
    peer = mechanisms.Laplace(epsilon=epsilon, sensitivity=8.0, random_state=1)
    ours = LaplaceLabels(epsilon, (-2.0, 6.0), random_state=2)
    assert ours.variance == pytest.approx(peer.variance(0.0))
    theirs = np.array([peer.randomise(1.5) for _ in range(8_000)])
    assert stats.ks_2samp(ours.fit_randomize(np.full(8_000, 1.5)), theirs).pvalue > 1e-3


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_staircase(mechanisms, epsilon: float) -> None:
    peer = mechanisms.Staircase(epsilon=epsilon, sensitivity=8.0, random_state=1)
    ours = StaircaseLabels(epsilon, (-2.0, 6.0), random_state=2)
    assert ours.share == pytest.approx(peer.gamma)
    theirs = np.array([peer.randomise(1.5) for _ in range(8_000)])
    assert stats.ks_2samp(ours.fit_randomize(np.full(8_000, 1.5)), theirs).pvalue > 1e-3
    assert theirs.var() == pytest.approx(ours.variance, rel=0.15)


def test_analytic_gaussian(mechanisms) -> None:
    from assay.methods.privacy.rpwithprior.baselines import analytic_sigma

    for epsilon in (0.2, 1.0, 5.0):
        peer = mechanisms.GaussianAnalytic(epsilon=epsilon, delta=1e-4, sensitivity=1.0)
        assert analytic_sigma(epsilon, 1e-4) == pytest.approx(peer._scale, rel=1e-6)
