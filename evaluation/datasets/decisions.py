"""Playing games for a data set: every decision, with its probabilities and the points that followed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Agent, Games, Rules, View, printed_actions, reorder_actions
from wizard_env.agents.assessment import ProbabilisticAgent
from wizard_env.evaluation.duplicate_deals import entrant_at, least_decisions
from wizard_env.failures import noting_own_code
from wizard_env.sampling import next_words, noise_streams
from wizard_env.view import Actions, ask, split_by_owner

_ROWS = 2**16
"""About the number of decisions that are kept in memory until their games end."""


_Probabilities: TypeAlias = NDArray[np.float32]
"""[n, NUM_ACTIONS], of the actions in the suits as printed; NaN where an agent does not give them."""


@dataclass(frozen=True)
class Behaviour:
    """The agents that play, and the decisions that are kept."""

    agents: tuple[str, ...]
    """Names of agents, as `load` takes them. They sit in game g as in arrangement g, see `entrant_at`."""
    canonical_suits: bool = False
    """Show observations, masks, actions and probabilities in the acting seat's canonical order of suits."""
    skip_forced: bool = False
    """Leave out decisions that have a single legal action."""


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
    """Play games to their end; return the columns of COLUMNS (see `parquet.py`), game by game.

    Args:
        agents: those of `behaviour`, loaded.
        behaviour: of the data set.
        rules: of every game.
        numbers: int64 [n], the number of each game in the data set.
        seeds: uint64 [n], the seed of each deal.
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
    pad = np.zeros((count, len(rules.rounds), rules.num_players), np.int32)
    streams = noise_streams(seeds, 1)
    rng = np.random.default_rng(streams)  # agents can read its seed, which is not that of the deals
    steps: list[dict[str, NDArray[Any]]] = []
    running = np.arange(count)
    while len(running):
        seat, index = games.seat[running].astype(np.int8), games.states["round_index"][running]
        owner = entrant_at(seat, numbers[running], len(agents))
        view = games.view(running, next_words(streams, running))
        actions, probabilities = act_with_probabilities(agents, owner, view, rng)
        if behaviour.canonical_suits:
            order = games.order[running]
            actions, probabilities = reorder_actions(actions, order), _reorder(probabilities, order)
        steps.append(
            {
                "row": running,
                "observation": games.observation[running],
                "mask": games.mask[running],
                "action": actions.astype(np.uint8),
                "probabilities": probabilities,
                "seat": seat,
                "agent": owner.astype(np.int8),
                "round": index.astype(np.int8),
                "step": np.full(len(running), len(steps), np.int16),
            }
        )
        games.step(actions, running)
        ended = games.round_done[running]
        pad[running[ended], index[ended]] = games.points[running[ended]]
        running = running[~games.done[running]]
    by_game = np.argsort(np.concatenate([step["row"] for step in steps]), kind="stable")
    columns = {name: np.concatenate([step.pop(name) for step in steps])[by_game] for name in list(steps[0])}
    row = columns.pop("row")
    left = pad[:, ::-1].cumsum(axis=1)[:, ::-1]
    scored = (row, columns["round"], columns["seat"])
    return columns | {
        "game": numbers[row],
        "deal_seed": seeds[row],
        "num_players": np.full(len(row), rules.num_players, np.int8),
        "round": columns["round"] + np.int8(1),
        "hand_size": np.array(rules.rounds, np.int8)[columns["round"]],
        "points": pad[scored].astype(np.int16),
        "return": left[scored].astype(np.int32),
    }


def act_with_probabilities(
    agents: Sequence[Agent], owner: NDArray[np.integer], view: View, rng: np.random.Generator
) -> tuple[Actions, _Probabilities]:
    """Ask each agent for its actions, as `wizard_env.view.actions_by_owner` does, and their probabilities."""
    actions = np.empty(len(view), np.int64)
    probabilities = np.empty((len(view), NUM_ACTIONS), np.float32)
    for agent, rows, part in split_by_owner(agents, owner, view):
        if isinstance(agent, ProbabilisticAgent):
            with noting_own_code():
                actions[rows], probabilities[rows] = agent.act_and_tell(part, rng)
        else:
            actions[rows], probabilities[rows] = ask(agent, part, rng), np.nan
    return actions, probabilities


def _reorder(probabilities: _Probabilities, order: NDArray[np.uint8]) -> _Probabilities:
    """Turn the probabilities of printed actions into those of the actions shown in each order of suits."""
    ids = np.tile(np.arange(NUM_ACTIONS), len(order))
    printed = printed_actions(ids, order.repeat(NUM_ACTIONS)).reshape(-1, NUM_ACTIONS)
    return np.take_along_axis(probabilities, printed, axis=1)
