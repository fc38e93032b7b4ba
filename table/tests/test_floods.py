"""One client floods a server, and the others play on. 127.0.0.1 and up, as Linux has them."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from wizard_table.web.tables.setup import digest, new_setup
from wizard_table.web.tables.store import Save, Store

from benchmarks.server import request
from table.tests.server_process import PATIENCE, SEATS, Server
from tests.reliability.effort import times
from wizard_env import Game, Rules
from wizard_env.records.game_records import record

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


# --- costly questions

JUDGE = "champion+search:worlds=32"
TOKEN = "token"
LONG = Rules(num_players=4, hand_sizes=(9,) * 60)
"""Rules of games with 2,400 decisions."""


def play(seed: int, left: int = 0) -> Game:
    """A game under `LONG`, until fewer decisions are left and the first seat acts."""
    game, decisions = Game(LONG, seed), 60 * 4 * 10
    while game.seat is not None and not (game.seat == 0 and len(game.history) >= decisions - left):
        game.step(game.legal_actions()[0])
    return game


def test_moves_do_not_wait_while_a_long_game_is_taken_back(tmp_path: Path) -> None:
    """Ten browsers at one seat. Formerly others' moves waited more than a second, and now a tenth."""
    game = play(5, left=20)
    setup = replace(new_setup(LONG, [None, *["random"] * 3], stand_in="random"), seed=5, begun=True)
    saved = replace(setup, taken={0: digest(TOKEN)}).to_json()
    store = Store(tmp_path / "wizard.sqlite")
    store.save_all([Save("long", saved, game.history, time.time())])
    store.close()
    server = Server(tmp_path, "random")
    try:

        def attack() -> None:
            with suppress(ConnectionClosed), server.seat({"table": "long", "token": TOKEN}, GREEDY) as seat:
                for _ in range(30):
                    seat.send(json.dumps({"kind": "take_back"}))
                    time.sleep(0.11)

        with repeated(attack, threads=10):
            time.sleep(2)
            assert np.median(waits_of(server, times(20, 200))) < 0.6
    finally:
        server.kill()


def test_moves_do_not_wait_for_judgements(tmp_path: Path) -> None:
    """A client asks for 38 a second and reads none. Formerly others' moves waited a second and more."""
    records = [record(play(seed)) for seed in range(20)]
    server = Server(tmp_path, "random", JUDGE)
    asked = count()
    try:

        def attack() -> None:
            body = {"record": records[next(asked) % len(records)], "round_number": 60, "agent": JUDGE}
            content = json.dumps(body).encode()
            head = "POST /records/judgement HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            crowd.enter_context(dial(server)).sendall(
                f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content
            )
            time.sleep(1 / 38)

        with ExitStack() as crowd, repeated(attack):
            time.sleep(6)
            assert np.median(waits_of(server, times(20, 200))) < 0.6
            asking = {"record": records[0], "round_number": 59, "agent": JUDGE}
            assert request(server.port, MODEST, "POST", "/records/judgement", asking)["analyst"] == JUDGE
    finally:
        server.kill()
