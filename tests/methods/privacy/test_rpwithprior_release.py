"""The randomiser for a known interval: exact masses, limits, sampler against density, moments, debiasing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from assay.methods.privacy.rpwithprior.release import WindowRelease

LN3 = WindowRelease(0.0, 1.0, 0.25, math.log(3))


def cdf(release: WindowRelease, y: float):
    """Distribution function of a release, by exact integration of the density between its jumps."""
    low, high = release.support
    p = min(max(y, release.low), release.high)
    a, b = p - release.half_width, p + release.half_width
    if release.debias:
        a, b = (a - release.offset) / release.slope, (b - release.offset) / release.slope
    ends = np.array([low, a, b, high])
    middles = (ends[1:] + ends[:-1]) / 2
    density = np.exp(release.log_density(middles, np.full(3, y)))
    heights = np.where(np.diff(ends) > 1e-12, density, 0.0)
    sums = np.append(0.0, np.cumsum(heights * np.diff(ends)))
    return lambda z: np.interp(z, ends, sums), sums[-1]


def test_masses_of_the_worked_case() -> None:
    # Z = 2 * 0.25 * 3 + 1 = 2.5
    assert LN3.window_mass == pytest.approx(1.5 / 2.5, abs=1e-15)
    distribution, total = cdf(LN3, 0.4)
    assert total == pytest.approx(1.0, abs=1e-14)
    assert distribution(0.15) == pytest.approx(0.16, abs=1e-14)  # left of the window
    assert 1 - distribution(0.65) == pytest.approx(0.24, abs=1e-14)  # right of it
    assert np.exp(LN3.log_density(np.array([0.4, -0.2, 1.3]), np.array([0.4] * 3))) == pytest.approx([1.2, 0.4, 0.0])


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0, 40.0])
@pytest.mark.parametrize("y", [-3.0, -1.0, 0.2, 2.0, 9.0])
@pytest.mark.parametrize("debias", [False, True])
def test_density_integrates_to_one(epsilon: float, y: float, debias: bool) -> None:
    if debias and epsilon == 0:
        with pytest.raises(ValueError, match="debias needs epsilon > 0"):
            WindowRelease(-1, 2, 0.7, epsilon, debias)
        return
    assert cdf(WindowRelease(-1.0, 2.0, 0.7, epsilon, debias), y)[1] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("y", [-0.5, 0.0, 0.4, 0.9, 7.0])
def test_sampler_follows_the_density(epsilon: float, y: float) -> None:
    release = WindowRelease(0.0, 1.0, 0.2, epsilon)
    z = release.draw(np.full(20_000, y), np.random.default_rng(11))
    assert stats.kstest(z, cdf(release, y)[0]).pvalue > 1e-3


@pytest.mark.parametrize("y", [0.1, 0.5])
def test_debiased_sampler_follows_the_debiased_density(y: float) -> None:
    release = WindowRelease(0.0, 1.0, 0.2, 1.5, debias=True)
    z = release.draw(np.full(20_000, y), np.random.default_rng(12))
    assert stats.kstest(z, cdf(release, y)[0]).pvalue > 1e-3


def test_no_budget_says_nothing() -> None:
    release = WindowRelease(2.0, 5.0, 1.0, 0.0)
    z = np.linspace(1, 6, 51)
    for y in (2.0, 3.3, 99.0):
        assert release.log_density(z, np.full(51, y)) == pytest.approx(-math.log(5.0), abs=1e-15)
    assert stats.kstest(release.draw(np.full(20_000, 2.0), np.random.default_rng(1)), "uniform", (1, 5)).pvalue > 1e-3


@pytest.mark.parametrize("epsilon", [60.0, 800.0, 10_000.0])
def test_a_large_budget_is_uniform_on_the_window(epsilon: float) -> None:
    release = WindowRelease(0.0, 10.0, 0.5, epsilon)
    z = release.draw(np.full(5_000, 12.0), np.random.default_rng(2))  # projected to 10
    assert z.min() >= 9.5
    assert z.max() <= 10.5
    assert stats.kstest(z, "uniform", (9.5, 1)).pvalue > 1e-3
    assert release.window_mass == 1.0 or release.window_mass == pytest.approx(1.0, abs=1e-20)
    assert float(release.log_density(np.array(3.0), np.array(8.0))) == pytest.approx(-epsilon, abs=1e-9)
    assert all(np.isfinite(moment).all() for moment in release.error_moments(np.array([0.0, 12.0])))


@pytest.mark.parametrize("debias", [False, True])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 6.0])
def test_moments_equal_integrals_of_the_density(epsilon: float, debias: bool) -> None:
    release = WindowRelease(-1.0, 2.0, 0.7, epsilon, debias)
    low, high = release.support
    for y in (-4.0, -1.0, 0.0, 1.7, 2.0, 3.0):
        p = min(max(y, -1.0), 2.0)
        jumps = [p - 0.7, p + 0.7]
        if debias:
            jumps = [(t - release.offset) / release.slope for t in jumps]
        density = lambda z, y=y: math.exp(release.log_density(np.array(z), np.array(y)))  # noqa: E731
        first = integrate.quad(lambda z, f=density, y=y: (z - y) * f(z), low, high, points=jumps)[0]
        second = integrate.quad(lambda z, f=density, y=y: (z - y) ** 2 * f(z), low, high, points=jumps)[0]
        got = [float(moment) for moment in release.error_moments(np.array(y))]
        assert got == pytest.approx([first, second], rel=1e-6, abs=1e-6)


def test_the_mean_is_affine_and_shrinks() -> None:
    release = WindowRelease(1.0, 4.0, 0.6, 0.8)
    y = np.linspace(1, 4, 7)
    mean = y + release.error_moments(y)[0]
    assert mean == pytest.approx(release.slope * y + release.offset, abs=1e-13)
    z_total = 2 * 0.6 * math.exp(0.8) + 3
    assert release.slope == pytest.approx(1.2 * (math.exp(0.8) - 1) / z_total, rel=1e-14)
    assert release.offset == pytest.approx(((16 - 1) / 2 + 0.6 * 5) / z_total, rel=1e-14)
    assert 0 < release.slope < 1


def test_debiased_means_are_the_labels() -> None:
    release = WindowRelease(1.0, 4.0, 0.6, 0.8, debias=True)
    y = np.linspace(1, 4, 7)
    assert release.error_moments(y)[0] == pytest.approx(np.zeros(7), abs=1e-13)
    assert release.error_moments(np.array([6.0]))[0] == pytest.approx([-2.0])  # beyond: the projection's error remains
    z = release.draw(np.full(200_000, 1.5), np.random.default_rng(3))
    assert z.mean() == pytest.approx(1.5, abs=5 * z.std() / math.sqrt(200_000))


def test_window_frequency() -> None:
    z = LN3.draw(np.full(100_000, 0.4), np.random.default_rng(4))
    assert np.mean(np.abs(z - 0.4) <= 0.25) == pytest.approx(0.6, abs=5 * math.sqrt(0.24 / 100_000))


def test_releases_stay_in_the_support() -> None:
    for debias in (False, True):
        release = WindowRelease(0.1, 0.7, 0.3, 0.05, debias)
        y = np.random.default_rng(5).uniform(-1, 2, 50_000)
        z = release.draw(y, np.random.default_rng(6))
        assert np.isfinite(release.log_density(z, y)).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1.0, 1.0, 0.1, 1.0), "interval"),
        ((2.0, 1.0, 0.1, 1.0), "interval"),
        ((0.0, 1.0, 0.0, 1.0), "half_width"),
        ((0.0, 1.0, 0.1, -1.0), "epsilon"),
        ((0.0, 1.0, 0.1, math.inf), "epsilon"),
        ((0.0, math.nan, 0.1, 1.0), "interval"),
    ],
)
def test_bad_arguments(arguments: tuple[float, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        WindowRelease(*arguments)
