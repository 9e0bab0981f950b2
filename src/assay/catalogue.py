"""Finds the cards of methods, built-in ones and those of plug-ins, and reads them without importing a method.

A plug-in announces each method in the entry-point group `assay.methods`, with the dotted name of the folder that holds
its `card.toml`. A broken card or plug-in becomes one `Broken` line and never stops the others.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, get_args

from assay.claims.claim import Bound, By, Claim, Kind, Reported, Source

FAMILIES = (
    "inside",
    "posttrain",
    "agents",
    "explain",
    "graphs",
    "environments",
    "optimize",
    "science",
    "privacy",
    "theory",
    "vision",
)
BASES = ("paper and code", "code", "paper", "abstract")
ENTRY_POINTS = "assay.methods"


class CardError(ValueError):
    """A card that cannot be read: names the file, the field and the fix."""


class UnknownMethod(LookupError):
    """No card has this name; the message says what is near."""


class MissingExtra(ImportError):
    """A method's packages are not installed; the message holds the line that installs them."""


@dataclass(frozen=True)
class Need:
    """A peer or data package that only the studies of a method need."""

    package: str
    """Name of the distribution."""
    imports: str
    """Name of the import package, by which it is found."""
    install: str
    """Arguments of `pip install`."""
    why: str


@dataclass(frozen=True)
class Difference:
    """One departure from the paper or from the official code, and why."""

    origin: str
    """"paper" or "official code"."""
    what: str
    why: str


@dataclass(frozen=True)
class Card:
    """A method's card.toml: its paper, its claims, what it needs."""

    name: str
    """"family/method", as commands take it."""
    family: str
    method: str
    module: str
    """Dotted name of the folder, for importing."""
    folder: Path
    title: str
    authors: tuple[str, ...]
    venue: str
    year: int
    status: str
    summary: str
    """What the method does, in our own words."""
    basis: str
    exports: tuple[str, ...]
    extra: str | None
    easy: str
    """What was easy to reproduce, for the report."""
    hard: str
    """What was hard, or is still open."""
    full: str
    """What the paper's own scale would need beyond settings, or ""."""
    ids: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    differs: tuple[Difference, ...] = ()
    claims: tuple[Claim, ...] = ()

    def claim(self, id: str) -> Claim:
        """The claim with this id; a LookupError that lists the ids otherwise."""
        for claim in self.claims:
            if claim.id == id:
                return claim
        raise LookupError(f"{self.name} has no claim {id!r}; it has {', '.join(c.id for c in self.claims)}")

    def _repr_html_(self) -> str:
        from assay.studies.report import card_html

        return card_html(self)


@dataclass(frozen=True)
class Broken:
    """A card or plug-in that could not be read, in one line."""

    where: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.why}"


# --- finding -----------------------------------------------------------------------------------------------------


def cards() -> tuple[list[Card], list[Broken]]:
    """Every card there is, built-in first, by name; and a line for each one that is broken."""
    found: dict[str, Card] = {}
    broken: list[Broken] = []
    for module, folder, where in _places(broken):
        try:
            card = read_card(folder, module)
            if card.name in found:
                raise CardError(
                    f"{card.name} is already the name of the method in {found[card.name].folder}; rename one"
                )
            found[card.name] = card
        except CardError as error:
            broken.append(Broken(where, str(error)))
    return sorted(found.values(), key=lambda card: card.name), broken


def find(name: str) -> Card:
    """The card called `family/method` or just `method`, whatever the case.

    Raises UnknownMethod with the nearest names, or with the reason where that very card is broken.
    """
    known, broken = cards()
    wanted = name.strip().strip("/").lower()
    fits = [card for card in known if wanted in (card.name.lower(), card.method.lower())]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UnknownMethod(f"{name!r} is the name of several methods: {', '.join(card.name for card in fits)}")
    for line in broken:
        if wanted.split("/")[-1] in line.where.lower():
            raise UnknownMethod(f"the card of {name!r} is broken: {line}")
    names = [card.name for card in known] + [card.method for card in known]
    near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else "`assay methods` lists what there is"
    raise UnknownMethod(f"there is no method {name!r}; {hint}")


def _places(broken: list[Broken]) -> list[tuple[str, Path, str]]:
    """(dotted module, folder, where it was announced) of every folder that should hold a card."""
    places = []
    root = Path(__file__).parent / "methods"
    for file in sorted(root.glob("*/*/card.toml")):
        folder = file.parent
        places.append((f"assay.methods.{folder.parent.name}.{folder.name}", folder, str(file)))
    for point in metadata.entry_points(group=ENTRY_POINTS):
        where = f"plug-in {point.name} = {point.value}"
        folder_of = _folder_of(point.value)
        if folder_of is None:
            broken.append(
                Broken(
                    where, "no folder of that name is installed; the entry point must name the package with card.toml"
                )
            )
        else:
            places.append((point.value, folder_of, where))
    return places


