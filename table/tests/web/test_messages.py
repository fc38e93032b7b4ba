"""Messages of browsers: names of people, and refusals in the language of the person who caused them."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient
from wizard_table.translation import LANGUAGES
from wizard_table.web.messages import LONGEST_NAME, normalize_name
from wizard_table.web.setup import check_distinct

from table.tests.web.seats import Seat, browser, new_table
from tests.positions import played_at_random
from tests.reliability.documents import JSON, altered, as_json
from tests.reliability.effort import SOAK, times
from wizard_env import Rules, record

TABLE: dict[str, Any] = {"seats": [None, "random", "random"]}
TECHNICAL = ("Value error", "Input should", "person:", "hand_sizes", "bid_re", "line 1", "=")
WRONG = [
    ("tables", TABLE | {"person": "rule_based"}),
    ("tables", TABLE | {"person": "x" * 30}),
    ("tables", TABLE | {"person": "\u200d"}),
    ("tables", TABLE | {"person": "x" * 300}),
    ("tables", TABLE | {"hand_sizes": [3, 99]}),
    ("tables", TABLE | {"hand_sizes": [0]}),
    ("tables", TABLE | {"hand_sizes": [1] * 61}),
    ("tables", TABLE | {"bid_restriction": "no_even", "bid_reveal": "secret"}),
    ("records/moment", {"record": "{}", "decisions": 0}),
    ("records/moment", {"record": "x" * 70_000, "decisions": 0}),
]


# --- names


@pytest.mark.parametrize(
    ("typed", "normal"),
    [
        ("  Ann ", "Ann"),
        ("Ann   Lee", "Ann Lee"),
        ("\uff21\uff4e\uff4e", "Ann"),  # full-width letters
        ("Jose\u0301", "Jos\u00e9"),
        ("\U0001f469\u200d\U0001f467", "\U0001f469\u200d\U0001f467"),
        ("x" * LONGEST_NAME, "x" * LONGEST_NAME),
    ],
)
def test_names_have_one_spelling(typed: str, normal: str) -> None:
    assert normalize_name(typed) == normal
    assert normalize_name(normal) == normal


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("", "can be seen"),
        (" ", "can be seen"),
        ("\u200d", "can be seen"),
        ("a\nb", "printable"),
        ("\u202eevil", "printable"),
        ("x" * (LONGEST_NAME + 1), "21 characters: 20 are allowed"),
    ],
)
def test_names_that_cannot_be_shown_are_refused(typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        normalize_name(typed)


def test_nobody_has_the_name_of_an_agent() -> None:
    check_distinct("Ann", ["Anna", "champion"], "an agent")
    with pytest.raises(ValueError, match="'Champion' is the name of an agent"):
        check_distinct("Champion", ["rule_based", "champion"], "an agent")


# --- refusals


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize(("path", "body"), WRONG)
def test_a_refusal_is_translated(client: TestClient, language: str, path: str, body: dict[str, Any]) -> None:
    answer = client.post(f"/{path}", json=body, headers={"Accept-Language": language})
    english = client.post(f"/{path}", json=body, headers={"Accept-Language": "en"}).json()["why"]
    assert answer.status_code == 400
    assert not any(word in answer.json()["why"] for word in TECHNICAL)
    assert (answer.json()["why"] == english) is (language == "en")


def test_rules_are_refused_as_rules_refuses_them(client: TestClient) -> None:
    for options in ({"bid_restriction": "no_even", "bid_reveal": "secret"}, {"hand_sizes": (21,)}):
        with pytest.raises(ValueError) as refused:  # noqa: PT011 - the text is compared below
            Rules(3, **options)
        assert client.post("/tables", json=TABLE | options).json()["detail"] == str(refused.value)


def test_refusals_over_the_websocket_are_translated(client: TestClient) -> None:
    """The detail is for developers, in English, beside the reason for the person."""
    client.cookies["language"] = "es"
    seat = Seat(client, new_table(client, [None, "random", "random"], hand_sizes=[1]))
    view = seat.wait_for_turn()
    seat.act(view, "bid 7")
    refused = seat.hear("error")
    assert refused["why"] == "Las reglas no lo permiten ahora."
    assert "may not bid 7" in refused["detail"]
    seat.say(kind="fly")
    assert seat.hear("error")["why"].startswith("Esta página y el servidor no se entienden.")


def test_the_guard_refuses_in_the_language_of_the_request(client: TestClient) -> None:
    answer = client.get("/tables", headers={"Host": "evil.example", "Accept-Language": "pt"})
    assert answer.json()["why"].startswith("este servidor não responde")


# --- anything at all

fuzzing = settings(
    max_examples=times(40, 4000),
    deadline=None,
    derandomize=not SOAK,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
RECORD = record(played_at_random(Rules(3, hand_sizes=(2, 1)), 4))
SAID: list[dict[str, Any]] = [
    {"kind": "act", "action": "bid 1", "decisions": 0},
    {"kind": "hint", "agent": "heuristic"},
    {"kind": "take_back"},
    {"kind": "pace", "seconds": 1.0},
    {"kind": "begin"},
    {"kind": "sit", "token": None},
]
BODIES: dict[str, dict[str, Any]] = {
    "/tables": {
        "seats": [None, "random", "heuristic"],
        "bid_reveal": "secret",
        "hand_sizes": [2],
        "watchers": True,
    },
    "/tables/mine": {"tokens": {"a": "b"}},
    "/matches/daily/seats": {"person": "Ann"},
    "/records/moment": {"record": RECORD, "decisions": 1},
    "/records/assessment": {"record": RECORD, "decisions": 1, "agent": "heuristic"},
}


@settings(fuzzing, max_examples=times(8, 500))
@given(st.lists(st.sampled_from(SAID).flatmap(altered) | JSON, min_size=1, max_size=6))
def test_any_message_is_answered_or_refused(messages: list[Any]) -> None:
    """The connection stays open, and the seat can be taken again."""
    with browser() as client:
        opened = new_table(client, [None, "random", "random"], hand_sizes=[1])
        seat = Seat(client, opened)
        for text in map(as_json, messages):
            seat.socket.send_text(text)
        seat.say(kind="ping")
        while (heard := json.loads(seat.socket.receive_text())["kind"]) != "pong":
            assert heard in ("view", "presence", "hint", "error")
        assert Seat(client, opened).hear()["you"] == 0


@fuzzing
@given(st.data())
def test_any_body_is_accepted_or_refused_with_a_reason(server: TestClient, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(BODIES)))
    body = data.draw(altered(BODIES[path]) | JSON)
    answer = server.post(path, content=as_json(body), headers={"Content-Type": "application/json"})
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    if answer.status_code >= 400:
        assert len(answer.json()["why"]) < 3000


@pytest.fixture(scope="module")
def server() -> Any:
    with browser() as client:
        yield client
