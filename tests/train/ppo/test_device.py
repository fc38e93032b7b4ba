"""Learning on a device with a memory of its own, by the same operations on this processor's memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from tests.train.ppo.test_learner import ITERATION, checkpoint, config
from wizard_env import NUM_ACTIONS
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.device import Accelerator, Processor
from wizard_env.train.ppo.learner import Learner
from wizard_env.train.ppo.loss import MEASURES
from wizard_env.train.run import train
from wizard_env.train.selfplay.progress import Progress


def _learner(monkeypatch: pytest.MonkeyPatch, decisions: int = 4 * ITERATION, **options: Any) -> Learner:
    monkeypatch.setattr(Learner, "_new_place", _accelerator)
    return Learner(config(decisions, **options), "cpu", None)


def _accelerator(learner: Learner) -> Accelerator:
    return Accelerator(learner.network, learner._critic, learner._rollout, learner._learning, 0)


@pytest.mark.parametrize("critic", [[], [8]])
def test_the_halves_of_the_games_are_played_by_turns(
    critic: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every decision is noted, legal, and has the probability and the value that the network gives it.

    And the critic sees every full state.
    """
    learner = _learner(monkeypatch, critic=critic)
    place, rollout = learner._place, learner._rollout
    assert isinstance(place, Accelerator)
    note, noted = place.note_full_states, []

    def note_twice(step: int, full_states: NDArray[np.uint8]) -> None:
        noted.append(full_states)
        note(step, full_states)

    monkeypatch.setattr(place, "note_full_states", note_twice)
    assert [part.stop - part.start for part in place.parts] == [(rollout.actions.shape[1] + 1) // 2] * 2
    with torch.no_grad():
        learner._collect()
        outputs = learner.network(place._observations)
    masks = place._masks
    actions = torch.from_numpy(rollout.actions)[..., None]
    assert masks.gather(2, actions).all()
    log_probabilities = outputs[..., :NUM_ACTIONS].masked_fill(~masks, -torch.inf).log_softmax(dim=2)
    torch.testing.assert_close(place._log_probabilities, log_probabilities.gather(2, actions)[..., 0])
    np.testing.assert_allclose(place._values, outputs[..., NUM_ACTIONS], atol=1e-6)
    if not critic:
        np.testing.assert_array_equal(rollout.values, place._values)
        return
    np.testing.assert_array_equal(rollout.values, place.critic_values())
    kept = torch.cat([place._observations, place._hidden], dim=2)
    np.testing.assert_array_equal(kept, np.stack(noted))


def test_actions_are_drawn_by_their_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """And an illegal one never, not even where every legal one has the smallest probability."""
    place = _learner(monkeypatch)._place
    assert isinstance(place, Accelerator)
    logits = torch.full((4000, NUM_ACTIONS), -torch.inf)
    logits[:, 3], logits[:, 7], logits[:, 70] = 0.0, 1.0, -200.0
    masks = torch.isfinite(logits)
    drawn = place._drawn(logits.log_softmax(dim=1), masks)
    assert masks.gather(1, drawn).all()
    share = float((drawn == 7).double().mean())
    assert share == pytest.approx(np.e / (1 + np.e), abs=0.03)


def test_both_places_compute_the_same_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the same measures, from the same rollout."""
    learner = _learner(monkeypatch, critic=[8])
    learner._collect()
    place, rollout, critic = learner._place, learner._rollout, learner._critic
    assert isinstance(place, Accelerator)
    rollout.observations[:] = place._observations.numpy()
    rollout.masks[:] = place._masks.numpy()
    rollout.full_states[:] = torch.cat([place._observations, place._hidden], dim=2).numpy()
    rollout.log_probabilities[:] = place._log_probabilities.numpy()
    assert isinstance(learner._learning, PpoConfig)
    processor = Processor(learner.network, critic, rollout, learner._learning)
    np.testing.assert_allclose(processor.critic_values(), place.critic_values(), rtol=1e-4, atol=1e-6)
    with torch.no_grad():  # so that ratios differ from 1, and some are clipped
        for parameter in learner._parameters:
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    rows = np.random.default_rng(0).permutation(rollout.actions.size)[:200]
    advantages = np.random.default_rng(1).standard_normal(200).astype(np.float32)
    returns = np.random.default_rng(2).standard_normal(200).astype(np.float32)
    gradients, measures = [], []
    for each in (processor, place):
        learner._optimizer.zero_grad()
        each.begin_update()
        each.descend(rows, advantages, 0.01)
        each.correct(rows, returns)
        gradients.append(
            [parameter.grad.clone() for parameter in learner._parameters if parameter.grad is not None]
        )
        measures.append(each.measures())
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)
    np.testing.assert_allclose(measures[0], measures[1], rtol=1e-4, atol=1e-4)
    assert len(measures[0]) == len(MEASURES) + 1
    assert len(gradients[0]) == len(learner._parameters)
    assert measures[0][MEASURES.index("clip_fraction")] > 0


pytestmark = pytest.mark.usefixtures("one_thread")


class InterruptedTraining(Exception):  # noqa: N818
    """Stops a run between two checkpoints."""


def test_a_resumed_run_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device's generator is in the checkpoint."""
    monkeypatch.setattr(Learner, "_new_place", _accelerator)
    train(config(4 * ITERATION), tmp_path / "whole")

    def stop(progress: Progress) -> None:
        if progress.decisions == 3 * ITERATION:
            raise InterruptedTraining

    often = config(4 * ITERATION).model_dump()
    often["learning"]["checkpoint_seconds"] = 1e-9
    with pytest.raises(InterruptedTraining):
        train(Config.model_validate(often), tmp_path / "parts", report=stop)
    train(config(4 * ITERATION), tmp_path / "parts", resume=True)
    assert checkpoint(tmp_path / "parts") == checkpoint(tmp_path / "whole")


def test_it_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    """To bid and to play hands of two cards."""
    options: dict[str, Any] = {"layers": [64], "num_games": 256, "decisions_per_game": 32, "batch_size": 1024}
    learner = _learner(monkeypatch, 25 * 256 * 32, **options)
    points = []
    for _ in range(25):
        learner.iterate()
        points.append(float(learner._rollout.points.sum() / learner._rollout.round_done.sum()))
    assert np.mean(points[-5:]) > np.mean(points[:3]) + 10
