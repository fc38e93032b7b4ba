"""A league: agents meet at tables and are rated; no game is played twice."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.checks import check_integer, quoted
from wizard_env.evaluation.duplicate_deals import Deals, arrange, load_players, play
from wizard_env.evaluation.league_file import LeagueFile, Matchup, Member, TableScores
from wizard_env.evaluation.ratings import Rating, rate
from wizard_env.evaluation.standings import Difference
from wizard_env.evaluation.statistics import Totals, estimate_means
from wizard_env.evaluation.workers import Map
from wizard_env.files import locked
from wizard_env.games import LARGEST_SEED, game_seeds

FILE_NAME = "results.jsonl"
DEALS = 32
"""The most deals of a table that are played, and then written to the file, together."""
ROUND_ROBIN = 100
"""The most tables for which every combination of agents gets one."""
MEETINGS = 4
"""The fewest tables that a pair of agents shares, in larger leagues."""
_CANDIDATES = 256
"""Random tables to choose the next one from."""

Seating = tuple[str, ...]


@dataclass(frozen=True)
class League:
    """The standings of a league."""

    rules: tuple[Rules, ...]
    games: int
    """Deals of a whole game per table."""
    seed: int
    tables: tuple[int, ...]
    """The number of tables for each of the rules."""
    ratings: list[Rating]
    """One for every agent, the best first."""
    differences: list[Difference]
    """One for each pair, in the order of the ratings: on the same deals, at the tables where both sit."""

    def relabelled(self, labels: Mapping[str, str]) -> "League":
        """Return the league with other names of agents. Raises ValueError if two would have the same."""
        names = [labels.get(one.name, one.name) for one in self.ratings]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"label {quoted(twice)}: two agents of the league would have this name")
        return replace(
            self,
            ratings=[
                replace(
                    one,
                    name=labels.get(one.name, one.name),
                    equals=tuple(labels.get(name, name) for name in one.equals),
                )
                for one in self.ratings
            ],
            differences=[
                replace(one, name=labels.get(one.name, one.name), other=labels.get(one.other, one.other))
                for one in self.differences
            ],
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the league as plain values, for JSON."""
        rules = [rules.to_dict() for rules in self.rules]
        return asdict(self) | {"rules": rules, "tables": list(self.tables)}


def play_league(
    folder: Path, agents: Sequence[str], rules: Sequence[Rules], games: int, seed: int, spread: Map
) -> League:
    """Play the missing games of a league, and rate its agents.

    Every table plays the same deals, each in all rotations of its seats. Results are added to
    `results.jsonl` in the folder as they come in, with what determines them: the rules, the seed, the
    number of the deal, and the agents with their fingerprints. Only results for these arguments count.

    Args:
        folder: of this league; created if it is missing.
        agents: what `load` takes, all different; at least as many as sit at the largest table.
        rules: one for each table size.
        games: the number of deals for each table, at least 2; a deal is a whole game.
        seed: of the deals and of the choice of tables.
        spread: where to play, see `wizard_env.evaluation.workers`.

    Raises:
        BlockingIOError: another process writes into the folder.
        LeagueFileError: the file is damaged.
    """
    largest = max(one.num_players for one in rules)
    if len(set(agents)) < len(agents):
        twice = next(name for name in agents if agents.count(name) > 1)
        raise ValueError(f"{quoted(twice)} is named twice: the agents of a league must all be different")
    if len(agents) < largest:
        raise ValueError(f"{len(agents)} agents: a league with tables of {largest} needs {largest} or more")
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    seed = check_integer("seed", seed, 0, LARGEST_SEED)
    seeds = game_seeds(seed, games)
    players = {player.name: player for player in load_players(agents)}
    members = {name: Member(name, player.fingerprint) for name, player in players.items()}
    with locked(folder):
        results = LeagueFile(folder / FILE_NAME)
        chosen = [_choose(results, members, one, seed) for one in rules]
        everywhere = [table for tables in chosen for table in tables]
        todo, tasks = [], []
        for table in everywhere:
            seated = tuple(players[member.name] for member in table.members)
            for start, stop in _missing(results.tables.get(table, {}), games):
                todo.append((table, start))
                tasks.append(Deals(seated, table.rules, seeds[start:stop]))
        for (table, start), played in zip(todo, spread(play, tasks), strict=True):
            results.add(table, start, played.scores)
    scores = [
        TableScores(table, np.stack([results.tables[table][deal] for deal in range(games)]))
        for table in everywhere
    ]
    ratings = rate(scores, seed)
    names = [rating.name for rating in ratings]
    return League(
        rules=tuple(rules),
        games=games,
        seed=seed,
        tables=tuple(map(len, chosen)),
        ratings=ratings,
        differences=_differences(scores, names, seed),
    )


