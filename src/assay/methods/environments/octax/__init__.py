"""CHIP-8 arcade games as environments, thousands at once, on a CPU or an accelerator.

Source: W. Radji, T. Michel, H. Piteau, "Octax: Accelerated CHIP-8 Arcade Environments for Reinforcement Learning in
JAX", arXiv 2510.01764; official code: github.com/riiswa/octax. What differs from either is listed in card.toml.

Where to look: `machine` (memory map, quirks, faults, state), `reference` (what every instruction does, in plain
Python), `native` and `jax_machine` (the same for many machines), `rules` and `starts` (what an environment is made
from), `vector` and `envs` (gymnasium), `jax_env`, `jax_vec` and `jax_gymnax` (JAX), `game` and the folder `games`,
`published` (the games of an installed `octax`), `expressions` (score and end), `assembly` and `disassembly`,
`registers` (where a program keeps its score), `screen` and `play` (what people see), `conformance`, `ppo`.
"""

from typing import Any as _Any

import lazy_loader as _lazy

_load, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
_INSTALLED_BY = {
    "gymnasium": "assay[environments]",
    "numba": "assay[environments]",
    "jax": "assay[environments-jax]",
    "jaxlib": "assay[environments-jax]",
    "optax": "assay[environments-jax]",
    "gymnax": "gymnax",
}
"""What a user installs, by the package that is missing."""


def __getattr__(name: str) -> _Any:
    """A public name, loaded now; an ImportError with the command to run where a package is missing."""
    try:
        return _load(name)
    except ModuleNotFoundError as error:
        if error.name not in _INSTALLED_BY:
            raise
        line = f"{name} needs {error.name}: pip install '{_INSTALLED_BY[error.name]}'"
        raise ImportError(line, name=error.name) from error
