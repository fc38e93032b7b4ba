"""Sweeps: keys are searched, runs that fall behind are stopped, and a sweep goes on where it stopped."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("optuna")
from wizard_env import configs
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME
from wizard_env.train.sweep import Sweep, parse_vary, rating_curve, sweep

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning"),
]

SHORT = (
    "learning.decisions=4096",
    "learning.num_games=64",
    "learning.decisions_per_game=16",
    "learning.layers=[16]",
    "game.hand_sizes=[1, 2]",
)


def plan(folder: Path, **options: Any) -> Sweep:
    vary = ("learning.learning_rate=1e-5..1e-2:log", "learning.epochs=1..2")
    given: dict[str, Any] = {"against": "random", "games": 5, "ratings": 4, "trials": 3, **options}
    return Sweep(configs.find("smoke"), SHORT, vary, folder / "mine", **given)


class Asked:
    """Takes the place of an Optuna trial; returns the request for a value."""

    def __getattr__(self, name: str) -> Any:
        return lambda *given, **options: (name.removeprefix("suggest_"), *given, *options.values())


@pytest.mark.parametrize(
    ("vary", "asked"),
    [
        ("a.b=1e-4..1e-2:log", ("float", "a.b", 1e-4, 1e-2, True)),
        ("a.b=0..0.5", ("float", "a.b", 0.0, 0.5, False)),
        ("a.b=1..4", ("int", "a.b", 1, 4, False)),
        ("a.b=[64],[128, 128]", ("categorical", "a.b", ["[64]", "[128, 128]"])),
        ("a.b=points, relative", ("categorical", "a.b", ["points", "relative"])),
    ],
)
def test_what_is_searched(vary: str, asked: tuple[Any, ...]) -> None:
    search = parse_vary(vary)
    assert search.key == "a.b"
    assert search.suggest(Asked()) == asked


@pytest.mark.parametrize("vary", ["a.b", "a.b=", "=1..2", "a.b=low..high"])
def test_other_forms_are_refused(vary: str) -> None:
    with pytest.raises(ValueError, match=r"is not of the form|are numbers"):
        parse_vary(vary)


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        ("a.b=4..1", "'a.b=4..1' is empty: the smaller number comes first, as in 1..4"),
        ("a.b=0..1:log", "begins above 0"),
        ("a.b=1..inf", "the ends of a range are numbers"),
        ("a.b=1..true", "the ends of a range are numbers"),
    ],
)
def test_ranges_that_hold_nothing_are_refused(vary: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_vary(vary)


def test_another_sweep_in_the_folder_is_refused(tmp_path: Path) -> None:
    sweep(plan(tmp_path, trials=1))
    with pytest.raises(ValueError, match="holds another sweep: its against and games differ"):
        sweep(plan(tmp_path, trials=1, against="heuristic", games=6))


def test_a_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """Each trial is a run whose agent loads; the best comes first."""
    first = sweep(plan(tmp_path, trials=2))
    assert len(first) == 2
    every = sweep(plan(tmp_path, trials=3))
    assert len(every) == 3
    assert {trial.number for trial in first} < {trial.number for trial in every}
    complete = [trial.points for trial in every if trial.state == "complete"]
    assert complete == sorted(complete, reverse=True)
    for trial in every:
        assert 1e-5 <= trial.values["learning.learning_rate"] <= 1e-2
        assert trial.values["learning.epochs"] in (1, 2)
        folder = tmp_path / "mine" / f"trial-{trial.number:04}"
        rated = rating_curve(folder, "random")
        assert rated[-1][1] == trial.points
        if trial.state == "complete":
            assert load(str(folder / FILE_NAME)) is not None
            assert [decisions for decisions, _ in rated] == [1024, 2048, 3072, 4096]
    assert sweep(plan(tmp_path, trials=3)) == every


def test_runs_that_fall_behind_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the median of earlier runs at the same rating."""
    leads = iter([10.0, 10.0, 10.0, 10.0, -50.0])
    current: dict[Path, float] = {}

    def curve(folder: Path, against: str) -> list[tuple[int, float]]:
        lead = current.setdefault(folder, next(leads) if folder not in current else 0.0)
        return [(decisions, lead) for decisions, _ in rating_curve(folder, against)]

    monkeypatch.setattr("wizard_env.train.sweep.rating_curve", curve)
    found = sweep(plan(tmp_path, trials=5))
    assert [trial.state for trial in found] == ["complete"] * 4 + ["pruned"]
    assert found[-1].points == -50


def test_learners_without_ratings_are_refused(tmp_path: Path) -> None:
    chosen = plan(tmp_path)
    with pytest.raises(ValueError, match="learner 'dqn' has not"):
        sweep(Sweep(configs.find("paper_dqn"), (), chosen.vary, chosen.folder, "random"))


@pytest.mark.slow
def test_processes_share_a_sweep(tmp_path: Path) -> None:
    assert len(sweep(plan(tmp_path, trials=4), processes=2)) >= 4
