"""Configs of runs on RLlib, read without RLlib: whatever is wrong is refused by file, key and reason."""

import sys
from pathlib import Path

import pytest

from wizard_env import Rules, configs
from wizard_env.agents import load
from wizard_env.cli.main import main
from wizard_env.train.config.reading import ConfigError, read_toml
from wizard_env.train.config.rllib import RLlibConfig


def write(folder: Path, learning: str = "decisions = 100_000", more: str = "") -> Path:
    path = folder / "mine.toml"
    path.write_text(f'name = "mine"\n[learning]\n{learning}\n{more}\n', encoding="utf-8")
    return path


def test_the_shipped_config_is_valid() -> None:
    config = read_toml(configs.find("rllib"), RLlibConfig)
    assert config.name == "rllib"
    for agent in (*config.learning.partners, *config.evaluation.opponents):
        load(agent)


def test_values_and_defaults(tmp_path: Path) -> None:
    more = "[game]\nnum_players = 5\nhand_sizes = [3, 1]\n[cluster]\nworkers = 7\n[evaluation]\nplayers = 3"
    config = read_toml(write(tmp_path, more=more), RLlibConfig)
    assert config.game.rules() == Rules(5, hand_sizes=(3, 1))
    assert config.evaluation_rules() == Rules(3, hand_sizes=(3, 1))
    assert config.cluster.workers == 7
    assert RLlibConfig.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("learning", "more", "reason"),
    [
        ("decisions = 0", "", r"learning\.decisions = 0: .*greater than 0"),
        ("decisions = 1\nnum_games = 3", "", r"unknown key learning\.num_games: allowed"),
        ("decisions = 1", "[cluster]\nworker = 3", r"unknown key cluster\.worker: did you mean 'workers'"),
        ("decisions = 1", "[cluster]\nworkers = -1", r"cluster\.workers = -1: .*greater than or equal to 0"),
        ("decisions = 1", "[game]\nnum_players = 9", r"game = .*num_players=9"),
        ("decisions = 1\nbatch_size = 99_999", "", "batch_size=99999 is more than"),
        ("decisions = 1", "[evaluation]\nplayers = 6\n[game]\nhand_sizes = [20]", "hand_sizes"),
        ("decisions = 1\npartners = ['past']", "", "RLlib has no partner 'past'"),
        ("decisions = ", "", "not TOML"),
    ],
)
def test_errors_are_refused(tmp_path: Path, learning: str, more: str, reason: str) -> None:
    path = write(tmp_path, learning, more)
    with pytest.raises(ConfigError, match=reason) as refused:
        read_toml(path, RLlibConfig)
    assert str(refused.value).startswith(f"{path}: ")


def test_missing_rllib_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "wizard_env.train.rllib.learner", raising=False)
    monkeypatch.setattr(sys, "argv", ["wizard", "rllib", "rllib"])
    with pytest.raises(SystemExit):
        main()
    assert "wizard-env[rllib]" in capsys.readouterr().err
