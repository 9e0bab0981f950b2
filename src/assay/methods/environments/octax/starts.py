"""The machines that episodes start from, and what a score or an end says of machines; on the native machine."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax import native, native_env
from assay.methods.environments.octax.expressions import Expression
from assay.methods.environments.octax.machine import Machines, new_machines, raise_fault
from assay.methods.environments.octax.rules import Rule, Rules


def start_machines(rules: Rules) -> Machines:
    """The machines that episodes start from, (1 + noop_starts,): after the startup, and after j steps without key.

    Start j has the random stream of seed j while it is made. Raises MachineFault where the program breaks in its
    startup, ValueError where doing nothing so long ends the game (as far as an expression says).
    """
    quirks, instructions = rules.quirks, rules.instructions
    starts = new_machines(rules.rom, range(1 + rules.noop_starts), rules.hires, large_font=not quirks.octax)
    if rules.startup_key is not None:
        starts["keys"] = 1 << rules.startup_key
    if rules.timers == "correct":
        native.run_frames(starts, rules.startup // instructions, quirks, instructions)
        rest = rules.startup % instructions
    else:
        rest = rules.startup
    native.run_frames(starts, 1, replace(quirks, display_wait=False), rest, "off")
    starts["keys"] = 0
    raise_fault(starts)
    if (starts["waiting"] | _waits(starts)).any() and not rules.keys:
        warnings.warn(f"{rules.name} waits for a key (Fx0A), and keys is empty: nothing will wake it", stacklevel=3)
    shape, kind = rules.observation
    scene = np.zeros((len(starts), *shape), kind)
    nothing = np.zeros(len(starts), np.uint16)
    for step in range(rules.noop_starts):
        native.play(starts, nothing, np.arange(len(starts)) <= step, scene, quirks, instructions, rules.timers)
        raise_fault(starts)
        if isinstance(rules.done, str) and (evaluated(rules.done, starts)[step + 1 :] != 0).any():
            raise ValueError(f"noop_starts: {rules.noop_starts}; doing nothing ends the game after {step + 1} steps")
    return starts


def _waits(machines: Machines) -> NDArray[np.bool_]:
    """Machines whose next instruction is Fx0A."""
    i, pc = np.arange(len(machines)), np.minimum(machines["pc"].astype(int), machines["memory"].shape[1] - 2)
    memory = machines["memory"]
    return np.asarray((memory[i, pc] >> 4 == 0xF) & (memory[i, pc + 1] == 0x0A))


def evaluated(rule: Rule, machines: Machines) -> NDArray[np.float64]:
    """A score or an end of every machine, (n,): by its expression, or by the user's callable."""
    out = np.empty(len(machines))
    if isinstance(rule, str):
        native_env.evaluate(machines, Expression(rule).program, out)
        return out
    values = np.asarray(rule(machines), np.float64)
    if values.shape not in ((), out.shape):
        raise ValueError(f"score or done: the callable returned shape {values.shape}, not {out.shape}")
    out[:] = values
    return out
