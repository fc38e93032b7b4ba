"""Hub: the tables of a server, the browsers connected to them, and the agents that act and answer."""

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
from wizard_env.play.web.messages import SAID, Act, Hint, NewTable, Pace, Sit, TakeBack
from wizard_env.play.web.tables import Table, Tables
from wizard_env.records.game_record import write_records

log = logging.getLogger(__name__)
T = TypeVar("T")

ASKED_AT_ONCE = 2
"""So many questions to agents are answered together."""
MOST_WAITING = 20
"""And so many more may wait."""


class AgentError(ValueError):
    """An agent fails, or does what the rules forbid."""


class Hub:
    """The tables of a server, who is connected to them, and the agents that may be asked."""

    def __init__(self, tables: Tables, agents: Sequence[str], records: Path | None) -> None:
        """Open the doors.

        Args:
            tables: the tables.
            agents: what may sit there and be asked. Browsers may name no others, since `load` would run
                programs and read files for them.
            records: the folder that games are written to when they are over, if any.
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
        """A new table; the seat and the token of whoever asked, None if all seats are agents'."""
        for name in wanted.seats:
            if name is not None:
                self._check_agent(name)
        self._check_person(wanted.person)
        rules = Rules(num_players=len(wanted.seats), **wanted.model_dump(exclude={"seats", "person"}))
        table = self.tables.open(rules, wanted.seats)
        if not table.open_seats:
            return table, None, None
        return table, *self.take_seat(table, wanted.person)

    def take_seat(self, table: Table, person: str | None) -> tuple[int, str]:
        """An open seat and its token."""
        self._check_person(person)
        seat, token = table.take_seat(person)
        self.tables.save(table)
        return seat, token

    def _check_agent(self, name: str) -> None:
        if name not in self.agents:
            raise ValueError(f"no agent {name!r}: allowed are {', '.join(self.agents)}")

    def _check_person(self, person: str | None) -> None:
        if person in self.agents:
            raise ValueError(f"person: {person!r} is the name of an agent")

    async def ask(self, name: str, question: Callable[[Agent], T]) -> T:
        """What an agent answers.

        Raises:
            ValueError: it is none of this server's, or too many are asked already.
            AgentError: it fails.
        """
        self._check_agent(name)
        if self._waiting >= MOST_WAITING:
            raise ValueError("too many questions are asked at once; try again")
        self._waiting += 1
        try:
            async with self._asking:
                return await asyncio.to_thread(lambda: question(self.tables.agent(name)))
        except ValueError:
            raise
        except Exception as error:  # an agent may be anybody's program
            log.exception("%s fails at a question", name)
            raise AgentError(_failure(name, error)) from error
        finally:
            self._waiting -= 1

    # --- connections

    async def enter(self, connection: "Connection") -> None:
        """Show the table to somebody, and let agents act."""
        self._connections.setdefault(connection.table.name, set()).add(connection)
        await self.show(connection.table)

    def leave(self, connection: "Connection") -> None:
        """Forget a connection; the seat stays taken."""
        name = connection.table.name
        self._connections[name].discard(connection)
        if not self._connections[name]:
            del self._connections[name]
            player = self._players.pop(name, None)
            if player:
                player.cancel()

    async def show(self, table: Table) -> None:
        """Send everybody at a table what their seat sees, and go on if an agent's turn has come."""
        await self._send_views(table)
        if table.session.waits_for_an_agent and table.name in self._connections:
            player = self._players.get(table.name)
            if player is None or player.done():
                self._players[table.name] = asyncio.create_task(self._play(table))

    async def _play(self, table: Table) -> None:
        """Let agents act, as long as it is their turn and somebody looks on."""
        session = table.session
        while session.waits_for_an_agent:
            await asyncio.sleep(table.seconds)
            game, decisions, who = session.game, len(session.events), session.seats[session.game.acting_seat]
            try:
                action = await asyncio.to_thread(session.choose)
                if session.game is not game or len(session.events) != decisions:
                    continue  # somebody took back meanwhile
                session.advance(action)
                who = "the server"
                self.save(table)
            except Exception as error:  # an agent may be anybody's program
                log.exception("%s fails at table %s", who, table.name)
                for connection in self._at(table):
                    await connection.send({"kind": "error", "why": _failure(who, error)})
                return
            await self._send_views(table)

    async def _send_views(self, table: Table) -> None:
        for connection in self._at(table):
            await connection.send({"kind": "view", **table.view(connection.seat)})

    def _at(self, table: Table) -> "list[Connection]":
        """Who is connected to a table, now."""
        return list(self._connections.get(table.name, ()))

    def save(self, table: Table) -> None:
        """Keep a table, and the record of its game when that is over."""
        self.tables.save(table)
        if self._records is not None and table.session.seat is None:
            write_records(self._records / f"{table.name}.jsonl", [table.session.game])

    # --- what is said

    async def hear(self, connection: "Connection", text: str) -> None:
        """Do what a browser asks for. Raises ValueError, with the reason, for what is not allowed."""
        table, seat = connection.table, connection.seat
        said = SAID.validate_json(text)
        if isinstance(said, Pace):
            table.set_pace(said.seconds)
        elif seat is None or isinstance(said, Sit):
            raise ValueError("only watching is allowed here")
        elif isinstance(said, Act):
            if said.decisions != len(table.session.events):
                raise ValueError("the table has changed meanwhile")
            table.session.act(seat, said.action)
        elif isinstance(said, TakeBack):
            table.session.take_back(seat)
        elif isinstance(said, Hint):
            await self._hint(connection, said.agent)
            return
        self.save(table)
        await self.show(table)

    async def _hint(self, connection: "Connection", name: str) -> None:
        """Ask an agent about the decision of a seat; it is told what that seat knows."""
        session = connection.table.session
        if session.seat != connection.seat:
            raise ValueError("a hint is given to whoever acts")
        decisions = len(session.events)
        asked = Session.of_record(session.game, decisions)  # the game may go on meanwhile
        advice = await self.ask(name, asked.advise)
        await connection.send({"kind": "hint", "agent": name, "decisions": decisions, **asdict(advice)})


class Connection:
    """One browser at one table."""

    def __init__(self, websocket: WebSocket, table: Table, seat: int | None) -> None:
        self._websocket = websocket
        self.table = table
        self.seat = seat

    async def send(self, message: Mapping[str, Any]) -> None:
        """Send, unless the browser has gone."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_json(message)


def _failure(who: str | None, error: Exception) -> str:
    """What is told of it: the server's log has more, which may tell cards and paths."""
    return f"{who} fails ({type(error).__name__})"
