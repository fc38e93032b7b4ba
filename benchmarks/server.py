"""Speed of the browser server's answers while many play: `python -m benchmarks.server --tables 50`.

Each person plays against three agents at a separate table, and thinks for about a second before a click;
agents wait as long as they do by default. A click is answered when the view after it arrives. The server is
a separate process, and people come from several addresses, because one address may open few tables.
"""

import asyncio
import json
import random
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import Sequence
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from websockets.asyncio.client import ClientConnection, connect

_PEOPLE_PER_ADDRESS = 40
_THINKING = (0.5, 1.5)
"""Least and most seconds before a click."""
_WARM_UP = 3.0
"""Seconds that are not measured, while people sit down."""
_LONGEST_START = 600.0
"""Seconds until all its kernels must be compiled."""


async def measure(tables: int, seconds: float, opponents: Sequence[str], seed: int) -> list[float]:
    """Return the seconds from each click to its answer. Needs addresses 127.0.0.2 and up, as on Linux."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    wizard = Path(sys.executable).with_name("wizard")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(wizard), "serve", *dict.fromkeys(opponents), "--port", str(port)]
        server = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=DEVNULL)
        try:
            await asyncio.wait_for(until(port, "compiled"), _LONGEST_START)
            waits: list[float] = []
            playing = [
                asyncio.create_task(_play(port, number, opponents, random.Random(f"{seed} {number}"), waits))
                for number in range(tables)
            ]
            await asyncio.sleep(_WARM_UP)
            waits.clear()
            ended, _ = await asyncio.wait(playing, timeout=seconds)
            for one in playing:
                one.cancel()
            for one in ended:
                one.result()
            return waits
        finally:
            server.terminate()
            await server.wait()


async def until(port: int, what: str) -> None:
    """Wait until the server is "ready" or has everything "compiled"."""
    while True:
        try:
            if (await asyncio.to_thread(request, port, "127.0.0.1", "GET", "/ready"))[what]:
                return
        except ConnectionRefusedError:
            pass
        await asyncio.sleep(0.2)


def request(port: int, address: str, method: str, path: str, body: Any = None) -> dict[str, Any]:
    """Send a request from an address of this computer; return the answer."""
    connection = HTTPConnection("127.0.0.1", port, source_address=(address, 0))
    connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer


async def _play(
    port: int, number: int, opponents: Sequence[str], rng: random.Random, waits: list[float]
) -> None:
    """Open a table and play there, one game after another; append the wait for each click."""
    address = f"127.0.0.{2 + number // _PEOPLE_PER_ADDRESS}"
    while True:
        body = {"seats": [None, *opponents]}
        opened = await asyncio.to_thread(request, port, address, "POST", "/tables", body)
        where = f"ws://127.0.0.1:{port}/tables/{opened['table']}"
        async with connect(where, local_addr=(address, 0)) as browser:
            await browser.send(json.dumps({"kind": "sit", "token": opened["token"]}))
            view = await _next_view(browser, -1)
            while view["scene"]["phase"] != "over":
                decisions = view["decisions"]
                if not view["legal"]:
                    view = await _next_view(browser, decisions)
                    continue
                await asyncio.sleep(rng.uniform(*_THINKING))
                action = {"kind": "act", "action": rng.choice(view["legal"]), "decisions": decisions}
                start = perf_counter()
                await browser.send(json.dumps(action))
                view = await _next_view(browser, decisions)
                waits.append(perf_counter() - start)


async def _next_view(browser: ClientConnection, decisions: int) -> dict[str, Any]:
    """Wait for the next view with more decisions."""
    while True:
        heard: dict[str, Any] = json.loads(await browser.recv())
        if heard["kind"] == "error":
            raise RuntimeError(heard["why"])
        if heard["kind"] == "view" and heard["decisions"] > decisions:
            return heard


def main(
    tables: Annotated[int, typer.Option(min=1, help="Tables under play.")] = 50,
    seconds: Annotated[float, typer.Option(help="How long to measure.")] = 30.0,
    opponents: Annotated[str, typer.Option(help="The agents at each table.")] = "champion,champion,champion",
    seed: Annotated[int, typer.Option(help="Seed of choices and pauses.")] = 0,
) -> None:
    """Measure how fast the browser server answers clicks."""
    waits = asyncio.run(measure(tables, seconds, opponents.split(","), seed))
    typer.echo(f"{tables} tables, {seconds:g} s, {len(waits)} clicks answered")
    for share in (50, 95, 99, 100):
        typer.echo(f"{share:3} % within {np.percentile(waits, share) * 1000:6.1f} ms")


if __name__ == "__main__":
    typer.run(main)
