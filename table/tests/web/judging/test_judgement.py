"""The figures of a judgement add up as they are printed."""

from decimal import Decimal

import pytest
from wizard_table.web.judging.judgement import judge

from tests.sessions import fresh, play_on
from wizard_env import Rules
from wizard_env.agents import load

JUDGE = "search:worlds=4"


def printed(points: float) -> Decimal:
    """As the page prints it."""
    return Decimal(f"{points:.1f}")


@pytest.mark.parametrize("round_number", [2, 3])
def test_sums_of_a_round_add_up_as_printed(round_number: int) -> None:
    game = play_on(fresh(Rules(3, hand_sizes=(2, 4, 6)))).game
    judged = judge(game, round_number, JUDGE, load(JUDGE))
    scored = game.rounds[round_number - 1]
    assert judged["analyst"] == JUDGE
    assert judged["seconds"] >= 0
    assert any(decision["lost"] for decision in judged["decisions"])
    for played in judged["seats"]:
        own = [one for one in judged["decisions"] if one["seat"] == played["seat"]]
        assert played["points"] == scored.points[played["seat"]]
        assert printed(played["lost"]) == sum(printed(one["lost"]) for one in own)
        assert played["points"] == printed(judged["par"]) + printed(played["luck"]) - printed(played["lost"])


def test_a_round_that_is_not_over_has_no_sums() -> None:
    game = play_on(fresh(Rules(3, hand_sizes=(4,))), actions=5).game
    judged = judge(game, 1, JUDGE, load(JUDGE))
    assert judged["seats"] == []
    assert judged["decisions"]
