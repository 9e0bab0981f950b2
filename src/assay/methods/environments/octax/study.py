"""Studies of Octax: how fast, how faithful, and whether agents learn.

Written before the first trial ran. `speed` and `fidelity` run the authors' published package (octax 0.1.1) beside ours;
`learning` trains on our own games. Settings of PPO were chosen among three, in nine training runs on our games at seed
10,000; they are the same for every game and every arm. The games of `learning` are of the five genres that were planned
before any was trained on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax import fidelity
from assay.studies.study import Cases, Metric, Series, Settings, Test, Trial, TrialRun

# --- speed ---------------------------------------------------------------------------------------------------------

COUNTS = (64, 1024, 4096)
"""Environments at once."""
PER_CALL = {
    "octax": {1: 60, 64: 16, 1024: 1, 4096: 1},
    "octax (2)": {1024: 1},
    "octax (3)": {1024: 1},
    "our jax": {1: 400, 64: 150, 1024: 12, 4096: 4},
    "our native": {1: 8000, 64: 4000, 1024: 400, 4096: 100},
    "one by one": {64: 300, 1024: 20, 4096: 5},
    "chip8-py": {1: 20},
    "ale-py": {1: 300},
}
"""Steps of each environment in one timed call, by contender and environments."""
NEEDS = {"octax": ("octax", "cv2"), "chip8-py": ("chip8py",), "ale-py": ("ale_py",), "our jax": ("jax",)}


def steps_of(arm: str) -> int:
    """Environment steps in one timed call of an arm such as "octax 1024" or "ale-py 1 at 64"."""
    name, count = arm.removesuffix(" again").split(" at ")[0].rsplit(" ", 1)
    return int(count) * PER_CALL[name][int(count)]


def speed(trial: Trial, arm: str) -> float:
    """log of environment steps per CPU second."""
    return math.log(steps_of(arm) / trial.value(arm, "cpu"))


def faster(trial: Trial, arm: str, baseline: str | None) -> float:
    """log of how many times as many steps per CPU second as the baseline."""
    assert baseline is not None
    return speed(trial, arm) - speed(trial, baseline)


def growth(trial: Trial, arm: str, baseline: str | None) -> float:
    """Exponent of steps per wall second over environments, less 1: 0 where throughput grows with their number.

    Against itself: the noise of that exponent.
    """
    name = arm.removesuffix(" again").rsplit(" ", 1)[0]
    counts = np.log(COUNTS)
    if baseline is not None:
        return (math.log(trial.value(baseline, "wall") / trial.value(arm, "wall"))) / float(np.ptp(counts))
    rates = [math.log(steps_of(f"{name} {n}") / trial.value(f"{name} {n}", "wall")) for n in COUNTS]
    return float(np.polyfit(counts, rates, 1)[0]) - 1.0


def _speed_tests() -> list[Test]:
    tests = [
        Test(
            "faster-than-cpu-emulators",
            f"octax {n}",
            faster,
            margin=math.log(2),
            scale="log",
            against=(f"chip8-py 1 at {n}", f"ale-py 1 at {n}"),
            itself=f"octax {n} again",
            of="authors",
            label=f"octax 0.1.1, {n} environments, on a CPU",
        )
        for n in COUNTS
    ]
    tests += [
        Test(
            "near-linear-scaling",
            f"{name} 4096",
            growth,
            margin=0.25,
            itself=f"{name} 4096 again",
            spoiled="one by one 4096",
            of=of,  # type: ignore[arg-type]
            label=label,
        )
        for name, of, label in (
            ("octax", "authors", "octax 0.1.1 on a CPU"),
            ("our jax", "ours", "our JAX backend on a CPU"),
        )
    ]
    tests += [
        Test(
            claim,
            f"{name} 1024",
            faster,
            margin=math.log(10),
            scale="log",
            against=(f"octax ({number}) 1024",),
            itself=f"{name} 1024 again",
            label="1,024 environments",
        )
        for claim, name, number in (("jax-ten-times", "our jax", 2), ("native-ten-times", "our native", 3))
    ]
    return tests


@dataclass(frozen=True)
class SpeedSettings(Settings):
    """Settings of the study of speed."""

    divide: int = 1
    """Environments and steps are divided by this: above 1 for a check of the study, whose times then mean nothing."""


class Speed:
    """CPU and wall seconds of random play, contenders interleaved, compilation apart."""

    name = "speed"
    stand_in = "CPU cores in place of an RTX 3090; our game brick in place of the paper's; Pong as ALE's game"
    timed = True
    small = SpeedSettings(seeds=5)
    full = SpeedSettings(seeds=8)
    tiny = SpeedSettings(seeds=5, divide=128)
    tests = tuple(_speed_tests())

    def trial(self, run: TrialRun) -> None:
        """Compile, then race at 1, 64, 1,024 and 4,096 environments."""
        from assay.methods.environments.octax import peers

        makers: dict[str, Callable[[int, int], Any]] = {
            "octax": peers.octax,
            "octax (2)": peers.octax,
            "octax (3)": peers.octax,
            "our jax": peers.ours_jax,
            "our native": peers.native,
            "one by one": peers.one_by_one,
            "chip8-py": lambda count, steps: peers.chip8py(steps),
            "ale-py": lambda count, steps: peers.ale(steps),
        }
        for name in ("octax", "our jax"):
            run.arm(f"{name} compiles", lambda name=name: {"seconds": compile_seconds(name)}, needs=NEEDS[name])  # type: ignore[misc]

        divide = run.settings.divide

        def race(*arms: str) -> None:
            contenders: dict[str, Callable[[], object]] = {}
            for arm in arms:
                name, count = arm.split(" at ")[0].rsplit(" ", 1)
                lacking = missing(run, arm, NEEDS.get(name.split(" (")[0], ()))
                if not lacking:
                    sizes = int(count), PER_CALL[name][int(count)]
                    contenders[arm] = Lazy(makers[name], *(max(1, size // divide) for size in sizes))
            if contenders:
                run.race(contenders)

        race("our native 1", "our jax 1", "octax 1", "chip8-py 1", "ale-py 1")
        for n in COUNTS:
            race(f"octax {n}", f"chip8-py 1 at {n}", f"ale-py 1 at {n}", f"one by one {n}")
        race("our jax 1024", "octax (2) 1024")
        race("our native 1024", "octax (3) 1024")
        race("our jax 4096", "our native 4096", "our jax 64", "our native 64")


class Lazy:
    """A contender that is built at its first call, which the race does not time."""

    def __init__(self, make: Callable[[int, int], Callable[[], object]], count: int, steps: int) -> None:
        self.make, self.arguments = make, (count, steps)
        self.run: Callable[[], object] | None = None

    def __call__(self) -> object:
        if self.run is None:
            self.run = self.make(*self.arguments)
        return self.run()


def missing(run: TrialRun, arm: str, needs: tuple[str, ...]) -> bool:
    """Whether a package is missing; the arm is then on record as such."""
    from importlib.util import find_spec

    lacking = any(find_spec(need) is None for need in needs)
    if lacking:
        run.arm(arm, dict, needs=needs)
    return lacking


def compile_seconds(name: str) -> float:
    """Wall seconds to trace and compile one step of 1,024 environments."""
    from assay.methods.environments.octax import peers
    from assay.methods.environments.octax.jax_env import Chip8Jax

    rules = peers.rules()
    env = Chip8Jax(rules) if name == "our jax" else peers.octax_env(rules.rom, rules.keys)
    start = time.perf_counter()
    peers.lowered(1024, 1, len(rules.keys) + 1, env.reset, env.step)[0].compile()
    return time.perf_counter() - start


# --- fidelity ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FidelitySettings(Settings):
    """Settings of the study of fidelity."""

    cases: int = 100
    """Cases per seed and group of instructions."""


def deviations(trial: Trial, arm: str, baseline: str | None) -> Cases:
    """Cases in which the arm did what no platform does."""
    found = trial[arm]["cases"]
    assert isinstance(found, Cases)
    return found


class Fidelity:
    """Single instructions from random states: the published package against every real platform."""

    name = "fidelity"
    stand_in = "our reference machine in three profiles in place of the original computers"
    small = FidelitySettings(seeds=5, regimes=tuple(fidelity.GROUPS))
    full = FidelitySettings(seeds=8, regimes=tuple(fidelity.GROUPS), cases=1000)
    tests = (
        Test(
            "perfect-fidelity",
            "octax",
            deviations,
            margin=1.0,
            spoiled="a broken machine",
            of="authors",
            label="octax 0.1.1",
        ),
    )

    def trial(self, run: TrialRun) -> None:
        """Random cases of one group: the package, and a machine with faults that the test has to find."""
        drawn = fidelity.cases(run.regime, run.settings.cases, run.rng(f"cases {run.regime}"))
        run.arm("octax", lambda: {"cases": judged(drawn, fidelity.by_octax(drawn))}, needs=("octax", "cv2"))
        run.arm(
            "a broken machine",
            lambda: {"cases": judged(drawn, [fidelity.by_reference(c, "schip", fidelity.Spoiled) for c in drawn])},
        )


def judged(drawn: list[fidelity.Case], did: list[fidelity.Outcome]) -> Cases:
    """What a machine did against what platforms do, a second machine of ours asked where they differ."""
    wrong = [(case, it) for case, it in zip(drawn, did, strict=True) if it not in fidelity.accepted(case)]
    confirmed = [
        (case, it)
        for case, it in wrong
        if all(it != fidelity.by_native(case, platform) for platform in fidelity.PLATFORMS)
    ]
    worst = fidelity.difference(*confirmed[0], "schip") if confirmed else ""
    return Cases(len(drawn), len(wrong), len(confirmed), worst)


# --- learning ------------------------------------------------------------------------------------------------------

GAMES = ("brick", "catcher", "paddle", "runner", "shooter")


@dataclass(frozen=True)
class LearningSettings(Settings):
    """Settings of the study of learning."""

    steps: int = 75_000
    """Environment steps of training."""
    environments: int = 32
    """Environments trained on at once."""
    episodes: int = 64
    """Episodes that a player is judged by."""
    longest: int = 1000
    """Steps after which an episode is cut off, in training and judging, for every player."""


def gain(trial: Trial, arm: str, baseline: str | None) -> float:
    """Mean score above random play, in units of what the scripted player has above it."""
    assert baseline is not None
    best = trial.value("scripted", "score") - trial.value("random", "score")
    return (trial.value(arm, "score") - trial.value(baseline, "score")) / best


class Learning:
    """PPO on games of our own, against random play; a scripted player as the scale, shuffled rewards as the control."""

    name = "learning"
    stand_in = (
        "five games of ours in place of the paper's sixteen; 75,000 steps and a smaller network in place of 5 million"
    )
    full_stand_in = "five games of ours in place of the paper's sixteen; a smaller network"
    small = LearningSettings(seeds=5, regimes=GAMES)
    full = LearningSettings(seeds=12, regimes=GAMES, steps=5_000_000, environments=512, longest=4500)
    tiny = LearningSettings(seeds=5, regimes=("catcher",), steps=4_096, longest=60)
    tests = (
        Test(
            "agents-learn",
            "ppo",
            gain,
            margin=0.05,
            against=("random",),
            control="ppo, rewards shuffled",
            compares="mechanism",
        ),
    )

    def fits(self, test: Test, trials: tuple[Trial, ...]) -> str | None:
        """The scripted player must be well above random play, else there is nothing to learn."""
        gaps = [t.value("scripted", "score") - t.value("random", "score") for t in trials]
        return None if np.mean(gaps) > 3 else "the scripted player is hardly better than random play"

    def trial(self, run: TrialRun) -> None:
        """Random and scripted play, PPO, and PPO whose rewards are dealt to other environments."""
        from assay.methods.environments.octax.envs import make_chip8
        from assay.methods.environments.octax.game import find_game
        from assay.methods.environments.octax.ppo import PPOSettings, mean_score, train_ppo

        s: LearningSettings = run.settings
        game = find_game(run.regime)
        assert game.player is not None
        player = game.player

        def judge(act: Callable[[NDArray[Any], NDArray[Any]], Any]) -> dict[str, Metric]:
            env = make_chip8(game, s.episodes, packed=True, max_steps=s.longest, threads=s.threads)
            return {"score": mean_score(env, lambda screens: act(screens, env.machines), seed=1_000_000 + run.seed)[0]}

        def trained(reward: Callable[[NDArray[Any]], NDArray[Any]] | None = None) -> dict[str, Metric]:
            env = make_chip8(game, s.environments, packed=True, max_steps=s.longest, threads=s.threads)
            result = train_ppo(env, PPOSettings(steps=s.steps), run.seed, run.progress, reward)
            policy = result.policy(run.seed)
            steps, scores = result.curve.T.tolist()
            curve = Series(tuple(steps), tuple(scores), "steps", "score of finished episodes")
            return {**judge(lambda screens, machines: policy(screens)), "curve": curve}

        rng = run.rng(f"random play {run.regime}")
        run.arm("random", lambda: judge(lambda screens, _: rng.integers(0, len(game.keys) + 1, s.episodes)))
        run.arm("scripted", lambda: judge(lambda _, machines: player(machines)))
        run.arm("ppo", trained, needs=("jax", "optax"))
        shuffle = run.rng(f"shuffled rewards {run.regime}")
        run.arm("ppo, rewards shuffled", lambda: trained(lambda r: shuffle.permutation(r)), needs=("jax", "optax"))


STUDIES = (Speed(), Fidelity(), Learning())
