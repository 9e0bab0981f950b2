"""The five mechanisms RPWithPrior is compared with, on the same interface.

Additive noise: Laplace; Gaussian, the only one here with a delta; Staircase (Q. Geng and P. Viswanath, "The optimal
noise-adding mechanism in differential privacy", IEEE Transactions on Information Theory, 2016). With a prior:
RR-on-Bins (B. Ghazi et al., ICLR 2023, arXiv 2212.06074) and the unbiased randomiser by linear programme
(A. Badanidiyuru et al., NeurIPS 2023, arXiv 2312.05659).

Those with a prior take the same choices of prior at the same cost as RPWithPrior, so that a comparison is about the
mechanism. No release is clipped to the bounds: clipping would bias the unbiased ones.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse, special

from assay.methods.privacy.rpwithprior.mechanisms import LabelMechanism, PriorKind, PriorMechanism, Terms
from assay.methods.privacy.rpwithprior.priors import Array, Bounds, StepPrior, bin_of

# --- additive noise ------------------------------------------------------------------------------------------------


class AdditiveNoise(LabelMechanism):
    """Base: release y + noise, where the noise does not depend on y; unbiased. No prior, so `fit` spends nothing."""

    @property
    def variance(self) -> float:
        """Variance of the noise, in squared label units."""
        raise TypeError(f"{type(self).__name__} is a base class: use one of the mechanisms")

    @property
    def _sensitivity(self) -> float:
        low, high = self._range
        return high - low

    def _error_moments(self, y: Array) -> tuple[Array, Array]:
        return np.zeros_like(y), np.full_like(y, self.variance)

    def audit_points(self) -> tuple[Array, Array] | None:
        """The log density falls with distance, so its largest change is between the bounds, seen from beyond them."""
        low, high = self._range
        middle = (low + high) / 2
        span = high - low
        return np.array([low - span, low, middle, high, high + span]), np.array([low, middle, high])


class LaplaceLabels(AdditiveNoise):
    """Laplace noise of scale (hi - lo) / epsilon; epsilon-label-DP."""

    @property
    def scale(self) -> float:
        """Scale of the noise, in label units."""
        return self._sensitivity / self._release_epsilon

    @property
    def variance(self) -> float:
        """2 scale^2."""
        return 2 * self.scale**2

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        # the difference of two exponentials, several times faster than a logarithm per label
        return y + self.scale * (rng.standard_exponential(y.shape) - rng.standard_exponential(y.shape))

    def _log_density(self, z: Array, y: Array) -> Array:
        return -np.abs(z - y) / self.scale - math.log(2 * self.scale)


class GaussianLabels(AdditiveNoise):
    """Gaussian noise; (epsilon, delta)-label-DP, weaker than the pure guarantee of all others here.

    Args (besides those of LabelMechanism):
        delta: probability with which the epsilon guarantee may fail, in (0, 1); 1e-4 in the reference code.
        calibration: "analytic" (default): the smallest sigma that is (epsilon, delta)-DP, for every epsilon (B. Balle
            and Y.-X. Wang, ICML 2018). "classical": sqrt(2 ln(1.25 / delta)) (hi - lo) / epsilon as in the reference
            code; that formula is proved for epsilon <= 1 only, so a larger epsilon is refused.
    """

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        delta: float = 1e-4,
        calibration: Literal["analytic", "classical"] = "analytic",
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.delta = delta
        self.calibration = calibration
        super().__init__(epsilon, bounds, random_state=random_state, allow_repeat=allow_repeat)

    def _validate(self) -> None:
        super()._validate()
        if not 0 < self.delta < 1:
            raise ValueError(f"delta is {self.delta}: it must lie between 0 and 1")
        if self.calibration not in ("analytic", "classical"):
            raise ValueError(f"calibration is {self.calibration!r}: give 'analytic' or 'classical'")
        if self.calibration == "classical" and self.epsilon > 1:
            raise ValueError(
                f"the classical formula gives no ({self.epsilon}, {self.delta}) guarantee above epsilon = 1: "
                "use calibration='analytic'"
            )

    def _settle(self) -> Terms:
        if self.calibration == "classical":
            sigma = math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon
        else:
            sigma = analytic_sigma(self.epsilon, self.delta)
        return replace(super()._settle(), delta=self.delta, noise=sigma)

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise, in label units."""
        return self._terms.noise * self._sensitivity

    @property
    def variance(self) -> float:
        """sigma^2."""
        return self.sigma**2

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        return y + rng.normal(0.0, self.sigma, y.shape)

    def _log_density(self, z: Array, y: Array) -> Array:
        sigma = self.sigma
        return -(((z - y) / sigma) ** 2) / 2 - math.log(sigma * math.sqrt(2 * math.pi))

    def audit_points(self) -> None:
        """None: far out, the density ratio of two labels exceeds every bound. See `gaussian_delta` instead."""
        return None


