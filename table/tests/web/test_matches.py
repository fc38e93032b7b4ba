"""Matches: the same deals for all, and nobody learns of a round before it is played."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web import matches
from wizard_table.web.matches import DAILY_RULES, list_results
from wizard_table.web.setup import new_setup
from wizard_table.web.store import Row, Save, Store

from table.tests.web.seats import Seat, play_to_the_end, share, sit_down
from wizard_env import Game, Rules
from wizard_env.records.game_records import replay
from wizard_env.records.transcripts import transcribe

SEATS = ["random", None, "random"]
SIZES = [2, 3, 4]


def accept(client: TestClient, match: str, person: str = "Friend") -> tuple[Seat, dict[str, Any]]:
    answer = client.post(f"/matches/{match}/seats", json={"person": person})
    assert answer.status_code == 201, answer.text
    seat = Seat(client, answer.json())
    seat.say(kind="pace", seconds=0)
    return seat, answer.json()


def play_a_round(seat: Seat, place: int) -> None:
    """Take the first (0) or last (-1) legal action until one more round is over."""
    view = seat.wait_for_turn()
    while view["legal"] and len(view["scene"]["pad"]) < 1:
        seat.act(view, view["legal"][place])
        view = seat.wait_for_turn()


def dealt(record: str) -> Any:
    return [(one.hands, one.upcard, one.dealer) for one in transcribe(replay(record)).rounds]


def test_a_friend_gets_the_same_deals_at_the_same_seat(client: TestClient) -> None:
    seat, opened = sit_down(client, SEATS, hand_sizes=SIZES)
    play_to_the_end(seat, np.random.default_rng(1))
    assert client.get(f"/tables/{opened['table']}").json()["match"] is None
    match = share(client, opened).json()["match"]
    assert share(client, opened).json()["match"] == match
    assert client.get(f"/tables/{opened['table']}").json()["match"] == match
    friend, accepted = accept(client, match)
    assert (accepted["seat"], accepted["table"] != opened["table"]) == (1, True)
    play_to_the_end(friend, np.random.default_rng(2))
    first, second = (client.get(f"/tables/{one['table']}/record").text for one in (opened, accepted))
    assert dealt(first) == dealt(second)
    assert first != second


def test_agents_act_alike_while_play_is_alike(client: TestClient) -> None:
    seat, opened = sit_down(client, SEATS, hand_sizes=SIZES)
    play_to_the_end(seat, np.random.default_rng(7))
    friend, accepted = accept(client, share(client, opened).json()["match"])
    play_to_the_end(friend, np.random.default_rng(7))
    first, second = (client.get(f"/tables/{one['table']}/record").text for one in (opened, accepted))
    assert replay(first).history == replay(second).history


def test_a_friend_learns_nothing_before_playing(client: TestClient) -> None:
    """Neither the match nor the new table shows a card of another, or whose table it was."""
    seat, opened = sit_down(client, SEATS, hand_sizes=SIZES)
    play_to_the_end(seat, np.random.default_rng(1))
    match = share(client, opened).json()["match"]
    shown = client.get(f"/matches/{match}").json()
    assert shown.keys() == {"rules", "num_rounds", "seats", "results"}
    assert (shown["seats"], shown["num_rounds"]) == (SEATS, 3)
    (result,) = shown["results"]
    assert result.keys() == {"name", "points", "place", "rounds", "over", "hinted", "taken_back", "own"}
    assert opened["table"] not in str(shown)
    friend, accepted = accept(client, match)
    friend.wait_for_turn()
    assert opened["table"] not in "".join(friend.received)
    assert "seed" not in "".join(friend.received)
    assert client.get(f"/tables/{accepted['table']}/record").status_code == 400


def test_nothing_is_taken_back_in_a_match(client: TestClient) -> None:
    seat, _ = accept(client, "daily")
    view = seat.wait_for_turn()
    seat.act(view, view["legal"][0])
    view = seat.wait_for_turn()
    assert (view["can_take_back"], view["match"] is None) == (False, False)
    seat.say(kind="take_back")
    assert "others play the same deals" in seat.hear("error")["why"]


def test_a_host_who_may_know_the_deals_is_marked(client: TestClient) -> None:
    """A game that is played out, taken back and played again, before it is shared."""
    seat, opened = sit_down(client, SEATS, hand_sizes=[1], person="First")
    play_to_the_end(seat, np.random.default_rng(1))
    assert client.get(f"/tables/{opened['table']}/record").status_code == 200
    seat.say(kind="take_back")
    view = seat.hear()
    while not view["legal"]:
        view = seat.hear()
    seat.acted = -1
    play_to_the_end(seat, np.random.default_rng(2), view)
    match = share(client, opened).json()["match"]
    friend, accepted = accept(client, match)
    play_to_the_end(friend, np.random.default_rng(3))
    results = client.get(f"/matches/{match}").json()["results"]
    assert {one["name"]: one["taken_back"] for one in results} == {"First": True, "Friend": False}
    assert client.get(f"/tables/{opened['table']}").json()["taken_back"] == [1]
    assert client.get(f"/tables/{accepted['table']}").json()["taken_back"] == []


def test_an_unknown_match(client: TestClient) -> None:
    assert client.get("/matches/another").status_code == 404
    assert client.post("/matches/another/seats", json={}).status_code == 404


def test_results_are_listed_best_first(client: TestClient) -> None:
    """Finished games come before those under way; the table that asks is marked, and so are hints."""
    seat, opened = sit_down(client, SEATS, hand_sizes=SIZES, person="First")
    view = seat.wait_for_turn()
    seat.say(kind="hint", agent="heuristic")
    seat.hear("hint")
    play_to_the_end(seat, np.random.default_rng(1), view)
    match = share(client, opened).json()["match"]
    second, _ = accept(client, match, "Second")
    play_to_the_end(second, np.random.default_rng(2))
    third, _ = accept(client, match, "Third")
    play_a_round(third, -1)
    results = client.get(f"/matches/{match}?table={opened['table']}").json()["results"]
    assert {one["name"] for one in results[:2]} == {"First", "Second"}
    assert results[0]["points"] >= results[1]["points"]
    assert [(one["rounds"], one["over"]) for one in results] == [(3, True), (3, True), (1, False)]
    by_name = {one["name"]: one for one in results}
    assert [by_name[name]["own"] for name in ("First", "Second", "Third")] == [True, False, False]
    assert [by_name[name]["hinted"] for name in ("First", "Second", "Third")] == [True, False, False]
    summary = client.get(f"/tables/{opened['table']}").json()
    scores = summary["scores"]
    assert (by_name["First"]["points"], summary["hinted"], summary["match"]) == (scores[1], [1], match)
    assert by_name["First"]["place"] == 1 + sum(score > scores[1] for score in scores)
    assert not any(one["own"] for one in client.get(f"/matches/{match}").json()["results"])


def test_a_result_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until its table changes; damaged tables are left out, and the thread that saves moves reads none."""
    store, setup = Store(":memory:"), replace(new_setup(Rules(3, hand_sizes=(1,)), SEATS), match="m")
    begun, history = Save("one", setup.to_json(), [], 1.0), Game(setup.rules, setup.seed).legal_actions()[:1]
    monkeypatch.setattr(Row, "read", None)
    store.save_all([begun, Save("other", {"match": "m"}, [], 1.0)])
    store._database.execute("UPDATE tables SET digest = 'false' WHERE name = 'other'")
    rows = store.of_match("m")
    assert [row.name for row in rows] == ["one", "other"]
    monkeypatch.undo()
    (result,) = list_results(rows, "one")
    assert (result["own"], result["rounds"]) == (True, 0)
    monkeypatch.setattr(Row, "read", None)
    assert list_results(store.of_match("m"), "one") == [result]
    assert list_results(store.of_match("m")) == [result | {"own": False}]
    store.save_all([begun._replace(history=history, version=1)])
    with pytest.raises(TypeError):
        list_results(store.of_match("m"))


