"""`assay methods` and `assay doctor`: what there is, and what it needs."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay import __version__, catalogue, home
from assay.catalogue import Broken, Card
from assay.commands.terminal import CommandError, console, counted, print_json, say


def methods(as_json: bool) -> int:
    """Every method, from the cards alone; broken cards are lines on stderr."""
    cards, broken = catalogue.cards()
    if as_json:
        print_json({"methods": [_described(card) for card in cards], "broken": [vars(line) for line in broken]})
        return 0
    _print_methods(cards)
    _tell(broken)
    return 0


def _described(card: Card) -> dict[str, Any]:
    missing = catalogue.extra_missing(card)
    return {
        "name": card.name,
        "family": card.family,
        "method": card.method,
        "title": card.title,
        "venue": card.venue,
        "year": card.year,
        "basis": card.basis,
        "claims": len(card.claims),
        "extra": card.extra,
        "missing": missing,
        "install": catalogue.install_line(card) if missing else None,
        "needs_missing": [need.package for need in catalogue.needs_missing(card)],
        "exports": list(card.exports),
        "ids": dict(card.ids),
    }


def _print_methods(cards: list[Card]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("method", no_wrap=True)
    table.add_column("paper", overflow="fold")
    table.add_column("basis", no_wrap=True)
    table.add_column("claims", justify="right", no_wrap=True)
    table.add_column("installed", no_wrap=True)
    lines: dict[str, list[str]] = {}
    for card in cards:
        missing = catalogue.extra_missing(card)
        table.add_row(card.name, card.title, card.basis, str(len(card.claims)), "no" if missing else "yes")
        if missing:
            lines.setdefault(catalogue.install_line(card), []).append(card.name)
    out = console()
    out.print(table)
    for line, names in lines.items():
        out.print(f"\nfor {', '.join(names)}:\n  {line}", soft_wrap=True)


def _tell(broken: list[Broken]) -> None:
    for line in broken:
        say(str(line))


# --- doctor ------------------------------------------------------------------------------------------------------


def doctor(method: str | None, install: bool, as_json: bool) -> int:
    """What is installed and where the files are; for one method, what it lacks, and 1 where it lacks anything."""
    if method is None:
        if install:
            raise CommandError(
                "doctor --install: name the method whose packages to install (`assay methods` lists them)"
            )
        return _whole(as_json)
    card = catalogue.find(method)
    ran = _install(card) if install else []
    lacks = _lacks(card)
    if as_json:
        print_json({"method": card.name, "ran": [shlex.join(command) for command in ran], **lacks})
    else:
        _print_lacks(card, lacks)
    return 1 if lacks["missing"] or lacks["needs"] else 0


def _lacks(card: Card) -> dict[str, Any]:
    return {
        "extra": card.extra,
        "missing": catalogue.extra_missing(card),
        "needs": [vars(need) for need in catalogue.needs_missing(card)],
        "commands": [shlex.join(command) for command in commands(card)],
    }


def _print_lacks(card: Card, lacks: dict[str, Any]) -> None:
    out = console()
    if not lacks["commands"]:
        out.print(f"{card.name} has all it needs")
        return
    for requirement in lacks["missing"]:
        out.print(f"{card.name} needs {requirement}")
    for need in lacks["needs"]:
        out.print(f"its studies need {need['package']}: {need['why']}", soft_wrap=True)
    out.print(f"\n`assay doctor {card.method} --install` runs:")
    for command in lacks["commands"]:
        out.print(f"  {command}", soft_wrap=True)


def commands(card: Card) -> list[list[str]]:
    """The pip commands that install what a method lacks: its extra's requirements, then each need by its own line."""
    pip = [sys.executable, "-m", "pip", "install", "-qq"]
    known = constraints()
    if known is not None:
        pip += ["-c", str(known)]
    missing = catalogue.extra_missing(card)
    found = [[*pip, *missing]] if missing else []
    return found + [[*pip, *shlex.split(need.install)] for need in catalogue.needs_missing(card)]


