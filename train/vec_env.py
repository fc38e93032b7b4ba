"""SelfPlayVecEnv: batched self-play as stable-baselines3 takes it, every seat being a learner."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from agents import load
from wizard_env import NUM_ACTIONS, Agent, Games, Rules
from wizard_env.observation import HIGHS
from wizard_env.view import reorder_actions

REWARD_SCALE = 1 / 20
"""Points are divided by 20, the points for a bid of 0 met, so that returns are about 1."""


class SelfPlayVecEnv(VecEnv):
    """One environment for each game; a step is the decision of whichever seat acts.

    Consecutive decisions of an environment are therefore those of different seats, and the reward of
    one is paid for several decisions of all: learn from it through `SelfPlayBuffer`, which credits
    every seat with its own points. The rewards returned here are those of the seat that acted, and
    `dones` tell where a round has ended. Decisions with one legal action are skipped. Observations,
    masks and actions are in canonical suits (see wizard_env/suits.py).

    Copies that only ever meet each other learn to fit each other; so in a share of the games some
    seats, drawn once, are taken by a sparring partner that does not learn.

    points: int16 [num_games, num_players], what the last step scored.
    acted: uint8 [num_games], the seats that took the last decisions.
    learns: bool [num_games, num_players], the seats that learn; at least one in each game.
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int,
        seed: int,
        sparring: float = 0.0,
        partner: str | Agent = "heuristic",
        alone: bool = False,
    ) -> None:
        """Deal the games.

        Args:
            rules: the options of every game.
            num_games: how many environments.
            seed: of the deals, and of which seats are whose.
            sparring: the share of games with 1 to num_players - 1 seats of the partner.
            partner: who takes those seats.
            alone: in those games the partner takes num_players - 1 seats.
        """
        self.games = Games(rules, num_games, seed, canonical_suits=True, skip_forced=True)
        self._rng = np.random.default_rng(seed)
        self.games.spread(self._rng)
        self._partner = load(partner)
        self.learns = _draw_learners(num_games, rules.num_players, sparring, alone, self._rng)
        self.acted = self.games.seat.copy()
        self.points = self.games.points.copy()
        self._actions = np.zeros(num_games, np.int64)
        self._rows = np.arange(num_games)
        self.render_mode = None
        super().__init__(
            num_games,
            gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
            gymnasium.spaces.Discrete(NUM_ACTIONS),
        )
        self._play_partner()

    def reset(self) -> NDArray[np.uint8]:
        """The decisions that the games wait for; they are not dealt anew."""
        return self.games.observation.copy()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        games = self.games
        self.acted = games.seat.copy()
        games.step(self._actions)
        self.points = games.points.copy()
        self._play_partner()
        rewards = self.points[self._rows, self.acted] * np.float32(REWARD_SCALE)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return games.observation.copy(), rewards, self.points[:, 0] != 0, infos

    def _play_partner(self) -> None:
        """Let the sparring partner act wherever it is its turn, and note what that scores.

        Should two rounds end before a seat that learns has a choice again, then none had one in the
        second: the points of the first are what its decisions are paid.
        """
        games = self.games
        while len(rows := (~self.learns[self._rows, games.seat]).nonzero()[0]):
            actions = self._partner.act(games.view(rows), self._rng)
            games.step(reorder_actions(actions, games.order[rows]), rows)
            first = rows[self.points[rows, 0] == 0]
            self.points[first] = games.points[first]

    def action_masks(self) -> NDArray[np.uint8]:
        """uint8 [num_games, NUM_ACTIONS]: the legal actions."""
        return self.games.mask

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of this batch; sb3-contrib asks for `action_masks` this way."""
        return list(getattr(self, method_name)(*method_args, **method_kwargs))

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing to release."""


def _draw_learners(
    num_games: int, num_players: int, sparring: float, alone: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """bool [num_games, num_players]: which seats learn."""
    partners = rng.integers(num_players - 1 if alone else 1, num_players, num_games)
    partners *= rng.random(num_games) < sparring
    learns = np.arange(num_players) >= partners[:, np.newaxis]
    return rng.permuted(learns, axis=1)