def test_the_day_is_shown_before_anyone_plays(client: TestClient) -> None:
    shown = client.get("/matches/daily").json()
    assert (shown["rules"], shown["results"]) == (DAILY_RULES.to_dict(), [])
    _, accepted = accept(client, "daily", "Ada")
    after = client.get(f"/matches/daily?table={accepted['table']}").json()
    assert [(one["name"], one["own"], one["rounds"]) for one in after["results"]] == [("Ada", True, 0)]


def test_everybody_gets_the_deals_of_the_day(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """And others on another day."""

    def upcard_and_hand(person: str) -> tuple[Any, ...]:
        seat, _ = accept(client, "daily", person)
        view = seat.wait_for_turn()
        assert view["scene"]["rules"] == DAILY_RULES.to_dict()
        assert view["match"].startswith("daily-")
        scene = view["scene"]
        return scene["upcard"], *scene["seats"][0]["hand"], *[one["bid"] for one in scene["seats"]]

    monkeypatch.setattr(matches, "today", lambda: "2026-11-22")
    first = [upcard_and_hand(person) for person in ("Ada", "Grace")]
    assert first[0] == first[1]
    others = set()
    for day in ("2026-11-23", "2026-11-24", "2026-11-25"):
        monkeypatch.setattr(matches, "today", lambda day=day: day)
        others.add(upcard_and_hand("Ada"))
    assert len(others) == 3
    assert first[0] not in others
