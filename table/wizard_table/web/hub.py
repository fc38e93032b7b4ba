"""The hub: connects the tables of a server with browsers and agents."""

import asyncio
import logging
import time
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from wizard_env.loading import agent_names
from wizard_env.records.game_records import write_records
from wizard_table.translation import t
from wizard_table.web import transitions
from wizard_table.web.agents import AgentError, Agents
from wizard_table.web.connections import Connection, Connections
from wizard_table.web.messages import (
    COMMAND,
    AskHint,
    Emote,
    Leave,
    OpenTable,
    Ping,
    PlayAgain,
    SetPace,
    TakeBack,
)
from wizard_table.web.setup import Setup, UnknownTableError, check_distinct, new_setup, new_token
from wizard_table.web.store import StoreError
from wizard_table.web.table import Clock, Table
from wizard_table.web.tables import Tables
from wizard_table.web.transitions import Change, TableState, Transition
from wizard_table.web.views import NOBODY, show_advice

_log = logging.getLogger(__name__)

_PRESENCE_SECONDS = 0.1
"""Joins and leaves within this time are announced together."""
AWAY_SECONDS = 60.0
"""Time that a table waits for a person without a connection, while others are present."""
RETRY_SECONDS = 5.0
"""Time that agents wait before they try again to save an action."""
EMOTE_SECONDS = 2.0
"""Time between two emotes of a seat."""


class Ticket(NamedTuple):
    """A person's seat at a table; without one at a table of agents."""

    table: str
    seat: int | None
    token: str | None
    """Opens the seat."""


