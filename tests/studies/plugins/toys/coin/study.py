"""Studies that misbehave on request: what happens is steered by files in the folder `settings.play`."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from assay.studies.study import Series, Settings, Test, local


@dataclass(frozen=True)
class CoinSettings(Settings):
    """Settings of the toy."""

    seeds: int = 5
    regimes: tuple[str, ...] = ("calm", "rough")
    play: str = local()
    """Folder for notes of what was executed and for files that ask for trouble."""
    pause: float = 0.0
    """Seconds an arm sleeps."""


def higher(trial, arm, baseline):
    return trial.value(arm, "value") - trial.value(baseline, "value")


def note(play, what):
    """One line, written in one go."""
    with open(Path(play) / "notes", "ab") as stream:
        stream.write(f"{what}\n".encode())


class Coin:
    name = "coin"
    small = CoinSettings()
    full = CoinSettings(seeds=20)
    stand_in = "numbers in place of data"
    tests = (
        Test("higher", "coin", higher, margin=0.1, against=("plain",), control="placebo"),
        Test("peer", "coin", higher, margin=0.1, against=("peer",), regimes=("calm",)),
    )

    def trial(self, run):
        play, key = run.settings.play, f"{run.regime} {run.seed}"
        rng = run.rng(run.regime)
        plain = run.once("start", lambda: self.start(play, key, run.rng(f"start {run.regime}")))

        def value(name, shift):
            def compute():
                note(play, f"begin {key} {name}")
                trouble = Path(play) / f"{name} {key}"
                if trouble.exists():
                    action = trouble.read_text()
                    if action.startswith("once"):
                        trouble.unlink()
                    if "kill" in action:
                        os.kill(os.getpid(), 9)
                    if "memory" in action:
                        raise MemoryError
                    raise ArithmeticError("diverged")
                run.progress(0.5, "half")
                time.sleep(run.settings.pause)
                note(play, f"end {key} {name}")
                return {"value": plain + shift, "curve": Series((0.0, 1.0), (plain, plain + shift), "step", "value")}

            return compute

        run.arm("plain", value("plain", 0.0))
        run.arm("coin", value("coin", 1.0 + 0.01 * rng.standard_normal()))
        run.arm("placebo", value("placebo", 0.01 * rng.standard_normal()))
        run.arm("peer", value("peer", 0.5), needs=("no_such_peer",))
        if (Path(play) / f"crash {key}").exists():
            raise RuntimeError("a bug in the study")
        run.file("note.txt").write_text(key)

    @staticmethod
    def start(play, key, rng):
        note(play, f"start {key}")
        return float(rng.standard_normal())


class Prepared:
    """Prepares a folder; its arm reads it and says what the worker's threads and environment are."""

    name = "prepared"
    small = CoinSettings(regimes=("all",))
    full = CoinSettings(regimes=("all",))
    stand_in = ""
    timed = True
    tests = ()

    def prepare(self, settings, folder, progress):
        note(settings.play, "prepare")
        if (Path(settings.play) / "prepare kill").exists():
            (Path(settings.play) / "prepare kill").unlink()
            (folder / "half").write_text("half")
            os.kill(os.getpid(), 9)
        progress(0.5, "preparing")
        time.sleep(settings.pause)
        (folder / "number").write_text("42")

    def trial(self, run):
        from threadpoolctl import threadpool_info

        def look():
            return {
                "number": float((run.prepared / "number").read_text()),
                "half": float((run.prepared / "half").exists()),
                "threads": float(max((pool["num_threads"] for pool in threadpool_info()), default=0)),
                "variable": float(os.environ["OMP_NUM_THREADS"]),
                "cores": float(len(os.sched_getaffinity(0))),
            }

        run.arm("look", look)
        run.race({"quick": lambda: None, "slow": lambda: time.sleep(0.002)})


class Empty:
    """A study whose user has to bring something."""

    name = "empty"
    small = CoinSettings()
    full = CoinSettings()
    stand_in = ""
    tests = ()

    def missing(self, settings):
        return ["a file of coins (--set play=FOLDER)"] if not settings.play else []

    def trial(self, run):
        run.arm("nothing", lambda: {})


STUDIES = (Coin(), Prepared(), Empty())
