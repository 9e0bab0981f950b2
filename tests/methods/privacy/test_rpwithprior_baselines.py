"""The five baselines against closed forms, brute force and each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from assay.methods.privacy import (
    GaussianLabels,
    LaplaceLabels,
    RPWithPrior,
    RROnBins,
    StaircaseLabels,
    StepPrior,
    UnbiasedRandomizer,
)
from assay.methods.privacy.rpwithprior.baselines import (
    analytic_sigma,
    gaussian_delta,
    optimal_bins,
    unbiased_matrix,
)
from assay.methods.privacy.rpwithprior.mechanisms import LabelMechanism

BOUNDS = (0.0, 4.0)
ALL = [LaplaceLabels, GaussianLabels, StaircaseLabels, RPWithPrior, RROnBins, UnbiasedRandomizer]


def labels(n: int = 3_000) -> np.ndarray:
    return np.random.default_rng(1).gamma(2, 0.5, n).clip(*BOUNDS)


# --- what all share


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_releases_have_the_stated_bias_and_error(kind: type[LabelMechanism], epsilon: float) -> None:
    mechanism = kind(epsilon, BOUNDS, random_state=3).fit(labels())
    for y in (0.0, 1.37, 4.0):
        mechanism.releases_ = 0
        error = mechanism.randomize(np.full(40_000, y)) - y
        stated = float(mechanism.squared_error(y))
        assert error.mean() == pytest.approx(float(mechanism.bias(y)), abs=5 * error.std() / 200)
        assert (error**2).mean() == pytest.approx(stated, abs=5 * (error**2).std() / 200)


@pytest.mark.parametrize("kind", ALL)
def test_expected_error_is_the_mean_over_the_prior(kind: type[LabelMechanism]) -> None:
    mechanism = kind(1.5, BOUNDS, random_state=3).fit(labels())
    prior = StepPrior([-1.0, 0.2, 1.7, 5.0], [1, 3, 2])  # wider than the bounds: labels beyond are clipped
    rng = np.random.default_rng(4)
    bins = rng.choice(3, 400_000, p=prior.mass)
    y = rng.uniform(prior.nodes[bins], prior.nodes[bins + 1])
    errors = mechanism.squared_error(y)
    assert mechanism.expected_error(prior) == pytest.approx(
        errors.mean(), abs=5 * errors.std() / math.sqrt(len(y)) + 1e-12
    )


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("epsilon", [800.0, 10_000.0])
def test_budgets_beyond_the_range_of_exp(kind: type[LabelMechanism], epsilon: float) -> None:
    y = labels()
    mechanism = kind(epsilon, BOUNDS, random_state=3)
    z = mechanism.fit_randomize(y)
    assert np.isfinite(z).all()
    coarse = {RROnBins: 0.07, UnbiasedRandomizer: 0.5, GaussianLabels: 0.4}.get(kind, 0.02)  # bins, grid, delta
    assert np.sqrt(np.mean((z - y) ** 2)) < coarse
    assert math.isfinite(mechanism.expected_error())
    assert not np.isnan(mechanism.log_density(z[:5], y[:5])).any()


# --- additive noise


def test_laplace() -> None:
    mechanism = LaplaceLabels(0.5, BOUNDS, random_state=0)
    noise = mechanism.fit_randomize(np.full(20_000, 1.0)) - 1.0
    assert mechanism.variance == 2 * 16 / 0.25
    assert stats.kstest(noise, stats.laplace(scale=8).cdf).pvalue > 1e-3
    assert float(mechanism.log_density(3.0, 1.0)) == pytest.approx(stats.laplace(scale=8).logpdf(2.0))


def test_gaussian_calibrations() -> None:
    classical = GaussianLabels(0.5, BOUNDS, calibration="classical", random_state=0)
    assert classical.sigma == pytest.approx(math.sqrt(2 * math.log(1.25e4)) * 8)
    analytic = GaussianLabels(0.5, BOUNDS, random_state=0)
    assert analytic.sigma < classical.sigma
    noise = analytic.fit_randomize(np.full(20_000, 1.0)) - 1.0
    assert stats.kstest(noise, stats.norm(scale=analytic.sigma).cdf).pvalue > 1e-3
    with pytest.raises(ValueError, match="classical formula gives no"):
        GaussianLabels(1.5, BOUNDS, calibration="classical")


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0, 30.0, 900.0])
@pytest.mark.parametrize("delta", [1e-6, 1e-4, 0.2])
def test_the_analytic_sigma_is_the_smallest_that_keeps_delta(epsilon: float, delta: float) -> None:
    sigma = analytic_sigma(epsilon, delta)
    assert gaussian_delta(epsilon, sigma) <= delta
    assert gaussian_delta(epsilon, sigma * 0.999) > delta


def staircase_variance(epsilon: float, gamma: float) -> float:
    """Second moment of the staircase density for range 1, by summing exact integrals of its steps."""
    b = math.exp(-epsilon)
    top = (1 - b) / (2 * (gamma + b * (1 - gamma)))
    k = np.arange(int(60 / epsilon) + 2)
    high = ((k + gamma) ** 3 - k**3) / 3
    low = ((k + 1.0) ** 3 - (k + gamma) ** 3) / 3
    return float((2 * top * b**k * (high + b * low)).sum())


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2.0, 4.0, 12.0])
def test_staircase_variance(epsilon: float) -> None:
    mechanism = StaircaseLabels(epsilon, (0, 1))
    assert mechanism.variance == pytest.approx(staircase_variance(epsilon, 1 / (1 + math.exp(epsilon / 2))), rel=1e-10)
    laplace = LaplaceLabels(epsilon, (0, 1)).variance
    if epsilon >= 4:
        assert mechanism.variance < 0.6 * laplace
    if epsilon <= 0.1:
        assert mechanism.variance == pytest.approx(laplace, rel=1e-3)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 2.0, 4.0, 8.0, 12.0])
def test_the_staircase_of_least_variance(epsilon: float) -> None:
    mechanism = StaircaseLabels(epsilon, (0, 1), gamma="variance")
    b = math.exp(-epsilon)
    assert mechanism.share == pytest.approx(((b * (1 + b) / 2) ** (1 / 3) - b) / (1 - b), rel=1e-9)
    assert mechanism.variance == pytest.approx(staircase_variance(epsilon, mechanism.share), rel=1e-10)
    best = optimize.minimize_scalar(lambda g: staircase_variance(epsilon, g), bounds=(0, 1), method="bounded")
    assert mechanism.variance == pytest.approx(best.fun, rel=1e-7)
    stated = {0.3: 1.00, 1.0: 1.00, 2.0: 1.01, 4.0: 1.12, 8.0: 1.94}
    ratio = StaircaseLabels(epsilon, (0, 1)).variance / mechanism.variance
    assert ratio >= 1
    if epsilon in stated:
        assert round(ratio, 2) == stated[epsilon]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 8.0])
def test_the_default_staircase_has_the_least_expected_size(epsilon: float) -> None:
    def size(g: float) -> float:
        b, k = math.exp(-epsilon), np.arange(int(60 / epsilon) + 2)
        top = (1 - b) / (2 * (g + b * (1 - g)))
        high, low = ((k + g) ** 2 - k**2) / 2, ((k + 1.0) ** 2 - (k + g) ** 2) / 2
        return float((2 * top * b**k * (high + b * low)).sum())

    best = optimize.minimize_scalar(size, bounds=(0, 1), method="bounded")
    assert size(StaircaseLabels(epsilon, (0, 1)).share) == pytest.approx(best.fun, rel=1e-7)


@pytest.mark.parametrize("gamma", ["absolute", "variance"])
@pytest.mark.parametrize("epsilon", [1e-12, 1e-6, 100.0, 1_000.0])
def test_the_staircase_keeps_its_digits_at_extreme_budgets(gamma: str, epsilon: float) -> None:
    mechanism = StaircaseLabels(epsilon, (0, 1), gamma=gamma)  # type: ignore[arg-type]
    if epsilon < 1:
        assert mechanism.share == pytest.approx(0.5, abs=epsilon)
        assert mechanism.variance * epsilon**2 == pytest.approx(2.0, rel=1e-6)
    elif gamma == "absolute":  # b -> 0: g^2 / 3 + e^(-epsilon/2) / 3, of which the second stays
        assert mechanism.variance == pytest.approx(math.exp(-epsilon / 2) / 3, rel=1e-9)
    else:  # g = (b / 2)^(1/3), and the two parts add up to g^2 / 3 + b / (3 g) = g^2
        assert mechanism.variance == pytest.approx((math.exp(-epsilon) / 2) ** (2 / 3), rel=1e-9)


def test_an_unknown_gamma_is_refused() -> None:
    with pytest.raises(ValueError, match="'absolute' or 'variance'"):
        StaircaseLabels(1.0, BOUNDS, gamma=0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["absolute", "variance"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_the_staircase_sampler_follows_its_density(epsilon: float, kind: str) -> None:
    mechanism = StaircaseLabels(epsilon, (0.0, 2.0), gamma=kind, random_state=1)  # type: ignore[arg-type]
    noise = mechanism.fit_randomize(np.ones(20_000)) - 1.0
    gamma, b = mechanism.share, math.exp(-epsilon)
    steps = int(40 / epsilon) + 2
    ends = np.sort(np.concatenate([np.arange(steps), np.arange(steps) + gamma]))  # in ranges
    height = np.exp(mechanism.log_density(1.0 + 2 * (ends[:-1] + ends[1:]) / 2, 1.0))
    upper = np.append(0.0, np.cumsum(height * np.diff(ends) * 2))
    assert upper[-1] == pytest.approx(0.5, abs=1e-9)
    assert height[1] / height[0] == pytest.approx(b, rel=1e-12)
    half = np.interp(np.abs(noise) / 2, ends, upper)
    assert stats.kstest(0.5 + np.sign(noise) * half, "uniform").pvalue > 1e-3


# --- RR-on-Bins


def monotone_maps(k: int):
    """Every way to cut k values into runs."""
    for cuts in itertools.product([0, 1], repeat=k - 1):
        yield np.append(0, np.cumsum(cuts))


def best_by_brute_force(values: np.ndarray, mass: np.ndarray, epsilon: float) -> float:
    best = math.inf
    for number in monotone_maps(len(values)):
        d = number[-1] + 1
        weights = np.where(number[None, :] == np.arange(d)[:, None], math.exp(epsilon), 1.0) * mass
        outputs = (weights @ values) / weights.sum(axis=1)
        cost = (weights * (outputs[:, None] - values) ** 2).sum() / (math.exp(epsilon) + d - 1)
        best = min(best, float(cost))
    return best


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.0, 3.0, 8.0])
def test_bins_equal_brute_force(k: int, epsilon: float) -> None:
    rng = np.random.default_rng(k)
    for _ in range(15):
        values, mass = np.sort(rng.normal(0, 3, k)), rng.dirichlet(np.full(k, 0.6))
        output_of, outputs, cost = optimal_bins(values, mass, epsilon)
        assert cost == pytest.approx(best_by_brute_force(values, mass, epsilon), rel=1e-9, abs=1e-12)
        # and the cost is that of the bins and outputs returned
        keep = math.exp(epsilon) / (math.exp(epsilon) + len(outputs) - 1)
        other = keep * math.exp(-epsilon)
        error = (outputs[None, :] - values[:, None]) ** 2
        chance = np.where(np.arange(len(outputs))[None, :] == output_of[:, None], keep, other)
        assert float(mass @ (chance * error).sum(axis=1)) == pytest.approx(cost, rel=1e-9, abs=1e-12)
        assert (np.diff(output_of) >= 0).all()


def test_bins_without_a_budget_release_the_mean() -> None:
    values, mass = np.array([0.0, 1.0, 5.0]), np.array([0.2, 0.5, 0.3])
    output_of, outputs, cost = optimal_bins(values, mass, 0.0)
    assert outputs == pytest.approx([2.0])
    assert output_of.tolist() == [0, 0, 0]
    assert cost == pytest.approx(mass @ (values - 2.0) ** 2)


@pytest.mark.parametrize("epsilon", [60.0, 5_000.0])
def test_bins_with_a_large_budget_release_the_values(epsilon: float) -> None:
    values = np.array([0.0, 1.0, 5.0, 5.5])
    output_of, outputs, cost = optimal_bins(values, np.array([0.2, 0.5, 0.2, 0.1]), epsilon)
    assert output_of.tolist() == [0, 1, 2, 3]
    assert outputs == pytest.approx(values)
    assert cost == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_two_equally_likely_values(epsilon: float) -> None:
    outputs = optimal_bins(np.array([0.0, 1.0]), np.array([0.5, 0.5]), epsilon)[1]
    assert outputs == pytest.approx([1 / (math.exp(epsilon) + 1), math.exp(epsilon) / (math.exp(epsilon) + 1)])


def test_bins_are_found_for_values_far_from_zero() -> None:
    values, mass = np.array([0.0, 0.3, 1.0, 1.4]), np.array([0.1, 0.4, 0.3, 0.2])
    near, far = optimal_bins(values, mass, 1.5), optimal_bins(values + 1e6, mass, 1.5)
    assert far[0].tolist() == near[0].tolist()
    assert far[1] - 1e6 == pytest.approx(near[1], abs=1e-8)


def test_bins_of_no_mass_have_an_output() -> None:
    _, outputs, _ = optimal_bins(np.arange(6.0), np.array([0, 0, 1.0, 0, 0, 0]), 10_000.0)
    assert np.isfinite(outputs).all()
    mechanism = RROnBins(5_000.0, BOUNDS, prior=StepPrior(np.linspace(0, 4, 9), [0, 0, 1, 0, 0, 0, 2, 0]))
    assert np.isfinite(mechanism.fit_randomize([0.1, 3.9])).all()


def test_outputs_come_with_their_probabilities() -> None:
    mechanism = RROnBins(1.0, BOUNDS, random_state=0).fit(labels())
    z = mechanism.randomize(np.full(50_000, 0.7))
    share = np.array([np.mean(z == output) for output in mechanism.outputs_])
    stated = np.exp(mechanism.log_density(mechanism.outputs_, 0.7))
    assert share == pytest.approx(stated, abs=0.012)
    assert np.exp(mechanism.log_density(0.123456, 0.7)) == 0


# --- the unbiased randomiser


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_two_values_use_the_two_point_randomiser(epsilon: float) -> None:
    ends = np.array([-1 / math.expm1(epsilon), math.exp(epsilon) / math.expm1(epsilon)])
    grid = np.sort(np.concatenate([ends, np.linspace(0.05, 0.95, 7)]))
    matrix, outputs = unbiased_matrix(np.array([0.0, 1.0]), np.array([0.5, 0.5]), grid, epsilon)
    assert outputs == pytest.approx(ends, abs=1e-12)
    keep = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert matrix == pytest.approx(np.array([[keep, 1 - keep], [1 - keep, keep]]), abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 4.0, 12.0, 50.0])
def test_the_matrix_is_a_private_unbiased_release(epsilon: float) -> None:
    mechanism = UnbiasedRandomizer(epsilon, BOUNDS, random_state=0).fit(labels())
    matrix, used = mechanism.matrix_, min(mechanism.privacy["release_epsilon"], 12.0)
    assert matrix.min() > 0
    assert matrix.sum(axis=1) == pytest.approx(np.ones(len(matrix)), abs=1e-13)
    assert (np.log(matrix.max(axis=0)) - np.log(matrix.min(axis=0))).max() <= used + 1e-12
    assert matrix @ mechanism.outputs_ == pytest.approx(mechanism.inputs_, abs=4e-8)
    assert mechanism.bias(np.linspace(0, 4, 50)) == pytest.approx(np.zeros(50), abs=4e-8)


def test_labels_between_input_values_are_unbiased_too() -> None:
    mechanism = UnbiasedRandomizer(2.0, BOUNDS, random_state=0).fit(labels())
    y = 1.3333
    z = mechanism.randomize(np.full(200_000, y))
    assert z.mean() == pytest.approx(y, abs=5 * z.std() / math.sqrt(200_000))
    share = np.array([np.mean(z == output) for output in mechanism.outputs_])
    assert share == pytest.approx(np.exp(mechanism.log_density(mechanism.outputs_, y)), abs=0.006)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0])
def test_the_programme_beats_additive_noise(epsilon: float) -> None:
    prior = StepPrior(np.linspace(0, 1, 20), np.ones(19))
    error = UnbiasedRandomizer(epsilon, (0, 1), prior=prior).fit([0.5]).expected_error()
    assert error < StaircaseLabels(epsilon, (0, 1)).variance * 1.2  # 1.2: its grid is finite
    assert error < LaplaceLabels(epsilon, (0, 1)).variance
    wide = UnbiasedRandomizer(epsilon, (0, 1), prior=prior, outputs=80).fit([0.5]).expected_error()
    assert wide <= error * 1.01
    assert wide >= error * 0.97  # 30 outputs cost little


def test_a_narrow_grid_is_refused_with_the_range_needed() -> None:
    with pytest.raises(ValueError, match=r"needs \[-2\.32\d*, 6\.32\d*\]: widen the grid"):
        UnbiasedRandomizer(1.0, BOUNDS, prior="uniform", outputs=np.linspace(-1, 5, 30))
    with pytest.raises(ValueError, match="strictly increasing"):
        UnbiasedRandomizer(1.0, BOUNDS, prior="uniform", outputs=np.array([9.0, -9.0]))
    with pytest.raises(ValueError, match="at least 2"):
        UnbiasedRandomizer(1.0, BOUNDS, outputs=1)


def test_a_budget_the_solver_cannot_use_is_refused_with_the_least_one() -> None:
    for epsilon, prior in ((1e-6, "uniform"), (0.00149, "central")):  # central takes a third
        with pytest.raises(ValueError, match=r"needs at least 0\.001 to be solved"):
            UnbiasedRandomizer(epsilon, BOUNDS, prior=prior)  # type: ignore[arg-type]
    mechanism = UnbiasedRandomizer(1e-3, BOUNDS, prior="uniform").fit([1.0])
    assert mechanism.bias(np.linspace(0, 4, 9)) == pytest.approx(np.zeros(9), abs=1e-6)


def test_the_smallest_grid_is_enough() -> None:
    beyond = 4 / math.expm1(1.0)
    mechanism = UnbiasedRandomizer(1.0, BOUNDS, prior="uniform", outputs=np.linspace(-beyond, 4 + beyond, 9))
    assert mechanism.fit(labels()).bias(np.array([0.0, 2.2, 4.0])) == pytest.approx(np.zeros(3), abs=1e-7)
    assert integrate.quad(lambda y: float(mechanism.squared_error(y)) / 4, 0, 4, limit=200)[0] == pytest.approx(
        mechanism.expected_error(), rel=1e-6
    )
