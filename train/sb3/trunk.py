"""The trunk that policy and value share in stable-baselines3's network, over scaled observations."""

from collections.abc import Sequence
from typing import Any

import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from wizard_env.agents.network import input_scale
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.networks.layers import agent_weights, fully_connected, layers_of


class Trunk(BaseFeaturesExtractor):
    """Scaled observations, then fully connected layers with ReLU."""

    def __init__(self, observation_space: Any, layers: Sequence[int]) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()))
        self.layers = fully_connected([OBS_SIZE, *layers])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute features, float32 [n, features], from unscaled observations, float32 [n, OBS_SIZE]."""
        return torch.relu(self.layers(observations * self.scale))


def policy_weights(policy: Any) -> dict[str, torch.Tensor]:
    """Return the weights that choose actions, as `wizard_env.agents.network.save_agent` takes them."""
    return agent_weights([*layers_of(policy.features_extractor), *layers_of(policy.action_net)])
