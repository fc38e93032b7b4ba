"""The precision "auto": what is faster on this device; a run that goes on keeps its own."""

import logging
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.train.tiny import ITERATION, tiny_config
from wizard_env.train.config.reading import read_kept
from wizard_env.train.config.run import Config
from wizard_env.train.networks.devices import faster_precision
from wizard_env.train.run import CONFIG, train

LEARNERS = ("ppo", "distillation")


def config(decisions: int = ITERATION, **learning: Any) -> Config:
    sections = {"game": {"num_players": 4, "hand_sizes": [1]}}
    return tiny_config(decisions, sections=sections, **{"precision": "auto"} | learning)


def on_processor(monkeypatch: pytest.MonkeyPatch, *features: str) -> None:
    """Run on a processor that has these features."""
    found = {"amx_bf16": False, "avx512_bf16": False} | dict.fromkeys(features, True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: found)


@pytest.mark.parametrize(
    ("features", "chosen"),
    [
        ([], "float32"),
        (["avx2"], "float32"),
        (["avx512_f", "avx512_bf16"], "float32"),
        (["avx512_f", "avx512_bf16", "amx_tile", "amx_bf16"], "bfloat16"),
    ],
    ids=["arm", "avx2", "avx512-bf16", "amx"],
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_run_computes_in_the_faster_precision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, learner: str, features: list[str], chosen: str
) -> None:
    """It keeps the choice in `config.json`."""
    on_processor(monkeypatch, *features)
    train(config(learner=learner), tmp_path)
    kept: Any = read_kept(tmp_path / CONFIG).learning
    assert kept.precision == chosen


def test_a_run_that_goes_on_keeps_its_precision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """On another processor too, and then says that the other precision would be faster."""
    on_processor(monkeypatch, "amx_bf16")
    train(config(), tmp_path)
    train(config(decisions=2 * ITERATION), tmp_path, resume=True)
    assert not caplog.records
    on_processor(monkeypatch)
    with caplog.at_level(logging.WARNING):
        train(config(decisions=3 * ITERATION), tmp_path, resume=True)
    assert "continues in bfloat16, as it began; here float32 would be faster" in caplog.text
    kept = read_kept(tmp_path / CONFIG).learning
    assert (kept.decisions, kept.precision) == (3 * ITERATION, "bfloat16")


@pytest.mark.parametrize(("has_bfloat16", "chosen"), [(True, "bfloat16"), (False, "float32")])
def test_a_gpu_is_asked(monkeypatch: pytest.MonkeyPatch, has_bfloat16: bool, chosen: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: has_bfloat16)
    assert faster_precision(torch.device("cuda")) == chosen
