"""Gunner: hunt targets before the fuel runs out."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="gunner",
    title="Gunner",
    genre="tank",
    file=GAMES / "gunner.asm",
    keys=(5, 8, 7, 9, 6),
    key_names=("up", "down", "left", "right", "fire"),
    score="V14",
    done="V13 == 0",
    startup=44,
    about="Drive, aim and hit targets before the fuel runs out; every hit brings some.",
    levels="Targets move twice as often after 8 hits, and twice as often again after 20.",
    random_score=4.5,
    good_score=100,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Line up with the target along the nearer axis, turn towards it, fire."""
    V = machines["V"].astype(int)
    across, down = V[:, 6] + 2 - (V[:, 3] + 3), V[:, 7] + 2 - (V[:, 4] + 3)
    towards_column = np.where(across < 0, 2, 3)
    towards_row = np.where(down < 0, 0, 1)
    in_column, in_row = np.abs(across) <= 2, np.abs(down) <= 2
    facing = np.array([0, 1, 2, 3])[V[:, 5] // 8 % 4]
    wanted = np.where(in_column, towards_row, np.where(in_row, towards_column, -1))
    approach = np.where(np.abs(across) <= np.abs(down), towards_column, towards_row)
    return np.where(wanted < 0, approach, np.where(facing == wanted, 4, wanted))
