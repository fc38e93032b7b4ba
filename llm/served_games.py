"""The games of an MCP server: in each a language model has one seat, and agents have the others."""

import logging
import secrets
import time
from collections.abc import Sequence
from functools import partial

from anyio import CapacityLimiter, Lock, to_thread

from wizard_env import Agent, Rules
from wizard_env.checks import quoted
from wizard_env.loading import load, programs
from wizard_env.session import Session, seat_agents

_log = logging.getLogger(__name__)

IDLE_SECONDS = 3600.0
"""Time without a call after which a game makes room for others on a full server."""


class ServedGame:
    """A game in which a model has a seat."""

    def __init__(self, name: str, session: Session, seat: int) -> None:
        self.name = name
        self.session = session
        self.seat = seat
        self.lock = Lock()
        """Held during a call, so that calls to the same game take turns."""
        self.last_call = time.monotonic()

    @property
    def is_over(self) -> bool:
        return self.session.game.phase == "over"


class ServedGames:
    """The games of a server by their names, which are secrets: a model plays where it knows the name.

    Models read of tables: to them, the name of a game is the name of the table at which they sit.
    """

    def __init__(self, agents: Sequence[str], most: int) -> None:
        """Offer agents as opponents; the first plays where none is named.

        most: games that may be open at the same time.

        Raises ValueError for an agent that runs a program, and as `load` does.
        """
        self.agents = {name: _load_opponent(name) for name in agents}
        self._most = most
        self._turns = {name: CapacityLimiter(1) for name in agents}
        self._games: dict[str, ServedGame] = {}

    def __len__(self) -> int:
        return len(self._games)

    async def open(self, rules: Rules, opponents: Sequence[str], seat: int, seed: int) -> ServedGame:
        """Begin a game with a model in one seat, and the opponents clockwise from it.

        Raises ValueError for an agent that is not offered, for too many, and if the server is full.
        """
        for name in opponents:
            if name not in self.agents:
                raise ValueError(f"unknown agent {quoted(name)}: allowed are {', '.join(self.agents)}")
        seats = seat_agents(opponents or list(self.agents)[:1], seat, rules.num_players)
        begin = partial(Session, rules, seats, seed, find=self.agents.__getitem__)
        session = await to_thread.run_sync(begin)  # the first game of a machine is compiled
        self._make_room()
        opened = ServedGame(secrets.token_urlsafe(16), session, seat)
        self._games[opened.name] = opened
        return opened

    def _make_room(self) -> None:
        """On a full server, close the game idle longest, if it is over or idle enough."""
        if len(self) < self._most:
            return
        now = time.monotonic()
        idle = [one for one in self._games.values() if one.is_over or now - one.last_call > IDLE_SECONDS]
        if not idle:
            raise ValueError(f"this server already has {self._most} tables; try again later")
        del self._games[min(idle, key=lambda one: one.last_call).name]

    def find(self, name: str) -> ServedGame:
        """Return the game of that name. Raises ValueError if there is none."""
        if name not in self._games:
            raise ValueError("there is no such table")
        found = self._games[name]
        found.last_call = time.monotonic()
        return found

    def close(self, name: str) -> None:
        """Close a game. Raises ValueError if there is none of that name."""
        self.find(name)
        del self._games[name]

    async def play_on(self, served: ServedGame) -> None:
        """Play on with the agents until it is the model's turn, or the game is over.

        Agents think in threads. An agent that plays in several games thinks about one decision at a time.

        Raises ValueError if an agent fails; the game stays as it is.
        """
        session = served.session
        while (name := session.agent) is not None:
            try:
                await to_thread.run_sync(session.advance, limiter=self._turns[name])
            except Exception as error:  # agents may be classes of others, whose errors may tell hidden cards
                _log.exception("%s failed to act", name)
                kind = type(error).__name__
                raise ValueError(f"an agent failed ({kind}); the server's log says more") from error


def _load_opponent(name: str) -> Agent:
    try:
        with programs(allowed=False):
            return load(name)
    except PermissionError:
        raise ValueError(f"{name!r}: agents that run programs may not sit at these tables") from None
