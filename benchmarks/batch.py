"""Batches of games: `Games.step` and playouts against OpenSpiel's Oh Hell, and the cost by batch size.

Counts are decisions of players, and times include dealing.
"""

import random
from time import perf_counter
from typing import Any

import numpy as np
import pyspiel

from benchmarks.report import TIMES, CurvePoint, Row, compared, noted
from benchmarks.timing import Contestant, Effort, alternate, available_threads, on_threads
from wizard_env import Games, Rules, sample_legal
from wizard_env.invariants import check_states

RULES = Rules(num_players=4)
GAME_LENGTH = sum(RULES.num_players * (1 + size) for size in RULES.rounds)
"""Decisions of a game, without the dealers' choices of trump."""

PEER = "OpenSpiel oh_hell"
REPLAYED = "OpenSpiel oh_hell, replayed"
_TAPES = 256
_NANO = 1e9


def spread_games(num_games: int) -> Games:
    """Games spread over all moments between their first and last decision."""
    games = Games(RULES, num_games)
    games.spread(np.random.default_rng(num_games))
    return games


def step_call(games: Games) -> Contestant:
    """`Games.step` alone, which writes mask and observation; choosing actions is not timed."""
    rng = np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        decisions, spent = 0, 0.0
        while spent < seconds:
            actions = sample_legal(games.mask, rng)
            start = perf_counter()
            games.step(actions)
            spent += perf_counter() - start
            decisions += games.num_games
        return decisions, spent

    return run


def sample_and_step(games: Games) -> Contestant:
    """`sample_legal` and `Games.step`."""
    rng = np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        decisions, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            games.step(sample_legal(games.mask, rng))
            decisions += games.num_games
        return decisions, perf_counter() - start

    return run


def check(games: Games) -> Contestant:
    """`check_states`, which every state that comes from outside goes through, instead of a step."""

    def run(seconds: float) -> tuple[int, float]:
        checked, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            check_states(games.states)
            checked += games.num_games
        return checked, perf_counter() - start

    return run


def playout(games: Games) -> Contestant:
    """`Games.playout`: copies of the games are played to their end in the kernel, without observations."""
    rng = np.random.default_rng(0)

    def run(seconds: float) -> tuple[int, float]:
        decisions, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            decisions += games.playout(rng)[1]
        return decisions, perf_counter() - start

    return run


def oh_hell() -> Contestant:
    """Random play with only the calls that a loop needs: legal_actions and apply_action."""
    game = pyspiel.load_game("oh_hell(players=4)")
    draw = random.Random(0).random

    def run(seconds: float) -> tuple[int, float]:
        decisions, start = 0, perf_counter()
        while perf_counter() - start < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                if not state.is_chance_node():
                    decisions += 1
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])
        return decisions, perf_counter() - start

    return run


def oh_hell_replayed() -> Contestant:
    """The minimum of a loop: recorded games, so that no actions are chosen."""
    game = pyspiel.load_game("oh_hell(players=4)")
    tapes = [_record(game, random.Random(seed)) for seed in range(_TAPES)]

    def run(seconds: float) -> tuple[int, float]:
        decisions, start = 0, perf_counter()
        while True:
            for tape, length in tapes:
                state = game.new_initial_state()
                for action in tape:
                    state.legal_actions()
                    state.apply_action(action)
                decisions += length
                if perf_counter() - start >= seconds:
                    return decisions, perf_counter() - start

    return run


def _record(game: Any, rng: random.Random) -> tuple[list[int], int]:
    """The actions of a random game, chance nodes included, and the number of the players' decisions."""
    state, tape, decisions = game.new_initial_state(), [], 0
    while not state.is_terminal():
        decisions += not state.is_chance_node()
        tape.append(rng.choice(state.legal_actions()))
        state.apply_action(tape[-1])
    return tape, decisions


def measure_batches(effort: Effort) -> list[Row]:
    """`Games` against OpenSpiel."""
    games, large = spread_games(effort.batch), spread_games(effort.large_batch)
    two = available_threads(2)
    size, large_size = f"{effort.batch:,} games", f"{effort.large_batch:,} games"
    on_two = f"{two} thread{'s' if two > 1 else ''}"
    step = f"Games.step, {size}, 1 thread"
    sampled = f"sample_legal + Games.step, {size}, 1 thread"
    chosen = f"Games.step, {size}, threads as chosen"
    parallel = f"Games.step, {large_size}, {on_two}"
    played = f"Games.playout, {size}, 1 thread"
    checked = f"check_states / Games.step, cost per state, {size}, 1 thread"
    rates = alternate(
        {
            PEER: oh_hell(),
            REPLAYED: oh_hell_replayed(),
            step: on_threads(1, step_call(games)),
            sampled: on_threads(1, sample_and_step(games)),
            chosen: step_call(games),
            parallel: on_threads(two, step_call(large)),
            played: on_threads(1, playout(games)),
            checked: on_threads(1, check(games)),
        },
        effort,
    )
    return [
        compared(step, rates[step], PEER, rates[PEER], 40),
        compared(sampled, rates[sampled], PEER, rates[PEER], 25),
        compared(parallel, rates[parallel], PEER, rates[PEER], 70),
        compared(played, rates[played], PEER, rates[PEER], 100),
        compared(chosen, rates[chosen], PEER, rates[PEER]),
        compared(step, rates[step], REPLAYED, rates[REPLAYED]),
        noted(checked, rates[step].best / rates[checked].best, TIMES),
    ]


def measure_curve(effort: Effort) -> tuple[list[CurvePoint], list[Row]]:
    """The cost of a decision and the memory of a game, by batch size."""
    batches = {num_games: spread_games(num_games) for num_games in effort.sizes}
    single = {f"{n}, one": on_threads(1, step_call(games)) for n, games in batches.items()}
    chosen = {f"{n}, chosen": step_call(games) for n, games in batches.items()}
    rates = alternate(single | chosen, effort)
    curve = [
        CurvePoint(
            num_games=n,
            one_thread=_NANO / rates[f"{n}, one"].best,
            as_chosen=_NANO / rates[f"{n}, chosen"].best,
            bytes_per_game=bytes_of(games) / n,
        )
        for n, games in batches.items()
    ]
    costs = [point.one_thread for point in curve]
    name = f"most / least expensive decision, {min(effort.sizes):,} to {max(effort.sizes):,} games, 1 thread"
    return curve, [noted(name, max(costs) / min(costs), TIMES)]


def bytes_of(games: Games) -> int:
    """The memory of all arrays of a batch."""
    arrays = [value for value in vars(games).values() if isinstance(value, np.ndarray)]
    return sum(array.nbytes for array in arrays if array.flags.owndata)
