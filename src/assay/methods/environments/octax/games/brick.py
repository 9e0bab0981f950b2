"""Brick: a ball, a bat and a wall of bricks."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="brick",
    title="Brick",
    genre="brick",
    file=GAMES / "brick.asm",
    keys=(7, 9),
    key_names=("left", "right"),
    score="V14",
    done="V13 == 0 or V11 == 4",
    startup=352,
    about="Keep the ball in play and take down the wall, a point for each of its 64 bricks. Three balls.",
    levels="Three walls, each played faster.",
    random_score=0.8,
    good_score=122,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Go where the ball will come down, and hit it with the half of the bat that sends it on the way it goes."""
    V = machines["V"].astype(int)
    x, y, dx, dy, bat = V[:, 3], V[:, 4], V[:, 5], V[:, 6], V[:, 10]
    dx, dy = np.where(dx > 127, -1, 1), np.where(dy > 127, -1, 1)
    fall = np.where(dy > 0, 30 - y, 0)
    landing = np.abs(x + dx * fall)
    landing = np.where(landing > 63, 126 - landing, landing)
    target = np.where(dy > 0, landing, x) - 3 - (landing // 7 % 2)
    return np.where(target < bat - 1, 0, np.where(target > bat + 1, 1, 2))
