"""Checks that every method passes, built-in or plug-in, as named tests for pytest.

A plug-in's tests need four lines:

    from assay.testing import parametrize_methods

    @parametrize_methods("theory/mine")
    def test_method(check):
        check()

`check_method("theory/mine")` does the same in one call. A check that fails says what to write, and where.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay import catalogue
from assay.catalogue import Card, CardError
from assay.claims.verdict import combine
from assay.shelf import paper_of
from assay.studies.ledger import StudyBroken, outcome_of, rule_of
from assay.studies.records import trials_of
from assay.studies.study import Settings, Study, Test, Trial, option
from assay.studies.worker import Sender, Task, WorkerRun, threads_environment

if TYPE_CHECKING:
    import pytest

EXAMPLE_LINES = 30
"""Most lines that `main` of example.py may have."""
FEWEST_SEEDS = 5
"""Fewest seeds of small settings: fewer is always a pilot."""
_PATIENCE = 300
"""Seconds after which a program that a check started is taken for hung."""


class MethodIncomplete(AssertionError):
    """A method fails a check; each line says what to write, and where."""


@dataclass(frozen=True)
class Check:
    """One named check of one method; calling it raises MethodIncomplete where the method lacks something."""

    name: str
    card: Card
    problems: Callable[[Card], Iterator[str]]
    """Yields a line per thing that is missing."""

    def __call__(self) -> None:
        found = self.lines()
        if found:
            raise MethodIncomplete("\n".join(f"{self.card.name}, {self.name}: {line}" for line in found))

    def lines(self) -> list[str]:
        """A line per thing that is missing; none where the check holds."""
        try:
            return list(dict.fromkeys(self.problems(self.card)))
        except (CardError, ImportError) as error:
            return [str(error)]

    def __str__(self) -> str:
        return f"{self.card.name}: {self.name}"


def checks(method: str | Card) -> list[Check]:
    """All checks of a method, named by "family/method", by "method", or given as its card; nothing is run yet.

    Raises UnknownMethod where there is no such method or its card is broken.
    """
    card = catalogue.find(method) if isinstance(method, str) else method
    return [Check(name, card, problems) for name, problems in CHECKS.items()]


def check_method(method: str | Card) -> list[str]:
    """Run all checks of a method; returns their names.

    Raises MethodIncomplete with the lines of every check that failed, not only of the first.
    """
    failed = []
    found = checks(method)
    for check in found:
        try:
            check()
        except MethodIncomplete as error:
            failed.append(str(error))
    if failed:
        raise MethodIncomplete("\n".join(failed))
    return [check.name for check in found]


def parametrize_methods(*methods: str | Card) -> pytest.MarkDecorator:
    """A pytest mark that calls a test once per check, as its argument `check`; without names, for every method."""
    import pytest

    found = methods or tuple(catalogue.cards()[0])
    every = [check for method in found for check in checks(method)]
    return pytest.mark.parametrize("check", every, ids=[str(check) for check in every])


# --- a trial without processes -----------------------------------------------------------------------------------


class MemoryRun(WorkerRun):
    """A `TrialRun` in this process that keeps its records in memory: for tests of a study, or to look at one trial.

    Arms, failures, missing packages and thinned curves are recorded as in a real run. `trial` is what a test sees.

    Args:
        settings: the study's settings.
        regime, seed: the trial's.
        prepared: folder that `Study.prepare` filled; default an empty one.
        needs: install arguments by import name, for arms whose packages are missing.
    """

    def __init__(
        self,
        settings: Settings,
        regime: str = "all",
        seed: int = 0,
        prepared: Path | None = None,
        needs: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="assay-")
        root = Path(self._folder.name)
        if prepared is None:
            prepared = root / "prepared"
            prepared.mkdir()
        self.lines: list[dict[str, Any]] = []
        task = Task("", "", "", settings, prepared, root, dict(needs or {}))
        super().__init__(task, _Kept(self.lines), regime, seed, frozenset())

    @property
    def trial(self) -> Trial:
        """The arms recorded so far."""
        whole = {"regime": self.regime, "seed": self.seed, "end": "complete"}
        (trial,) = trials_of([{"regime": self.regime, "seed": self.seed, **line} for line in self.lines] + [whole])
        return trial


class _Kept(Sender):
    """Keeps the records of arms; drops news of progress."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self._lines = lines

    def __call__(self, kind: str, *rest: Any) -> None:
        if kind == "arm":
            self._lines.append(rest[0])

    def progress(self, done: float, what: str = "") -> None:
        if not 0 <= done <= 1:
            raise ValueError(f"progress: done is {done}; it must be from 0 to 1")


