"""Playing the same deals in every rotation of the seats: what evaluations and leagues count."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Game, Games, Rules, View
from wizard_env.agents import load
from wizard_env.sampling import next_words, noise_streams


class Entrant(NamedTuple):
    """Who is compared: entrants of the same name share a line of the result."""

    name: str
    agent: Agent | str
    """An agent, or what `load` takes: then every process loads its own, also on the other machines of
    a cluster, where a path must lead to the same."""


class Player:
    """An entrant whose agent is loaded; pickled with the name or path of its agent, where it has one."""

    def __init__(self, entrant: Entrant) -> None:
        self.entrant = entrant
        self.name = entrant.name
        self.agent = load(entrant.agent)

    def __reduce__(self) -> tuple[type["Player"], tuple[Entrant]]:
        return Player, (self.entrant,)


def seat_entrants(entrants: Sequence[Entrant | str]) -> tuple[Player, ...]:
    """Load the agents, one for all entrants that are the same name; raises as `load` does."""
    named: dict[str, Player] = {}
    players = []
    for one in entrants:
        if isinstance(one, str):
            players.append(named.get(one) or named.setdefault(one, Player(Entrant(one, one))))
        else:
            players.append(Player(one))
    return tuple(players)


def arrange(entrants: int, num_players: int) -> NDArray[np.int64]:
    """int64 [arrangements, seats]: in arrangement a, seat s is taken by entrant (s + a) % entrants."""
    return (np.arange(entrants)[:, np.newaxis] + np.arange(num_players)) % entrants


def table_streams(seeds: NDArray[np.uint64], entrants: int) -> NDArray[np.uint64]:
    """uint64 [deals, arrangements]: the random words of each table, which do not tell the deal's seed."""
    return np.stack([noise_streams(seeds, a + 1) for a in range(entrants)], axis=1)


class Deals(NamedTuple):
    """What `play` does in one go: some deals, in every arrangement."""

    players: tuple[Player, ...]
    rules: Rules
    seeds: NDArray[np.uint64]
    """uint64 [deals]"""


@dataclass(frozen=True)
class Played:
    """What came of some deals. Every entrant has played the hand at [seat, deal, round]."""

    bids: NDArray[np.int8]
    """[entrants, seats, deals, rounds]"""
    tricks_won: NDArray[np.int8]
    """[entrants, seats, deals, rounds]"""
    points: NDArray[np.int16]
    """[entrants, seats, deals, rounds], of the round"""
    position: NDArray[np.int8]
    """[seats, deals, rounds]: 0 for who bids first, num_players - 1 for the dealer"""
    scores: NDArray[np.int32]
    """[deals, arrangements, seats]: points of the whole game, see `arrange`"""
    seconds: NDArray[np.float64]
    """[entrants] that its agent has taken; the first call, in which code may be compiled, is left out"""
    decisions: NDArray[np.int64]
    """[entrants] in that time, the agent's for all its seats"""

    @staticmethod
    def join(parts: Sequence["Played"]) -> "Played":
        """The parts of one evaluation, one after the other."""

        def along(axis: int, name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts], axis)

        return Played(
            **{name: along(-2, name) for name in ("bids", "tricks_won", "points", "position")},
            scores=along(0, "scores"),
            seconds=np.sum([part.seconds for part in parts], axis=0),
            decisions=np.sum([part.decisions for part in parts], axis=0),
        )


def play(deals: Deals) -> Played:
    """Play every deal to its end, once in each arrangement of the entrants."""
    players, rules, seeds = deals
    seating = arrange(len(players), rules.num_players)
    tables = _Tables(deals, seating)
    shape = (len(seeds), len(players), len(rules.rounds), rules.num_players)
    pads = {name: np.empty(shape, np.int16) for name in ("bids", "tricks_won", "points")}
    dealers = np.empty((len(seeds), len(rules.rounds)), np.int64)
    for number in range(len(rules.rounds)):
        states = tables.play_round(first=number == 0)
        for name, pad in pads.items():
            pad[:, :, number] = states[name][:, : rules.num_players].reshape(*shape[:2], -1)
        dealers[:, number] = states["dealer"].reshape(shape[:2])[:, 0]
    # The arrangement in which an entrant takes a seat, the other way about.
    seats = np.arange(rules.num_players)
    taken = (np.arange(len(players))[:, np.newaxis] - seats) % len(players)
    hands = {name: pad[:, taken, :, seats] for name, pad in pads.items()}
    return Played(
        bids=hands["bids"].astype(np.int8),
        tricks_won=hands["tricks_won"].astype(np.int8),
        points=hands["points"],
        position=((seats[:, np.newaxis, np.newaxis] - dealers - 1) % rules.num_players).astype(np.int8),
        scores=pads["points"].sum(axis=2, dtype=np.int32),
        seconds=tables.seconds[tables.owner],
        decisions=tables.decisions[tables.owner],
    )


class _Tables:
    """Games side by side: deal by deal, and within a deal by arrangement."""

    def __init__(self, deals: Deals, seating: NDArray[np.int64]) -> None:
        players, rules, seeds = deals
        self._games = Games(rules, len(seeds) * len(players), np.repeat(seeds, len(players)), pause="round")
        self._agents = list({id(player.agent): player.agent for player in players}.values())
        numbers = {id(agent): number for number, agent in enumerate(self._agents)}
        self.owner = np.array([numbers[id(player.agent)] for player in players])
        """[entrants] the number of each entrant's agent: agents that are the same one act together."""
        self._seat_owner = np.tile(self.owner[seating], (len(seeds), 1))
        self._streams = table_streams(seeds, len(players)).ravel()
        self._rng = np.random.default_rng(self._streams)  # which tells its seed, so not the deals' own
        self._called = np.zeros(len(self._agents), np.bool_)
        self.seconds = np.zeros(len(self._agents))
        self.decisions = np.zeros(len(self._agents), np.int64)

    def play_round(self, *, first: bool) -> NDArray[Any]:
        """Play a round at every table; returns the records of the games as the round ended."""
        games = self._games
        running = np.arange(games.num_games)
        if not first:
            games.deal(running)
        while len(running):
            acting = self._seat_owner[running, games.seat[running]]
            words = next_words(self._streams, running)
            actions = np.empty(len(running), np.int64)
            for number in range(len(self._agents)):
                theirs = acting == number
                if theirs.any():
                    actions[theirs] = self._ask(number, running[theirs], words[theirs])
            games.step(actions, running)
            running = running[games.points[running, 0] == 0]
        return games.states

    def _ask(self, number: int, tables: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
        view = self._games.view(tables, words)
        start = time.perf_counter()
        actions = self._agents[number].act(view, self._rng)
        if self._called[number]:
            self.seconds[number] += time.perf_counter() - start
            self.decisions[number] += len(tables)
        self._called[number] = True
        return actions


def play_one(deals: Deals, number: int) -> Game:
    """One of the games of `play` by itself, move by move; the arrangements of a deal follow each other."""
    deal, arrangement = divmod(number, len(deals.players))
    seating = arrange(len(deals.players), deals.rules.num_players)[arrangement]
    game = Game(deals.rules, seed=int(deals.seeds[deal]))
    stream = table_streams(deals.seeds[deal : deal + 1], len(deals.players))[0, arrangement : arrangement + 1]
    rng = np.random.default_rng(stream)
    while game.seat is not None:
        view = View(game.state, next_words(stream, np.array([0])))
        game.step(int(deals.players[seating[game.seat]].agent.act(view, rng)[0]))
    return game
