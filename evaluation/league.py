"""Leagues: many agents meet at tables and are rated; games that were played are never played again."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Game, Rules
from wizard_env.agents.network import NetworkAgent
from wizard_env.evaluation.duplicate import Deals, Player, arrange, load_players, play, play_one
from wizard_env.evaluation.league_file import LeagueFile, Matchup, Member
from wizard_env.evaluation.pairings import Seating, choose_seatings
from wizard_env.evaluation.ratings import Rating, rate
from wizard_env.evaluation.statistics import Difference, Totals, estimate_means
from wizard_env.evaluation.workers import Map
from wizard_env.files.locks import locked
from wizard_env.games import game_seeds
from wizard_env.loading import place_of

FILE_NAME = "results.jsonl"
DEALS = 32
"""Deals of a table per batch: they are played, and then written down, together."""


@dataclass(frozen=True)
class League:
    """The standings of a league."""

    rules: tuple[Rules, ...]
    games: int
    """Deals of a whole game per table."""
    seed: int
    tables: tuple[int, ...]
    """How many tables there are for each of the rules."""
    ratings: list[Rating]
    """A rating for every agent, the best first."""
    differences: list[Difference]
    """A difference for each pair, in the order of the ratings: same deals, at the tables where both sit."""
    records: list[Game]
    """The first game of every table, if they were asked for."""

    def to_dict(self) -> dict[str, Any]:
        """Everything but the records as plain values, for JSON."""
        return {
            "rules": [rules.to_dict() for rules in self.rules],
            "games": self.games,
            "seed": self.seed,
            "tables": list(self.tables),
            "ratings": [asdict(rating) for rating in self.ratings],
            "differences": [asdict(difference) for difference in self.differences],
        }


def play_league(
    folder: Path,
    agents: Sequence[str],
    rules: Sequence[Rules],
    games: int,
    seed: int,
    spread: Map,
    recorded: bool = False,
) -> League:
    """Play the missing games of a league, and rate its agents.

    Every table plays the same deals, each in all rotations of its seats. Results are written to
    `results.jsonl` in the folder as they come in, keyed by what determines them: the rules, the seed, the
    number of the deal, and the agents with their fingerprints. Only results for these arguments count.

    Args:
        folder: of this league; it need not exist.
        agents: what `load` takes, all different; at least as many as sit at the largest table.
        rules: one for each table size.
        games: how many deals of a whole game each table plays, at least 2.
        seed: of the deals and of the choice of tables.
        spread: where to play, see `wizard_env.evaluation.workers`.
        recorded: whether to return the first game of every table.

    Raises:
        BlockingIOError: another process writes into the folder.
        ValueError: too few agents or games, or the same agent twice.
        LeagueFileError: the file is damaged.
    """
    largest = max(one.num_players for one in rules)
    if len(set(agents)) < len(agents):
        twice = next(name for name in agents if agents.count(name) > 1)
        raise ValueError(f"{twice!r} is named twice: the agents of a league must all be different")
    if len(agents) < largest:
        raise ValueError(f"{len(agents)} agents: a league with tables of {largest} needs {largest} or more")
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    seeds = game_seeds(seed, games)
    players = {player.name: player for player in load_players(agents)}
    members = {name: Member(name, fingerprint(name, player.agent)) for name, player in players.items()}
    with locked(folder):
        results = LeagueFile(folder / FILE_NAME)
        chosen = [_choose(results, members, one, seed) for one in rules]
        everywhere = [table for tables in chosen for table in tables]
        todo = [
            (table, start, Deals(_seated(players, table), table.rules, seeds[start:stop]))
            for table in everywhere
            for start, stop in _missing(results.tables.get(table, {}), games)
        ]
        found = spread(play, [deals for _, _, deals in todo])
        for (table, start, _), played in zip(todo, found, strict=True):
            results.add(table, start, played.scores)
    scores = [
        (table, np.stack([results.tables[table][deal] for deal in range(games)])) for table in everywhere
    ]
    ratings = rate(scores)
    names = [rating.name for rating in ratings]
    firsts = [Deals(_seated(players, table), table.rules, seeds[:1]) for table in everywhere]
    return League(
        rules=tuple(rules),
        games=games,
        seed=seed,
        tables=tuple(map(len, chosen)),
        ratings=ratings,
        differences=_differences(scores, names, seed),
        records=[play_one(deals, 0) for deals in firsts] if recorded else [],
    )


def fingerprint(name: str, agent: Agent) -> str:
    """16 hexadecimal digits for an agent's name, its options, the weights of its networks, and its own file.

    No other code counts, and no file that weights were read from: an agent that is named by its class alone
    and whose code has changed needs another folder or another name.
    """
    digest = hashlib.sha256(name.encode())
    if (place := place_of(name)) is not None and place.suffix == ".py" and place.is_file():
        digest.update(place.read_bytes())
    for weights in _weights(agent):
        digest.update(f"{weights.dtype.str}{weights.shape}".encode())
        digest.update(weights.tobytes())
    return digest.hexdigest()[:16]


def _weights(agent: object) -> Iterator[NDArray[Any]]:
    """The weights of an agent that is a network, or of the networks that it holds, in the order of names."""
    if isinstance(agent, NetworkAgent):
        for layer in (*agent.layers, *([agent.value] if agent.value else [])):
            yield from layer
    elif callable(getattr(agent, "act", None)):
        for _, held in sorted(getattr(agent, "__dict__", {}).items()):
            yield from _weights(held)


def _choose(results: LeagueFile, members: dict[str, Member], rules: Rules, seed: int) -> list[Matchup]:
    """The tables of the league for these rules, including those that have already begun."""
    known = set(members.values())
    begun = [
        tuple(sorted(member.name for member in table.members))
        for table in results.tables
        if table.rules == rules and table.seed == seed and known.issuperset(table.members)
    ]
    tables = choose_seatings(list(members), rules.num_players, begun, seed)
    return [Matchup(rules, seed, tuple(members[name] for name in _seat(table, seed))) for table in tables]


def _seat(table: Seating, seed: int) -> list[str]:
    """The agents of a table in the order of their seats, shuffled differently for each table.

    Rotation keeps neighbours together, so in alphabetical order an agent would always play after the same
    other agent.
    """
    return sorted(table, key=lambda name: hashlib.sha256(repr((seed, table, name)).encode()).digest())


def _seated(players: dict[str, Player], table: Matchup) -> tuple[Player, ...]:
    return tuple(players[member.name] for member in table.members)


def _missing(played: dict[int, NDArray[np.int32]], games: int) -> list[tuple[int, int]]:
    """The runs of deals still to play, as (start, stop), cut at every multiple of DEALS."""
    runs: list[tuple[int, int]] = []
    for deal in range(games):
        if deal in played:
            continue
        if runs and runs[-1][1] == deal and deal % DEALS:
            runs[-1] = (runs[-1][0], deal + 1)
        else:
            runs.append((deal, deal + 1))
    return runs


def _differences(
    scores: Sequence[tuple[Matchup, NDArray[np.int32]]], names: list[str], seed: int
) -> list[Difference]:
    """A difference for each pair of names, in their order; the deals of each table size are one stratum."""
    pairs = {pair: column for column, pair in enumerate(combinations(names, 2))}
    strata: dict[Rules, Totals] = {}
    for table, found in scores:
        empty = Totals(np.zeros((len(found), len(pairs)), np.int64), np.zeros(len(pairs), np.int64))
        sums, counts = strata.setdefault(table.rules, empty)
        points = points_of_members(found)
        numbers = {member.name: number for number, member in enumerate(table.members)}
        for one, other in combinations(sorted(numbers, key=names.index), 2):
            column = pairs[one, other]
            sums[:, column] += points[:, numbers[one]] - points[:, numbers[other]]
            counts[column] += found.shape[1]
    estimates = zip(pairs, *estimate_means(list(strata.values()), seed), strict=True)
    return [Difference(*pair, *map(float, numbers)) for pair, *numbers in estimates]


def points_of_members(scores: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 [deals, members]: points over all arrangements, from int32 [deals, arrangements, seats]."""
    size = scores.shape[-1]
    seats = arrange(size, size)
    return np.stack([(scores * (seats == number)).sum(axis=(1, 2)) for number in range(size)], axis=1)
