"""The optimal interval: known answers, every pair of nodes, a fine grid between nodes."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.methods.privacy import optimal_interval


def value(mass: np.ndarray, nodes: np.ndarray, a: float, b: float, epsilon: float, half_width: float) -> float:
    """F(a, b) for a step prior, from its definition."""
    density = mass / mass.sum() / np.diff(nodes)
    overlap = np.clip(np.minimum(nodes[1:], b) - np.maximum(nodes[:-1], a), 0, None)
    return float((density * overlap).sum() / (2 * half_width + math.exp(-epsilon) * (b - a)))


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 30.0])
@pytest.mark.parametrize("half_width", [0.01, 0.5, 20.0])
def test_a_uniform_prior_keeps_the_whole_range(epsilon: float, half_width: float) -> None:
    low, high, best = optimal_interval(np.ones(10), np.linspace(0, 1, 11), epsilon, half_width)
    assert (low, high) == (0.0, 1.0)
    assert best == pytest.approx(1 / (2 * half_width + math.exp(-epsilon)), rel=1e-14)


@pytest.mark.parametrize("epsilon", [0.0, 2.0, 500.0, 10_000.0])
def test_all_mass_in_one_bin_gives_that_bin(epsilon: float) -> None:
    assert optimal_interval([0, 0, 5, 0], [0, 1, 2, 4, 5], epsilon, 0.3)[:2] == (2.0, 4.0)


def test_two_distant_spikes() -> None:
    mass, nodes = np.array([1.0] + [0.0] * 98 + [1.0]), np.linspace(0, 100, 101)
    # no budget, narrow window: one spike alone. Both together need 1 / (2d + 100) > 0.5 / (2d + 1), so d > 49.
    assert optimal_interval(mass, nodes, 0.0, 1.0)[:2] in ((0.0, 1.0), (99.0, 100.0))
    assert optimal_interval(mass, nodes, 0.0, 49.5)[:2] == (0.0, 100.0)
    # a large budget makes length cheap
    assert optimal_interval(mass, nodes, 10.0, 1.0)[:2] == (0.0, 100.0)


def test_a_large_budget_and_window_keep_all_nodes() -> None:
    mass = np.random.default_rng(0).uniform(0.1, 1, 30)
    assert optimal_interval(mass, np.linspace(-3, 8, 31), 20.0, 5.0)[:2] == (-3.0, 8.0)


@settings(max_examples=150, deadline=None)
@given(
    mass=st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0]), min_size=1, max_size=12).filter(lambda m: sum(m) > 0),
    seed=st.integers(0, 10_000),
    epsilon=st.sampled_from([0.0, 0.3, 1.0, 3.0, 9.0]),
    half_width=st.sampled_from([0.02, 0.3, 2.0]),
)
def test_no_pair_of_nodes_and_no_point_between_does_better(
    mass: list[float], seed: int, epsilon: float, half_width: float
) -> None:
    weights = np.array(mass)
    rng = np.random.default_rng(seed)
    nodes = np.cumsum(np.append(-1.0, rng.uniform(0.05, 1, len(weights))))
    low, high, best = optimal_interval(weights, nodes, epsilon, half_width)
    assert best == pytest.approx(value(weights, nodes, low, high, epsilon, half_width), rel=1e-12)
    pairs = [value(weights, nodes, a, b, epsilon, half_width) for a, b in itertools.combinations(nodes, 2)]
    assert best == pytest.approx(max(pairs), rel=1e-12)
    between = np.sort(rng.uniform(nodes[0], nodes[-1], (60, 2)), axis=1)
    assert max(value(weights, nodes, a, b, epsilon, half_width) for a, b in between) <= best * (1 + 1e-12)


@pytest.mark.parametrize(
    ("mass", "nodes", "epsilon", "half_width", "words"),
    [
        ([1, 1], [0, 1], 1.0, 0.1, "shapes"),
        ([1], [1, 0], 1.0, 0.1, "increasing"),
        ([-1, 2], [0, 1, 2], 1.0, 0.1, "non-negative"),
        ([0, 0], [0, 1, 2], 1.0, 0.1, "positive sum"),
        ([1], [0, 1], -0.1, 0.1, "epsilon"),
        ([1], [0, 1], 1.0, 0.0, "half_width"),
        ([math.nan], [0, 1], 1.0, 0.1, "mass"),
        ([], [0], 1.0, 0.1, "shapes"),
    ],
)
def test_bad_arguments(mass: list[float], nodes: list[float], epsilon: float, half_width: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        optimal_interval(mass, nodes, epsilon, half_width)