def smoke(study: Study, needs: Mapping[str, str] | None = None) -> list[Trial]:
    """One small trial (seed 0) of the first regime, and of further regimes where a test speaks of those only.

    The settings are the study's `tiny` where it has them, else `small`; `prepare` runs into a temporary folder.
    """
    from threadpoolctl import threadpool_limits

    settings: Settings = option(study, "tiny") or study.small
    with tempfile.TemporaryDirectory(prefix="assay-") as folder, threadpool_limits(settings.threads):
        prepare = option(study, "prepare")
        if prepare is not None:
            prepare(settings, Path(folder), lambda done, what="": None)
        trials = []
        for regime in _regimes_to_try(study, settings):
            run = MemoryRun(settings, regime, 0, Path(folder), needs)
            study.trial(run)
            trials.append(run.trial)
        return trials


def _regimes_to_try(study: Study, settings: Settings) -> list[str]:
    chosen = [settings.regimes[0]]
    for test in study.tests:
        mine = _regimes_of(test, settings)
        if mine and not set(mine) & set(chosen):
            chosen.append(mine[0])
    return chosen


def _regimes_of(test: Test, settings: Settings) -> list[str]:
    return [regime for regime in settings.regimes if test.regimes is None or regime in test.regimes]


# --- card and folder ---------------------------------------------------------------------------------------------


def _card(card: Card) -> Iterator[str]:
    file = card.folder / "card.toml"
    for field, what in (
        ("summary", "what the method does, in your own words"),
        ("easy", "what was easy to reproduce"),
        ("hard", "what was hard, or is still open"),
        ("exports", "the public names"),
    ):
        if not getattr(card, field):
            yield f"{file}: field {field!r} is empty; write {what}"
    if card.basis not in catalogue.BASES:
        yield f"{file}: basis is {card.basis!r}; it must be one of {', '.join(catalogue.BASES)}"
    try:
        paper_of(card)
    except CardError as error:
        yield str(error)
    if not card.ids and not card.links:
        yield f"{file}: neither [ids] nor [links] says where the paper is; add one (openreview, arxiv, doi, page)"
    for difference in card.differs:
        if not difference.why:
            yield f"{file}: [[differs]] {difference.what!r} has no `why`; write it"
    for claim in card.claims:
        if claim.by == "paper" and not claim.reported:
            yield f"{file}: [[claim]] {claim.id} has no [[claim.reported]]; write what the paper reports"
    tested = {test.claim for study in catalogue.studies(card) for test in study.tests}
    for claim in card.claims:
        if claim.id not in tested and claim.untested is None:
            yield f"{file}: [[claim]] {claim.id} is tested by no Test of study.py; write one, or `untested` and why"
        if claim.id in tested and claim.untested is not None:
            yield f"{file}: [[claim]] {claim.id} is `untested`, but study.py tests it; remove one of the two"


def _folder(card: Card) -> Iterator[str]:
    wanted = ("card.toml", "__init__.py", "study.py", "example.py")
    for name in wanted:
        if not (card.folder / name).is_file():
            yield f"{card.folder}: there is no {name}; write it"
    if not [file for file in card.folder.glob("*.py") if file.name not in wanted]:
        yield f"{card.folder}: there is no file with the method's code; write one, named after what it holds"


# --- public names ------------------------------------------------------------------------------------------------


def _public(card: Card) -> str:
    """The package users import from: the family for a built-in method, the method's own package for a plug-in."""
    built_in = card.module == f"assay.methods.{card.family}.{card.method}"
    return f"assay.methods.{card.family}" if built_in else card.module


def _exports(card: Card) -> Iterator[str]:
    package = _public(card)
    siblings = [
        file.parent.name for file in card.folder.parent.glob("*/card.toml") if file.parent.name != card.folder.name
    ]
    parent = card.module.rpartition(".")[0]
    program = f"""
        import importlib, json, sys
        package = importlib.import_module({package!r})
        code = [name for name in sys.modules if name.startswith({card.module + "."!r})]
        found = [["eager", name] for name in code if {package!r} != {card.module!r}]
        for name in {list(card.exports)!r}:
            try:
                getattr(package, name)
            except Exception as error:
                found.append(["missing", f"{{name}}: {{type(error).__name__}}: {{error}}"])
        for name in {[f"{parent}.{sibling}" if parent else sibling for sibling in siblings]!r}:
            if name in sys.modules:
                found.append(["sibling", name])
        print(json.dumps(found))
        """
    done = _python(program)
    if done.returncode:
        yield f"`import {package}` fails: {_last_line(done.stderr)}"
        return
    where = _file_of(package)
    fix = "export names lazily (lazy_loader, with a stub __init__.pyi)"
    for kind, what in _json_line(done.stdout):
        if kind == "missing":
            yield f"{where}: {what}; export it there, or take it out of `exports` in card.toml"
        elif kind == "sibling":
            yield f"{where}: importing {card.method} also loads {what}; {fix}"
        else:
            yield f"{where}: `import {package}` already loads {what}; {fix}"


