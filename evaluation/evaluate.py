"""Comparing agents on the same deals: every agent plays every hand of every deal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wizard_env import Game, Rules
from wizard_env.checks import check_integer
from wizard_env.evaluation.duplicate_deals import (
    Deals,
    Entrant,
    Player,
    Results,
    arrange,
    fingerprints_of,
    load_players,
    play,
    play_actions,
)
from wizard_env.evaluation.standings import Bidding, Difference, Standing, summarize
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.games import LARGEST_SEED, game_seeds

__all__ = ["Bidding", "Difference", "Entrant", "Evaluation", "Standing", "Timing", "evaluate"]

CHUNK = 1000
"""The most games to play side by side. `Games` steps this many on one thread; threads that wait for each
other are slower where a core is busy."""
CHUNKS = 8
"""The parts that fewer games are divided into. Their number does not depend on that of the workers, since an
agent may choose differently in a batch of another size."""


@dataclass(frozen=True)
class Timing:
    """The time that the agents of a name took for their decisions; it differs from run to run."""

    name: str
    decisions: int
    """Timed decisions: all but those of an agent's first call in each part of the games."""
    seconds: float
    """Wall-clock time, added up over workers."""


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`; equal for equal seeds, except for the times."""

    rules: Rules
    games: int
    """Deals of a whole game."""
    seed: int
    standings: list[Standing]
    """One for each name."""
    differences: list[Difference]
    """One for each pair of names, on the same hands."""
    by_hand_size: list[Bidding]
    by_position: list[Bidding]
    """By position in the bidding; 1 is the first bidder."""
    records: list[Game]
    """The first games, with the names of their players."""
    times: list[Timing] = field(compare=False)
    fingerprints: dict[str, str] = field(default_factory=dict)
    """Of the agents by name, see `wizard_env.evaluation.fingerprints`."""

    def to_dict(self) -> dict[str, Any]:
        """Return all but the records and the fingerprints as plain values, for JSON.

        The key "times" is not reproducible.
        """
        sizes, positions = (
            [{"name": line.name, key: line.group} | _figures(line, "name", "group") for line in lines]
            for key, lines in (("hand_size", self.by_hand_size), ("position", self.by_position))
        )
        return {
            "rules": self.rules.to_dict(),
            "games": self.games,
            "seed": self.seed,
            "standings": [_figures(line) for line in self.standings],
            "differences": [_figures(line) for line in self.differences],
            "by_hand_size": sizes,
            "by_position": positions,
            "times": [_figures(line) for line in self.times],
        }


def _figures(line: Standing | Difference | Bidding | Timing, *without: str) -> dict[str, Any]:
    return {key: value for key, value in vars(line).items() if key not in without}


def evaluate(
    entrants: Sequence[Entrant | str],
    rules: Rules,
    games: int,
    seed: int = 0,
    num_records: int = 0,
    spread: Map = in_this_process,
) -> Evaluation:
    """Compare agents on the same deals, in every rotation of the seats.

    Each deal is played once for each entrant: in arrangement a, entrant (s + a) % len(entrants) takes seat s.
    So every entrant plays every seat of every deal exactly once, and all have the same luck of the deal.

    Args:
        entrants: names or agents, at least one; for A alone against B give A, B, B, B. Agents must not
            remember anything from one game to the next.
        rules: of the games.
        games: the number of deals, at least 2; a deal is a whole game.
        seed: the same seed gives the same deals, whatever is compared, and the same random words to agents
            that take their randomness from `view.noise`.
        num_records: the most games to return: the first ones, deal by deal in each arrangement.
        spread: where to play, see `wizard_env.evaluation.workers`; the result is the same everywhere.
    """
    if not entrants:
        raise ValueError("no entrants: at least one agent is needed")
    seed = check_integer("seed", seed, 0, LARGEST_SEED)
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    players = load_players(entrants)
    seeds = game_seeds(seed, games)
    side_by_side = min(CHUNK, -(-games * len(players) // CHUNKS))
    deals = max(1, side_by_side // len(players))
    starts = range(0, games, deals)
    recorded = [min(max(num_records - start * len(players), 0), deals * len(players)) for start in starts]
    parts = [
        Deals(players, rules, seeds[start : start + deals], count)
        for start, count in zip(starts, recorded, strict=True)
    ]
    results = Results.join(list(spread(play, parts)))
    names = [player.name for player in players]
    seating = arrange(len(players), rules.num_players).tolist()
    numbers = [divmod(number, len(players)) for number in range(len(results.actions))]
    return Evaluation(
        rules=rules,
        games=games,
        seed=seed,
        **summarize(results, names, rules, seed)._asdict(),
        records=[
            play_actions(rules, int(seeds[deal]), actions, [names[one] for one in seating[arrangement]])
            for (deal, arrangement), actions in zip(numbers, results.actions, strict=True)
        ],
        times=_times(results, players),
        fingerprints=fingerprints_of(players),
    )


def _times(results: Results, players: Sequence[Player]) -> list[Timing]:
    """Add up the time of each name; an agent that several entrants of a name share counts once."""
    times = []
    for name in dict.fromkeys(player.name for player in players):
        agents = {id(player.agent): number for number, player in enumerate(players) if player.name == name}
        numbers = list(agents.values())
        decisions, seconds = results.decisions[numbers].sum(), results.seconds[numbers].sum()
        times.append(Timing(name, int(decisions), float(seconds)))
    return times
