"""The privacy loss of every mechanism, exactly; and that the audit catches a mechanism that leaks more."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import integrate

from assay.methods.privacy import (
    GaussianLabels,
    LaplaceLabels,
    RPWithPrior,
    RROnBins,
    StaircaseLabels,
    StepPrior,
    UnbiasedRandomizer,
    exact_epsilon,
)
from assay.methods.privacy.rpwithprior.baselines import gaussian_delta
from assay.methods.privacy.rpwithprior.mechanisms import LabelMechanism
from assay.methods.privacy.rpwithprior.release import WindowRelease

BOUNDS = (-2.0, 6.0)
PURE = [LaplaceLabels, StaircaseLabels, RPWithPrior, RROnBins, UnbiasedRandomizer]


def labels(n: int = 2_000) -> np.ndarray:
    return np.random.default_rng(1).gamma(2, 1, n).clip(*BOUNDS)


def fitted(kind: type[LabelMechanism], epsilon: float, **settings: object) -> LabelMechanism:
    return kind(epsilon, BOUNDS, random_state=5, **settings).fit(labels())  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("kind", PURE)
def test_the_privacy_loss_is_the_budget(kind: type[LabelMechanism], epsilon: float) -> None:
    mechanism = fitted(kind, epsilon)
    assert exact_epsilon(mechanism) == pytest.approx(mechanism.privacy["release_epsilon"], abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(
    "settings",
    [
        {"debias": True},
        {"half_width": 0.3},
        {"half_width": 4.0},
        {"prior": "per-label"},
        {"prior": "uniform"},
        {"prior": StepPrior([-2, 0, 1, 6], [0, 1, 0])},
        {"interval_epsilon": "prior", "prior": "per-label"},
        {"objective": "published", "prior": "per-label"},
    ],
)
def test_the_loss_is_the_budget_for_every_setting(settings: dict[str, object], epsilon: float) -> None:
    mechanism = fitted(RPWithPrior, epsilon, **settings)
    assert exact_epsilon(mechanism) == pytest.approx(mechanism.privacy["release_epsilon"], abs=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in PURE if kind is not UnbiasedRandomizer])
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6])
def test_a_tiny_budget_is_met_within_the_stated_tolerance(kind: type[LabelMechanism], epsilon: float) -> None:
    mechanism = fitted(kind, epsilon)
    assert exact_epsilon(mechanism) <= mechanism.privacy["release_epsilon"] + 1e-14


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 20.0])
def test_the_staircase_of_least_variance_is_as_private(epsilon: float) -> None:
    assert exact_epsilon(fitted(StaircaseLabels, epsilon, gamma="variance")) == pytest.approx(epsilon, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("kind", PURE)
def test_no_triple_of_release_and_labels_exceeds_it(kind: type[LabelMechanism], epsilon: float) -> None:
    mechanism = fitted(kind, epsilon)
    rng = np.random.default_rng(2)
    y = np.concatenate([rng.uniform(-4, 8, 300), [-2.0, 6.0, -50.0, 50.0]])  # inside and outside the bounds
    z = mechanism.outputs_ if mechanism.discrete else rng.uniform(-30, 30, 2_000)  # type: ignore[attr-defined]
    logs = mechanism.log_density(z[:, None], y[None, :])
    possible = logs[np.isfinite(logs).any(axis=1)]
    loss = (possible.max(axis=1) - possible.min(axis=1)).max()
    budget = mechanism.privacy["release_epsilon"]
    assert loss <= budget + 1e-12
    assert loss >= 0.5 * budget  # the triples are not all alike


@pytest.mark.parametrize("kind", PURE)
def test_probabilities_sum_to_one(kind: type[LabelMechanism]) -> None:
    mechanism = fitted(kind, 1.0)
    for y in (-2.0, 0.3, 5.9):
        if mechanism.discrete:
            outputs = np.unique(mechanism.outputs_)  # type: ignore[attr-defined]
            total = np.exp(mechanism.log_density(outputs, y)).sum()
        else:
            jumps = y + np.arange(-12, 13) * 8.0
            steps = np.sort(np.concatenate([jumps, jumps + 8 * 0.3775406687981454, jumps + 8 * 0.6224593312018546]))
            if isinstance(mechanism, RPWithPrior):
                p = np.clip(y, *mechanism.interval_)
                d = mechanism.half_width_
                steps = np.array([mechanism.interval_[0] - d, p - d, p + d, mechanism.interval_[1] + d])
            density = lambda z, y=y: float(np.exp(mechanism.log_density(z, y)))  # noqa: E731
            total = sum(integrate.quad(density, a, b)[0] for a, b in itertools.pairwise(steps) if b - a > 1e-9)
        assert total == pytest.approx(1.0, abs=1e-4)  # the tails beyond 12 ranges are left out


def test_the_audit_catches_a_release_of_a_larger_budget() -> None:
    mechanism = RPWithPrior(1.0, BOUNDS, prior="uniform", random_state=0).fit(labels())
    right = mechanism.release_
    mechanism.release_ = WindowRelease(right.low, right.high, right.half_width, 1.01)
    assert exact_epsilon(mechanism) == pytest.approx(1.01, abs=1e-12)


def test_the_audit_catches_outputs_that_betray_a_label() -> None:
    mechanism = UnbiasedRandomizer(1.0, BOUNDS, prior="uniform", random_state=0).fit(labels())
    mechanism.matrix_ = mechanism.matrix_.copy()
    mechanism.matrix_[3, 4] = 0.0
    assert exact_epsilon(mechanism) == math.inf


def test_the_gaussian_has_no_pure_guarantee_and_its_delta_is_exact() -> None:
    mechanism = GaussianLabels(0.7, BOUNDS, delta=1e-3).fit(labels())
    assert exact_epsilon(mechanism) == math.inf
    assert mechanism.privacy["pure"] is False
    assert mechanism.privacy["delta"] == 1e-3
    # delta = sup over pairs of the mass where p(z|y) exceeds e^epsilon p(z|y'), attained at the bounds
    z = np.linspace(-400, 400, 2_000_001)
    p, q = (np.exp(mechanism.log_density(z, np.array(y))) for y in (6.0, -2.0))
    excess = float(np.maximum(p - math.exp(0.7) * q, 0).sum() * (z[1] - z[0]))
    assert excess == pytest.approx(1e-3, rel=1e-4)
    assert gaussian_delta(0.7, mechanism.sigma / 8) <= 1e-3


def test_the_release_of_a_prior_that_is_not_private_is_audited_alike() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        mechanism = fitted(RPWithPrior, 1.0, prior="oracle")
    assert exact_epsilon(mechanism) == pytest.approx(1.0, abs=1e-12)
    assert mechanism.privacy["epsilon"] == math.inf
