"""One learner against opponents in a batch of games, which both Gymnasium environments wrap."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wizard_env.actions import NUM_ACTIONS, IllegalAction
from wizard_env.chance import mix, scale, step_generator
from wizard_env.checks import check_choice, check_integers, check_number, is_integer, quoted
from wizard_env.compiled.jit import kernel
from wizard_env.envs.reset_options import NO_OPTIONS, ResetOptions
from wizard_env.envs.rewards import RewardFunction, find_reward
from wizard_env.game import Game
from wizard_env.games import Games
from wizard_env.history.finished import count_finished
from wizard_env.loading import load
from wizard_env.observation.fields import ROUND_SIZE, as_rows
from wizard_env.rules import Rules
from wizard_env.sampling import next_words, noise_streams
from wizard_env.state import SCORED, rules_of
from wizard_env.view import Agent, actions_by_owner
from wizard_env.win_probability import rounds_from

Episode = Literal["game", "round"]
IllegalActions = Literal["raise", "end"]
_LARGEST_REWARD = 1e9
Opponents: TypeAlias = str | Agent | Sequence[str | Agent]
_SEAT_STREAM = np.uint64(0x5EA7)
_EPISODE_STREAM = np.uint64(0xE915)


class GamesWithOpponents:
    """N games in which the learner has one seat, and the opponents act without being asked.

    All randomness of a game follows from its seed: the deals, the learner's seat if it is drawn, and the
    opponents' random words. So N games equal N batches of one, if opponents draw from `view.noise`.

    observation: uint8 [n, OBS_SIZE], the learner's.
    mask: uint8 [n, NUM_ACTIONS], the learner's legal actions; zero once its episode has ended.
    reward: float64 [n], the learner's, for the last step.
    terminated: bool [n], whether the episode has ended.
    seat: int64 [n], the learner's.
    round_done: bool [n], whether the last step ended a round; not more than one, as the learner bids in each.
    finished: int8 [n, ROUND_SIZE], that round, as in HISTORY; zero where none ended.
    illegal: bool [n], whether the last step ended the episode because its action was illegal; None where
        illegal actions raise.
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int,
        seat: int | None,
        opponents: Opponents,
        episode: Episode,
        reward: str | RewardFunction,
        illegal_action: IllegalActions = "raise",
        illegal_reward: float = -1.0,
    ) -> None:
        check_choice("episode", episode, get_args(Episode))
        check_choice("illegal_action", illegal_action, get_args(IllegalActions))
        self._illegal_reward = check_number(
            "illegal_reward", illegal_reward, -_LARGEST_REWARD, _LARGEST_REWARD
        )
        if episode == "round" and reward in ("game", "win", "rank"):
            raise ValueError(f"reward={quoted(reward)} is paid at the end of a game: it needs episode='game'")
        if seat is not None and not (is_integer(seat) and 0 <= seat < rules.num_players):
            raise ValueError(f"seat={quoted(seat)}: allowed are None and 0 to {rules.num_players - 1}")
        self.rules = rules
        self._fixed_seat = seat
        self._opponents, self._agent_at = _load_opponents(opponents, rules.num_players)
        self._episode = episode
        self._compute_rewards = find_reward(reward)
        self._games = Games(rules, num_games, pause=episode)
        self.seat = np.zeros(num_games, np.int64)
        self.observation = np.zeros_like(self._games.observation)
        self.mask = self._games.mask
        self.reward = np.zeros(num_games)
        self.terminated = np.zeros(num_games, np.bool_)
        self.round_done = np.zeros(num_games, np.bool_)
        self.finished = np.zeros((num_games, ROUND_SIZE), np.int8)
        self.illegal = np.zeros(num_games, np.bool_) if illegal_action == "end" else None
        self._noise = np.zeros(num_games, np.uint64)
        self._special = np.zeros(num_games, np.bool_)  # games with hand sizes from options
        self._rng = np.random.default_rng(0)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "mask"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.mask = self._games.mask

    @property
    def scores(self) -> NDArray[np.int16]:
        """int16 [n, num_players]: points of the game so far."""
        return self._games.scores

    @property
    def history(self) -> NDArray[np.int8]:
        """int8 [n, rounds, ROUND_SIZE]: the finished rounds of each game, as in HISTORY; not a copy."""
        return as_rows(self._games.finished_rounds)

    def game(self, index: int) -> Game:
        """Return a copy of one game, hidden cards included."""
        record, finished = self._games.states[index], self._games.finished_rounds[index]
        rules = rules_of(record) if self._special[index] else self.rules
        return Game.from_state(rules, record, finished)

    def begin(
        self, rows: NDArray[np.int64], seeds: NDArray[np.uint64], options: ResetOptions = NO_OPTIONS
    ) -> None:
        """Start new games with these seeds and options, and let the opponents act until the learner must."""
        special = options.hand_sizes is not None
        rules = options.change(self.rules) if special or self._special[rows].any() else None
        self._games.begin(rows, seeds, options.dealer, rules)
        self._special[rows] = special
        _draw_seats(rows, seeds, self.rules.num_players, self.seat)
        self._noise[rows] = noise_streams(seeds)
        # Not from the games' own seeds: a generator reveals its seed.
        self._rng = np.random.default_rng(self._noise[rows])
        seat = self._fixed_seat if options.seat is None else options.seat
        if seat is not None:
            self.seat[rows] = seat
        self._start(rows)

    def next_episode(self, rows: NDArray[np.int64], options: ResetOptions = NO_OPTIONS) -> None:
        """Start the next round of the game if there is one and no option is given, else a new game."""
        between = (self._games.states["phase"][rows] == SCORED) & (options == NO_OPTIONS)
        if between.any():
            self._games.deal(rows[between])
            self._start(rows[between])
        if not between.all():
            others = rows[~between]
            streams = self._games.seeds[others] ^ _EPISODE_STREAM
            self.begin(others, next_words(streams, np.arange(len(others))), options)

    def step(self, actions: ArrayLike, rows: NDArray[np.int64]) -> None:
        """Take the learner's actions, then those of opponents until the learner must act or the episode ends.

        Raises IllegalAction, and then leaves all games unchanged; unless illegal actions end episodes.
        """
        if self.illegal is not None:
            actions, rows = self._end_where_illegal(check_integers("actions", actions), rows, self.illegal)
        self._games.step(actions, rows)
        self._clear(rows)
        self._collect(rows)
        self._play_opponents(rows)

    def _end_where_illegal(
        self, actions: NDArray[Any], rows: NDArray[np.int64], illegal: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """End the episodes whose action is illegal; return the actions and rows of the others."""
        if self.terminated[rows].any():
            raise ValueError("the episode has ended: reset the environment first")
        known = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = known & (self.mask[rows, np.where(known, actions, 0)] != 0)
        illegal[rows] = ~legal
        ended = rows[~legal]
        self._clear(ended)
        self.reward[ended] = self._illegal_reward
        self.terminated[ended] = True
        self.mask[ended] = 0
        return actions[legal], rows[legal]

    def _start(self, rows: NDArray[np.int64]) -> None:
        self._clear(rows)
        self.terminated[rows] = False
        if self.illegal is not None:
            self.illegal[rows] = False
        self._play_opponents(rows)

    def _clear(self, rows: NDArray[np.int64]) -> None:
        """Clear the results of a step."""
        self.reward[rows] = 0
        self.round_done[rows] = False
        self.finished[rows] = 0

    def _play_opponents(self, rows: NDArray[np.int64]) -> None:
        games = self._games
        waiting = rows
        while True:
            waiting = waiting[(games.seat[waiting] != self.seat[waiting]) & ~self.terminated[waiting]]
            if not len(waiting):
                break
            actions = self._ask_opponents(waiting)
            try:
                games.step(actions, waiting)
            except IllegalAction as error:
                raise RuntimeError(f"an opponent of the learner broke the rules: {error}") from error
            self._collect(waiting)
        self.observation[rows] = games.observation[rows]
        elsewhere = rows[games.seat[rows] != self.seat[rows]]
        if len(elsewhere):
            self.observation[elsewhere] = games.observe(self.seat[elsewhere], elsewhere)

    def _ask_opponents(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        games = self._games
        to_the_left = (games.seat[rows] - self.seat[rows] - 1) % self.rules.num_players
        view = games.view(rows, next_words(self._noise, rows))
        return actions_by_owner(self._opponents, self._agent_at[to_the_left], view, self._rng)

    def _collect(self, rows: NDArray[np.int64]) -> None:
        games = self._games
        over = games.done[rows]
        ended = games.round_done[rows]
        if ended.any():
            these = rows[ended]
            scored = count_finished(games.states[these]) - 1
            paid = self._compute_rewards(
                games.points[these],
                games.scores[these],
                over[ended],
                lambda: rounds_from(games.states["hand_sizes"][these], scored),
            )
            self.reward[these] += np.take_along_axis(paid, self.seat[these, np.newaxis], 1)[:, 0]
            self.round_done[these] = True
            self.finished[these] = self.history[these, scored]
        self.terminated[rows] = over if self._episode == "game" else ended


def _load_opponents(opponents: Opponents, num_players: int) -> tuple[list[Agent], NDArray[np.int64]]:
    """Return the different agents, and int64 [num_players - 1]: that of each seat from the learner's left."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return [load(opponents)], np.zeros(num_players - 1, np.int64)
    if len(opponents) != num_players - 1:
        raise ValueError(
            f"{len(opponents)} opponents: one agent for all is needed, or one for each of the "
            f"{num_players - 1} seats to the learner's left"
        )
    keys = [agent if isinstance(agent, str) else id(agent) for agent in opponents]
    different = dict(zip(keys, opponents, strict=True))
    agent_at = np.array([list(different).index(key) for key in keys])
    return [load(agent) for agent in different.values()], agent_at


@kernel([np.int64], [np.uint64], int, [np.int64])
def _draw_seats(rows: Any, seeds: Any, num_players: int, seats: Any) -> None:
    for index in range(len(rows)):
        seed = seeds[index]
        seats[rows[index]] = scale(mix(step_generator(seed ^ _SEAT_STREAM, 1)), num_players)
