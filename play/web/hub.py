"""The hub: connects the tables of a server with browsers and agents."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_env import Agent, Rules
from wizard_env.play.session import Session
from wizard_env.play.web.messages import COMMAND, Act, Hint, NewTable, Pace, TakeBack
from wizard_env.play.web.tables import Table, Tables
from wizard_env.records.game_records import write_records

log = logging.getLogger(__name__)
T = TypeVar("T")

ASKED_AT_ONCE = 2
"""Questions to agents that are answered at the same time."""
MOST_WAITING = 20
"""Questions to agents that are being answered or waiting for their turn."""


class AgentError(ValueError):
    """An agent fails to answer a question."""


class Hub:
    """The tables of a server, the browsers connected to them, and the agents it offers."""

    def __init__(self, tables: Tables, agents: Sequence[str], records: Path | None) -> None:
        """Start without connections.

        Args:
            tables: the tables.
            agents: the agents that can play and give advice, by name. Browsers may choose only these,
                because `load` runs programs and reads files.
            records: the folder to which finished games are written; None writes none.
        """
        self.tables = tables
        self.agents = list(agents)
        self._records = records
        self._connections: dict[str, set[Connection]] = {}
        self._players: dict[str, asyncio.Task[None]] = {}
        self._asking = asyncio.Semaphore(ASKED_AT_ONCE)
        self._waiting = 0

    # --- tables

    def open(self, wanted: NewTable) -> tuple[Table, int | None, str | None]:
        """Open a table.

        Returns the table, and the seat and token of the person who asked for it; None and None if agents
        take every seat.

        Raises ValueError for an unknown agent, a person named like an agent, and as `Tables.open` does.
        """
        for name in wanted.seats:
            if name is not None:
                self._check_agent(name)
        self._check_person(wanted.person)
        rules = Rules(num_players=len(wanted.seats), **wanted.model_dump(exclude={"seats", "person"}))
        table = self.tables.open(rules, wanted.seats)
        if not table.open_seats:
            return table, None, None
        return table, *self._seat(table, wanted.person)

    def take_seat(self, table: Table, person: str | None) -> tuple[int, str]:
        """Take an open seat.

        Returns the seat and its token. Raises ValueError for a person named like an agent, and as
        `Table.take_seat` does.
        """
        self._check_person(person)
        return self._seat(table, person)

    def _seat(self, table: Table, person: str | None) -> tuple[int, str]:
        seat, token = table.take_seat(person)
        self.tables.save(table)
        return seat, token

    def _check_agent(self, name: str) -> None:
        if name not in self.agents:
            raise ValueError(f"unknown agent {name!r}: allowed are {', '.join(self.agents)}")

    def _check_person(self, person: str | None) -> None:
        if person in self.agents:
            raise ValueError(f"person: {person!r} is the name of an agent")

    async def ask(self, name: str, question: Callable[[Agent], T]) -> T:
        """Ask an agent a question, in a thread, and return its answer.

        Raises:
            ValueError: this server does not offer the agent, or too many questions are waiting.
            AgentError: the agent fails.
        """
        self._check_agent(name)
        if self._waiting >= MOST_WAITING:
            raise ValueError("too many questions are waiting for agents; try again")
        self._waiting += 1
        try:
            async with self._asking:
                return await asyncio.to_thread(lambda: question(self.tables.agent(name)))
        except ValueError:
            raise
        except Exception as error:  # agents may be programs of others
            log.exception("%s failed to answer a question", name)
            raise AgentError(_failure(name, error)) from error
        finally:
            self._waiting -= 1

    # --- connections

    async def enter(self, connection: "Connection") -> None:
        """Add a connection: show it the table, and let agents act."""
        self._connections.setdefault(connection.table.name, set()).add(connection)
        await self.show(connection.table)

    def leave(self, connection: "Connection") -> None:
        """Remove a connection. Its seat stays taken; agents stop once nobody is connected."""
        name = connection.table.name
        self._connections[name].discard(connection)
        if not self._connections[name]:
            del self._connections[name]
            player = self._players.pop(name, None)
            if player:
                player.cancel()

    async def show(self, table: Table) -> None:
        """Send every browser at a table what its seat may see; if it is an agent's turn, let it act."""
        await self._send_views(table)
        if table.session.waits_for_an_agent and table.name in self._connections:
            player = self._players.get(table.name)
            if player is None or player.done():
                self._players[table.name] = asyncio.create_task(self._play(table))

    async def _play(self, table: Table) -> None:
        """Let agents act while it is their turn; `leave` cancels this when nobody is connected."""
        session = table.session
        while session.waits_for_an_agent:
            await asyncio.sleep(table.seconds)
            game, decisions = session.game, len(session.events)
            actor = session.seats[game.acting_seat]
            try:
                action = await asyncio.to_thread(session.choose)
                if session.game is not game or len(session.events) != decisions:
                    continue  # a decision was taken back in the meantime
                session.advance(action)
                actor = "the server"
                self.save(table)
            except Exception as error:  # agents may be programs of others
                log.exception("%s failed at table %s", actor, table.name)
                for connection in self._at(table):
                    await connection.send({"kind": "error", "why": _failure(actor, error)})
                return
            await self._send_views(table)

    async def _send_views(self, table: Table) -> None:
        for connection in self._at(table):
            await connection.send({"kind": "view", **table.view(connection.seat)})

    def _at(self, table: Table) -> "list[Connection]":
        """The connections to a table, copied: they may change while messages are sent."""
        return list(self._connections.get(table.name, ()))

    def save(self, table: Table) -> None:
        """Save a table, and the record of its game once it is over."""
        self.tables.save(table)
        if self._records is not None and table.session.seat is None:
            write_records(self._records / f"{table.name}.jsonl", [table.session.game])

    # --- commands

    async def obey(self, connection: "Connection", text: str) -> None:
        """Carry out a command from a browser. Raises ValueError, with the reason, if it is not allowed."""
        table, seat = connection.table, connection.seat
        command = COMMAND.validate_json(text)
        if isinstance(command, Pace):
            table.set_pace(command.seconds)
        elif seat is None:
            raise ValueError("only watching is allowed here")
        elif isinstance(command, Act):
            if command.decisions != len(table.session.events):
                raise ValueError("the table has changed in the meantime")
            table.session.act(seat, command.action)
        elif isinstance(command, TakeBack):
            table.session.take_back(seat)
        elif isinstance(command, Hint):
            await self._hint(connection, command.agent)
            return
        self.save(table)
        await self.show(table)

    async def _hint(self, connection: "Connection", name: str) -> None:
        """Send a seat an agent's advice on its decision; the agent sees what that seat sees."""
        session = connection.table.session
        if session.seat != connection.seat:
            raise ValueError("hints are only given to the seat that acts")
        decisions = len(session.events)
        asked = Session.of_record(session.game, decisions)  # the game may go on in the meantime
        advice = await self.ask(name, asked.advise)
        await connection.send({"kind": "hint", "agent": name, "decisions": decisions, **asdict(advice)})


class Connection:
    """One browser at one table."""

    def __init__(self, websocket: WebSocket, table: Table, seat: int | None) -> None:
        self._websocket = websocket
        self.table = table
        self.seat = seat

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send a message; if the browser has disconnected, nothing happens."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_json(message)


def _failure(name: str | None, error: Exception) -> str:
    """What browsers may know of an error; its text, which may show cards and paths, goes to the log only."""
    return f"{name} failed ({type(error).__name__})"
