"""The network that learns: a trunk shared by policy and value, over scaled observations."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from wizard_env.agents.network import input_scale
from wizard_env.observation.fields import OBS_SIZE


class Trunk(BaseFeaturesExtractor):
    """Scaled observations, then fully connected layers with ReLU."""

    def __init__(self, observation_space: Any, layers: Sequence[int]) -> None:
        super().__init__(observation_space, features_dim=layers[-1])
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()))
        widths = [OBS_SIZE, *layers]
        modules: list[torch.nn.Module] = []
        for inputs, outputs in pairwise(widths):
            modules += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
        self.layers = torch.nn.Sequential(*modules)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """float32 [n, OBS_SIZE], unscaled, to float32 [n, features]."""
        features: torch.Tensor = self.layers(observations * self.scale)
        return features


def policy_weights(policy: Any) -> dict[str, torch.Tensor]:
    """The weights that choose actions, named as `save_agent` wants them: layer.0.weight, ..."""
    linear = [module for module in policy.features_extractor.layers if isinstance(module, torch.nn.Linear)]
    weights: dict[str, torch.Tensor] = {}
    for number, module in enumerate([*linear, policy.action_net]):
        weights[f"layer.{number}.weight"] = module.weight.detach().cpu().contiguous()
        weights[f"layer.{number}.bias"] = module.bias.detach().cpu().contiguous()
    return weights
