"""Made-up results with given figures; all others are 0.5."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

from wizard_env import Rules
from wizard_env.evaluation.evaluate import Evaluation, Timing
from wizard_env.evaluation.exploitability import Exploit
from wizard_env.evaluation.league import League
from wizard_env.evaluation.ratings import Rating
from wizard_env.evaluation.standings import Difference, Standing

Leads: TypeAlias = Mapping[tuple[str, str], tuple[float, float, float]]
"""The lead of the first of a pair over the second, and its interval."""
T = TypeVar("T")


def evaluation(points: Mapping[str, float], leads: Leads, players: int = 3) -> Evaluation:
    """Return an evaluation in which each name scores the given points per game."""
    standings = [_filled(Standing, name=name, points=number) for name, number in points.items()]
    times = [_filled(Timing, name=name) for name in points]
    return Evaluation(Rules(players), 10, 0, standings, _differences(leads), [], [], [], times)


def league(names: Sequence[str], leads: Leads, equals: Sequence[str] = ()) -> League:
    """Return a league with these names in the order of their ratings; all have the same equals."""
    ratings = [_filled(Rating, name=name, equals=tuple(equals)) for name in names]
    return League((Rules(3),), 10, 0, (1,), ratings, _differences(leads))


def exploit(**given: Any) -> Exploit:
    """Return a learned response with these figures."""
    return _filled(Exploit, **{"agent": "a", "start": "a", "games": 300, "decisions": 1_000_000} | given)


def _differences(leads: Leads) -> list[Difference]:
    return [Difference(name, other, *figures) for (name, other), figures in leads.items()]


def _filled(kind: type[T], **given: Any) -> T:
    return kind(**{field.name: given.get(field.name, 0.5) for field in fields(kind)})  # type: ignore[arg-type]