def _docstrings(card: Card) -> Iterator[str]:
    package = importlib.import_module(_public(card))
    for name in card.exports:
        try:
            thing = getattr(package, name)
        except (AttributeError, ImportError):
            continue  # the check of exports says so
        yield from _undocumented(name, thing)


def _undocumented(name: str, thing: Any) -> Iterator[str]:
    if inspect.isclass(thing):
        yield from _undocumented_class(name, thing)
    elif inspect.isroutine(thing):
        yield from _undocumented_function(name, thing, inspect.getdoc(thing) or "")


def _undocumented_class(name: str, cls: type) -> Iterator[str]:
    top = cls.__module__.split(".")[0]
    own = [base for base in cls.__mro__ if base.__module__.split(".")[0] == top]
    if not (cls.__doc__ or "").strip() or _generated_doc(cls):
        yield f"{_place(cls)}: class {name} has no docstring; write one"
        return
    text = "\n".join([*(base.__doc__ or "" for base in own), *(_field_docs(base) for base in own)])
    text += inspect.getdoc(vars(cls).get("__init__")) or ""
    yield from _undescribed(f"{_place(cls)}: class {name}", cls, text)
    inherited = {attribute for base in cls.__mro__ if base not in own for attribute in vars(base)}
    for base in own:
        for attribute, value in vars(base).items():
            if attribute.startswith("_") or attribute in inherited:
                continue
            fn = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if inspect.isfunction(fn):
                doc = inspect.getdoc(getattr(cls, attribute)) or ""
                yield from _undocumented_function(f"{base.__name__}.{attribute}", fn, doc)


def _undocumented_function(name: str, fn: Any, doc: str) -> Iterator[str]:
    if not doc.strip():
        yield f"{_place(fn)}: {name} has no docstring; write one"
        return
    yield from _undescribed(f"{_place(fn)}: {name}", fn, doc)


