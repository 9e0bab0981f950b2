"""The JAX backend behind gymnax's interface, for its agents and trainers.

Since version 1 gymnax tells the end of a game from the end of its time; before, `done` is both.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

import jax
import jax.numpy as jnp
from gymnax.environments import spaces
from gymnax.environments.environment import Environment, EnvParams

from assay.methods.environments.octax.game import Game
from assay.methods.environments.octax.jax_env import Chip8Jax, EnvState

_TELLS_APART = hasattr(Environment, "is_truncated")


class Chip8Gymnax(Environment):  # type: ignore[misc]
    """A game as a gymnax environment, which starts anew by itself at the end of an episode, as all of gymnax's do.

    Args:
        game: as in `make_chip8`.
        **rules: quirks, frame_skip and the other arguments of `make_chip8` that define the environment.
    """

    def __init__(self, game: str | PathLike[str] | bytes | Game, **rules: Any) -> None:
        """Args as of the class."""
        super().__init__()
        self.functional = Chip8Jax.make(game, **rules)

    @property
    def default_params(self) -> EnvParams:
        """The length of an episode; what else there is to set belongs to the constructor."""
        return EnvParams(max_steps_in_episode=self.functional.rules.max_steps)

    def step_env(
        self, key: jax.Array, state: EnvState, action: Any, params: EnvParams
    ) -> tuple[jax.Array, EnvState, jax.Array, jax.Array, dict[str, Any]]:
        """One step: observation, state, reward, end, info; the end is the game's, before gymnax 1 also that of time.

        Args:
            key: not used: a state carries its random streams.
            state: from `reset_env` or `step_env`.
            action: 0 to num_actions - 1.
            params: the length of an episode.
        """
        state, screens, reward, terminated, _, info = self.functional.step(state, action)
        end = terminated if _TELLS_APART else terminated | self.is_truncated(state, params)
        info["discount"] = jnp.where(terminated, 0.0, 1.0)
        return screens.astype(jnp.float32), state, reward, end, info

    def reset_env(self, key: jax.Array, params: EnvParams) -> tuple[jax.Array, EnvState]:
        """A fresh start: observation and state.

        Args:
            key: of the random streams.
            params: not used.
        """
        state, screens, _ = self.functional.reset(key)
        return screens.astype(jnp.float32), state

    def is_truncated(self, state: EnvState, params: EnvParams) -> jax.Array:
        """Whether an episode's time is over.

        Args:
            state: of the environment.
            params: the length of an episode, 0 for no end.
        """
        limit = params.max_steps_in_episode
        over: jax.Array = (limit > 0) & (state.time >= limit)
        return over

    def is_terminated(self, state: EnvState, params: EnvParams) -> jax.Array:
        """Whether the game is over.

        Args:
            state: of the environment.
            params: not used.
        """
        return self.functional.over(state.machine)

    @property
    def name(self) -> str:
        """The game's name."""
        return self.functional.rules.name

    @property
    def num_actions(self) -> int:
        """Number of actions; the last holds no key."""
        return self.functional.num_actions

    def action_space(self, params: EnvParams | None = None) -> spaces.Discrete:
        """Discrete(num_actions).

        Args:
            params: not used.
        """
        return spaces.Discrete(self.num_actions)

    def observation_space(self, params: EnvParams | None = None) -> spaces.Box:
        """Box of 0 and 1, float32 (frames, rows, columns).

        Args:
            params: not used.
        """
        return spaces.Box(0, 1, self.functional.rules.observation[0], jnp.float32)
