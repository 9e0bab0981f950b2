"""Accounting, refusal of a second release, settings, malformed input, and what RPWithPrior learns."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

from assay.methods.privacy import (
    GaussianLabels,
    LaplaceLabels,
    RPWithPrior,
    RROnBins,
    StaircaseLabels,
    StepPrior,
    UnbiasedRandomizer,
    optimal_interval,
)
from assay.methods.privacy.rpwithprior import mechanisms
from assay.methods.privacy.rpwithprior.mechanisms import LabelMechanism

BOUNDS = (0.0, 4.0)
ALL = [LaplaceLabels, GaussianLabels, StaircaseLabels, RPWithPrior, RROnBins, UnbiasedRandomizer]


def labels(n: int = 3_000) -> np.ndarray:
    return np.random.default_rng(1).gamma(2, 0.5, n).clip(*BOUNDS)


# --- accounting


@pytest.mark.parametrize(
    ("prior", "given", "prior_epsilon"),
    [
        ("central", None, 0.1),
        ("central", 0.4, 0.4),
        ("per-label", None, 0.5),
        ("uniform", None, 0.0),
        (StepPrior([0, 1, 4], [1, 1]), None, 0.0),
    ],
)
@pytest.mark.parametrize("kind", [RPWithPrior, RROnBins, UnbiasedRandomizer])
def test_budgets_add(kind: type, prior: object, given: float | None, prior_epsilon: float) -> None:
    mechanism = kind(1.5, BOUNDS, prior=prior, prior_epsilon=given, random_state=0)
    before = mechanism.privacy
    mechanism.fit_randomize(labels())
    assert before == mechanism.privacy
    assert before["prior_epsilon"] == pytest.approx(prior_epsilon)
    assert before["release_epsilon"] == pytest.approx(1.5 - prior_epsilon)
    assert before["epsilon"] == pytest.approx(1.5, abs=1e-15)
    assert (before["delta"], before["pure"], before["releases"]) == (0.0, True, 1)


def test_a_small_budget_gives_a_third_to_the_prior() -> None:
    assert RPWithPrior(0.15, BOUNDS).privacy["prior_epsilon"] == pytest.approx(0.05)


@pytest.mark.parametrize("kind", ALL)
def test_a_second_release_is_refused(kind: type[LabelMechanism]) -> None:
    mechanism = kind(1.0, BOUNDS, random_state=0)
    y = labels(200)
    mechanism.fit_randomize(y)
    with pytest.raises(ValueError, match="allow_repeat=True"):
        mechanism.randomize(y)
    assert mechanism.privacy["releases"] == 1


def test_an_allowed_repeat_is_counted() -> None:
    y = labels(200)
    mechanism = RPWithPrior(1.0, BOUNDS, random_state=0, allow_repeat=True).fit(y)
    first, second, third = (mechanism.randomize(y) for _ in range(3))
    assert (first != second).any()
    assert (second != third).any()
    assert mechanism.privacy["epsilon"] == pytest.approx(0.1 + 3 * 0.9)
    gaussian = GaussianLabels(1.0, BOUNDS, delta=1e-5, random_state=0, allow_repeat=True).fit(y)
    gaussian.randomize(y)
    gaussian.randomize(y)
    assert gaussian.privacy["epsilon"] == 2.0
    assert gaussian.privacy["delta"] == 2e-5


@pytest.mark.parametrize("prior", ["oracle", "published"])
def test_a_prior_that_is_not_private_says_so(prior: str) -> None:
    mechanism = RPWithPrior(1.5, BOUNDS, prior=prior, random_state=0)
    with pytest.warns(UserWarning, match="NOT private"):
        mechanism.fit(labels())
    assert mechanism.privacy["pure"] is False
    assert mechanism.privacy["epsilon"] == math.inf
    assert mechanism.privacy["prior_epsilon"] == math.inf
    assert mechanism.privacy["release_epsilon"] == pytest.approx(1.5 if prior == "oracle" else 1.0)


def test_the_default_is_private() -> None:
    for kind in (RPWithPrior, RROnBins, UnbiasedRandomizer):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert kind(1.0, BOUNDS, random_state=0).fit(labels()).privacy["pure"]


# --- randomness


@pytest.mark.parametrize("kind", ALL)
def test_a_seed_repeats_and_a_fresh_start_does_not(kind: type[LabelMechanism]) -> None:
    y = labels(300)
    assert (
        kind(1.0, BOUNDS, random_state=7).fit_randomize(y) == kind(1.0, BOUNDS, random_state=7).fit_randomize(y)
    ).all()
    assert (kind(1.0, BOUNDS).fit_randomize(y) != kind(1.0, BOUNDS).fit_randomize(y)).any()
    shared = np.random.default_rng(7)
    mechanism = kind(1.0, BOUNDS, random_state=shared)
    assert (mechanism.fit_randomize(y) != mechanism.fit_randomize(y)).any()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_no_copy_can_repeat_the_noise(copied) -> None:
    mechanism = RPWithPrior(1.0, BOUNDS).fit(labels())
    other = copied(mechanism)
    assert other.interval_ == mechanism.interval_
    assert "_rng" not in vars(other)
    with pytest.raises(ValueError, match="call fit again"):
        other.randomize(labels())
    assert mechanism.randomize(labels()).shape == (3_000,)


def test_a_seed_is_not_printed() -> None:
    mechanism = RPWithPrior(1.0, BOUNDS, random_state=424242)
    assert "424242" not in repr(mechanism)
    assert repr(mechanism).startswith("RPWithPrior(epsilon=1.0, bounds=(0.0, 4.0), half_width=None")


# --- settings


def test_parameters_can_be_read_and_set() -> None:
    mechanism = RPWithPrior(1.0, BOUNDS, half_width=0.3)
    assert RPWithPrior(**mechanism.get_params()).get_params() == mechanism.get_params()
    assert mechanism.set_params(epsilon=2.0, prior_epsilon=1.5) is mechanism
    assert mechanism.privacy["release_epsilon"] == 0.5
    with pytest.raises(ValueError, match=r"no parameter 'eps'; it has .*epsilon"):
        mechanism.set_params(eps=1)


@pytest.mark.parametrize("kind", ALL)
def test_missing_bounds_say_why(kind: type[LabelMechanism]) -> None:
    with pytest.raises(ValueError, match="bounds read from the labels would reveal"):
        kind(1.0)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    "bounds", [(1.0, 1.0), (2.0, 1.0), (0.0, math.inf), (0.0, math.nan), (1.0,), (0.0, 1.0, 2.0), 3.0]
)
def test_bad_bounds(kind: type[LabelMechanism], bounds: object) -> None:
    with pytest.raises(ValueError, match="two finite numbers"):
        kind(1.0, bounds)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, "1", None, True])
def test_bad_epsilon(kind: type[LabelMechanism], epsilon: object) -> None:
    with pytest.raises(ValueError, match="epsilon is"):
        kind(epsilon, BOUNDS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"prior_epsilon": 1.0}, "below epsilon=1.0"),
        ({"prior_epsilon": 1.5}, "below epsilon=1.0"),
        ({"prior_epsilon": 0.0}, "above 0"),
        ({"prior": "uniform", "prior_epsilon": 0.1}, "reads no labels"),
        ({"prior": "private"}, "central, per-label, uniform, oracle, published"),
        ({"prior": StepPrior([0, 1], [1])}, r"covers \[0.0, 1.0\] and the bounds are \[0.0, 4.0\]"),
        ({"bins": 1}, "whole number >= 2"),
        ({"bins": 8.5}, "whole number >= 2"),
        ({"half_width": 0.0}, r"at most \(hi - lo\) / 2 = 2"),
        ({"half_width": 2.01}, r"at most \(hi - lo\) / 2 = 2"),
        ({"half_width": math.nan}, "half_width"),
        ({"interval_epsilon": "both"}, "'release' or 'prior'"),
    ],
)
def test_bad_settings(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RPWithPrior(1.0, BOUNDS, **settings)  # type: ignore[arg-type]
    mechanism = RPWithPrior(1.0, BOUNDS)
    with pytest.raises(ValueError, match=words):
        mechanism.set_params(**settings)


def test_bad_gaussian_settings() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        GaussianLabels(1.0, BOUNDS, delta=0.0)
    with pytest.raises(ValueError, match="'analytic' or 'classical'"):
        GaussianLabels(1.0, BOUNDS, calibration="none")  # type: ignore[arg-type]


# --- labels


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.array([1.0, math.nan, 2.0, math.inf]), "2 labels are NaN or infinite, the first in row 1"),
        (np.ones((3, 2)), r"shape \(3, 2\)"),
        (np.array(1.0), r"shape \(\)"),
        ([], "empty"),
        (["cheap", "dear"], "not numbers"),
        ([1.0, None], "not numbers|NaN"),
        ([1j, 2j], "Complex data not supported"),
    ],
)
def test_bad_labels(kind: type[LabelMechanism], y: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind(1.0, BOUNDS).fit(y)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ALL)
def test_labels_outside_are_clipped_and_counted_once(kind: type[LabelMechanism]) -> None:
    y = np.array([-1.0, 2.0, 9.0, 4.0])
    with pytest.warns(UserWarning, match=r"2 of 4 labels lie outside the bounds .*do not publish") as caught:
        kind(1.0, BOUNDS, random_state=0).fit_randomize(y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outside = kind(1.0, BOUNDS, random_state=0).fit_randomize(y)
    assert (outside == kind(1.0, BOUNDS, random_state=0).fit_randomize(np.clip(y, *BOUNDS))).all()


@pytest.mark.parametrize("kind", ALL)
def test_labels_of_any_kind_become_floats(kind: type[LabelMechanism]) -> None:
    whole = np.array([0, 1, 2, 3, 4] * 20)
    expected = kind(1.0, BOUNDS, random_state=0).fit_randomize(whole.astype(float))
    assert expected.dtype == np.float64
    assert expected.shape == whole.shape
    for same in (whole, whole.tolist(), whole.astype(np.uint8), whole.astype(np.float32)):
        assert (kind(1.0, BOUNDS, random_state=0).fit_randomize(same) == expected).all()


class Tensor:
    """Offers itself as an array the way a torch tensor on the CPU does."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([1.0, 2.0], dtype=np.float32)


