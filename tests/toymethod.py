"""A made-up method that passes every check, as texts, and how a plug-in with it is installed."""

CARD = """
family = "theory"
title = "A Toy"
authors = ["A. Author", "B. Author"]
venue = "Nowhere"
year = 2026
summary = "A made-up method."
basis = "paper"
exports = ["double"]
easy = "Everything."
hard = "Nothing."

[ids]
arxiv = "2601.99999"

[[claim]]
id = "higher"
says = "The toy is higher than the plain arm."
kind = "more"
[[claim.reported]]
value = 1.0
unit = "points"
at = "Table 1"
"""

STUDY = '''
import time
from dataclasses import dataclass

from assay.studies.study import Settings, Test


@dataclass(frozen=True)
class ToySettings(Settings):
    """Settings of the toy."""

    seeds: int = 5
    pause: float = 0.0
    """Seconds an arm sleeps."""


def difference(trial, arm, baseline):
    return trial.value(arm, "value") - trial.value(baseline, "value")


class Toy:
    """Compares two numbers."""

    name = "toy"
    small = ToySettings()
    full = ToySettings(seeds=20)
    stand_in = "numbers in place of data"
    tests = (Test("higher", "toy", difference, margin=0.1, against=("plain",)),)

    def trial(self, run):
        def value(arm, shift):
            time.sleep(run.settings.pause)
            return {"value": shift + 0.1 * run.rng(arm).standard_normal()}

        run.arm("plain", lambda: value("plain", 0.0))
        run.arm("toy", lambda: value("toy", 1.0))


STUDIES = (Toy(),)
'''

METHOD = {
    "__init__.py": '''
        """A toy."""

        import lazy_loader as _lazy

        __getattr__, __dir__, __all__ = _lazy.attach(__name__, submod_attrs={"doubling": ["double"]})
        ''',
    "doubling.py": '''
        """Doubling."""


        def double(x):
            """Twice `x`, a number."""
            return 2 * x
        ''',
    "example.py": '''
        """How to double."""


        def main():
            from toyplug.toy import double

            print(double(21))
        ''',
    "study.py": STUDY,
    "card.toml": CARD,
}


def announce(site, distribution, points):
    """Write the metadata that an installed distribution with these entry points would have."""
    info = site / f"{distribution}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    lines = "\n".join(f"{name} = {value}" for name, value in points.items())
    (info / "entry_points.txt").write_text(f"[assay.methods]\n{lines}\n")
