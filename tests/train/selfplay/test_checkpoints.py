"""Checkpoints: what is written is read back, and those of earlier versions can be resumed."""

from pathlib import Path

import torch

from wizard_env.games import RESULT
from wizard_env.train.selfplay.checkpoints import read_checkpoint, write_checkpoint


def test_a_checkpoint_is_read_back(tmp_path: Path) -> None:
    parts = {"network": {"trunk.0.weight": torch.ones(2, 3)}, "pool": {"0": torch.zeros(1)}}
    plain = {"decisions": 7, "rng": {"state": 2**100}}
    write_checkpoint(tmp_path / "file", parts, plain)
    tensors, values = read_checkpoint(tmp_path / "file")
    assert values == plain
    assert tensors.keys() == parts.keys()
    assert torch.equal(tensors["network"]["trunk.0.weight"], torch.ones(2, 3))


def test_results_lie_where_version_0_1_had_them() -> None:
    """So its checkpoints can be resumed; `round_done` is where a step wrote the id of the first action."""
    assert RESULT.itemsize == 32
    places = {name: offset for name, (_, offset, *_) in (RESULT.fields or {}).items()}
    del places["round_done"]
    assert places == {"seed": 0, "legal": 8, "points": 16, "seat": 28, "order": 29, "done": 31}
