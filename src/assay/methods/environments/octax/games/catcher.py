"""Catcher: a basket under falling fruit."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="catcher",
    title="Catcher",
    genre="catcher",
    file=GAMES / "catcher.asm",
    keys=(7, 9),
    key_names=("left", "right"),
    score="V14",
    done="V13 == 0 or V14 == 200",
    startup=66,
    about="Fruit falls one by one; move the basket under it. Three misses end the game.",
    levels="Every eighth fruit caught makes the next fall faster, four times in all.",
    random_score=0.7,
    good_score=200,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Keep the middle of the basket under the fruit."""
    V = machines["V"].astype(int)
    off = V[:, 11] + 1 - (V[:, 10] + 4)
    return np.where(off < -1, 0, np.where(off > 1, 1, 2))
