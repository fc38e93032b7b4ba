"""One client floods a server, and the others play on. 127.0.0.1 and up, as Linux has them."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

from benchmarks.server import request
from tests.reliability.effort import times
from tests.reliability.server import PATIENCE, SEATS, Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").exists(), reason="needs several addresses, as Linux has them"),
]
GREEDY, MODEST = "127.0.0.2", "127.0.0.3"
FILES = 1024


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path, "random", files=FILES)
    yield server
    server.kill()


def waits_of(server: Server, clicks: int) -> list[float]:
    """The seconds that each click of another client waits for its answer, opening a table included."""
    since = time.monotonic()
    opened = request(server.port, MODEST, "POST", "/tables", {"seats": SEATS})
    waits: list[float] = []
    with server.seat(opened, MODEST) as seat:
        while len(waits) < clicks:
            view = json.loads(seat.recv(PATIENCE))
            if view["kind"] == "view" and view["legal"]:
                waits.append(time.monotonic() - since)
                since = time.monotonic()
                action = {"action": view["legal"][0], "decisions": view["decisions"]}
                seat.send(json.dumps({"kind": "act"} | action))
    return waits


@contextmanager
def repeated(attack: Callable[[], object], threads: int = 1) -> Iterator[None]:
    """Repeat an attack in other threads; refusals do not end it."""
    stopped = threading.Event()

    def repeat() -> None:
        while not stopped.is_set():
            with suppress(OSError):
                attack()

    attackers = [threading.Thread(target=repeat) for _ in range(threads)]
    for one in attackers:
        one.start()
    try:
        yield
    finally:
        stopped.set()
        for one in attackers:
            one.join(PATIENCE)


def dial(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), PATIENCE, (GREEDY, 0))


def test_silent_connections_keep_nobody_out(server: Server) -> None:
    """Formerly they used up all file descriptors, for as long as they stayed."""
    with ExitStack() as crowd:
        for _ in range(FILES + 100):
            crowd.enter_context(dial(server))
        descriptors = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
        assert descriptors < FILES / 2
        assert max(waits_of(server, times(10, 100))) < 2


def test_endless_heads_delay_nobody(server: Server) -> None:
    """Formerly others' moves waited 15 seconds for one such connection, and memory doubled."""

    def attack() -> None:
        with dial(server) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            while True:
                connection.sendall(b"X: " + b"x" * 100_000)

    before = memory_of(server)
    with repeated(attack):
        assert np.percentile(waits_of(server, times(20, 200)), 95) < 1
    assert memory_of(server) < before + 50_000


def memory_of(server: Server) -> int:
    """Kilobytes that the server holds in memory."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])
