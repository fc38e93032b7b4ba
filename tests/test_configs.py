"""The shipped configs: they are valid, found by name, and run anywhere."""

from pathlib import Path

import pytest

from wizard_env import configs
from wizard_env.agents import load
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.reading import read_config
from wizard_env.train.config.run import RatingsConfig
from wizard_env.train.run import train

SHIPPED = [configs.find(name) for name in configs.names()]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path: Path) -> None:
    """The name is that of the file, and the opponents are known agents."""
    config = read_config(path)
    assert config.name == path.stem
    assert config.game.rules().num_players in range(3, 7)
    for opponent in config.evaluation.opponents:
        load(opponent)


def test_quick_and_smoke_are_shipped() -> None:
    assert {"quick", "smoke"} <= {path.stem for path in SHIPPED}


@pytest.mark.parametrize("name", ["quick", "quick.toml"])
def test_find_by_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert configs.find(name) in SHIPPED
    assert configs.find(name).name == "quick.toml"


def test_find_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file wins over the shipped config of that name."""
    path = tmp_path / "mine.toml"
    path.write_text("")
    assert configs.find(str(path)) == path
    monkeypatch.chdir(tmp_path)
    Path("quick.toml").write_text("")
    assert configs.find("quick.toml") == Path("quick.toml")
    assert configs.find("quick") in SHIPPED


@pytest.mark.parametrize("name", ["quik", "", ".", "../configs", "quick.json"])
def test_find_nothing(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="quick, rival, smoke"):
        configs.find(name)


def test_a_path_without_a_file_is_not_a_shipped_config(tmp_path: Path) -> None:
    """elsewhere/quick.toml does not mean the shipped one."""
    with pytest.raises(FileNotFoundError, match="no config"):
        configs.find(str(tmp_path / "quick.toml"))


SHORT = ("learning.decisions=1", "learning.num_games=256", "learning.decisions_per_game=2")


def try_config(name: str, folder: Path) -> None:
    """Learn for an iteration, and load all agents that the config names."""
    config = read_config(configs.find(name), SHORT)
    partners = {*config.partners()} - {PAST}
    agents = {*partners, *config.ratings.agents, *config.evaluation.opponents, *config.held_out}
    config = config.model_copy(update={"ratings": RatingsConfig()})
    if isinstance(config.learning, DistillationConfig):  # its teachers are runs that are made before it
        changes = {"teachers": {"champion": []}, "sparring": 0.0}
        config = config.model_copy(update={"learning": config.learning.model_copy(update=changes)})
    for agent in (*agents, str(train(config, folder / name))):
        load(agent)


@pytest.mark.parametrize("name", configs.names())
def test_shipped_configs_run_anywhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder: they need no file that only the repository has."""
    monkeypatch.chdir(tmp_path)
    try_config(name, tmp_path)
