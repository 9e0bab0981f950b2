import json
import math
import shutil

import pytest

from assay.claims.effects import Cases, Ratio, Rows
from assay.studies.records import (
    Run,
    RunBroken,
    RunWriter,
    decode,
    encode,
    runs,
    slug,
    thinned,
    trials_of,
    write_atomic,
)
from assay.studies.study import Series

INFO = {
    "method": "theory/coin",
    "study": "coin",
    "scale": "small",
    "protocol": "f" * 64,
    "planned": 5,
    "seeds": 5,
    "settings": {"regimes": ["all"]},
}


def write(folder, lines=(), **changes):
    with RunWriter(folder, {**INFO, **changes}) as writer:
        for line in lines:
            writer.append(line)
    return Run(folder)


def arm(name, state="done", seed=0, **more):
    return {"regime": "all", "seed": seed, "arm": name, "state": state, **more}


@pytest.mark.parametrize(
    "metric",
    [
        1.5,
        -0.0,
        "words",
        Series((0.0, 1.0), (2.0, math.inf), "step", "loss"),
        Rows((1.0, -2.5)),
        Ratio(1.0, 3.0),
        Cases(300, 2, 1, "x = 3", True),
    ],
)
def test_metrics_survive_json(metric):
    assert decode(json.loads(json.dumps(encode(metric), allow_nan=False))) == metric


@pytest.mark.parametrize("number", [math.inf, -math.inf])
def test_infinite_numbers_survive(number):
    assert decode(encode(number)) == number


def test_nan_survives():
    assert math.isnan(decode(encode(math.nan)))


def test_curves_are_thinned_to_500_points_with_their_ends():
    x = tuple(float(i) for i in range(10_001))
    thin = thinned(Series(x, x))
    assert len(thin.x) == 500
    assert thin.x == thin.y
    assert (thin.x[0], thin.x[-1]) == (0.0, 10_000.0)
    assert list(thin.x) == sorted(set(thin.x))
    with pytest.raises(ValueError, match="as many x as y, not 2 and 1"):
        thinned(Series((0.0, 1.0), (0.0,)))


def test_the_later_record_of_an_arm_counts():
    lines = [
        arm("a", "missing", why="needs x", needs=["x"]),
        {"regime": "all", "seed": 0, "end": "crashed", "why": "bug"},
        arm("a", metrics={"v": 1.0}),
        arm("b", "failed", why="diverged"),
        {"regime": "all", "seed": 0, "end": "complete"},
    ]
    (trial,) = trials_of(lines)
    assert (trial.arms, trial.failed, trial.missing) == ({"a": {"v": 1.0}}, {"b": "diverged"}, {})
    assert trial.complete
    assert not trials_of(lines[:2])[0].complete


def test_a_half_written_line_is_ignored_and_cut_off_when_writing_goes_on(tmp_path):
    run = write(tmp_path / "r", [arm("a", metrics={"v": 1.0})])
    with (run.folder / "trials.jsonl").open("ab") as stream:
        stream.write(b'{"regime": "all", "seed": 0, "arm": "b", "sta')
    assert [line["arm"] for line in run.lines()] == ["a"]
    write(tmp_path / "r", [arm("c", metrics={"v": 2.0})])
    assert [line["arm"] for line in Run(run.folder).lines()] == ["a", "c"]


def test_a_damaged_line_in_the_middle_is_named(tmp_path):
    run = write(tmp_path / "r", [arm("a", metrics={})])
    (run.folder / "trials.jsonl").write_bytes(b"nonsense\n" + (run.folder / "trials.jsonl").read_bytes())
    with pytest.raises(RunBroken, match=r"trials.jsonl: line 1 is damaged"):
        list(run.lines())


def test_runs_lists_headers_newest_first_and_names_broken_folders(tmp_path):
    write(tmp_path / "one", [{"regime": "all", "seed": 0, "end": "complete"}])
    write(tmp_path / "two", study="other")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "run.json").write_text("{}")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "run.json").write_text('{"format"')
    (tmp_path / "no run").mkdir()
    headers, broken = runs(tmp_path)
    assert {h.folder: (h.study, h.trials, h.state) for h in headers} == {
        "one": ("coin", 1, "finished"),
        "two": ("other", 0, "finished"),
    }
    assert len(broken) == 2
    assert any("torn/run.json" in line for line in broken)
    assert runs(tmp_path / "nowhere") == ([], [])


def test_the_index_is_only_a_cache(tmp_path):
    write(tmp_path / "one")
    write(tmp_path / "two")
    first = runs(tmp_path)
    assert (tmp_path / "index.sqlite").exists()
    assert runs(tmp_path) == first
    write(tmp_path / "one", [{"regime": "all", "seed": 0, "end": "complete"}])
    assert {h.folder: h.trials for h in runs(tmp_path)[0]} == {"one": 1, "two": 0}
    (tmp_path / "index.sqlite").write_bytes(b"no database")
    assert {h.folder: h.trials for h in runs(tmp_path)[0]} == {"one": 1, "two": 0}
    shutil.rmtree(tmp_path / "two")
    assert [h.folder for h in runs(tmp_path)[0]] == ["one"]


def test_slug_makes_safe_names():
    assert slug("diamonds/1600/mlp/eps=0.3-4") == "diamonds_1600_mlp_eps=0.3-4"
    assert slug("../..") == "all"


def test_a_record_that_was_lost_or_cannot_be_read_is_named(tmp_path):
    run = write(tmp_path / "r", [{"regime": "all", "seed": 0, "end": "complete"}])
    trials = run.folder / "trials.jsonl"
    trials.unlink()
    with pytest.raises(RunBroken, match=r"trials.jsonl: missing, though run.json counts 1 trials"):
        list(Run(run.folder).lines())
    trials.mkdir()
    with pytest.raises(RunBroken, match=r"trials.jsonl: Is a directory"):
        list(Run(run.folder).lines())


def test_writing_in_one_step_keeps_the_mode(tmp_path):
    file = tmp_path / "f"
    write_atomic(file, "one")
    file.chmod(0o600)
    write_atomic(file, "two")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("two", 0o600)
    assert list(tmp_path.iterdir()) == [file]
