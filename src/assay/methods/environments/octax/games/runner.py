"""Runner: jump and duck."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="runner",
    title="Runner",
    genre="runner",
    file=GAMES / "runner.asm",
    keys=(5, 8),
    key_names=("jump", "duck"),
    score="V14",
    done="V13 == 1 or V14 == 200",
    startup=66,
    about="Jump over cacti and duck under birds, a point for each. One hit ends the run.",
    levels="Faster after 10 and after 25 obstacles.",
    random_score=0.2,
    good_score=136,
)


def play(machines: Machines) -> NDArray[np.int64]:
    """Jump when a cactus is so near that the top of the jump is above it; duck while a bird is near."""
    V = machines["V"].astype(int)
    kind, x, step, there = V[:, 6], V[:, 7], V[:, 9], V[:, 10] == 0
    near = there & (x < 128)
    jump = near & (kind < 2) & (x <= 10 + 5 * step)
    duck = near & (kind == 2) & (x <= 18 + 4 * step)
    return np.where(jump, 0, np.where(duck, 1, 2))
