"""Playing games for a data set: every decision, with the points that followed."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, OBS_SIZE, Agent, Games, Rules, printed_actions, reorder_actions
from wizard_env.evaluation.datasets.probabilities import act_with_probabilities
from wizard_env.sampling import next_words, noise_streams

_ROWS = 2**16
"""About the number of decisions that are kept in memory until their games end."""


@dataclass(frozen=True)
class Behaviour:
    """The agents that play, and the decisions that are kept."""

    agents: tuple[str, ...]
    """Names of agents, as `load` takes them. In game g, seat s is taken by agent (s + g) % len(agents)."""
    canonical_suits: bool = False
    """Show observations, masks, actions and probabilities in the acting seat's canonical order of suits."""
    skip_forced: bool = False
    """Leave out decisions that have a single legal action."""


def least_decisions(rules: Rules) -> int:
    """Count the bids and cards of a game, all its decisions except for choices of trump."""
    return rules.num_players * (sum(rules.rounds) + len(rules.rounds))


def games_at_once(rules: Rules) -> int:
    """Return the number of games to play side by side."""
    return max(1, _ROWS // least_decisions(rules))


def play_decisions(
    agents: list[Agent],
    behaviour: Behaviour,
    rules: Rules,
    numbers: NDArray[np.int64],
    seeds: NDArray[np.uint64],
) -> dict[str, NDArray[Any]]:
    """Play games to their end.

    Args:
        agents: those of `behaviour`, loaded.
        behaviour: of the data set.
        rules: of every game.
        numbers: int64 [n], the number of each game in the data set.
        seeds: uint64 [n], the seed of each deal.

    Returns:
        The columns of COLUMNS (see `parquet.py`), game by game and within a game in the order of play.
    """
    count = len(seeds)
    games = Games(
        rules,
        count,
        seeds,
        canonical_suits=behaviour.canonical_suits,
        skip_forced=behaviour.skip_forced,
        pause="game",
    )
    most = least_decisions(rules) + len(rules.rounds)
    rows = _Rows(count, most)
    pad = np.zeros((count, len(rules.rounds), rules.num_players), np.int32)
    streams = noise_streams(seeds, 1)
    rng = np.random.default_rng(streams)  # a generator gives its seed away: not the deals'
    taken = np.zeros(count, np.int64)
    running = np.arange(count)
    while len(running):
        seat, number = games.seat[running].astype(np.int64), games.states["round_index"][running]
        owner = (seat + numbers[running]) % len(agents)
        view = games.view(running, next_words(streams, running))
        actions, probabilities = act_with_probabilities(agents, owner, view, rng)
        shown = actions
        if behaviour.canonical_suits:
            order = games.order[running]
            shown, probabilities = reorder_actions(actions, order), _reordered(probabilities, order)
        rows.write(
            running * most + taken[running],
            observation=games.observation[running],
            mask=games.mask[running],
            action=shown,
            probabilities=probabilities,
            seat=seat,
            agent=owner,
            round=number,
            step=taken[running],
        )
        taken[running] += 1
        games.step(shown, running)
        ended = games.round_done[running]
        pad[running[ended], number[ended]] = games.points[running[ended]]
        running = running[~games.done[running]]
    columns = rows.written(taken)
    game = np.repeat(np.arange(count), taken)
    left = pad[:, ::-1].cumsum(axis=1)[:, ::-1]
    index = (game, columns["round"], columns["seat"])
    sizes = np.array(rules.rounds, np.int8)
    return columns | {
        "game": numbers[game],
        "deal_seed": seeds[game],
        "num_players": np.full(len(game), rules.num_players, np.int8),
        "round": (columns["round"] + 1).astype(np.int8),
        "hand_size": sizes[columns["round"]],
        "points": pad[index].astype(np.int16),
        "return": left[index].astype(np.int32),
    }


class _Rows:
    """Memory for decisions, divided between the games."""

    def __init__(self, num_games: int, most: int) -> None:
        self._most = most
        kinds: dict[str, Any] = {
            "observation": (np.uint8, OBS_SIZE),
            "mask": (np.uint8, NUM_ACTIONS),
            "probabilities": (np.float32, NUM_ACTIONS),
            "action": (np.uint8, 0),
            "seat": (np.int8, 0),
            "agent": (np.int8, 0),
            "round": (np.int64, 0),
            "step": (np.int16, 0),
        }
        self._columns = {
            name: np.empty((num_games * most, size) if size else num_games * most, dtype)
            for name, (dtype, size) in kinds.items()
        }

    def write(self, rows: NDArray[np.int64], **values: NDArray[Any]) -> None:
        for name, array in values.items():
            self._columns[name][rows] = array

    def written(self, taken: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """Return the columns of the rows that were written. taken: int64 [games], the rows of each game."""
        used = (np.arange(self._most) < taken[:, np.newaxis]).reshape(-1).nonzero()[0]
        return {name: column[used] for name, column in self._columns.items()}


def _reordered(probabilities: NDArray[np.float32], order: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Turn the probabilities of printed actions into those of the actions shown in each order of suits."""
    ids = np.tile(np.arange(NUM_ACTIONS), len(order))
    printed = printed_actions(ids, order.repeat(NUM_ACTIONS)).reshape(-1, NUM_ACTIONS)
    return np.take_along_axis(probabilities, printed, axis=1)
