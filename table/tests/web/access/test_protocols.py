"""Connections: limited by client, and closed if they are silent, endless or not read."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import pytest
import uvicorn
from websockets.sync.client import connect
from wizard_table.web.access import protocols
from wizard_table.web.access.protocols import LimitedProtocol, OpenConnections

LIMIT = 4
SOON = 0.3
PATIENCE = 20.0
LARGE = 20_000_000
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"


async def _app(scope: Any, receive: Any, send: Any) -> None:
    """Answers at once, at /large with much; a websocket stays open."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
    elif scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        body = bytes(LARGE) if scope["path"] == "/large" else b"here"
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


@pytest.fixture(params=["asyncio", "uvloop"])
def port(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that soon loses its patience."""
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    monkeypatch.setattr(protocols, "SECONDS_TO_ASK", SOON)
    monkeypatch.setattr(protocols, "SECONDS_TO_READ", SOON)
    limited: Any = partial(LimitedProtocol, OpenConnections(LIMIT, most=2 * LIMIT))
    config = uvicorn.Config(_app, http=limited, loop=request.param, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE)


Dial = Callable[..., socket.socket]


@pytest.fixture
def dial(port: int) -> Iterator[Dial]:
    """Connects a client, by the last number of its address."""
    opened = []

    def connected(number: int = 1, send: bytes = b"") -> socket.socket:
        opened.append(socket.create_connection(("127.0.0.1", port), PATIENCE, (f"127.0.0.{number}", 0)))
        opened[-1].sendall(send)
        return opened[-1]

    yield connected
    for one in opened:
        one.close()


def answer_of(connection: socket.socket) -> bytes:
    """Everything until the server closes the connection; nothing if it resets it."""
    received = b""
    try:
        while part := connection.recv(65536):
            received += part
    except ConnectionError:
        pass
    return received


def ask(dial: Dial, number: int) -> bytes:
    return answer_of(dial(number, HEAD + b"Connection: close\r\n\r\n"))


def test_a_client_has_few_connections(dial: Dial) -> None:
    for _ in range(LIMIT):
        dial(1)
    assert ask(dial, 1).startswith(b"HTTP/1.1 503")
    assert ask(dial, 2).endswith(b"here")


def test_some_connections_stay_free(dial: Dial) -> None:
    """Neither do many clients use up all that the system allows."""
    for number in (1, 2):
        for _ in range(LIMIT):
            dial(number)
    assert ask(dial, 3).startswith(b"HTTP/1.1 503")


@pytest.mark.parametrize(
    "sent", [b"", HEAD, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"]
)
def test_an_incomplete_request_ends_its_connection(sent: bytes, dial: Dial) -> None:
    """Silence, half a head and half a body; the client may then connect again."""
    since = time.monotonic()
    for connection in [dial(1, sent) for _ in range(LIMIT)]:
        assert b"here" not in answer_of(connection)
    assert time.monotonic() - since < PATIENCE / 2
    assert ask(dial, 1).endswith(b"here")


def test_a_request_in_drops_ends_its_connection(dial: Dial) -> None:
    """Each byte comes in time, but not the last."""
    connection, sent = dial(1), 0
    with suppress(ConnectionError):
        for sent in range(200):  # noqa: B007
            connection.sendall(b"G")
            time.sleep(SOON / 10)
    assert 0 < sent < 100


def test_an_endless_head_is_refused(dial: Dial) -> None:
    sent, connection = 0, dial(1, HEAD)
    with suppress(ConnectionError):
        while sent < LARGE:
            sent += connection.send(b"X-Long: " + bytes(b"x" * 100_000))
    assert sent < LARGE
    assert ask(dial, 2).endswith(b"here")


def test_a_client_that_does_not_read_is_disconnected(dial: Dial) -> None:
    connections = [dial(1, b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(LIMIT)]
    deadline = time.monotonic() + PATIENCE
    while ask(dial, 1).startswith(b"HTTP/1.1 503"):
        assert time.monotonic() < deadline
        time.sleep(SOON)
    assert all(len(answer_of(one)) < LARGE for one in connections)


def test_a_patient_connection_asks_again(dial: Dial) -> None:
    """The time for a request counts from its first byte, not from the request before."""
    connection = dial(1)
    for _ in range(6):
        connection.sendall(HEAD + b"\r\n")
        received = part = b"-"
        while part and not received.endswith(b"here"):
            part = connection.recv(65536)
            received += part
        assert part
        time.sleep(SOON / 2)


def test_websockets_are_counted_until_they_end(port: int, dial: Dial) -> None:
    address = f"ws://127.0.0.1:{port}/"
    with ExitStack() as websockets:
        for _ in range(LIMIT):
            websockets.enter_context(connect(address, source_address=("127.0.0.1", 0)))
        time.sleep(2 * SOON)  # silence is nothing unusual here
        assert ask(dial, 1).startswith(b"HTTP/1.1 503")
        assert ask(dial, 2).endswith(b"here")
    deadline = time.monotonic() + PATIENCE
    while not ask(dial, 1).endswith(b"here"):
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("each", "most", "allowed"), [(None, 6, 6), (400, 6, 3), (2, 6, 2), (1, 1, 1), (400, 1000, 400)]
)
def test_one_client_has_at_most_half(each: int | None, most: int, allowed: int) -> None:
    """Unless all seem to be one, behind a proxy."""
    connections = OpenConnections(each, most)
    assert [connections.enter("a") for _ in range(allowed + 1)] == [True] * allowed + [False]
    connections.leave("a")
    assert connections.enter("a")
