"""What all label mechanisms share, and RPWithPrior.

A mechanism is told a budget and public bounds, learns what it needs from the labels with a part of the budget (`fit`),
and releases every label once with the rest (`randomize`). Whatever is done with releases afterwards is free.

Conventions are scikit-learn's: constructors store settings, `fit` learns attributes that end in an underscore,
`get_params` and `set_params` make mechanisms clonable; scikit-learn itself is not needed here.
"""

from __future__ import annotations

import copy
import inspect
import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.privacy.rpwithprior import priors
from assay.methods.privacy.rpwithprior.interval import optimal_interval
from assay.methods.privacy.rpwithprior.priors import Array, Bounds, StepPrior
from assay.methods.privacy.rpwithprior.release import WindowRelease

PriorKind = Literal["central", "per-label", "uniform", "oracle", "published"]
_KINDS = ("central", "per-label", "uniform", "oracle", "published")
_NOT_PRIVATE = ("oracle", "published")
_BLOCK = 16_384
"""Labels drawn at a time: intermediate arrays stay in the processor's cache (1.5 times faster for a million labels)."""


class Privacy(TypedDict):
    """What a mechanism has spent, or will have spent after one release."""

    epsilon: float
    """Total budget, prior_epsilon + releases * release_epsilon; infinite where there is no guarantee."""
    prior_epsilon: float
    """Spent by `fit`; infinite where the prior reads labels without noise."""
    release_epsilon: float
    """Spent by one release."""
    delta: float
    """Probability with which the guarantee may fail; 0 for pure mechanisms."""
    pure: bool
    """True for epsilon-label-DP without a delta."""
    releases: int
    """Releases counted, at least 1."""


@dataclass(frozen=True)
class Terms:
    """What `fit` fixes of the settings: changing these afterwards changes neither releases nor what they cost."""

    bounds: Bounds
    prior_budget: float
    """The part of epsilon set aside for the prior, whether or not it buys privacy."""
    release_epsilon: float
    delta: float = 0.0
    leaks: bool = False
    """Whether the prior reads labels without noise."""
    noise: float = 0.0
    """What else additive noise depends on: sigma in ranges (Gaussian), the log odds of gamma (Staircase)."""


