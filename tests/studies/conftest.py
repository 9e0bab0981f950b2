"""The toy method whose studies misbehave on request."""

import sys
from pathlib import Path

import pytest

from assay.catalogue import read_card

PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture
def play(tmp_path):
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "notes").touch()
    return folder


@pytest.fixture
def coin(monkeypatch):
    """The card of the toy; its package is importable here and in worker processes."""
    monkeypatch.syspath_prepend(str(PLUGINS))
    return read_card(PLUGINS / "toys" / "coin", "toys.coin")


@pytest.fixture
def driver(tmp_path):
    """A program that runs the toy's study `coin` and can be stopped from outside."""
    file = tmp_path / "driver.py"
    file.write_text(
        f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(PLUGINS)!r})
from assay.catalogue import read_card
from assay.studies.run import run

if __name__ == "__main__":
    ask = {{"study": "coin", "changes": {{"play": sys.argv[1], "pause": sys.argv[2]}}, "folder": Path(sys.argv[3])}}
    card = read_card(Path({str(PLUGINS / "toys" / "coin")!r}), "toys.coin")
    try:
        run(card, jobs=2, on_event=lambda event: print(event.kind, flush=True), **ask)
    except KeyboardInterrupt:
        sys.exit(130)
""",
        encoding="utf-8",
    )
    return [sys.executable, str(file)]
