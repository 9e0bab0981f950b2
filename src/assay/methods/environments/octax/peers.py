"""Contenders for speed: the same game on our machines, on the package `octax` and on a plain emulator; Pong on ALE.

Each function returns a callable that does a fixed number of environment steps with random actions, everything compiled
beforehand. A step is 44 instructions of a CHIP-8 (four frames of 11), or four frames of an Atari 2600.
"""

from __future__ import annotations

import random
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay.methods.environments.octax.envs import make_chip8
from assay.methods.environments.octax.machine import PROFILES
from assay.methods.environments.octax.rules import Rules, rules_of
from assay.methods.environments.octax.starts import start_machines

GAME = "brick"
"""The game that all CHIP-8 contenders play, as the published package would: its quirks and its timers."""
INSTRUCTIONS = 44

Run = Callable[[], object]


def rules() -> Rules:
    """What all CHIP-8 contenders play."""
    return rules_of(GAME, quirks="octax", packed=True)


def native(count: int, steps: int, threads: int = 1) -> Run:
    """Our native machine: `steps` steps of `count` environments.

    Args:
        count: environments.
        steps: of each.
        threads: cores.
    """
    env = make_chip8(GAME, count, quirks="octax", packed=True, copy=False, threads=threads)
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, len(rules().keys) + 1, (steps, count))

    def run() -> None:
        for row in actions:
            env.step(row)

    run()
    return run


def one_by_one(count: int, steps: int) -> Run:
    """Our native machine, one environment after the other: what does not scale.

    Args:
        count: environments.
        steps: of each.
    """
    from assay.methods.environments.octax import native as machine

    r = rules()
    machines = np.repeat(start_machines(r), count)
    screens, skip = np.zeros((count, *r.observation[0]), np.uint32), np.zeros(1, bool)
    keys = r.masks[np.random.default_rng(0).integers(0, len(r.masks), (steps, count))]

    def run() -> None:
        for row in keys:
            for i in range(count):
                here = slice(i, i + 1)
                machine.play(machines[here], row[here], skip, screens[here], r.quirks, r.instructions, r.timers, 1)

    run()
    return run


def ours_jax(count: int, steps: int) -> Run:
    """Our JAX backend, as functions: a scan over steps, the screens reduced to a sum.

    Args:
        count: environments.
        steps: of each.
    """
    from assay.methods.environments.octax.jax_env import Chip8Jax

    env = Chip8Jax(rules())
    return _scan(count, steps, env.num_actions, env.reset, env.step)


def octax(count: int, steps: int) -> Run:
    """The package `octax`: the same, with its own emulator and environment.

    Args:
        count: environments.
        steps: of each.
    """
    env = octax_env(rules().rom, rules().keys)
    return _scan(count, steps, env.num_actions, env.reset, env.step)


def octax_env(rom: bytes, keys: tuple[int, ...], startup: int = 0) -> Any:
    """The package's environment of a program of ours.

    Args:
        rom: the program.
        keys: its keys.
        startup: instructions before the first step.
    """
    from octax.env import OctaxEnv

    warnings.filterwarnings("ignore", "scatter inputs", FutureWarning)  # the package's own
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.ch8"
        path.write_bytes(rom)
        return OctaxEnv(
            str(path),
            action_set=list(keys),
            score_fn=lambda state: state.V[14],
            terminated_fn=lambda state: state.V[13] == 0,
            startup_instructions=startup,
            disable_delay=False,
        )


def _scan(count: int, steps: int, actions: int, reset: Any, step: Any) -> Run:
    compiled, states, key = lowered(count, steps, actions, reset, step)
    compiled = compiled.compile()
    box = [states]

    def run() -> None:
        import jax

        box[0], total = compiled(box[0], key)
        jax.block_until_ready((box[0], total))  # type: ignore[no-untyped-call]

    run()
    return run


def lowered(count: int, steps: int, actions: int, reset: Any, step: Any) -> Any:
    """The program of `steps` steps of `count` environments, traced and ready to be compiled; its states and key."""
    import jax

    def roll(states: Any, key: Any) -> Any:
        def one(states: Any, key: Any) -> Any:
            states, screens, *_ = jax.vmap(step)(states, jax.random.randint(key, (count,), 0, actions))
            return states, screens.sum()

        states, sums = jax.lax.scan(one, states, jax.random.split(key, steps))
        return states, sums.sum()

    key = jax.random.PRNGKey(0)
    states, *_ = jax.jit(jax.vmap(reset))(jax.random.split(key, count))
    return jax.jit(roll, donate_argnums=0).lower(states, key), states, key


def chip8py(steps: int) -> Run:
    """The emulator `chip8-py`, one machine without window and sound.

    Args:
        steps: of the one environment.
    """
    machine = chip8py_machine(rules().rom)
    actions = np.random.default_rng(0).integers(0, len(rules().keys) + 1, steps)

    def run() -> None:
        with np.errstate(over="ignore"):
            for action in actions:
                machine.kp.keys[:] = 0
                if action < len(rules().keys):
                    machine.kp.keys[rules().keys[action]] = 1
                for _ in range(4):
                    for _ in range(INSTRUCTIONS // 4):
                        machine.execute(int(machine.fetch()))
                    machine.tm.delay = max(machine.tm.delay - 1, 0)

    run()
    return run


def chip8py_machine(rom: bytes) -> Any:
    """A `chip8py` processor with `rom` loaded, and parts that have neither window nor sound."""
    from chip8py.cpu import Processor
    from chip8py.memory import Memory

    memory = Memory()
    memory.load_rom(rom)
    keys = np.zeros(16, np.uint8)
    screen = SimpleNamespace(grid=np.zeros((32, 64), np.uint8), vblank=True, scale=1)
    screen.clear = lambda: screen.grid.fill(0)
    timers = SimpleNamespace(delay=0, sound=0)
    timers.set_delay = lambda value: setattr(timers, "delay", int(value))
    timers.set_sound = lambda value: setattr(timers, "sound", int(value))
    pad = SimpleNamespace(keys=keys, is_pressed=lambda key: keys[int(key)] == 1)
    machine = Processor(memory, screen, pad, timers)
    machine.spr_clip = PROFILES["octax"].clip
    random.seed(0)
    return machine


def ale(steps: int) -> Run:
    """Pong on the Arcade Learning Environment, one environment, four frames a step, its screen read once.

    Args:
        steps: of the one environment.
    """
    from ale_py import ALEInterface, LoggerMode, roms

    ALEInterface.setLoggerMode(LoggerMode.Error)
    machine = ALEInterface()
    machine.setInt("random_seed", 0)
    machine.setFloat("repeat_action_probability", 0.0)
    machine.setInt("frame_skip", 4)
    pong = roms.get_rom_path("pong")
    assert pong is not None, "the package ale-py holds its games"
    machine.loadROM(pong)
    actions = machine.getMinimalActionSet()
    chosen = np.random.default_rng(0).integers(0, len(actions), steps)

    def run() -> None:
        for action in chosen:
            machine.act(actions[action])
            machine.getScreenGrayscale()
            if machine.game_over():
                machine.reset_game()

    run()
    return run
