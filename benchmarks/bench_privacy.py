"""RPWithPrior against what a user would otherwise write: one run, ratios, a markdown table.

- randomise 1,000,000 labels: ours, vectorised, against diffprivlib's mechanism called once per label. The loop is timed
  on 20,000 labels and scaled to 1,000,000.
- optimal interval at 2,000 nodes: ours against a plain double loop over all pairs of nodes, timed whole, once with sums
  taken from a running total and once with numpy's sum per pair on 200 nodes, scaled by pairs.

All in CPU seconds of one thread, which other work on the machine disturbs less. Each of our times is the median of 7
repeats after a warm-up; each loop's is the shortest of 3.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
import types
from collections.abc import Callable, Sequence

import numpy as np

from assay.methods.privacy import LaplaceLabels, RPWithPrior, StaircaseLabels, StepPrior, optimal_interval

LABELS, LOOP_LABELS, NODES, SLOW_NODES = 1_000_000, 20_000, 2_000, 200


def peer_mechanisms() -> types.ModuleType:
    """diffprivlib's mechanisms, without its models, which do not import with current scikit-learn."""
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    from diffprivlib import mechanisms

    return mechanisms


def seconds(call: Callable[[], object], repeats: int) -> list[float]:
    """CPU seconds of each of `repeats` calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return times


def ours(call: Callable[[], object]) -> float:
    call()
    return statistics.median(seconds(call, 7))


def plain_interval(mass: Sequence[float], nodes: Sequence[float], epsilon: float, half_width: float) -> tuple:
    """Every pair of nodes, with a running total of the mass."""
    rate, best = math.exp(-epsilon), (0.0, 0.0, -1.0)
    for i in range(len(nodes)):
        total = 0.0
        for j in range(i + 1, len(nodes)):
            total += mass[j - 1]
            value = total / (2 * half_width + rate * (nodes[j] - nodes[i]))
            if value > best[2]:
                best = (nodes[i], nodes[j], value)
    return best


def summed_interval(mass: np.ndarray, nodes: np.ndarray, epsilon: float, half_width: float) -> tuple:
    """Every pair of nodes, summing the mass anew for each."""
    best = (0.0, 0.0, -1.0)
    for i in range(len(nodes)):
        for j in range(i + 1, len(nodes)):
            value = mass[i:j].sum() / (2 * half_width + np.exp(-epsilon) * (nodes[j] - nodes[i]))
            if value > best[2]:
                best = (nodes[i], nodes[j], value)
    return best


def main() -> None:
    """Time all pairs and print the table; stops if a pair disagrees."""
    peers, rows = peer_mechanisms(), []
    y = np.random.default_rng(0).gamma(2, 2, LABELS).clip(0, 20)
    loop = y[:LOOP_LABELS].tolist()

    def randomise(mechanism) -> float:
        mechanism.fit(y[:1000])
        return ours(lambda: mechanism.randomize(y))

    for name, peer in (("Laplace", peers.Laplace), ("Staircase", peers.Staircase)):
        theirs = peer(epsilon=1.0, sensitivity=20.0)
        scaled = min(seconds(lambda m=theirs: [m.randomise(v) for v in loop], 3)) * LABELS / LOOP_LABELS
        kind = {"Laplace": LaplaceLabels, "Staircase": StaircaseLabels}[name]
        mine = randomise(kind(1.0, (0, 20), allow_repeat=True, random_state=0))
        rows.append((f"randomise 1,000,000 labels: {name}", f"diffprivlib {name}, per value", mine, scaled))
        if name == "Laplace":
            rp = randomise(RPWithPrior(1.0, (0, 20), allow_repeat=True, random_state=0))
            rows.append(("randomise 1,000,000 labels: RPWithPrior", "diffprivlib Laplace, per value", rp, scaled))

    mass = np.random.default_rng(1).dirichlet(np.ones(NODES - 1))
    nodes = np.linspace(0, 20, NODES)
    found, plain = optimal_interval(mass, nodes, 1.0, 0.5), plain_interval(mass.tolist(), nodes.tolist(), 1.0, 0.5)
    if not np.allclose(found, plain, rtol=1e-9):
        raise SystemExit(f"the intervals differ: {found} and {plain}")
    mine = ours(lambda: optimal_interval(mass, nodes, 1.0, 0.5))
    double = min(seconds(lambda: plain_interval(mass.tolist(), nodes.tolist(), 1.0, 0.5), 3))
    rows.append(("optimal interval, 2,000 nodes", "double loop, running total", mine, double))
    few = StepPrior(nodes[:SLOW_NODES], mass[: SLOW_NODES - 1])
    summed = min(seconds(lambda: summed_interval(few.mass, few.nodes, 1.0, 0.5), 3)) * (NODES / SLOW_NODES) ** 2
    rows.append(("optimal interval, 2,000 nodes", "double loop, sum per pair (scaled)", mine, summed))

    print("| task | peer | ours, ms | peer, ms | ratio |\n| --- | --- | ---: | ---: | ---: |")
    for task, peer_name, own, other in rows:
        print(f"| {task} | {peer_name} | {own * 1e3:.3g} | {other * 1e3:,.4g} | {other / own:,.0f} |")


if __name__ == "__main__":
    main()
