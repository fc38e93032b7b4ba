"""TextGame: a game in which a language model has one seat and agents have the others."""

from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from wizard_env import Game, Rules
from wizard_env.checks import check_choice, check_integer, check_seed
from wizard_env.engine import score
from wizard_env.envs.opponents import GamesWithOpponents, Opponents
from wizard_env.envs.rewards import RewardFunction
from wizard_env.llm.answers import AnswerError, read_answer
from wizard_env.llm.text import turn_text

TextReward = Literal["points", "game", "met"]
MAX_TRIES = 100

_ROW = np.zeros(1, np.int64)


class TextGame:
    """One seat of a game as an exchange of texts: `message` goes to the model, its reply to `answer`.

    The game is that of the Gymnasium environment: the same seed gives the same deals, the same seat and, for
    the same actions, the same actions of the opponents.

    message: the text for the model: the decision that it must take, or the end of the game. It does not
        repeat the finished rounds that an earlier message had.
    seat: the model's.
    total: the sum of the rewards so far.
    error: the reason why the last answer was refused; None if it was taken.
    invalid_answers: the number of answers that were refused.
    forfeited: whether the game ended before its last round, see `forfeit`.
    """

    def __init__(
        self,
        rules: Rules,
        seed: int,
        seat: int | None = None,
        opponents: Opponents = "rule_based",
        reward: TextReward = "points",
        tries: int = 3,
    ) -> None:
        """Deal, and let the opponents act until the model must.

        Args:
            rules: the rules of the game.
            seed: seed of the game, 0 to 2**64 - 1.
            seat: the model's seat; drawn from the seed if None.
            opponents: the name of an agent, an agent, or one for each seat to the model's left.
            reward: "points": the points of each round, as it is scored; "game": the points of the whole game,
                at its end; "met": the share of the game's bids that are met, paid round by round.
            tries: answers to one decision, 1 to 100. If the last of them is invalid, the game is forfeited.
        """
        check_choice("reward", reward, get_args(TextReward))
        self.rules = rules
        self._reward = reward
        self._tries = check_integer("tries", tries, 1, MAX_TRIES)
        self._games = GamesWithOpponents(rules, 1, seat, opponents, "game", _payment(reward, rules))
        self._games.begin(_ROW, np.array([check_seed(seed)], np.uint64))
        self.seat = int(self._games.seat[0])
        self.total = 0.0
        self.error: AnswerError | None = None
        self.invalid_answers = 0
        self.forfeited = False
        self._failures = 0  # at the decision that waits
        self._rounds_shown = 0
        self.message = self._next_message()

    @property
    def game(self) -> Game:
        """A copy of the game, hidden cards included."""
        return self._games.game(0)

    @property
    def over(self) -> bool:
        return self.forfeited or bool(self._games.terminated[0])

    @property
    def points(self) -> int:
        """The model's points of the game so far; those lost by a forfeit count."""
        lost = self._forfeited_points() if self.forfeited else 0
        return int(self._games.scores[0, self.seat]) + lost

    @property
    def bids_met(self) -> float:
        """The share of the game's rounds whose bid the model has met."""
        met = sum(one.bids[self.seat] == one.tricks_won[self.seat] for one in self.game.rounds)
        return met / len(self.rules.rounds)

    def result(self) -> dict[str, float]:
        """Return the figures to log of a game that is over."""
        return {
            "points": self.points,
            "bids_met": self.bids_met,
            "invalid_answers": self.invalid_answers,
            "forfeited": float(self.forfeited),
        }

    def answer(self, reply: str) -> float:
        """Take a reply of the model; returns the reward that it brought.

        An invalid reply leaves the decision open; `message` and `error` then give the reason, and after the
        last try the game is forfeited.

        Raises ValueError if the game is over.
        """
        if self.over:
            raise ValueError("the game is over: it takes no more answers")
        try:
            action = read_answer(reply, self.game)
        except AnswerError as error:
            return self._refuse(error)
        self.error = None
        self._failures = 0
        self._games.step([action], _ROW)
        self.message = self._next_message()
        return self._pay(float(self._games.reward[0]))

    def _refuse(self, error: AnswerError) -> float:
        self.error = error
        self.invalid_answers += 1
        self._failures += 1
        self.message = str(error)
        return self.forfeit() if self._failures == self._tries else 0.0

    def forfeit(self) -> float:
        """End the game before its last round; returns the reward.

        Each round that is not scored brings the fewest points possible, -10 for every card, and no bid met:
        otherwise a model could learn to forfeit bad hands.

        Raises ValueError if the game is over.
        """
        if self.over:
            raise ValueError("the game is over: it cannot be forfeited")
        self.forfeited = True
        return self._pay({"points": self._forfeited_points(), "game": self.points, "met": 0.0}[self._reward])

    def _forfeited_points(self) -> int:
        left = self.rules.rounds[len(self.game.rounds) :]
        return sum(int(score(0, hand_size)) for hand_size in left)

    def _pay(self, reward: float) -> float:
        self.total += reward
        return reward

    def _next_message(self) -> str:
        game = self.game
        text = turn_text(game, self.seat, first_round=self._rounds_shown + 1)
        self._rounds_shown = len(game.rounds)
        return text


def _payment(reward: TextReward, rules: Rules) -> str | RewardFunction:
    return partial(_share_of_bids_met, len(rules.rounds)) if reward == "met" else reward


def _share_of_bids_met(
    num_rounds: int, points: NDArray[np.int16], scores: NDArray[np.int16], over: NDArray[np.bool_]
) -> NDArray[np.float64]:
    return (points > 0) / num_rounds  # a bid met brings 20 points or more, any other a loss