class LabelMechanism:
    """Base of all mechanisms: budget, bounds, one release per fit, accounting, expected errors.

    Args:
        epsilon: total budget of one fit and one release, > 0.
        bounds: (lo, hi), the smallest and largest possible label, known without looking at the labels.
        random_state: None (fresh entropy, what real use needs) or a secret seed, an int >= 0. No Generator (ours):
            clone, deepcopy, pickle and joblib would duplicate it, and both copies add the same noise to other labels.
        allow_repeat: permit further releases after one fit; each is counted in `privacy`.

    Raises:
        ValueError: an argument outside its range, with the range.
    """

    discrete: bool = False
    """Whether releases take finitely many values; `log_density` then gives log probabilities."""

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.bounds = bounds
        self.random_state = random_state
        self.allow_repeat = allow_repeat
        self._validate()

    # --- settings -----------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor arguments and their values, as scikit-learn's `clone` and grid searches read them.

        `deep` is there for scikit-learn; mechanisms hold no other estimators.
        """
        return {
            name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"
        }

    def set_params(self, **params: Any) -> Self:
        """Change constructor arguments and discard everything learned: call `fit` again.

        Raises:
            ValueError: an unknown name or a value outside its range; the object is then as it was.
        """
        known = self.get_params()
        for name in params:
            if name not in known:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(sorted(known))}")
        if params:
            type(self)(**{**known, **params})  # refuses bad values
            self._forget()
            vars(self).update(params)
        return self

    def __repr__(self) -> str:
        shown = {k: v for k, v in self.get_params().items() if k != "random_state"}  # a seed is a secret
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"

    def __getstate__(self) -> dict[str, Any]:
        # The generator's state lets whoever reads it recompute the noise, so no pickle or copy carries it.
        return {k: v for k, v in self.__dict__.items() if k != "_rng"}

    def _validate(self) -> None:
        check_epsilon(self.epsilon)
        check_bounds(self.bounds)
        check_seed(self.random_state)

    def _settle(self) -> Terms:
        """The terms that the current settings give."""
        return Terms(check_bounds(self.bounds), 0.0, float(self.epsilon))

    @property
    def _terms(self) -> Terms:
        """Those of the last `fit`; before one, those of the current settings."""
        fixed: Terms | None = vars(self).get("_fixed")
        return self._settle() if fixed is None else fixed

    @property
    def _range(self) -> Bounds:
        return self._terms.bounds

    @property
    def _release_epsilon(self) -> float:
        return self._terms.release_epsilon

    # --- learning and releasing -----------------------------------------------------------------------------------

    def fit(self, y: ArrayLike) -> Self:
        """Learn what the release needs from labels y, shape (n,); spends `privacy["prior_epsilon"]`.

        Each call spends anew: two fits on the same labels cost twice. A second one with a seed warns, as equal noise on
        changed labels exposes the change.
        """
        return self._fit(self._begin(y))

    def _begin(self, y: ArrayLike) -> Array:
        """Forget the last fit, even where this one fails; check settings and labels."""
        self._forget()
        self._validate()
        if self.random_state is not None:
            if hasattr(self, "_seeded"):
                warn_second_seed(stacklevel=4)
            self._seeded = True
        return check_labels(y, self._range)

    def _fit(self, labels: Array) -> Self:
        terms, rng = self._settle(), np.random.default_rng(self.random_state)
        self._learn(labels, rng)
        self._fixed, self._rng, self.releases_ = terms, rng, 0
        return self

    def _forget(self) -> None:
        for name in set(vars(self)) - set(self.get_params()) - {"_seeded"}:
            delattr(self, name)

    def randomize(self, y: ArrayLike) -> Array:
        """One release per label of y, shape (n,), as float64 of the same shape; spends `privacy["release_epsilon"]`.

        Raises:
            ValueError: not fitted, malformed labels, or a second release without `allow_repeat=True`.
        """
        self._check_fitted()
        if not hasattr(self, "_rng"):
            raise ValueError(f"this {type(self).__name__} is a copy and carries no random numbers: call fit again")
        if self.releases_ and not self.allow_repeat:
            raise ValueError(
                "these labels were released already: a second release spends the budget again. "
                "Keep the first one, or construct with allow_repeat=True and the accounting counts both"
            )
        labels = check_labels(y, self._range, stacklevel=3)
        self.releases_ += 1
        released = np.empty_like(labels)
        for start in range(0, len(labels), _BLOCK):
            part = slice(start, start + _BLOCK)
            released[part] = self._draw(labels[part], self._rng)
        return released

    def fit_randomize(self, y: ArrayLike) -> Array:
        """`fit(y)`, then `randomize(y)`: the released labels, shape (n,)."""
        labels = self._begin(y)  # clipped once, so that one warning counts them
        return self._fit(labels).randomize(labels)

    def forget_randomness(self) -> Self:
        """A copy without the random numbers, safe to keep or publish beside releases; it cannot release."""
        other = copy.copy(self)
        other.random_state = None
        return other

    def _check_fitted(self) -> None:
        if not hasattr(self, "releases_"):
            raise ValueError(f"this {type(self).__name__} is not fitted: call fit(y) or fit_randomize(y) first")

    def _learn(self, y: Array, rng: np.random.Generator) -> None:
        """Nothing to learn, unless a subclass says so."""

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        raise TypeError(f"{type(self).__name__} is a base class: use one of the mechanisms")

    # --- accounting -----------------------------------------------------------------------------------------------

    @property
    def privacy(self) -> Privacy:
        """What the releases since the last `fit` have spent, with it (before the first release: what one will).

        Sequential composition. Each `fit` spends anew and this counts the last one only: add those before it. Not
        `pure`, and `epsilon` infinite, where the prior is not private.
        """
        releases, terms = max(1, getattr(self, "releases_", 0)), self._terms
        prior = math.inf if terms.leaks else terms.prior_budget
        release, delta = terms.release_epsilon, min(1.0, terms.delta * releases)
        return Privacy(
            epsilon=prior + releases * release,
            prior_epsilon=prior,
            release_epsilon=release,
            delta=delta,
            pure=delta == 0 and not terms.leaks,
            releases=releases,
        )

    # --- what releases are like -----------------------------------------------------------------------------------

    def log_density(self, z: ArrayLike, y: ArrayLike) -> Array:
        """log p(z | y) of one release, z and y broadcast; log probabilities where `discrete`. Labels are clipped."""
        self._check_fitted()
        zs, ys = np.asarray(z, dtype=np.float64), np.clip(np.asarray(y, dtype=np.float64), *self._range)
        return self._log_density(*np.broadcast_arrays(zs, ys))

    def bias(self, y: ArrayLike) -> Array:
        """E[z | y] - y, exact, in label units; shape of y."""
        return self._moments(np.asarray(y, dtype=np.float64))[0]

    def squared_error(self, y: ArrayLike) -> Array:
        """E[(z - y)^2 | y], exact, in squared label units; shape of y."""
        return self._moments(np.asarray(y, dtype=np.float64))[1]

    def expected_error(self, prior: StepPrior | None = None) -> float:
        """E[(z - Y)^2] for labels from `prior` (the mechanism's own by default), exact."""
        self._check_fitted()
        chosen = prior if prior is not None else getattr(self, "prior_", None)
        if chosen is None:
            chosen = priors.uniform_prior(self._range, 1)
        return chosen.expectation(lambda y: self._moments(y)[1], (*self._range, *self._kinks()))

    def audit_points(self) -> tuple[Array, Array] | None:
        """Releases z and labels y among which the largest density ratio is attained; None where it is unbounded."""
        raise TypeError(f"{type(self).__name__} is a base class: use one of the mechanisms")

    def _moments(self, y: Array) -> tuple[Array, Array]:
        self._check_fitted()
        inside = np.clip(y, *self._range)
        first, second = self._error_moments(inside)
        shift = inside - y
        return first + shift, second + 2 * shift * first + shift**2

    def _log_density(self, z: Array, y: Array) -> Array:
        raise TypeError(f"{type(self).__name__} is a base class: use one of the mechanisms")

    def _error_moments(self, y: Array) -> tuple[Array, Array]:
        """E[z - y] and E[(z - y)^2] for labels inside the bounds."""
        raise TypeError(f"{type(self).__name__} is a base class: use one of the mechanisms")

    def _kinks(self) -> tuple[float, ...]:
        """Labels between which the moments are polynomials, besides the nodes of the prior."""
        return ()


class PriorMechanism(LabelMechanism):
    """Base of the mechanisms that learn a prior of the labels with a part of the budget.

    Args (besides those of LabelMechanism):
        prior: where the prior comes from.
            "central" (default, ours): noisy histogram of all labels, `prior_epsilon`-DP.
            "per-label" (the paper's): histogram of labels noised one by one, `prior_epsilon`-DP.
            "uniform": the bounds only; free.
            a StepPrior over exactly the bounds: public knowledge, such as last year's published figures; free.
            "oracle": exact histogram, NOT private. "published": as the official notebooks do it, NOT private.
        prior_epsilon: budget of the prior. None: min(0.1, epsilon / 3) for "central" (ours), epsilon / 3 for
            "per-label" and "published" (reference code), else 0.
        bins: equal bins of the prior ("per-label" and "published" choose their own). More bins need more rows: with n
            rows, each count carries noise of about 2 / prior_epsilon.
    """

    prior_: StepPrior

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        prior: PriorKind | StepPrior = "central",
        prior_epsilon: float | None = None,
        bins: int = 32,
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.prior = prior
        self.prior_epsilon = prior_epsilon
        self.bins = bins
        super().__init__(epsilon, bounds, random_state=random_state, allow_repeat=allow_repeat)

    def _validate(self) -> None:
        super()._validate()
        if isinstance(self.prior, StepPrior):
            ends = (float(self.prior.nodes[0]), float(self.prior.nodes[-1]))
            if ends != self._range:
                raise ValueError(
                    f"the prior covers {list(ends)} and the bounds are {list(self._range)}: make them equal"
                )
        elif self.prior not in _KINDS:
            raise ValueError(f"prior is {self.prior!r}: give one of {', '.join(_KINDS)}, or a StepPrior")
        if not (isinstance(self.bins, int | np.integer) and self.bins >= 2):
            raise ValueError(f"bins is {self.bins!r}: give a whole number >= 2")
        given = self.prior_epsilon
        if given is None:
            return
        if isinstance(self.prior, StepPrior) or self.prior == "uniform":
            if given != 0:
                raise ValueError(f"prior_epsilon is {given}, but this prior reads no labels: leave prior_epsilon out")
        elif not (0 < given < self.epsilon):
            raise ValueError(f"prior_epsilon is {given}: it must lie above 0 and below epsilon={self.epsilon}")

    @property
    def _prior_budget(self) -> float:
        """The part of epsilon set aside for the prior, whether or not it buys privacy."""
        if self.prior_epsilon is not None:
            return self.prior_epsilon
        if isinstance(self.prior, StepPrior) or self.prior in ("uniform", "oracle"):
            return 0.0
        return min(0.1, self.epsilon / 3) if self.prior == "central" else self.epsilon / 3

    @property
    def _leaks(self) -> bool:
        return not isinstance(self.prior, StepPrior) and self.prior in _NOT_PRIVATE

    def _settle(self) -> Terms:
        budget = float(self._prior_budget)
        return Terms(check_bounds(self.bounds), budget, float(self.epsilon) - budget, leaks=self._leaks)

    def _learn(self, y: Array, rng: np.random.Generator) -> None:
        if self._leaks:
            warnings.warn(
                f"prior={self.prior!r} reads the labels without noise: NOT private, for comparison only "
                "(use prior='central')",
                UserWarning,
                stacklevel=5,
            )
        self.prior_ = self._learn_prior(y, rng)

    def _learn_prior(self, y: Array, rng: np.random.Generator) -> StepPrior:
        if isinstance(self.prior, StepPrior):
            return self.prior
        if self.prior == "central":
            return priors.central_prior(y, self._range, self.bins, self._prior_budget, rng)
        if self.prior == "per-label":
            return priors.per_label_prior(y, self._range, self._prior_budget, rng)
        if self.prior == "published":
            return priors.published_prior(y, self._range, self._prior_budget, rng)
        if self.prior == "oracle":
            return priors.oracle_prior(y, self._range, self.bins)
        return priors.uniform_prior(self._range, self.bins)


class RPWithPrior(PriorMechanism):
    """Releases labels near the true one with higher probability, in an interval chosen from a private prior.

    The release is `WindowRelease`, its interval `optimal_interval`. Research code: read the package's note on noise in
    double precision and on seeds.

    Args (besides those of PriorMechanism):
        half_width: half the width of the favoured window in label units (delta in the paper), at most (hi - lo) / 2.
            None (ours; the paper does not say how it is chosen): the one of a fixed grid with the smallest
            `expected_error` under the learned prior; no further label is read, so it costs nothing.
        interval_epsilon: budget the interval is optimised for: "release" (as the theory wants) or "prior" (as the
            published notebooks do).
        objective: "mass" (as the theory wants): the interval is chosen for the mass of each bin; "published": the mass
            is read as the height of a density, that is multiplied by the bin's width, as the published notebooks do.
            Affects the choice of the interval only, and costs nothing.
        debias: release an unbiased transform, for labels inside the interval (ours; post-processing, costs nothing).

    Attributes:
        prior_: the learned StepPrior.
        interval_: (A1, A2) in label units.
        half_width_: the half-width used; where the interval is shorter than the window, the guard of the reference
            code halves the interval's length and searches again.
        release_: the WindowRelease.
    """

    interval_: tuple[float, float]
    half_width_: float
    release_: WindowRelease

    def __init__(
        self,
        epsilon: float,
        bounds: Bounds | None = None,
        *,
        half_width: float | None = None,
        prior: PriorKind | StepPrior = "central",
        prior_epsilon: float | None = None,
        interval_epsilon: Literal["release", "prior"] = "release",
        objective: Literal["mass", "published"] = "mass",
        bins: int = 32,
        debias: bool = False,
        random_state: int | None = None,
        allow_repeat: bool = False,
    ) -> None:
        self.half_width = half_width
        self.interval_epsilon = interval_epsilon
        self.objective = objective
        self.debias = debias
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
        low, high = self._range
        most = (high - low) / 2
        if self.half_width is not None and not (0 < self.half_width <= most):
            raise ValueError(
                f"half_width is {self.half_width}: it must lie above 0 and be at most (hi - lo) / 2 = {most:g}"
            )
        if self.interval_epsilon not in ("release", "prior"):
            raise ValueError(f"interval_epsilon is {self.interval_epsilon!r}: give 'release' or 'prior'")
        if self.objective not in ("mass", "published"):
            raise ValueError(f"objective is {self.objective!r}: give 'mass' or 'published'")
        if self.objective == "published" and self.prior == "published":
            raise ValueError("prior='published' reads masses as heights already: leave objective at 'mass'")

    def _learn(self, y: Array, rng: np.random.Generator) -> None:
        super()._learn(y, rng)
        candidates = self._grid() if self.half_width is None else [self.half_width]
        releases = [self._best_release(width) for width in candidates]
        self.release_ = min(releases, key=self._error_under_prior)
        self.interval_ = (self.release_.low, self.release_.high)
        self.half_width_ = self.release_.half_width

    def _error_under_prior(self, release: WindowRelease) -> float:
        return self.prior_.expectation(lambda y: release.error_moments(y)[1], (release.low, release.high))

    def _grid(self) -> list[float]:
        """Half-widths to choose from: 33 from a small share of the range to half of it.

        For large budgets the best window shrinks like e^(-epsilon/3), so the smallest one does too.
        """
        low, high = self._range
        smallest = max(1e-6, 0.02 * math.exp(-self._release_epsilon / 3))
        return [float(share) * (high - low) for share in np.geomspace(smallest, 0.5, 33)]

    def _best_release(self, half_width: float) -> WindowRelease:
        epsilon = self._release_epsilon if self.interval_epsilon == "release" else self._prior_budget
        weights, nodes = self.prior_.mass, self.prior_.nodes
        if self.objective == "published":
            weights = weights * np.diff(nodes)
        while True:
            low, high, _ = optimal_interval(weights, nodes, epsilon, half_width)
            if high - low >= 2 * half_width:
                return WindowRelease(low, high, half_width, self._release_epsilon, self.debias)
            half_width = (high - low) / 2

    def _draw(self, y: Array, rng: np.random.Generator) -> Array:
        return self.release_.draw(y, rng)

    def _log_density(self, z: Array, y: Array) -> Array:
        return self.release_.log_density(z, y)

    def _error_moments(self, y: Array) -> tuple[Array, Array]:
        return self.release_.error_moments(y)

    def _kinks(self) -> tuple[float, ...]:
        return self.interval_

    def audit_points(self) -> tuple[Array, Array]:
        """The density is constant between the ends of windows and support: their middles show every value it takes."""
        release, (low, high) = self.release_, self._range
        y = np.unique([low, release.low, (release.low + release.high) / 2, release.high, high])
        p = np.clip(y, release.low, release.high)
        ends = np.unique(np.concatenate([p - release.half_width, p + release.half_width]))
        z = np.sort(np.concatenate([ends, (ends[1:] + ends[:-1]) / 2]))
        return ((z - release.offset) / release.slope if release.debias else z), y


_SMALLEST_EPSILON = 1e-12
_LARGEST_BOUND = 1e100
"""With both, squares of noise stay far from the ends of double precision."""
_ROUNDING = 1e-6
"""Labels this far beyond a bound, in ranges, are taken for rounded ones: float32(0.1) exceeds 0.1."""


def check_epsilon(epsilon: float) -> float:
    """A budget: a finite number of at least 1e-12, or a ValueError."""
    number = isinstance(epsilon, int | float | np.number) and not isinstance(epsilon, bool)
    if not (number and math.isfinite(epsilon) and epsilon > 0):
        raise ValueError(f"epsilon is {epsilon!r}: give a finite number above 0")
    if epsilon < _SMALLEST_EPSILON:
        raise ValueError(f"epsilon is {epsilon!r}, too small to compute with: give at least {_SMALLEST_EPSILON:g}")
    return float(epsilon)


def check_bounds(bounds: Bounds | None) -> Bounds:
    """Public bounds (lo, hi) as floats, or a ValueError."""
    if bounds is None:
        raise ValueError(
            "bounds are missing: give (lo, hi), the smallest and largest label possible, known without looking at the "
            "labels; bounds read from the labels would reveal the extreme ones exactly"
        )
    ends = np.asarray(bounds, dtype=np.float64)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ValueError(f"bounds are {bounds!r}: give two finite numbers (lo, hi) with lo < hi")
    if np.abs(ends).max() > _LARGEST_BOUND:
        raise ValueError(f"bounds are {bounds!r}: rescale the labels, no bound may exceed {_LARGEST_BOUND:g} in size")
    return float(ends[0]), float(ends[1])


def check_seed(seed: object) -> None:
    """None or an int >= 0, or a ValueError (which does not show it)."""
    if seed is None or (isinstance(seed, int | np.integer) and not isinstance(seed, bool) and seed >= 0):
        return
    raise ValueError(
        f"random_state is a {type(seed).__name__} that is not usable: give None or a secret int >= 0 "
        "(a Generator would be duplicated with the object, and add the same noise twice)"
    )


def warn_second_seed(stacklevel: int) -> None:
    """Say that a seed serves one fit only."""
    warnings.warn(
        "this is the second fit of one object with a seed: a seed used twice adds the same noise twice, and if labels "
        "changed in between, the difference of the releases exposes the change. Use random_state=None",
        UserWarning,
        stacklevel=stacklevel,
    )


def check_labels(y: ArrayLike, bounds: Bounds, stacklevel: int = 4) -> Array:
    """Labels as float64 of shape (n,), clipped to the bounds with a warning that counts them.

    Accepts whatever `numpy.asarray` does, a torch tensor of one dimension on the CPU among them, except masked arrays
    and dates. No error shows a label.
    """
    if isinstance(y, np.ma.MaskedArray):
        raise ValueError("labels are a masked array: drop the masked rows and give an ordinary array")
    try:
        raw: NDArray[Any] = np.asarray(y)
    except (TypeError, ValueError):
        raise ValueError("labels are not an array of numbers: give one real number per row") from None
    if raw.ndim != 1:
        raise ValueError(f"labels have shape {raw.shape}: give one number per row, shape (n,)")
    if len(raw) == 0:
        raise ValueError("labels are empty: give at least one")
    if np.iscomplexobj(raw):
        raise ValueError("Complex data not supported: give real numbers as labels")
    if raw.dtype.kind in "mM":
        raise ValueError("labels are dates or durations: convert them to numbers, such as days, and bounds likewise")
    try:
        labels = raw.astype(np.float64)
    except (TypeError, ValueError):  # its message would show the label
        raise ValueError("labels are not numbers: give one real number per row") from None
    bad = np.flatnonzero(~np.isfinite(labels))
    if len(bad):
        raise ValueError(f"{len(bad)} labels are NaN or infinite, the first in row {bad[0]}: drop or fill these rows")
    slack = _ROUNDING * (bounds[1] - bounds[0])
    outside = int(((labels < bounds[0] - slack) | (labels > bounds[1] + slack)).sum())
    if outside:
        warnings.warn(
            f"{outside} of {len(labels)} labels lie outside the bounds {list(bounds)} and were clipped "
            "(this count comes from the private labels: do not publish it)",
            UserWarning,
            stacklevel=stacklevel,
        )
    return np.clip(labels, *bounds)
