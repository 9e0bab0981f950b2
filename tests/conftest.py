"""A folder of its own for every test's files, and plug-ins made on the spot."""

import sys
import textwrap

import pytest

from assay import cli
from toymethod import METHOD, announce


@pytest.fixture(autouse=True)
def assay_home(tmp_path, monkeypatch):
    """`ASSAY_HOME` of this test alone."""
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / "home"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the import path, as installed packages lie in; what was imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    yield folder
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
            del sys.modules[name]


@pytest.fixture
def plugin(site):
    """Installs a plug-in with one method that passes all checks; keyword arguments change or (None) leave out files.

    Returns the method's folder. `plugin("toyplug.toy", **{"card.toml": text})`.
    """

    def install(dotted="toyplug.toy", **changes):
        package, _, method = dotted.partition(".")
        folder = site / package / method
        folder.mkdir(parents=True)
        if method:
            (site / package / "__init__.py").write_text(changes.pop("package", ""))
        for name, text in {**METHOD, **changes}.items():
            if text is not None:
                (folder / name).write_text(textwrap.dedent(text).replace("toyplug.toy", dotted), encoding="utf-8")
        announce(site, package, {method or package: dotted})
        return folder

    return install


@pytest.fixture
def assay(capsys):
    """Runs a command line in this process; returns its exit code, stdout and stderr."""

    def call(*argv):
        capsys.readouterr()
        code = cli.main([str(word) for word in argv])
        out, err = capsys.readouterr()
        return code, out, err

    return call
