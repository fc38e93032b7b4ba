"""Judgements: their figures add up, who may ask, what is refused, and that each is made once."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.judgements import judge
from wizard_table.web.server import make_app

from table.tests.web.seats import Seat, browser, play_to_the_end, sit_down
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
        Seat.leave_all()


def ask(client: TestClient, opened: dict[str, Any], round_number: int = 1, **changed: Any) -> Any:
    wanted = {"round_number": round_number, "token": opened["token"]} | changed
    return client.post(f"/tables/{opened['table']}/judgement", json=wanted)


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


def test_only_finished_rounds_are_judged(client: TestClient) -> None:
    seat, opened = sit_down(client, SEATS, hand_sizes=[2, 3])
    seat.wait_for_turn()
    refused = ask(client, opened)
    assert refused.status_code == 400
    assert refused.json()["why"] == "round 1 is not over: 0 rounds of this game are"


def test_while_the_game_is_on_only_its_seats_may_ask(client: TestClient) -> None:
    seat, opened = sit_down(client, SEATS, hand_sizes=[1, 3])
    view = seat.wait_for_turn()
    while not view["scene"]["pad"]:
        seat.act(view, view["legal"][0])
        view = seat.wait_for_turn()
    assert ask(client, opened).status_code == 200
    assert ask(client, opened, token=None).status_code == 404
    assert ask(client, opened, token="another").status_code == 404
    while view["legal"]:
        seat.act(view, view["legal"][0])
        view = seat.wait_for_turn()
    assert ask(client, opened, token=None).status_code == 200


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


def test_a_round_that_is_not_over_has_no_sums() -> None:
    game = play_on(fresh(Rules(3, hand_sizes=(4,))), actions=5).game
    judged = judge(game, 1, SHARP, load(SHARP))
    assert judged["seats"] == []
    assert judged["decisions"]
