"""`wizard serve` in a process of its own: killed, on a full disk, and sent too much. 127.0.0.1 only."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection, connect
from wizard_table.commands import LARGEST_MESSAGE

from benchmarks.server import request, until
from tests.reliability.effort import generator, times

resource = pytest.importorskip("resource")

PATIENCE = 120.0
SEATS = [None, "random", "random"]


class Server:
    """The server, on a free port, with its database in a folder."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        wizard = str(Path(sys.executable).with_name("wizard"))
        command = [wizard, "serve", "random", "--port", str(self.port)]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        asyncio.run(asyncio.wait_for(until(self.port, "ready"), PATIENCE))

    def open_table(self) -> dict[str, Any]:
        """A table with one seat for a person: its name, and the seat's token."""
        return request(self.port, "127.0.0.1", "POST", "/tables", {"seats": SEATS})

    @contextmanager
    def seat(self, opened: dict[str, Any]) -> Iterator[ClientConnection]:
        """The person's seat, where agents do not wait."""
        where = f"ws://127.0.0.1:{self.port}/tables/{opened['table']}"
        with connect(where) as seat:
            seat.send(json.dumps({"kind": "sit", "token": opened["token"]}))
            seat.send(json.dumps({"kind": "pace", "seconds": 0}))
            yield seat

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def act_first(seat: ClientConnection, until: int) -> tuple[int, str]:
    """Take the first legal action each time, until enough decisions are shown or something is refused.

    Another view follows, unless the game is over.

    Returns how many decisions were shown, and why the last action was refused; "" if none was.
    """
    shown = 0
    while True:
        heard = json.loads(seat.recv(PATIENCE))
        if heard["kind"] == "error":
            return shown, heard["why"]
        if heard["kind"] != "view":
            continue
        shown = heard["decisions"]
        if heard["legal"]:
            seat.send(json.dumps({"kind": "act", "action": heard["legal"][0], "decisions": shown}))
        if shown >= until or heard["scene"]["phase"] == "over":
            return shown, ""


def test_a_game_begins_before_anything_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIZARD_CACHE", str(tmp_path / "cache"))
    server = Server(tmp_path)
    try:
        with server.seat(server.open_table()) as seat:
            assert act_first(seat, 1) == (1, "")
        assert not list(tmp_path.glob("cache/*/*.nbc"))
        assert not request(server.port, "127.0.0.1", "GET", "/ready")["compiled"]
    finally:
        server.kill()


@pytest.mark.slow
def test_a_killed_server_loses_no_move(tmp_path: Path) -> None:
    """Killed by -9 at random moments: whatever a browser was shown is there when it starts again."""
    rng = generator()
    server = Server(tmp_path)
    try:
        opened = server.open_table()
        shown = 0
        for _ in range(times(2, 15)):
            with server.seat(opened) as seat:
                first = True
                for _ in range(int(rng.integers(1, 12))):
                    heard = json.loads(seat.recv(PATIENCE))
                    if heard["kind"] != "view":
                        continue
                    assert not first or heard["decisions"] >= shown, "moves that were shown are gone"
                    first, shown = False, heard["decisions"]
                    if heard["scene"]["phase"] == "over":
                        break
                    if heard["legal"]:
                        action = {"action": str(rng.choice(heard["legal"])), "decisions": shown}
                        seat.send(json.dumps({"kind": "act"} | action))
                server.kill()
            server = Server(tmp_path)
    finally:
        server.kill()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="sets a limit for another process, as Linux can")
def test_a_server_on_a_full_disk_continues_when_there_is_room(tmp_path: Path) -> None:
    """Moves that cannot be saved are refused with a reason; what was shown is there when it starts again."""
    server = Server(tmp_path)
    try:
        opened = server.open_table()
        limits = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
        with server.seat(opened) as seat:
            shown, _ = act_first(seat, 10)
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, limits[1]))
            later, why = act_first(seat, 10_000)
            assert "the tables cannot be saved" in why
            later = max(later, shown)  # nothing new was shown if that was the first move
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)
        with server.seat(opened) as seat:
            last, why = act_first(seat, later + 20)
        assert (last > later, why) == (True, "")
        server.kill()
        server = Server(tmp_path)
        with server.seat(opened) as seat:
            assert act_first(seat, 0)[0] >= last
    finally:
        server.kill()


@pytest.mark.slow
def test_too_long_a_message_ends_its_connection(tmp_path: Path) -> None:
    """The seat can be taken again."""
    server = Server(tmp_path)
    try:
        opened = server.open_table()
        with server.seat(opened) as seat:
            seat.send("x" * (LARGEST_MESSAGE + 1))
            with pytest.raises(ConnectionClosedError) as closed:
                list(seat)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
        with server.seat(opened) as seat:
            assert act_first(seat, 1)[1] == ""
    finally:
        server.kill()
