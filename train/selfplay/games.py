"""SelfPlayGames: batched self-play in which every seat learns, except those that partners take."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Games, Rules
from wizard_env.agents import load
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.checks import are_bools
from wizard_env.envs.rewards import Reward, find_reward
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.run import Config
from wizard_env.train.selfplay.beliefs import SeatBeliefs
from wizard_env.train.selfplay.partners import compiled_players, play_compiled
from wizard_env.train.selfplay.workers import ALONE, Peers
from wizard_env.view import actions_by_owner
from wizard_env.win_probability import rounds_from

REWARD_SCALES: dict[str, float] = {
    "points": 1 / 20,  # 20 points are what a bid of 0 earns when it is met
    "relative": 1 / 20,
    "game": 1 / 200,
    "win": 1.0,
    "rank": 1.0,
    "win_probability": 10.0,
}
"""Factors that bring returns to about 1."""
VALUE_UNIT = 1 / REWARD_SCALES["points"]
"""The points that a value of 1 stands for."""
OWN_SCALE = 1 / 20
"""The factor on custom rewards, which are paid at the end of a round and should be in points."""
_GAME_REWARDS: tuple[Reward, ...] = ("game", "win", "rank")
"""The rewards that are paid at the end of the game; the others are paid at the end of a round."""
NO_PARTNER = -1
_GAMES = ("states", "observations", "masks", "results", "finished_rounds")
"""The names of the arrays of `Games` in checkpoints."""


class SelfPlayGames:
    """N games; a step is one decision of a learner in each.

    Decisions with one legal action are skipped. Observations, masks and the learners' actions are in
    canonical suits (see wizard_env/observation/encoder.py). Copies of an agent that only ever meet each
    other learn to fit each other, so in a share of the games partners, which do not learn, take some of
    the seats; the seats and their partners are drawn once for each game.

    Where games differ in their number of players, arrays have a column for each seat of the largest, 0 where
    nobody sits.

    points: int16 [num_games, seats], scored by the last step.
    round_done: bool [num_games], whether the last step ended a round.
    rewards: float32 [num_games, seats], paid by the last step, scaled.
    ended: bool [num_games], whether the last step ended the round or the game that rewards are paid for.
    acted: uint8 [num_games], the seats that took the last decisions.
    learns: bool [num_games, seats], the seats that learn; at least one in each game.
    plays: bool [num_games, seats], the seats of partners.
    partners: the agents, by number.
    partner: int64 [num_games, seats], the number of the partner there, NO_PARTNER in other seats.
    num_beliefs: bytes of what is believed of the other seats, after each observation.
    observation_size: bytes of each observation, with beliefs.
    """

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        num_games: int,
        seed: int,
        sparring: float = 0.0,
        partners: Sequence[str | Agent] = ("heuristic",),
        alone: bool = False,
        mixed: float = 0.0,
        reward: str = "points",
        kinds: Kinds | None = None,
    ) -> None:
        """Deal the games.

        Args:
            rules: the options of every game, or of each.
            num_games: the number of games.
            seed: of the deals and the seating.
            sparring: the share of games in which a partner takes 1 to num_players - 1 seats.
            partners: the agents that take those seats; one of them, drawn once, in each game.
            alone: whether partners take all seats but one in those games.
            mixed: the share of those games in which every seat draws a partner of its own.
            reward: see `wizard_env.envs.rewards.find_reward`.
            kinds: compare partners with these, and add beliefs about seats to observations and full states.
        """
        self.games = Games(rules, num_games, seed, canonical_suits=True, skip_forced=True)
        self.rng = np.random.default_rng(seed)
        self.games.spread(self.rng)
        self.partners = [load(partner) for partner in partners]
        self._first = np.array([partners.index(partner) for partner in partners])
        """For each partner the first that is the same, so that one call acts for all of them."""
        self._pays = find_reward(reward)
        self._scale = REWARD_SCALES.get(reward, OWN_SCALE)
        self._by_round = reward not in _GAME_REWARDS
        self._rows = np.arange(num_games)
        self.points = np.zeros_like(self.games.points)
        sits = np.arange(self.points.shape[1]) < self.games.num_players[:, np.newaxis]
        self.learns = draw_learners(sits, sparring, alone, self.rng)
        self.plays = sits & ~self.learns
        drawn = np.repeat(self.rng.integers(0, len(partners), (num_games, 1)), sits.shape[1], axis=1)
        of_their_own = self.rng.random(num_games) < mixed
        drawn[of_their_own] = self.rng.integers(0, len(partners), drawn[of_their_own].shape)
        self.partner = np.where(self.plays, drawn, NO_PARTNER)
        self._beliefs = None if kinds is None else SeatBeliefs(self.learns, kinds, self.rng)
        self._believed = np.zeros((num_games, NUM_INPUTS if self._beliefs else 0), np.uint8)
        self.num_beliefs = self._believed.shape[1]
        self.observation_size = OBS_SIZE + self.num_beliefs
        self._totals = self.games.scores.copy()
        """The points of each game so far; after a step `games` has those of the game that follows."""
        self.acted = self.games.seat.copy()
        self.rewards = np.zeros(self.points.shape, np.float32)
        self.round_done = np.zeros(num_games, np.bool_)
        self.ended = np.zeros(num_games, np.bool_)
        self._compiled = compiled_players(self.partners)
        self._play_partners()

    def step(self, actions: NDArray[np.int64]) -> None:
        """Take the learners' decisions, and play on to their next ones. actions: int64 [num_games]."""
        self.acted[:] = self.games.seat
        for array in (self.points, self.round_done, self.rewards, self.ended):
            array[:] = 0
        self.games.step(actions)
        self._note(self._rows)
        self._play_partners()

    def _play_partners(self) -> None:
        """Play for the partners until a learner acts next in every game."""
        games, players = self.games, self._compiled[self.partner]
        while len(rows := self._rows[self.plays[self._rows, games.seat]]):
            compiled = players[rows, games.seat[rows]] > 0
            if compiled.any():
                games.run(play_compiled, rows[compiled], players)
                self._note(rows[compiled])
            if len(rows := rows[~compiled]):
                owner = self._first[self.partner[rows, games.seat[rows]]]
                actions = actions_by_owner(self.partners, owner, games.view(rows), self.rng)
                games.step(actions, rows, printed=True)
                self._note(rows)

    def _note(self, rows: NDArray[np.int64]) -> None:
        """Note the points and rewards of the decisions just taken in some games.

        If two rounds end before a learner has a choice again, then no learner had a choice in the second:
        the learners' decisions are paid the points of the first.
        """
        games = self.games
        rows = rows[games.round_done[rows]]
        if not len(rows):
            return
        points, over = games.points[rows], games.done[rows]
        fresh = ~self.round_done[rows]
        self.points[rows[fresh]] = points[fresh]
        self.round_done[rows] = True
        if self._beliefs:
            self._beliefs.begin(rows[over], self.rng)
        ended = np.ones_like(over) if self._by_round else over
        fresh = ended & ~self.ended[rows]
        self.ended[rows] |= ended
        sizes, totals = games.num_players[rows], self._totals[rows] + points
        for size in np.unique(sizes[fresh]).tolist():
            these = fresh & (sizes == size)
            find_rounds = partial(self._rounds_from_scored, rows[these], over[these])
            paid = self._pays(points[these, :size], totals[these, :size], over[these], find_rounds)
            self.rewards[rows[these], :size] = paid * self._scale
        self._totals[rows] = games.scores[rows]

    def _rounds_from_scored(self, rows: NDArray[np.int64], over: NDArray[np.bool_]) -> NDArray[np.int8]:
        """Return the hand sizes of the rounds just scored and of those after them, see `rounds_from`."""
        states = self.games.states
        following = np.where(over, states["num_rounds"][rows], states["round_index"][rows])
        return rounds_from(states["hand_sizes"][rows], following.astype(np.int64) - 1)

    def observe(self) -> NDArray[np.uint8]:
        """Return what the acting seats may know, and believe: uint8 [num_games, observation_size]."""
        seen = self.games.observation
        if self._beliefs is None:
            return seen
        self._believed = self._beliefs.inputs(self.games.view(self._rows), self._rows)
        return np.concatenate([seen, self._believed], axis=1)

    def full_state(self) -> NDArray[np.uint8]:
        """Return what was last observed, and what is hidden, for critics; see `Games.full_state`."""
        full = self.games.full_state()
        if self._beliefs is None:
            return full
        return np.concatenate([full[:, :OBS_SIZE], self._believed, full[:, OBS_SIZE:]], axis=1)

    def learners_points(self) -> NDArray[np.int16]:
        """Return the points, int16 [k], of the seats that learn in the rounds that the last step ended."""
        points: NDArray[np.int16] = self.points[self.learns & self.round_done[:, np.newaxis]]
        return points

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that the games depend on from here, by name, but for `rng`."""
        games = zip(_GAMES, self.games.__getstate__()["arrays"], strict=True)
        seating = {"learns": self.learns, "plays": self.plays, "partner": self.partner}
        return {name: array.view(np.uint8) for name, array in games} | seating

    def set_arrays(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the `arrays` of games of the same rules and partners.

        Raises ValueError for values that it cannot return.
        """
        own = zip(_GAMES, self.games.__getstate__()["arrays"], strict=True)
        self.games.restore([arrays[name].view(array.dtype) for name, array in own])
        self._totals[:] = self.games.scores
        learns, plays, partner = arrays["learns"], arrays["plays"], arrays["partner"]
        if not self._can_seat(learns, plays, partner):
            raise ValueError("the seating is not one of these games: every seat learns or has a partner")
        self.learns[:], self.plays[:], self.partner[:] = learns, plays, partner

    def _can_seat(self, learns: NDArray[Any], plays: NDArray[Any], partner: NDArray[Any]) -> bool:
        """Return whether every seat learns or has a partner, and somebody learns in every game."""
        sits = self.learns | self.plays
        if any(array.shape != sits.shape for array in (learns, plays, partner)):
            return False
        if not (are_bools(learns) and are_bools(plays)):
            return False
        has_partner = (partner >= 0) & (partner < len(self.partners))
        return bool(
            ((learns | plays) == sits).all()
            and not (learns & plays).any()
            and learns.any(axis=1).all()
            and np.where(plays, has_partner, partner == NO_PARTNER).all()
        )


