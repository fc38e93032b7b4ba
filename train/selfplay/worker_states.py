"""The state of each worker in a checkpoint of "ppo": its games, their seating, and its random generators.

Networks, optimiser and past selves are the same for all workers, and are written once.
"""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env.train.selfplay.checkpoints import Tensors
from wizard_env.train.selfplay.games import SelfPlayGames

_GAMES = "tables"
"""The part of a checkpoint that holds the games; the workers after the first add their rank."""
_SELF_PLAY_RNG = "tables"
"""The plain value with the state of the generator that draws seats and the actions of partners."""
_OTHERS = "others"
"""The plain values of the workers after the first."""
_log = logging.getLogger(__name__)


class WorkerState(NamedTuple):
    """The state of one worker."""

    arrays: Mapping[str, NDArray[Any]]
    plain: Mapping[str, Any]


def worker_state(self_play: SelfPlayGames, rng: np.random.Generator) -> WorkerState:
    """Return the state of this worker.

    rng: the generator that draws its actions, its minibatches and the past selves that it meets.
    """
    plain = {"rng": rng.bit_generator.state, _SELF_PLAY_RNG: self_play.rng.bit_generator.state}
    return WorkerState(self_play.arrays(), plain)


def restore_worker(state: WorkerState, self_play: SelfPlayGames, rng: np.random.Generator) -> None:
    """Continue from a `worker_state`. Raises ValueError, LookupError or TypeError for a damaged one."""
    rng.bit_generator.state = state.plain["rng"]
    self_play.set_arrays(state.arrays)
    self_play.rng.bit_generator.state = state.plain[_SELF_PLAY_RNG]


def pack(states: Sequence[WorkerState]) -> tuple[dict[str, Tensors], dict[str, Any]]:
    """Return the parts and the plain values of a checkpoint for the states of all workers, by rank."""
    parts = {
        _part(rank): {name: torch.from_numpy(array) for name, array in state.arrays.items()}
        for rank, state in enumerate(states)
    }
    first, *others = [dict(state.plain) for state in states]
    return parts, first | ({_OTHERS: others} if others else {})


def unpack(parts: Mapping[str, Tensors], plain: Mapping[str, Any], rank: int) -> WorkerState:
    """Return the state of a worker out of a checkpoint."""
    arrays = {name: tensor.numpy() for name, tensor in parts[_part(rank)].items()}
    return WorkerState(arrays, [plain, *plain.get(_OTHERS, [])][rank])


def needs_new_deals(checkpoint: Path, plain: Mapping[str, Any], workers: int) -> bool:
    """Return whether a number of workers other than now wrote a checkpoint; logs it if so.

    plain: the plain values of the checkpoint.
    """
    before = 1 + len(plain.get(_OTHERS, []))
    if before != workers:
        _log.warning(
            "%s: written by workers=%d, resumed with workers=%d: the run continues with new deals",
            checkpoint,
            before,
            workers,
        )
    return before != workers


def _part(rank: int) -> str:
    return f"{_GAMES}_{rank}" if rank else _GAMES
