"""Snake: eat, grow, and do not bite yourself."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="snake",
    title="Snake",
    genre="snake",
    file=GAMES / "snake.asm",
    keys=(5, 8, 7, 9),
    key_names=("up", "down", "left", "right"),
    score="V14",
    done="V13 == 1",
    startup=220,
    about="Every bite makes the snake two cells longer. It dies of the frame and of itself.",
    levels="Faster at the eighth and at the sixteenth bite.",
    random_score=0.1,
    good_score=10,
)

_STEPS = np.array([(0, -2), (0, 2), (-2, 0), (2, 0)])


def play(machines: Machines) -> NDArray[np.int64]:
    """Turn towards the food where the cell ahead is free, and away from what is not."""
    V = machines["V"].astype(int)
    rows = machines["display"][:, :, 0]
    x, y = V[:, 3], V[:, 4]
    dx, dy = (np.where(V[:, k] > 127, V[:, k] - 256, V[:, k]) for k in (5, 6))
    best, action = np.full(len(V), np.inf), np.full(len(V), 4)
    for index, (sx, sy) in enumerate(_STEPS):
        back = (sx == -dx) & (sy == -dy)
        nx, ny = x + sx, y + sy
        food = (nx == V[:, 7]) & (ny == V[:, 8])
        lit = rows[np.arange(len(V)), ny % 32] >> (63 - nx % 64).astype(np.uint64) & np.uint64(1)
        away = np.abs(nx - V[:, 7]) + np.abs(ny - V[:, 8]) + 1000 * ((lit != 0) & ~food) + 5000 * back
        action = np.where(away < best, index, action)
        best = np.minimum(away, best)
    return action
