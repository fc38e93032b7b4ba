"""Configs of the learner "dqn": whatever is wrong is refused by key and reason."""

from pathlib import Path

import pytest

from wizard_env import configs
from wizard_env.train.config.reading import ConfigError, read_config
from wizard_env.train.config.run import Config


def refusal(folder: Path, learning: str) -> str:
    """The message for the `[learning]` of a config."""
    path = folder / "mine.toml"
    path.write_text(f'name = "mine"\n[learning]\n{learning}', encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('learner = "dqn"', "learning.decisions is required"),
        ("replay_siz = 1", "unknown key learning.replay_siz: did you mean 'replay_size'? allowed are"),
        ("epochs = 2", "unknown key learning.epochs: "),
        ("exploration = 0.0", "learning.exploration = 0.0: "),
        ("target_rate = 1.5", "learning.target_rate = 1.5: "),
        ("play_layers = [8, 0]", "learning.play_layers.1 = 0: "),
        ("replay_start = 5\nreplay_size = 4", "replay_start=5 is more than replay_size=4"),
        ("num_games = 1\n[[tables]]\n[[tables]]", "num_games=1 leaves no games for some of the tables"),
        ("bid_layers = [8]", "bid_layers=[8] and play_layers=[200, 200, 100]: the agent is one network"),
    ],
)
def test_errors_are_named(tmp_path: Path, lines: str, message: str) -> None:
    whole = lines if "learner" in lines else f'learner = "dqn"\ndecisions = 1\n{lines}'
    assert message in refusal(tmp_path, whole)


@pytest.mark.parametrize("given", ["'dqnn'", "'PPO'", "3"])
def test_an_unknown_learner(tmp_path: Path, given: str) -> None:
    message = refusal(tmp_path, f"learner = {given}\ndecisions = 1")
    assert message.startswith(f"learning.learner = '{given.strip(chr(39))}': ")
    assert message.endswith("allowed are 'ppo', 'maskable_ppo', 'dqn', 'distillation'")


def test_a_config_is_read_back() -> None:
    paper = read_config(configs.find("paper_dqn"))
    assert paper.learning.learner == "dqn"
    assert Config.model_validate_json(paper.model_dump_json()) == paper
