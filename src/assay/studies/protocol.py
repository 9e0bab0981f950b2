"""Everything fixed before the first trial, as one hash: tests, margins, settings and code.

All trials of one protocol make one line of the ledger; a changed protocol starts a new line. Comments, formatting and
docstrings are not part of it: the code is hashed as Python writes it back from its syntax tree.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.catalogue import Card
from assay.studies.study import Settings, Study, Test, declared

_NOT_CODE = ("example.py",)


def protocol(card: Card, study: Study, settings: Settings, planned: int) -> str:
    """The hash (64 hex digits) of a study as it would run. More seeds are the same protocol; `planned` is in it."""
    kinds = {claim.id: claim.kind for claim in card.claims}
    content = {
        "method": card.name,
        "study": study.name,
        "planned": planned,
        "settings": declared(settings),
        "tests": [{"kind": kinds.get(test.claim), **describe(test)} for test in study.tests],
        "code": source_digest(card),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def describe(test: Test) -> dict[str, Any]:
    """A test as plain values; its measure by name, since the source is hashed with the method's folder."""
    fields = {f.name: getattr(test, f.name) for f in dataclasses.fields(test)}
    return {**fields, "measure": _name(test.measure)}


def _name(fn: Callable[..., Any]) -> str:
    return str(getattr(fn, "__qualname__", None) or repr(fn))


def source_digest(card: Card) -> str:
    """The hash of a method's code: its folder, and what it shares with its family (the .py files one folder up).

    Code is Python, and assembly (.asm), which is hashed as it is written.
    """
    files = [*sorted(card.folder.rglob("*.py")), *sorted(card.folder.parent.glob("*.py"))]
    files += sorted(card.folder.rglob("*.asm"))
    digest = hashlib.sha256()
    for file in files:
        if file.name not in _NOT_CODE:
            digest.update(f"{file.relative_to(card.folder.parent).as_posix()}\n".encode())
            digest.update(bare_source(file).encode() if file.suffix == ".py" else file.read_bytes())
    return digest.hexdigest()


def bare_source(file: Path) -> str:
    """A Python file without comments, formatting and docstrings, those of attributes included."""
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [part for part in node.body if not _is_text(part)] or [ast.Pass()]
    return ast.unparse(tree)


def _is_text(part: ast.stmt) -> bool:
    """Whether a statement is nothing but a string, which does nothing when run."""
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)
