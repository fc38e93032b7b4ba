"""The hub: connects the tables of a server with browsers and agents."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

from wizard_env import Agent, Game, Rules
from wizard_env.loading import agent_names
from wizard_env.play.language.translation import t
from wizard_env.play.session import Session
from wizard_env.play.web.access.names import check_distinct
from wizard_env.play.web.connections import Connection, Connections
from wizard_env.play.web.messages import COMMAND, Act, Begin, Hint, Leave, NewTable, Pace, TakeBack, Tokens
from wizard_env.play.web.questions import Questions, SharedAgent
from wizard_env.play.web.store import StoreError
from wizard_env.play.web.table import SECONDS, Change, Table, UnknownTableError, new_setup
from wizard_env.play.web.table_json import NOBODY
from wizard_env.play.web.tables import MAX_TABLES, Tables
from wizard_env.records.game_records import write_records

log = logging.getLogger(__name__)
T = TypeVar("T")

PRESENCE_SECONDS = 0.1
"""Who comes and goes within this time is told to the others at once."""
AWAY_SECONDS = 60.0
"""How long a table waits for a person without a connection, while others are there."""
AGAIN_SECONDS = 5.0
"""How long agents wait before they try again to save an action."""


class AgentError(ValueError):
    """An agent fails to answer a question."""


class Hub:
    """The tables of a server, the browsers connected to them, and the agents it offers."""

    def __init__(self, tables: Tables, agents: Sequence[str], records: Path | None) -> None:
        """Start without connections.

        Args:
            tables: the tables.
            agents: the agents that can play and give advice, by name. Browsers may choose only these,
                because `load` runs programs and reads files. The last one acts for people who leave.
            records: the folder to which finished games are written; None writes none.
        """
        self.tables = tables
        self.agents = list(agents)
        self._records = records
        self.connections = Connections()
        self._tasks: dict[tuple[str, str | int], asyncio.Task[None]] = {}
        self._moves = Questions("move", at_once=2, most_each=MAX_TABLES, most=MAX_TABLES)
        self._quick = Questions("hint", at_once=2, most_each=4, most=40)
        self._costly = Questions("judgement", at_once=1, most_each=3, most=20)
        # Agents of their own, so that a move never waits for advice, and advice never for a judgement.
        self._advisers = {self._quick: cache(SharedAgent), self._costly: cache(SharedAgent)}

    # --- tables

    async def open(self, wanted: NewTable) -> tuple[Table, int | None, str | None]:
        """Open a table.

        Returns the table, and the seat and token of the person who asked for it; None and None if agents
        take every seat.

        Raises ValueError for an unknown agent, a person named like an agent, and as `Tables.open` does.
        """
        for name in wanted.seats:
            if name is not None:
                self._check_agent(name)
        self.check_person(wanted.person)
        options = wanted.model_dump(exclude={"seats", "person", "watchers", "listed"})
        setup = new_setup(
            Rules(num_players=len(wanted.seats), **options),
            wanted.seats,
            stand_in=self.agents[-1],
            watchers=wanted.watchers,
            listed=wanted.listed,
        )
        seat, token = None, None
        if setup.open_seats:
            setup, seat, token = setup.with_person(wanted.person)
        return await self.tables.open(setup, self.connections.tables()), seat, token

    async def take_seat(self, table: Table, person: str | None) -> tuple[int, str]:
        """Take an open seat, and show it to those at the table.

        Returns the seat and its token. Raises ValueError for a person named like an agent or another at the
        table, UnknownTableError if every seat is taken, and StoreError.
        """
        self.check_person(person)
        given: list[tuple[int, str]] = []

        def decide() -> Change:
            if person is not None:
                check_distinct(person, table.setup.people.values(), t("another person at this table"))
            setup, seat, token = table.setup.with_person(person)
            given.append((seat, token))
            return table.changed(setup)

        await self.tables.change(table, decide)
        self.show(table)
        return given[0]

    def waiting(self) -> list[Table]:
        """The tables for the lobby: they wait for guests, and someone is there."""
        tables = self.connections.tables().values()
        return [
            table
            for table in tables
            if not table.setup.begun and table.setup.listed and self.connections.here(table)
        ]

    async def mine(self, wanted: Tokens) -> tuple[list[dict[str, Any]], list[str]]:
        """The summaries of the tables that tokens open, and the names of those that are gone."""
        summaries, gone = [], []
        for name, token in wanted.tokens.items():
            try:
                table = await self.tables.find(name)
                seat = table.seat_of(token)
            except UnknownTableError:
                gone.append(name)
                continue
            summaries.append(table.summary() | {"seat": seat, "left": seat in table.setup.left})
        return summaries, gone

    def _check_agent(self, name: str) -> None:
        if name not in self.agents:
            raise ValueError(
                t("unknown agent {name}: allowed are {names}", name=repr(name), names=", ".join(self.agents))
            )

    def check_person(self, person: str | None) -> None:
        """Raise ValueError if a person is named like an agent."""
        if person is not None:
            check_distinct(person, [*self.agents, *agent_names()], t("an agent"))

    # --- questions

    async def ask(
        self, name: str, question: Callable[[Agent], T], client: str = "", costly: bool = False
    ) -> T:
        """Ask an agent a question, in a thread, and return its answer.

        Args:
            name: the agent.
            question: takes the agent, and returns the answer.
            client: who asks, see `client_of`; clients take turns.
            costly: whether the answer may take seconds; such questions do not delay the others.

        Raises:
            ValueError: this server does not offer the agent, or too many questions are waiting.
            AgentError: the agent fails.
        """
        self._check_agent(name)
        questions = self._costly if costly else self._quick
        try:
            return await questions.ask(client, lambda: question(self._advisers[questions](name)))
        except ValueError:
            raise
        except Exception as error:  # agents may be programs of others
            log.exception("%s failed to answer a question", name)
            raise AgentError(_failure(name, error)) from error

    # --- connections

    async def enter(self, connection: Connection) -> None:
        """Add a connection, show it the table, and let agents act; who had left is back.

        Raises CrowdedError and StoreError.
        """
        table, seat = connection.table, connection.seat

        def come_back() -> Change | None:
            left = table.setup.left
            return table.changed(left=tuple(set(left) - {seat})) if seat in left else None

        is_back = await self.tables.change(table, come_back)
        self.connections.add(connection)
        if is_back:
            self.show(table)
            return
        self.connections.send_view(connection)
        self._tell_presence(table)
        self._let_agents_act(table)

    def leave(self, connection: Connection) -> None:
        """Remove a connection. Its seat stays taken; agents stop once nobody is connected."""
        table = connection.table
        connection.drop_question()
        self.connections.remove(connection)
        if self.connections.at(table):
            self._tell_presence(table)
        else:
            for key in [key for key in self._tasks if key[0] == table.name]:
                self._tasks.pop(key).cancel()

    def show(self, table: Table) -> None:
        """Send every browser at a table what its seat may see; if it is an agent's turn, let it act."""
        self.connections.send_views(table)
        self._let_agents_act(table)

    def _tell_presence(self, table: Table) -> None:
        async def tell() -> None:
            await asyncio.sleep(PRESENCE_SECONDS)
            told = table.presence(self.connections.here(table), self.connections.watching(table))
            self.connections.send_all(table, {"kind": "presence", **told})
            for seat, presence in enumerate(told["presence"]):
                if presence == "away" and table.setup.begun:
                    self._begin_task(table, seat, self._replace(table, seat))

        self._begin_task(table, "presence", tell())

    async def _replace(self, table: Table, seat: int) -> None:
        """Let an agent take over from a person who stays away while others are there."""
        await asyncio.sleep(AWAY_SECONDS)

        def decide() -> Change | None:
            here = self.connections.here(table)
            return table.changed(table.setup.without_person(seat)) if here and seat not in here else None

        try:
            changed = await self.tables.change(table, decide)
        except StoreError as error:
            self._complain(table, str(error))
        else:
            if changed:
                self.show(table)

    def _let_agents_act(self, table: Table) -> None:
        if table.setup.begun and table.session.waits_for_an_agent and self.connections.at(table):
            self._begin_task(table, "play", self._play(table))

    def _begin_task(self, table: Table, what: str | int, work: Coroutine[Any, Any, None]) -> None:
        """Do something for a table while someone is connected, unless it is being done."""
        key = (table.name, what)
        running = self._tasks.get(key)
        if running is None or running.done():
            self._tasks[key] = asyncio.create_task(work)
        else:
            work.close()

    async def _play(self, table: Table) -> None:
        """Let agents act while it is their turn; `leave` cancels this when nobody is connected."""
        session = table.session
        while session.waits_for_an_agent:
            await asyncio.sleep(table.setup.seconds)
            game, decisions = session.game, len(session.events)
            actor = session.seats[game.acting_seat]
            if actor is None:
                continue  # a person has come back in the meantime

            still = partial(_is_at, session, game, decisions, actor)
            try:
                action = await self._moves.ask(self.connections.client_at(table), session.choose)
                actor = "the server"
                if not await self.tables.change(table, partial(_chosen, table, action, still)):
                    continue
            except StoreError as error:
                self._complain(table, str(error))
                await asyncio.sleep(AGAIN_SECONDS)
                continue
            except Exception as error:  # agents may be programs of others
                log.exception("%s failed at table %s", actor, table.name)
                self._complain(table, _failure(actor, error))
                return
            self.connections.send_views(table)
            await self._record(table)

    def _complain(self, table: Table, why: str) -> None:
        self.connections.send_all(table, {"kind": "error", "why": why})

    async def _record(self, table: Table) -> None:
        """Write the record of a game that is over, if records are wanted."""
        game = table.session.game
        if self._records is None or game.seat is not None:
            return
        file = self._records / f"{table.name}.jsonl"
        try:
            await asyncio.to_thread(write_records, file, [game], table.names)
        except OSError as error:
            log.error("%s: %s", file, error)
            self._complain(table, "the record of this game could not be written to the server's folder")

    # --- commands

    async def obey(self, connection: Connection, text: str) -> None:
        """Carry out a command from a browser.

        Raises ValueError, with the reason, if it is not allowed, and StoreError.
        """
        table, seat = connection.table, connection.seat
        command = COMMAND.validate_json(text)
        if seat == NOBODY and (None in table.setup.seats or not isinstance(command, Pace)):
            raise ValueError(t("only watching is allowed here"))
        if isinstance(command, Hint):
            self._check_agent(command.agent)
            connection.drop_question()
            connection.question = asyncio.create_task(self._hint(connection, command.agent))
            return
        if isinstance(command, Leave):
            await self._leave_seat(table, seat)
            return

        def decide() -> Change | None:
            if isinstance(command, Pace):
                return _with_pace(table, command.seconds)
            if isinstance(command, Begin):
                return _begun(table, seat)
            if isinstance(command, TakeBack):
                return table.changed(history=table.history_without(seat))
            return _acted(table, seat, command)

        if await self.tables.change(table, decide):
            if not isinstance(command, Pace):
                connection.drop_question()
            self.show(table)
            if isinstance(command, Act):
                await self._record(table)

    async def _leave_seat(self, table: Table, seat: int) -> None:
        await self.tables.change(table, lambda: table.changed(table.setup.without_person(seat)))
        await self.tables.delete(table, lambda: not (table.setup.begun or table.setup.taken))
        for one in self.connections.at(table):
            if one.seat == seat:
                one.close()
                self.leave(one)
        self.show(table)

    async def _hint(self, connection: Connection, name: str) -> None:
        """Send a seat an agent's advice on its decision; the agent sees what that seat sees."""
        session = connection.table.session
        try:
            if session.seat != connection.seat:
                raise ValueError(t("hints are only given to the seat that acts"))
            decisions = len(session.events)
            asked = Session.of_record(session.game, decisions)  # the game may go on in the meantime
            advice = await self.ask(name, asked.advise, connection.client)
            connection.send({"kind": "hint", "agent": name, "decisions": decisions, **asdict(advice)})
        except ValueError as error:
            connection.send({"kind": "error", "why": str(error)})

    async def close(self) -> None:
        """End what is being done."""
        for task in self._tasks.values():
            task.cancel()
        for questions in (self._moves, self._quick, self._costly):
            questions.close()
        await self.tables.close()