def gaussian_delta(epsilon: float, sigma: float) -> float:
    """The exact delta of Gaussian noise `sigma` for sensitivity 1 at this epsilon (Balle and Wang 2018, theorem 8)."""
    first = special.ndtr(0.5 / sigma - epsilon * sigma)
    return float(first - np.exp(epsilon + special.log_ndtr(-0.5 / sigma - epsilon * sigma)))


def analytic_sigma(epsilon: float, delta: float) -> float:
    """The smallest sigma for sensitivity 1 with `gaussian_delta(epsilon, sigma) <= delta`."""
    low, high = -1.0, 1.0
    while gaussian_delta(epsilon, math.exp(low)) < delta:
        low -= 1.0
    while gaussian_delta(epsilon, math.exp(high)) > delta:
        high += 1.0
    root = optimize.brentq(lambda t: gaussian_delta(epsilon, math.exp(t)) - delta, low, high, xtol=1e-13)
    return math.exp(root) * (1 + 1e-12)  # on the safe side of the root


class StaircaseLabels(AdditiveNoise):
    """Staircase noise: a geometric mixture of uniform steps; epsilon-label-DP, less variance than Laplace's.

    With b = e^-epsilon, R = hi - lo and 0 < g < 1 the noise is S ((1 - B)(G + g U) + B (G + g + (1 - g) U)) R, where S
    is a fair sign, P(G = k) = (1 - b) b^k, U is uniform and B is 0 with probability g / (g + (1 - g) b), else 1.

    Args (besides those of LabelMechanism):
        gamma: which g. "absolute" (default; the paper's first, and the reference code's): the g that minimises the
            expected size of the noise, 1 / (1 + e^(epsilon/2)). "variance": the g that minimises its variance
            (the paper's for squared error), ((b (1 + b) / 2)^(1/3) - b) / (1 - b), which is what a squared error
            sees. The default's variance is 1.00, 1.00, 1.01, 1.12 and 1.94 times the least at epsilon 0.3, 1, 2, 4
            and 8.
    """

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        gamma: Literal["absolute", "variance"] = "absolute",
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.gamma = gamma
        super().__init__(epsilon, bounds, random_state=random_state, allow_repeat=allow_repeat)

    def _validate(self) -> None:
        super()._validate()
        if self.gamma not in ("absolute", "variance"):
            raise ValueError(f"gamma is {self.gamma!r}: give 'absolute' or 'variance'")

    def _settle(self) -> Terms:
        odds = -self.epsilon / 2 if self.gamma == "absolute" else least_variance_log_odds(self.epsilon)
        return replace(super()._settle(), noise=odds)

    @property
    def share(self) -> float:
        """The g in use: share of each step that has the higher density."""
        return float(special.expit(self._terms.noise))

    @property
    def _lower(self) -> float:
        """P(B = 1), without loss where it is tiny."""
        return float(special.expit(-self._terms.noise - self._release_epsilon))

    @property
    def variance(self) -> float:
        """Exact, from the moments of the mixture."""
        epsilon, q, g = self._release_epsilon, self._lower, self.share
        b = math.exp(-epsilon)
        steps = -b / math.expm1(-epsilon)  # E[G] = b / (1 - b)
        steps2 = steps * (1 + b) / -math.expm1(-epsilon)  # E[G^2]
        within = (g + q) / 2
        within2 = (g**2 + q * (1 + g)) / 3
        return (steps2 + 2 * steps * within + within2) * self._sensitivity**2

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        size, g = y.shape, self.share
        steps = np.floor(rng.standard_exponential(size) / self._release_epsilon)  # geometric
        low_part = rng.random(size) < self._lower
        u = rng.random(size)
        noise = steps + np.where(low_part, g + (1 - g) * u, g * u)
        return y + np.copysign(noise * self._sensitivity, rng.random(size) - 0.5)

    def _log_density(self, z: Array, y: Array) -> Array:
        distance = np.abs(z - y) / self._sensitivity
        steps = np.floor(distance)
        level = steps + (distance - steps >= self.share)
        # highest level: (1 - b) / (2 R (g + b (1 - g))) = (1 - b) P(B = 0) / (2 R g)
        odds, epsilon = self._terms.noise, self._release_epsilon
        part = float(special.log_expit(odds + epsilon) - special.log_expit(odds))
        top = math.log(-math.expm1(-epsilon)) + part - math.log(2 * self._sensitivity)
        return top - epsilon * level


