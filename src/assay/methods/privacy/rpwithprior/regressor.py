"""A scikit-learn regressor whose labels are private: releases them once, then trains any regressor on the releases.

Training is post-processing, so the fitted model keeps the guarantee of the release. Features are public: predictions
and the model may reveal them.
"""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.methods.privacy.rpwithprior.baselines import (
    GaussianLabels,
    LaplaceLabels,
    RROnBins,
    StaircaseLabels,
    UnbiasedRandomizer,
)
from assay.methods.privacy.rpwithprior.mechanisms import (
    LabelMechanism,
    Privacy,
    RPWithPrior,
    check_bounds,
    warn_second_seed,
)
from assay.methods.privacy.rpwithprior.priors import Bounds

try:
    from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
    from sklearn.exceptions import DataConversionWarning
    from sklearn.linear_model import Ridge
    from sklearn.utils import check_consistent_length, get_tags
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("RPWithPrior needs scikit-learn: pip install 'assay[privacy]'") from error

MECHANISMS: dict[str, type[LabelMechanism]] = {
    "rpwithprior": RPWithPrior,
    "rr-on-bins": RROnBins,
    "unbiased": UnbiasedRandomizer,
    "laplace": LaplaceLabels,
    "gaussian": GaussianLabels,
    "staircase": StaircaseLabels,
}


class LabelDPRegressor(MetaEstimatorMixin, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Any scikit-learn regressor, trained under label differential privacy.

    Every `fit` releases the labels anew and spends the budget anew, so a grid search or cross-validation of this
    estimator spends it once per fold and setting. To tune for one budget, release once with a mechanism
    (`RPWithPrior(...).fit_randomize(y)`) and tune an ordinary regressor on the result: that is free.

    Args:
        estimator: the regressor to train on the releases. None: `Ridge()`.
        mechanism: "rpwithprior" (default), "rr-on-bins", "unbiased", "laplace", "gaussian", "staircase", or a mechanism
            with its own settings.
        epsilon: budget of one fit, prior and release together. None: 1.0, or that of the given mechanism.
        bounds: (lo, hi), smallest and largest label possible, public; needed unless a mechanism brings its own.
        random_state: None (fresh entropy) or a secret seed, an int >= 0. None is right for real use: a seed stays in
            this object (and is printed by a pipeline around it), and whoever reads it can undo the noise. Every fit
            with one seed adds the same noise row by row, so two fits on labels that differ expose the difference;
            cross-validation and grid searches fit clones, which all have the seed, and do the same without a warning.

    Attributes:
        estimator_: the fitted regressor. mechanism_: the fitted mechanism (without its random numbers).
        privacy_: what this fit has spent, a dict (see `Privacy`).
        n_features_in_, feature_names_in_: those of `estimator_`.

    The released labels are not kept here: they are as private as the model, but a fitted model is often shared where a
    column of one number per person should not be. An `estimator` that stores its targets, such as k-nearest
    neighbours or a Gaussian process, keeps them in `estimator_` all the same. Use a mechanism directly to have them.
    """

    estimator_: Any
    mechanism_: Any
    privacy_: Privacy

    def __init__(
        self,
        estimator: Any = None,
        mechanism: str | LabelMechanism = "rpwithprior",
        epsilon: float | None = None,
        bounds: Bounds | None = None,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.mechanism = mechanism
        self.epsilon = epsilon
        self.bounds = bounds
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> Self:
        """Release y, shape (n,), once and train on the releases.

        Args:
            X: (n, features), whatever `estimator` takes.
            y: (n,) private labels; a column (n, 1) is flattened with a warning.
            fit_params: passed to the regressor's `fit`, such as sample_weight.

        Raises:
            ValueError: missing bounds, malformed labels, settings that contradict those of the given mechanism.
        """
        mechanism = self._mechanism()
        if y is None:
            raise ValueError("labels are missing: requires y to be passed, but the target y is None")
        if self._seed is not None:
            if hasattr(self, "_seeded"):
                warn_second_seed(stacklevel=3)
            self._seeded = True
        labels: NDArray[Any] = np.asanyarray(y)  # a masked array must be refused, not read below its mask
        if labels.ndim == 2 and labels.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected: it was flattened",
                DataConversionWarning,
                stacklevel=2,
            )
            labels = labels[:, 0]
        check_consistent_length(X, labels)
        released = mechanism.fit_randomize(labels)
        estimator = Ridge() if self.estimator is None else clone(self.estimator)
        self.estimator_ = estimator.fit(X, released, **fit_params)
        self.privacy_ = mechanism.privacy
        self.mechanism_ = mechanism.forget_randomness()
        return self

    def predict(self, X: Any) -> Any:
        """Predicted labels, shape (n,), for features X, shape (n, d): the trained regressor's own, not clipped."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def _mechanism(self) -> LabelMechanism:
        if isinstance(self.mechanism, str):
            if self.mechanism not in MECHANISMS:
                raise ValueError(
                    f"mechanism is {self.mechanism!r}: give one of {', '.join(MECHANISMS)}, or a mechanism"
                )
            epsilon = 1.0 if self.epsilon is None else self.epsilon
            return MECHANISMS[self.mechanism](epsilon, check_bounds(self.bounds), random_state=self.random_state)
        if not isinstance(self.mechanism, LabelMechanism):
            raise ValueError(f"mechanism is a {type(self.mechanism).__name__}: give one of {', '.join(MECHANISMS)}")
        own = self.mechanism
        if self.epsilon is not None and self.epsilon != own.epsilon:
            raise ValueError(f"epsilon is {self.epsilon} here and {own.epsilon} in the mechanism: give it in one place")
        if self.bounds is not None and check_bounds(self.bounds) != check_bounds(own.bounds):
            raise ValueError(f"bounds are {self.bounds} here and {own.bounds} in the mechanism: give them in one place")
        fresh: LabelMechanism = clone(own)
        return fresh.set_params(random_state=self._seed)

    @property
    def _seed(self) -> int | None:
        """Its own seed, or else that of a given mechanism."""
        if self.random_state is None and isinstance(self.mechanism, LabelMechanism):
            return self.mechanism.random_state
        return self.random_state

    def _shown(self) -> Self:
        """A copy without seeds, to print."""
        shown = copy.copy(self)
        shown.random_state = None
        if isinstance(self.mechanism, LabelMechanism):
            shown.mechanism = self.mechanism.forget_randomness()
        return shown

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        return str(super(LabelDPRegressor, self._shown()).__repr__(N_CHAR_MAX))

    def _get_params_html(self, *args: Any, **kwargs: Any) -> Any:
        return super(LabelDPRegressor, self._shown())._get_params_html(*args, **kwargs)

    @property
    def n_features_in_(self) -> int:
        """Number of features seen by `estimator_`."""
        check_is_fitted(self)
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """Names of features seen by `estimator_`, where it has them."""
        return self.estimator_.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(Ridge() if self.estimator is None else self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.regressor_tags.poor_score = True  # noise of a budget of 1 drowns the few rows of the estimator checks
        return tags
