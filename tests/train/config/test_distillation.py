"""Configs of the learner "distillation": the partners are the teachers', and every table has one expert."""

from pathlib import Path

import pytest

from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.reading import ConfigError, read_config
from wizard_env.train.config.run import Config

HEAD = 'name = "mine"\n{}[learning]\nlearner = "distillation"\ndecisions = 1\n'
TEACHERS = '[learning.teachers]\n"a" = []\n"b" = ["rule_based", "heuristic"]\n"c" = ["random"]\n'


def write(folder: Path, lines: str, top: str = "") -> Path:
    path = folder / "mine.toml"
    path.write_text(HEAD.format(top) + lines, encoding="utf-8")
    return path


def test_partners_are_those_of_the_teachers(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, f"sparring = 0.5\n{TEACHERS}"))
    assert isinstance(config.learning, DistillationConfig)
    assert config.partners() == ["rule_based", "heuristic", "random"]
    assert Config.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "learning.teachers is required"),
        ("teachers = {}", "learning.teachers = {}: "),
        ("teachers = 3", "learning.teachers = 3: "),
        ('teachers = {"a" = 3}', "learning.teachers.a = 3: "),
        ("guidd = 1\n" + TEACHERS, "unknown key learning.guidd: did you mean 'guided'? allowed are"),
        ("sparring = 0.5\npopulation = 2\n" + TEACHERS, "population=2: no teacher plays beside"),
        ('reward = "win"\nteachers = {"a" = []}', "reward='win': the answers of teachers are learned"),
        (TEACHERS, "sparring=0.0: teachers that have partners would never be asked"),
        ("sparring = 1.0\n" + TEACHERS, "sparring=1.0: ['a'] have no partners and would never be asked"),
        ('sparring = 0.5\nteachers = {"b" = ["random"]}', "just one teacher is the expert, which"),
        ('teachers = {"a" = [], "b" = []}', "which has no partners; given are 2"),
        ('sparring = 0.5\nteachers = {"a" = []}', "partners are those of the teachers, [], not"),
        ('sparring = 0.5\npartners = ["rival"]\n' + TEACHERS, "not ['rival']"),
        (
            "sparring = 0.5\n" + TEACHERS + '[ratings]\nagents = ["random"]',
            "'distillation' has no ratings: use",
        ),
    ],
)
def test_errors_are_named(tmp_path: Path, lines: str, message: str) -> None:
    path = write(tmp_path, lines)
    with pytest.raises(ConfigError) as refused:
        read_config(path)
    assert message in str(refused.value).removeprefix(f"{path}: ")


def test_partners_that_are_held_out_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, f"sparring = 0.5\n{TEACHERS}", 'held_out = ["random"]\n')
    with pytest.raises(ConfigError, match="partner 'random' is in held_out"):
        read_config(path)


def test_without_partners_every_seat_learns(tmp_path: Path) -> None:
    config = read_config(write(tmp_path, 'teachers = {"a" = []}'))
    assert config.learning.sparring == 0
