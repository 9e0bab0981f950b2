"""Maze: eat every dot before the ghost has you."""

import numpy as np
from numpy.typing import NDArray

from assay.methods.environments.octax.game import GAMES, Game
from assay.methods.environments.octax.machine import Machines

GAME = Game(
    name="maze",
    title="Maze",
    genre="maze",
    file=GAMES / "maze.asm",
    keys=(5, 8, 7, 9),
    key_names=("up", "down", "left", "right"),
    score="V14",
    done="V13 == 1",
    startup=4587,
    about="Eat every dot of the maze; a ghost comes after you. Three lives.",
    levels="Three mazes; the ghost rests at every second, then every fourth, then every eighth tick.",
    random_score=24.6,
    good_score=173,
)

_CELLS = 0x600
_STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))


def play(machines: Machines) -> NDArray[np.int64]:
    """Along the shortest way to the nearest dot that keeps away from the ghost."""
    V = machines["V"].astype(int)
    cells = machines["memory"][:, _CELLS : _CELLS + 128].reshape(-1, 8, 16)
    n, here = len(V), np.arange(len(V))
    wall = cells == 1
    ghost = _steps_from(wall, V[:, 5], V[:, 6])
    mine = np.full((n, 8, 16), 99)
    mine[cells == 2] = 0
    blocked = wall | (ghost <= 2)
    for _ in range(40):
        mine = np.where(blocked, 99, np.minimum(mine, 1 + _nearest(mine)))
    best, action = np.full(n, 1000), np.full(n, 4)
    for index, (sx, sy) in enumerate(_STEPS):
        x, y = V[:, 3] + sx, V[:, 4] + sy
        cell = here, y % 8, x % 16
        cost = mine[cell] + 500 * wall[cell] - 20 * np.minimum(ghost[cell], 3)
        action, best = np.where(cost < best, index, action), np.minimum(cost, best)
    return action


def _nearest(distance: NDArray[np.int64]) -> NDArray[np.int64]:
    """The smallest distance among the four neighbours of every cell."""
    wide = np.pad(distance, ((0, 0), (1, 1), (1, 1)), constant_values=99)
    return np.asarray(np.minimum.reduce([wide[:, :-2, 1:-1], wide[:, 2:, 1:-1], wide[:, 1:-1, :-2], wide[:, 1:-1, 2:]]))


def _steps_from(wall: NDArray[np.bool_], x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps from a cell to every cell, 99 where there are too many."""
    distance = np.full(wall.shape, 99)
    distance[np.arange(len(wall)), y % 8, x % 16] = 0
    for _ in range(12):
        distance = np.where(wall, 99, np.minimum(distance, 1 + _nearest(distance)))
    return distance
