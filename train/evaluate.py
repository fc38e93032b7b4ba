"""Comparing agents on the same deals: every agent plays every hand of every deal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wizard_env import Game, Rules
from wizard_env.games import game_seeds
from wizard_env.train.arena.duplicate import Deals, Entrant, Played, Player, play, play_one, seat_entrants
from wizard_env.train.arena.statistics import Bidding, Difference, Standing, summarize
from wizard_env.train.arena.workers import Map, workers

__all__ = ["Bidding", "Difference", "Entrant", "Evaluation", "Standing", "Timing", "evaluate"]

CHUNK = 1000
"""How many games are played side by side, where there are many; `Games` steps so few on one thread,
and threads that wait for each other are slower where a core is busy."""
CHUNKS = 8
"""Into how many parts fewer games are cut, for the workers; the same however many there are of those,
since an agent may choose otherwise in another batch."""


@dataclass(frozen=True)
class Timing:
    """How long the agents of a name took, in batches as they came; no two runs measure the same."""

    name: str
    decisions: int
    """Those that were timed: all but an agent's first in every part of the games."""
    seconds: float
    """Of wall-clock time, added up over workers."""


@dataclass(frozen=True)
class Evaluation:
    """The outcome of `evaluate`; equal to that of another run of the same seed, whose times may differ."""

    rules: Rules
    games: int
    """Deals of a whole game."""
    seed: int
    standings: list[Standing]
    """A line for each name."""
    differences: list[Difference]
    """A line for each pair of names, of the same hands."""
    by_hand_size: list[Bidding]
    by_position: list[Bidding]
    """By position in the bidding."""
    records: list[Game]
    """The first games, to look at and to write down."""
    times: list[Timing] = field(compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All but the records as plain values, for JSON; the key "times" is not reproducible."""
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
    spread: Map | None = None,
) -> Evaluation:
    """Seat agents at tables of the same deals, in every rotation.

    Deal d is played once for each entrant: in arrangement a, seat s is taken by entrant
    (s + a) % len(entrants). So every entrant plays every seat of every deal exactly once, and the
    luck of the deal is the same for all.

    Args:
        entrants: names or agents, at least one; for A alone against B give A, B, B, B. Agents keep
            nothing from one game to the next.
        rules: the options of the games.
        games: how many deals of a whole game.
        seed: the same seed gives the same deals and, to agents that take their chance from
            `view.noise`, the same random words, whatever else is compared.
        num_records: how many games to return at most.
        spread: where to play, see `wizard_env.train.arena.workers`; the result is the same everywhere.
            None plays in this process.

    Raises:
        ValueError: no entrants, or fewer than two games, which give no interval.
    """
    if not entrants:
        raise ValueError("no entrants: at least one agent is needed")
    if seed < 0:
        raise ValueError(f"seed={seed}: allowed are numbers from 0")
    if games < 2:
        raise ValueError(f"games={games}: at least 2 are needed for an interval")
    if spread is None:
        with workers() as here:
            return evaluate(entrants, rules, games, seed, num_records, here)
    players = seat_entrants(entrants)
    seeds = game_seeds(seed, games)
    side_by_side = min(CHUNK, -(-games * len(players) // CHUNKS))
    deals = max(1, side_by_side // len(players))
    parts = [Deals(players, rules, seeds[start : start + deals]) for start in range(0, games, deals)]
    played = Played.join(list(spread(play, parts)))
    names = [player.name for player in players]
    found = summarize(played, names, rules, seed)
    recorded = range(min(num_records, games * len(players)))
    return Evaluation(
        rules=rules,
        games=games,
        seed=seed,
        **found._asdict(),
        records=[play_one(Deals(players, rules, seeds), number) for number in recorded],
        times=_times(played, players),
    )


def _times(played: Played, players: Sequence[Player]) -> list[Timing]:
    """Agents that stand behind several entrants are counted once for each name."""
    times = []
    for name in dict.fromkeys(player.name for player in players):
        agents = {id(player.agent): number for number, player in enumerate(players) if player.name == name}
        numbers = list(agents.values())
        decisions, seconds = played.decisions[numbers].sum(), played.seconds[numbers].sum()
        times.append(Timing(name, int(decisions), float(seconds)))
    return times
