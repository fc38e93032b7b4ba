"""NetworkAgent: files, outputs, the order of suits, and sampling."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from sb3_contrib import MaskablePPO

from tests.positions import random_weights, under_way
from wizard_env import NUM_ACTIONS, OBS_SIZE, Rules
from wizard_env.agents import View
from wizard_env.agents.network import (
    FILE_NAME,
    FORMAT,
    LAYOUT,
    VERSION,
    Backend,
    NetworkAgent,
    input_scale,
    read_agent,
    save_agent,
)
from wizard_env.observation.fields import SLICES, USED_SIZE
from wizard_env.train.maskable_ppo import SelfPlayVecEnv, Trunk, policy_weights
from wizard_env.train.selfplay.games import SelfPlayGames
from wizard_env.view import printed_actions

ABOUT = {"format": FORMAT, "version": VERSION, "layout": LAYOUT}
UNUSED_RNG = np.random.default_rng(0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    save_agent(random_weights(32, 16), tmp_path / FILE_NAME)
    return tmp_path / FILE_NAME


def some_view() -> View:
    return under_way(Rules(num_players=4, hand_sizes=(8,)), 40).view()


# --- saving, loading, computing


def test_a_saved_file_holds_the_weights_and_the_layout(tmp_path: Path) -> None:
    weights = random_weights(8)
    save_agent(weights, tmp_path / "a.safetensors")
    with safe_open(tmp_path / "a.safetensors", framework="pt") as file:
        assert file.metadata() == ABOUT
        saved = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    assert torch.equal(saved.pop("layer.0.weight"), weights.pop("layer.0.weight")[:, :USED_SIZE])
    assert {name: tensor.tolist() for name, tensor in saved.items()} == {
        name: tensor.tolist() for name, tensor in weights.items()
    }
    assert [name for name, *_ in json.loads(LAYOUT)][:2] == ["played", "unseen"]


def test_spare_entries_of_an_observation_change_nothing(path: Path) -> None:
    """A later field may take them: whatever weights they had in training are not kept."""
    observations = some_view().observation
    filled = observations.copy()
    filled[:, USED_SIZE:] = 1
    agent = NetworkAgent(str(path))
    np.testing.assert_allclose(agent.logits(filled), agent.logits(observations), rtol=0, atol=1e-6)


@pytest.mark.parametrize("beliefs", [0, 5])
def test_fields_that_came_after_the_training_change_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, beliefs: int
) -> None:
    """A network that was trained without the last three fields reads this version's observations."""
    *fields, _, _, _ = json.loads(LAYOUT)
    known = SLICES["bid_restriction"].start
    weights = random_weights(8)
    first = weights["layer.0.weight"]
    believed = torch.arange(8 * beliefs, dtype=torch.float32).reshape(8, beliefs)
    weights["layer.0.weight"] = torch.cat([first[:, :known], believed], dim=1)
    about = ABOUT | {"layout": json.dumps(fields)} | ({"beliefs": str(beliefs)} if beliefs else {})
    save_file(weights, tmp_path / FILE_NAME, about)
    read = read_agent(tmp_path / FILE_NAME, beliefs=beliefs)["layer.0.weight"]
    assert read[:, :known].tolist() == first[:, :known].tolist()
    assert not read[:, known:OBS_SIZE].any()
    assert read[:, OBS_SIZE:].tolist() == believed.tolist()
    assert "before these fields of the observation: bid_restriction, bid_reveal, magic_edition" in caplog.text


backends = pytest.mark.parametrize("backend", ["torch", "numpy"])


@backends
@pytest.mark.parametrize("widths", [(), (8,), (32, 16, 8)])
def test_outputs_match_a_computation_by_hand(
    tmp_path: Path, widths: tuple[int, ...], backend: Backend
) -> None:
    """Scaled observations, then fully connected layers with ReLU between them.

    The value replaces the last layer.
    """
    weights = random_weights(*widths, value=True)
    save_agent(weights, tmp_path / FILE_NAME)
    arrays = {name: tensor.numpy().astype(np.float64) for name, tensor in weights.items()}
    observations = some_view().observation
    hidden = observations * input_scale().astype(np.float64)
    for layer in range(len(widths)):
        hidden = np.maximum(hidden @ arrays[f"layer.{layer}.weight"].T + arrays[f"layer.{layer}.bias"], 0)
    last = f"layer.{len(widths)}"
    agent = NetworkAgent(str(tmp_path), backend=backend)
    for found, name in ((agent.logits(observations), last), (agent.values(observations)[:, None], "value")):
        assert found.dtype == np.float32
        expected = hidden @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_a_network_without_a_value_says_so(path: Path) -> None:
    with pytest.raises(ValueError, match=r"agent\.safetensors: the network has no value"):
        NetworkAgent(str(path)).values(some_view().observation)


# --- torch and numpy


def test_torch_is_used_only_if_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert NetworkAgent(str(path)).backend == "numpy"
    assert NetworkAgent(str(path), backend="torch").backend == "torch"
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"'torch': pip install 'wizard-env\[train\]'"):
        NetworkAgent(str(path), backend="torch")


