"""From the lobby to the end: waiting for guests, leaving and coming back, watching, asking while playing."""

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from wizard_table.web import hub as hub_module
from wizard_table.web.server import make_app

from table.tests.web.seats import AGENTS, Seat, browser, new_table, play_to_the_end, sit_down
from wizard_env.records.game_records import replay

GUESTS: list[str | None] = [None, "random", None]


def join(client: TestClient, opened: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = client.post(f"/tables/{opened['table']}/seats", json=body)
    assert answer.status_code == 201, answer.text
    joined: dict[str, Any] = answer.json()
    return joined


def hear_until(seat: Seat, kind: str = "view", **wanted: Any) -> dict[str, Any]:
    """The next message of a kind in which these entries are so."""
    while True:
        heard = seat.hear(kind)
        if wanted.items() <= heard.items():
            return heard


# --- beginning


def test_a_game_begins_when_every_seat_is_taken(client: TestClient) -> None:
    opened = new_table(client, GUESTS, person="Ann", hand_sizes=[1])
    first = Seat(client, opened)
    view = first.hear()
    assert (view["waiting"], view["host"], view["open"], view["legal"]) == (True, 0, [2], [])
    scene = view["scene"]
    assert (scene["phase"], scene["upcard"], scene["trump"], scene["leader"]) == ("waiting", None, None, None)
    for seat in scene["seats"]:
        assert (seat["hand"], seat["cards_held"], seat["deals"], seat["acts"]) == (None, 0, False, False)
    assert view["presence"] == ["here", "agent", "open"]
    first.say(kind="act", action="bid 0", decisions=0)
    assert first.hear("error")["why"] == "the game has not begun: seats are open"
    second = Seat(client, join(client, opened, person="Ben"))
    second.say(kind="pace", seconds=0)
    view = hear_until(first, waiting=False)
    assert (view["open"], view["names"]) == ([], ["Ann", "random", "Ben"])
    hear_until(first, "presence", presence=["here", "agent", "here"])


def test_the_host_may_begin_before_all_have_come(client: TestClient) -> None:
    """An agent acts for an open seat until someone takes it."""
    opened = new_table(client, [None, None, None], hand_sizes=[1, 8])
    first = Seat(client, opened)
    second = Seat(client, join(client, opened))
    second.say(kind="begin")
    assert second.hear("error")["why"] == "only the host may begin the game"
    first.say(kind="begin")
    first.say(kind="pace", seconds=0)
    view = hear_until(first, waiting=False)
    assert (view["open"], view["presence"][2]) == ([2], "open")
    joined = join(client, opened, person="Cleo")
    assert joined["seat"] == 2
    assert hear_until(first, open=[])["names"][2] == "Cleo"


def test_the_lobby_lists_tables_that_wait(client: TestClient) -> None:
    """Only while someone is there, and not those for friends alone."""
    opened = new_table(client, GUESTS, person="Ann")
    assert client.get("/tables").json() == {"tables": []}
    first = Seat(client, opened)
    first.hear()
    hidden = Seat(client, new_table(client, GUESTS, listed=False))
    hidden.hear()
    (listed,) = client.get("/tables").json()["tables"]
    assert (listed["table"], listed["phase"], listed["open"]) == (opened["table"], "waiting", [2])
    assert listed["names"] == ["Ann", "random", "person"]
    assert listed == client.get(f"/tables/{opened['table']}").json()
    join(client, opened)
    assert client.get("/tables").json() == {"tables": []}
    assert client.get(f"/tables/{opened['table']}").json()["phase"] == "playing"


def test_a_browser_finds_its_tables(client: TestClient) -> None:
    """By their tokens; a wrong token finds nothing, and tells nothing of the table."""
    seat, opened = sit_down(client, [None, "random", "random"], hand_sizes=[1])
    other = new_table(client, GUESTS)
    tokens = {opened["table"]: opened["token"], other["table"]: opened["token"], "nowhere": "x"}
    told = client.post("/tables/mine", json={"tokens": tokens}).json()
    (mine,) = told["tables"]
    assert (mine["table"], mine["seat"], mine["left"], mine["phase"]) == (
        opened["table"],
        0,
        False,
        "playing",
    )
    assert set(told["gone"]) == {other["table"], "nowhere"}
    play_to_the_end(seat, np.random.default_rng(0))
    tokens = {opened["table"]: opened["token"]}
    (mine,) = client.post("/tables/mine", json={"tokens": tokens}).json()["tables"]
    assert (mine["phase"], mine["turn"]) == ("over", None)
    many = {str(number): "x" for number in range(101)}
    assert client.post("/tables/mine", json={"tokens": many}).status_code == 400


# --- leaving and coming back


def test_an_agent_takes_over_until_one_is_back(client: TestClient) -> None:
    opened = new_table(client, GUESTS, hand_sizes=[1, 2, 3, 4, 5])
    first, joined = Seat(client, opened), join(client, opened)
    second = Seat(client, joined)
    second.say(kind="pace", seconds=0)
    hear_until(first, waiting=False)
    first.say(kind="leave")
    view = second.wait_for_turn()
    while view["presence"][0] != "left":
        view = second.hear()
    assert client.post("/tables/mine", json={"tokens": {opened["table"]: opened["token"]}}).json()["tables"][
        0
    ]["left"]
    rng = np.random.default_rng(0)
    while not any(event["seat"] == 0 for event in view["events"]):  # the agent has acted for seat 0
        if view["legal"] and view["decisions"] > second.acted:
            second.act(view, str(rng.choice(view["legal"])))
        view = second.hear()
    again = Seat(client, opened)
    view = again.hear()
    assert (view["you"], view["presence"][0]) == (0, "here")
    assert hear_until(second, you=2)["names"] == ["person", "random", "person"]


def test_a_guest_who_leaves_before_the_game_frees_the_seat(client: TestClient) -> None:
    """The table is gone after the last has left."""
    opened = new_table(client, [None, None, None])
    first, joined = Seat(client, opened), join(client, opened, person="Ben")
    second = Seat(client, joined)
    hear_until(first, open=[2])
    second.say(kind="leave")
    view = hear_until(first, open=[1, 2])
    assert view["names"] == ["person", "person", "person"]
    gone = Seat(client, joined)
    assert gone.hear("error")["why"] == "this token opens no seat at this table"
    third = Seat(client, join(client, opened))
    first.say(kind="leave")
    assert hear_until(third, host=1)["open"] == [0, 2]
    third.say(kind="begin")
    hear_until(third, waiting=False)
    last = Seat(client, new_table(client, GUESTS))
    name = last.hear()["table"]
    last.say(kind="leave")
    with pytest.raises(WebSocketDisconnect):  # the server closes the connection
        last.hear()
    assert client.get(f"/tables/{name}").status_code == 404


def test_a_table_does_not_wait_for_ever_for_a_lost_connection(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "AWAY_SECONDS", 0.1)
    opened = new_table(client, GUESTS, hand_sizes=[3])
    first, second = Seat(client, opened), Seat(client, join(client, opened))
    hear_until(second, waiting=False)
    first.leave()
    assert hear_until(second, presence=["left", "agent", "here"])
    assert client.get(f"/tables/{opened['table']}").json()["open"] == []


def test_who_leaves_again_has_the_whole_time_again(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page counts down from what the server says; alone, nobody is counted out."""
    monkeypatch.setattr(hub_module, "AWAY_SECONDS", 2.0)
    opened = new_table(client, GUESTS, hand_sizes=[3])
    joined = join(client, opened)
    first, second = Seat(client, opened), Seat(client, joined)
    assert hear_until(second, waiting=False)["replaced_in"] == [None, None, None]
    first.leave()
    away = hear_until(second, "presence", presence=["away", "agent", "here"])
    assert 1 < away["replaced_in"][0] <= 2
    time.sleep(1)
    again = Seat(client, opened)
    hear_until(second, "presence", presence=["here", "agent", "here"])
    again.leave()
    away = hear_until(second, "presence", presence=["away", "agent", "here"])
    assert away["replaced_in"][0] > 1.5
    second.leave()
    time.sleep(2.5)
    assert Seat(client, joined).hear()["presence"][0] == "away"


def test_the_computer_decides_when_the_time_is_up(client: TestClient) -> None:
    """It decides once and the table says so; a person alone has all the time they want."""
    opened = new_table(client, [None, None, None], hand_sizes=[1], clock=1)
    first = Seat(client, opened)
    others = [Seat(client, join(client, opened)) for _ in range(2)]
    view = hear_until(first, waiting=False)
    (acting,) = [seat["number"] for seat in view["scene"]["seats"] if seat["acts"]]
    assert 0 < view["decides_in"] <= view["clock"] == 1
    for seat in (first, *others):
        assert seat.hear("overdue")["seat"] == acting
    view = hear_until(first, decisions=2)
    assert [event["seat"] for event in view["events"]] == [acting, (acting + 1) % 3]
    assert view["presence"] == ["here"] * 3
    alone, _ = sit_down(client, [None, "random", "random"], hand_sizes=[1], clock=1)
    view = alone.wait_for_turn()
    assert (view["clock"], view["decides_in"]) == (None, None)


def test_no_clock_runs_for_watchers_alone(client: TestClient) -> None:
    opened = new_table(client, [None, None, None], hand_sizes=[1], clock=1, watchers=True)
    others = [join(client, opened) for _ in range(2)]
    watcher = Seat(client, opened | {"token": None})
    assert watcher.hear()["decides_in"] is None
    seat = Seat(client, others[0])
    assert seat.hear()["decides_in"] is not None
    seat.leave()
    hear_until(watcher, "presence", presence=["away"] * 3)
    time.sleep(1.5)
    assert Seat(client, opened | {"token": None}).hear()["decides_in"] is None


# --- emotes


def test_everybody_sees_an_emote(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """One in two seconds from each seat, and none where nobody else can see it."""
    opened = new_table(client, GUESTS)
    first, second = Seat(client, opened), Seat(client, join(client, opened))
    first.say(kind="emote", emote="laugh")
    for seat in (first, second):
        assert seat.hear("emote") == {"kind": "emote", "seat": 0, "emote": "laugh"}
    first.say(kind="emote", emote="sad")
    assert first.hear("error")["why"] == "wait a moment before the next emote"
    second.say(kind="emote", emote="wink")
    assert first.hear("emote")["seat"] == 2
    monkeypatch.setattr(hub_module, "EMOTE_SECONDS", 0.0)
    first.say(kind="emote", emote="sad")
    assert first.hear("emote")["emote"] == "sad"
    first.say(kind="emote", emote="rude")
    assert "detail" in first.hear("error")
    alone, _ = sit_down(client, [None, "random", "random"])
    alone.say(kind="emote", emote="smile")
    assert alone.hear("error")["why"] == "no other person sits at this table"


# --- playing again


def play_together(*seats: Seat) -> None:
    """Play to the end, each seat at random."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda seat: play_to_the_end(seat, np.random.default_rng(0)), seats))


def test_all_who_are_there_play_again_together(client: TestClient) -> None:
    """In the same seats, with the same agents and rules; a second click leads to the same table."""
    opened = new_table(client, GUESTS, person="Ann", hand_sizes=[1, 2], bid_reveal="secret")
    joined = join(client, opened, person="Ben")
    first, second = Seat(client, opened), Seat(client, joined)
    first.say(kind="again")
    assert first.hear("error")["why"] == "the game is not over"
    first.say(kind="pace", seconds=0)
    play_together(first, second)
    second.say(kind="again")
    found = {seat.hear("next")["table"] for seat in (first, second)}
    first.say(kind="again")
    found.add(first.hear("next")["table"])
    (following,) = found - {opened["table"]}
    for seat, before in ((0, opened), (2, joined)):
        view = Seat(client, before | {"table": following}).hear()
        assert (view["you"], view["waiting"], view["names"]) == (seat, False, ["Ann", "random", "Ben"])
        assert (view["scene"]["num_rounds"], view["scene"]["rules"]["bid_reveal"]) == (2, "secret")


def test_who_is_gone_is_not_moved(client: TestClient) -> None:
    """They may follow later, to their own seat; once all have left the next table, another is opened."""
    opened = new_table(client, [None, None, None], hand_sizes=[1])
    joined = join(client, opened, person="Ben")
    first, second = Seat(client, opened), Seat(client, joined)
    first.say(kind="begin")
    first.say(kind="pace", seconds=0)
    play_together(first, second)
    first.leave()
    hear_until(second, "presence", presence=["away", "here", "open"])
    second.say(kind="again")
    following = second.hear("next")["table"]
    view = Seat(client, joined | {"table": following}).hear()
    assert (view["you"], view["waiting"], view["open"]) == (1, True, [0, 2])
    late = Seat(client, opened)
    late.say(kind="again")
    assert late.hear("next")["table"] == following
    assert Seat(client, opened | {"table": following}).hear()["names"] == ["person", "Ben", "person"]

    for one in (opened, joined):
        leaving = Seat(client, one | {"table": following})
        leaving.say(kind="leave")
        with pytest.raises(WebSocketDisconnect):
            hear_until(leaving, you=None)
    second.say(kind="again")
    assert second.hear("next")["table"] not in (opened["table"], following)


# --- watching


def test_watchers_see_what_is_public(client: TestClient) -> None:
    """No hand, no hidden bid, no action; and nobody watches people who did not allow it."""
    seat, opened = sit_down(
        client, [None, "heuristic", "random"], hand_sizes=[4], watchers=True, bid_reveal="secret"
    )
    watcher = Seat(client, opened | {"token": None})
    first = watcher.hear()
    assert (first["you"], first["legal"], first["watchers"]) == (None, [], 1)
    play_to_the_end(seat, np.random.default_rng(0))
    hidden = 0
    while True:
        view = watcher.hear()
        if view["scene"]["phase"] == "over":
            break
        assert all(each["hand"] is None and each["bid"] is None for each in view["scene"]["seats"])
        bids = [event["action"] for event in view["events"] if event["action"].startswith("bid")]
        assert set(bids) <= {"bid"}
        hidden += len(bids)
    assert hidden
    for command in ({"kind": "begin"}, {"kind": "pace", "seconds": 1}, {"kind": "leave"}):
        watcher.say(**command)
        assert watcher.hear("error")["why"] == "only watching is allowed here"


# --- acting and asking


def test_a_second_click_is_ignored(client: TestClient) -> None:
    """It may arrive while the first is being saved, or later."""
    seat, _ = sit_down(client, [None, "random", "random"], hand_sizes=[3])
    view = seat.wait_for_turn()
    for _ in range(3):
        seat.act(view, view["legal"][0])
    after = seat.wait_for_turn()  # an error would end the test
    seat.act(view, view["legal"][0])
    seat.act(after, after["legal"][0])
    assert seat.wait_for_turn()["decisions"] > after["decisions"]


def hold_hints(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Hold hints until the first event is set, then let them fail; the second is set once one waits."""
    gate, asked = threading.Event(), threading.Event()

    def assess(agent: object, view: object, rng: object) -> None:
        asked.set()
        gate.wait(60)
        raise RuntimeError("nobody waits for this")

    monkeypatch.setattr("wizard_table.web.agents.assess_every_action", assess)
    return gate, asked


def test_a_move_cancels_a_hint_and_does_not_wait_for_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, asked = hold_hints(monkeypatch)
    seat, _ = sit_down(client, [None, "champion", "champion"], hand_sizes=[3])
    view = seat.wait_for_turn()
    seat.say(kind="hint", agent="champion")
    assert asked.wait(60)
    seat.act(view, view["legal"][0])
    after = seat.wait_for_turn()  # the same agent has acted meanwhile
    gate.set()
    seat.act(after, after["legal"][0])
    seat.wait_for_turn()
    assert {json.loads(text)["kind"] for text in seat.received} <= {"view", "presence"}


def test_costly_questions_do_not_delay_hints(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be a few of them at once."""
    gate, began = threading.Event(), threading.Event()

    def judgement(*arguments: object) -> dict[str, Any]:
        began.set()
        gate.wait(60)
        return {}

    monkeypatch.setattr("wizard_table.web.judgements.judge", judgement)
    monkeypatch.setattr("wizard_table.web.agents.Agents.judge", "champion")
    player, opened = sit_down(client, [None, "random", "random"], hand_sizes=[1] * 24)
    play_to_the_end(player, np.random.default_rng(0))
    codes: list[int] = []

    def ask(number: int) -> None:
        asked = {"round_number": number}
        codes.append(client.post(f"/tables/{opened['table']}/judgement", json=asked).status_code)

    threads = [threading.Thread(target=ask, args=[number]) for number in range(1, 25)]
    for thread in threads:
        thread.start()
    assert began.wait(60)
    seat, _ = sit_down(client, [None, "random", "random"], hand_sizes=[3])
    seat.wait_for_turn()
    seat.say(kind="hint", agent="champion")
    assert seat.hear("hint")["choices"]
    gate.set()
    for thread in threads:
        thread.join()
    assert codes.count(503) == 4  # one was being answered, and 19 waited
    assert codes.count(200) == 20


# --- names


def test_records_keep_the_names_of_people(client: TestClient) -> None:
    seat, opened = sit_down(client, [None, "heuristic", "random"], hand_sizes=[1], person="Ann")
    play_to_the_end(seat, np.random.default_rng(0))
    told = client.get(f"/tables/{opened['table']}/record").text
    assert replay(told.strip()).players == ("Ann", "heuristic", "random")
    shown = client.post("/records/moment", json={"record": told.strip(), "decisions": 0}).json()
    assert shown["names"] == ["Ann", "heuristic", "random"]


def test_two_people_at_a_table_have_two_names(client: TestClient) -> None:
    opened = new_table(client, GUESTS, person="Ann")
    refused = client.post(f"/tables/{opened['table']}/seats", json={"person": "ANN"})
    assert (refused.status_code, refused.json()["why"]) == (
        400,
        "'ANN' is the name of another person at this table",
    )
    assert join(client, opened, person=" Hanna ")["seat"] == 2


def test_a_restart_keeps_who_waits_and_who_has_left(tmp_path: Any) -> None:
    file = tmp_path / "tables.sqlite"
    with browser(make_app(file, AGENTS)) as client:
        waiting = new_table(client, GUESTS, person="Ann", watchers=True)
        opened = new_table(client, [None, "random", "random"])
        seat = Seat(client, opened)
        seat.hear()
        seat.say(kind="leave")
        with pytest.raises(WebSocketDisconnect):
            seat.hear()
    with browser(make_app(file, AGENTS)) as client:
        told = client.get(f"/tables/{waiting['table']}").json()
        assert (told["phase"], told["names"][0]) == ("waiting", "Ann")
        assert Seat(client, waiting).hear()["watchers"] == 0
        tokens = {opened["table"]: opened["token"]}
        assert client.post("/tables/mine", json={"tokens": tokens}).json()["tables"][0]["left"]
        again = Seat(client, opened)
        assert again.hear()["presence"][0] == "here"


def test_joining_while_the_last_person_leaves(client: TestClient) -> None:
    """The table closes only if nobody has come meanwhile."""
    hub = client.app.state.hub  # type: ignore[attr-defined]
    opened = new_table(client, [None, None, "random"])

    async def both() -> tuple[Any, ...]:
        table = await hub.tables.find(opened["table"])
        return await asyncio.gather(
            hub.leave_seat(table, 0), hub.take_seat(table, "Guest"), return_exceptions=True
        )

    assert client.portal is not None
    _, taken = client.portal.call(both)
    if not isinstance(taken, Exception):
        assert Seat(client, taken._asdict()).hear()["names"][taken.seat] == "Guest"
