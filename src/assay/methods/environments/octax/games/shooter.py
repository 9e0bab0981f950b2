"""Shooter: saucers come down, a gun shoots them."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game, labels
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="shooter",
    title="Shooter",
    genre="shooter",
    file=GAMES / "shooter.asm",
    keys=(7, 9, 5),
    key_names=("left", "right", "fire"),
    score="V14",
    done="V13 == 0 or V14 == 200",
    startup=44,
    about="Two saucers at a time sink towards the ground; shoot them. Three that land end the game.",
    levels="Every sixteenth saucer makes the rest sink faster.",
    random_score=15.8,
    good_score=73,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Go under the lower saucer, ahead of it by what it moves while a shot flies, and fire."""
    at = labels(GAME)["saucers"]
    saucers = machines["memory"][:, at : at + 10].astype(int).reshape(-1, 2, 5)
    gun = machines["V"][:, 5].astype(int)
    lower = saucers[:, :, 1].argmax(axis=1)
    x, y, dx = (saucers[np.arange(len(saucers)), lower, k] for k in range(3))
    dx = np.where(dx > 127, -1, 1)
    flight = (26 - y) // 4
    target = x + dx * (flight // 2)
    target = np.abs(target)
    target = np.where(target > 56, 112 - target, target)
    off = target - gun
    return np.where(off < -2, 0, np.where(off > 2, 1, 2))
