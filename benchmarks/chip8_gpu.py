"""The JAX backend on whatever JAX finds, a GPU above all: environment steps per second by number of environments.

    python benchmarks/chip8_gpu.py [--game brick] [--counts 1024 8192 32768] [--steps 100] [--octax]

Random actions, packed screens reduced to a sum on the device, five runs after a warm-up, median. With --octax the
published package is measured beside it, where it is installed (`pip install 'octax[gui]'`). The aim on one data-centre
GPU is 1.5 million steps a second at 32,768 environments.
"""

from __future__ import annotations

import argparse
import statistics
import time

import jax

from assay.methods.environments.octax import peers
from assay.methods.environments.octax.jax_env import Chip8Jax
from assay.methods.environments.octax.rules import rules_of


def measured(name: str, count: int, steps: int, actions: int, reset: object, step: object) -> None:
    start = time.perf_counter()
    traced, states, key = peers.lowered(count, steps, actions, reset, step)
    compiled = traced.compile()
    compile_seconds = time.perf_counter() - start
    states, _ = jax.block_until_ready(compiled(states, key))
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        states, _ = jax.block_until_ready(compiled(states, key))
        seconds.append(time.perf_counter() - start)
    memory = compiled.memory_analysis()
    print(
        f"| {name} | {count:,} | {count * steps / statistics.median(seconds):,.0f} | {compile_seconds:.1f} | "
        f"{(memory.argument_size_in_bytes + memory.temp_size_in_bytes) / count / 1024:.1f} |",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="brick")
    parser.add_argument("--counts", nargs="+", type=int, default=[1024, 8192, 32768])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--octax", action="store_true")
    given = parser.parse_args()
    rules = rules_of(given.game, quirks="octax", packed=True)
    ours = Chip8Jax(rules)
    print(f"{jax.devices()[0].device_kind}, jax {jax.__version__}, game {given.game}\n")
    print("| | environments | steps/s | compile s | KiB per environment |\n| --- | --- | --- | --- | --- |")
    for count in given.counts:
        measured("ours", count, given.steps, ours.num_actions, ours.reset, ours.step)
        if given.octax:
            env = peers.octax_env(rules.rom, rules.keys)
            measured("octax", count, max(1, given.steps // 10), env.num_actions, env.reset, env.step)


if __name__ == "__main__":
    main()
