"""Duplicate deals: the same cards in every rotation of the seats, for evaluations and leagues."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent, Game, Games, Rules, View
from wizard_env.agents import load
from wizard_env.checks import printable
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.sampling import next_words, noise_streams
from wizard_env.view import Actions, OutsideAgent, actions_by_owner


class Entrant(NamedTuple):
    """An agent to compare; entrants of the same name share a line of the result."""

    name: str
    agent: Agent | str
    """An agent, or what `load` takes. In the latter case every process loads its own agent; on a cluster a
    path must lead to the same file on every machine."""


def least_decisions(rules: Rules) -> int:
    """Count the bids and cards of a game, all its decisions except for choices of trump."""
    return rules.num_players * (sum(rules.rounds) + len(rules.rounds))


class Player:
    """An entrant whose agent is loaded; pickled by the name or path of the agent, if it has one."""

    def __init__(self, entrant: Entrant) -> None:
        self.entrant = entrant
        self.name = entrant.name
        self.agent = load(entrant.agent)

    @property
    def fingerprint(self) -> str:
        """See `wizard_env.evaluation.fingerprints`."""
        agent = self.entrant.agent
        return fingerprint(agent if isinstance(agent, str) else self.name, self.agent)

    def __reduce__(self) -> tuple[type["Player"], tuple[Entrant]]:
        if isinstance(self.agent, OutsideAgent) and self.agent.plays_in_one_process:
            raise ValueError(f"{self.name}: this agent plays in one process; use one worker")
        return Player, (self.entrant,)


def load_players(entrants: Sequence[Entrant | str]) -> tuple[Player, ...]:
    """Load the agents of entrants; equal names share one agent."""
    names = dict.fromkeys(one for one in entrants if isinstance(one, str))
    named = {name: Player(Entrant(name, name)) for name in names}
    return tuple(named[one] if isinstance(one, str) else Player(one) for one in entrants)


def fingerprints_of(players: Iterable[Player]) -> dict[str, str]:
    """Return the fingerprints of players by name; several of one name are joined by commas."""
    prints: dict[str, dict[str, None]] = {}
    for player in dict.fromkeys(players):
        prints.setdefault(player.name, {})[player.fingerprint] = None
    return {name: ",".join(known) for name, known in prints.items()}


def arrange(entrants: int, num_players: int) -> NDArray[np.int64]:
    """Return int64 [arrangements, seats]: the entrant that takes each seat, see `entrant_at`."""
    return entrant_at(np.arange(num_players), np.arange(entrants)[:, np.newaxis], entrants)


def entrant_at(
    seat: NDArray[np.integer[Any]], arrangement: NDArray[np.integer[Any]] | int, entrants: int
) -> NDArray[np.int64]:
    """Return the entrant that takes a seat in an arrangement; arrangements repeat after `entrants`."""
    return (seat + arrangement) % entrants


def arrangement_with(entrant: NDArray[np.int64], seat: NDArray[np.int64], entrants: int) -> NDArray[np.int64]:
    """Return the arrangement in which an entrant takes a seat."""
    return (entrant - seat) % entrants


class Deals(NamedTuple):
    """Deals to play in every arrangement of the players."""

    players: tuple[Player, ...]
    rules: Rules
    seeds: NDArray[np.uint64]
    """uint64 [deals]"""
    recorded: int = 0
    """Number of games whose actions are kept: the first ones, counted deal by deal, then by arrangement."""


@dataclass(frozen=True)
class Results:
    """The results of some deals. Every entrant has played the hand at [seat, deal, round]."""

    bids: NDArray[np.int8]
    """[entrants, seats, deals, rounds]"""
    tricks_won: NDArray[np.int8]
    """[entrants, seats, deals, rounds]"""
    points: NDArray[np.int16]
    """[entrants, seats, deals, rounds], points of the round"""
    position: NDArray[np.int8]
    """[seats, deals, rounds]: 0 for the seat that bids first, num_players - 1 for the dealer"""
    scores: NDArray[np.int32]
    """[deals, arrangements, seats]: points of the whole game, see `arrange`"""
    seconds: NDArray[np.float64]
    """[entrants]: time taken by the entrant's agent, without its first call, which may compile code"""
    decisions: NDArray[np.int64]
    """[entrants]: decisions in that time, counting all seats of the agent"""
    actions: list[NDArray[np.uint8]]
    """The actions of each recorded game, in order"""

    @staticmethod
    def join(parts: Sequence["Results"]) -> "Results":
        def along(axis: int, name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts], axis)

        return Results(
            **{name: along(-2, name) for name in ("bids", "tricks_won", "points", "position")},
            scores=along(0, "scores"),
            seconds=np.sum([part.seconds for part in parts], axis=0),
            decisions=np.sum([part.decisions for part in parts], axis=0),
            actions=[game for part in parts for game in part.actions],
        )