def _folder_of(dotted: str) -> Path | None:
    """The folder of a package, found without importing it or its parents."""
    top, *rest = dotted.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations or []) if spec else []:
        folder = Path(place).joinpath(*rest)
        if folder.is_dir():
            return folder
    return None


# --- reading -----------------------------------------------------------------------------------------------------

_MUST = ("title", "authors", "venue", "year", "summary", "basis", "exports")
_MAY = ("family", "status", "extra", "easy", "hard", "full", "ids", "links", "needs", "differs", "claim")


def read_card(folder: Path, module: str) -> Card:
    """The card in `folder`. Raises CardError naming the file, the field and the fix."""
    file = folder / "card.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CardError(f"{file}: there is no card.toml in the method's folder; write one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise CardError(f"{file}: {error}") from None
    read = _Reader(str(file))
    read.known(table, "the card", _MUST + _MAY)
    missing = [name for name in _MUST if name not in table]
    if missing:
        raise CardError(f"{file}: field {missing[0]!r} is missing; add it")
    family = read.text(table, "family") or folder.parent.name
    if family not in FAMILIES:
        raise CardError(f"{file}: family {family!r} is none of {', '.join(FAMILIES)}; set `family`")
    basis = read.one_of(table, "basis", BASES)
    claims = tuple(_claim(read, entry, i) for i, entry in enumerate(read.tables(table, "claim"), start=1))
    ids = [claim.id for claim in claims]
    if not claims:
        raise CardError(f"{file}: there is no [[claim]]; add at least one")
    if len(set(ids)) < len(ids):
        raise CardError(f"{file}: [[claim]] id {max(ids, key=ids.count)!r} stands twice; rename one")
    for claim in claims:
        if claim.replaces is not None and claim.replaces not in ids:
            raise CardError(f"{file}: [[claim]] {claim.id}: replaces {claim.replaces!r}, which is no claim of the card")
    return Card(
        name=f"{family}/{folder.name}",
        family=family,
        method=folder.name,
        module=module,
        folder=folder,
        title=read.text(table, "title", must=True),
        authors=read.texts(table, "authors"),
        venue=read.text(table, "venue"),
        year=read.whole(table, "year"),
        status=read.text(table, "status") or "published",
        summary=read.text(table, "summary", must=True),
        basis=basis,
        exports=read.texts(table, "exports"),
        extra=read.text(table, "extra") or None,
        easy=read.text(table, "easy"),
        hard=read.text(table, "hard"),
        full=read.text(table, "full"),
        ids=read.strings(table, "ids"),
        links=read.strings(table, "links"),
        needs=tuple(_need(read, entry) for entry in read.tables(table, "needs")),
        differs=tuple(_difference(read, entry) for entry in read.tables(table, "differs")),
        claims=claims,
    )


def _claim(read: _Reader, entry: dict[str, Any], number: int) -> Claim:
    where = f"[[claim]] {entry.get('id', number)}"
    read.known(entry, where, ("id", "says", "kind", "reported", "replaces", "by", "untested"))
    return Claim(
        id=read.text(entry, "id", must=True, where=where),
        says=read.text(entry, "says", must=True, where=where),
        kind=read.one_of(entry, "kind", get_args(Kind), where),
        reported=tuple(_reported(read, line, where) for line in read.tables(entry, "reported")),
        replaces=read.text(entry, "replaces", where=where) or None,
        by=read.one_of(entry, "by", get_args(By), where, default="paper"),
        untested=read.text(entry, "untested", where=where) or None,
    )


def _reported(read: _Reader, entry: dict[str, Any], where: str) -> Reported:
    where += " reported"
    read.known(entry, where, ("value", "unit", "at", "bound", "source", "version", "words"))
    value = entry.get("value")
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if value is not None and not number:
        raise CardError(f"{read.file}: {where}: value must be a finite number, not {value!r}")
    words = read.text(entry, "words", where=where)
    if value is None and not words:
        raise CardError(f"{read.file}: {where}: give a `value` or, where the paper has no number, `words`")
    return Reported(
        value=None if value is None else float(value),
        unit=read.text(entry, "unit", where=where),
        at=read.text(entry, "at", where=where),
        bound=read.one_of(entry, "bound", get_args(Bound), where, default=""),
        source=read.one_of(entry, "source", get_args(Source), where, default="paper"),
        version=read.text(entry, "version", where=where),
        words=words,
    )


def _need(read: _Reader, entry: dict[str, Any]) -> Need:
    read.known(entry, "[[needs]]", ("package", "imports", "install", "why"))
    package = read.text(entry, "package", must=True, where="[[needs]]")
    return Need(
        package=package,
        imports=read.text(entry, "imports", where="[[needs]]") or package.replace("-", "_"),
        install=read.text(entry, "install", where="[[needs]]") or package,
        why=read.text(entry, "why", must=True, where="[[needs]]"),
    )


