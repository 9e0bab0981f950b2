"""Paddle: a rally against the machine."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="paddle",
    title="Paddle",
    genre="paddle",
    file=GAMES / "paddle.asm",
    keys=(5, 8),
    key_names=("up", "down"),
    score="V14 - V13",
    done="V13 == 9 or V14 == 9",
    startup=55,
    about="A rally against the machine; the score is your points less its. Nine points end the game.",
    levels="From six points on, the machine's bat moves at every tick instead of every second one.",
    random_score=-7.9,
    good_score=5,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Meet the ball with the edge of the bat: steep balls are the ones the machine misses."""
    V = machines["V"].astype(int)
    ball_x, ball_y, dy, mine, other = V[:, 3], V[:, 4], V[:, 6], V[:, 7], V[:, 8]
    dy = np.where(dy > 127, dy - 256, dy)
    coming = V[:, 5] < 128
    row = ball_y + dy * np.maximum((58 - ball_x) // 2, 0)  # where it will be, folded at the walls
    row = np.abs(row)
    row = np.where(row > 31, 62 - row, row)
    edge = np.where(other > 13, 5, 0)  # up where the machine is low
    aim = np.where(coming, row - edge, 13)
    aim = np.clip(aim, 0, 26)
    return np.where(aim < mine, 0, np.where(aim > mine, 1, 2))
