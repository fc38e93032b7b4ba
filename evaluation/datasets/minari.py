"""Minari: a data set with an episode for each seat in each round."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from wizard_env import HIGHS, NUM_ACTIONS, OBS_SIZE
from wizard_env.evaluation.datasets.parquet import read_about, read_decisions
from wizard_env.extras import missing_module

try:
    import minari
    from minari.data_collector import EpisodeBuffer
except ModuleNotFoundError as missing:
    raise missing_module(missing.name or "", "wizard-env[data]", "minari[create]") from None

_COLUMNS = ("observation", "mask", "action", "points", "seat", "round", "game", "deal_seed")


def add_to_minari(folder: Path, dataset_id: str) -> int:
    """Add a data set to the local ones of Minari; return the number of episodes.

    The points of the round are the reward of an episode's last step; the observation after it is zero. The
    masks are in the infos, as `action_mask`. Raises ValueError if Minari has a data set of that name.

    dataset_id: its name there, as in `wizard/heuristic-v0`.
    """
    parts = list(read_decisions(folder, _COLUMNS))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in _COLUMNS}
    buffers = [EpisodeBuffer(id=number, **episode) for number, episode in enumerate(_episodes(columns))]
    about = read_about(folder)
    minari.create_dataset_from_buffers(
        dataset_id,
        buffers,
        action_space=gymnasium.spaces.Discrete(NUM_ACTIONS),
        observation_space=gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
        algorithm_name=", ".join(about["agents"]),
        description=f"Decisions in Wizard by {', '.join(about['agents'])}; rules {about['rules']}",
    )
    return len(buffers)


def _episodes(columns: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Return the decisions of each seat in each round, as Minari's buffers take them."""
    order = np.lexsort((columns["seat"], columns["round"], columns["game"]))
    keys = np.stack([columns[name][order] for name in ("game", "round", "seat")])
    starts = np.flatnonzero(np.r_[True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)])
    episodes = []
    for rows in np.split(order, starts[1:]):
        after = np.zeros((1, OBS_SIZE), np.uint8)
        last = np.arange(len(rows)) == len(rows) - 1
        masks = columns["mask"][rows].view(np.int8)
        episodes.append(
            {
                "seed": int(columns["deal_seed"][rows[0]] >> np.uint64(1)),  # Minari's are signed
                "observations": np.concatenate([columns["observation"][rows], after]),
                "actions": columns["action"][rows].astype(np.int64),
                "rewards": np.where(last, columns["points"][rows], 0).astype(np.float64),
                "terminations": last,
                "truncations": np.zeros(len(rows), np.bool_),
                "infos": {"action_mask": np.concatenate([masks, np.zeros((1, NUM_ACTIONS), np.int8)])},
            }
        )
    return episodes