def least_variance_log_odds(epsilon: float) -> float:
    """log(g / (1 - g)) of the Staircase's g of least variance (Geng and Viswanath 2016), for every epsilon > 0."""
    root = (math.log1p(math.expm1(-epsilon) / 2) - epsilon) / 3  # log of (b (1 + b) / 2)^(1/3)
    log_g = root + math.log(-math.expm1(-epsilon - root)) - math.log(-math.expm1(-epsilon))
    return log_g - math.log1p(-math.exp(log_g))


# --- RR-on-Bins ----------------------------------------------------------------------------------------------------


class RROnBins(PriorMechanism):
    """Randomised response on bins: the label's bin, or any other with less probability, as one number per bin.

    Bins and outputs minimise the expected squared error under the learned prior. A label keeps its own bin with
    probability e^epsilon / (e^epsilon + d - 1), with d outputs and the epsilon of the release.

    Args: those of PriorMechanism.

    Attributes:
        prior_: the learned StepPrior, whose bins are the finest the mechanism tells apart.
        outputs_: (d,) what is released for each bin, in label units; equal or unordered outputs stay as they are.
        output_of_: (bins,) number of the output of each bin of the prior; does not decrease.
    """

    discrete = True
    outputs_: Array
    output_of_: NDArray[np.intp]

    def _learn(self, y: Array, rng: np.random.Generator) -> None:
        super()._learn(y, rng)
        self.output_of_, self.outputs_, _ = optimal_bins(self.prior_.centres, self.prior_.mass, self._release_epsilon)

    def _own(self, y: Array) -> NDArray[np.intp]:
        return self.output_of_[bin_of(y, self.prior_.nodes)]

    @property
    def _log_probabilities(self) -> tuple[float, float]:
        """(own output, each other output)."""
        others = len(self.outputs_) - 1
        own = -math.log1p(others * math.exp(-self._release_epsilon))
        return own, own - self._release_epsilon

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        chosen = self._own(y)
        others = len(self.outputs_) - 1
        if others:
            changed = rng.random(y.shape) >= math.exp(self._log_probabilities[0])
            step = rng.integers(1, others + 1, y.shape)
            chosen = np.where(changed, (chosen + step) % (others + 1), chosen)
        return self.outputs_[chosen]

    def _log_density(self, z: Array, y: Array) -> Array:
        keep, other = self._log_probabilities
        own = self._own(y)
        per_output = [
            np.where(z == value, np.where(own == number, keep, other), -np.inf)
            for number, value in enumerate(self.outputs_)
        ]
        total: Array = special.logsumexp(per_output, axis=0)
        return total

    def _error_moments(self, y: Array) -> tuple[Array, Array]:
        keep, other = np.exp(self._log_probabilities)
        own = self.outputs_[self._own(y)] - y
        count, total, squares = len(self.outputs_), self.outputs_.sum(), (self.outputs_**2).sum()
        first = other * (total - count * y) + (keep - other) * own
        second = other * (squares - 2 * total * y + count * y**2) + (keep - other) * own**2
        return first, second

    def _kinks(self) -> tuple[float, ...]:
        return tuple(self.prior_.nodes)

    def audit_points(self) -> tuple[Array, Array]:
        """Every output, and a label of every bin: the probabilities take no other value."""
        return np.unique(self.outputs_), self.prior_.centres


