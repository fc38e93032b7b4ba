"""Cost of thinking: worlds drawn from a belief, against OpenSpiel's sampler, and agents' decisions."""

import random
from itertools import count
from pathlib import Path

import numpy as np
import pyspiel

from benchmarks.batch import PEER, play_oh_hell, spread_games
from benchmarks.report import WORLD_RATE, Row, compare
from benchmarks.timing import Contestant, Effort, alternate, on_threads, repeat
from wizard_env import Games, Rules
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.network import NetworkAgent
from wizard_env.agents.pretrained import CHAMPION, DISTILLED
from wizard_env.agents.search.belief import draw_worlds
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import SeatModel

_SAMPLER = "OpenSpiel resample_from_infostate"
_CALLED = "the champion called from Python"
_ROUND = Rules(hand_sizes=(15,))
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


def _play_out(network: Path, num_games: int) -> Contestant:
    """Time `Playouts` of worlds of 15 cards, with a network in every seat."""
    model = SeatModel.from_layers(NetworkAgent(str(network), backend="numpy").layers)
    view, playouts = Games(_ROUND, 1).view(), Playouts(num_games, evidence="nothing", model=model)
    tried, rng = view.mask != 0, np.random.default_rng(0)
    tried[:, FIRST_BID + 1 :] = False

    def work() -> int:
        playouts(view.known, view.noise(rng), tried, np.array([FIRST_BID]))
        return num_games

    return repeat(work)


def _play_out_from_python(network: Path, num_games: int) -> Contestant:
    """Time the same, with all worlds side by side and a call of the network for every step of them."""
    agent, rng = NetworkAgent(str(network), backend="numpy"), np.random.default_rng(0)
    seeds = count(step=num_games)

    def work() -> int:
        games = Games(_ROUND, num_games, next(seeds), skip_forced=True)
        over = np.zeros(num_games, bool)
        while not over.all():
            games.step(agent.act(games.view(), rng))
            over |= games.done.astype(bool)
        return num_games

    return repeat(work)


def measure_players(effort: Effort) -> list[Row]:
    """Measure beliefs and agents on one thread; OpenSpiel's loop, the agents' peer, plays at random."""
    worlds = "draw_worlds, 1 thread"
    small, large = "a world played out by the distilled network", "by the champion"
    rates = alternate(
        {
            PEER: play_oh_hell(),
            _SAMPLER: _resample_oh_hell(),
            worlds: on_threads(1, _draw_from_belief(effort.batch)),
            **{name: on_threads(1, _act(name, effort.batch)) for name in _AGENTS},
            small: on_threads(1, _play_out(DISTILLED, effort.batch)),
            large: on_threads(1, _play_out(CHAMPION, effort.batch)),
            _CALLED: on_threads(1, _play_out_from_python(CHAMPION, effort.batch)),
        },
        effort,
    )
    return [
        compare(worlds, rates[worlds], _SAMPLER, rates[_SAMPLER], unit=WORLD_RATE),
        compare(small, rates[small], _CALLED, rates[_CALLED], unit=WORLD_RATE),
        compare(large, rates[large], _CALLED, rates[_CALLED], unit=WORLD_RATE),
        *(compare(f"{name}, 1 thread", rates[name], PEER, rates[PEER]) for name in _AGENTS),
    ]
