"""Analysis of a game by an agent: where points were lost, and how much was luck.

The agent judges every decision by what its seat could know, through the points that it expects of each legal
action. It is asked twice, each time with other sampled worlds. The best action by one answer is compared with
the action that was taken, by the points of the other answer, and the other way round. So noise does not count
as a mistake: a single decision may seem to gain points, but sums are right on average. Each loss has a
standard error; a loss of a few of them or less may be nothing but noise.

The points of a round are the points that the seats could expect on average, plus luck, minus the losses of
decisions. A seat expects the points of the best action at its first decision. Luck is all that its decisions
do not explain: its cards, and the play of the others.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import ACTIONS, NUM_ACTIONS, Agent, Game, View
from wizard_env.checks import quoted
from wizard_env.evaluation.advice import ERRORS
from wizard_env.evaluation.answers import NUM_ANSWERS, ask_twice, error_of_mean, lower_to, value_best
from wizard_env.state import BID, PHASES, STATE
from wizard_env.win_probability import win_probability


@dataclass(frozen=True)
class Decision:
    """A decision between several legal actions; points are the analyst's expectations for the round."""

    number: int
    """Its index in the game's history, from 0."""
    round_number: int
    seat: int
    phase: str
    """ "trump", "bid" or "play"."""
    chosen: str
    best: str
    lost: float
    """Points of the best action minus those of the chosen one; below 0 only by chance."""
    error: float
    """The standard error of `lost`."""
    points: dict[str, float]
    """The points expected of each legal action."""

    @property
    def is_mistake(self) -> bool:
        """True if noise hardly explains the loss."""
        return self.chosen != self.best and self.lost > ERRORS * self.error


@dataclass(frozen=True)
class PlayedSeat:
    """The play of a seat in the finished rounds of a game; points are totals over those rounds."""

    seat: int
    points: int
    bid_accuracy: float
    """Share of bids met exactly."""
    bid_bias: float
    """Mean of bid minus tricks won: above 0 for a seat that bids too high."""
    lost: float
    """Losses of all its decisions; points = par + luck - lost."""
    lost_by_bids: float
    """The part of `lost` that its bids lost."""
    luck: float
    """Points that its decisions do not explain."""


@dataclass(frozen=True)
class AfterRound:
    """The seats of a game after a round."""

    round_number: int
    scores: list[int]
    """Points of the game so far, by seat."""
    win_probability: list[float]
    """By seat, see `wizard_env.win_probability`; at the end of the game 1, shared among the winners."""


@dataclass(frozen=True)
class Analysis:
    """The result of `analyse`."""

    analyst: str
    par: float
    """The points that the seats could expect from the finished rounds, on average."""
    seats: list[PlayedSeat]
    """Empty if no round is finished."""
    decisions: list[Decision]
    after_rounds: list[AfterRound]
    """After each finished round that is judged."""
    players: list[str] | None = None
    """The names of the players, by seat; None if the game has none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as plain values, for JSON."""
        return asdict(self)


def analyse(
    game: Game,
    agent: Agent,
    analyst: str,
    seed: int = 0,
    only: Collection[int] | None = None,
) -> Analysis:
    """Judge every decision of a game.

    Args:
        game: finished or not, with its history; so not one from `Game.from_state`.
        agent: one that expects points of every legal action, such as "search"; ValueError for any other.
        analyst: the agent's name.
        seed: of the agent's randomness.
        only: the numbers of the rounds to judge, from 1; None for all. The result for a round is the same
            without the others.
    """
    states, taken = _states_before_actions(game), np.array(game.history, np.int64)
    chosen = np.arange(len(taken))
    if only is not None:
        chosen = np.isin(states["round_index"] + 1, list(only)).nonzero()[0]
        states, taken = states[chosen], taken[chosen]
    expected, met, errors = _expect(agent, states, chosen, game.finished_rounds, seed)
    if np.isnan(expected[:, np.arange(len(taken)), taken]).any():
        raise ValueError(f"{quoted(analyst)} expects no points of single actions: use an agent that searches")
    worth, lost, error = _judge(expected, errors, taken)
    points = expected.mean(axis=0)
    for row, state in enumerate(states):
        points[row], _ = lower_to(worth[row], points[row], met[:, row].mean(axis=0), state)
    decisions = []
    for row in (np.isfinite(points).sum(axis=1) > 1).nonzero()[0].tolist():
        state, legal = states[row], np.isfinite(points[row]).nonzero()[0].tolist()
        decisions.append(
            Decision(
                number=int(chosen[row]),
                round_number=int(state["round_index"]) + 1,
                seat=int(state["seat"]),
                phase=PHASES[int(state["phase"])],
                chosen=ACTIONS[taken[row]],
                best=ACTIONS[int(np.nanargmax(points[row]))],
                lost=float(lost[row]),
                error=float(error[row]),
                points={ACTIONS[action]: float(points[row, action]) for action in legal},
            )
        )
    par, seats = _sum_up(game, states, worth, lost)
    names = None if game.players is None else list(game.players)
    after = [one for one in follow_scores(game) if only is None or one.round_number in only]
    return Analysis(analyst, par, seats, decisions, after, names)


