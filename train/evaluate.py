"""Comparing agents on the same deals: every agent plays every hand of every deal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from agents import load
from wizard_env import Agent, Game, Games, Rules, View
from wizard_env.games import game_seeds
from wizard_env.sampling import next_words, noise_streams

CHUNK = 4096
"""How many games are played side by side."""
RESAMPLES = 2_000


class Entrant(NamedTuple):
    """Who is compared: entrants of the same name share a line of the result."""

    name: str
    agent: Agent


@dataclass(frozen=True)
class Standing:
    """What one name has achieved. Intervals are of 95%, by bootstrap over deals."""

    name: str
    points: float
    """Mean points per game."""
    points_low: float
    points_high: float
    bid_accuracy: float
    """Share of bids met exactly."""
    win_share: float
    """Wins per game, a shared first place counting in parts."""
    games: int
    """Games times seats that the name has played."""


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`."""

    standings: list[Standing]
    records: list[Game]
    """The first games, to look at and to write down."""


def evaluate(
    entrants: Sequence[Entrant | str],
    rules: Rules,
    games: int,
    seed: int = 0,
    num_records: int = 0,
) -> Evaluation:
    """Seat agents at tables of the same deals, in every rotation.

    Deal d is played once for each entrant: in arrangement a, seat s is taken by entrant
    (s + a) % len(entrants). So every entrant plays every seat of every deal exactly once, and the
    luck of the deal is the same for all.

    Args:
        entrants: names or agents, at least one; for A alone against B give A, B, B, B.
        rules: the options of the games.
        games: how many deals of a whole game.
        seed: the same seed gives the same deals and, to agents that take their chance from
            `view.noise`, the same random words, whatever else is compared.
        num_records: how many games to return at most.

    Raises:
        ValueError: no entrants, or fewer than two games, which give no interval.
    """
    if not entrants:
        raise ValueError("no entrants: at least one agent is needed")
    if seed < 0:
        raise ValueError(f"seed={seed}: allowed are numbers from 0")
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    field = [Entrant(one, load(one)) if isinstance(one, str) else one for one in entrants]
    seeds = game_seeds(seed, games)
    arrangements = len(field)
    deals = np.repeat(np.arange(games), arrangements)
    first = np.tile(np.arange(arrangements), games)
    seating = (first[:, np.newaxis] + np.arange(rules.num_players)) % arrangements
    streams = np.concatenate([noise_streams(seeds, a + 1) for a in range(arrangements)])
    streams = streams.reshape(arrangements, games).T.ravel()
    chunks = [slice(start, start + CHUNK) for start in range(0, len(deals), CHUNK)]
    parts = [
        _play(rules, field, seeds[deals[chunk]], seating[chunk], streams[chunk].copy()) for chunk in chunks
    ]
    scores, met = (np.concatenate([part[i] for part in parts]) for i in range(2))
    wins = scores == scores.max(axis=1, keepdims=True)
    shares = wins / wins.sum(axis=1, keepdims=True)
    standings = []
    for name in dict.fromkeys(entrant.name for entrant in field):
        mine = np.isin(seating, [i for i, entrant in enumerate(field) if entrant.name == name])
        low, high = _interval(_by_deal(scores, mine, deals, games), seed)
        standings.append(
            Standing(
                name=name,
                points=float(scores[mine].mean()),
                points_low=low,
                points_high=high,
                bid_accuracy=float(met[mine].mean()) / len(rules.rounds),
                win_share=float(shares[mine].mean()),
                games=int(mine.sum()),
            )
        )
    recorded = range(min(num_records, len(seating)))
    return Evaluation(standings, [_record(rules, field, seeds, seating[i], streams, i) for i in recorded])


def _by_deal(
    scores: NDArray[np.int16], mine: NDArray[np.bool_], deals: NDArray[np.int64], games: int
) -> NDArray[np.float64]:
    """float64 [games]: mean points over all seats and arrangements of each deal."""
    total = np.bincount(deals, (scores * mine).sum(axis=1), games)
    seats = np.bincount(deals, mine.sum(axis=1), games)
    return total / seats


def _interval(means: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """The 95% interval of the mean, by percentile bootstrap (Efron 1979)."""
    if (means == means[0]).all():
        return float(means[0]), float(means[0])
    found = bootstrap(
        (means,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=64,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)


def _play(
    rules: Rules,
    field: Sequence[Entrant],
    seeds: NDArray[np.uint64],
    seating: NDArray[np.int64],
    streams: NDArray[np.uint64],
) -> tuple[NDArray[np.int16], NDArray[np.int64]]:
    """Play games to their end: int16 scores and int64 numbers of bids met, [games, num_players]."""
    games = Games(rules, len(seeds), seeds, pause="game")
    rng = np.random.default_rng(streams)  # which tells its seed, so not the one of the deals
    met = np.zeros((len(seeds), rules.num_players), np.int64)
    running = np.arange(len(seeds))
    agents = {id(entrant.agent): entrant.agent for entrant in field}
    owner = np.array([list(agents).index(id(entrant.agent)) for entrant in field])
    while len(running):
        acting = owner[seating[running, games.seat[running]]]
        words = next_words(streams, running)
        actions = np.empty(len(running), np.int64)
        for number, agent in enumerate(agents.values()):
            theirs = acting == number
            if theirs.any():
                actions[theirs] = agent.act(games.view(running[theirs], words[theirs]), rng)
        games.step(actions, running)
        met[running] += games.points[running] > 0
        running = running[~games.done[running]]
    return games.scores.copy(), met


def _record(
    rules: Rules,
    field: Sequence[Entrant],
    seeds: NDArray[np.uint64],
    seating: NDArray[np.int64],
    streams: NDArray[np.uint64],
    number: int,
) -> Game:
    """Play one game again by itself, move by move, with the same random words."""
    game = Game(rules, seed=int(seeds[number // len(field)]))
    stream = streams[number : number + 1].copy()
    rng = np.random.default_rng(stream)
    while game.seat is not None:
        view = View(game.state, next_words(stream, np.array([0])))
        game.step(int(field[seating[game.seat]].agent.act(view, rng)[0]))
    return game
