"""Learning with beliefs: the network grows from one without, and becomes an adaptive agent."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from tests.train.tiny import ITERATION, tiny_config
from wizard_env import NUM_ACTIONS, OBS_SIZE, Games, Rules
from wizard_env.agents import load
from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.train.ppo import CRITIC, PpoLearner
from wizard_env.train.run import train

pytestmark = pytest.mark.usefixtures("one_thread")

OPTIONS: dict[str, Any] = {
    "beliefs": True,
    "sparring": 0.7,
    "alone": True,
    "mixed": 0.3,
    "partners": ["rule_based", "heuristic"],
}


@pytest.mark.parametrize("learner", ["ppo", "distillation"])
def test_a_run_becomes_an_adaptive_agent(learner: str, tmp_path: Path) -> None:
    """It can be rated while it learns, resumed, and started from."""
    options = dict(OPTIONS)
    if learner == "distillation":
        options |= {
            "mixed": 0,
            "teachers": {"champion": [], "partner:name=points_12": options.pop("partners")},
        }
    else:
        options |= {"critic": [8], "snapshot_decisions": ITERATION}
    sections = {"ratings": {"agents": ["random"], "games": 2}} if learner == "ppo" else None
    config = tiny_config(2 * ITERATION, learner=learner, sections=sections, **options)
    train(config, tmp_path / "run")
    agent = load(str(tmp_path / "run"))
    assert isinstance(agent, AdaptiveAgent)
    train(config, tmp_path / "run", resume=True)
    train(tiny_config(ITERATION, **OPTIONS, start=str(tmp_path / "run"), layers=[16]), tmp_path / "next")


def test_it_starts_as_a_network_without_beliefs(tmp_path: Path) -> None:
    """Whatever it believes, policy, value and critic are those of the champion until it learns."""
    learner = PpoLearner(
        tiny_config(**OPTIONS, start="champion", layers=[1024, 512], critic=[256, 256]), "cpu", None
    )
    games = Games(Rules(), 30, canonical_suits=True)
    beliefs = np.random.default_rng(0).integers(0, 256, (30, NUM_INPUTS), np.uint8)
    seen = np.concatenate([games.observation, beliefs], axis=1)
    champion: Any = load("champion")
    with torch.inference_mode():
        outputs = learner.network(torch.from_numpy(seen)).numpy()
    np.testing.assert_allclose(outputs[:, :NUM_ACTIONS], champion.logits(games.observation), atol=1e-4)
    np.testing.assert_allclose(
        outputs[:, NUM_ACTIONS] * 20, champion.values(games.observation), rtol=1e-3, atol=1e-3
    )
    plain = PpoLearner(tiny_config(start=str(CHAMPION), layers=[1024, 512], critic=[256, 256]), "cpu", None)
    full = games.full_state()
    with_beliefs = np.concatenate([full[:, :OBS_SIZE], beliefs, full[:, OBS_SIZE:]], axis=1)
    np.testing.assert_allclose(
        learner.device.value_states(with_beliefs), plain.device.value_states(full), atol=1e-5
    )
    learner.save(tmp_path)
    assert (tmp_path / CRITIC).is_file()


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"partners": ["past"]}, "partner 'past' is no kind that beliefs are about"),
        ({"encoding": "file.py:encode"}, "a custom encoding sees no beliefs"),
    ],
)
def test_what_does_not_go_with_beliefs(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        tiny_config(**OPTIONS | more)


def test_an_agent_that_is_no_network_is_no_start() -> None:
    with pytest.raises(ValueError, match="'heuristic' is no network: allowed are 'champion', 'adaptive'"):
        PpoLearner(tiny_config(start="heuristic"), "cpu", None)
