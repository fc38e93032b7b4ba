"""A search for better keys of a config, by Optuna: many short runs, of which bad ones are stopped early."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from wizard_env.checks import quoted
from wizard_env.evaluation.workers import workers
from wizard_env.extras import extra
from wizard_env.files import check_no_file_in_way
from wizard_env.loading import programs
from wizard_env.train.config.changes import read_value
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.reading import make_config, read_config
from wizard_env.train.config.run import Config
from wizard_env.train.ppo.snapshot_ratings import HELD_OUT, RATING, SEEN
from wizard_env.train.run import check_names, train
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import Progress

with extra("sweep"):
    import optuna
    from sqlalchemy.exc import DatabaseError

STUDY = "study.db"
"""The file in a sweep's folder that Optuna keeps its trials in."""
_PLAN = "plan"
"""The attribute of a study that keeps its plan."""
_OVER = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
_RANGE = re.compile(r"(?P<low>[^.\s][^\s]*?)\.\.(?P<high>[^:\s]+)(?P<log>:log)?")


@dataclass(frozen=True)
class Sweep:
    """The plan of a sweep."""

    config: Path
    changes: tuple[str, ...]
    """Keys to set in every run, each `section.key=value`."""
    vary: tuple[str, ...]
    """Keys to search: `section.key=low..high`, `...:log` on a logarithmic scale, or `section.key=a,b,c`."""
    folder: Path
    against: str
    """The agent whose copies each run is rated against, alone."""
    games: int = 50
    """Deals of each rating."""
    ratings: int = 5
    """The number of ratings of each run, after which it may be stopped."""
    trials: int = 20
    """Runs that are finished or stopped, over all processes and earlier calls."""
    allow_programs: bool = False
    """Runs may start the programs, and import the rewards, that the config names."""
    seed: int = 0
    """Of the search; with several processes it is not reproducible."""


@dataclass(frozen=True)
class Trial:
    """A run of a sweep."""

    number: int
    state: str
    """"complete" or "pruned"."""
    points: float
    """The lead of the run at its last rating, in points per game."""
    values: dict[str, Any]
    """The keys that were searched."""


class Search(NamedTuple):
    """A key to search."""

    key: str
    suggest: Callable[[Any], Any]
    """Asks an Optuna trial for a value."""
    extremes: tuple[Any, ...]
    """Both ends of a range, or every choice."""


def parse_vary(vary: str) -> Search:
    """Parse `section.key=...`. Raises ValueError for another form or an empty range."""
    key, equals, text = (part.strip() for part in vary.partition("="))
    if not (key and equals and text):
        raise ValueError(f"{quoted(vary)} is not of the form section.key=low..high or section.key=a,b,c")
    if found := _RANGE.fullmatch(text):
        low, high = read_value(found["low"]), read_value(found["high"])
        log = bool(found["log"])
        if not all(type(end) in (int, float) and isfinite(end) for end in (low, high)):
            raise ValueError(f"{quoted(vary)}: the ends of a range are numbers")
        if low > high:
            raise ValueError(f"{quoted(vary)} is empty: the smaller number comes first, as in {high}..{low}")
        if log and low <= 0:
            raise ValueError(f"{quoted(vary)}: a range on a logarithmic scale begins above 0")
        if all(type(end) is int for end in (low, high)):
            return Search(key, lambda trial: trial.suggest_int(key, low, high, log=log), (low, high))
        ends = float(low), float(high)
        return Search(key, lambda trial: trial.suggest_float(key, *ends, log=log), ends)
    parts = re.findall(r"\[[^\]]*\]|[^,\[\]]+", text)  # lists keep their commas
    choices = [part.strip() for part in parts]
    return Search(key, lambda trial: trial.suggest_categorical(key, choices), tuple(choices))


def sweep(plan: Sweep, processes: int = 1) -> list[Trial]:
    """Run trials until there are enough; returns all of them, the best first.

    A sweep continues where an earlier call stopped.

    Raises:
        ValueError: a key cannot be searched, or a value that it may get is not allowed; there is no such
            agent; or the folder holds another sweep.
        PermissionError: the config names programs or code, which may not run.
    """
    _check(plan)
    check_no_file_in_way(plan.folder)
    plan.folder.mkdir(parents=True, exist_ok=True)
    with _quietly():
        study = _open(plan)
        _claim(study, plan)
        with workers(processes) as spread:
            list(spread(partial(_search, plan), range(processes)))
        return list(_trials(study))


