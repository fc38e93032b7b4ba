"""Whole games over MCP, with the client of its SDK: over stdio, over HTTP, and in this process."""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from subprocess import PIPE
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.commands import COMMAND
from tests.llm.players import serving
from wizard_env import ACTIONS, Rules, View
from wizard_env.llm import served_games
from wizard_env.llm.mcp import make_server
from wizard_env.llm.served_games import ServedGame, ServedGames
from wizard_env.llm.serving import LONGEST_BODY, make_app
from wizard_env.llm.text import score_text, view_text
from wizard_env.session import Session, seat_agents
from wizard_env.view import Actions
from wizard_env.words import card_text

SEED = 9_876_543_210_123_456_789
SHORT = Rules(3, hand_sizes=(1, 2))
GAMES = (
    (Rules(6), ["heuristic", "random"], 5),
    (Rules(3, hand_sizes=(3, 1, 20), bid_reveal="secret"), ["random"], 0),
    (Rules(4, hand_sizes=(2, 15), bid_reveal="simultaneous", magic_edition=True), ["random"], 2),
    (Rules(3, hand_sizes=(1, 2, 1, 2), bid_restriction="no_even"), ["random", "rule_based"], 1),
)
CARD = re.compile(r"(?:10|[2-9JQKA])[♠♥♦♣]")


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool, and return its structured reply; the text is in it too."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    assert not result.is_error, content.text
    assert result.structured_content is not None
    assert result.structured_content["text"] == content.text
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that refuses, and return its reason."""
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert content.type == "text"
    assert result.is_error
    assert result.structured_content is None
    return content.text


async def sit_down(client: Client, rules: Rules, opponents: list[str], seat: int = 0) -> dict[str, Any]:
    options = {name: value for name, value in rules.to_dict().items() if name != "num_players"}
    return await call(
        client,
        "sit_down",
        players=rules.num_players,
        opponents=opponents,
        seat=seat + 1,
        seed=SEED,
        **options,
    )


def check_reply(reply: dict[str, Any], twin: Session, seat: int) -> None:
    """Compare a reply with a session in which the same has happened."""
    game = twin.game
    legal = [] if game.seat is None else [ACTIONS[action] for action in game.legal_actions()]
    assert (reply["phase"], reply["seat"], reply["legal_actions"]) == (game.phase, seat + 1, legal)
    assert reply["scores"] == game.scores
    assert reply["round_points"] == [played.points for played in game.rounds]
    assert reply["winners"] == [winner + 1 for winner in game.winners]
    assert str(SEED) not in json.dumps(reply)


def check_view(reply: dict[str, Any], twin: Session, seat: int) -> None:
    """Check that a reply ends with the current round, and shows no card that another seat holds."""
    check_reply(reply, twin, seat)
    current = reply["text"].split("\n\n")[-1]
    assert current.startswith(view_text(twin.game, seat).split("\n\n")[-1])
    if twin.game.seat is not None:
        hands = [hand for other, hand in enumerate(twin.game.hands) if other != seat]
        hidden = {card_text(card) for hand in hands for card in hand}
        assert not hidden & set(CARD.findall(current))


async def play(client: Client, rules: Rules, opponents: list[str], seat: int) -> str:
    """Play a game with random legal actions, beside the same game in a session; return the table's name."""
    twin = Session(rules, seat_agents(opponents, seat, rules.num_players), SEED)
    rng = random.Random(SEED)
    reply = await sit_down(client, rules, opponents, seat)
    table = reply["table"]
    while True:
        while twin.waits_for_an_agent:
            twin.advance()
        check_view(reply, twin, seat)
        if twin.game.seat is None:
            break
        if rng.random() < 0.1:
            seen = await call(client, "look", table=table)
            check_view(seen, twin, seat)
            assert seen["text"].startswith(view_text(twin.game, seat))
            score = await call(client, "score", table=table)
            check_reply(score, twin, seat)
            assert score["text"] == score_text(twin.game)
        action = rng.choice(reply["legal_actions"])
        twin.act(seat, action)
        reply = await call(client, "act", table=table, action=action)
    return str(table)


async def play_many(client: Client, games: Sequence[tuple[Rules, list[str], int]]) -> None:
    """Play games at once, at tables of their own."""
    tables = await asyncio.gather(*(play(client, *game) for game in games))
    assert len(set(tables)) == len(games)