def follow_scores(game: Game) -> list[AfterRound]:
    """Return the scores, and what they are worth, after each finished round that is known, oldest first."""
    found, scores = [], np.array(game.scores)
    for number, scored in reversed(game.scene().pad):
        chances = win_probability(scores, game.rules.rounds[number:])
        found.append(AfterRound(number, scores.tolist(), chances.tolist()))
        scores -= scored.points
    return found[::-1]


def _states_before_actions(game: Game) -> NDArray[Any]:
    states = np.empty(len(game.history), STATE)
    for number, (replayed, action) in enumerate(game.retrace()):
        states[number] = replayed.state[0]
        replayed.step(action)
    return states


def _expect(
    agent: Agent,
    states: NDArray[Any],
    numbers: NDArray[np.int64],
    finished_rounds: NDArray[Any],
    seed: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Ask twice for the points, chance and error of each legal action, as in `Assessment`.

    numbers: [n] the numbers of the decisions in the game.
    finished_rounds: [k] those of the whole game.

    Returns float64 [2, n, NUM_ACTIONS] for each; NaN for what the agent does not give.
    """
    expected, met, errors = np.full((3, NUM_ANSWERS, len(states), NUM_ACTIONS), np.nan)
    for index in np.unique(states["round_index"]).tolist():
        rows = states["round_index"] == index
        before = np.tile(finished_rounds[:index], (int(rows.sum()), 1))
        view = View(states[rows], None, before)
        answers = ask_twice(agent, view, numbers[rows].tolist(), seed)
        for answer, found in enumerate(answers):
            expected[answer, rows] = found.points
            for kept, given in ((met, found.met), (errors, found.error)):
                if given is not None:
                    kept[answer, rows] = given
    return expected, met, errors


def _judge(
    expected: NDArray[np.float64], errors: NDArray[np.float64], taken: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of the best action, the loss of the action taken, and its error; each float64 [n].

    Without errors, the difference between the two answers takes their place.
    """
    rows = np.arange(len(taken))
    worth = value_best(expected)
    lost = worth - expected[:, rows, taken]
    error = error_of_mean(errors[:, rows, taken])
    error = np.where(np.isnan(error), np.abs(lost[0] - lost[1]) / 2, error)
    return worth.mean(axis=0), lost.mean(axis=0), error


def _sum_up(
    game: Game, states: NDArray[Any], worth: NDArray[np.float64], lost: NDArray[np.float64]
) -> tuple[float, list[PlayedSeat]]:
    players = game.rules.num_players
    indices, position = np.unique(states["round_index"], return_inverse=True)
    scored = dict(game.scene().pad)
    rounds = [scored[index + 1] for index in indices.tolist() if index + 1 in scored]
    if not rounds:
        return 0.0, []
    finished = position < len(rounds)
    keys = (position.astype(np.int64) * players + states["seat"])[finished]
    _, first = np.unique(keys, return_index=True)
    par = float(worth[first].reshape(len(rounds), players).mean(axis=1).sum())
    bids, tricks_won, points = (
        np.array([getattr(one, name) for one in rounds]) for name in ("bids", "tricks_won", "points")
    )
    missed = bids - tricks_won

    def losses(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(states["seat"][chosen], lost[chosen], players).astype(np.float64)

    total, by_bids = losses(finished), losses(finished & (states["phase"] == BID))
    seats = [
        PlayedSeat(
            seat=seat,
            points=int(points[:, seat].sum()),
            bid_accuracy=float((missed[:, seat] == 0).mean()),
            bid_bias=float(missed[:, seat].mean()),
            lost=float(total[seat]),
            lost_by_bids=float(by_bids[seat]),
            luck=float(points[:, seat].sum() + total[seat] - par),
        )
        for seat in range(players)
    ]
    return par, seats