def leads_of_first(points: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return float64 [deals]: the lead of the first entrant over the mean of the others, over all rounds.

    points: int16 [entrants, seats, deals, rounds].
    """
    totals = points.sum(axis=(1, 3), dtype=np.int64)
    others = len(points) - 1
    leads: NDArray[np.float64] = (totals[0] * others - totals[1:].sum(axis=0)) / (others * points.shape[1])
    return leads


def play(deals: Deals) -> Results:
    """Play every deal to its end, once in each arrangement of the entrants."""
    players, rules, seeds, _ = deals
    games = _SeatedGames(deals)
    shape = (len(seeds), len(players), len(rules.rounds), rules.num_players)
    pads = {name: np.empty(shape, np.int16) for name in ("bids", "tricks_won", "points")}
    dealers = np.empty((len(seeds), len(rules.rounds)), np.int64)
    for number in range(len(rules.rounds)):
        states = games.play_round()
        for name, pad in pads.items():
            pad[:, :, number] = states[name][:, : rules.num_players].reshape(*shape[:2], -1)
        dealers[:, number] = states["dealer"].reshape(shape[:2])[:, 0]
    seats = np.arange(rules.num_players)
    taken = arrangement_with(np.arange(len(players))[:, np.newaxis], seats, len(players))
    hands = {name: pad[:, taken, :, seats] for name, pad in pads.items()}
    timed = [games.agents[number] for number in games.agent_of_entrant]
    return Results(
        bids=hands["bids"].astype(np.int8),
        tricks_won=hands["tricks_won"].astype(np.int8),
        points=hands["points"],
        position=((seats[:, np.newaxis, np.newaxis] - dealers - 1) % rules.num_players).astype(np.int8),
        scores=pads["points"].sum(axis=2, dtype=np.int32),
        seconds=np.array([agent.seconds for agent in timed]),
        decisions=np.array([agent.decisions for agent in timed], np.int64),
        actions=games.recorded_actions(),
    )


def play_actions(rules: Rules, seed: int, actions: NDArray[np.uint8], names: Iterable[str]) -> Game:
    """Play a recorded game again. names: of the agents, by seat."""
    game = Game(rules, seed=seed)
    game.players = tuple(map(printable, names))
    for action in actions.tolist():
        game.step(action)
    return game


class _TimedAgent:
    """Counts and times an agent's decisions, except for its first call, which may compile code."""

    def __init__(self, agent: Agent) -> None:
        self.seconds = 0.0
        self.decisions = 0
        self._agent = agent
        self._called = False

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        start = time.perf_counter()
        actions = self._agent.act(view, rng)
        if self._called:
            self.seconds += time.perf_counter() - start
            self.decisions += len(view)
        self._called = True
        return actions


class _SeatedGames:
    """Games played side by side: deal by deal, and within a deal by arrangement.

    agents: the different agents; an agent that several entrants share acts for all of them at once.
    agent_of_entrant: [entrants], the index of each entrant's agent.
    """

    def __init__(self, deals: Deals) -> None:
        players, rules, seeds, self._recorded = deals
        count = len(seeds) * len(players)
        self._games = Games(rules, count, np.repeat(seeds, len(players)), pause="round", observe=False)
        agents = list({id(player.agent): player.agent for player in players}.values())
        numbers = {id(agent): number for number, agent in enumerate(agents)}
        self.agents = [_TimedAgent(agent) for agent in agents]
        self.agent_of_entrant = np.array([numbers[id(player.agent)] for player in players])
        seating = arrange(len(players), rules.num_players)
        self._agent_of_seat = np.tile(self.agent_of_entrant[seating], (len(seeds), 1))
        # agents see the words and the generator's seed, which do not give the seeds of the deals away
        self._streams = np.stack([noise_streams(seeds, a + 1) for a in range(len(players))], axis=1).ravel()
        self._rng = np.random.default_rng(self._streams)
        self._taken: list[tuple[NDArray[np.int64], NDArray[np.uint8]]] = []

    def play_round(self) -> NDArray[Any]:
        """Play a round of every game, and return the games' states at its end."""
        games = self._games
        running = np.arange(games.num_games)
        if games.round_done.any():
            games.deal(running)
        while len(running):
            view = games.view(running, next_words(self._streams, running))
            acting = self._agent_of_seat[running, games.seat[running]]
            actions = actions_by_owner(self.agents, acting, view, self._rng)
            games.step(actions, running)
            if self._recorded:
                kept = running < self._recorded
                self._taken.append((running[kept], actions[kept].astype(np.uint8)))
            running = running[~games.round_done[running]]
        return games.states

    def recorded_actions(self) -> list[NDArray[np.uint8]]:
        if not self._recorded:
            return []
        numbers, actions = (np.concatenate(parts) for parts in zip(*self._taken, strict=True))
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=self._recorded))
        return np.split(actions[order], ends[:-1])
