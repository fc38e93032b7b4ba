"""SelfPlayGames: batched self-play, in which every seat that is not a partner's is a learner's."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Games, Rules
from wizard_env.agents import load
from wizard_env.envs.rewards import Reward, rewards
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.run import Config
from wizard_env.view import reorder_actions

REWARD_SCALES: dict[Reward, float] = {
    "points": 1 / 20,  # 20 points are those for a bid of 0 met
    "relative": 1 / 20,
    "game": 1 / 200,
    "win": 1.0,
    "rank": 1.0,
}
"""What rewards are multiplied with, so that returns are about 1."""
OF_A_ROUND: tuple[Reward, ...] = ("points", "relative")
"""The rewards that are paid at the end of a round; the others, at the end of the game."""
EVERYBODY_LEARNS = -1


class SelfPlayGames:
    """N games; a step is the decision of whichever learner acts in each.

    Decisions with one legal action are skipped. Observations, masks and actions are in canonical
    suits (see wizard_env/suits.py). Copies that only ever meet each other learn to fit each other; so
    in a share of the games some seats, drawn once, are taken by partners that do not learn.

    Where tables differ in size, arrays have as many columns as the largest has seats, 0 where nobody sits.

    points: int16 [num_games, seats], what the last step scored.
    rewards: float32 [num_games, seats], what it paid every seat, scaled.
    ended: bool [num_games], whether it ended the round, or the game where rewards are paid at its end.
    acted: uint8 [num_games], the seats that took the last decisions.
    learns: bool [num_games, seats], the seats that learn; at least one in each game.
    plays: bool [num_games, seats], those of partners.
    partner: int64 [num_games], which of the partners takes them, EVERYBODY_LEARNS where there are none.
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        num_games: int,
        seed: int,
        sparring: float = 0.0,
        partners: Sequence[str | Agent] = ("heuristic",),
        alone: bool = False,
        reward: Reward = "points",
    ) -> None:
        """Deal the games.

        Args:
            rules: the options of every game, or of each.
            num_games: how many.
            seed: of the deals, and of which seats are whose.
            sparring: the share of games with 1 to num_players - 1 seats of a partner.
            partners: who takes those seats; one of them, drawn once, in each game.
            alone: in those games the partner takes num_players - 1 seats.
            reward: what is paid, see `wizard_env.envs.rewards`.
        """
        self.games = Games(rules, num_games, seed, canonical_suits=True, skip_forced=True)
        self.rng = np.random.default_rng(seed)
        self.games.spread(self.rng)
        self._partners = [load(partner) for partner in partners]
        self._reward = reward
        self._rows = np.arange(num_games)
        self.points = np.zeros_like(self.games.points)
        sits = np.arange(self.points.shape[1]) < self.games.num_players[:, np.newaxis]
        self.learns = draw_learners(sits, sparring, alone, self.rng)
        self.plays = sits & ~self.learns
        drawn = self.rng.integers(0, len(partners), num_games)
        self.partner = np.where(self.plays.any(axis=1), drawn, EVERYBODY_LEARNS)
        self.acted = self.games.seat.copy()
        self.rewards = np.zeros(self.points.shape, np.float32)
        self.ended = np.zeros(num_games, np.bool_)
        self._play_partners()

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' decisions, int64 [num_games], and play on to their next ones."""
        self.acted = self.games.seat.copy()
        for array in (self.points, self.rewards, self.ended):
            array[:] = 0
        self._step(actions, self._rows)
        self._play_partners()

    def _step(self, actions: NDArray[np.int64], rows: NDArray[np.int64]) -> None:
        """Take decisions in some games, and note what they score.

        Should two rounds end before a seat that learns has a choice again, then none had one in the
        second: the points of the first are what its decisions are paid.
        """
        games = self.games
        scores = games.scores[rows]  # before they begin anew
        games.step(actions, rows)
        scored = games.points[rows, 0] != 0
        rows, scores = rows[scored], scores[scored]
        points, over = games.points[rows], games.done[rows]
        fresh = self.points[rows, 0] == 0
        self.points[rows[fresh]] = points[fresh]
        ended = np.ones_like(over) if self._reward in OF_A_ROUND else over
        fresh = ended & ~self.ended[rows]
        self.ended[rows] |= ended
        sizes = games.num_players[rows]
        for size in np.unique(sizes[fresh]).tolist():
            these = fresh & (sizes == size)
            mine, all_points = points[these, :size], scores[these, :size] + points[these, :size]
            paid = rewards(self._reward, mine, all_points, over[these])
            self.rewards[rows[these], :size] = paid * REWARD_SCALES[self._reward]

    def _play_partners(self) -> None:
        """Let the partners act wherever it is their turn."""
        games = self.games
        while len(rows := self.plays[self._rows, games.seat].nonzero()[0]):
            for actions, theirs in partners_act(games, self._partners, self.partner, rows, self.rng):
                self._step(actions, theirs)

    def state(self) -> dict[str, Any]:
        """All that the games to come depend on, as arrays and plain values; see `set_state`."""
        return {
            "games": self.games.__getstate__()["arrays"],
            "learns": self.learns,
            "plays": self.plays,
            "partner": self.partner,
            "rng": self.rng.bit_generator.state,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned, for tables of the same rules and partners."""
        for own, kept in zip(self.games.__getstate__()["arrays"], state["games"], strict=True):
            own[:] = kept
        self.learns[:] = state["learns"]
        self.plays[:] = state["plays"]
        self.partner[:] = state["partner"]
        self.rng.bit_generator.state = state["rng"]


def deal_games(config: Config, seed: int, past: Agent | None = None) -> SelfPlayGames:
    """The tables of a config, those of a kind side by side; `past` is who sits there by that name."""
    learning = config.learning
    partners = [past if name == PAST and past else load(name) for name in learning.partners]
    rules = [rules for rules, count in config.kinds() for _ in range(count)]
    return SelfPlayGames(
        rules, len(rules), seed, learning.sparring, partners, learning.alone, learning.reward
    )


def partners_act(
    games: Games,
    partners: Sequence[Agent],
    partner: NDArray[np.int64],
    rows: NDArray[np.int64],
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The actions of partners, in canonical suits, and the games they are for, one partner after another.

    Args:
        games: the tables, in canonical suits.
        partners: who may act.
        partner: [num_games], which of them sits at each table.
        rows: the tables at which it is their turn.
        rng: what agents may draw from.
    """
    for number, agent in enumerate(partners):
        theirs = rows[partner[rows] == number]
        if len(theirs):
            actions = agent.act(games.view(theirs), rng)
            yield reorder_actions(actions, games.order[theirs]), theirs


def draw_learners(
    sits: NDArray[np.bool_], sparring: float, alone: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """bool [num_games, seats]: which seats learn, of those where somebody sits."""
    sizes = sits.sum(axis=1)
    partners = rng.integers(sizes - 1 if alone else np.ones_like(sizes), sizes)
    partners *= rng.random(len(sits)) < sparring
    drawn = np.where(sits, rng.random(sits.shape), np.inf).argsort(axis=1).argsort(axis=1)
    learns: NDArray[np.bool_] = sits & (drawn >= partners[:, np.newaxis])
    return learns