@contextmanager
def http_server(folder: Path) -> Iterator[str]:
    """Run `wizard mcp` over HTTP, and yield its address."""
    command = [str(COMMAND), "mcp", "random", "heuristic", "rule_based", "--http", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def test_games_over_stdio(tmp_path: Path) -> None:
    """With nothing on stderr."""
    log = tmp_path / "log"

    async def run() -> None:
        server = StdioServerParameters(
            command=str(COMMAND),
            args=["mcp", "random", "heuristic", "rule_based"],
            env=dict(os.environ),
            cwd=tmp_path,
        )
        with log.open("w") as errors:
            async with Client(stdio_client(server, errors)) as client:
                await play_many(client, GAMES[:2])

    asyncio.run(run())
    assert log.read_text() == ""


def test_ctrl_c_ends_the_server(tmp_path: Path) -> None:
    """Over stdio too, while a thread waits for the next request."""
    command = [str(COMMAND), "mcp", "random"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == -signal.SIGINT
        finally:
            process.kill()


def test_games_over_http(tmp_path: Path) -> None:
    async def run(address: str) -> None:
        async with Client(address) as client, Client(address, mode="legacy") as other:
            await asyncio.gather(play_many(client, GAMES[2:]), play(other, *GAMES[1]))

    with http_server(tmp_path) as address:
        asyncio.run(run(address))
        assert [status(address, *request) for request, _ in REFUSED] == [code for _, code in REFUSED]


def test_requests_that_name_the_server() -> None:
    """By its addresses on this computer, and by the public one; pages of other sites are refused."""
    server = make_server(ServedGames(["random"], 1))
    with serving(make_app(server, "0.0.0.0", "https://wizard.example/")) as root:
        address = f"{root}/mcp"
        accepted = status(address, b"{}", {})
        assert status(address, b"{}", {"Host": "wizard.example"}) == accepted == 400
        assert status(address, b"{}", {"Origin": "https://wizard.example"}) == accepted
        assert status(address, b"{}", {"Host": "other.example"}) == 421
        assert status(address, b"{}", {"Origin": "https://other.example"}) == 403
    with pytest.raises(ValueError, match="an address such as https:"):
        make_app(server, "127.0.0.1", "wizard.example")


REFUSED: tuple[tuple[Any, int], ...] = (
    ((b"{}", {"Host": "wizard.example"}), 421),
    ((b"{}", {"Origin": "https://wizard.example"}), 403),
    ((b" " * (LONGEST_BODY + 1), {}), 413),
    ((b"", {}, "GET"), 405),
)
"""Requests that are refused: to another name, from a page of another site, too long, to open a stream."""


def status(address: str, body: bytes, headers: dict[str, str], method: str = "POST") -> int:
    """Send a request, and return the status of the answer."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=30)
    kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    try:
        connection.request(method, parts.path, body, kinds | headers)
        return connection.getresponse().status
    finally:
        connection.close()


def run_at(server: Any, scene: Any) -> None:
    """Run a coroutine function with a client of a server in this process."""

    async def run() -> None:
        async with Client(server) as client:
            await scene(client)

    asyncio.run(run())


def test_the_server_explains_itself() -> None:
    """A model needs nothing but the instructions and the descriptions of the tools."""
    server = make_server(ServedGames(["random", "champion"], 1))

    async def scene(client: Client) -> None:
        assert client.instructions is not None
        assert client.instructions.endswith("takes the names: random, champion.")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            assert tool.description
            assert "  " not in tool.description
            assert all("description" in one for one in tool.input_schema["properties"].values())
        reply = await sit_down(client, SHORT, [])
        page = reply["text"].split("\n\n")[1]
        assert (await call(client, "rules", table=reply["table"]))["text"] == page
        legal = await call(client, "legal_actions", table=reply["table"])
        assert legal["text"] == reply["text"].splitlines()[-1]

    run_at(server, scene)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("bid 9", "seat 1 may not answer “bid 9”: a bid from 0 to 1 is needed. Legal actions of seat 1: bid"),
        ("I give up", "The answer 'I give up' names no action. Legal actions of seat 1: bid 0, bid 1"),
        ("x" * 90_000, "names no action. Legal actions of seat 1: bid 0, bid 1"),
        ("b\u0131d 1", "names no action. Legal actions of seat 1: bid 0, bid 1"),
    ],
)
def test_an_answer_without_a_legal_action_changes_nothing(answer: str, reason: str) -> None:
    async def scene(client: Client) -> None:
        before = await sit_down(client, SHORT, ["random"])
        told = await refusal(client, "act", table=before["table"], action=answer)
        assert reason in told
        assert len(told) < 1000
        after = await call(client, "look", table=before["table"])
        assert before["text"].endswith(after["text"])

    run_at(make_server(ServedGames(["random"], 1)), scene)


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("look", {"table": "nowhere"}, "there is no such table"),
        ("look", {"tabel": "x"}, "tool 'look' has no option 'tabel': did you mean 'table'?"),
        ("sit_down", {"players": 3, "seat": 4}, "seat=4: allowed are 1 to 3"),
        ("sit_down", {"seat": True}, "Input should be a valid integer"),
        ("sit_down", {"seed": True}, "Input should be a valid integer"),
        ("sit_down", {"hand_sizes": [True]}, "Input should be a valid integer"),
        ("sit_down", {"opponents": ["champion"]}, "unknown agent 'champion': allowed are random"),
        ("sit_down", {"opponents": ["x" * 1000]}, "allowed are random"),
        ("sit_down", {"hand_sizes": ["x"] * 90_000}, "List should have at most 60 items"),
        ("sit_down", {"bid_restriction": "leader", "bid_reveal": "secret"}, "needs bid_reveal='open'"),
    ],
)
def test_what_is_refused(tool: str, arguments: dict[str, Any], reason: str) -> None:
    """In few words, whatever was given."""
    games = ServedGames(["random"], 1)

    async def scene(client: Client) -> None:
        told = await refusal(client, tool, **arguments)
        assert reason in told
        assert len(told) < 1000

    run_at(make_server(games), scene)
    assert len(games) == 0


def test_a_game_that_is_over_can_be_read() -> None:
    async def scene(client: Client) -> None:
        table = await play(client, SHORT, ["random"], 1)
        for tool, arguments in (("act", {"action": "bid 1"}), ("legal_actions", {})):
            assert "the game is over" in await refusal(client, tool, table=table, **arguments)
        assert "Won by" in (await call(client, "look", table=table))["text"]
        score = await call(client, "score", table=table)
        assert (await call(client, "leave", table=table)) == score
        assert "no such table" in await refusal(client, "look", table=table)

    run_at(make_server(ServedGames(["random"], 1)), scene)


class MINE:
    """Thinks for a while, takes its first legal action, and may fail."""

    thinks = threading.Lock()
    fails = False

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        assert self.thinks.acquire(blocking=False), "it thinks about two decisions at once"
        try:
            time.sleep(0.02)
            if MINE.fails:
                raise RuntimeError(str(view.information(0)))
            return view.mask.argmax(axis=1)
        finally:
            self.thinks.release()


@pytest.mark.usefixtures("added")
def test_calls_at_one_table_take_turns() -> None:
    """Each sees the table as the one before has left it; an agent serves one table at a time."""

    async def scene(client: Client) -> None:
        replies = await asyncio.gather(*(sit_down(client, SHORT, ["mine"]) for _ in range(3)))
        table = replies[0]["table"]
        results = await asyncio.gather(
            *(client.call_tool("act", {"table": table, "action": "bid 1"}) for _ in range(3)),
            *(client.call_tool("act", {"table": one["table"], "action": "bid 0"}) for one in replies[1:]),
        )
        assert [result.is_error for result in results] == [False, True, True, False, False]
        assert "a card must be played" in str(results[1].content)
        assert (await call(client, "look", table=table)) == results[0].structured_content

    run_at(make_server(ServedGames(["mine"], 3)), scene)


@pytest.mark.usefixtures("added")
def test_an_agent_that_fails(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The model learns nothing from its error, and the game goes on when it acts again."""

    async def scene(client: Client) -> None:
        reply = await sit_down(client, SHORT, ["mine"])
        monkeypatch.setattr(MINE, "fails", True)
        for tool, arguments in (("act", {"action": "bid 1"}), ("look", {})):
            told = await refusal(client, tool, table=reply["table"], **arguments)
            assert told.endswith("an agent failed (RuntimeError); the server's log says more")
        monkeypatch.setattr(MINE, "fails", False)
        after = await call(client, "look", table=reply["table"])
        assert after["phase"] == "play"
        assert "seat 1: 0 points, bid 1" in after["text"]

    run_at(make_server(ServedGames(["mine"], 3)), scene)
    assert "mine failed to act" in caplog.text


async def open_one(games: ServedGames) -> ServedGame:
    return await games.open(SHORT, (), 0, 7)


def test_names_of_games_cannot_be_guessed() -> None:
    """They have 128 random bits."""

    async def run() -> None:
        games = ServedGames(["random"], 5)
        names = {(await open_one(games)).name for _ in range(5)}
        assert len(names) == 5
        assert {len(name) for name in names} == {22}

    asyncio.run(run())


def test_a_full_server_makes_room_where_a_game_is_over_or_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one idle longest, counted from the last call, is closed; else no game begins."""

    async def run() -> None:
        games = ServedGames(["random"], 2)
        first, second = [await open_one(games) for _ in range(2)]
        with pytest.raises(ValueError, match="this server already has 2 tables"):
            await open_one(games)
        while not second.is_over:
            await games.play_on(second)
            if not second.is_over:
                second.session.act(second.seat, second.session.game.legal_actions()[0])
        third = await open_one(games)
        with pytest.raises(ValueError, match="there is no such table"):
            games.find(second.name)
        monkeypatch.setattr(served_games, "IDLE_SECONDS", -1)
        assert games.find(first.name) is first
        await open_one(games)
        with pytest.raises(ValueError, match="there is no such table"):
            games.find(third.name)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("external:command=true", "agents that run programs may not sit at these tables"),
        ("variant:of='external:command=true'", "agents that run programs may not sit at these tables"),
        ("tests.llm.test_mcp:MINE", "agents that run programs may not sit at these tables"),
        ("nobody", "unknown agent 'nobody'"),
    ],
)
def test_agents_that_are_not_offered(agent: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ServedGames(["random", agent], 1)