def deal_games(
    config: Config,
    seed: int,
    past: Agent | None = None,
    peers: Peers = ALONE,
    kinds: Kinds | None = None,
) -> SelfPlayGames:
    """Deal the games of a config, kind by kind, or this worker's share of them.

    past: the partner of that name.
    peers: the workers that share the games; of each kind they get equally many, to within one.
    kinds: as for `SelfPlayGames`.
    """
    learning = config.learning
    partners = [past if name == PAST and past else name for name in config.partners()]
    rules = [rules for rules, count in config.kinds() for _ in range(count)][peers.rank :: peers.count]
    return SelfPlayGames(
        rules,
        len(rules),
        seed,
        learning.sparring,
        partners,
        learning.alone,
        learning.mixed,
        learning.reward,
        kinds,
    )


def draw_learners(
    sits: NDArray[np.bool_], sparring: float, alone: bool, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw the seats that learn, bool [num_games, seats], out of those where somebody sits."""
    sizes = sits.sum(axis=1)
    partners = rng.integers(sizes - 1 if alone else np.ones_like(sizes), sizes)
    partners *= rng.random(len(sits)) < sparring
    drawn = np.where(sits, rng.random(sits.shape), np.inf).argsort(axis=1).argsort(axis=1)
    learns: NDArray[np.bool_] = sits & (drawn >= partners[:, np.newaxis])
    return learns