class Hub:
    """The tables of a server, the browsers connected to them, and the agents it offers."""

    def __init__(self, tables: Tables, agents: Agents, records: Path | None) -> None:
        """Write finished games to the folder `records`, unless it is None."""
        self.tables = tables
        self.agents = agents
        self.connections = Connections()
        self._records = records
        self._tasks: dict[tuple[str, str | int], asyncio.Task[None]] = {}
        self._moving = asyncio.Lock()

    # --- seats

    async def open(self, message: OpenTable) -> Ticket:
        """Open a table as a message asks. Raises ValueError for an unknown agent, and as `open_with` does."""
        for name in message.seats:
            if name is not None:
                self.agents.check(name)
        rules = message.rules()
        shown = message.model_dump(include={"watchers", "listed", "clock"})
        setup = new_setup(rules, message.seats, stand_in=self.agents.names[-1], **shown)
        return await self.open_with(setup, message.person)

    async def open_with(self, setup: Setup, person: str | None) -> Ticket:
        """Open a table, with a person in an open seat. Raises ValueError and as `Tables.open` does."""
        self._check_person(person)
        token = new_token() if setup.open_seats else None
        if token is not None:
            setup = setup.with_person(person, token)
        table = await self.tables.open(setup, self.connections.tables())
        return Ticket(table.name, None if token is None else table.seat_of(token), token)

    async def take_seat(self, table: Table, person: str | None) -> Ticket:
        """Seat a person at a table. Raises ValueError for a name in use, UnknownTableError and StoreError."""
        self._check_person(person)
        token = new_token()
        await self.change(table, partial(transitions.take_seat, person=person, token=token))
        return Ticket(table.name, table.seat_of(token), token)

    def _check_person(self, person: str | None) -> None:
        if person is not None:
            check_distinct(person, [*self.agents.names, *agent_names()], t("a computer player"))

    async def leave_seat(self, table: Table, seat: int) -> None:
        """Free a person's seat, and end their connections. Raises StoreError."""
        await self.tables.change(table, partial(transitions.leave, seat=seat))
        for one in self.connections.at(table):
            if one.seat == seat:
                one.close()
                self.disconnect(one)
        self._show(table)

    def _show_emote(self, table: Table, seat: int, emote: str) -> None:
        if not table.setup.has_company:
            raise ValueError(t("no other person sits at this table"))
        now = time.monotonic()
        if now - table.emoted_at.get(seat, -EMOTE_SECONDS) < EMOTE_SECONDS:
            raise ValueError(t("wait a moment before the next emote"))
        table.emoted_at[seat] = now
        self.connections.send_all(table, {"kind": "emote", "seat": seat, "emote": emote})

    async def _play_again(self, connection: Connection) -> None:
        """Move everybody at a table whose game is over to a new one, or a person to where the others are."""
        table = connection.table
        if table.session.game.seat is not None:
            raise ValueError(t("the game is not over"))
        async with self._moving:  # so that two who click at once meet
            following = await self._find_following(table)
            if following is None:
                setup = table.setup.next_game(self.connections.audience(table).seats)
                following = await self.tables.open(setup, self.connections.tables())
                await self.tables.change(table, partial(transitions.lead_on, following=following.name))
                self.connections.send_all(table, {"kind": "next", "table": following.name})
            else:
                seated = partial(transitions.follow, seat=connection.seat, before=table.setup)
                await self.change(following, seated)
                connection.send({"kind": "next", "table": following.name})

    async def _find_following(self, table: Table) -> Table | None:
        """Return the table of the next game, or None if there is none yet or all have left it."""
        if table.setup.following is None:
            return None
        try:
            return await self.tables.find(table.setup.following)
        except UnknownTableError:
            return None

    def waiting_tables(self) -> list[Table]:
        """Return the tables for the lobby: they wait for guests, and somebody is present."""
        return [
            table
            for table in self.connections.tables().values()
            if not table.setup.begun and table.setup.listed and self.connections.audience(table).seats
        ]

    # --- changes

    async def obey(self, connection: Connection, text: str) -> None:
        """Carry out a command from a browser. Raises ValueError if it is not allowed, and StoreError."""
        table, seat = connection.table, connection.seat
        command = COMMAND.validate_json(text)
        if isinstance(command, Ping):
            connection.send({"kind": "pong"})
            return
        if seat == NOBODY and (None in table.setup.seats or not isinstance(command, SetPace)):
            raise ValueError(t("only watching is allowed here"))
        if isinstance(command, AskHint):
            self.agents.check(command.agent)
            connection.drop_question()
            connection.question = asyncio.create_task(self._give_hint(connection, command.agent))
        elif isinstance(command, Leave):
            await self.leave_seat(table, seat)
        elif isinstance(command, Emote):
            self._show_emote(table, seat, command.emote)
        elif isinstance(command, PlayAgain):
            await self._play_again(connection)
        else:
            change = partial(transitions.obey, seat=seat, command=command)
            transition = await self.change(table, change, replays=isinstance(command, TakeBack))
            if transition is not None and not isinstance(command, SetPace):
                connection.drop_question()

    async def change(self, table: Table, change: Change, replays: bool = False) -> Transition | None:
        """Change a table as `Tables.change` does, show it to everybody there, and let agents act."""
        transition = await self.tables.change(table, change, replays)
        if transition is not None:
            self._show(table)
            if transition.ends_the_game:
                await self._write_record(table)
        return transition

    def _show(self, table: Table) -> None:
        self._set_times(table)
        self.connections.send_views(table)
        self._let_agents_act(table)

    def _let_agents_act(self, table: Table) -> None:
        if table.setup.begun and table.session.waits_for_an_agent and self.connections.at(table):
            self._begin_task(table, "play", self._play(table))

    def _begin_task(self, table: Table, name: str | int, work: Coroutine[Any, Any, None]) -> None:
        """Start work that ends when nobody is connected to a table, unless work of that name is under way."""
        running = self._tasks.get((table.name, name))
        if running is None or running.done():
            self._tasks[table.name, name] = asyncio.create_task(work)
        else:
            work.close()

    def _end_task(self, table: Table, name: str | int) -> None:
        task = self._tasks.pop((table.name, name), None)
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    async def _play(self, table: Table) -> None:
        """Have agents act while it is their turn; `disconnect` cancels this when nobody is connected."""
        while table.session.waits_for_an_agent:
            await asyncio.sleep(table.setup.seconds)
            session = table.session
            if not session.waits_for_an_agent:
                return  # a person has come back in the meantime
            try:
                action = await self.agents.choose(session)
                await self.change(table, partial(transitions.advance, asked=session, action=action))
            except StoreError as error:
                self._complain(table, str(error))
                await asyncio.sleep(RETRY_SECONDS)
            except AgentError as error:
                if table.session is session:  # else nobody needs the answer
                    self._complain(table, str(error))
                    return
            except Exception as error:
                _log.exception("the server failed at table %s", table.name)
                kind = type(error).__name__
                self._complain(table, t("the server failed ({kind}); its log says more", kind=kind))
                return

    def _set_times(self, table: Table) -> None:
        """Set the times that run out at a table: for people who are away, and for a decision."""
        self._wait_for_the_absent(table)
        self._set_clock(table)

    def _set_clock(self, table: Table) -> None:
        """Give the acting person their time for the decision, if it is limited and has not begun yet."""
        session, setup = table.session, table.setup
        is_limited = setup.clock is not None and setup.begun and setup.has_company
        acts = is_limited and session.waits_for_a_person and self.connections.audience(table).seats
        decisions = len(session.events) if acts else None
        if decisions == (None if table.clock is None else table.clock.decisions):
            return
        self._end_task(table, "clock")
        table.clock = None
        if setup.clock is not None and decisions is not None:
            table.clock = Clock(decisions, time.monotonic() + setup.clock)
            self._begin_task(table, "clock", self._decide_in_time(table, setup.clock))

    async def _decide_in_time(self, table: Table, seconds: float) -> None:
        """Have an agent decide for the acting person, this once, unless they do so in time."""
        asked = table.session.clone()
        seat, decisions = asked.game.acting_seat, len(asked.events)
        asked.hand_over(seat, table.setup.stand_in)
        await asyncio.sleep(seconds)
        try:
            action = await self.agents.choose(asked)
            decided = partial(transitions.decide_for, seat=seat, decisions=decisions, action=action)
            if await self.change(table, decided) is not None:
                self.connections.send_all(table, {"kind": "overdue", "seat": seat})
        except (AgentError, StoreError) as error:
            self._complain(table, str(error))

    async def _write_record(self, table: Table) -> None:
        """Write the record of a game that is over, if records are wanted."""
        if self._records is None:
            return
        file = self._records / f"{table.name}.jsonl"
        try:
            await asyncio.to_thread(write_records, file, [table.session.game], table.setup.names)
        except OSError as error:
            _log.error("%s: %s", file, error)
            self._complain(table, "the record of this game could not be written to the server's folder")

    async def _give_hint(self, connection: Connection, name: str) -> None:
        """Send a seat an agent's advice on its decision; the agent sees what that seat sees."""
        session = connection.table.session
        try:
            if session.game.seat != connection.seat:
                raise ValueError(t("hints are only given to the seat that acts"))
            question = partial(show_advice, game=session.game)
            advice = await self.agents.ask(name, question)
            await self.change(connection.table, partial(transitions.remember_hint, seat=connection.seat))
            connection.send({"kind": "hint", "decisions": len(session.events), **advice})
        except (ValueError, StoreError) as error:
            if connection.table.session.game.history == session.game.history:  # else nobody needs the answer
                connection.send({"kind": "error", "why": str(error)})

    def _complain(self, table: Table, why: str) -> None:
        self.connections.send_all(table, {"kind": "error", "why": why})

    # --- connections

    async def connect(self, connection: Connection) -> None:
        """Add a connection; a person who had left is back. Raises CrowdedError and StoreError."""
        table = connection.table
        is_back = await self.tables.change(table, partial(transitions.come_back, seat=connection.seat))
        self.connections.add(connection)
        if is_back:
            self._show(table)
            return
        self._set_times(table)
        self.connections.send_views(table, connection)
        self._begin_task(table, "presence", self._announce(table))
        self._let_agents_act(table)

    def disconnect(self, connection: Connection) -> None:
        """Remove a connection. Its seat stays taken; agents stop once nobody is connected."""
        table = connection.table
        connection.drop_question()
        self.connections.remove(connection)
        if self.connections.at(table):
            self._begin_task(table, "presence", self._announce(table))
        else:
            for key in [key for key in self._tasks if key[0] == table.name]:
                self._tasks.pop(key).cancel()
            table.replaced_at.clear()
            table.clock = None

    async def _announce(self, table: Table) -> None:
        """Tell everybody at a table, in a moment, who is present."""
        await asyncio.sleep(_PRESENCE_SECONDS)
        self._set_times(table)
        announced = table.presence(self.connections.audience(table))
        self.connections.send_all(table, {"kind": "presence", **announced})

    def _wait_for_the_absent(self, table: Table) -> None:
        """Set a time for each person who is away while others play; who is back has all of it again."""
        absent = table.absent(self.connections.audience(table))
        for seat in table.replaced_at.keys() - absent:
            del table.replaced_at[seat]
            self._end_task(table, seat)
        for seat in absent - table.replaced_at.keys():
            table.replaced_at[seat] = time.monotonic() + AWAY_SECONDS
            self._begin_task(table, seat, self._replace(table, seat))

    async def _replace(self, table: Table, seat: int) -> None:
        """Replace a person who stays away while others are present by an agent."""
        await asyncio.sleep(AWAY_SECONDS)
        try:
            await self.change(table, partial(self._leave_if_away, table, seat))
        except StoreError as error:
            self._complain(table, str(error))
            table.replaced_at.pop(seat, None)  # the next to come or go begins anew

    def _leave_if_away(self, table: Table, seat: int, state: TableState) -> Transition | None:
        seats = self.connections.audience(table).seats
        return transitions.leave(state, seat) if seats and seat not in seats else None

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self.agents.close()
        await self.tables.close()
