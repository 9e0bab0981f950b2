import dataclasses
import math

import numpy as np
import pytest

from assay.methods.privacy.rpwithprior import study
from assay.methods.privacy.rpwithprior.priors import published_prior
from assay.methods.privacy.rpwithprior.study import Audit, ErrorMap, audit_density, audit_prior, audit_sampler, split
from assay.studies.study import Trial
from assay.testing import MemoryRun


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def table(folder, name, rows=240):
    """A table as a user would bring it: linear in two features, labels within the public bounds."""
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, (rows, 2))
    low, high = study.BOUNDS[name]
    y = low + (high - low) * (0.2 + 0.4 * x[:, 0] + 0.2 * x[:, 1])
    lines = ["a,b,label", *(f"{a},{b},{c}" for (a, b), c in zip(x, y, strict=True))]
    (folder / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(("rows", "train", "test"), [("1600", 1600, 400), ("all", 43_152, 10_788)])
def test_four_fifths_train_and_one_fifth_tests(rng, rows, train, test):
    one, other = split(53_940, rows, rng)
    assert (len(one), len(other)) == (train, test)
    assert not set(one) & set(other)


def test_the_data_are_whole_and_inside_the_public_bounds():
    for name, shape in (("diamonds", (53_940, 26)), ("ames", (2_930, 312))):
        x, y = study.load(name, "")
        assert x.shape == shape
        assert np.isfinite(x).all()
        assert study.BOUNDS[name][0] <= y.min() < y.max() <= study.BOUNDS[name][1]


def test_every_regime_of_every_test_is_one_of_the_settings():
    for scale in (ErrorMap.small, ErrorMap.full):
        assert len(set(scale.regimes)) == len(scale.regimes)
    every = {*ErrorMap.small.regimes, *ErrorMap.full.regimes}
    for test in ErrorMap.tests:
        assert set(test.regimes) <= every
    assert set(ErrorMap.small.regimes) <= {regime for test in ErrorMap.tests for regime in test.regimes}


def test_a_trial_of_the_papers_own_data_runs_on_a_table_the_user_brings(tmp_path):
    settings = dataclasses.replace(ErrorMap.full, data=str(tmp_path), seeds=1, epochs=2)
    assert ErrorMap().missing(settings) == [
        f"{name}.csv (--set data=FOLDER): a header line, numbers, the label in the last column"
        for name in ("california", "communities")
    ]
    table(tmp_path, "california")
    table(tmp_path, "communities")
    assert ErrorMap().missing(settings) == []
    run = MemoryRun(settings, regime="communities/all/mlp/eps=2", seed=0)
    ErrorMap().trial(run)
    arms = run.trial.arms
    mechanisms = set(study.mechanisms(1.0, (0.0, 1.0), 0.4, lambda name: 0)) - set(study.WITH_RIDGE_ONLY)
    assert set(arms) == {"no privacy", "mean", "no labels"} | mechanisms
    assert all(math.isfinite(metrics["mse"]) and metrics["mse"] > 0 for metrics in arms.values())


def test_both_learners_get_the_same_releases():
    settings = dataclasses.replace(ErrorMap.small, epochs=1)
    found = []
    for learner in ("ridge", "mlp"):
        run = MemoryRun(settings, regime=f"diamonds/1600/{learner}/eps=1", seed=10_000)
        ErrorMap().trial(run)
        found.append({name: arm["release mse"] for name, arm in run.trial.arms.items() if "release mse" in arm})
    ridge, network = found
    assert {name: ridge[name] for name in network} == network
    assert set(ridge) - set(network) == set(study.WITH_RIDGE_ONLY)


def test_no_test_is_fit_where_features_do_not_predict():
    def trial(clean):
        return Trial("r", 0, {"mean": {"mse": 2.0}, "no privacy": {"mse": clean}}, {}, {})

    assert ErrorMap().fits(ErrorMap.tests[0], [trial(0.1), trial(0.2)]) is None
    assert "hardly better than the mean" in ErrorMap().fits(ErrorMap.tests[0], [trial(1.9), trial(2.1)])


def test_log_ratio_is_positive_where_the_arm_is_better():
    trial = Trial("r", 0, {"a": {"mse": 1.0}, "b": {"mse": 2.0}}, {}, {})
    assert study.log_ratio(trial, "a", "b") == pytest.approx(math.log(2))
    assert study.log_ratio(trial, "b", "a") == pytest.approx(-math.log(2))


# --- the audits find what is there, and nothing else ---------------------------------------------------------------


@pytest.mark.parametrize(("audit", "too_much"), [(audit_density, 1.1), (audit_sampler, 2.0)])
def test_a_release_passes_and_one_with_too_much_budget_does_not(rng, audit, too_much):
    found = audit(rng, 30, 1.0)
    assert (found.checked, found.violations) == (30, 0)
    spoiled = audit(rng, 30, too_much)
    assert spoiled.confirmed >= 10
    assert spoiled.worst.startswith("epsilon ")


@pytest.mark.filterwarnings("ignore:invalid value encountered in subtract")  # clear labels lie outside the support
def test_the_audit_of_the_sampler_finds_labels_in_clear(rng, monkeypatch):
    monkeypatch.setattr(study.RPWithPrior, "_draw", lambda self, y, rng: y)
    assert audit_density(rng, 20, 1.0).violations == 0, "a density says nothing of the sampler"
    assert audit_sampler(rng, 20, 1.0).confirmed >= 10


def test_the_published_prior_gives_away_the_sum_of_what_it_holds(rng):
    labels = rng.uniform(0.2, 0.8, study.ROWS)
    prior = published_prior(labels, (0.0, 1.0), 1.0, np.random.default_rng(4))
    last = np.clip(labels[-study.LAST_BATCH :] + np.random.default_rng(4).laplace(0.0, 1.0, study.LAST_BATCH), 0, 1)
    mean = np.concatenate([labels, last]).mean()
    assert np.min(np.abs(prior.nodes - mean)) < 1e-12, "the mean is one of the nodes"


@pytest.mark.parametrize(
    ("noisy", "violations"),
    [(0, 4), (study.ROWS, 0)],
    ids=["clean labels leak at every budget", "noise on every label is private"],
)
def test_the_audit_of_priors_knows_the_two_ends(noisy, violations):
    run = MemoryRun(Audit.small, regime="all", seed=10_000)
    found = audit_prior(run, "prior", noisy, 20_000)
    assert (found.checked, found.violations, found.confirmed) == (4, violations, violations)


def test_the_bound_on_a_log_ratio_holds_for_a_known_one():
    rng = np.random.default_rng(0)
    n = 200_000
    sums = (rng.normal(0.0, 1.0, n), rng.normal(0.5, 1.0, n))
    truth = math.log(0.3085375 / 0.1586553)  # P(N(0.5, 1) >= 1) / P(N(0, 1) >= 1)
    bound = study._log_ratio(sums, 1.0)
    assert truth - 0.06 < bound < truth
    assert study._log_ratio((sums[0], sums[0] - 100.0), 1.0) == -math.inf


def test_the_plain_searches_find_the_same_value():
    rng = np.random.default_rng(1)
    prior = study.StepPrior(np.linspace(0, 1, 31), rng.dirichlet(np.ones(30)))
    *_, value = study.optimal_interval(prior.mass, prior.nodes, study.EPSILON, study.WIDTH)
    assert study._summed_afresh(prior) == pytest.approx(value)
    assert study._all_pairs(prior) == pytest.approx(value)


def test_the_exponent_is_read_from_the_arms_that_share_a_name():
    sizes = {"a 4": 4.0**2, "a 8": 8.0**2, "a 16": 16.0**2, "b 4": 7.0, "a 16 again": 2 * 16.0**2}
    trial = Trial("all", 0, {name: {"cpu": seconds} for name, seconds in sizes.items()}, {}, {})
    assert study.two_minus_exponent(trial, "a 16", None) == pytest.approx(0.0, abs=1e-12)
    assert study.two_minus_exponent(trial, "a 16", "a 16 again") == pytest.approx(0.5)
