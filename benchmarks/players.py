"""Cost of thinking: worlds drawn from a belief, against OpenSpiel's sampler, and agents' decisions."""

import random

import numpy as np
import pyspiel

from benchmarks.batch import PEER, play_oh_hell, spread_games
from benchmarks.report import WORLD_RATE, Row, compare
from benchmarks.timing import Contestant, Effort, alternate, on_threads, repeat
from wizard_env.agents import load
from wizard_env.agents.search.belief import draw_worlds

_SAMPLER = "OpenSpiel resample_from_infostate"
_AGENTS = ("rule_based", "heuristic")
_WORLDS = 16
_POSITIONS = 64


def _draw_from_belief(num_games: int) -> Contestant:
    """Time `draw_worlds` for decisions spread over whole games, several worlds for each."""
    view, rng = spread_games(num_games).view(), np.random.default_rng(0)
    return repeat(lambda: draw_worlds(view, _WORLDS, rng).size)


def _resample_oh_hell() -> Contestant:
    """Time OpenSpiel's sampler for Oh Hell, which does not respect all voids shown."""
    game, rng = pyspiel.load_game("oh_hell(players=4)"), random.Random(0)
    states: list[pyspiel.State] = []
    while len(states) < _POSITIONS:
        state = game.new_initial_state()
        length = rng.randrange(80)
        while not state.is_terminal() and (state.is_chance_node() or length > 0):
            state.apply_action(rng.choice(state.legal_actions()))
            length -= not state.is_chance_node()
        if not state.is_terminal():
            states.append(state)

    def work() -> int:
        for state in states:
            state.resample_from_infostate(state.current_player(), rng.random)
        return len(states)

    return repeat(work)


def _act(name: str, num_games: int) -> Contestant:
    """Time an agent's `act` for decisions spread over whole games."""
    agent, view, rng = load(name), spread_games(num_games).view(), np.random.default_rng(0)
    return repeat(lambda: len(agent.act(view, rng)))


def measure_players(effort: Effort) -> list[Row]:
    """Measure beliefs and agents on one thread; OpenSpiel's loop, the agents' peer, plays at random."""
    worlds = "draw_worlds, 1 thread"
    rates = alternate(
        {
            PEER: play_oh_hell(),
            _SAMPLER: _resample_oh_hell(),
            worlds: on_threads(1, _draw_from_belief(effort.batch)),
            **{name: on_threads(1, _act(name, effort.batch)) for name in _AGENTS},
        },
        effort,
    )
    return [
        compare(worlds, rates[worlds], _SAMPLER, rates[_SAMPLER], unit=WORLD_RATE),
        *(compare(f"{name}, 1 thread", rates[name], PEER, rates[PEER]) for name in _AGENTS),
    ]
