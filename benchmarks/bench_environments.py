"""CHIP-8 environments against the published package, ALE and a CHIP-8 in Python: one run, a markdown table.

Random play on our game brick under the package's quirks and timers (ALE plays Pong), contenders interleaved, median of
5 after a warm-up. Steps per CPU second and per wall second; compilation apart.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from assay.methods.environments.octax import peers
from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.jax_env import Chip8Jax
from assay.methods.environments.octax.machine import machine_dtype

# contender: environments -> steps of each in one call
CALLS: dict[str, dict[int, int]] = {
    "ours, native": {1: 8000, 64: 4000, 1024: 400, 4096: 100},
    "ours, native, all cores": {1024: 400, 4096: 100},
    "ours, JAX": {1: 400, 64: 150, 1024: 12, 4096: 4},
    "octax 0.1.1": {1: 60, 64: 16, 1024: 1, 4096: 1},
    "ale-py (Pong)": {1: 300},
    "chip8-py": {1: 20},
}
MAKE: dict[str, Callable[[int, int], peers.Run]] = {
    "ours, native": peers.native,
    "ours, native, all cores": lambda count, steps: peers.native(count, steps, threads=64),
    "ours, JAX": peers.ours_jax,
    "octax 0.1.1": peers.octax,
    "ale-py (Pong)": lambda count, steps: peers.ale(steps),
    "chip8-py": lambda count, steps: peers.chip8py(steps),
}


def main() -> None:
    runs = {(name, count): MAKE[name](count, steps) for name, of in CALLS.items() for count, steps in of.items()}
    times: dict[tuple[str, int], list[tuple[float, float]]] = {key: [] for key in runs}
    for number in range(6):
        for key, run in runs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            run()
            if number:
                times[key].append((time.process_time() - cpu, time.perf_counter() - wall))
    rates = {}
    for (name, count), pairs in times.items():
        steps = count * CALLS[name][count]
        rates[name, count] = tuple(steps / statistics.median(pair[k] for pair in pairs) for k in (0, 1))
    print("## Environments: CHIP-8\n")
    print("Environment steps (44 instructions; four Atari frames) of random play.\n")
    print("| | environments | steps per CPU s | steps per wall s | against octax, CPU s |")
    print("| --- | --- | --- | --- | --- |")
    for (name, count), (cpu_rate, wall_rate) in rates.items():
        ratio = cpu_rate / rates["octax 0.1.1", count][0]
        print(f"| {name} | {count:,} | {cpu_rate:,.0f} | {wall_rate:,.0f} | {ratio:,.1f}x |")
    rules = peers.rules()
    print("\nSeconds to trace and compile one step of 1,024 environments: ", end="")
    for name, env in (("ours", Chip8Jax(rules)), ("octax", peers.octax_env(rules.rom, rules.keys))):
        start = time.perf_counter()
        peers.lowered(1024, 1, len(rules.keys) + 1, env.reset, env.step)[0].compile()
        print(f"{name} {time.perf_counter() - start:.1f}", end="; " if name == "ours" else ".\n")
    env = make_chip8(peers.GAME, 64, packed=True)
    held = machine_dtype().itemsize + env.reset()[0].nbytes // 64
    print(f"\nNative memory per environment: {held:,} bytes, of which {machine_dtype().itemsize:,} are the machine.")


if __name__ == "__main__":
    main()
