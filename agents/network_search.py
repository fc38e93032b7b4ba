"""NetworkSearchAgent: a network that tries its likeliest actions in many worlds, itself in every seat."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.assessment import Assessment
from wizard_env.agents.likelihood import check_evidence, decisions_of_others, weigh_worlds
from wizard_env.agents.network import Backend, NetworkAgent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.agents.search import believe, check_time
from wizard_env.checks import check_integer
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import kernel
from wizard_env.engine import apply, first_action, legal
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import SCORED
from wizard_env.view import Actions, View, printed_actions, reorder_actions

BATCH = 16
"""So many worlds are tried together where there is a limit of time."""
TRIED = 5
"""So many actions are tried at most: the likeliest."""
NETWORK = "network"
ODD = 0.1
"""So often the network believes others to do anything at all."""
AT_ONCE = 4096
"""So many playouts run side by side."""


class NetworkSearchAgent:
    """Perfect-information Monte Carlo (Ginsberg 2001) with a network's policy.

    The network names the actions worth a try. Each is played to the end of the round in the same worlds,
    drawn as in `agents/search.py`, with the network in every seat. The network's own choice gives way only to
    one that is better by more than chance explains.
    """

    expects_points = True

    def __init__(
        self,
        network: str = str(CHAMPION),
        worlds: int = 32,
        milliseconds: float | None = None,
        likely: float = 0.02,
        errors: float = 1.0,
        evidence: str = "network",
        candidates: int = 4,
        backend: Backend = "auto",
    ) -> None:
        """Set the effort.

        Args:
            network: the path of a network; if none is given, the champion's.
            worlds: in how many worlds every action is tried, at least 2.
            milliseconds: go on in batches of BATCH worlds for so long instead, for each decision.
            likely: actions that the network gives less than this share are not tried.
            errors: by how many standard errors another action must be better than the network's.
            evidence: what worlds are weighed by: the bids and plays of others as the "network" would make
                them, or as the heuristic would, see `wizard_env.agents.likelihood.EVIDENCE`.
            candidates: how many worlds are drawn for each that is tried, where the network weighs them.
            backend: what computes the network, see `NetworkAgent`.

        Raises:
            ValueError: an option is out of range.
            FileNotFoundError: there is no such network.
        """
        self.network = NetworkAgent(network, backend=backend)
        self.worlds = check_integer("worlds", worlds, 2, 2**16)
        if not 0 <= likely < 1 / TRIED:
            raise ValueError(f"likely={likely!r}: a share from 0 to below {1 / TRIED} is needed")
        if not errors >= 0:
            raise ValueError(f"errors={errors!r}: a number from 0 is needed")
        self.milliseconds = check_time(milliseconds)
        self.likely = likely
        self.errors = errors
        if evidence != NETWORK:
            check_evidence(evidence)
        self.evidence = evidence
        self.candidates = check_integer("candidates", candidates, 1, 64)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """As the protocol says; the same random words give the same actions where no time is set."""
        words = view.noise(rng)
        actions, shares = self._rank(view)
        actions, tried = actions[:, :TRIED], shares[:, :TRIED] >= self.likely
        chosen: Actions = actions[:, 0].copy()
        for rows in self._parts(tried[:, 1].nonzero()[0], TRIED):
            points = self._search(view.known[rows], words[rows], actions[rows], tried[rows])
            gains = points - points[:, :, :1]
            bar = self.errors * gains.std(axis=1, ddof=1) / np.sqrt(points.shape[1])
            best = np.where(tried[rows], gains.mean(axis=1) - bar, -np.inf).argmax(axis=1)
            chosen[rows] = actions[rows, best]
        return chosen

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """The network's policy, and what the search expects of every legal action, and so of the policy."""
        words = view.noise(rng)
        actions, shares = self._rank(view)
        points = np.full((len(view), NUM_ACTIONS), np.nan)
        for rows in self._parts(np.arange(len(view)), actions.shape[1]):
            legal = shares[rows] >= 0
            found = self._search(view.known[rows], words[rows], actions[rows], legal).mean(axis=1)
            places, choices = legal.nonzero()
            points[rows[places], actions[rows][legal]] = found[places, choices]
        policy = np.zeros((len(view), NUM_ACTIONS), np.float32)
        np.put_along_axis(policy, actions, shares.clip(min=0), axis=1)
        return Assessment(policy, points, np.nansum(policy * points, axis=1))

    def _rank(self, view: View) -> tuple[Actions, NDArray[np.float32]]:
        """The likeliest actions first, and their shares, each [n, most legal actions]; -1 if illegal."""
        encoding = view.encode(canonical_suits=True)
        shares = np.where(encoding.mask, self.network.policy(encoding), -1)
        most = int(encoding.mask.sum(axis=1).max(initial=1))
        order = np.argsort(-shares, axis=1, kind="stable")[:, : max(most, 2)]
        actions = np.stack([printed_actions(column, encoding.order) for column in order.T], axis=1)
        return actions, np.take_along_axis(shares, order, axis=1)

    def _parts(self, rows: NDArray[np.int64], most: int) -> Iterator[NDArray[np.int64]]:
        """The decisions that are searched together: one at a time where time is set."""
        step = 1 if self.milliseconds is not None else max(1, AT_ONCE // (self.worlds * most))
        for start in range(0, len(rows), step):
            yield rows[start : start + step]

    def _search(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        actions: NDArray[np.int64],
        tried: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """float64 [n, worlds, k]: what the actions that are tried, of [n, k], bring in each world."""
        if self.milliseconds is None:
            return self._try(known, words, self.worlds, actions, tried)
        until = perf_counter() + self.milliseconds / 1000
        parts: list[NDArray[np.float64]] = []
        while not parts or perf_counter() < until:
            fresh = np.array([word_at(word, len(parts)) for word in words], np.uint64)
            parts.append(self._try(known, fresh, BATCH, actions, tried))
        return np.concatenate(parts, axis=1)

    def _try(
        self,
        known: NDArray[Any],
        words: NDArray[np.uint64],
        count: int,
        actions: NDArray[np.int64],
        tried: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """float64 [n, count, k]: the points of the round that each action brings in each world."""
        if self.evidence == NETWORK:
            worlds = np.stack(
                [self._believe(one, word, count) for one, word in zip(known, words, strict=True)]
            )
        else:
            worlds = believe(known, words, count, self.evidence)
        games, choices = tried.nonzero()
        points = np.zeros((len(known), count, tried.shape[1]))
        states = worlds[games].ravel()
        observers = np.repeat(known["seat"][games], count)
        _advance(states, np.arange(len(states)), np.repeat(actions[games, choices], count))
        play_out(states, self._act)
        ends = states["points"][np.arange(len(states)), observers].reshape(len(games), count)
        points[games, :, choices] = ends
        return points

    def _believe(self, known: Any, word: np.uint64, count: int) -> NDArray[Any]:
        """Worlds of one decision, [count] records, weighed by what the network would have done in them.

        They are drawn by the heuristic's bids, so that few are for nothing, and those are taken out again.
        """
        drawn = believe(np.array([known]), np.array([word]), count * self.candidates, "bids")[0]
        past = decisions_of_others(drawn, int(known["seat"]))
        likelihood = -np.log(weigh_worlds(View(np.array([known])), drawn[np.newaxis], "bids")[0])
        if len(past.states):
            encoding = View(past.states).encode(canonical_suits=True)
            shares = self.network.policy(encoding)
            made = shares[np.arange(len(shares)), reorder_actions(past.actions, encoding.order)]
            by_chance = 1 / encoding.mask.sum(axis=1)
            np.add.at(likelihood, past.worlds, np.log(ODD * by_chance + (1 - ODD) * made))
        weights = np.exp(likelihood - likelihood.max())
        reached = weights.cumsum() / weights.sum()
        steps = (np.arange(count) + unit_interval(word)) / count
        return drawn[np.searchsorted(reached, steps).clip(max=len(drawn) - 1)]

    def _act(self, states: NDArray[Any]) -> Actions:
        return self.network.likeliest(View(states))


def play_out(states: NDArray[Any], act: Callable[[NDArray[Any]], Actions]) -> None:
    """Play rounds to their ends, in place; `act` decides for the acting seats of some of them."""
    while len(rows := (states["phase"] < SCORED).nonzero()[0]):
        _advance(states, rows, act(states[rows]))


@kernel
def _advance(states: Any, rows: Any, actions: Any) -> None:
    """Take actions in some rounds, and the forced ones after them."""
    for index in range(len(rows)):
        state = states[rows[index]]
        apply(state, actions[index])
        while state.phase < SCORED:
            choices = legal(state)
            if choices & (choices - 1):
                break
            apply(state, first_action(state) + lowest_bit(choices))
