"""CHIP-8 arcade games as environments, thousands at once, on a CPU or an accelerator.

Source: W. Radji, T. Michel, H. Piteau, "Octax: Accelerated CHIP-8 Arcade Environments for Reinforcement Learning in
JAX", arXiv 2510.01764; official code: github.com/riiswa/octax. What differs from either is listed in card.toml.

Where to look: `machine` (memory map, quirks, faults, state), `reference` (what every instruction does, in plain
Python), `native` and `jax_machine` (the same for many machines), `envs` (gymnasium), `jax_env`, `jax_vec` and
`jax_gymnax` (JAX), `game` and the folder `games`, `published` (the games of an installed `octax`), `expressions`
(score and end), `assembly` and `disassembly`, `registers` (where a program keeps its score), `screen` and `play` (what
people see), `conformance`, `ppo`.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