def constraints() -> Path | None:
    """constraints.txt of the source checkout that Assay runs from, or None where it was installed as a package."""
    root = Path(__file__).parents[3]
    file = root / "constraints.txt"
    return file if file.is_file() and (root / "pyproject.toml").is_file() else None


def _install(card: Card) -> list[list[str]]:
    """Install what a method lacks, showing each command first; what pip says goes to stderr."""
    import importlib

    todo = commands(card)
    for command in todo:
        print(f"$ {shlex.join(command)}", file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=2, check=False)  # 2 is stderr: stdout may hold JSON
        if done.returncode:
            raise CommandError(f"{card.name}: pip ended with {done.returncode}; its message stands above")
    importlib.invalidate_caches()
    return todo


def _whole(as_json: bool) -> int:
    cards, broken = catalogue.cards()
    found = {
        "assay": __version__,
        "python": sys.version.split()[0],
        "executable": sys.executable,
        "versions": _versions(),
        "files": _files(),
        "extras": _extras(cards),
        "needs": {
            card.name: [vars(need) for need in catalogue.needs_missing(card)]
            for card in cards
            if catalogue.needs_missing(card)
        },
        "broken": [vars(line) for line in broken],
    }
    if as_json:
        print_json(found)
    else:
        _print_whole(found)
        _tell(broken)
    return 0


def _versions() -> dict[str, str | None]:
    import sqlite3

    from assay.data import package_version

    return {name: package_version(name) for name in ("numpy", "scipy", "rich", "typer")} | {
        "sqlite": sqlite3.sqlite_version
    }


def _files() -> dict[str, Any]:
    from assay.papers.library import Library, LibraryError
    from assay.studies.records import runs

    library: dict[str, Any] = {"file": str(home.library_file()), "papers": 0, "bytes": 0}
    if home.library_file().exists():
        library["bytes"] = home.library_file().stat().st_size
        try:
            with Library(home.library_file()) as papers:
                library["papers"] = papers.count()
        except LibraryError as error:
            library["problem"] = str(error)
    headers, unreadable = runs(home.runs_folder())
    return {
        "home": str(home.home()),
        "library": library,
        "runs": {"folder": str(home.runs_folder()), "runs": len(headers), "problems": unreadable},
        "prepared": str(home.prepared_folder()),
    }


def _extras(cards: list[Card]) -> dict[str, dict[str, Any]]:
    extras: dict[str, dict[str, Any]] = {}
    for card in cards:
        if card.extra is not None:
            missing = catalogue.extra_missing(card)
            extras[card.extra] = {
                "missing": missing,
                "install": catalogue.install_line(card) if missing else None,
            }
    return extras


def _print_whole(found: dict[str, Any]) -> None:
    from rich.table import Table

    files = found["files"]
    library, runs = files["library"], files["runs"]
    size = (
        f"{counted(library['papers'], 'paper')}, {library['bytes'] / 1e6:.1f} MB"
        if library["bytes"]
        else "not there yet"
    )
    versions = ", ".join(f"{name} {version or 'missing'}" for name, version in found["versions"].items())
    rows = [
        ("assay", found["assay"]),
        ("python", f"{found['python']}  {found['executable']}"),
        ("packages", versions),
        ("home", f"{files['home']}  (ASSAY_HOME names another)"),
        ("library", f"{library['file']}  ({library.get('problem') or size})"),
        ("runs", f"{runs['folder']}  ({counted(runs['runs'], 'run')})"),
    ]
    rows += [("", problem) for problem in runs["problems"]]
    for extra, state in found["extras"].items():
        rows.append((f"extra {extra}", f"missing: {', '.join(state['missing'])}" if state["missing"] else "installed"))
        if state["install"]:
            rows.append(("", state["install"]))
    for method, needs in found["needs"].items():
        names = ", ".join(need["package"] for need in needs)
        rows.append((method, f"its studies lack {names}: assay doctor {method} --install"))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        table.add_row(*row)
    console().print(table)
