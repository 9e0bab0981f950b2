"""Where Assay keeps its files: the library, the runs, prepared data. `ASSAY_HOME` names the folder."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """The folder of this user's files: `ASSAY_HOME`, else `assay` under the user's data folder. Not created here."""
    named = os.environ.get("ASSAY_HOME")
    if named:
        return Path(named).expanduser().absolute()
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser().absolute() / "assay"


def library_file() -> Path:
    """The SQLite file with the user's papers."""
    return home() / "library.sqlite"


def runs_folder() -> Path:
    """The folder with one folder per run."""
    return home() / "runs"


def prepared_folder() -> Path:
    """The folder with what studies prepared once per machine."""
    return home() / "prepared"
