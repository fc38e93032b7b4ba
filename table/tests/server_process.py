"""`wizard serve` in a separate process, and people who play there. 127.0.0.1 only."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from benchmarks.server import request, until_ready

PATIENCE = 120.0
SEATS = [None, "random", "random"]


class Server:
    """The server, on a free port, with its database in a folder."""

    def __init__(self, folder: Path, *agents: str, files: int | None = None) -> None:
        """Offer agents, by default `random`; `files` limits the file descriptors."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        wizard, offered = str(Path(sys.executable).with_name("wizard")), agents or ("random",)
        command = [wizard, "serve", *offered, "--port", str(self.port)]
        if files is not None:
            command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        asyncio.run(asyncio.wait_for(until_ready(self.port), PATIENCE))

    def open_table(self) -> dict[str, Any]:
        """A table with one seat for a person: its name, and the seat's token."""
        return request(self.port, "127.0.0.1", "POST", "/tables", {"seats": SEATS})

    @contextmanager
    def seat(self, opened: dict[str, Any], address: str = "127.0.0.1") -> Iterator[ClientConnection]:
        """The person's seat, where agents do not wait; the person comes from an address of this computer."""
        where = f"ws://127.0.0.1:{self.port}/tables/{opened['table']}"
        with connect(where, source_address=(address, 0)) as seat:
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