def test_it_computes_what_the_trained_policy_computes(tmp_path: Path) -> None:
    """The same log-probabilities, with and without masks."""
    env = SelfPlayVecEnv(SelfPlayGames(Rules(num_players=4, hand_sizes=(2, 8)), 50, seed=0))
    options = {"features_extractor_class": Trunk, "features_extractor_kwargs": {"layers": [24, 12]}}
    model = MaskablePPO("MlpPolicy", env, seed=3, device="cpu", policy_kwargs={**options, "net_arch": []})
    policy: Any = model.policy
    with torch.no_grad():
        policy.action_net.weight.mul_(100)
    save_agent(policy_weights(policy), tmp_path / FILE_NAME)
    agent = NetworkAgent(str(tmp_path))
    observations, masks = env.games.observation, env.games.mask
    logits = torch.from_numpy(agent.logits(observations))
    tensor = torch.from_numpy(observations)
    with torch.no_grad():
        free = policy.get_distribution(tensor).distribution.logits
        legal = policy.get_distribution(tensor, action_masks=masks).distribution.probs
    assert torch.allclose(torch.log_softmax(logits, 1), free, atol=1e-4)
    masked = torch.where(torch.from_numpy(masks) > 0, logits, -torch.inf)
    assert torch.allclose(torch.softmax(masked, 1), legal, atol=1e-4)
    likeliest = printed_actions(legal.argmax(1).numpy(), env.games.order)
    assert agent.act(env.games.view(), UNUSED_RNG).tolist() == likeliest.tolist()


# --- sampling actions


def test_sampling_follows_the_probabilities(path: Path) -> None:
    agent, view = NetworkAgent(str(path), sample=True), some_view()
    encoding = view.encode(canonical_suits=True)
    row = int(encoding.mask.sum(axis=1).argmax())
    legal = encoding.mask[row].nonzero()[0]
    logits = agent.logits(encoding.observation[[row]])[0, legal].astype(np.float64)
    expected = np.exp(logits) / np.exp(logits).sum()
    many = view.select(np.full(20_000, row))
    drawn = agent.act(many, np.random.default_rng(0))
    printed = printed_actions(legal, np.full(len(legal), encoding.order[row]))
    counts = np.array([(drawn == action).sum() for action in printed])
    assert counts.sum() == 20_000
    assert scipy.stats.chisquare(counts, 20_000 * expected).pvalue > 1e-4


# --- files that are refused


def test_a_missing_file(tmp_path: Path) -> None:
    for missing in (tmp_path, tmp_path / "no" / "run", tmp_path / "no.safetensors"):
        with pytest.raises(FileNotFoundError, match=f"no agent at .*{missing.name}"):
            NetworkAgent(str(missing))


def without(weights: dict[str, torch.Tensor], name: str) -> dict[str, torch.Tensor]:
    return {kept: tensor for kept, tensor in weights.items() if kept != name}


def of_a_file(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return weights | {"layer.0.weight": weights["layer.0.weight"][:, :USED_SIZE].contiguous()}


GOOD = of_a_file(random_weights(8))
WITH_VALUE = of_a_file(random_weights(8, value=True))
EMPTY = {
    "layer.0.weight": torch.zeros(0, USED_SIZE),
    "layer.0.bias": torch.zeros(0),
    "layer.1.weight": torch.zeros(NUM_ACTIONS, 0),
    "layer.1.bias": torch.zeros(NUM_ACTIONS),
}


@pytest.mark.parametrize(
    ("weights", "about", "message"),
    [
        (GOOD, None, "format None"),
        (GOOD, ABOUT | {"version": "0"}, "version '0', allowed is 'wizard-agent' version '1'"),
        (GOOD, ABOUT | {"layout": "[]"}, "an observation layout that differs"),
        (GOOD | {"layer.0.weight": torch.zeros(8, USED_SIZE + 1)}, ABOUT, "layers"),
        (GOOD | {"layer.1.weight": torch.zeros(NUM_ACTIONS - 1, 8)}, ABOUT, "layers"),
        (GOOD | {"layer.0.bias": torch.zeros(9)}, ABOUT, "layers"),
        (without(GOOD, "layer.0.bias"), ABOUT, "layers"),
        ({}, ABOUT, "layers"),
        (GOOD | {"layer.1.bias": torch.tensor(0.0)}, ABOUT, "layers"),
        (GOOD | {"more": torch.zeros(3)}, ABOUT, "layers"),
        (EMPTY, ABOUT, "layers"),
        (GOOD | {"layer.1.weight": torch.full((NUM_ACTIONS, 8), 1e37)}, ABOUT, "its weights are so large"),
        (WITH_VALUE | {"value.weight": torch.full((1, 8), 1e38)}, ABOUT, "its weights are so large"),
        (without(WITH_VALUE, "value.weight"), ABOUT, "layers"),
        (WITH_VALUE | {"value.weight": torch.zeros(2, 8), "value.bias": torch.zeros(2)}, ABOUT, "layers"),
        ({name: tensor.bfloat16() for name, tensor in GOOD.items()}, ABOUT, "BF16, allowed are F32, F16"),
        (GOOD | {"layer.0.bias": torch.zeros(8, dtype=torch.int32)}, ABOUT, "weights in I32"),
    ],
)
def test_a_wrong_file(
    tmp_path: Path, weights: dict[str, torch.Tensor], about: dict[str, str] | None, message: str
) -> None:
    """It is refused when it is read, with its path and the reason, not later when the agent acts."""
    path = tmp_path / "other.safetensors"
    save_file(weights, path, about)
    with pytest.raises(ValueError, match=rf"other\.safetensors.*{message}"):
        NetworkAgent(str(path))
