"""Priors of the labels: noise of the right scale, nodes, what is and what is not private."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from assay.methods.privacy import RROnBins, StepPrior
from assay.methods.privacy.rpwithprior import priors

BOUNDS = (0.0, 10.0)


class Recorder:
    """Stands in for a Generator: adds no noise and notes what noise was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, float, int]] = []

    def laplace(self, loc: float, scale: float, size: int) -> np.ndarray:
        self.asked.append((loc, scale, size))
        return np.zeros(size)


def labels(n: int = 500) -> np.ndarray:
    return np.random.default_rng(0).gamma(2, 1, n).clip(*BOUNDS)


def test_the_central_histogram_is_noised_for_a_sensitivity_of_two() -> None:
    recorder, y = Recorder(), labels()
    prior = priors.central_prior(y, BOUNDS, 20, 0.25, recorder)  # type: ignore[arg-type]
    assert recorder.asked == [(0.0, 2 / 0.25, 20)]
    assert prior.mass == pytest.approx(np.histogram(y, 20, BOUNDS)[0] / len(y), abs=1e-12)
    # neighbours: one label replaced moves at most two counts by one each
    other = y.copy()
    other[7] = 9.9
    moved = priors.central_prior(other, BOUNDS, 20, 0.25, Recorder())  # type: ignore[arg-type]
    assert np.abs(moved.mass - prior.mass).sum() * len(y) == pytest.approx(2.0)
    assert (moved.nodes == prior.nodes).all()


def test_the_per_label_histogram_noises_every_label_by_the_public_range() -> None:
    recorder, y = Recorder(), labels()
    prior = priors.per_label_prior(y, BOUNDS, 0.5, recorder)  # type: ignore[arg-type]
    assert recorder.asked == [(0.0, 10 / 0.5, len(y))]
    # nodes at mean + integer * standard deviation, between the bounds
    steps = (prior.nodes[1:-1] - y.mean()) / y.std()
    assert steps == pytest.approx(np.round(steps), abs=1e-9)
    assert (prior.nodes[0], prior.nodes[-1]) == BOUNDS
    assert prior.nodes[1] - 0 <= y.std()  # the outer bins are the rest, narrower than a whole step
    assert 10 - prior.nodes[-2] <= y.std()
    assert prior.mass == pytest.approx(np.histogram(y, prior.nodes)[0] / len(y))


def test_constant_labels_have_a_prior() -> None:
    y = np.full(40, 3.0)
    assert priors.central_prior(y, BOUNDS, 8, 1.0, np.random.default_rng(0)).mass.argmax() == 2
    assert priors.deviation_histogram(y, BOUNDS).mass.tolist() == [1.0]
    assert priors.oracle_prior(np.full(5, 10.0), BOUNDS, 4).mass.tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("spread", [1e-7, 1e-3, 0.011])
def test_labels_that_hardly_differ_have_a_prior_of_few_bins(spread: float) -> None:
    y = np.array([3.0 - spread, 3.0 + spread])  # standard deviation: the spread
    prior = priors.deviation_histogram(y, BOUNDS)
    inner = prior.nodes[1:-1]
    assert 100 <= len(inner) <= 200
    multiple = np.diff(inner).mean() / spread
    assert multiple == pytest.approx(math.ceil(10 / 199 / spread), rel=1e-6)
    assert (inner - 3.0) / (multiple * spread) == pytest.approx(np.round((inner - 3.0) / (multiple * spread)), abs=1e-5)
    assert prior.mass.sum() == pytest.approx(1.0)


def test_a_large_budget_for_the_paper_prior_makes_few_bins() -> None:
    mechanism = RROnBins(1e4, BOUNDS, prior="per-label", random_state=0)
    z = mechanism.fit_randomize(np.full(300, 3.0))
    assert len(mechanism.prior_.mass) <= 201
    assert np.abs(z - 3.0).max() < 0.2


