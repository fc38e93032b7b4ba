"""Configs: their values, and mistakes, which are refused by file, key, value and reason."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from wizard_env.agents.perturbed import generated_population
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.reading import ConfigError, read_config, read_kept
from wizard_env.train.config.run import Config

MASKABLE = 'learner = "maskable_ppo"\ndecisions = 1'


def write(folder: Path, top: str = "", learning: str = "decisions = 100", **sections: str) -> Path:
    """A config file, valid except for what is given."""
    path = folder / "mine.toml"
    parts = [top or 'name = "mine"', "[learning]", learning]
    for section, lines in sections.items():
        parts += [f"[{section}]", lines]
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"top": 'name = "mine"\nsede = 3'}, "unknown key sede: did you mean 'seed'?"),
        ({"lerning": "decisions = 1"}, "unknown key lerning: did you mean 'learning'?"),
        ({"[tables]": "num_player = 4"}, "unknown key tables.0.num_player: did you mean 'num_players'?"),
        ({"learning": f"{MASKABLE}\ncritc = 3"}, "unknown key learning.critc"),
        ({"top": 'name = ""'}, "name = '': "),
        ({"top": 'name = "a/b"'}, "name = 'a/b': "),
        ({"top": 'name = "/absolute"'}, "name = '/absolute': "),
        ({"top": 'name = ".."'}, "name = '..': "),
        ({"top": "seed = 1"}, "name is required"),
        ({"top": 'name = "mine"\nseed = -1'}, "seed = -1: Input should be"),
        ({"learning": ""}, "learning.decisions is required"),
        ({"learning": "decisions = 0"}, "learning.decisions = 0: "),
        ({"learning": 'decisions = "many"'}, "learning.decisions = 'many': "),
        ({"learning": "decisions = 1\nlearning_rate = nan"}, "learning.learning_rate = nan: "),
        ({"learning": "decisions = 1\nfinal_learning_rate = 1e999"}, "final_learning_rate = inf: "),
        ({"learning": "decisions = 1\nlayers = [64, 0]"}, "learning.layers.1 = 0: "),
        ({"learning": "decisions = 1\npopulation = 1000000000000"}, "less than or equal to 1000"),
        ({"learning": "learner = 'PPO'"}, "allowed are 'ppo', 'maskable_ppo', 'distillation'"),
        ({"evaluation": "players = 2"}, "evaluation.players = 2: "),
        ({"evaluation": 'opponents = "random"'}, "evaluation.opponents = 'random': "),
        ({"game": 'num_players = "4"'}, "game.num_players = '4': "),
        ({"game": "hand_sizes = [1.5]"}, "game.hand_sizes.0 = 1.5: "),
        ({"game": "hand_sizes = [0]"}, "hand_sizes[0]=0: allowed are 1 to 15"),
        ({"game": 'bid_restriction = "no_evn"'}, "did you mean 'no_even'"),
        ({"game": "players = "}, "not TOML"),
    ],
)
def test_what_is_refused(tmp_path: Path, given: dict[str, str], message: str) -> None:
    """By file, key and value; a name is a folder in `runs`, a large population takes all memory."""
    path = write(tmp_path, **given)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert message in str(refused.value)


def test_the_encodings_of_editors(tmp_path: Path) -> None:
    """A byte-order mark is dropped, also from the config that a run keeps; UTF-16 is named."""
    path = write(tmp_path)
    read, text = read_config(path), path.read_text()
    path.write_text(text, encoding="utf-8-sig")
    assert read_config(path) == read
    path.write_text(read.model_dump_json(), encoding="utf-8-sig")
    assert read_kept(path) == read
    path.write_text(text, encoding="utf-16")
    with pytest.raises(ConfigError, match=r"mine\.toml: .*UTF-16.*: save it in UTF-8"):
        read_config(path)


def test_all_errors_are_reported_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, learning="decisions = 0\nlayer = [1]", evaluation="players = 9")
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    for part in ("learning.decisions = 0", "learning.layer", "evaluation.players = 9"):
        assert part in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["a." * 8000 + "a = 1", "x = " + "[" * 10_000, "x = " + "1" * 5000, "#" * 20_000]
)
def test_absurd_files_are_refused_in_a_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert len(str(refused.value)) < 500


# --- what does not fit together


def config(**sections: Any) -> Config:
    return Config.model_validate({"name": "mine", "learning": {"decisions": 1}, **sections})


def test_held_out_agents_are_no_partners() -> None:
    """Not by name, and not by chance in the population; otherwise any agent may be a partner."""
    assert config(learning={"decisions": 1, "partners": ["rival"]}).partners() == ["rival"]
    crowd = config(learning={"decisions": 1, "population": 3}, seed=2).partners()
    assert crowd == ["heuristic", *generated_population(3, seed=2)]
    for met in ("heuristic", crowd[2]):
        with pytest.raises(ValidationError, match=f"partner '{met}' is in held_out"):
            config(learning={"decisions": 1, "population": 3}, seed=2, held_out=["rival", met])


# --- distillation


DISTILLATION = 'learner = "distillation"\ndecisions = 1\n'
TEACHERS = '[learning.teachers]\n"a" = []\n"b" = ["rule_based", "heuristic"]\n"c" = ["random"]\n'


def test_partners_are_those_of_the_teachers(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, learning=f"{DISTILLATION}sparring = 0.5\n{TEACHERS}"))
    assert isinstance(config.learning, DistillationConfig)
    assert config.partners() == ["rule_based", "heuristic", "random"]
    assert Config.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("teachers = {}", "learning.teachers = {}: "),
        ("guidd = 1\n" + TEACHERS, "unknown key learning.guidd: did you mean 'guided'? allowed are"),
        ("sparring = 0.5\npopulation = 2\n" + TEACHERS, "population=2: no teacher plays beside"),
        ('reward = "win"\nteachers = {"a" = []}', "reward='win': the answers of teachers are learned"),
        (TEACHERS, "sparring=0.0: teachers that have partners would never be asked"),
        ('sparring = 0.5\nteachers = {"b" = ["random"]}', "just one teacher is the expert, which"),
        ('sparring = 0.5\npartners = ["rival"]\n' + TEACHERS, "not ['rival']"),
        (
            "sparring = 0.5\n" + TEACHERS + '[ratings]\nagents = ["random"]',
            "'distillation' has no ratings: use",
        ),
    ],
)
def test_errors_of_distillation_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path = write(tmp_path, learning=DISTILLATION + lines)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert message in str(refused.value).removeprefix(f"{path}: ")


def test_partners_of_teachers_that_are_held_out_are_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path, 'name = "mine"\nheld_out = ["random"]', f"{DISTILLATION}sparring = 0.5\n{TEACHERS}"
    )
    with pytest.raises(ConfigError, match="partner 'random' is in held_out"):
        read_config(path)