def optimal_bins(values: Array, mass: Array, epsilon: float) -> tuple[NDArray[np.intp], Array, float]:
    """The bins and outputs of RR-on-Bins with the smallest expected squared error (Ghazi et al., algorithm 2).

    Dynamic programming over ends of bins: with weights w = mass inside the bin and mass e^-epsilon outside, a bin costs
    the weighted sum of squares about its weighted mean, which is its output. O(k^2 d), vectorised, k values.

    Args:
        values: (k,) labels, increasing.
        mass: (k,) their probabilities, normalised here.
        epsilon: budget of the release, >= 0.

    Returns:
        (output of each value, (k,), not decreasing; outputs, (d,); expected squared error).
    """
    k = len(values)
    p = mass / mass.sum()
    centre = float(p @ values)
    x = values - centre  # keeps the sums of squares below free of cancellation
    rate = math.exp(-epsilon)
    sums = [np.append(0.0, np.cumsum(p * x**power)) for power in range(3)]
    # moments[power][i, j]: weighted sum of x^power for the bin of values i..j
    moments = [rate * s[-1] - math.expm1(-epsilon) * (s[None, 1:] - s[:-1, None]) for s in sums]
    weight = moments[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = moments[1] / weight
        cost = np.where(weight > 0, np.maximum(moments[2] - moments[1] * mean, 0.0), 0.0)
    cost[np.tril_indices(k, -1)] = np.inf
    best, back = cost[0], [np.zeros(k, dtype=np.intp)]
    totals = [float(best[-1])]
    for d in range(1, k):
        options = best[:-1, None] + cost[1:]  # the d-th bin starts after value i and ends at value j
        back.append(np.argmin(options, axis=0) + 1)
        best = options.min(axis=0)
        totals.append(float(best[-1]) / (1 + d * rate))
    least = min(totals)
    bins = next(d for d, total in enumerate(totals, start=1) if total <= least + 1e-13 * max(least, totals[0]))
    output_of = np.empty(k, dtype=np.intp)
    outputs = np.empty(bins)
    end = k - 1
    for d in range(bins - 1, -1, -1):
        start = int(back[d][end]) if d else 0
        output_of[start : end + 1] = d
        empty = not weight[start, end] > 0
        outputs[d] = values[start : end + 1].mean() if empty else mean[start, end] + centre
        end = start - 1
    return output_of, outputs, totals[bins - 1]


# --- the unbiased randomiser ---------------------------------------------------------------------------------------

_LARGEST_LP_EPSILON = 12.0
"""Larger budgets are not used in full: e^-12 is near the solver's tolerance, and the grid costs more than the noise."""

_SMALLEST_LP_EPSILON = 1e-3
"""Measured: solved for all of 160 random priors from here on, not for all at 2e-4."""


class UnbiasedRandomizer(PriorMechanism):
    """Releases a number from a grid whose mean is exactly the label, with the least variance under a prior.

    A linear programme finds probabilities of outputs for a grid of input values (the nodes of the prior). A label
    between two input values is first rounded to one of them at random, so that its mean stays (ours; a mixture of
    epsilon-DP rows is epsilon-DP). Budgets above 12 are used up to 12; the release needs 0.001.

    Args (besides those of PriorMechanism, where `bins` defaults to 19, that is 20 input values):
        outputs: number of points of the output grid, evenly from lo - x to hi + x with x = R (1.5 / (e^epsilon - 1) +
            0.7 e^(-epsilon/2)), R = hi - lo (ours, measured: within 4 % of the best x for epsilon from 0.1 to 12); or
            the points themselves, which must cover lo - R / (e^epsilon - 1) to hi + R / (e^epsilon - 1).

    Attributes:
        prior_: the learned StepPrior.
        inputs_: (k,) input values. outputs_: (m,) released values. matrix_: (k, m) probabilities of outputs per input.
    """

    discrete = True
    inputs_: Array
    outputs_: Array
    matrix_: Array

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        outputs: int | Array = 30,
        prior: PriorKind | StepPrior = "central",
        prior_epsilon: float | None = None,
        bins: int = 19,
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.outputs = outputs
        super().__init__(
            epsilon,
            bounds,
            prior=prior,
            prior_epsilon=prior_epsilon,
            bins=bins,
            random_state=random_state,
            allow_repeat=allow_repeat,
        )

    def _validate(self) -> None:
        super()._validate()
        if self._release_epsilon < _SMALLEST_LP_EPSILON:
            raise ValueError(
                f"epsilon is {self.epsilon}, which leaves {self._release_epsilon:g} for the release: the unbiased "
                f"randomiser's linear programme needs at least {_SMALLEST_LP_EPSILON:g} to be solved reliably"
            )
        if isinstance(self.outputs, int | np.integer):
            if self.outputs < 2:
                raise ValueError(f"outputs is {self.outputs}: give at least 2 points")
        else:
            check_output_grid(np.asarray(self.outputs, dtype=np.float64), self._range, self._lp_epsilon)

    @property
    def _lp_epsilon(self) -> float:
        return min(self._release_epsilon, _LARGEST_LP_EPSILON)

    def _output_grid(self) -> Array:
        if not isinstance(self.outputs, int | np.integer):
            return np.asarray(self.outputs, dtype=np.float64)
        (low, high), epsilon = self._range, self._lp_epsilon
        beyond = (high - low) * (1.5 / math.expm1(epsilon) + 0.7 * math.exp(-epsilon / 2))
        return np.linspace(low - beyond, high + beyond, int(self.outputs))

    def _learn(self, y: Array, rng: np.random.Generator) -> None:
        super()._learn(y, rng)
        self.inputs_ = self.prior_.nodes
        self.matrix_, self.outputs_ = unbiased_matrix(
            self.inputs_, self.prior_.node_mass, self._output_grid(), self._lp_epsilon
        )

    def _rounding(self, y: Array) -> tuple[NDArray[np.intp], Array]:
        """(input value below each label, probability of rounding up to the next one)."""
        below = bin_of(y, self.inputs_)
        return below, (y - self.inputs_[below]) / (self.inputs_[below + 1] - self.inputs_[below])

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        below, up = self._rounding(y)
        row = below + (rng.random(y.shape) < up)
        # one sorted line of all rows' cumulative probabilities, row r lying between r and r + 1
        edges = np.cumsum(self.matrix_, axis=1)[:, :-1] + np.arange(len(self.inputs_))[:, None]
        found = np.searchsorted(edges.ravel(), row + rng.random(y.shape), side="right")
        chosen = found - row * (len(self.outputs_) - 1)
        released: Array = self.outputs_[np.clip(chosen, 0, len(self.outputs_) - 1)]
        return released

    def _log_density(self, z: Array, y: Array) -> Array:
        below, up = self._rounding(y)
        column = np.minimum(np.searchsorted(self.outputs_, z), len(self.outputs_) - 1)
        probability = (1 - up) * self.matrix_[below, column] + up * self.matrix_[below + 1, column]
        with np.errstate(divide="ignore"):
            return np.where(self.outputs_[column] == z, np.log(probability), -np.inf)

    def _error_moments(self, y: Array) -> tuple[Array, Array]:
        below, up = self._rounding(y)
        away = self.outputs_[None, :] - self.inputs_[:, None]
        first, second = (self.matrix_ * away).sum(axis=1), (self.matrix_ * away**2).sum(axis=1)

        def about(row: NDArray[np.intp]) -> tuple[Array, Array]:
            shift = self.inputs_[row] - y
            return first[row] + shift, second[row] + 2 * shift * first[row] + shift**2

        (low1, low2), (high1, high2) = about(below), about(below + 1)
        return (1 - up) * low1 + up * high1, (1 - up) * low2 + up * high2

    def _kinks(self) -> tuple[float, ...]:
        return tuple(self.inputs_)

    def audit_points(self) -> tuple[Array, Array]:
        """Every output and every input value: between input values probabilities are mixtures, never more extreme."""
        return self.outputs_, self.inputs_


def check_output_grid(outputs: Array, bounds: Bounds, epsilon: float) -> None:
    """Refuse an output grid on which no unbiased epsilon-DP release exists."""
    low, high = bounds
    beyond = (high - low) / math.expm1(epsilon)
    if outputs.ndim != 1 or len(outputs) < 2 or not (np.isfinite(outputs).all() and (np.diff(outputs) > 0).all()):
        raise ValueError("outputs must be finite, strictly increasing numbers, at least 2")
    slack = 1e-9 * (high - low + beyond)
    if outputs[0] > low - beyond + slack or outputs[-1] < high + beyond - slack:
        raise ValueError(
            f"outputs cover [{outputs[0]:g}, {outputs[-1]:g}], and an unbiased release at epsilon={epsilon:g} needs "
            f"[{low - beyond:g}, {high + beyond:g}]: widen the grid"
        )


def unbiased_matrix(inputs: Array, mass: Array, outputs: Array, epsilon: float) -> tuple[Array, Array]:
    """Probabilities of outputs for each input: unbiased, epsilon-DP, least expected squared error.

    Variables M(o|v) >= 0 and q_o: minimise sum_v mass_v sum_o M(o|v) (o - v)^2 subject to sum_o M(o|v) = 1,
    sum_o o M(o|v) = v and q_o <= M(o|v) <= e^epsilon q_o (Badanidiyuru et al. 2023); solved by HiGHS. The solver meets
    constraints within 1e-10; the ratios are then made exact (`_exact_ratios`), as privacy must not depend on a
    tolerance, and means keep an error of about 1e-9 of the range.

    Args:
        inputs: (k,) label values, increasing. mass: (k,) their probabilities. outputs: (m,) candidates, increasing.
        epsilon: budget of the release, in (0, 12].

    Returns:
        ((k, m') probabilities, (m',) outputs), where outputs of no probability are left out.

    Raises:
        ValueError: the grid of outputs is too narrow.
        RuntimeError: the solver stopped without a solution, with its message.
    """
    check_output_grid(outputs, (float(inputs[0]), float(inputs[-1])), epsilon)
    span = inputs[-1] - inputs[0]
    v, o = (inputs - inputs[0]) / span, (outputs - inputs[0]) / span
    k, m = len(v), len(o)
    cost = np.concatenate([(mass[:, None] * (o - v[:, None]) ** 2).ravel(), np.zeros(m)])
    per_input = sparse.vstack(
        [sparse.kron(sparse.identity(k), np.ones((1, m))), sparse.kron(sparse.identity(k), o[None])]
    )
    equal = sparse.hstack([per_input, sparse.csr_matrix((2 * k, m))]).tocsr()
    every, floors = sparse.identity(k * m), sparse.kron(np.ones((k, 1)), sparse.identity(m))
    ratios = sparse.vstack(
        [sparse.hstack([-every, floors]), sparse.hstack([every, -math.exp(epsilon) * floors])]
    ).tocsr()
    found = optimize.linprog(
        cost,
        A_ub=ratios,
        b_ub=np.zeros(2 * k * m),
        A_eq=equal,
        b_eq=np.concatenate([np.ones(k), v]),
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-9},
    )
    if found.status != 0:
        raise RuntimeError(f"the linear programme of the unbiased randomiser was not solved: {found.message}")
    matrix = found.x[: k * m].reshape(k, m)
    used = matrix.max(axis=0) > 1e-9
    return _exact_ratios(matrix[:, used], epsilon), outputs[used]


def _exact_ratios(matrix: Array, epsilon: float) -> Array:
    """A matrix within rounding of `matrix` whose rows sum to 1 and whose columns keep ratios of at most e^epsilon.

    Entries are raised to the floor of their column, and what a row then has too much or too little is taken from (given
    to) the entry with the most room between its column's floor and top, so no ratio grows.
    """
    top = matrix.max(axis=0)
    floor = top * math.exp(-epsilon)
    fixed = np.maximum(matrix, floor)
    rows = np.arange(len(fixed))
    over = fixed.sum(axis=1) - 1
    down, up = np.argmax(fixed - floor, axis=1), np.argmax(top - fixed, axis=1)
    fixed[rows, np.where(over > 0, down, up)] -= over
    inside: Array = np.clip(fixed, floor, top)
    return inside
