"""Judgements: their figures add up, what is refused, and that each is made once."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.judgements import judge
from wizard_table.web.server import make_app

from table.tests.web.seats import browser, play_to_the_end, sit_down
from tests.sessions import fresh, play_on
from wizard_env import Rules
from wizard_env.agents import load

JUDGE = "search:worlds=2"
SHARP = "search:worlds=4"
SEATS = [None, "random", "random"]


@pytest.fixture
def client() -> Iterator[TestClient]:
    with browser(make_app(":memory:", ["random", JUDGE])) as client:
        yield client


def ask(client: TestClient, opened: dict[str, Any], round_number: int = 1) -> Any:
    return client.post(f"/tables/{opened['table']}/judgement", json={"round_number": round_number})


def test_a_finished_round_is_judged_once(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(*arguments: Any) -> dict[str, Any]:
        asked.append(arguments[1])
        return judge(*arguments)

    monkeypatch.setattr("wizard_table.web.judgements.judge", counted)
    seat, opened = sit_down(client, SEATS, hand_sizes=[2, 3])
    play_to_the_end(seat, np.random.default_rng(5))
    first = ask(client, opened).json()
    assert first["analyst"] == JUDGE
    assert [one["seat"] for one in first["seats"]] == [0, 1, 2]
    assert {one["round_number"] for one in first["decisions"]} == {1}
    assert ask(client, opened).json() == first
    assert asked == [1]
    assert ask(client, opened, 2).json()["analyst"] == JUDGE
    assert asked == [1, 2]


def test_only_finished_games_are_judged(client: TestClient) -> None:
    """Not even a finished round before the end: luck and skill are told after the game."""
    seat, opened = sit_down(client, SEATS, hand_sizes=[1, 3])
    view = seat.wait_for_turn()
    while not view["scene"]["pad"]:
        seat.act(view, view["legal"][0])
        view = seat.wait_for_turn()
    refused = ask(client, opened)
    assert (refused.status_code, refused.json()["why"]) == (400, "a game is judged once it is over")
    play_to_the_end(seat, np.random.default_rng(0), view)
    assert ask(client, opened, 2).status_code == 200
    refused = ask(client, opened, 3)
    assert (refused.status_code, refused.json()["detail"]) == (400, "round_number=3: the game has 2 rounds")


@pytest.mark.parametrize(
    ("agents", "judge"),
    [
        (["champion+search:worlds=32", "search:worlds=64", "champion"], "champion+search:worlds=32"),
        (["search:worlds=64", "champion+search:worlds=32", "champion"], "champion+search:worlds=32"),
        (["search:worlds=2", "search:worlds=4", "random"], "search:worlds=4"),
        (["random", "champion"], None),
    ],
)
def test_the_strongest_judges_everywhere(agents: list[str], judge: str | None) -> None:
    """By its measured lead; if nobody's is measured, the last one that estimates points."""
    with browser(make_app(":memory:", agents)) as client:
        told = client.get("/agents").json()
    assert [one["name"] for one in told if one["judges"]] == ([] if judge is None else [judge])


# --- figures


def printed(points: float) -> Decimal:
    """As the page prints it."""
    return Decimal(f"{points:.1f}")


@pytest.mark.parametrize("round_number", [2, 3])
def test_sums_of_a_round_add_up_as_printed(round_number: int) -> None:
    game = play_on(fresh(Rules(3, hand_sizes=(2, 4, 6)))).game
    judged = judge(game, round_number, SHARP, load(SHARP))
    scored = game.rounds[round_number - 1]
    assert judged["analyst"] == SHARP
    assert judged["seconds"] >= 0
    assert any(decision["lost"] for decision in judged["decisions"])
    for played in judged["seats"]:
        own = [one for one in judged["decisions"] if one["seat"] == played["seat"]]
        assert played["points"] == scored.points[played["seat"]]
        assert printed(played["lost"]) == sum(printed(one["lost"]) for one in own)
        assert played["points"] == printed(judged["par"]) + printed(played["luck"]) - printed(played["lost"])