def test_a_tensor_is_accepted() -> None:
    assert LaplaceLabels(1.0, BOUNDS).fit_randomize(Tensor()).shape == (2,)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ALL)
def test_constant_labels_and_a_single_label(kind: type[LabelMechanism]) -> None:
    for y in (np.full(50, 4.0), np.array([1.0])):
        assert np.isfinite(kind(1.0, BOUNDS, random_state=0).fit_randomize(y)).all()


@pytest.mark.parametrize("kind", ALL)
def test_nothing_works_before_fit(kind: type[LabelMechanism]) -> None:
    mechanism = kind(1.0, BOUNDS)
    for use in (
        lambda: mechanism.randomize([1.0]),
        lambda: mechanism.log_density(1.0, 1.0),
        lambda: mechanism.bias(1.0),
        mechanism.expected_error,
    ):
        with pytest.raises(ValueError, match="not fitted"):
            use()


def test_the_base_class_releases_nothing() -> None:
    with pytest.raises(TypeError, match="base class"):
        LabelMechanism(1.0, BOUNDS).fit_randomize([1.0])


# --- what RPWithPrior learns


def test_a_given_half_width_is_used_and_its_interval_is_optimal() -> None:
    mechanism = RPWithPrior(2.0, BOUNDS, half_width=0.25, random_state=0).fit(labels())
    low, high, _ = optimal_interval(mechanism.prior_.mass, mechanism.prior_.nodes, 1.9, 0.25)
    assert mechanism.interval_ == (low, high)
    assert mechanism.half_width_ == 0.25