def test_the_published_prior_contains_every_clean_label() -> None:
    y = labels(1_000)
    recorder = Recorder()
    priors.published_prior(y, BOUNDS, 0.5, recorder)  # type: ignore[arg-type]
    assert recorder.asked == [(0.0, 20.0, 1_000 - 3 * 256)]  # the last batch only
    # far less noise than the paper's prior: the labels' own spread stays visible in the nodes
    spread = []
    for build in (priors.published_prior, priors.per_label_prior):
        nodes = build(y, BOUNDS, 0.1, np.random.default_rng(1)).nodes
        spread.append(np.diff(nodes).max())
    assert spread[0] < 3.0 < 4.5 < spread[1]


def test_nearest_histogram_is_the_projection() -> None:
    assert priors.nearest_histogram(np.array([3.0, 1.0]), 4).tolist() == [3.0, 1.0]
    assert priors.nearest_histogram(np.array([5.0, -1.0, 1.0]), 4).tolist() == [4.0, 0.0, 0.0]
    assert priors.nearest_histogram(np.array([-9.0, -9.0]), 4).tolist() == [2.0, 2.0]
    rng = np.random.default_rng(2)
    counts = rng.normal(3, 8, 12)
    best = priors.nearest_histogram(counts, 30.0)
    assert best.sum() == pytest.approx(30.0)
    assert best.min() >= 0
    for other in rng.dirichlet(np.ones(12), 300) * 30:  # the angle to every other point of the simplex is obtuse
        assert (counts - best) @ (other - best) <= 1e-9


def test_noise_of_counts_is_laplace() -> None:
    # two bins with so many rows that no count is cut at 0: differences are those of Laplace noise
    y = np.repeat([2.0, 7.0], 500)
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(3_000):
        mass = priors.central_prior(y, BOUNDS, 2, 0.5, rng).mass
        gaps.append((mass[0] - mass[1]) * len(y))  # difference of two Laplace(4): variance 2 * 2 * 16
    assert np.var(gaps) == pytest.approx(64, rel=0.12)


def test_expectations_are_exact() -> None:
    prior = StepPrior([0, 1, 3, 4], [1, 2, 1])
    assert prior.mean == pytest.approx(0.25 * 0.5 + 0.5 * 2 + 0.25 * 3.5)
    assert prior.expectation(lambda y: np.ones_like(y)) == pytest.approx(1.0, abs=1e-14)
    assert prior.expectation(lambda y: np.abs(y - 1.7), kinks=[1.7]) == pytest.approx(
        integrate.quad(lambda y: abs(y - 1.7) * 0.25, 0, 4, points=[1.7])[0], abs=1e-12
    )
    assert prior.expectation(lambda y: y**5) == pytest.approx(integrate.quad(lambda y: y**5 * 0.25, 0, 4)[0], rel=1e-13)
    assert prior.node_mass == pytest.approx([0.125, 0.375, 0.375, 0.125])


def test_labels_on_nodes_and_at_the_ends() -> None:
    nodes = np.array([0.0, 1.0, 2.0])
    assert priors.bin_of(np.array([-5, 0, 0.99, 1, 2, 9]), nodes).tolist() == [0, 0, 0, 1, 1, 1]


def test_per_label_noise_is_laplace_before_clipping() -> None:
    # at bounds far away nothing is clipped, and the histogram is that of label + Laplace noise
    wide = (-1e4, 1e4)
    prior = priors.per_label_prior(np.zeros(200_000), wide, 200.0, np.random.default_rng(4))
    share = prior.mass[np.argmin(np.abs(prior.centres))]
    scale = 2e4 / 200
    step = float(np.median(np.diff(prior.nodes)))
    assert step == pytest.approx(scale * np.sqrt(2), rel=0.02)
    assert share == pytest.approx(stats.laplace.cdf(step, scale=scale) - 0.5, rel=0.02)