def _choose(results: LeagueFile, members: dict[str, Member], rules: Rules, seed: int) -> list[Matchup]:
    """Choose the tables for these rules, including those that have begun."""
    known = set(members.values())
    begun = [
        tuple(sorted(member.name for member in table.members))
        for table in results.tables
        if table.rules == rules and table.seed == seed and known.issuperset(table.members)
    ]
    tables = choose_seatings(list(members), rules.num_players, begun, seed)
    return [Matchup(rules, seed, tuple(members[name] for name in _shuffle(table, seed))) for table in tables]


def choose_seatings(agents: Sequence[str], size: int, taken: Collection[Seating], seed: int) -> list[Seating]:
    """Choose the tables of a league, each of `size` different agents in the order of their names.

    Few agents meet in all combinations. In larger leagues tables are added one at a time: of some random
    tables for a pair that has met least, the one whose pairs have met least. So all pairs meet about equally
    often; when an agent joins, every new table includes it; and a list that was cut short is completed to
    the same list.

    taken: tables of this size that were chosen before for these agents, or for some of them.
    """
    names = sorted(agents)
    if comb(len(names), size) <= ROUND_ROBIN:
        return list(combinations(names, size))
    numbers = {name: number for number, name in enumerate(names)}
    tables = [tuple(numbers[name] for name in table) for table in sorted(taken)]
    meetings = np.zeros((len(names), len(names)), np.int64)
    for table in tables:
        _count_meetings(meetings, table)
    while (least := meetings[np.triu_indices(len(names), 1)].min()) < MEETINGS:
        rng = np.random.default_rng([seed, size, len(tables)])
        pair = rng.choice(np.argwhere(np.triu(meetings == least, 1)))
        others = np.delete(np.arange(len(names)), pair)
        drawn = rng.permuted(np.tile(others, (_CANDIDATES, 1)), axis=1)[:, : size - 2]
        candidates = np.sort(np.hstack([np.tile(pair, (_CANDIDATES, 1)), drawn]), axis=1)
        met = meetings[candidates[:, :, np.newaxis], candidates[:, np.newaxis]]
        order = np.argsort((met**2).sum(axis=(1, 2)), kind="stable")
        table = next(table for table in map(tuple, candidates[order].tolist()) if table not in tables)
        tables.append(table)
        _count_meetings(meetings, table)
    return [tuple(names[number] for number in table) for table in tables]


def _count_meetings(meetings: NDArray[np.int64], table: tuple[int, ...]) -> None:
    for one, other in combinations(table, 2):
        meetings[one, other] += 1
        meetings[other, one] += 1


def _shuffle(table: Seating, seed: int) -> list[str]:
    """Return the agents of a table in the order of their seats, shuffled differently for each table.

    Rotation keeps neighbours together, so in alphabetical order an agent would always play after the same
    other agent.
    """
    return sorted(table, key=lambda name: hashlib.sha256(repr((seed, table, name)).encode()).digest())


def _missing(played: dict[int, NDArray[np.int32]], games: int) -> list[tuple[int, int]]:
    """Return the ranges of deals still to play, as (start, stop), cut at every multiple of DEALS."""
    ranges: list[tuple[int, int]] = []
    for deal in range(games):
        if deal in played:
            continue
        if ranges and ranges[-1][1] == deal and deal % DEALS:
            ranges[-1] = (ranges[-1][0], deal + 1)
        else:
            ranges.append((deal, deal + 1))
    return ranges


def _differences(scores: Sequence[TableScores], names: list[str], seed: int) -> list[Difference]:
    """Compare each pair of names, in their order; the deals of each table size are one stratum."""
    pairs = {pair: column for column, pair in enumerate(combinations(names, 2))}
    strata: dict[Rules, Totals] = {}
    for table, found in scores:
        empty = Totals(np.zeros((len(found), len(pairs)), np.int64), np.zeros(len(pairs), np.int64))
        sums, counts = strata.setdefault(table.rules, empty)
        points = sum_points(found)
        numbers = {member.name: number for number, member in enumerate(table.members)}
        for one, other in combinations(sorted(numbers, key=names.index), 2):
            column = pairs[one, other]
            sums[:, column] += points[:, numbers[one]] - points[:, numbers[other]]
            counts[column] += found.shape[1]
    estimates = zip(pairs, estimate_means(list(strata.values()), seed), strict=True)
    return [Difference(*pair, *estimate) for pair, estimate in estimates]


def sum_points(scores: NDArray[np.int32]) -> NDArray[np.int64]:
    """Add up each member's points over the arrangements.

    scores: int32 [deals, arrangements, seats]. Returns int64 [deals, members].
    """
    size = scores.shape[-1]
    seats = arrange(size, size)
    return np.stack([(scores * (seats == number)).sum(axis=(1, 2)) for number in range(size)], axis=1)
