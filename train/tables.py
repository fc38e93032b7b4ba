"""Tables: batched self-play, in which every seat that is not a partner's is a learner's; and mixtures."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents import load
from train.config import Config
from wizard_env import Agent, Games, Rules
from wizard_env.rules import MAX_PLAYERS
from wizard_env.view import reorder_actions

REWARD_SCALE = 1 / 20
"""Points are divided by 20, the points for a bid of 0 met, so that returns are about 1."""


class Tables:
    """N games; a step is the decision of whichever learner acts in each.

    Decisions with one legal action are skipped. Observations, masks and actions are in canonical
    suits (see wizard_env/suits.py). Copies that only ever meet each other learn to fit each other; so
    in a share of the games some seats, drawn once, are taken by partners that do not learn.

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
        partners: Sequence[str | Agent] = ("heuristic",),
        alone: bool = False,
    ) -> None:
        """Deal the games.

        Args:
            rules: the options of every game.
            num_games: how many.
            seed: of the deals, and of which seats are whose.
            sparring: the share of games with 1 to num_players - 1 seats of a partner.
            partners: who takes those seats; one of them, drawn once, in each game.
            alone: in those games the partner takes num_players - 1 seats.
        """
        self.games = Games(rules, num_games, seed, canonical_suits=True, skip_forced=True)
        self.rng = np.random.default_rng(seed)
        self.games.spread(self.rng)
        self._partners = [load(partner) for partner in partners]
        self.learns = _draw_learners(num_games, rules.num_players, sparring, alone, self.rng)
        self._partner = (
            self.rng.integers(0, len(partners), num_games)
            if len(partners) > 1
            else np.zeros(num_games, np.int64)
        )
        self.acted = self.games.seat.copy()
        self.points = self.games.points.copy()
        self._rows = np.arange(num_games)
        self._play_partners()

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' decisions, int64 [num_games], and play on to their next ones."""
        self.acted = self.games.seat.copy()
        self.games.step(actions)
        self.points = self.games.points.copy()
        self._play_partners()

    def _play_partners(self) -> None:
        """Let the partners act wherever it is their turn, and note what that scores.

        Should two rounds end before a seat that learns has a choice again, then none had one in the
        second: the points of the first are what its decisions are paid.
        """
        games = self.games
        while len(rows := (~self.learns[self._rows, games.seat]).nonzero()[0]):
            for number, partner in enumerate(self._partners):
                theirs = rows[self._partner[rows] == number]
                if len(theirs):
                    actions = partner.act(games.view(theirs), self.rng)
                    games.step(reorder_actions(actions, games.order[theirs]), theirs)
            first = rows[self.points[rows, 0] == 0]
            self.points[first] = games.points[first]

    def state(self) -> dict[str, Any]:
        """All that the games to come depend on, as arrays and plain values; see `set_state`."""
        return {
            "games": self.games.__getstate__()["arrays"],
            "learns": self.learns,
            "partner": self._partner,
            "rng": self.rng.bit_generator.state,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for tables of the same rules and partners."""
        for own, kept in zip(self.games.__getstate__()["arrays"], state["games"], strict=True):
            own[:] = kept
        self.learns[:] = state["learns"]
        self._partner[:] = state["partner"]
        self.rng.bit_generator.state = state["rng"]


def deal_tables(config: Config, seed: int) -> list[Tables]:
    """The tables of a config, one batch for each kind."""
    learning = config.learning
    return [
        Tables(rules, games, seed + number, learning.sparring, learning.partners, learning.alone)
        for number, (rules, games) in enumerate(config.kinds())
    ]


class Mixture:
    """Tables of several kinds as one batch; of `Tables`, what a learner needs.

    observation: uint8 [n, OBS_SIZE], mask: uint8 [n, NUM_ACTIONS] and seat: int64 [n], of the decisions that
        the learners have to take.
    points: int16 [n, MAX_PLAYERS], what the last step scored; 0 where nobody sits.
    learns: bool [n, MAX_PLAYERS], the seats that learn.
    """

    def __init__(self, kinds: Sequence[Tables]) -> None:
        self.kinds = kinds
        counts = [tables.games.num_games for tables in kinds]
        self._ends = np.cumsum(counts)[:-1]
        self.points = np.zeros((sum(counts), MAX_PLAYERS), np.int16)
        self.learns = np.concatenate([_widen(tables.learns) for tables in kinds])

    @property
    def observation(self) -> NDArray[np.uint8]:
        return np.concatenate([tables.games.observation for tables in self.kinds])

    @property
    def mask(self) -> NDArray[np.uint8]:
        return np.concatenate([tables.games.mask for tables in self.kinds])

    @property
    def seat(self) -> NDArray[np.int64]:
        return np.concatenate([tables.games.seat for tables in self.kinds]).astype(np.int64)

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' decisions, int64 [n], and play on to their next ones."""
        for tables, theirs in zip(self.kinds, np.split(actions, self._ends), strict=True):
            tables.step(theirs)
        self.points = np.concatenate([_widen(tables.points) for tables in self.kinds])


def _widen(seats: NDArray[Any]) -> NDArray[Any]:
    """[n, num_players] to [n, MAX_PLAYERS], zero where nobody sits."""
    return np.pad(seats, ((0, 0), (0, MAX_PLAYERS - seats.shape[1])))


def _draw_learners(
    num_games: int, num_players: int, sparring: float, alone: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """bool [num_games, num_players]: which seats learn."""
    partners = rng.integers(num_players - 1 if alone else 1, num_players, num_games)
    partners *= rng.random(num_games) < sparring
    learns = np.arange(num_players) >= partners[:, np.newaxis]
    return rng.permuted(learns, axis=1)