def _difference(read: _Reader, entry: dict[str, Any]) -> Difference:
    read.known(entry, "[[differs]]", ("from", "what", "why"))
    return Difference(
        origin=read.one_of(entry, "from", ("paper", "official code"), "[[differs]]"),
        what=read.text(entry, "what", must=True, where="[[differs]]"),
        why=read.text(entry, "why", must=True, where="[[differs]]"),
    )


class _Reader:
    """Reads fields of one TOML file with errors that name the file, the field and the fix."""

    def __init__(self, file: str) -> None:
        self.file = file

    def known(self, table: dict[str, Any], where: str, names: tuple[str, ...]) -> None:
        for name in table:
            if name not in names:
                near = difflib.get_close_matches(name, names, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"it may have {', '.join(names)}"
                raise CardError(f"{self.file}: {where} has an unknown field {name!r}; {hint}")

    def text(self, table: dict[str, Any], name: str, *, must: bool = False, where: str = "the card") -> str:
        value = table.get(name, "")
        if not isinstance(value, str):
            raise CardError(f"{self.file}: {where}: {name} must be a text, not {value!r}")
        if must and not value.strip():
            raise CardError(f"{self.file}: {where}: field {name!r} is missing or empty; write it")
        return " ".join(value.split())

    def texts(self, table: dict[str, Any], name: str) -> tuple[str, ...]:
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise CardError(f"{self.file}: {name} must be a list of texts")
        return tuple(value)

    def whole(self, table: dict[str, Any], name: str) -> int:
        value = table.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            raise CardError(f"{self.file}: {name} must be a whole number, not {value!r}")
        return value

    def strings(self, table: dict[str, Any], name: str) -> dict[str, str]:
        value = table.get(name, {})
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise CardError(f"{self.file}: {name} must be a table of texts")
        return dict(value)

    def tables(self, table: dict[str, Any], name: str) -> list[dict[str, Any]]:
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise CardError(f"{self.file}: [[{name}]] must be written with double brackets")
        return value

    def one_of(
        self,
        table: dict[str, Any],
        name: str,
        words: tuple[str, ...],
        where: str = "the card",
        default: str | None = None,
    ) -> Any:
        value = table.get(name, default)
        if value not in words:
            listed = ", ".join(repr(word) for word in words)
            raise CardError(f"{self.file}: {where}: {name} is {value!r}; it must be one of {listed}")
        return value


# --- what is installed --------------------------------------------------------------------------------------------


def installed(imports: str) -> bool:
    """Whether an import package is there, without importing it."""
    try:
        return importlib.util.find_spec(imports) is not None
    except (ImportError, ValueError):
        return False


def extra_missing(card: Card) -> list[str]:
    """The requirements of the card's extra that are not installed, as pip writes them. Plug-ins bring their own."""
    if card.extra is None:
        return []
    from packaging.requirements import Requirement

    missing = []
    for line in metadata.requires("assay") or []:
        need = Requirement(line)
        if need.marker is None or not need.marker.evaluate({"extra": card.extra}):
            continue
        if need.marker.evaluate({"extra": ""}):
            continue
        try:
            version = metadata.version(need.name)
        except metadata.PackageNotFoundError:
            missing.append(f"{need.name}{need.specifier}")
            continue
        if not need.specifier.contains(version, prereleases=True):
            missing.append(f"{need.name}{need.specifier}")
    return missing


def needs_missing(card: Card) -> list[Need]:
    """The peers and data packages of the card's studies that are not installed."""
    return [need for need in card.needs if not installed(need.imports)]


def install_line(card: Card) -> str:
    """The command that installs a card's extra."""
    return f"pip install 'assay[{card.extra}]'"


def studies(card: Card) -> tuple[Any, ...]:
    """The studies of a method: `STUDIES` of its study.py, imported now.

    Raises MissingExtra with the install line, or CardError where study.py is not as it should be.
    """
    missing = extra_missing(card)
    if missing:
        raise MissingExtra(f"{card.name} needs {', '.join(missing)}: {install_line(card)}")
    try:
        module = importlib.import_module(f"{card.module}.study")
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith(card.module):
            raise CardError(f"{card.folder}: there is no study.py; write one") from None
        raise MissingExtra(f"{card.name} needs the package {error.name}: {install_line(card)}") from error
    except (Exception, SystemExit) as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        raise CardError(f"{card.folder / 'study.py'}: importing it failed: {what}") from error
    found = getattr(module, "STUDIES", None)
    if not isinstance(found, tuple) or not found:
        raise CardError(f"{card.folder / 'study.py'}: STUDIES must be a tuple of studies")
    return found