def _check(plan: Sweep) -> None:
    """Raise the errors of trials: each key is tried at its extremes, the others at their first values."""
    searches = [parse_vary(vary) for vary in plan.vary]
    _trial_config(plan, {})
    keys = [search.key for search in searches]
    if twice := [key for key in keys if keys.count(key) > 1]:
        raise ValueError(f"{quoted(twice[0])} is searched twice: give all its values in one --vary")
    first = {search.key: search.extremes[0] for search in searches}
    with programs(plan.allow_programs):
        for search in searches:
            for value in search.extremes:
                check_names(_trial_config(plan, first | {search.key: value}))


def _trial_config(plan: Sweep, values: Mapping[str, Any]) -> Config:
    """Return the config of a trial with these values of the searched keys, and with ratings."""
    changes = [f"{key}={value}" for key, value in values.items()]
    config = read_config(plan.config, [*plan.changes, *changes])
    if not isinstance(config.learning, PpoConfig):
        raise ValueError(
            f"a sweep needs ratings, which learner {config.learning.learner!r} has not: use 'ppo'"
        )
    given = config.model_dump()
    given["learning"]["snapshot_decisions"] = max(1, config.learning.decisions // plan.ratings)
    given["ratings"] = {"agents": [plan.against], "games": plan.games}
    return make_config(Config, given)


def _claim(study: Any, plan: Sweep) -> None:
    """Keep the plan in a study; one that has trials must have the same plan. Raises ValueError."""
    kept = {
        "config": read_config(plan.config, plan.changes).model_dump(mode="json"),
        "vary": list(plan.vary),
        "against": plan.against,
        "games": plan.games,
        "ratings": plan.ratings,
    }
    before = study.user_attrs.get(_PLAN, kept)
    if differs := [name for name, value in kept.items() if before.get(name) != value]:
        raise ValueError(
            f"{plan.folder} holds another sweep: its {' and '.join(differs)} differ; choose another folder"
        )
    study.set_user_attr(_PLAN, kept)


def _open(plan: Sweep, number: int = 0) -> Any:
    file = plan.folder / STUDY
    try:
        return optuna.create_study(
            storage=f"sqlite:///{file.resolve()}",
            study_name=plan.folder.name,
            sampler=optuna.samplers.TPESampler(seed=plan.seed + number, constant_liar=True),
            pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
            direction="maximize",
            load_if_exists=True,
        )
    except DatabaseError as error:
        raise ValueError(f"{file} is not the study of a sweep: {error.orig}; choose another folder") from None


@contextmanager
def _quietly() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # the error that ends a trial is raised
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)


def _search(plan: Sweep, number: int) -> None:
    """Run trials in one process until all processes together have enough."""
    with _quietly():
        study = _open(plan, number)
        if len(study.get_trials(states=_OVER)) >= plan.trials:
            return
        enough = optuna.study.MaxTrialsCallback(plan.trials, states=_OVER)
        study.optimize(lambda trial: _run(trial, plan), callbacks=[enough])


def _run(trial: Any, plan: Sweep) -> float:
    """Train one run; returns its lead at its last rating, in points per game."""
    searches = [parse_vary(vary) for vary in plan.vary]
    config = _trial_config(plan, {search.key: search.suggest(trial) for search in searches})
    folder = plan.folder / f"trial-{trial.number:04}"
    reported = 0

    def report(_: Progress) -> None:
        nonlocal reported
        ratings = rating_curve(folder, plan.against)
        for decisions, points in ratings[reported:]:
            trial.report(points, decisions)
        reported = len(ratings)
        if ratings and trial.should_prune():
            raise optuna.TrialPruned

    with programs(plan.allow_programs):
        train(config, folder, report=report)
    return rating_curve(folder, plan.against)[-1][1]


def rating_curve(folder: Path, against: str) -> list[tuple[int, float]]:
    """Return the decisions that a run had learned from at each rating, and its lead in points per game."""
    lines = read_curves(folder / CURVES)
    names = [f"{RATING}{group}/{against}" for group in (SEEN, HELD_OUT)]
    return [(int(line[DECISIONS]), float(line[name])) for line in lines for name in names if line.get(name)]


def _trials(study: Any) -> Iterator[Trial]:
    """Yield the trials that are over; the value of one that was pruned is its last rating."""
    done = study.get_trials(states=_OVER)
    for trial in sorted(done, key=lambda one: (one.state.name, -one.value)):
        yield Trial(trial.number, trial.state.name.lower(), trial.value, dict(trial.params))
