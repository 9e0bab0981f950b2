import json
import os
import random
import signal
import subprocess
import threading
import time
from collections import Counter

import pytest

from assay.studies.crew import CannotRun
from assay.studies.records import Run, RunBusy, RunWriter
from assay.studies.run import changed, plan, run

ARMS = ("plain", "coin", "placebo", "peer")


def go(coin, play, tmp_path, study="coin", **more):
    """Run one toy study and return it with the events."""
    events = []
    changes = {"play": str(play), **more.pop("changes", {})}
    (done,) = run(coin, study=study, changes=changes, folder=tmp_path / "runs", on_event=events.append, **more)
    return done, events


def notes(play):
    return (play / "notes").read_text().splitlines()


def test_a_run_records_every_arm_and_resumes_to_nothing(coin, play, tmp_path):
    first, events = go(coin, play, tmp_path)
    trials = first.trials()
    assert [(t.regime, t.seed) for t in trials] == [(r, s) for r in ("calm", "rough") for s in range(5)]
    assert all(t.complete and set(t.arms) == {"plain", "coin", "placebo"} for t in trials)
    assert all(t.missing == {"peer": "needs no_such_peer: pip install no-such-peer"} for t in trials)
    assert first.state == "finished"
    assert first.header.trials == 10
    assert first.info["sessions"][0]["versions"]["numpy"]
    assert not (first.folder / "cache").exists()
    assert {e.kind for e in events} == {"start", "arm", "progress", "trial", "end"}
    assert trials[0]["coin"]["curve"].x_label == "step"
    assert len(list((first.folder / "files").iterdir())) == 10

    before = notes(play)
    again, events = go(coin, play, tmp_path)
    assert notes(play) == before
    assert again.folder == first.folder
    assert [e.kind for e in events] == ["start", "end"]
    assert len(again.info["sessions"]) == 2


def test_the_same_seed_gives_the_same_numbers_whatever_the_number_of_jobs(coin, play, tmp_path):
    one, _ = go(coin, play, tmp_path / "one", jobs=1)
    two, _ = go(coin, play, tmp_path / "two", jobs=2)
    assert one.trials() == two.trials()
    assert one.protocol == two.protocol


def test_more_seeds_are_the_same_run(coin, play, tmp_path):
    first, _ = go(coin, play, tmp_path)
    more, events = go(coin, play, tmp_path, seeds=10)
    assert more.folder == first.folder
    assert more.planned == 5
    assert more.info["seeds"] == 10
    assert len(more.trials()) == 20
    assert events[0].done == 10


def test_an_arm_that_raises_is_recorded_and_the_trial_goes_on(coin, play, tmp_path):
    (play / "coin calm 2").write_text("raise")
    done, _ = go(coin, play, tmp_path)
    (trial,) = [t for t in done.trials() if (t.regime, t.seed) == ("calm", 2)]
    assert trial.complete
    assert trial.failed == {"coin": "ArithmeticError: diverged"}
    assert set(trial.arms) == {"plain", "placebo"}
    before = notes(play)
    go(coin, play, tmp_path)
    assert notes(play) == before, "a failure is a result: it is not run again"


@pytest.mark.parametrize("trouble", ["once kill", "once memory"])
def test_a_dead_worker_means_the_same_seed_again(coin, play, tmp_path, trouble):
    (play / "coin rough 3").write_text(trouble)
    done, events = go(coin, play, tmp_path)
    assert [e.kind for e in events].count("died") == 1
    assert all(t.complete and not t.failed for t in done.trials())
    counts = Counter(notes(play))
    assert counts["begin rough 3 coin"] == 2
    assert counts["begin rough 3 plain"] == 1, "recorded arms are not run again"
    assert counts["start rough 3"] == 1, "`once` is kept on disk"


