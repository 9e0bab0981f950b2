"""Run folders: append-only records of trials, and an index of them in SQLite that can be rebuilt.

One folder per run: `run.json` (protocol, settings, environment of each session), `trials.jsonl` (one line per arm and
trial), `files/` (pictures and arrays a study kept), `report.html`. Only the driver of a run writes here, under a lock.
A line that a killed driver left half-written is cut off when the run is next opened for writing.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from filelock import FileLock, Timeout

from assay.claims.effects import Cases, Ratio, Rows
from assay.studies.study import Metric, Series, Trial

FORMAT = 1
MOST_POINTS = 500
State = Literal["running", "finished", "stopped", "killed"]


class RunBroken(ValueError):
    """A run folder that cannot be read; names the file and the line."""


class RunBusy(RuntimeError):
    """Another process is driving this run."""


# --- metrics as JSON ----------------------------------------------------------------------------------------------


def encode(metric: Metric) -> Any:
    """A metric as JSON. Numbers that are not finite become {"float": "nan"}, since JSON has none."""
    if isinstance(metric, str):
        return metric
    if isinstance(metric, Series):
        thin = thinned(metric)
        return {"series": {**dataclasses.asdict(thin), "x": _numbers(thin.x), "y": _numbers(thin.y)}}
    if isinstance(metric, Rows):
        return {"rows": _numbers(metric.values)}
    if isinstance(metric, Ratio):
        return {"ratio": _numbers((metric.num, metric.den))}
    if isinstance(metric, Cases):
        return {"cases": dataclasses.asdict(metric)}
    number = float(metric)
    return number if math.isfinite(number) else {"float": repr(number)}


def decode(value: Any) -> Metric:
    """The metric that `encode` wrote."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return float(value)
    (kind, inside), *_ = value.items()
    if kind == "float":
        return float(inside)
    if kind == "series":
        return Series(**{**inside, "x": _floats(inside["x"]), "y": _floats(inside["y"])})
    if kind == "rows":
        return Rows(_floats(inside))
    if kind == "ratio":
        return Ratio(*_floats(inside))
    if kind == "cases":
        return Cases(**inside)
    raise ValueError(f"unknown metric kind {kind!r}")


def thinned(series: Series) -> Series:
    """The curve with at most 500 points, evenly spaced by position, first and last kept."""
    if len(series.x) != len(series.y):
        raise ValueError(f"a series needs as many x as y, not {len(series.x)} and {len(series.y)}")
    n = len(series.x)
    if n <= MOST_POINTS:
        return series
    kept = [round(i * (n - 1) / (MOST_POINTS - 1)) for i in range(MOST_POINTS)]
    return dataclasses.replace(series, x=tuple(series.x[i] for i in kept), y=tuple(series.y[i] for i in kept))


def _numbers(values: Iterable[float]) -> list[Any]:
    return [float(v) if math.isfinite(v) else repr(float(v)) for v in values]


def _floats(values: Iterable[Any]) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


# --- one run ------------------------------------------------------------------------------------------------------


class Header(NamedTuple):
    """What a list of runs shows; read without opening the trials."""

    folder: str
    method: str
    study: str
    scale: str
    protocol: str
    state: State
    started: str
    ended: str
    seeds: int
    trials: int


class Run:
    """One run folder, for reading. `writing(run)` gives the driver's side."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)

    @cached_property
    def info(self) -> dict[str, Any]:
        """The content of run.json."""
        file = self.folder / "run.json"
        try:
            info: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise RunBroken(f"{file}: {error}; remove the folder or restore the file") from None
        if not isinstance(info, dict) or info.get("format") != FORMAT:
            raise RunBroken(f"{file}: written by another version of Assay (format {_format_of(info)}, not {FORMAT})")
        return info

    @property
    def header(self) -> Header:
        return _header(self.folder.name, self.info)

    @property
    def method(self) -> str:
        return str(self.info["method"])

    @property
    def study(self) -> str:
        return str(self.info["study"])

    @property
    def scale(self) -> str:
        return str(self.info["scale"])

    @property
    def protocol(self) -> str:
        return str(self.info["protocol"])

    @property
    def planned(self) -> int:
        """Trials per regime that the protocol declares."""
        return int(self.info["planned"])

    @property
    def state(self) -> State:
        """`running` only while a driver holds the run; a run whose driver was killed says so."""
        state: State = self.info["state"]
        if state == "running" and not _held(self.folder):
            return "killed"
        return state

    def lines(self) -> Iterator[dict[str, Any]]:
        """The records in the order they were written; a half-written last line is left out."""
        file = self.folder / "trials.jsonl"
        if not file.exists():
            if self.info["trials"]:
                raise RunBroken(f"{file}: missing, though run.json counts {self.info['trials']} trials; restore it")
            return
        try:
            stream = file.open("rb")
        except OSError as error:
            raise RunBroken(f"{file}: {error.strerror}; make it readable or remove the run") from None
        with stream:
            for number, raw in enumerate(stream, start=1):
                if not raw.endswith(b"\n"):
                    return
                try:
                    yield json.loads(raw)
                except ValueError as error:
                    raise RunBroken(
                        f"{file}: line {number} is damaged ({error}); remove that line, and its trial is run again"
                    ) from None

    def trials(self) -> list[Trial]:
        """All trials, by regime in the settings' order and seed; unfinished ones are marked."""
        order = {regime: i for i, regime in enumerate(self.info["settings"]["regimes"])}
        return sorted(trials_of(self.lines()), key=lambda t: (order.get(t.regime, len(order)), t.seed))

    def _repr_html_(self) -> str:
        from assay.studies.report import run_html

        return run_html(self)