def _undescribed(where: str, thing: Any, text: str) -> Iterator[str]:
    """Parameters that a docstring does not name."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return  # no signature to compare with, as for some builtins
    for parameter in parameters:
        plain = parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        name = parameter.name
        if plain and name not in ("self", "cls") and not name.startswith("_") and not re.search(rf"\b{name}\b", text):
            yield f"{where}: parameter {name!r} is not described; name it in the docstring with its shape or unit"


def _generated_doc(cls: type) -> bool:
    """Whether the docstring is the signature that `dataclass` writes where there is none."""
    return dataclasses.is_dataclass(cls) and (cls.__doc__ or "").startswith(f"{cls.__name__}(")


def _field_docs(cls: type) -> str:
    """Annotated fields of a class that have a docstring under them, by name and text."""
    return "\n".join(f"{name}: {doc}" for name, doc in _fields(cls).items() if doc)


def _fields(cls: type) -> dict[str, str]:
    """The annotated fields of a class's own body and the docstring under each, "" where there is none."""
    try:
        (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    except (OSError, TypeError, SyntaxError):
        return {}  # written in C, or made without a file
    assert isinstance(node, ast.ClassDef)
    found: dict[str, str] = {}
    for here, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(here, ast.AnnAssign) and isinstance(here.target, ast.Name):
            value = after.value if isinstance(after, ast.Expr) else None
            doc = value.value if isinstance(value, ast.Constant) else ""
            found[here.target.id] = doc.strip() if isinstance(doc, str) else ""
    return found


# --- a missing extra ---------------------------------------------------------------------------------------------


def extra_packages(card: Card) -> dict[str, list[str]]:
    """The import packages of each distribution of the card's extra, by distribution; empty without an extra."""
    if card.extra is None:
        return {}
    from packaging.requirements import Requirement

    names = []
    for line in metadata.requires("assay") or []:
        need = Requirement(line)
        with_extra = need.marker is not None and need.marker.evaluate({"extra": card.extra})
        if need.marker is not None and with_extra and not need.marker.evaluate({"extra": ""}):
            names.append(need.name)
    by_distribution: dict[str, list[str]] = {name: [] for name in names}
    for package, distributions in metadata.packages_distributions().items():
        for name in names:
            if _canonical(name) in [_canonical(distribution) for distribution in distributions]:
                by_distribution[name].append(package)
    return by_distribution


def _missing_extra(card: Card) -> Iterator[str]:
    blocked = extra_packages(card)
    if not blocked:
        return
    line = catalogue.install_line(card)
    package = _public(card)
    blocker = _blocker(blocked)
    done = _python(f"{blocker}\nimport sys; from assay.cli import main\nsys.exit(main(['run', {card.name!r}]))")
    lines = done.stderr.strip().splitlines()
    if done.returncode != 2 or len(lines) != 1 or line not in done.stderr:
        said = f"it ended with {done.returncode} and said: {_last_line(done.stderr) or 'nothing'}"
        yield f"without its extra, `assay run {card.name}` must say in one line `{line}` and end with 2; {said}"
    program = f"""
        import importlib, json
        package = importlib.import_module({package!r})
        found = []
        for name in {list(card.exports)!r}:
            try:
                getattr(package, name)
            except ImportError as error:
                if {line!r} not in str(error) or len(str(error).splitlines()) != 1:
                    found.append(f"{{name}} says {{error}}")
        print(json.dumps(found))
        """
    done = _python(blocker + "\n" + textwrap.dedent(program))
    if done.returncode:
        yield f"without its extra, `import {package}` fails: {_last_line(done.stderr)}; import its packages lazily"
        return
    for said in _json_line(done.stdout):
        yield f"{_file_of(package)}: without the extra, {said}; raise an ImportError of one line that has: {line}"


def _blocker(blocked: Mapping[str, list[str]]) -> str:
    """A program's first lines, after which these distributions seem not to be installed."""
    packages = sorted(package for packages in blocked.values() for package in packages)
    names = sorted(_canonical(name) for name in blocked)
    return textwrap.dedent(f"""
        import re, sys
        from importlib import metadata
        class Blocker:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in {packages!r}:
                    raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        sys.meta_path.insert(0, Blocker())
        real = metadata.version
        def version(name):
            if re.sub("[-_.]+", "-", name).lower() in {names!r}:
                raise metadata.PackageNotFoundError(name)
            return real(name)
        metadata.version = version
        """)


# --- example and study -------------------------------------------------------------------------------------------


def _example(card: Card) -> Iterator[str]:
    file = card.folder / "example.py"
    if not file.is_file():
        return  # the check of the folder says so
    mains = [
        node
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == "main"
    ]
    if not mains:
        yield f"{file}: there is no function main(); write one that uses the method on a user's own kind of thing"
        return
    lines = (mains[0].end_lineno or 0) - mains[0].lineno + 1
    if lines > EXAMPLE_LINES:
        yield f"{file}: main() has {lines} lines; shorten it to {EXAMPLE_LINES}"
    runs = [_python(f"from {card.module}.example import main; main()") for _ in range(2)]
    for done in runs:
        if done.returncode:
            yield f"{file}: main() fails: {_last_line(done.stderr)}"
            return
    if not runs[0].stdout.strip():
        yield f"{file}: main() prints nothing; print what a user gets"
    if runs[0].stdout != runs[1].stdout:
        yield f"{file}: main() prints something else each time; fix the seeds, and print no times"


def _study(card: Card) -> Iterator[str]:
    file = card.folder / "study.py"
    for study in catalogue.studies(card):
        where = f"{file}: study {study.name!r}"
        if not (study.__doc__ or "").strip() or (dataclasses.is_dataclass(study) and _generated_doc(type(study))):
            yield f"{where} has no docstring; write what it measures, on which data"
        if not isinstance(getattr(study, "stand_in", None), str):
            yield f'{where}: stand_in must say what stands in for the paper\'s data or model ("" for nothing)'
        yield from _settings(where, study)
        for test in study.tests:
            yield from _test(f"{where}: Test({test.claim!r}, {test.arm!r})", card, study, test)


def _settings(where: str, study: Study) -> Iterator[str]:
    kind = type(study.small)
    if type(study.full) is not kind:
        yield f"{where}: small is {kind.__name__} and full is {type(study.full).__name__}; use one class of settings"
    for cls in kind.__mro__:
        if cls in (Settings, object):
            continue
        inherited = {field.name for field in dataclasses.fields(Settings)}
        for name, doc in _fields(cls).items():
            if not doc and name not in inherited:
                yield f"{where}: setting {name!r} of {cls.__name__} has no docstring; write what it is, in which unit"
    for scale in ("small", "full"):
        settings: Settings = getattr(study, scale)
        if settings.seeds < FEWEST_SEEDS:
            yield f"{where}: {scale}.seeds is {settings.seeds}; plan at least {FEWEST_SEEDS}"
        if not settings.regimes or len(set(settings.regimes)) < len(settings.regimes):
            yield f"{where}: {scale}.regimes is {settings.regimes}; name each regime once"


def _test(where: str, card: Card, study: Study, test: Test) -> Iterator[str]:
    claims = {claim.id: claim for claim in card.claims}
    if test.claim not in claims:
        yield f"{where}: card.toml has no [[claim]] with this id; it has {', '.join(claims)}"
        return
    kind = claims[test.claim].kind
    if test.margin < 0 or (test.margin == 0 and kind != "always"):
        yield f"{where}: margin is {test.margin:g}; give the smallest effect that matters, above 0"
    if kind in ("keeps", "always") and test.spoiled is None:
        yield f"{where}: a claim of kind {kind!r} needs a spoiled arm that the test catches; add `spoiled`"
    if test.compares == "magnitude" and test.reported is None:
        yield f"{where}: compares a magnitude with nothing; add `reported` on the scale {test.scale!r}"
    known = (*study.small.regimes, *study.full.regimes)
    for regime in test.regimes or ():
        if regime not in known:
            yield f"{where}: regime {regime!r} is none of the settings' ({', '.join(dict.fromkeys(known))})"


def _trial(card: Card) -> Iterator[str]:
    needs = {need.imports: need.install for need in card.needs}
    for study in catalogue.studies(card):
        where = f"{card.folder / 'study.py'}: study {study.name!r}"
        try:
            trials = smoke(study, needs)
        except Exception as error:  # noqa: BLE001 - reported, as the check's failure
            yield f"{where}: a trial with seed 0 raises {type(error).__name__}: {error}"
            continue
        for trial in trials:
            for arm, why in trial.failed.items():
                yield f"{where}, regime {trial.regime!r}: arm {arm!r} fails: {why}"
            for test in study.tests:
                if test.claim in {claim.id for claim in card.claims} and (
                    test.regimes is None or trial.regime in test.regimes
                ):
                    yield from _readable(where, card, study, test, trial)


def _readable(where: str, card: Card, study: Study, test: Test, trial: Trial) -> Iterator[str]:
    """Whether a test finds its arms in a trial and can read them."""
    where = f"{where}, regime {trial.regime!r}: Test({test.claim!r}, {test.arm!r})"
    there = {*trial.arms, *trial.failed, *trial.missing}
    named = [test.arm, *test.against, test.control, test.simpler, test.spoiled, test.itself]
    absent = [arm for arm in named if arm is not None and arm not in there]
    for arm in absent:
        yield f"{where} names the arm {arm!r}, which the trial does not run; it runs {', '.join(sorted(there))}"
    if absent or trial.failed:
        return
    try:
        combine(rule_of(card, test, FEWEST_SEEDS), {trial.regime: outcome_of(study, test, [trial])})
    except (StudyBroken, ValueError) as error:
        yield f"{where} cannot be judged: {error}"


CHECKS: dict[str, Callable[[Card], Iterator[str]]] = {
    "card complete": _card,
    "folder complete": _folder,
    "exports load lazily": _exports,
    "docstrings complete": _docstrings,
    "missing extra is one line": _missing_extra,
    "example runs twice alike": _example,
    "study fits the card": _study,
    "a trial runs": _trial,
}
"""Every check by its name, in the order of CONTRIBUTING's list."""


# --- small tools -------------------------------------------------------------------------------------------------


def _python(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh Python with this one's import path, on one thread so that it repeats itself."""
    path = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, **threads_environment(1), "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        env=environment,
        check=False,
    )


def _json_line(text: str) -> Any:
    """The JSON on the last line of a program's output; what a package prints when imported stands before it."""
    import json

    return json.loads(text.strip().splitlines()[-1])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _file_of(package: str) -> str:
    spec = importlib.util.find_spec(package)
    return spec.origin if spec and spec.origin else package


def _place(thing: Any) -> str:
    """The file and line where a class or function is written."""
    try:
        return f"{inspect.getsourcefile(thing)}:{inspect.getsourcelines(thing)[1]}"
    except (OSError, TypeError):
        module: ModuleType | None = inspect.getmodule(thing)
        return module.__name__ if module else "?"


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
