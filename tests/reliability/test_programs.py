"""A stranger's config may run nothing unless it is allowed, whatever the command."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import wizard
from tests.cli.test_training import shortened
from tests.commands import Wizard, error_line
from wizard_env import Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.loading import programs

pytestmark = pytest.mark.usefixtures("one_thread")
__all__ = ["wizard"]

REFUSAL = "on this machine: allow it with --allow-programs"
PROGRAM = """
from pathlib import Path
Path({ran!r}).touch()
import json, sys
print(json.dumps({{"protocol": "wizard-external", "version": 1, "name": "stranger"}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({{"id": asked["id"], "action": asked["legal"][0]}}), flush=True)
"""
CODE = """
from pathlib import Path
Path({ran!r}).touch()

def reward(points, scores, over):
    return points / 10.0

def encoding(observations):
    return observations / 2

class Agent:
    def act(self, view, rng):
        return view.mask.argmax(axis=1)
"""
KEYS: dict[str, Callable[[str, str], str]] = {
    "evaluation.opponents": lambda program, _: f'["{program}"]',
    "learning.partners": lambda program, _: f'["{program}"]',
    "ratings.agents": lambda program, _: f'["variant:of={program}"]',
    "learning.reward": lambda _, code: f"{code}:reward",
    "learning.encoding": lambda _, code: f"{code}:encoding",
    "own learning.partners": lambda _, code: f'["{code}:Agent"]',
}
"""Values for each key of a config: an agent that is a program, and a file of code.

After "own " the agent is a class in that file."""


class Stranger:
    """A program and a file of code that tell whether they have run."""

    def __init__(self, folder: Path) -> None:
        self._ran = folder / "ran"
        program, self.code = folder / "program.py", folder / "code.py"
        program.write_text(PROGRAM.format(ran=str(self._ran)))
        self.code.write_text(CODE.format(ran=str(self._ran)))
        self.agent = f"external:command=python {program}"

    def change(self, key: str) -> str:
        """The change to a config that names the program or the code."""
        return f"{key.removeprefix('own ')}={KEYS[key](self.agent, str(self.code))}"

    def has_run(self) -> bool:
        """Return whether either has run since the last call."""
        ran = self._ran.exists()
        self._ran.unlink(missing_ok=True)
        return ran


@pytest.fixture
def stranger(tmp_path: Path) -> Stranger:
    return Stranger(tmp_path)


@pytest.mark.parametrize("key", KEYS)
def test_train_runs_programs_where_they_are_allowed(
    key: str, wizard: Wizard, stranger: Stranger, tmp_path: Path
) -> None:
    config = shortened("strange", tmp_path, games="2", decisions="2_048")
    options: list[Any] = ["--set", stranger.change(key), "--set", "learning.sparring=0.5"]
    if key.endswith("ratings.agents"):
        options += ["--set", "ratings.games=2", "--set", "learning.snapshot_decisions=2048"]
    assert REFUSAL in error_line(wizard("train", config, *options))
    assert not stranger.has_run()
    assert wizard("train", config, *options, "--allow-programs").code == 0
    assert stranger.has_run()


def test_an_agent_on_the_hub_runs_nothing(monkeypatch: pytest.MonkeyPatch, stranger: Stranger) -> None:
    """So a stranger's config may name it; only its network is downloaded, and no option of it names code."""
    hub = pytest.importorskip("huggingface_hub")
    asked: list[tuple[Any, ...]] = []

    def download(repo: str, file: str, revision: str) -> str:
        asked.append((repo, file, revision))
        return str(CHAMPION / file)

    monkeypatch.setattr(hub, "hf_hub_download", download)
    with programs(allowed=False):
        agent = load("hf:stranger/agent:revision=v1")
        with pytest.raises(TypeError, match="no option 'encoding'"):
            load(f"hf:stranger/agent:encoding={stranger.code}:encoding")
    assert asked == [("stranger/agent", "agent.safetensors", "v1")]
    game = Game(Rules(), seed=1)
    assert agent.act(View.of([game]), np.random.default_rng(0))[0] in game.legal_actions()
    assert not stranger.has_run()
