"""`assay read --watch FOLDER`: reads what is in a folder, and then what comes, until it is stopped."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Seen = tuple[int, int]
"""Size and time of change of a file."""


def watch(folder: Path, read: Callable[[Path], None], every: float = 2.0, rounds: int | None = None) -> None:
    """Call `read` for each file of `folder` and the folders in it, once, and again when it changed.

    A file that still grows waits for the next look. In a maildir the mail program moves files from new/ to cur/ and
    renames them with their flags: the part before the flags is the mail's name, and a mail is read once. `rounds` ends
    after so many looks; otherwise it goes on until Ctrl-C.
    """
    done: dict[str, Seen] = {}
    before: dict[Path, Seen] = {}
    while rounds is None or rounds > 0:
        now = dict(_files(folder))
        for path, seen in sorted(now.items()):
            name = _name(path, folder)
            if done.get(name) == seen:
                continue
            if before.get(path) != seen and time.time() - seen[1] / 1e9 < every:
                continue  # written a moment ago: it may not be whole
            done[name] = seen
            read(path)
        before = now
        if rounds is not None:
            rounds -= 1
        if rounds != 0:
            time.sleep(every)


def _files(folder: Path) -> Iterator[tuple[Path, Seen]]:
    """The files below a folder, without hidden ones and what a mail program still writes (tmp/ of a maildir)."""
    for place, folders, names in os.walk(folder):
        maildir = {"cur", "new"} <= set(folders)
        folders[:] = [name for name in folders if not name.startswith(".") and not (maildir and name == "tmp")]
        for name in names:
            if name.startswith("."):
                continue
            try:
                status = os.stat(os.path.join(place, name))
            except OSError:
                continue  # moved away between two looks: it is found under its new name
            yield Path(place, name), (status.st_size, status.st_mtime_ns)


def _is_mail(path: Path) -> bool:
    return path.parent.name in ("cur", "new")


def _name(path: Path, folder: Path) -> str:
    """What a file is known by: its path, or for a mail of a maildir its name without flags."""
    if _is_mail(path):
        return f"{path.parent.parent}/{re.sub(r'[:;!]2,[A-Za-z]*$', '', path.name)}"
    return str(path.relative_to(folder))
