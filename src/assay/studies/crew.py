"""A few spawned worker processes and the loop that gives them trials and records what they send.

Every worker has a pipe of its own (a queue shared by processes would stay locked when one of them is killed). Only this
side writes records. A worker that dies is replaced and its trial is given out again, without the arms on record.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from assay.studies import worker
from assay.studies.records import RunWriter

TRIES = 3
"""How often an arm is started when its process dies; after that it is recorded as failed."""

Key = tuple[str, int]
"""Regime and seed of a trial."""
Recorded = dict[Key, frozenset[str]]
"""The arms of each trial that are not to be run again."""


class CannotRun(ValueError):
    """A study cannot run as asked: names what is wrong or missing and the fix."""


@dataclass(frozen=True)
class Event:
    """Something that happened in a run, for the terminal or a page."""

    kind: str
    """"prepare", "start" (of a run), "arm", "progress", "trial", "died", "end"."""
    study: str
    regime: str = ""
    seed: int = -1
    arm: str = ""
    state: str = ""
    done: float = 0.0
    """Finished trials; with "progress" and "prepare", the share of the work under way."""
    total: int = 0
    what: str = ""


OnEvent = Callable[[Event], None]


@dataclass
class _Hand:
    """One worker process and what it is doing."""

    process: BaseProcess
    pipe: Connection
    job: Key | None = None
    arm: str = ""


class Crew:
    """The worker processes of one run. A context manager: leaving it ends them."""

    def __init__(self, task: worker.Task, size: int) -> None:
        self._task = task
        self._size = size
        self._hands: list[_Hand] = []

    def __enter__(self) -> Crew:
        self._hands = [self._hire() for _ in range(self._size)]
        return self

    def __exit__(self, *_: object) -> None:
        for hand in self._hands:
            hand.pipe.close()
            hand.process.terminate()
        for hand in self._hands:
            hand.process.join(5)
            if hand.process.is_alive():
                hand.process.kill()
                hand.process.join()

    def prepare(self, on_event: OnEvent) -> None:
        """Let one worker prepare the study's folder."""
        (hand,) = self._hands
        hand.pipe.send(("prepare",))
        on_event(Event("prepare", self._task.study))
        while True:
            try:
                kind, *rest = hand.pipe.recv()
            except (EOFError, OSError):
                code = _exit_code(hand)
                raise CannotRun(
                    f"{self._task.method}: preparing was killed (exit code {code}; out of memory?)"
                ) from None
            if kind == "end":
                return
            if kind == "crash":
                raise CannotRun(f"{self._task.method}: preparing failed: {rest[0]}")
            on_event(Event("prepare", self._task.study, done=rest[0], what=rest[1]))

    def trials(self, todo: list[Key], recorded: Recorded, writer: RunWriter, on_event: OnEvent, total: int) -> None:
        """Give out trials until none is left; `recorded` grows with what is written."""
        waiting = list(reversed(todo))
        finished = total - len(todo)
        deaths: dict[tuple[Key, str], int] = {}
        while True:
            for hand in self._hands:
                if hand.job is None and waiting:
                    hand.job, hand.arm = waiting.pop(), ""
                    with contextlib.suppress(OSError):  # a worker that died idle is noticed below
                        hand.pipe.send(("trial", *hand.job, recorded.get(hand.job, frozenset())))
            busy = {hand.pipe: i for i, hand in enumerate(self._hands) if hand.job is not None}
            if not busy:
                return
            for pipe in wait(list(busy)):
                i = busy[pipe]  # type: ignore[index]
                hand = self._hands[i]
                key = hand.job
                assert key is not None, "only busy workers are listened to"
                try:
                    kind, *rest = hand.pipe.recv()
                except (EOFError, OSError):
                    self._bury(hand, key, deaths, recorded, writer, on_event)
                    waiting.append(key)
                    self._hands[i] = self._hire()
                    continue
                if kind == "end":
                    writer.append(line(key, end="complete"))
                    shutil.rmtree(worker.cache_folder(self._task.folder, *key), ignore_errors=True)
                    finished += 1
                    hand.job = None
                    on_event(Event("trial", self._task.study, *key, done=finished, total=total))
                else:
                    self._heard(hand, key, kind, rest, recorded, writer, on_event)

    def _heard(
        self,
        hand: _Hand,
        key: Key,
        kind: str,
        rest: list[Any],
        recorded: Recorded,
        writer: RunWriter,
        on_event: OnEvent,
    ) -> None:
        """Record and pass on one event from inside a trial."""
        study = self._task.study
        if kind == "begin":
            hand.arm = rest[0]
            on_event(Event("arm", study, *key, hand.arm, "begin"))
        elif kind == "arm":
            record: dict[str, Any] = rest[0]
            writer.append(line(key, **record))
            recorded[key] = recorded.get(key, frozenset()) | {record["arm"]}
            with contextlib.suppress(OSError):  # a worker that died meanwhile is noticed by its pipe
                hand.pipe.send(("kept",))
            hand.arm = ""
            on_event(Event("arm", study, *key, record["arm"], record["state"]))
        elif kind == "progress":
            on_event(Event("progress", study, *key, hand.arm, done=rest[0], what=rest[1]))
        else:
            writer.append(line(key, end="crashed", why=rest[0]))
            raise CannotRun(f"{self._task.method}, study {study}, regime {key[0]}, seed {key[1]}: {rest[0]}")

    def _bury(
        self,
        hand: _Hand,
        key: Key,
        deaths: dict[tuple[Key, str], int],
        recorded: Recorded,
        writer: RunWriter,
        on_event: OnEvent,
    ) -> None:
        """Count a worker's death; an arm that killed its process too often is recorded as failed."""
        code = _exit_code(hand)
        hand.pipe.close()
        on_event(Event("died", self._task.study, *key, hand.arm, what=f"exit code {code}"))
        count = deaths[key, hand.arm] = deaths.get((key, hand.arm), 0) + 1
        if count < TRIES:
            return
        if not hand.arm:
            raise CannotRun(f"{self._task.method}: a worker died {TRIES} times outside any arm (exit code {code})")
        why = f"the process died {TRIES} times in this arm (exit code {code}; out of memory?)"
        writer.append(line(key, arm=hand.arm, state="failed", why=why))
        recorded[key] = recorded.get(key, frozenset()) | {hand.arm}

    def _hire(self) -> _Hand:
        spawn = multiprocessing.get_context("spawn")
        here, there = spawn.Pipe()
        process = spawn.Process(target=worker.main, args=(there, self._task), name=f"assay {self._task.study}")
        with _environment(worker.threads_environment(self._task.settings.threads)):
            process.start()
        there.close()
        return _Hand(process, here)


def line(key: Key, **fields: Any) -> dict[str, Any]:
    """One record of a trial."""
    return {"regime": key[0], "seed": key[1], **fields}


def _exit_code(hand: _Hand) -> int | None:
    hand.process.join(5)
    return hand.process.exitcode


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