def trials_of(lines: Iterable[Mapping[str, Any]]) -> list[Trial]:
    """The trials that a sequence of records describes; of two records of one arm the later one counts."""
    arms: dict[tuple[str, int], dict[str, Mapping[str, Any]]] = {}
    complete: dict[tuple[str, int], bool] = {}
    for line in lines:
        key = (line["regime"], line["seed"])
        here = arms.setdefault(key, {})
        if "arm" in line:
            here[line["arm"]] = line
        if "end" in line:
            complete[key] = line["end"] == "complete"
    found = []
    for (regime, seed), here in arms.items():
        by_state = {
            state: [(name, line) for name, line in here.items() if line["state"] == state]
            for state in ("done", "failed", "missing")
        }
        found.append(
            Trial(
                regime=regime,
                seed=seed,
                arms={
                    name: {metric: decode(value) for metric, value in line["metrics"].items()}
                    for name, line in by_state["done"]
                },
                failed={name: line["why"] for name, line in by_state["failed"]},
                missing={name: line["why"] for name, line in by_state["missing"]},
                complete=complete.get((regime, seed), False),
            )
        )
    return found


class RunWriter:
    """The driver's side of a run: holds the lock, appends records, keeps run.json true. Use as a context manager."""

    def __init__(self, folder: Path, info: Mapping[str, Any]) -> None:
        self.folder = folder
        self._first = dict(info)
        self._lock = FileLock(folder / "lock", timeout=0)
        self._stream: IO[bytes] | None = None
        self.info: dict[str, Any] = {}

    def __enter__(self) -> RunWriter:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            raise RunBusy(f"{self.folder}: another process is running this study; wait for it or stop it") from None
        try:
            if (self.folder / "run.json").exists():
                self.info = dict(Run(self.folder).info)
            else:
                self.info = {"format": FORMAT, "sessions": [], "trials": 0, **self._first}
            self.info.update(state="running", seeds=max(self._first["seeds"], self.info.get("seeds", 0)))
            self.info["sessions"] = [*self.info["sessions"], {"start": now(), "end": None, **environment()}]
            self._stream = self._open_at_last_line()
            self.info["trials"] = sum(trial.complete for trial in trials_of(Run(self.folder).lines()))
            self.save()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.info["state"] = "finished" if kind is None else "stopped"
            self.info["sessions"][-1]["end"] = now()
            self.save()
            if self._stream:
                self._stream.close()
        finally:
            self._lock.release()

    def append(self, line: Mapping[str, Any]) -> None:
        """Write one record; it is on disk when this returns."""
        assert self._stream is not None, "append inside `with`"
        self._stream.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())
        if line.get("end") == "complete":
            self.info["trials"] += 1
            self.save()

    def save(self) -> None:
        """Write run.json in one step: a reader sees the old one or the new one."""
        write_atomic(self.folder / "run.json", json.dumps(self.info, ensure_ascii=False, indent=1) + "\n")

    def _open_at_last_line(self) -> IO[bytes]:
        stream = (self.folder / "trials.jsonl").open("a+b")
        stream.seek(0)
        whole = sum(len(line) for line in stream if line.endswith(b"\n"))
        stream.truncate(whole)
        stream.seek(0, os.SEEK_END)
        return stream


