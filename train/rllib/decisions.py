"""Decisions as arrays, in the place of RLlib's lists of episodes, and the connector that takes them."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing

from wizard_env.train.rllib.module import MODULE

SMALLEST_DEVIATION = 1e-4
"""Advantages are divided by no less, as in RLlib's `GeneralAdvantageEstimation`."""


@dataclass(frozen=True)
class Decisions:
    """Decisions with their advantages, one in each row; n of them.

    RLlib's algorithms, callbacks and sharding ask an episode for its length, its steps and slices of it.
    Here each row is complete in itself, so that a slice needs no rows before it.
    """

    observations: NDArray[np.uint8]
    """[n, OBS_SIZE], in canonical suits."""
    masks: NDArray[np.uint8]
    """[n, NUM_ACTIONS], 1 for a legal action."""
    logits: NDArray[np.float32]
    """[n, NUM_ACTIONS], of the policy that acted."""
    actions: NDArray[np.int64]
    """[n], in canonical suits."""
    log_probabilities: NDArray[np.float32]
    """[n], of the actions."""
    advantages: NDArray[np.float32]
    """[n], not yet standardised."""
    value_targets: NDArray[np.float32]
    """[n], what the values should have been."""

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, rows: slice) -> Self:
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def slice(self, rows: slice, *, len_lookback_buffer: int | None = None) -> Self:
        """The decisions in some rows; with several learners RLlib cuts what was sampled into their shares."""
        return self[rows]

    def env_steps(self) -> int:
        """How many decisions there are; RLlib counts them as the environment's steps."""
        return len(self)

    def agent_steps(self) -> int:
        """How many decisions there are."""
        return len(self)


class BatchDecisions(ConnectorV2):  # type: ignore[misc]
    """Joins lists of `Decisions` into the one batch that RLlib's PPO learns from, on the learner's device.

    It stands in for all connectors of RLlib's learner pipeline: the decisions are in columns already, and
    have their advantages. Those are standardised here, over the batch, as RLlib does.
    """

    def __call__(
        self, *, rl_module: Any, batch: dict[str, Any], episodes: list[Decisions], **options: Any
    ) -> dict[str, Any]:
        device = next(rl_module[MODULE].parameters()).device

        def joined(name: str) -> torch.Tensor:
            parts = [getattr(decisions, name) for decisions in episodes]
            # A part may lie in Ray's object store, where it must not be written; joining copies it.
            return torch.from_numpy(np.concatenate(parts)).to(device)

        advantages = joined("advantages")
        deviation = advantages.std(correction=0).clamp(min=SMALLEST_DEVIATION)
        batch[MODULE] = {
            Columns.OBS: {"observation": joined("observations"), "action_mask": joined("masks")},
            Columns.ACTIONS: joined("actions"),
            Columns.ACTION_LOGP: joined("log_probabilities"),
            Columns.ACTION_DIST_INPUTS: joined("logits"),
            Postprocessing.ADVANTAGES: (advantages - advantages.mean()) / deviation,
            Postprocessing.VALUE_TARGETS: joined("value_targets"),
        }
        return batch
