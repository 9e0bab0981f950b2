"""How long the command takes to answer, as whole processes, beside a bare `python -c pass`.

python benchmarks/bench_cli.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

ASSAY = (sys.executable, "-m", "assay.cli")
COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "assay --help (goal < 0.3 s)": (*ASSAY, "--help"),
    "assay methods (goal < 0.5 s)": (*ASSAY, "methods"),
}


def main() -> None:
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for repeat in range(11):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if repeat:  # the first round warms the file cache
                times[name].append(time.perf_counter() - start)
    bare = statistics.median(times["python -c pass"])
    print("### Start of the command\n\n| command | median seconds | ratio |\n| --- | --- | --- |")
    for name, values in times.items():
        print(f"| {name} | {statistics.median(values):.3f} | {statistics.median(values) / bare:.1f} |")


if __name__ == "__main__":
    main()
