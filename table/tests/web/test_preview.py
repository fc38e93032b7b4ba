"""Shared results: the address, the preview of links to it, and the same deals behind it."""

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.server import make_app

from table.tests.web.seats import AGENTS, Seat, browser, new_table, play_to_the_end, share, sit_down

SEATS = [None, "random", "random"]
JUDGE = "search:worlds=2"
DEAL = 1
"""The seed of a game in which a decision costs clearly more than five points."""


def told(html: str) -> dict[str, str]:
    """The names and properties in the head of a page, with their content."""
    return {
        name: unescape(text)
        for _, name, text in re.findall(r'<meta (name|property)="(\S+)" content="(.*)">', html)
    }


def finished(client: TestClient, seed: int = 1, **options: Any) -> dict[str, Any]:
    seat, opened = sit_down(client, SEATS, hand_sizes=[2, 3], **options)
    play_to_the_end(seat, np.random.default_rng(seed))
    return opened


def test_a_link_to_a_result_tells_it(client: TestClient) -> None:
    """Programs read a title, a text and the whole address of a picture; browsers are led to the page."""
    opened = finished(client, person="<Ann>")
    shared = share(client, opened).json()
    assert shared["address"].endswith(f"/share/{opened['table']}/0")
    assert (shared["seat"], shared["reachable"], "<svg" in shared["qr"]) == (0, False, True)
    page = client.get(f"/share/{opened['table']}/0")
    assert page.headers["content-type"].startswith("text/html")
    shown = told(page.text)
    scores = client.get(f"/tables/{opened['table']}").json()["scores"]
    place = ["1st", "2nd", "3rd"][sum(score > scores[0] for score in scores)]
    points = f"{scores[0]:+}" if scores[0] else "0"
    assert shown["og:title"].replace("+0", "0") == f"<Ann>: {points}, {place} of 3 · Wizard"
    assert shown["og:description"] == "Can you do better?"
    assert "<Ann>" not in page.text
    assert client.get(shown["og:image"]).headers["Content-Type"] == "image/jpeg"
    assert f'content="0; url=../../#result/{opened["table"]}/0"' in page.text


def test_an_invitation_to_a_table_tells_who_sits_there(client: TestClient) -> None:
    opened = new_table(client, [None, None, None], person="<Ann>")
    page = client.get(client.get(f"/tables/{opened['table']}/invitation").json()["address"])
    shown = told(page.text)
    assert shown["og:title"] == "Wizard"
    assert shown["og:description"] == "At the table: <Ann>. 20 rounds. 2 seats are open."
    assert shown["og:image"].startswith("http://localhost/")
    assert "<Ann>" not in page.text
    assert f'content="0; url=../#{opened["table"]}"' in page.text
    alone = new_table(client, SEATS)
    assert told(client.get(f"/join/{alone['table']}").text)["og:description"].startswith("A game of")


def test_an_invitation_to_a_match_tells_what_it_is(client: TestClient) -> None:
    match = share(client, finished(client)).json()["match"]
    page = client.get(f"/join/match/{match}")
    assert told(page.text)["og:title"] == "Play the same deals · Wizard"
    assert f'content="0; url=../../#match/{match}"' in page.text


@pytest.mark.parametrize("path", ["/join/nothing", "/join/match/nothing", "/share/nothing/0"])
def test_a_link_to_nothing(client: TestClient, path: str) -> None:
    """The page then says that it does not exist."""
    page = client.get(path)
    assert page.status_code == 404
    assert told(page.text)["og:title"] == "Wizard"


def test_results_of_several_people_are_shared_without_their_deals(client: TestClient) -> None:
    opened = new_table(client, [None, None, "random"], hand_sizes=[1], person="Ann")
    joined = client.post(f"/tables/{opened['table']}/seats", json={}).json()
    people = {one["seat"]: Seat(client, one) for one in (opened, joined)}
    people[0].say(kind="pace", seconds=0)

    def summary() -> dict[str, Any]:
        return dict(client.get(f"/tables/{opened['table']}").json())

    while (now := summary())["phase"] != "over":  # a person may have to name the trump
        if (acting := now["turn"]) in people:
            people[acting].act(view := people[acting].wait_for_turn(), view["legal"][0])
            while summary()["turn"] == acting:
                pass
    assert share(client, opened).json()["match"] is None
    assert (
        told(client.get(f"/share/{opened['table']}/1").text)["og:description"]
        == "A game of Wizard, card by card."
    )


def test_a_game_that_goes_on_is_not_shared(client: TestClient) -> None:
    _, opened = sit_down(client, SEATS, hand_sizes=[2])
    refused = share(client, opened)
    assert (refused.status_code, refused.json()["why"]) == (
        400,
        "a result can be shared once the game is over",
    )
    assert told(client.get(f"/share/{opened['table']}/0").text)["og:title"] == "Wizard"


@pytest.mark.parametrize("seat", [1, 7])
def test_there_is_no_result_of_an_agent_or_without_a_seat(client: TestClient, seat: int) -> None:
    opened = finished(client)
    assert client.get(f"/share/{opened['table']}/{seat}").status_code == 404


def test_only_the_seat_shares_its_result(client: TestClient) -> None:
    opened = finished(client)
    assert share(client, {**opened, "token": "another"}).status_code == 404


def test_the_text_names_what_a_decision_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once every round is judged; nobody waits for a judge."""
    monkeypatch.setattr("wizard_table.web.setup.fresh_seed", lambda: DEAL)
    with browser(make_app(tmp_path / "tables.sqlite", ["random", JUDGE])) as client:
        opened = finished(client, 3)
        share(client, opened)
        path = f"/share/{opened['table']}/0"
        losses = []
        for number in (1, 2):
            assert told(client.get(path).text)["og:description"] == "Can you do better?"
            asked = {"round_number": number}
            judged = client.post(f"/tables/{opened['table']}/judgement", json=asked).json()
            losses += [
                one for one in judged["decisions"] if one["seat"] == 0 and one["chosen"] != one["best"]
            ]
        clear = [one for one in losses if one["lost"] > 2 * one["error"]]
        worst = max(clear, key=lambda one: one["lost"])
        assert worst["lost"] >= 5, "choose another seed"
        kind = {"bid": "One bid", "trump": "One choice of trump", "play": "One card"}[worst["phase"]]
        cost = f"{kind} cost {round(worst['lost'])} points."
        assert told(client.get(path).text)["og:description"] == f"{cost} Can you do better?"


def test_hints_and_take_backs_are_remembered(tmp_path: Path) -> None:
    """Also after the server was started again; and taking back does not forget them."""
    database = tmp_path / "tables.sqlite"
    with browser(make_app(database, AGENTS)) as client:
        seat, opened = sit_down(client, SEATS, hand_sizes=[2])
        view = seat.wait_for_turn()
        seat.say(kind="hint", agent="heuristic")
        seat.hear("hint")
        seat.act(view, view["legal"][0])
        seat.wait_for_turn()
        seat.say(kind="take_back")
        seat.hear()
    with browser(make_app(database, AGENTS)) as client:
        again = Seat(client, opened)
        again.say(kind="pace", seconds=0)
        play_to_the_end(again, np.random.default_rng(0))
        share(client, opened)
        assert told(client.get(f"/share/{opened['table']}/0").text)["og:description"].startswith(
            "Played with hints. Choices taken back."
        )
