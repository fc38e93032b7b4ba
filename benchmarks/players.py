"""The cost of thinking: worlds drawn from a belief, against OpenSpiel's sampler, and agents' decisions."""

import random
from pathlib import Path
from time import perf_counter

import numpy as np
import pyspiel

from benchmarks.batch import PEER, oh_hell, spread_games
from benchmarks.report import WORLD_RATE, Row, compared
from benchmarks.timing import Contestant, Effort, alternate, on_threads
from wizard_env import Games, Rules
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.network import NetworkAgent
from wizard_env.agents.pretrained import CHAMPION, DISTILLED
from wizard_env.agents.search.belief import draw_worlds
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import model_of

SAMPLER = "OpenSpiel resample_from_infostate"
CALLED = "the champion called from Python"
ROUND = Rules(hand_sizes=(15,))
AGENTS = ("rule_based", "heuristic")
_WORLDS = 16
_POSITIONS = 64


def belief(num_games: int) -> Contestant:
    """`draw_worlds` for decisions spread over whole games, several worlds for each."""
    view, rng = spread_games(num_games).view(), np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        drawn, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            drawn += draw_worlds(view, _WORLDS, rng).size
        return drawn, perf_counter() - start

    return run


def open_spiel_belief() -> Contestant:
    """OpenSpiel's sampler for Oh Hell, which does not respect all voids shown."""
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

    def run(seconds: float) -> tuple[int, float]:
        drawn, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            for state in states:
                state.resample_from_infostate(state.current_player(), rng.random)
            drawn += len(states)
        return drawn, perf_counter() - start

    return run


def decisions(name: str, num_games: int) -> Contestant:
    """An agent's `act` for decisions spread over whole games."""
    agent, view, rng = load(name), spread_games(num_games).view(), np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        taken, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            taken += len(agent.act(view, rng))
        return taken, perf_counter() - start

    return run


def played_out(network: Path, num_games: int) -> Contestant:
    """Worlds of 15 cards played out by `Playouts`, with a network in every seat."""
    model = model_of(NetworkAgent(str(network), backend="numpy").layers)
    view, playouts = Games(ROUND, 1).view(), Playouts(num_games, evidence="nothing", model=model)
    tried = view.mask != 0
    tried[:, FIRST_BID + 1 :] = False

    def run(seconds: float) -> tuple[int, float]:
        worlds, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            playouts(view.known, view.noise(np.random.default_rng(worlds)), tried, np.array([FIRST_BID]))
            worlds += num_games
        return worlds, perf_counter() - start

    return run


def played_out_from_python(network: Path, num_games: int) -> Contestant:
    """The same, with all worlds side by side and the network called from Python for every step of them."""
    agent, rng = NetworkAgent(str(network), backend="numpy"), np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        worlds, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            games = Games(ROUND, num_games, worlds, skip_forced=True)
            over = np.zeros(num_games, bool)
            while not over.all():
                games.step(agent.act(games.view(), rng))
                over |= games.done.astype(bool)
            worlds += num_games
        return worlds, perf_counter() - start

    return run


def measure_players(effort: Effort) -> list[Row]:
    """Beliefs and agents on one thread; agents against OpenSpiel's loop, which plays at random."""
    worlds = "draw_worlds, 1 thread"
    small, large = "a world played out by the distilled network", "by the champion"
    rates = alternate(
        {
            PEER: oh_hell(),
            SAMPLER: open_spiel_belief(),
            worlds: on_threads(1, belief(effort.batch)),
            **{name: on_threads(1, decisions(name, effort.batch)) for name in AGENTS},
            small: on_threads(1, played_out(DISTILLED, effort.batch)),
            large: on_threads(1, played_out(CHAMPION, effort.batch)),
            CALLED: on_threads(1, played_out_from_python(CHAMPION, effort.batch)),
        },
        effort,
    )
    return [
        compared(worlds, rates[worlds], SAMPLER, rates[SAMPLER], unit=WORLD_RATE),
        compared(small, rates[small], CALLED, rates[CALLED], unit=WORLD_RATE),
        compared(large, rates[large], CALLED, rates[CALLED], unit=WORLD_RATE),
        *(compared(f"{name}, 1 thread", rates[name], PEER, rates[PEER]) for name in AGENTS),
    ]
