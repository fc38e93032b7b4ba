"""Refusals: in the language and the words of the person who caused them."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from table.tests.web.seats import Seat, new_table

TABLE: dict[str, Any] = {"seats": [None, "random", "random"]}
TECHNICAL = ("Value error", "Input should", "person:", "hand_sizes", "bid_re", "line 1", "=")
WRONG = [
    ("tables", TABLE | {"person": "rule_based"}, "person"),
    ("tables", TABLE | {"person": "x" * 30}, "person"),
    ("tables", TABLE | {"person": "\u200d"}, "person"),
    ("tables", TABLE | {"person": "x" * 300}, "person"),
    ("tables", TABLE | {"hand_sizes": [3, 99]}, "hand_sizes"),
    ("tables", TABLE | {"hand_sizes": [0]}, "hand_sizes"),
    ("tables", TABLE | {"hand_sizes": [1] * 61}, "hand_sizes"),
    ("tables", TABLE | {"bid_restriction": "no_even", "bid_reveal": "secret"}, "bid_reveal"),
    ("records/moment", {"record": "{}", "decisions": 0}, None),
    ("records/moment", {"record": "x" * 70_000, "decisions": 0}, "record"),
]


@pytest.mark.parametrize("language", ["en", "ca", "es", "pt"])
@pytest.mark.parametrize(("path", "body", "field"), WRONG)
def test_a_refusal_names_the_field_and_is_translated(
    client: TestClient, language: str, path: str, body: dict[str, Any], field: str | None
) -> None:
    answer = client.post(f"/{path}", json=body, headers={"Accept-Language": language})
    english = client.post(f"/{path}", json=body, headers={"Accept-Language": "en"}).json()["why"]
    assert answer.status_code == 400
    assert answer.json().get("field") == field
    assert not any(word in answer.json()["why"] for word in TECHNICAL)
    assert (answer.json()["why"] == english) is (language == "en")


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
    client.cookies.clear()


def test_the_guard_refuses_in_the_language_of_the_request(client: TestClient) -> None:
    answer = client.get("/tables", headers={"Host": "evil.example", "Accept-Language": "pt"})
    assert answer.json()["why"].startswith("este servidor não responde")