def write_atomic(file: Path, text: str) -> None:
    """Write a text file so that nobody ever sees half of it."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    if file.exists():
        shutil.copymode(file, part)
    part.replace(file)


def now() -> str:
    """The time, UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def slug(text: str) -> str:
    """A name that is safe as a file name and still readable."""
    return re.sub(r"[^A-Za-z0-9._=-]+", "_", text).strip("_.") or "all"


def _held(folder: Path) -> bool:
    if not (folder / "lock").exists():
        return False
    lock = FileLock(folder / "lock", timeout=0)
    try:
        lock.acquire()
    except (Timeout, OSError):
        return True
    lock.release()
    return False


def _format_of(info: Any) -> Any:
    return info.get("format") if isinstance(info, dict) else None


# --- where a run took place ---------------------------------------------------------------------------------------


def environment() -> dict[str, Any]:
    """Python, platform, processor, cores and the versions of what is installed: what a reader needs to compare."""
    import platform
    from importlib import metadata

    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "commit": _commit(),
        "versions": dict(sorted((d.metadata["Name"], d.version) for d in metadata.distributions())),
    }


def _processor() -> str:
    import platform

    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass  # not Linux: the standard library's answer is the best there is
    return platform.processor() or platform.machine()


def _commit() -> str | None:
    """The commit of the source tree Assay runs from, with "+" when it was changed; None outside a checkout."""
    import subprocess

    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return None
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout
        changed = subprocess.run(
            ["git", "status", "--porcelain", "-uno", "--", "src"], cwd=root, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.strip()[:12] + ("+" if changed.strip() else "")


# --- many runs ----------------------------------------------------------------------------------------------------


def runs(folder: Path) -> tuple[list[Header], list[str]]:
    """Headers of all runs under `folder`, newest first, and a line for each folder that cannot be read.

    The index (`index.sqlite`) only saves reading each run.json again: it is checked against the files' times on every
    call, and made anew when it is lost, damaged or cannot be written.
    """
    if not folder.is_dir():
        return [], []
    stamps = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                found = os.stat(f"{entry.path}/run.json")
            except OSError:
                continue  # not a run folder
            if stat.S_ISREG(found.st_mode):
                stamps[entry.name] = found.st_mtime_ns
    known = _read_index(folder)
    headers, broken, fresh = [], [], []
    for name, stamp in stamps.items():
        row = known.get(name)
        if row and row[1] == stamp:
            headers.append(Header(name, *row[2:]))
            continue
        try:
            header = Run(folder / name).header
        except (RunBroken, KeyError, TypeError) as error:
            broken.append(
                str(error) if isinstance(error, RunBroken) else f"{folder / name / 'run.json'}: lacks {error}"
            )
            continue
        headers.append(header)
        fresh.append((name, stamp, *header[1:]))
    gone = known.keys() - stamps.keys()
    if fresh or gone:
        _write_index(folder, fresh, gone)
    return sorted(headers, key=lambda h: (h.started, h.folder), reverse=True), broken


_COLUMNS = "folder, stamp, method, study, scale, protocol, state, started, ended, seeds, trials"


def _read_index(folder: Path) -> dict[str, Any]:
    file = folder / "index.sqlite"
    if not file.exists():
        return {}
    try:
        with sqlite3.connect(file) as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM run").fetchall()  # noqa: S608 - a constant
        db.close()
    except sqlite3.Error:
        file.unlink(missing_ok=True)
        return {}
    return {row[0]: row for row in rows}


def _write_index(folder: Path, fresh: list[tuple[Any, ...]], gone: Iterable[str]) -> None:
    try:
        with sqlite3.connect(folder / "index.sqlite") as db:
            db.execute(f"CREATE TABLE IF NOT EXISTS run ({_COLUMNS}, PRIMARY KEY (folder)) WITHOUT ROWID")
            db.executemany("DELETE FROM run WHERE folder = ?", [(name,) for name in gone])
            db.executemany(f"INSERT OR REPLACE INTO run VALUES ({', '.join('?' * 11)})", fresh)  # noqa: S608 - constants
        db.close()
    except sqlite3.Error:
        pass  # a folder that cannot be written is still listed, only slower


def _header(name: str, info: Mapping[str, Any]) -> Header:
    sessions = info["sessions"]
    return Header(
        folder=name,
        method=info["method"],
        study=info["study"],
        scale=info["scale"],
        protocol=info["protocol"],
        state=info["state"],
        started=sessions[0]["start"],
        ended=sessions[-1]["end"] or "",
        seeds=info["seeds"],
        trials=info["trials"],
    )
