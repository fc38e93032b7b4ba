"""Publishing a run and loading it again, with a folder that stands in for the hub: nothing is sent."""

import json
import shutil
from pathlib import Path
from typing import Any
from unittest.mock import create_autospec

import numpy as np
import pytest

from wizard_env import Game, Rules, View, load
from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.network import FILE_NAME
from wizard_env.agents.pretrained import ADAPTIVE, RIVAL
from wizard_env.train.push import push
from wizard_env.train.run import CONFIG
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import CURVES, DECISIONS
from wizard_env.train.selfplay.progress import BID_ACCURACY

huggingface_hub = pytest.importorskip("huggingface_hub")
REPO = "someone/tiny"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for each repository; calls are checked against the signatures of the real library."""
    store = tmp_path / "hub"

    def create_repo(repo: str, **_: Any) -> None:
        (store / repo).mkdir(parents=True, exist_ok=True)

    def upload(**given: Any) -> str:
        shutil.copytree(given["folder_path"], store / given["repo_id"], dirs_exist_ok=True)
        return f"https://hub/{given['repo_id']}"

    def download(repo: str, filename: str, **_: Any) -> str:
        return str(store / repo / filename)

    api = create_autospec(huggingface_hub.HfApi, instance=True)
    api.create_repo.side_effect = create_repo
    api.upload_folder.side_effect = upload
    monkeypatch.setattr(huggingface_hub, "HfApi", lambda: api)
    fetch = create_autospec(huggingface_hub.hf_hub_download, side_effect=download)
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    return store


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder, as `wizard train` leaves it."""
    folder = tmp_path / "runs" / "tiny"
    folder.mkdir(parents=True)
    shutil.copy(RIVAL / FILE_NAME, folder)
    (folder / CONFIG).write_text(json.dumps({"name": "tiny", "seed": 3}))
    (folder / CURVES).write_text(f"{BID_ACCURACY},{DECISIONS},train/loss\n0.3,1000,1\n0.5512,2000,1\n")
    (folder / CHECKPOINT).write_bytes(b"large")
    return folder


def test_what_is_pushed_is_loaded(hub: Path, run: Path) -> None:
    assert push(run, REPO) == f"https://hub/{REPO}"
    pushed = sorted(path.name for path in (hub / REPO).iterdir())
    assert pushed == ["README.md", FILE_NAME, CONFIG, CURVES]
    view = View.of([Game(Rules(4), seed=seed) for seed in range(20)])
    rng = np.random.default_rng(0)
    expected = load("rival:backend=numpy").act(view, rng)
    assert np.array_equal(load(f"hf:{REPO}:backend=numpy").act(view, rng), expected)
    sampling: Any = load(f"hf:{REPO}:sample=True,revision=v1")
    assert sampling.sample
    assert huggingface_hub.hf_hub_download.call_args.kwargs == {"revision": "v1"}


def test_a_network_that_reads_beliefs_is_pushed_and_loaded(hub: Path, run: Path) -> None:
    shutil.copy(ADAPTIVE / FILE_NAME, run)
    push(run, REPO)
    assert isinstance(load(f"hf:{REPO}"), AdaptiveAgent)


def test_what_is_no_run_is_not_pushed(hub: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no agent at"):
        push(tmp_path, REPO)
    assert not hub.exists()
