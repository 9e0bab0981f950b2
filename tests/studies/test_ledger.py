import dataclasses
import json

import pytest

from assay import catalogue
from assay.catalogue import studies
from assay.claims.effects import Failed
from assay.studies.ledger import (
    StudyBroken,
    baselines_only,
    judge_run,
    ledger,
    outcome_of,
    store,
    stored_lines,
)
from assay.studies.run import run
from assay.studies.study import Test, Trial, stand_in


def difference(trial, arm, baseline):
    return trial.value(arm, "v") - (trial.value(baseline, "v") if baseline else 0.0)


def made(seed, *, failed=(), missing=(), **arms):
    return Trial(
        "all",
        seed,
        {name: {"v": value} for name, value in arms.items()},
        dict.fromkeys(failed, "diverged"),
        {name: f"needs {name}: pip install {name}" for name in missing},
    )


class Plain:
    name = "plain"
    tests = ()
    stand_in = ""


def test_effects_are_paired_by_trial_for_every_baseline_and_companion():
    test = Test("c", "m", difference, 0.1, against=("a", "b"), control="k", simpler="s", spoiled="x", itself="again")
    trials = [made(i, m=10.0 + i, a=1.0, b=2.0 * i, k=3.0, s=9.0, x=-1.0, again=10.0) for i in range(3)]
    outcome = outcome_of(Plain(), test, trials)
    assert outcome.effects == {"a": [9.0, 10.0, 11.0], "b": [10.0, 9.0, 8.0]}
    assert outcome.control == {"a": [2.0, 2.0, 2.0], "b": [3.0, 1.0, -1.0]}
    assert outcome.simpler == {"": [1.0, 2.0, 3.0]}
    assert outcome.spoiled == {"a": [-2.0, -2.0, -2.0], "b": [-1.0, -3.0, -5.0]}
    assert outcome.itself == [0.0, 1.0, 2.0]
    assert outcome.untested is None


def test_failures_say_whose_they_are():
    test = Test("c", "m", difference, 0.1, against=("a", "b"), control="k")
    trials = [
        made(0, m=1.0, a=0.0, b=0.0, k=0.0),
        made(1, failed=("m",), a=0.0, b=0.0, k=0.0),
        made(2, failed=("a", "k"), m=1.0, b=0.0),
    ]
    outcome = outcome_of(Plain(), test, trials)
    assert outcome.effects["a"] == [1.0, Failed("method", "diverged"), Failed("baseline", "diverged")]
    assert outcome.effects["b"] == [1.0, Failed("method", "diverged"), 1.0]
    assert outcome.control["b"] == [0.0, 0.0, Failed("baseline", "diverged")]


def test_a_missing_peer_makes_its_tests_untested_with_the_install_line():
    trials = [made(i, missing=("b",), m=1.0, a=0.0) for i in range(5)]
    with_peer = outcome_of(Plain(), Test("c", "m", difference, 0.1, against=("a", "b")), trials)
    assert with_peer.untested == "needs b: pip install b"
    without = outcome_of(Plain(), Test("c", "m", difference, 0.1, against=("a",)), trials)
    assert without.untested is None


def test_a_precondition_sees_no_arm_of_the_method():
    test = Test("c", "m", difference, 0.1, against=("a",), control="k", simpler="s", spoiled="x")
    trial = made(0, m=1.0, a=2.0, k=3.0, s=4.0, x=5.0, reference=6.0, failed=("y",))
    seen = baselines_only(test, trial)
    assert set(seen.arms) == {"a", "reference"}

    class Picky(Plain):
        def fits(self, test, trials):
            assert all(set(t.arms) == {"a", "reference"} for t in trials)
            return "too easy"

    assert outcome_of(Picky(), test, [trial]).unfit == "too easy"


def test_a_measure_that_cannot_read_its_trial_is_named():
    test = Test("c", "m", lambda trial, arm, baseline: trial.value(arm, "w"), 0.1)
    with pytest.raises(StudyBroken, match="claim c, arm m, regime all, seed 0 cannot read its trial: KeyError: 'w'"):
        outcome_of(Plain(), test, [made(0, m=1.0)])


def test_what_stands_in_may_differ_at_full_scale():
    class Full(Plain):
        stand_in = "small data"
        full_stand_in = ""

    assert (stand_in(Full(), "small"), stand_in(Full(), "full")) == ("small data", "")
    Full.full_stand_in = None
    assert stand_in(Full(), "full") == "small data"


@pytest.fixture
def only_coin(coin, monkeypatch):
    """A catalogue with the toy alone."""
    monkeypatch.setattr(catalogue, "cards", lambda: ([coin], []))
    return coin


def go(coin, play, runs):
    """Run the toy at its small scale: `play` only says where things lie, so the run counts."""
    (done,) = run(coin, study="coin", changes={"play": str(play)}, folder=runs)
    return done


def test_the_ledger_of_a_run(only_coin, play, tmp_path):
    before = ledger(tmp_path / "runs")
    assert [str(line) for line in before.current] == [
        "untested (not run on this machine yet: assay run theory/coin)",
        "untested (not run on this machine yet: assay run theory/coin)",
        "untested (no mint here)",
    ]
    assert before.totals().startswith("0 tests;")
    done = go(only_coin, play, tmp_path / "runs")
    after = ledger(tmp_path / "runs")
    higher, peer, elsewhere = after.current
    assert higher.verdict.word == "consistent"
    assert higher.verdict.mean == pytest.approx(1.0, abs=0.05)
    assert (higher.run, higher.scale, higher.stand_in) == (done.folder.name, "small", "numbers in place of data")
    assert [line.regime for line in after.regimes(higher)] == ["calm", "rough"]
    assert (peer.verdict.word, peer.verdict.reason) == ("untested", "needs no_such_peer: pip install no-such-peer")
    assert elsewhere.verdict.reason == "no mint here"
    assert after.problems == ()
    assert json.loads(json.dumps(after.to_json()))["lines"]


def test_a_changed_protocol_starts_a_new_line_and_the_old_one_stays(only_coin, play, tmp_path, monkeypatch):
    done = go(only_coin, play, tmp_path / "runs")
    study = studies(only_coin)[0]
    stricter = (dataclasses.replace(study.tests[0], margin=0.2), *study.tests[1:])
    monkeypatch.setattr(type(study), "tests", stricter)
    now = ledger(tmp_path / "runs")
    assert now.current[0].verdict.word == "untested"
    old = [line for line in now.lines if line.superseded and not line.regime]
    assert str(old[0]) == "superseded, was consistent"
    assert old[0].run == done.folder.name


def test_stored_lines_come_back_as_they_were(only_coin, play, tmp_path):
    done = go(only_coin, play, tmp_path / "runs")
    lines = judge_run(only_coin, studies(only_coin)[0], done)
    store(done, lines)
    assert stored_lines(only_coin, done, superseded=False) == lines


def test_custom_runs_stay_out(only_coin, play, tmp_path):
    run(only_coin, study="coin", changes={"play": str(play), "pause": "0.001"}, folder=tmp_path / "runs")
    assert all(not line.run for line in ledger(tmp_path / "runs").lines)


def test_a_damaged_run_is_a_sentence_and_the_rest_is_there(only_coin, play, tmp_path):
    done = go(only_coin, play, tmp_path / "runs")
    (done.folder / "trials.jsonl").write_bytes(b"nonsense\n")
    found = ledger(tmp_path / "runs")
    assert len(found.problems) == 1
    assert "line 1" in found.problems[0]
    assert {line.claim.id for line in found.current} == {"higher", "peer", "elsewhere"}
