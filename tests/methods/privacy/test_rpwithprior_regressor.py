"""The scikit-learn estimator: scikit-learn's own checks, accounting, settings, and what it does not keep."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from assay.methods.privacy import LabelDPRegressor, LaplaceLabels, RPWithPrior, RROnBins
from assay.methods.privacy.rpwithprior.regressor import MECHANISMS

BOUNDS = (0.0, 4.0)


def rows(n: int = 2_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    return x, (2 + x @ np.array([0.5, -0.3, 0.0])).clip(*BOUNDS)


@pytest.mark.parametrize(
    "model",
    [
        LabelDPRegressor(epsilon=1.0, bounds=(-1000, 1000)),
        LabelDPRegressor(DecisionTreeRegressor(random_state=0), RROnBins(2.0, (-1000, 1000))),
    ],
    ids=["default", "tree"],
)
@pytest.mark.filterwarnings("ignore:this is the second fit of one object with a seed")  # the checks do that
def test_scikit_learn_accepts_it(model: LabelDPRegressor) -> None:
    results = check_estimator(model, on_skip=None, on_fail=None)
    assert {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")} == {}
    # the one check that scikit-learn itself leaves out unless SCIPY_ARRAY_API is set
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}
    assert len(results) > 45


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_mechanism_trains(name: str) -> None:
    x, y = rows()
    model = LabelDPRegressor(Ridge(), name, epsilon=8.0, bounds=BOUNDS, random_state=0).fit(x, y)
    assert isinstance(model.mechanism_, MECHANISMS[name])
    assert np.corrcoef(model.predict(x), y)[0, 1] > 0.8
    assert model.privacy_["epsilon"] == pytest.approx(8.0)
    assert model.privacy_["pure"] is (name != "gaussian")


def test_it_trains_on_releases_and_on_nothing_else() -> None:
    x, y = rows()
    model = LabelDPRegressor(LinearRegression(), "laplace", epsilon=1.0, bounds=BOUNDS, random_state=3).fit(x, y)
    released = LaplaceLabels(1.0, BOUNDS, random_state=3).fit_randomize(y)
    assert model.predict(x) == pytest.approx(LinearRegression().fit(x, released).predict(x))


def test_the_given_mechanism_is_used_and_left_alone() -> None:
    x, y = rows()
    mechanism = RPWithPrior(3.0, BOUNDS, half_width=0.2, random_state=1)
    model = LabelDPRegressor(mechanism=mechanism).fit(x, y)
    assert model.mechanism_ is not mechanism
    assert model.mechanism_.half_width == 0.2
    assert not hasattr(mechanism, "release_")
    assert model.privacy_["epsilon"] == pytest.approx(3.0)


def test_settings_in_two_places_must_agree() -> None:
    x, y = rows(50)
    mechanism = RPWithPrior(3.0, BOUNDS)
    LabelDPRegressor(mechanism=mechanism, epsilon=3.0, bounds=(0, 4)).fit(x, y)
    with pytest.raises(ValueError, match=r"epsilon is 1.0 here and 3.0 in the mechanism"):
        LabelDPRegressor(mechanism=mechanism, epsilon=1.0).fit(x, y)
    with pytest.raises(ValueError, match="bounds are"):
        LabelDPRegressor(mechanism=mechanism, bounds=(0, 5)).fit(x, y)


def test_missing_bounds_say_why() -> None:
    with pytest.raises(ValueError, match="bounds read from the labels would reveal"):
        LabelDPRegressor().fit(*rows(50))


@pytest.mark.parametrize("mechanism", ["laplacian", 3, RPWithPrior])
def test_an_unknown_mechanism_is_refused(mechanism: object) -> None:
    with pytest.raises(ValueError, match="give one of rpwithprior, rr-on-bins"):
        LabelDPRegressor(mechanism=mechanism, bounds=BOUNDS).fit(*rows(50))  # type: ignore[arg-type]


def test_two_fits_never_share_noise_without_a_seed() -> None:
    x, y = np.eye(100), rows(100)[1]
    for model in (
        LabelDPRegressor(LinearRegression(), "laplace", 1.0, BOUNDS),
        LabelDPRegressor(LinearRegression(), LaplaceLabels(1.0, BOUNDS)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not np.allclose(model.fit(x, y).predict(x), model.fit(x, y).predict(x))


def test_a_second_fit_with_a_seed_warns() -> None:
    for model in (
        LabelDPRegressor(mechanism="laplace", bounds=BOUNDS, random_state=0),
        LabelDPRegressor(mechanism=LaplaceLabels(1.0, BOUNDS, random_state=0)),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(*rows(50))
        with pytest.warns(UserWarning, match="adds the same noise twice") as caught:
            model.fit(*rows(50))
        assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("mechanism", ["laplace", LaplaceLabels(1.0, BOUNDS)])
@pytest.mark.parametrize("seed", [-41, 4.1, True, np.random.default_rng(41), np.random.RandomState(41)])
def test_a_seed_is_none_or_a_whole_number(mechanism: object, seed: object) -> None:
    with pytest.raises(ValueError, match="give None or a secret int >= 0"):
        LabelDPRegressor(mechanism=mechanism, bounds=BOUNDS, random_state=seed).fit(*rows(50))  # type: ignore[arg-type]


def test_no_seed_is_printed() -> None:
    inner = RPWithPrior(2.0, BOUNDS, random_state=535353)
    model = LabelDPRegressor(Ridge(alpha=3.0), inner, random_state=424242)
    for shown in (repr(model), str(model), model._repr_html_()):
        assert "424242" not in shown
        assert "535353" not in shown
        assert "alpha" in shown
    assert repr(model).startswith("LabelDPRegressor(estimator=Ridge(alpha=3.0),")
    assert (model.random_state, inner.random_state) == (424242, 535353)


def test_masked_labels_are_refused() -> None:
    x, y = rows(50)
    for masked in (np.ma.array(y, mask=y > 2), np.ma.array(y, mask=y > 2)[:, None]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)
            with pytest.raises(ValueError, match="masked array"):
                LabelDPRegressor(bounds=BOUNDS).fit(x, masked)


def test_errors_show_no_label() -> None:
    x, _ = rows(2)
    for y in (["secret42k", "1"], [[7.25], [7.25, 7.25]]):
        with pytest.raises(ValueError, match=r"labels are not|inhomogeneous") as raised:
            LabelDPRegressor(bounds=BOUNDS).fit(x, y)  # type: ignore[arg-type]
        assert "secret" not in str(raised.value)
        assert "7.25" not in str(raised.value)


def test_what_is_learned_holds_no_labels_and_no_random_numbers() -> None:
    x, y = rows(300)
    model = LabelDPRegressor(bounds=BOUNDS, random_state=0).fit(x, y)
    learned = {k: v for k, v in vars(model).items() if k.endswith("_")}
    assert set(learned) == {"estimator_", "mechanism_", "privacy_"}
    inside = vars(model.mechanism_)
    assert "_rng" not in inside
    assert inside["random_state"] is None
    assert not [k for k, v in inside.items() if np.shape(v) == (300,)]


def test_it_clones_and_nests() -> None:
    model = LabelDPRegressor(Ridge(alpha=3.0), RPWithPrior(2.0, BOUNDS, half_width=0.1))
    copied = clone(model).set_params(estimator__alpha=5.0, mechanism__half_width=0.4)
    assert (copied.estimator.alpha, copied.mechanism.half_width) == (5.0, 0.4)
    assert (model.estimator.alpha, model.mechanism.half_width) == (3.0, 0.1)
    x, y = rows(300)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LabelDPRegressor(Ridge(), "laplace", 8.0, BOUNDS, random_state=0)),
        {"labeldpregressor__estimator__alpha": [0.1, 10.0]},
    ).fit(x, y)
    assert np.isfinite(search.predict(x)).all()


def test_weights_reach_the_regressor() -> None:
    x, y = rows(200)
    weights = np.zeros(200)
    weights[:100] = 1.0
    model = LabelDPRegressor(LinearRegression(), "laplace", 2.0, BOUNDS, random_state=0)
    weighted = model.fit(x, y, sample_weight=weights).predict(x)
    released = LaplaceLabels(2.0, BOUNDS, random_state=0).fit_randomize(y)
    assert weighted == pytest.approx(LinearRegression().fit(x[:100], released[:100]).predict(x))
