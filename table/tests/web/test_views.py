"""The JSON that browsers draw a table from, for games at tables and from records."""

import re
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.messages import LONGEST_RECORD
from wizard_table.web.views import NOBODY, view_of

from table.tests.web.seats import sit_down
from tests.positions import played_at_random
from wizard_env import ACTIONS, Game, Rules, record
from wizard_env.session import Session


@pytest.mark.parametrize("seat", [0, None, NOBODY])
def test_the_leader_is_named(seat: int | None) -> None:
    """The seat that leads the trick, or will lead the first one: left of the dealer."""
    game = played_at_random(Rules(4, hand_sizes=(1, 3)), 5)
    led = set()
    for decisions in range(len(game.history) + 1):
        session = Session.of_record(game, decisions)
        scene = view_of(session, seat)["scene"]
        if session.game.seat is None:
            assert scene["leader"] is None
        elif scene["trick"]:
            assert scene["leader"] == scene["trick"][0][0]
        elif scene["phase"] == "play":
            assert scene["leader"] == session.game.seat
        else:
            assert scene["leader"] == (scene["dealer"] + 1) % 4
        led.add((scene["phase"], bool(scene["trick"])))
    assert {("bid", False), ("play", False), ("play", True), ("over", False)} <= led


# --- records


@pytest.fixture(scope="module")
def game() -> Game:
    return played_at_random(Rules(3, hand_sizes=(1, 3)), 5)


def test_a_game_is_shown_at_every_decision(client: TestClient, game: Game) -> None:
    for number, (twin, action) in enumerate(game.retrace()):
        told = client.post("/records/moment", json={"record": record(game), "decisions": number}).json()
        assert told["chosen"] == ACTIONS[action]
        assert told["legal"] == [ACTIONS[one] for one in twin.legal_actions()]
        assert [each["hand"] for each in told["scene"]["seats"]] == twin.hands
        assert (told["num_decisions"], told["first_decisions"]) == (len(game.history), [0, 6])
        twin.step(action)
    told = client.post("/records/moment", json={"record": record(game), "decisions": 18}).json()
    assert (len(game.history), told["chosen"], told["scene"]["phase"]) == (18, None, "over")


def test_a_decision_is_shown_as_it_was_to_its_seat(client: TestClient) -> None:
    """The record of a finished game gives what the seat was sent while it played: no hidden card."""
    seat, opened = sit_down(client, [None, "random", "random"], hand_sizes=[2, 3], bid_reveal="secret")
    rng, shown = np.random.default_rng(3), []
    view = seat.wait_for_turn()
    while view["legal"]:
        shown.append(view)
        seat.act(view, str(rng.choice(view["legal"])))
        view = seat.wait_for_turn()
    told = client.get(f"/tables/{opened['table']}/record").text
    for view in shown:
        asked = {"record": told, "decisions": view["decisions"]}
        decision = client.post("/records/decision", json=asked).json()
        assert decision == {name: view[name] for name in decision}
        assert {"you", "scene", "legal", "names"} <= decision.keys()
    assert len(shown) >= 7  # two bids, five cards, and a trump where one is to be named


def test_a_decision_does_not_depend_on_hidden_cards(client: TestClient) -> None:
    rules, answers = Rules(3, hand_sizes=(2,)), []
    for others in (["TS WI", "2H JE"], ["9C 4D", "TS AH"]):
        game = Game.from_deal(rules, dealer=2, hands=["KH QD", *others], upcard="3C", round_number=1)
        answers.append(client.post("/records/decision", json={"record": record(game), "decisions": 0}))
    assert answers[0].status_code == 200
    assert answers[0].text == answers[1].text
    assert set(re.findall(r'"([2-9TJQKA][SHDC]|WI|JE)"', answers[0].text)) == {"KH", "QD", "3C"}


def test_assessments_of_every_decision(client: TestClient, game: Game) -> None:
    asked = {"record": record(game), "decisions": 7}
    network, rules = (
        client.post("/records/assessment", json={**asked, "agent": agent}).json()
        for agent in ("champion", "heuristic")
    )
    assert sum(one["share"] for one in network["choices"]) == pytest.approx(1, abs=1e-5)
    for advice in (network, rules):
        assert advice["value"] == advice["choices"][0]["points"]
        assert set(advice["choices"][0]) == {"action", "share", "points", "met", "error", "as_good", "why"}
    over = client.post("/records/assessment", json={**asked, "decisions": 18, "agent": "champion"})
    assert over.status_code == 400


@pytest.mark.parametrize(
    ("path", "wrong", "why"),
    [
        ("moment", {"record": "{}"}, "line 1: "),
        ("moment", {"decisions": 19}, "decisions=19: the game has 18"),
        ("moment", {"decisions": -1}, "decisions: Input should be greater"),
        ("moment", {"more": 1}, "more: Extra"),
        ("moment", {"record": "x" * (LONGEST_RECORD + 1)}, "record: String should have at most"),
        ("decision", {"decisions": 18}, "the game is over"),
        ("decision", {"record": "{}"}, "line 1: "),
        ("assessment", {"agent": "runs/secret"}, "unknown agent 'runs/secret': allowed are random"),
    ],
)
def test_invalid_questions_are_refused(
    client: TestClient, game: Game, path: str, wrong: dict[str, Any], why: str
) -> None:
    body = {"record": record(game), "decisions": 0} | wrong
    answer = client.post(f"/records/{path}", json=body)
    assert answer.status_code == 400
    assert why in "; ".join(answer.json().values())


def test_an_altered_record_is_refused(client: TestClient, game: Game) -> None:
    altered = record(game).replace('"seed":5', '"seed":6')
    assert altered != record(game)
    answer = client.post("/records/moment", json={"record": altered, "decisions": 0})
    assert answer.status_code == 400