def _acted(table: Table, seat: int, command: Act) -> Change | None:
    decisions = len(table.session.events)
    if not table.setup.begun:
        raise ValueError(t("the game has not begun: seats are open"))
    if command.decisions < decisions:
        return None  # a second click
    if command.decisions > decisions:
        raise ValueError(t("the table has changed in the meantime"))
    table.session.check_turn(seat)
    return table.act(command.action)


def _is_at(session: Session, game: Game, decisions: int, actor: str) -> bool:
    """Whether a session still is where an agent was asked for its action."""
    unmoved = session.game is game and len(session.events) == decisions
    return unmoved and session.seats[game.acting_seat] == actor


def _chosen(table: Table, action: int, still: Callable[[], bool]) -> Change | None:
    return table.act(action) if still() else None


def _begun(table: Table, seat: int) -> Change | None:
    if seat != table.host:
        raise ValueError(t("only the host may begin the game"))
    return None if table.setup.begun else table.changed(begun=True)


def _with_pace(table: Table, seconds: float) -> Change | None:
    low, high = SECONDS
    if not low <= seconds <= high:
        raise ValueError(f"seconds={seconds!r}: allowed are {low:g} to {high:g}")
    return None if seconds == table.setup.seconds else table.changed(seconds=float(seconds))


def _failure(name: str | None, error: Exception) -> str:
    """What browsers may know of an error; its text, which may show cards and paths, goes to the log only."""
    return t("{name} failed ({kind})", name=name, kind=type(error).__name__)
