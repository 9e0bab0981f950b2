"""The process that runs trials: it takes jobs from its pipe, sends back events, and writes no records.

It ends when its driver ends, ignores Ctrl-C (the driver stops it), and keeps numerical libraries to the study's
threads.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import pickle
import signal
import statistics
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.catalogue import installed
from assay.studies.records import decode, encode, slug
from assay.studies.study import Metric, Settings, Study, option

if TYPE_CHECKING:
    import numpy as np

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(frozen=True)
class Task:
    """What a worker needs to know once, before its jobs."""

    method: str
    module: str
    """Dotted name of study.py."""
    study: str
    settings: Settings
    prepared: Path
    folder: Path
    """The run's folder."""
    needs: Mapping[str, str]
    """Install arguments by import name, from the card."""


def threads_environment(threads: int) -> dict[str, str]:
    """Environment variables that keep numerical libraries to so many threads; they read them when first loaded."""
    return dict.fromkeys(_THREAD_VARIABLES, str(threads))


def _pin(threads: int) -> None:
    """Keep this process to so many cores, where the system can: some libraries count cores and nothing else."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def cache_folder(folder: Path, regime: str, seed: int) -> Path:
    """Where `TrialRun.once` keeps values of one trial until it is complete."""
    return folder / "cache" / slug(f"{regime}-{seed}")


def main(pipe: Connection, task: Task) -> None:
    """Do jobs until the driver hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()
    import threadpoolctl

    send = Sender(pipe)
    with contextlib.suppress(EOFError, OSError), threadpoolctl.threadpool_limits(task.settings.threads):
        while True:
            job, *rest = pipe.recv()
            try:
                study = load(task.module, task.study)
                if option(study, "timed"):
                    _pin(task.settings.threads)
                if job == "prepare":
                    option(study, "prepare")(task.settings, task.prepared, send.progress)
                else:
                    regime, seed, recorded = rest
                    study.trial(WorkerRun(task, send, regime, seed, recorded))
            except (KeyboardInterrupt, SystemExit, MemoryError):
                raise
            except Exception as error:  # noqa: BLE001 - reported to the driver, which stops the run with it
                send("crash", f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
            else:
                send("end")


def load(module: str, name: str) -> Study:
    """The study called `name` of a study.py."""
    found = [study for study in importlib.import_module(module).STUDIES if study.name == name]
    (study,) = found
    return study  # type: ignore[no-any-return]


def _end_with_driver() -> None:
    parent = parent_process()
    assert parent is not None, "a worker is started by multiprocessing"
    wait([parent.sentinel])
    os._exit(1)


def generator(seed: int, key: str) -> np.random.Generator:
    """The generator of `TrialRun.rng`."""
    import numpy as np

    return np.random.default_rng([seed, *hashlib.sha256(key.encode()).digest()[:16]])


class Sender:
    """Sends events; progress at most ten times a second."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._last = 0.0

    def __call__(self, kind: str, *rest: Any) -> None:
        """Send an event; after an arm, wait until it is on record, so that no more than one arm can be lost."""
        self._pipe.send((kind, *rest))
        if kind == "arm":
            self._pipe.recv()

    def progress(self, done: float, what: str = "") -> None:
        now = time.monotonic()
        if now - self._last >= 0.1:
            self._last = now
            self._pipe.send(("progress", float(done), what))


class WorkerRun:
    """`TrialRun` as a worker process provides it."""

    def __init__(self, task: Task, send: Sender, regime: str, seed: int, recorded: frozenset[str]) -> None:
        self.settings = task.settings
        self.prepared = task.prepared
        self.regime = regime
        self.seed = seed
        self._task = task
        self._send = send
        self._recorded = recorded
        self._names: set[str] = set()

    def arm(
        self, name: str, fn: Callable[[], Mapping[str, Metric]], needs: Sequence[str] = ()
    ) -> Mapping[str, Metric] | None:
        if not self._take(name, needs):
            return None
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            metrics = {key: encode(value) for key, value in fn().items()}
        except MemoryError:
            raise  # the machine's fault, not the arm's: the process ends and the driver tries again
        except Exception as error:  # noqa: BLE001 - recorded as the arm's failure
            self._failed(name, error)
            return None
        spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
        self._send("arm", {"arm": name, "state": "done", "metrics": metrics, **spent})
        return {key: decode(value) for key, value in metrics.items()}

    def race(self, contenders: Mapping[str, Callable[[], object]], repeats: int = 5) -> None:
        if repeats < 5:
            raise ValueError(f"race: repeats is {repeats}; a time needs at least 5")
        first = next(iter(contenders))
        entries = {**contenders, f"{first} again": contenders[first]}
        if all(name in self._recorded for name in entries):
            return
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in entries}
        for round_number in range(repeats + 1):  # the first round warms up
            self.progress(round_number / (repeats + 1), "racing")
            for name, fn in entries.items():
                wall, cpu = time.perf_counter(), time.process_time()
                fn()
                if round_number:
                    times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
        for name, pairs in times.items():
            metrics = {
                "wall": statistics.median(pair[0] for pair in pairs),
                "cpu": statistics.median(pair[1] for pair in pairs),
            }
            self.arm(name, lambda metrics=metrics: metrics)  # type: ignore[misc]

    def once(self, key: str, fn: Callable[[], Any]) -> Any:
        folder = cache_folder(self._task.folder, self.regime, self.seed)
        file = folder / f"{slug(key)}.pickle"
        if file.exists():
            return pickle.loads(file.read_bytes())  # noqa: S301 - written by this run
        value = fn()
        folder.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(pickle.dumps(value))
        part.replace(file)
        return value

    def rng(self, key: str) -> np.random.Generator:
        return generator(self.seed, key)

    def file(self, name: str) -> Path:
        folder = self._task.folder / "files" / slug(f"{self.regime}-{self.seed}")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / slug(name)

    def progress(self, done: float, what: str = "") -> None:
        self._send.progress(done, what)

    def _take(self, name: str, needs: Sequence[str]) -> bool:
        """Whether this arm is to be run now; records it as missing where a package is not there."""
        if name in self._names:
            raise ValueError(f"the arm {name!r} stands twice in one trial; give it another name")
        self._names.add(name)
        if name in self._recorded:
            return False
        lacking = [need for need in needs if not installed(need)]
        if lacking:
            lines = " ".join(self._task.needs.get(need, need) for need in lacking)
            why = f"needs {', '.join(lacking)}: pip install {lines}"
            self._send("arm", {"arm": name, "state": "missing", "why": why, "needs": lacking})
            return False
        self._send("begin", name)
        return True

    def _failed(self, name: str, error: Exception) -> None:
        trace = "".join(traceback.format_exception(error)[-3:])
        why = f"{type(error).__name__}: {error}"
        self._send("arm", {"arm": name, "state": "failed", "why": why, "trace": trace[-4000:]})