def test_the_interval_can_use_the_budget_of_the_prior() -> None:
    both = {}
    for which in ("release", "prior"):
        mechanism = RPWithPrior(4.0, BOUNDS, half_width=0.1, interval_epsilon=which, random_state=0)  # type: ignore[arg-type]
        both[which] = mechanism.fit(labels()).interval_
        epsilon = mechanism.privacy["release_epsilon" if which == "release" else "prior_epsilon"]  # type: ignore[literal-required]
        assert both[which] == optimal_interval(mechanism.prior_.mass, mechanism.prior_.nodes, epsilon, 0.1)[:2]
    assert both["release"] != both["prior"]


def test_a_window_wider_than_the_interval_shrinks() -> None:
    prior = StepPrior([0, 1, 1.5, 4], [0, 1, 0])
    mechanism = RPWithPrior(1.0, BOUNDS, half_width=2.0, prior=prior).fit([1.2])
    assert mechanism.interval_ == (1.0, 1.5)
    assert mechanism.half_width_ == 0.25


def test_the_half_width_minimises_the_expected_error_under_the_prior() -> None:
    mechanism = RPWithPrior(3.0, BOUNDS, random_state=0).fit(labels())
    chosen = mechanism.expected_error()
    for share in np.linspace(0.01, 0.5, 40):
        other = RPWithPrior(2.9, BOUNDS, prior=mechanism.prior_, half_width=share * 4).fit([1.0])
        assert chosen <= other.expected_error() * 1.01  # the grid is that fine


