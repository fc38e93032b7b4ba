"""NetworkAgent: a policy network that `wizard train` has written."""

import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.observation import HIGHS, OBS_SIZE, OBSERVATION, SLICES
from wizard_env.view import Actions, View, print_actions

FILE_NAME = "agent.safetensors"
FORMAT = "wizard-agent"
VERSION = "1"
LAYOUT = json.dumps([(field.name, field.shape) for field in OBSERVATION])
"""What the network reads; a network trained on another layout is refused."""


class NetworkAgent:
    """Takes the likeliest action of its network, or draws one by the network's probabilities."""

    def __init__(self, path: str, sample: bool = False) -> None:
        """Read a network.

        Args:
            path: a file that `save_agent` wrote, or the folder of a run that holds one, or the
                checkpoint beside it (which holds pickles, and is not opened).
            sample: draw actions instead of taking the likeliest.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: the file is none of `save_agent`, or of another version or layout.
        """
        self.path = Path(path)
        self.sample = sample
        weights = read_agent(find_agent(self.path))
        self._layers = [
            (weights[f"layer.{number}.weight"].T.contiguous(), weights[f"layer.{number}.bias"])
            for number in range(len(weights) // 2)
        ]
        self._scale = torch.from_numpy(input_scale())

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        encoding = view.encode(canonical_suits=True)
        logits = self.logits(encoding.observation)
        if self.sample:
            actions, _ = sample_softmax(logits, encoding.mask, view.noise(rng))
        else:
            actions = np.where(encoding.mask, logits, -np.inf).argmax(axis=1)
        return print_actions(actions, encoding.order)

    def logits(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        """float32 [n, NUM_ACTIONS], from observations uint8 [n, OBS_SIZE] in canonical suits."""
        with torch.inference_mode():
            hidden = torch.from_numpy(observations).float() * self._scale
            *trunk, (weight, bias) = self._layers
            for inner_weight, inner_bias in trunk:
                hidden = torch.relu(torch.addmm(inner_bias, hidden, inner_weight))
            return torch.addmm(bias, hidden, weight).numpy()


def find_agent(path: Path) -> Path:
    """The file of the network: in the folder of a run, or beside its checkpoint."""
    if path.is_dir():
        return path / FILE_NAME
    beside = path.with_name(FILE_NAME)
    return beside if path.suffix == ".zip" and beside.exists() else path


def input_scale() -> NDArray[np.float32]:
    """float32 [OBS_SIZE]: what a network multiplies observations with.

    1 / high would leave a missing trick 1/20 beside flags of 1, and the network would take long to
    notice it; so counts are divided by the root of their largest value. Scores keep to [0, 1].
    """
    scale = np.float32(1) / np.sqrt(HIGHS.astype(np.float32))
    scale[SLICES["score"]] **= 2
    return scale.astype(np.float32)


def save_agent(weights: dict[str, torch.Tensor], path: Path) -> None:
    """Write a network: layer.N.weight [outputs, inputs] and layer.N.bias [outputs], ReLU between."""
    save_file(weights, path, {"format": FORMAT, "version": VERSION, "layout": LAYOUT})


def read_agent(path: Path) -> dict[str, torch.Tensor]:
    """The weights that `save_agent` wrote; raises as `NetworkAgent` does."""
    if not path.is_file():
        raise FileNotFoundError(f"no agent at {path}: a file written by `wizard train`, or its folder")
    try:
        with safe_open(path, framework="pt") as file:
            about = file.metadata() or {}
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is not a network of this package: {error}") from None
    if about.get("format") != FORMAT or about.get("version") != VERSION:
        raise ValueError(
            f"{path}: format {about.get('format')!r} version {about.get('version')!r}, "
            f"allowed is {FORMAT!r} version {VERSION!r}"
        )
    if about.get("layout") != LAYOUT:
        raise ValueError(f"{path}: trained on another layout of observations than this version's")
    if not _fit(weights):
        raise ValueError(f"{path}: its layers do not fit each other or this version")
    return weights


def _fit(weights: dict[str, torch.Tensor]) -> bool:
    """Whether the layers lead from an observation to the actions, one after the other."""
    inputs = OBS_SIZE
    for number in range(len(weights) // 2):
        weight, bias = weights.get(f"layer.{number}.weight"), weights.get(f"layer.{number}.bias")
        if weight is None or bias is None or weight.ndim != 2:
            return False
        if weight.shape[1] != inputs or bias.shape != weight.shape[:1]:
            return False
        inputs = len(weight)
    return len(weights) % 2 == 0 and len(weights) > 0 and inputs == NUM_ACTIONS
