"""Decisions: RLlib can cut them into shares, and joins them into the batch that it learns from."""

import warnings
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("ray")
    pytest.importorskip("ray.rllib", exc_type=ImportError)
    from ray.rllib.core.columns import Columns
    from ray.rllib.evaluation.postprocessing import Postprocessing
    from ray.rllib.utils.minibatch_utils import ShardEpisodesIterator

    from wizard_env.train.rllib.decisions import BatchDecisions, Decisions
    from wizard_env.train.rllib.module import ACTION_SPACE, MODULE, OBSERVATION_SPACE

from wizard_env import NUM_ACTIONS, OBS_SIZE


def decisions(count: int) -> Decisions:
    """Any numbers, the same in no two rows."""
    rng = np.random.default_rng(count)
    return Decisions(
        observations=rng.integers(0, 9, (count, OBS_SIZE), np.uint8),
        masks=rng.integers(0, 2, (count, NUM_ACTIONS), np.uint8),
        logits=rng.random((count, NUM_ACTIONS), np.float32),
        actions=rng.integers(0, NUM_ACTIONS, count),
        log_probabilities=rng.random(count, np.float32),
        advantages=rng.random(count, np.float32),
        value_targets=rng.random(count, np.float32),
    )


def joined(samples: list[Decisions]) -> dict[str, Any]:
    connector = BatchDecisions(OBSERVATION_SPACE, ACTION_SPACE)
    batch = connector(rl_module={MODULE: torch.nn.Linear(1, 1)}, batch={}, episodes=samples)
    assert batch.keys() == {MODULE}
    return dict(batch[MODULE])


def test_their_length_is_what_rllib_counts() -> None:
    sample = decisions(5)
    assert len(sample) == sample.env_steps() == sample.agent_steps() == 5


def test_they_are_cut_into_shares() -> None:
    """For several learners: shares of the same length, and every row whole, in just one of them."""
    samples = [decisions(count) for count in (60, 6, 24)]
    shares = list(ShardEpisodesIterator(samples, num_shards=3))
    assert [sum(map(len, share)) for share in shares] == [30, 30, 30]
    assert rows([part for share in shares for part in share]) == rows(samples)


def rows(samples: list[Decisions]) -> list[bytes]:
    """The rows, in order of their bytes."""
    return sorted(
        b"".join(getattr(sample, field.name)[row].tobytes() for field in fields(Decisions))
        for sample in samples
        for row in range(len(sample))
    )


def test_a_batch_holds_every_row() -> None:
    samples = [decisions(3), decisions(4)]
    for field in fields(Decisions):
        getattr(samples[0], field.name).setflags(write=False)  # as it comes out of Ray's object store
    batch = joined(samples)
    places = {
        "actions": batch[Columns.ACTIONS],
        "log_probabilities": batch[Columns.ACTION_LOGP],
        "logits": batch[Columns.ACTION_DIST_INPUTS],
        "observations": batch[Columns.OBS]["observation"],
        "masks": batch[Columns.OBS]["action_mask"],
        "value_targets": batch[Postprocessing.VALUE_TARGETS],
    }
    for name, column in places.items():
        expected = np.concatenate([getattr(sample, name) for sample in samples])
        np.testing.assert_array_equal(column, expected, err_msg=name)


def test_advantages_are_standardised_over_the_batch() -> None:
    """They keep their order; where all are the same, none is better than the others."""
    samples = [decisions(300), decisions(200)]
    advantages = joined(samples)[Postprocessing.ADVANTAGES]
    assert float(advantages.mean()) == pytest.approx(0, abs=1e-6)
    assert float(advantages.std(correction=0)) == pytest.approx(1, abs=1e-5)
    given = np.concatenate([sample.advantages for sample in samples])
    np.testing.assert_array_equal(advantages.argsort(), given.argsort())
    alike = replace(samples[0], advantages=np.full(300, 0.25, np.float32))
    assert not joined([alike])[Postprocessing.ADVANTAGES].any()
