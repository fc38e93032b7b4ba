"""Batches of games: steps and playouts against OpenSpiel's Oh Hell.

Counts are decisions of players, and times include dealing.
"""

import random
from time import perf_counter

import numpy as np
import pyspiel

from benchmarks.report import BYTES, Row, compare
from benchmarks.timing import Contestant, Effort, Sample, alternate, repeat
from wizard_env import Games, Rules, sample_legal

_RULES = Rules(num_players=4)
PEER = "OpenSpiel oh_hell"


def spread_games(num_games: int, history: bool = True) -> Games:
    """Return games spread over all moments between their first and last decision."""
    games = Games(_RULES, num_games, history=history)
    games.spread(np.random.default_rng(num_games))
    return games


def step_games(games: Games) -> Contestant:
    """Time `Games.step` alone, which writes mask and observation; choosing actions is not timed."""
    rng = np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:  # not by `repeat_after`, whose calls cost in small batches
        decisions, spent = 0, 0.0
        while spent < seconds:
            actions = sample_legal(games.mask, rng)
            start = perf_counter()
            games.step(actions)
            spent += perf_counter() - start
            decisions += games.num_games
        return decisions, spent

    return run


def _sample_and_step(games: Games) -> Contestant:
    """Time `sample_legal` and `Games.step`."""
    rng = np.random.default_rng(0)

    def work() -> int:
        games.step(sample_legal(games.mask, rng))
        return games.num_games

    return repeat(work)


def _play_out(games: Games) -> Contestant:
    """Time `Games.playout`: the kernel plays copies of the games to their end, without observations."""
    rng = np.random.default_rng(0)
    return repeat(lambda: games.playout(rng)[1])


def play_oh_hell() -> Contestant:
    """Time random play with only the calls that a loop needs: legal_actions and apply_action."""
    game = pyspiel.load_game("oh_hell(players=4)")
    draw = random.Random(0).random

    def work() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                decisions += 1
            actions = state.legal_actions()
            state.apply_action(actions[int(draw() * len(actions))])
        return decisions

    return repeat(work)


def measure_batches(effort: Effort) -> list[Row]:
    """Compare `Games` with OpenSpiel."""
    games, size = spread_games(effort.batch), f"{effort.batch:,} games"
    step = f"Games.step, {size}, 1 thread"
    sampled = f"sample_legal + Games.step, {size}, 1 thread"
    without = f"Games.step without history, {size}, 1 thread"
    played = f"Games.playout, {size}, 1 thread"
    rates = alternate(
        {
            PEER: play_oh_hell(),
            step: step_games(games),
            without: step_games(spread_games(effort.batch, history=False)),
            sampled: _sample_and_step(games),
            played: _play_out(games),
        },
        effort,
    )
    size_of_game = bytes_of(games) / effort.batch
    return [
        compare(step, rates[step], PEER, rates[PEER], 40),
        compare(sampled, rates[sampled], PEER, rates[PEER], 25),
        compare(played, rates[played], PEER, rates[PEER], 100),
        compare(without, rates[without], PEER, rates[PEER]),
        Row(f"memory of a game, of {size}", BYTES, Sample(size_of_game, size_of_game)),
    ]


def bytes_of(games: Games) -> int:
    """Return the memory of a batch: states, observations, masks, results and finished rounds."""
    return sum(array.nbytes for array in games.__getstate__()["arrays"])