def test_only_the_prior_is_learned_from_labels() -> None:
    prior = StepPrior([0, 1, 2, 4], [3, 2, 1])
    one = RPWithPrior(1.0, BOUNDS, prior=prior).fit(np.zeros(9))
    two = RPWithPrior(1.0, BOUNDS, prior=prior).fit(np.full(9, 4.0))
    assert one.release_ == two.release_


def test_debiased_releases_have_the_labels_as_means() -> None:
    mechanism = RPWithPrior(2.0, BOUNDS, prior="uniform", debias=True, random_state=0).fit([1.0])
    assert mechanism.interval_ == BOUNDS
    assert mechanism.bias(np.linspace(0, 4, 9)) == pytest.approx(np.zeros(9), abs=1e-12)
    z = mechanism.randomize(np.full(100_000, 0.5))
    assert z.mean() == pytest.approx(0.5, abs=5 * z.std() / math.sqrt(100_000))


def test_bias_beyond_the_bounds_counts_the_clipping() -> None:
    mechanism = LaplaceLabels(1.0, BOUNDS).fit([1.0])
    assert mechanism.bias(np.array([-3.0, 2.0, 5.0])).tolist() == [3.0, 0.0, -1.0]
    assert mechanism.squared_error(5.0) == pytest.approx(mechanism.variance + 1.0)


# --- packaging


def test_importing_a_mechanism_loads_no_scikit_learn() -> None:
    code = (
        "import sys; from assay.methods.privacy import RPWithPrior, UnbiasedRandomizer; "
        "assert 'sklearn' not in sys.modules; RPWithPrior(1.0, (0, 1)).fit_randomize([0.5]); "
        "assert 'sklearn' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_missing_extra_is_one_line() -> None:
    code = "import sys; sys.modules['sklearn'] = None\nfrom assay.methods.privacy import LabelDPRegressor"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip().splitlines()[-1] == (
        "ImportError: RPWithPrior needs scikit-learn: pip install 'assay[privacy]'"
    )


def test_kinds_of_priors_are_all_reachable() -> None:
    assert set(mechanisms._NOT_PRIVATE) < set(mechanisms._KINDS)
    for kind in mechanisms._KINDS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert np.isfinite(RPWithPrior(1.0, BOUNDS, prior=kind, random_state=0).fit_randomize(labels(400))).all()  # type: ignore[arg-type]