def test_an_arm_that_always_kills_its_process_is_a_failure(coin, play, tmp_path):
    (play / "coin rough 3").write_text("kill")
    done, events = go(coin, play, tmp_path)
    assert [e.kind for e in events].count("died") == 3
    (trial,) = [t for t in done.trials() if (t.regime, t.seed) == ("rough", 3)]
    assert "died 3 times" in trial.failed["coin"]
    assert trial.complete
    assert set(trial.arms) == {"plain", "placebo"}


def test_a_bug_outside_an_arm_stops_the_run_and_can_be_resumed(coin, play, tmp_path):
    (play / "crash calm 1").touch()
    with pytest.raises(CannotRun, match=r"regime calm, seed 1: RuntimeError: a bug in the study"):
        go(coin, play, tmp_path)
    (folder,) = (tmp_path / "runs").glob("theory.*")
    assert Run(folder).state == "stopped"
    (play / "crash calm 1").unlink()
    done, _ = go(coin, play, tmp_path)
    assert all(t.complete for t in done.trials())
    assert Counter(notes(play))["begin calm 1 coin"] == 1


def test_a_missing_package_that_was_installed_is_run_on_resume(coin, play, tmp_path, monkeypatch):
    done, _ = go(coin, play, tmp_path)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "no_such_peer.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    before = len(notes(play))
    done, _ = go(coin, play, tmp_path)
    fresh = notes(play)[before:]
    assert all("peer" in t.arms and not t.missing for t in done.trials())
    assert sorted(line for line in fresh if line.startswith("begin")) == sorted(
        f"begin {r} {s} peer" for r in ("calm", "rough") for s in range(5)
    )


def test_prepared_once_threads_pinned_and_raced(coin, play, tmp_path):
    done, _ = go(coin, play, tmp_path, study="prepared")
    go(coin, play, tmp_path / "other", study="prepared")
    assert notes(play) == ["prepare"]
    for trial in done.trials():
        look = trial["look"]
        assert (look["number"], look["half"], look["variable"]) == (42, 0, 1)
        assert look["threads"] <= 1
        assert look["cores"] == 1  # a timed study
        assert set(trial.arms) == {"look", "quick", "quick again", "slow"}
        assert trial.value("slow", "wall") > 0.002 > trial.value("slow", "cpu")


def test_a_killed_preparation_starts_from_an_empty_folder(coin, play, tmp_path):
    (play / "prepare kill").touch()
    with pytest.raises(CannotRun, match="preparing was killed"):
        go(coin, play, tmp_path, study="prepared")
    done, _ = go(coin, play, tmp_path, study="prepared", seeds=1)
    assert done.trials()[0].value("look", "half") == 0


def test_two_processes_prepare_once(coin, play, tmp_path):
    both = [
        threading.Thread(
            target=run,
            args=(coin,),
            kwargs={
                "study": "prepared",
                "changes": {"play": str(play), "pause": "0.3"},
                "folder": tmp_path / name,
                "seeds": 1,
            },
        )
        for name in ("a", "b")
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert notes(play) == ["prepare"]


def test_what_a_user_must_supply_is_asked_before_anything_starts(coin, tmp_path):
    with pytest.raises(CannotRun, match=r"study empty: you have to supply a file of coins \(--set play=FOLDER\)"):
        run(coin, study="empty", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"study": "cion"}, r"no study 'cion'; it has coin, prepared, empty"),
        ({"scale": "medium"}, r"--scale is 'medium'; it must be small or full"),
        ({"seeds": 0}, r"--seeds is 0; it must be at least 1"),
        ({"jobs": 0}, r"--jobs is 0; it must be at least 1"),
        (
            {"changes": {"paws": "1"}},
            r"--set paws: there is no such setting; there are seeds, regimes, threads, play, pause",
        ),
        ({"changes": {"seeds": "9"}}, r"--set seeds: give the number of seeds with --seeds"),
        ({"changes": {"threads": "0"}}, r"--set threads=0: a trial needs at least 1 thread"),
        ({"changes": {"regimes": " , "}}, r"--set regimes: name at least one of calm, rough"),
        ({"changes": {"pause": "long"}}, r"--set pause=long: the value must be float"),
        ({"changes": {"regimes": "calm,mild"}}, r"no regime 'mild'; there are calm, rough"),
    ],
)
def test_bad_requests_are_one_line(coin, tmp_path, arguments, message):
    with pytest.raises(CannotRun, match=message) as error:
        run(coin, folder=tmp_path, **{"study": "coin", **arguments})
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_changed_settings_are_another_protocol_and_kept_apart(coin, play):
    (plain,) = plan(coin, study="coin")
    (other,) = plan(coin, study="coin", changes={"pause": "0.5", "regimes": "calm"})
    assert (plain.scale, other.scale) == ("small", "custom")
    assert plain.protocol != other.protocol
    assert plain.folder != other.folder
    assert other.settings.regimes == ("calm",)
    (moved,) = plan(coin, study="coin", changes={"play": "elsewhere"})
    assert (moved.scale, moved.protocol) == ("small", plain.protocol), "where things lie is not part of the protocol"
    assert changed(plain.settings, {"threads": "2"}).threads == 2


