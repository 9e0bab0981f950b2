"""What is known of the labels before the release: step densities, private and not.

Neighbours differ in one label (features and the number of rows are public), so one label moves two counts of a
histogram by one each: its L1 sensitivity is 2.

Private: `central_prior` (ours) and `per_label_prior` (the paper's). Not private: `oracle_prior` and `published_prior`,
which exist to show what the difference costs and what the published notebooks do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Bounds = tuple[float, float]

_MOST_NODES = 200
_GAUSS_X, _GAUSS_W = np.polynomial.legendre.leggauss(3)


@dataclass(frozen=True, eq=False)
class StepPrior:
    """A density of the label that is constant between nodes.

    Args:
        nodes: (k+1,) ends of the bins in label units, strictly increasing, k >= 1.
        mass: (k,) probability of each bin; non-negative weights, normalised here. (Masses, not heights.)

    Raises:
        ValueError: wrong shapes, nodes not increasing, negative or non-finite mass, no mass at all.
    """

    nodes: Array
    mass: Array

    def __init__(self, nodes: ArrayLike, mass: ArrayLike) -> None:
        n, m = np.asarray(nodes, dtype=np.float64), np.asarray(mass, dtype=np.float64)
        if n.ndim != 1 or m.ndim != 1 or len(m) < 1 or len(n) != len(m) + 1:
            raise ValueError(f"nodes and mass have shapes {n.shape} and {m.shape}: give k+1 nodes and k >= 1 masses")
        if not np.isfinite(n).all() or (np.diff(n) <= 0).any():
            raise ValueError("nodes must be finite and strictly increasing")
        if not np.isfinite(m).all() or (m < 0).any() or m.sum() <= 0:
            raise ValueError("mass must be finite and non-negative, with a positive sum")
        object.__setattr__(self, "nodes", n)
        object.__setattr__(self, "mass", m / m.sum())

    @property
    def mean(self) -> float:
        """Expected label."""
        return float(self.mass @ self.centres)

    @property
    def centres(self) -> Array:
        """(k,) middles of the bins."""
        return (self.nodes[:-1] + self.nodes[1:]) / 2

    @property
    def node_mass(self) -> Array:
        """(k+1,) probability of each node after a label is rounded at random, without bias, to a neighbouring node."""
        shared: Array = np.append(self.mass, 0.0) + np.append(0.0, self.mass)
        return shared / 2

    def expectation(self, f: Callable[[Array], Array], kinks: Sequence[float] = ()) -> float:
        """E f(Y), exact where f is a polynomial of degree 5 or less between nodes and `kinks` (Gauss-Legendre)."""
        inside = [x for x in kinks if self.nodes[0] < x < self.nodes[-1]]
        ends = np.union1d(self.nodes, np.asarray(inside, dtype=np.float64))
        half, centre = np.diff(ends) / 2, (ends[:-1] + ends[1:]) / 2
        height = (self.mass / np.diff(self.nodes))[bin_of(centre, self.nodes)]
        values = f((centre[:, None] + half[:, None] * _GAUSS_X).ravel()).reshape(len(centre), -1)
        return float((height * half) @ (values @ _GAUSS_W))


def bin_of(y: Array, nodes: Array) -> NDArray[np.intp]:
    """Number of the bin each label falls into; labels beyond the ends belong to the end bins."""
    return np.clip(np.searchsorted(nodes, y, side="right") - 1, 0, len(nodes) - 2)


def equal_nodes(bounds: Bounds, bins: int) -> Array:
    """(bins+1,) ends of equal bins between the public bounds."""
    return np.linspace(bounds[0], bounds[1], bins + 1)


def uniform_prior(bounds: Bounds, bins: int) -> StepPrior:
    """The prior of whoever knows the bounds only; costs no budget."""
    return StepPrior(equal_nodes(bounds, bins), np.ones(bins))


def central_prior(y: Array, bounds: Bounds, bins: int, epsilon: float, rng: np.random.Generator) -> StepPrior:
    """Ours: a histogram on public, equal bins, Laplace noise of scale 2/epsilon on each count; epsilon-DP.

    The noisy counts are replaced by the nearest histogram with no negative count and the right number of rows (which is
    public); this is post-processing, and measured to serve all mechanisms better than setting negative counts to 0.
    Needs one party that sees all labels at once, which `per_label_prior` does not.
    """
    nodes = equal_nodes(bounds, bins)
    counts = np.bincount(bin_of(y, nodes), minlength=bins) + rng.laplace(0.0, 2.0 / epsilon, bins)
    return StepPrior(nodes, nearest_histogram(counts, len(y)))


def nearest_histogram(counts: Array, total: float) -> Array:
    """The non-negative counts with sum `total` > 0 nearest to `counts`, shape (k,), in squared distance.

    All counts are lowered by one number and cut at 0 (projection onto a simplex: Duchi et al., ICML 2008).
    """
    falling = np.sort(counts)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    kept = np.flatnonzero(falling > excess)
    lowered = float(excess[kept[-1] if len(kept) else 0])
    nearest: Array = np.maximum(counts - lowered, 0.0)
    return nearest


def per_label_prior(y: Array, bounds: Bounds, epsilon: float, rng: np.random.Generator) -> StepPrior:
    """The paper's: a histogram of labels that were each noised by Laplace(range/epsilon); epsilon-DP, no trusted party.

    Noisy labels are clipped to the bounds (reference code). Nodes lie at their mean plus integer multiples of their
    standard deviation (reference code); the outer nodes are the public bounds (ours; the code takes the smallest and
    largest noisy label).
    """
    noisy = np.clip(y + rng.laplace(0.0, (bounds[1] - bounds[0]) / epsilon, len(y)), *bounds)
    return deviation_histogram(noisy, bounds)


def deviation_histogram(values: Array, bounds: Bounds) -> StepPrior:
    """Histogram with nodes at mean + integer * standard deviation, between the bounds (reference code).

    Where that would make more than 200 nodes inside the bounds, at mean + integer * the least multiple of the standard
    deviation that does not (ours): labels that hardly differ would otherwise make up to a billion bins.
    """
    low, high = bounds
    mean, step = float(values.mean()), float(values.std())
    inner = np.empty(0)
    if step > 1e-9 * (high - low):
        step *= np.ceil((high - low) / (step * (_MOST_NODES - 1)))
        multiples = np.arange(np.ceil((low - mean) / step), np.floor((high - mean) / step) + 1)
        inner = mean + step * multiples
        apart = 1e-9 * (high - low)  # a node on top of a bound would make an empty bin of no width
        inner = inner[(inner > low + apart) & (inner < high - apart)]
    nodes = np.concatenate([[low], inner, [high]])
    return StepPrior(nodes, np.bincount(bin_of(values, nodes), minlength=len(nodes) - 1).astype(np.float64))


def oracle_prior(y: Array, bounds: Bounds, bins: int) -> StepPrior:
    """NOT private: the exact histogram of the labels. Shows what a perfect prior would bring."""
    nodes = equal_nodes(bounds, bins)
    return StepPrior(nodes, np.bincount(bin_of(y, nodes), minlength=bins).astype(np.float64))


def published_prior(y: Array, bounds: Bounds, epsilon: float, rng: np.random.Generator, batch: int = 256) -> StepPrior:
    """NOT private: the prior as the published notebooks build it, to show what their fault does.

    The concatenation that should collect noisy labels appends each noisy batch to the tensor of clean labels, so what
    the histogram sees is every clean label plus the last noisy batch. Its bin masses are then read as heights of a
    density; here that is a mass proportional to count times width.
    """
    last = (len(y) - 1) // batch * batch
    noisy = np.clip(y[last:] + rng.laplace(0.0, (bounds[1] - bounds[0]) / epsilon, len(y) - last), *bounds)
    prior = deviation_histogram(np.concatenate([y, noisy]), bounds)
    return StepPrior(prior.nodes, prior.mass * np.diff(prior.nodes))
