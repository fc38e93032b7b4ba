"""Minari: a data set with an episode for each seat in each game.

The episodes are written with h5py, as Minari 0.5 lays its files out: its own writer compresses nothing. The
file format takes 1,500 bytes for an episode, which are more than the decisions of a round.
"""

import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from wizard_env import HIGHS, NUM_ACTIONS, OBS_SIZE
from wizard_env.evaluation.datasets.parquet import read_about, read_decisions
from wizard_env.extras import missing_module

try:
    import h5py
    import minari
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path
except ModuleNotFoundError as missing:
    raise missing_module(missing.name or "", "wizard-env[data]", "minari[create,hdf5]") from None

_COLUMNS = ("observation", "mask", "action", "points", "seat", "round", "game", "deal_seed")
_ENVIRONMENT = "wizard_env/Wizard-v0"
_ROWS = 2**14
"""Decisions of a block; the games of a block are whole."""
_LEVEL = 4
"""Of gzip."""


class Block(NamedTuple):
    """A part of the data set that has been added."""

    decisions: int
    episodes: int


def check_minari(dataset_id: str) -> None:
    """Raise ValueError for a name that Minari does not take, or of a data set that it has."""
    parse_dataset_id(dataset_id)
    if (path := Path(get_dataset_path(dataset_id))).exists():
        raise ValueError(
            f"Minari has a data set {dataset_id} already, in {path}: choose another name or version"
        )


def add_to_minari(folder: Path, dataset_id: str) -> Iterator[Block]:
    """Add a data set to the local ones of Minari, in blocks of whole games; yield each once it is written.

    The points of a round are the reward of a seat's last step in it; the observation after the game is zero.
    The masks are in the infos, as `action_mask`. `recover_environment` makes the environment with these
    rules, if all games have the same; its opponents are the agent, if only one has played.

    Raises ValueError as `check_minari` does. A data set that is not finished is removed.

    dataset_id: its name there, as in `wizard/heuristic-v0`.
    """
    check_minari(dataset_id)
    about = read_about(folder)
    try:
        storage = _new_storage(dataset_id, about)
        decisions = 0
        with h5py.File(storage.data_path / "main_data.hdf5", "w", libver="latest", track_order=True) as file:
            episodes = _Episodes(file)
            for columns in _whole_games(folder):
                before = episodes.count
                for rows in _split_episodes(columns):
                    episodes.write(columns, rows)
                decisions += len(columns["game"])
                yield Block(len(columns["game"]), episodes.count - before)
        storage.update_metadata({"total_steps": decisions, "total_episodes": episodes.count})
        storage.update_metadata({"dataset_size": storage.get_size()})
    except BaseException:
        shutil.rmtree(get_dataset_path(dataset_id), ignore_errors=True)
        raise


def _new_storage(dataset_id: str, about: dict[str, Any]) -> Any:
    """Return the storage of a new data set of Minari, without episodes."""
    agents = ", ".join(about["agents"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it would like to know an author, and more
        return minari.create_dataset_from_buffers(
            dataset_id,
            [],
            env=_environment(about),
            action_space=gymnasium.spaces.Discrete(NUM_ACTIONS),
            observation_space=gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
            algorithm_name=agents,
            description=f"Decisions in Wizard by {agents}; rules {about['rules']}",
            data_format="hdf5",
        ).storage


def _environment(about: dict[str, Any]) -> EnvSpec | None:
    """Return the environment of a data set; None if its games have different rules."""
    if len(about["rules"]) != 1:
        return None
    spec = gymnasium.spec(_ENVIRONMENT)
    opponents = {"opponents": about["agents"][0]} if len(set(about["agents"])) == 1 else {}
    spec.kwargs = {**about["rules"][0], **opponents}
    return spec


def _whole_games(folder: Path) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the decisions of whole games, about _ROWS at a time."""
    left: dict[str, NDArray[Any]] = {}
    for part in read_decisions(folder, _COLUMNS, _ROWS):
        columns = {name: np.concatenate([left[name], part[name]]) for name in _COLUMNS} if left else part
        end = int(np.searchsorted(columns["game"], columns["game"][-1]))  # the last one may go on
        left = {name: column[end:] for name, column in columns.items()}
        if end:
            yield {name: column[:end] for name, column in columns.items()}
    yield left


def _split_episodes(columns: dict[str, NDArray[Any]]) -> list[NDArray[np.int64]]:
    """Return the rows of each seat in each game."""
    order = np.lexsort((columns["seat"], columns["game"]))
    keys = np.stack([columns[name][order] for name in ("game", "seat")])
    starts = np.flatnonzero((keys[:, 1:] != keys[:, :-1]).any(axis=0)) + 1
    return np.split(order, starts)


class _Episodes:
    """Writes episodes as Minari reads them, into one file."""

    def __init__(self, file: Any) -> None:
        self.count = 0
        self._file = file

    def write(self, columns: dict[str, NDArray[Any]], rows: NDArray[np.int64]) -> None:
        """Write an episode; the observation and the mask after its last step are zeros."""
        count, rounds = len(rows), columns["round"][rows]
        observations = np.zeros((count + 1, OBS_SIZE), np.uint8)
        masks = np.zeros((count + 1, NUM_ACTIONS), np.int8)
        observations[:-1], masks[:-1] = columns["observation"][rows], columns["mask"][rows]
        ends_round = np.append(rounds[1:] != rounds[:-1], True)
        group = self._file.create_group(f"episode_{self.count}")
        group.attrs["id"], group.attrs["total_steps"] = self.count, count
        group.attrs["seed"] = int(columns["deal_seed"][rows[0]] >> np.uint64(1))  # Minari's are signed
        for name, values in {
            "observations": observations,
            "infos/action_mask": masks,
            "actions": columns["action"][rows].astype(np.int64),
            "rewards": np.where(ends_round, columns["points"][rows], 0).astype(np.float64),
            "terminations": np.arange(count) == count - 1,
            "truncations": np.zeros(count, np.bool_),
        }.items():
            packed = {"compression": "gzip", "compression_opts": _LEVEL}
            group.create_dataset(name, data=values, chunks=values.shape, **packed)
        self.count += 1
