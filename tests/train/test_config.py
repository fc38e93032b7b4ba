"""Configs: their values, and mistakes, which are refused by file, key, value and reason."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from wizard_env import Rules
from wizard_env.agents.perturbed import generated_population
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.reading import ConfigError, read_config
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
    ("given", "key", "near"),
    [
        ({"top": 'name = "mine"\nsede = 3'}, "sede", "seed"),
        ({"learning": "decisions = 1\nlearnig_rate = 0.1"}, "learning.learnig_rate", "learning_rate"),
        ({"game": "num_player = 4"}, "game.num_player", "num_players"),
        ({"evaluation": "opponent = 'random'"}, "evaluation.opponent", "opponents"),
        ({"lerning": "decisions = 1"}, "lerning", "learning"),
        ({"[tables]": "num_player = 4"}, "tables.0.num_player", "num_players"),
        (
            {"learning": f"{MASKABLE}\ndecisions_per_gam = 3"},
            "learning.decisions_per_gam",
            "decisions_per_game",
        ),
    ],
)
def test_an_unknown_key_is_refused(tmp_path: Path, given: dict[str, str], key: str, near: str) -> None:
    """The error names the file, the key and the nearest allowed key."""
    path = write(tmp_path, **given)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert str(path) in str(refused.value)
    assert f"unknown key {key}: did you mean {near!r}?" in str(refused.value)


@pytest.mark.parametrize(
    ("section", "key", "value", "shown"),
    [
        ("learning", "decisions", "0", "0"),
        ("learning", "decisions", "1.5", "1.5"),
        ("learning", "decisions", '"many"', "'many'"),
        ("learning", "num_games", "0", "0"),
        ("learning", "decisions_per_game", "1", "1"),
        ("learning", "learning_rate", "-0.1", "-0.1"),
        ("learning", "learning_rate", "nan", "nan"),
        ("learning", "final_learning_rate", "1e999", "inf"),
        ("learning", "discount", "1.1", "1.1"),
        ("learning", "layers", "[]", "[]"),
        ("learning", "layers", "[64, 0]", "0"),
        ("learning", "layers", "64", "64"),
        ("evaluation", "players", "2", "2"),
        ("evaluation", "games", "1", "1"),
        ("evaluation", "opponents", '"random"', "'random'"),
        ("game", "num_players", '"4"', "'4'"),
        ("game", "magic_edition", "1", "1"),
        ("game", "hand_sizes", "5", "5"),
        ("game", "hand_sizes", "[1.5]", "1.5"),
    ],
)
def test_a_wrong_value_is_refused(tmp_path: Path, section: str, key: str, value: str, shown: str) -> None:
    """The error names the file, the key and the value."""
    line = f"{key} = {value}"
    if section == "learning":
        path = write(tmp_path, learning=line if key == "decisions" else f"decisions = 1\n{line}")
    else:
        path = write(tmp_path, **{section: line})
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: {section}.{key}")
    assert f"= {shown}: " in message


@pytest.mark.parametrize("name", ["", "a/b", "/absolute", "a b", ".", ".."])
def test_a_name_is_a_folder_in_runs(tmp_path: Path, name: str) -> None:
    """A run named `..` would write outside of `runs`."""
    with pytest.raises(ConfigError, match=r"mine\.toml: name = "):
        read_config(write(tmp_path, top=f'name = "{name}"'))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("num_players = 7", "num_players=7: allowed are 3 to 6"),
        ("hand_sizes = [0]", r"hand_sizes\[0\]=0: allowed are 1 to 15"),
        ("hand_sizes = []", "0 rounds"),
        ("num_players = 6\nhand_sizes = [1, 11]", r"hand_sizes\[1\]=11: allowed are 1 to 10"),
        ('bid_restriction = "no_evn"', "did you mean 'no_even'"),
        ('bid_reveal = "Secret"', "did you mean 'secret'"),
        ('bid_restriction = "leader"\nbid_reveal = "secret"', "needs bid_reveal='open'"),
    ],
)
def test_invalid_rules_are_refused(tmp_path: Path, lines: str, message: str) -> None:
    """With the message of `Rules`."""
    with pytest.raises(ConfigError, match=rf"mine\.toml: game.*{message}"):
        read_config(write(tmp_path, game=lines))


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[learning]\ndecisions = 1", "name"),
        ('name = "mine"', "learning"),
        ('name = "mine"\n[learning]\n', "learning.decisions"),
    ],
)
def test_a_missing_key_is_named(tmp_path: Path, text: str, key: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"mine\.toml: .*\b{key}\b.*required"):
        read_config(path)


def test_all_errors_are_reported_at_once(tmp_path: Path) -> None:
    path = write(tmp_path, learning="decisions = 0\nlayer = [1]", evaluation="players = 9")
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    for part in ("learning.decisions = 0", "learning.layer", "evaluation.players = 9"):
        assert part in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("content", [b"name = ", b"[learning\n", b"a = 1\na = 2", b"name = '\xff'"])
def test_a_file_that_is_not_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"mine\.toml: not TOML"):
        read_config(path)


@pytest.mark.parametrize("seed", ["-1", "4294967296", "18446744073709551616"])
def test_a_seed_out_of_range_is_refused(tmp_path: Path, seed: str) -> None:
    with pytest.raises(ConfigError, match=f"seed = {seed}: Input should be"):
        read_config(write(tmp_path, top=f'name = "mine"\nseed = {seed}'))


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


@pytest.mark.parametrize("given", ["'PPO'", "3"])
def test_an_unknown_learner(tmp_path: Path, given: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_config(write(tmp_path, learning=f"learner = {given}\ndecisions = 1"))
    assert f"learning.learner = '{given.strip(chr(39))}': " in str(refused.value)
    assert str(refused.value).endswith("allowed are 'ppo', 'maskable_ppo', 'distillation'")


# --- what does not fit together


def config(**sections: Any) -> Config:
    return Config.model_validate({"name": "mine", "learning": {"decisions": 1}, **sections})


def test_values_and_defaults() -> None:
    """Every kind of value, and the defaults of `Rules`."""
    config = Config.model_validate(
        {
            "name": "a-b_1.2",
            "game": {"num_players": 5, "hand_sizes": [3, 1], "bid_restriction": "no_even"},
            "learning": {"decisions": 10, "learning_rate": 1, "layers": [8, 4]},
        }
    )
    assert config.game.rules() == Rules(5, "no_even", hand_sizes=(3, 1))
    assert isinstance(config.learning, PpoConfig)
    assert config.learning.layers == [8, 4]
    assert Config.model_validate_json(config.model_dump_json()) == config
    plain = Config.model_validate({"name": "plain", "learning": {"decisions": 1}})
    assert plain.game.rules() == Rules()
    assert plain.seed == 0


@pytest.mark.parametrize(
    ("learning", "ratings", "complaint"),
    [
        ({"critic": [8]}, {}, "learning.maskable_ppo.critic"),
        ({"snapshot_decisions": 8}, {}, "learning.maskable_ppo.snapshot_decisions"),
        ({"partners": ["past"]}, {"agents": ["random"]}, "has no ratings and no partner 'past'"),
    ],
)
def test_options_that_maskable_ppo_does_not_have(
    learning: dict[str, Any], ratings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        config(learning={"decisions": 1, "learner": "maskable_ppo", **learning}, ratings=ratings)


def test_too_few_games_for_all_tables() -> None:
    kinds = [{"num_players": 3, "share": 2}, {"num_players": 6}, {"num_players": 5}]
    with pytest.raises(ValidationError, match="leaves no games"):
        config(learning={"decisions": 1, "num_games": 2}, tables=kinds)


def test_held_out_agents_are_no_partners() -> None:
    """Not by name, and not by chance in the population; otherwise any agent may be a partner."""
    assert config(learning={"decisions": 1, "partners": ["rival"]}).partners() == ["rival"]
    crowd = config(learning={"decisions": 1, "population": 3}, seed=2).partners()
    assert crowd == ["heuristic", *generated_population(3, seed=2)]
    for met in ("heuristic", crowd[2]):
        with pytest.raises(ValidationError, match=f"partner '{met}' is in held_out"):
            config(learning={"decisions": 1, "population": 3}, seed=2, held_out=["rival", met])


def test_a_population_of_any_size_is_refused() -> None:
    """Its names are made when the config is read: a number from a stranger must not take all memory."""
    with pytest.raises(ValidationError, match="less than or equal to 1000"):
        config(learning={"decisions": 1, "population": 10**25})


# --- distillation


HEAD = 'name = "mine"\n{}[learning]\nlearner = "distillation"\ndecisions = 1\n'
TEACHERS = '[learning.teachers]\n"a" = []\n"b" = ["rule_based", "heuristic"]\n"c" = ["random"]\n'


def write_distillation(folder: Path, lines: str, top: str = "") -> Path:
    path = folder / "mine.toml"
    path.write_text(HEAD.format(top) + lines, encoding="utf-8")
    return path


def test_partners_are_those_of_the_teachers(tmp_path: Path) -> None:
    config = read_config(write_distillation(tmp_path, f"sparring = 0.5\n{TEACHERS}"))
    assert isinstance(config.learning, DistillationConfig)
    assert config.partners() == ["rule_based", "heuristic", "random"]
    assert Config.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "learning.teachers is required"),
        ("teachers = {}", "learning.teachers = {}: "),
        ('teachers = {"a" = 3}', "learning.teachers.a = 3: "),
        ("guidd = 1\n" + TEACHERS, "unknown key learning.guidd: did you mean 'guided'? allowed are"),
        ("sparring = 0.5\npopulation = 2\n" + TEACHERS, "population=2: no teacher plays beside"),
        ('reward = "win"\nteachers = {"a" = []}', "reward='win': the answers of teachers are learned"),
        (TEACHERS, "sparring=0.0: teachers that have partners would never be asked"),
        ("sparring = 1.0\n" + TEACHERS, "sparring=1.0: ['a'] have no partners and would never be asked"),
        ('sparring = 0.5\nteachers = {"b" = ["random"]}', "just one teacher is the expert, which"),
        ('teachers = {"a" = [], "b" = []}', "which has no partners; given are 2"),
        ('sparring = 0.5\npartners = ["rival"]\n' + TEACHERS, "not ['rival']"),
        (
            "sparring = 0.5\n" + TEACHERS + '[ratings]\nagents = ["random"]',
            "'distillation' has no ratings: use",
        ),
    ],
)
def test_errors_of_distillation_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path = write_distillation(tmp_path, lines)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert message in str(refused.value).removeprefix(f"{path}: ")


def test_partners_of_teachers_that_are_held_out_are_refused(tmp_path: Path) -> None:
    path = write_distillation(tmp_path, f"sparring = 0.5\n{TEACHERS}", 'held_out = ["random"]\n')
    with pytest.raises(ConfigError, match="partner 'random' is in held_out"):
        read_config(path)
