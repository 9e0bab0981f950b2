"""Accounting, refusal of a second release, settings, malformed input, and what RPWithPrior learns."""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
import traceback
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
    exact_epsilon,
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


def test_delta_is_a_probability() -> None:
    mechanism = GaussianLabels(1.0, BOUNDS, delta=0.6, allow_repeat=True).fit([1.0])
    for _ in range(2):
        mechanism.randomize([1.0])
    assert mechanism.privacy["delta"] == 1.0


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
    mechanism = kind(1.0, BOUNDS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (mechanism.fit_randomize(y) != mechanism.fit_randomize(y)).any()


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("seed", [-41, 4.1, "41", True, np.random.default_rng(41), np.random.RandomState(41)])
def test_a_seed_is_none_or_a_whole_number(kind: type[LabelMechanism], seed: object) -> None:
    with pytest.raises(ValueError, match="give None or a secret int >= 0") as raised:
        kind(1.0, BOUNDS, random_state=seed)  # type: ignore[arg-type]
    assert "41" not in str(raised.value)
    kind(1.0, BOUNDS, random_state=np.uint32(41)).fit([1.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("second", ["fit", "fit_randomize"])
def test_a_second_fit_with_a_seed_warns(second: str) -> None:
    mechanism = LaplaceLabels(1.0, BOUNDS, random_state=7)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mechanism.fit([1.0])
    with pytest.warns(UserWarning, match="adds the same noise twice") as caught:
        getattr(mechanism, second)([2.0])
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="adds the same noise twice"):  # not forgotten with what was learned
        mechanism.set_params(epsilon=2.0).fit([2.0])


# --- what fit fixes

CHANGES: dict[str, object] = {
    "epsilon": 0.01,
    "bounds": (0.0, 900.0),
    "delta": 0.3,
    "calibration": "classical",
    "gamma": "variance",
    "prior": "oracle",
    "prior_epsilon": 0.9,
    "bins": 2,
    "half_width": 2.0,
    "interval_epsilon": "prior",
    "objective": "published",
    "debias": True,
    "outputs": 99,
    "random_state": 8,
}


@pytest.mark.parametrize("kind", ALL)
def test_assignment_after_fit_changes_nothing(kind: type[LabelMechanism]) -> None:
    y = labels(300)
    changed, same = (kind(0.8, BOUNDS, random_state=7).fit(y) for _ in range(2))
    for name in changed.get_params():
        if name in CHANGES:
            setattr(changed, name, CHANGES[name])
    z = same.randomize(y)
    assert (changed.randomize(y) == z).all()
    assert changed.privacy == same.privacy
    assert (changed.log_density(z[:20, None], y[:20]) == same.log_density(z[:20, None], y[:20])).all()
    assert (changed.squared_error(y) == same.squared_error(y)).all()
    assert changed.expected_error() == same.expected_error()
    assert exact_epsilon(changed) == exact_epsilon(same)


def test_a_prior_that_leaked_stays_known_as_such() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mechanism = RPWithPrior(1.0, BOUNDS, prior="oracle").fit(labels())
    mechanism.prior = "central"
    assert mechanism.privacy["epsilon"] == math.inf


@pytest.mark.parametrize("kind", ALL)
def test_new_settings_discard_what_was_learned(kind: type[LabelMechanism]) -> None:
    y = labels(300)
    mechanism = kind(0.8, BOUNDS).fit(y)
    learned = set(vars(mechanism))
    mechanism.randomize(y)
    for bad in ({"epsilon": -1.0}, {"epsilon": 0.5, "bounds": (2, 1)}, {"epsilon": 0.5, "eps": 1}):
        with pytest.raises(ValueError, match=r"above 0|lo < hi|no parameter 'eps'"):
            mechanism.set_params(**bad)
        assert set(vars(mechanism)) == learned
        assert (mechanism.epsilon, mechanism.privacy["releases"]) == (0.8, 1)
    mechanism.set_params(epsilon=0.4)
    assert set(vars(mechanism)) == set(mechanism.get_params())
    assert mechanism.privacy["epsilon"] == pytest.approx(0.4)
    with pytest.raises(ValueError, match="not fitted"):
        mechanism.randomize(y)


@pytest.mark.parametrize("kind", ALL)
def test_a_failed_fit_brings_no_old_release_back(kind: type[LabelMechanism]) -> None:
    y = labels(300)
    mechanism = kind(1.0, BOUNDS)
    mechanism.fit_randomize(y)
    with pytest.raises(ValueError, match="NaN"):
        mechanism.fit([math.nan])
    with pytest.raises(ValueError, match="not fitted"):
        mechanism.randomize(y)


def test_a_fit_that_fails_while_learning_leaves_nothing_to_release(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = RPWithPrior(1.0, BOUNDS)
    mechanism.fit_randomize(labels())
    monkeypatch.setattr(mechanisms, "optimal_interval", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        mechanism.fit(labels())
    with pytest.raises(ValueError, match="not fitted"):
        mechanism.randomize(labels())


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
def test_extremes_that_overflow_are_refused(kind: type[LabelMechanism]) -> None:
    with pytest.raises(ValueError, match="too small to compute with: give at least 1e-12"):
        kind(1e-13, BOUNDS)
    for bounds in ((-1e308, 1e308), (0.0, 2e100)):
        with pytest.raises(ValueError, match=r"no bound may exceed 1e\+100"):
            kind(1.0, bounds)


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind is not UnbiasedRandomizer])  # it needs 0.001
@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1e100, 1e100)])
def test_the_extremes_that_are_left_work(kind: type[LabelMechanism], bounds: tuple[float, float]) -> None:
    for epsilon in (1e-12, 1e4):
        mechanism = kind(epsilon, bounds, random_state=0)
        assert np.isfinite(mechanism.fit_randomize(np.linspace(*bounds, 40))).all()
        assert math.isfinite(mechanism.expected_error())


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
        ({"objective": "height"}, "'mass' or 'published'"),
        ({"objective": "published", "prior": "published"}, "leave objective at 'mass'"),
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
        ([[1.0], [1.0, 2.0]], "not an array of numbers"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), "masked array: drop the masked rows"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"), "dates or durations"),
        (np.array([1, 2], dtype="timedelta64[s]"), "dates or durations"),
        ([1.0, None], "not numbers|NaN"),
        ([1j, 2j], "Complex data not supported"),
    ],
)
def test_bad_labels(kind: type[LabelMechanism], y: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        kind(1.0, BOUNDS).fit(y)  # type: ignore[arg-type]


@pytest.mark.parametrize("y", [["secret42k", "1"], [1.0, "secret42k"], [1.0, object()], [[7.25], [7.25, 7.25]]])
def test_errors_show_no_label(y: list[object]) -> None:
    with pytest.raises(ValueError, match="labels are not") as raised:
        LaplaceLabels(1.0, BOUNDS).fit(y)  # type: ignore[arg-type]
    shown = "".join(traceback.format_exception_only(raised.value)) + str(raised.value.__cause__)
    assert not any(value in shown for value in ("secret", "7.25", "object"))
    assert raised.value.__suppress_context__


def test_labels_at_a_bound_within_rounding_are_inside() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mechanism = RPWithPrior(1.0, (0.0, 0.1)).fit(np.float32([0.1, -0.9e-7]))
        assert mechanism.randomize(np.float32([0.1])) <= mechanism.release_.support[1]
        assert mechanisms.check_labels(np.float32([0.1]), (0.0, 0.1)).tolist() == [0.1]  # clipped all the same
    with pytest.warns(UserWarning, match="1 of 2 labels lie outside"):
        LaplaceLabels(1.0, (0.0, 0.1)).fit([0.1, 0.1000002])


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


@pytest.mark.parametrize("half_width", [None, 0.1])
def test_the_published_reading_takes_masses_for_heights(half_width: float | None) -> None:
    prior = StepPrior([0.0, 0.2, 2.0, 4.0], [0.4, 0.3, 0.3])
    ours, published = (
        RPWithPrior(0.5, BOUNDS, half_width=half_width, prior=prior, objective=objective).fit([1.0])  # type: ignore[arg-type]
        for objective in ("mass", "published")
    )
    assert ours.privacy == published.privacy
    assert published.prior_ is prior  # the interval changes and nothing that is computed under the prior
    assert published.expected_error() == pytest.approx(
        prior.expectation(published.squared_error, (*published.interval_, *BOUNDS))
    )
    if half_width is not None:
        weights = prior.mass * np.diff(prior.nodes)
        assert ours.interval_ == optimal_interval(prior.mass, prior.nodes, 0.5, 0.1)[:2] == (0.0, 0.2)
        assert published.interval_ == optimal_interval(weights, prior.nodes, 0.5, 0.1)[:2] == (0.0, 4.0)
    assert exact_epsilon(published) == pytest.approx(0.5, abs=1e-12)


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
