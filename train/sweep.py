"""A search for better keys of a config, by Optuna: many short runs, the hopeless ones stopped early."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wizard_env.extras import extra
from wizard_env.loading import programs
from wizard_env.train.arena.workers import workers
from wizard_env.train.config.changes import read_value
from wizard_env.train.config.reading import read_config
from wizard_env.train.config.run import Config
from wizard_env.train.run import train
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import Progress

with extra("sweep"):
    import optuna

STUDY = "study.db"
"""The file in a sweep's folder that Optuna keeps its trials in."""
_RANGE = re.compile(r"(?P<low>[^.\s][^\s]*?)\.\.(?P<high>[^:\s]+)(?P<log>:log)?")


@dataclass(frozen=True)
class Sweep:
    """What to try."""

    config: Path
    changes: tuple[str, ...]
    """Keys to set in every run, each `section.key=value`."""
    vary: tuple[str, ...]
    """Keys to search: `section.key=low..high`, `...:log` on a logarithmic scale, or `section.key=a,b,c`."""
    folder: Path
    against: str
    """The agent to be rated against, alone at a table of its copies."""
    games: int = 50
    """Deals of each rating."""
    ratings: int = 5
    """How often each run is rated, and may be stopped."""
    trials: int = 20
    """Runs that are finished or stopped, over all processes and earlier calls."""
    allow_programs: bool = False
    """Whether runs may start the programs, and import the rewards, that the config names."""
    seed: int = 0
    """Of the search; with several processes it is not reproducible."""


@dataclass(frozen=True)
class Trial:
    """A run of a sweep."""

    number: int
    state: str
    """"complete" or "pruned"."""
    points: float
    """Points per game by which the run led at its last rating."""
    values: dict[str, Any]
    """The keys that were searched."""


def parse_vary(vary: str) -> tuple[str, Callable[[Any], Any]]:
    """The key and the search of `section.key=...`: a function that asks an Optuna trial for a value.

    Raises ValueError for another form.
    """
    key, equals, text = (part.strip() for part in vary.partition("="))
    if not (key and equals and text):
        raise ValueError(f"{vary!r} is not of the form section.key=low..high or section.key=a,b,c")
    if found := _RANGE.fullmatch(text):
        low, high = read_value(found["low"]), read_value(found["high"])
        log = bool(found["log"])
        if all(type(end) is int for end in (low, high)):
            return key, lambda trial: trial.suggest_int(key, low, high, log=log)
        if all(type(end) in (int, float) for end in (low, high)):
            return key, lambda trial: trial.suggest_float(key, float(low), float(high), log=log)
        raise ValueError(f"{vary!r}: the ends of a range are numbers")
    choices = re.findall(r"\[[^\]]*\]|[^,\[\]]+", text)  # lists keep their commas
    return key, lambda trial: trial.suggest_categorical(key, [choice.strip() for choice in choices])


def sweep(plan: Sweep, processes: int = 1) -> list[Trial]:
    """Run trials until there are enough; returns all of them, the best first.

    A sweep goes on where an earlier call stopped. Raises ValueError if a key cannot be searched.
    """
    plan.folder.mkdir(parents=True, exist_ok=True)
    for vary in plan.vary:
        parse_vary(vary)
    _rated(read_config(plan.config, plan.changes), plan)
    with _quietly():
        study = _open(plan)
        with workers(processes) as spread:
            list(spread(_search, [(plan, number) for number in range(processes)]))
        return list(_trials(study))


def _open(plan: Sweep, number: int = 0) -> Any:
    return optuna.create_study(
        storage=f"sqlite:///{(plan.folder / STUDY).resolve()}",
        study_name=plan.folder.name,
        sampler=optuna.samplers.TPESampler(seed=plan.seed + number, constant_liar=True),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
        direction="maximize",
        load_if_exists=True,
    )


@contextmanager
def _quietly() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _search(task: tuple[Sweep, int]) -> None:
    """Run trials in one process until all processes together have enough."""
    plan, number = task
    states = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    with _quietly():
        study = _open(plan, number)
        if sum(trial.state in states for trial in study.trials) >= plan.trials:
            return
        enough = optuna.study.MaxTrialsCallback(plan.trials, states=states)
        study.optimize(lambda trial: _run(trial, plan), callbacks=[enough])


def _run(trial: Any, plan: Sweep) -> float:
    """Train one run; the points per game by which it leads at its last rating."""
    searched = [parse_vary(vary) for vary in plan.vary]
    changes = [f"{key}={suggest(trial)}" for key, suggest in searched]
    config = _rated(read_config(plan.config, [*plan.changes, *changes]), plan)
    folder = plan.folder / f"trial-{trial.number:04}"
    seen = 0

    def report(_: Progress) -> None:
        nonlocal seen
        rated = rating_curve(folder, plan.against)
        for decisions, points in rated[seen:]:
            trial.report(points, decisions)
        seen = len(rated)
        if rated and trial.should_prune():
            raise optuna.TrialPruned

    with programs(plan.allow_programs):
        train(config, folder, report=report)
    return rating_curve(folder, plan.against)[-1][1]


def rating_curve(folder: Path, against: str) -> list[tuple[int, float]]:
    """How many decisions a run had learned from at each rating, and its lead in points per game."""
    lines = read_curves(folder / CURVES)
    names = [f"rating/{group}/{against}" for group in ("seen", "held_out")]
    return [(int(line[DECISIONS]), float(line[name])) for line in lines for name in names if line.get(name)]


def _rated(config: Config, plan: Sweep) -> Config:
    """The config of a run, with the ratings that a sweep needs."""
    if config.learning.learner != "ppo":
        raise ValueError(
            f"a sweep needs ratings, which learner {config.learning.learner!r} has not: use 'ppo'"
        )
    values = config.model_dump()
    values["learning"]["snapshot_decisions"] = max(1, config.learning.decisions // plan.ratings)
    values["ratings"] = {"agents": [plan.against], "games": plan.games}
    return Config.model_validate(values)


def _trials(study: Any) -> Iterator[Trial]:
    done = [trial for trial in study.trials if trial.state.name in ("COMPLETE", "PRUNED")]
    for trial in sorted(done, key=lambda one: (one.state.name, -_points(one))):
        yield Trial(trial.number, trial.state.name.lower(), _points(trial), dict(trial.params))


def _points(trial: Any) -> float:
    values = trial.intermediate_values
    return float(trial.value if trial.value is not None else values[max(values)])