def test_only_one_driver_at_a_time(coin, play, tmp_path):
    (one,) = plan(coin, study="coin", changes={"play": str(play)}, folder=tmp_path / "runs")
    info = {"method": "m", "study": "s", "scale": "small", "protocol": "p", "planned": 5, "seeds": 5}
    with RunWriter(one.folder, {**info, "settings": {"regimes": []}}):
        assert Run(one.folder).state == "running"
        with pytest.raises(RunBusy, match="another process is running this study"):
            go(coin, play, tmp_path)


def all_gone(group):
    """Whether every process of a group ends within ten seconds; those only waiting to be reaped have ended."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        table = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in table.splitlines()]
        if not any(int(pgid) == group and not state.startswith("Z") for pgid, state in rows):
            return True
        time.sleep(0.05)
    return False


def test_ctrl_c_leaves_whole_records_and_no_process(coin, play, tmp_path, driver):
    process = subprocess.Popen(
        [*driver, str(play), "0.2", str(tmp_path / "runs")], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    while process.stdout.readline() != "trial\n":
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(20) == 130
    (folder,) = (tmp_path / "runs").glob("theory.*")
    stopped = Run(folder)
    assert stopped.state == "stopped"
    assert any(t.complete for t in stopped.trials())
    assert all(json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines())
    assert all_gone(process.pid)
    done, _ = go(coin, play, tmp_path, changes={"pause": "0.2"})
    assert done.folder == folder
    assert all(t.complete for t in done.trials())


def test_kill_9_at_random_moments_loses_at_most_the_arm_under_way(coin, play, tmp_path, driver):
    moment, jobs, kills = random.Random(5), 2, 6
    command = [*driver, str(play), "0.1", str(tmp_path / "runs")]
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(moment.uniform(0.3, 1.2))
        process.kill()
        process.wait()
        assert all_gone(process.pid), "workers end with their driver"
        for folder in (tmp_path / "runs").glob("theory.*"):
            assert (folder / "run.json").exists() <= (Run(folder).state in ("killed", "finished"))
            assert all(line["regime"] in ("calm", "rough") for line in Run(folder).lines())
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    (folder,) = (tmp_path / "runs").glob("theory.*")
    trials = Run(folder).trials()
    assert len(trials) == 10
    assert all(t.complete and set(t.arms) == {"plain", "coin", "placebo"} for t in trials)
    begun = Counter(line for line in notes(play) if line.startswith("begin"))
    assert len(begun) == 30
    assert sum(begun.values()) <= 30 + jobs * kills
    whole, _ = go(coin, play, tmp_path / "whole", changes={"pause": "0.1"})
    assert [t.arms for t in trials] == [t.arms for t in whole.trials()]
