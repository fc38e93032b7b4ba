"""Reading configs: whatever is wrong is refused by file, key, value and reason."""

import json
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("key", ["critic", "past_selves", "start", "precision"])
def test_keys_of_another_learner_are_unknown(tmp_path: Path, key: str) -> None:
    with pytest.raises(ConfigError, match=rf"unknown key learning\.{key}: .*'decisions_per_game'") as refused:
        read_config(write(tmp_path, learning=f"{MASKABLE}\n{key} = 8"))
    assert f"'{key}'" not in str(refused.value)


def test_runs_of_maskable_ppo_kept_the_keys_of_ppo(tmp_path: Path) -> None:
    """Up to version 0.2; what they kept is still read, and unknown keys are refused there too."""
    config = read_config(write(tmp_path, learning=MASKABLE))
    kept = config.model_dump(mode="json")
    kept["learning"] |= {"critic": [], "past_selves": 16, "start": "", "precision": "float32"}
    (tmp_path / "kept.json").write_text(json.dumps(kept))
    assert read_kept(tmp_path / "kept.json", Config) == config
    (tmp_path / "kept.json").write_text(json.dumps(kept | {"learning": kept["learning"] | {"critics": []}}))
    with pytest.raises(ConfigError, match=r"unknown key learning\.critics"):
        read_kept(tmp_path / "kept.json", Config)


@pytest.mark.parametrize(
    ("section", "key", "value", "shown"),
    [
        ("learning", "decisions", "0", "0"),
        ("learning", "decisions", "1.5", "1.5"),
        ("learning", "decisions", '"many"', "'many'"),
        ("learning", "decisions", "true", "True"),
        ("learning", "num_games", "0", "0"),
        ("learning", "decisions_per_game", "1", "1"),
        ("learning", "learning_rate", "-0.1", "-0.1"),
        ("learning", "learning_rate", "nan", "nan"),
        ("learning", "learning_rate", "inf", "inf"),
        ("learning", "final_learning_rate", "1e999", "inf"),
        ("learning", "checkpoint_seconds", "inf", "inf"),
        ("learning", "discount", "1.1", "1.1"),
        ("learning", "gae_lambda", "-0.1", "-0.1"),
        ("learning", "entropy_bonus", "-1", "-1"),
        ("learning", "layers", "[]", "[]"),
        ("learning", "layers", "[64, 0]", "0"),
        ("learning", "layers", "[-3]", "-3"),
        ("learning", "layers", "64", "64"),
        ("learning", "checkpoint_seconds", "0", "0"),
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


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="mine"):
        read_config(tmp_path / "mine.toml")


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
