"""The verdict of a report: the leader, its lead, and if that may be chance."""

from typing import Any

import pytest

from tests.evaluation.results import evaluation, league
from wizard_env import Rules
from wizard_env.evaluation.report.verdict import evaluation_verdict, league_verdict, seeds_verdict
from wizard_env.evaluation.seeds import GroupScore, Improvement, SeedScores


@pytest.mark.parametrize(
    ("lead", "first", "second"),
    [((12.0, 9.5, 14.5), "a", "b"), ((-12.0, -14.5, -9.5), "b", "a")],
)
def test_the_verdict_names_the_leader_and_its_lead(lead: Any, first: str, second: str) -> None:
    shown = evaluation_verdict([evaluation({"a": 100.0 + lead[0], "b": 100.0}, {("a", "b"): lead})])
    assert shown == (
        f"{first} leads {second} by 12.0 points per game on the same hands (95% interval 9.5 to 14.5)."
    )


@pytest.mark.parametrize(
    ("lead", "first", "second"), [((2.0, -1.0, 5.0), "a", "b"), ((-2.0, -5.0, 1.0), "b", "a")]
)
def test_a_lead_that_may_be_chance_is_none(lead: Any, first: str, second: str) -> None:
    shown = evaluation_verdict([evaluation({"a": 100.0 + lead[0], "b": 100.0}, {("a", "b"): lead})])
    assert shown == (
        f"{first} and {second} cannot be told apart: the lead of {first}, +2.0 points per game on the same "
        "hands, has a 95% interval of -1.0 to +5.0."
    )


def test_the_best_agent_is_compared_with_the_next() -> None:
    leads = {("a", "b"): (5.0, 4.0, 6.0), ("a", "c"): (-5.0, -6.0, -4.0), ("b", "c"): (-10.0, -12.0, -8.0)}
    shown = evaluation_verdict([evaluation({"a": 15.0, "b": 10.0, "c": 20.0}, leads)])
    assert shown.startswith("c leads a by 5.0 points per game")


def test_each_number_of_players_has_its_sentence() -> None:
    found = [evaluation({"a": 2.0, "b": 1.0}, {("a", "b"): (1.0, 0.5, 1.5)}, players) for players in (3, 4)]
    shown = evaluation_verdict(found)
    assert shown.count("a leads b") == 2
    assert shown.startswith("With 3 players, a leads b")
    assert " With 4 players, a leads b" in shown


def test_the_verdict_of_a_league_follows_the_ratings() -> None:
    assert league_verdict(league(["a"], {})) == "a is the only agent."
    assert "never sat at the same table" in league_verdict(league(["a", "b"], {}))
    shown = league_verdict(league(["a", "b"], {("a", "b"): (1.0, 0.5, 1.5)}))
    assert shown == (
        "a is rated first. a leads b by 1.0 points per game on the same deals (95% interval 0.5 to 1.5)."
    )
    equal = league_verdict(league(["a", "b", "c"], {("a", "b"): (1.0, 0.5, 1.5)}, equals="ab"))
    assert equal == f"{shown} By their ranks these cannot be told apart: a and b."


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (
            [("a", 3, -5.0)],
            "The lead of a is -5.0 points per game in the mean over 3 seeds (95% interval -6.0 to -4.0).",
        ),
        ([("a", 3, 5.0), ("b", 1, 1.0)], "Its interval lies above that of b."),
        ([("a", 1, 5.0), ("b", 3, 4.0)], "Its interval overlaps that of b."),
        ([("a", 3, 5.0), ("b", 3, 1.0)], "One of its runs leads by more than one of b with probability 0.90"),
        ([("a", 3, 5.0), ("b", 3, 4.9)], "a and b cannot be told apart by these seeds and deals."),
    ],
)
def test_the_verdict_of_seeds(scores: list[tuple[str, int, float]], said: str) -> None:
    """A group of a single run is compared by its lead, and not by chances of other runs."""
    groups = [GroupScore(name, "", seeds, *(lead, lead - 1, lead + 1) * 2) for name, seeds, lead in scores]
    sure = scores[0][2] - scores[-1][2] > 1
    better = [Improvement("a", "b", 0.9, 0.6 if sure else 0.4, 0.95)]
    result = SeedScores(Rules(4), 10, 0, groups, better, [], {})
    assert said in seeds_verdict(result)
