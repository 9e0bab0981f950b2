"""A program of your own as a thousand environments: its score found, random play against PPO."""

import numpy as np

from assay.methods.environments import assemble, find_score_register, make_chip8
from assay.methods.environments.octax.game import find_game

PROGRAM = find_game("catcher").file  # stands for the path of your own ROM or assembly file


def main() -> None:
    rom = assemble(PROGRAM.read_text(encoding="utf-8"), PROGRAM.name).rom
    print(f"{len(rom)} bytes; where may the score be?")
    for candidate in find_score_register(rom)[:3]:
        print(f"  {candidate}")
    env = make_chip8(rom, 1000, score="V14", done="V13 == 0", keys=(7, 9), seed=0, packed=True, max_steps=300)
    screens, _ = env.reset()
    rng, total, episodes = np.random.default_rng(0), 0.0, 0
    for _ in range(300):
        screens, rewards, terminated, truncated, _ = env.step(rng.integers(0, 3, 1000))
        total, episodes = total + rewards.sum(), episodes + int((terminated | truncated).sum())
    print(f"random play: 300,000 steps, {episodes} episodes, {total / episodes:.2f} a game; screens {screens.shape}")


if __name__ == "__main__":
    main()
