"""SelfPlayModule: the network of `wizard_env.train.ppo` as an RLModule of RLlib."""

from typing import Any

import gymnasium
import numpy as np
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.torch_utils import FLOAT_MIN

from wizard_env import NUM_ACTIONS
from wizard_env.observation.fields import HIGHS
from wizard_env.train.networks.policy_value import PolicyValueNetwork

MODULE = "player"
"""The id of the one module, which plays every seat that learns."""
OBSERVATION_SPACE = gymnasium.spaces.Dict(
    {
        "observation": gymnasium.spaces.Box(0, HIGHS, dtype=np.uint8),
        "action_mask": gymnasium.spaces.Box(0, 1, (NUM_ACTIONS,), np.uint8),
    }
)
ACTION_SPACE = gymnasium.spaces.Discrete(NUM_ACTIONS)


class SelfPlayModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """The network of `wizard_env.train.ppo` as an RLModule; illegal actions get no probability.

    model_config: `layers` and `seed`, as for `PolicyValueNetwork`.
    """

    def setup(self) -> None:
        self.network = PolicyValueNetwork(self.model_config["layers"], self.model_config["seed"])

    def _forward(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self._outputs(batch))}

    def _forward_train(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        outputs = self._outputs(batch)
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, outputs), Columns.EMBEDDINGS: outputs}

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """Return values, float32 [n]. embeddings: the network's outputs, if already computed."""
        outputs = self._outputs(batch) if embeddings is None else embeddings
        return outputs[:, NUM_ACTIONS]

    def _outputs(self, batch: dict[str, Any]) -> torch.Tensor:
        outputs: torch.Tensor = self.network(batch[Columns.OBS]["observation"])
        return outputs

    def _logits(self, batch: dict[str, Any], outputs: torch.Tensor) -> torch.Tensor:
        return outputs[:, :NUM_ACTIONS].masked_fill(batch[Columns.OBS]["action_mask"] == 0, FLOAT_MIN)
