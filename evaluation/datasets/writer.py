"""Writing a data set in shards of whole games; an interrupted data set can be completed."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Game, Rules, load, write_records
from wizard_env.agents.network import LAYOUT
from wizard_env.checks import check_integer
from wizard_env.evaluation.datasets.decisions import Behaviour, games_at_once, play_decisions
from wizard_env.evaluation.datasets.parquet import ABOUT, COLUMNS, ShardWriter
from wizard_env.evaluation.duplicate_deals import entrant_at, least_decisions, play_actions
from wizard_env.evaluation.provenance import describe_software
from wizard_env.evaluation.workers import Map, in_this_process
from wizard_env.files import locked, read_object, write_atomically
from wizard_env.games import LARGEST_SEED, game_seeds

_FORMAT = 1
_PARTS = 8
"""Parts of a shard; the games of a part are played side by side."""


class _Shard(NamedTuple):
    """A file of decisions to write."""

    path: Path
    behaviour: Behaviour
    rules: Rules
    numbers: NDArray[np.int64]
    """[n], the numbers of its games in the data set."""
    seeds: NDArray[np.uint64]
    """[n], the seeds of their deals."""
    records: bool


def write_dataset(
    folder: Path,
    agents: Sequence[str],
    rules: Sequence[Rules],
    decisions: int,
    seed: int = 0,
    *,
    canonical_suits: bool = False,
    skip_forced: bool = False,
    records: bool = False,
    spread: Map = in_this_process,
) -> Iterator[int]:
    """Write the decisions of agents in whole games, until there are enough.

    The games are the same however they are spread. Shards that are there already are kept, so that an
    interrupted data set continues where it stopped.

    Args:
        folder: of the data set; created if it is missing.
        agents: names of agents, as `load` takes them; they take the seats in turn.
        rules: of the games; several share the decisions equally.
        decisions: the least number to write, counting those with a single legal action.
        seed: of the deals.
        canonical_suits, skip_forced: see `Behaviour`.
        records: also write a record of every game, beside each shard.
        spread: where to play, see `workers`.

    Yields:
        The number of decisions in each new shard, as it is finished.

    Raises:
        BlockingIOError: another process writes into the folder.
        ValueError: the folder holds another data set.
    """
    if decisions < 1:
        raise ValueError(f"decisions={decisions}: allowed are numbers from 1")
    if records and (canonical_suits or skip_forced):
        raise ValueError("records=True needs every decision, in the suits as printed")
    behaviour = Behaviour(tuple(agents), canonical_suits, skip_forced)
    _load_all(behaviour.agents)
    about = {
        "format": _FORMAT,
        "agents": list(agents),
        "rules": [each.to_dict() for each in rules],
        "decisions": decisions,
        "seed": check_integer("seed", seed, 0, LARGEST_SEED),
        "canonical_suits": canonical_suits,
        "skip_forced": skip_forced,
        "layout": LAYOUT,
    }
    planned = list(_plan_shards(folder, behaviour, rules, decisions, seed, records))
    with locked(folder):
        _claim(folder, about)
        shards = [shard for shard in planned if not shard.path.exists()]
        yield from spread(_write_shard, shards)


def _claim(folder: Path, about: dict[str, Any]) -> None:
    """Describe the data set in its folder, unless another one is there."""
    kept = folder / ABOUT
    if kept.exists():
        before = read_object(kept)
        differs = [name for name, value in about.items() if before.get(name) != value]
        if differs:
            raise ValueError(f"{folder} holds another data set: its {', '.join(differs)} differ, see {kept}")
        return
    about["columns"] = {name: meaning for name, (_, meaning) in COLUMNS.items()}
    about["provenance"] = describe_software()
    text = json.dumps(about, indent=2) + "\n"
    write_atomically(kept, lambda path: path.write_text(text, encoding="utf-8"))


def _plan_shards(
    folder: Path, behaviour: Behaviour, rules: Sequence[Rules], decisions: int, seed: int, records: bool
) -> Iterator[_Shard]:
    counts = [-(-decisions // (len(rules) * least_decisions(each))) for each in rules]
    seeds, first, shard = game_seeds(seed, sum(counts)), 0, 0
    for each, count in zip(rules, counts, strict=True):
        size = _PARTS * games_at_once(each)
        for start in range(first, first + count, size):
            numbers = np.arange(start, min(start + size, first + count))
            path = folder / f"decisions-{shard:05}.parquet"
            yield _Shard(path, behaviour, each, numbers, seeds[numbers], records)
            shard += 1
        first += count


@lru_cache(maxsize=1)
def _load_all(names: tuple[str, ...]) -> list[Agent]:
    """Load the agents of a data set, once in each process."""
    loaded = {name: load(name) for name in names}
    return [loaded[name] for name in names]


def _write_shard(shard: _Shard) -> int:
    """Write a shard; return the number of its decisions."""
    agents, behaviour, rules = _load_all(shard.behaviour.agents), shard.behaviour, shard.rules
    written = 0

    def write(path: Path) -> None:
        nonlocal written
        size, games = games_at_once(rules), []
        with ShardWriter(path, asdict(behaviour) | {"rules": rules.to_dict()}) as writer:
            for start in range(0, len(shard.seeds), size):
                part = slice(start, start + size)
                columns = play_decisions(agents, behaviour, rules, shard.numbers[part], shard.seeds[part])
                writer.write(columns)
                written += len(columns["action"])
                if shard.records:
                    games += _games_of(rules, columns, behaviour.agents)
        if shard.records:
            write_records(shard.path.with_name(f"_records-{shard.path.stem[-5:]}.jsonl"), games)

    write_atomically(shard.path, write)
    return written


def _games_of(rules: Rules, columns: dict[str, NDArray[Any]], agents: Sequence[str]) -> list[Game]:
    """Play the games of some columns again; these have every decision, in printed suits."""
    starts = np.flatnonzero(columns["step"] == 0)
    games = []
    for start, actions in zip(starts, np.split(columns["action"], starts[1:]), strict=True):
        first = int(columns["game"][start])
        seated = [agents[one] for one in entrant_at(np.arange(rules.num_players), first, len(agents))]
        games.append(play_actions(rules, int(columns["deal_seed"][start]), actions, seated))
    return games
