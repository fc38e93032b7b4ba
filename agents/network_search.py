"""NetworkSearchAgent: plays out a network's likeliest actions in many worlds, the network in every seat."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.assessment import Assessment
from wizard_env.agents.likelihood import check_evidence, decisions_of_others, resample, weigh_worlds
from wizard_env.agents.network import Backend, NetworkAgent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.agents.search import believe, check_time
from wizard_env.checks import check_integer
from wizard_env.compiled.jit import kernel
from wizard_env.engine import take
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import SCORED, STATE
from wizard_env.view import Actions, View, printed_actions, reorder_actions

BATCH = 16
"""Worlds tried per batch, if there is a time limit."""
TRIED = 5
"""Actions tried per decision, at most: the likeliest."""
NETWORK = "network"
ODD = 0.1
"""The share of the others' choices that the network believes to be uniformly random."""
AT_ONCE = 4096
"""Playouts run side by side, at most, if there is no time limit."""


class NetworkSearchAgent:
    """Perfect-information Monte Carlo (Ginsberg 2001) with a network's policy.

    The network picks the actions worth trying. Each is played out to the end of the round in the same
    worlds, drawn as in `agents/search.py`, with the network in every seat. Another action replaces the
    network's own choice only if it is better by more than chance explains.
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
            network: path of a network; the champion's by default.
            worlds: worlds that each action is tried in, at least 2.
            milliseconds: try batches of BATCH worlds for this long per decision, instead of a number
                of worlds.
            likely: actions that the network gives less than this probability are not tried.
            errors: standard errors by which another action must beat the network's own.
            evidence: what worlds are weighed by: "network" for how likely the network makes the bids and
                plays of others, or one of `wizard_env.agents.likelihood.EVIDENCE` for the heuristic.
            candidates: worlds drawn for each one that is tried, if the network weighs them.
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
            raise ValueError(f"errors={errors!r}: a number of at least 0 is needed")
        self.milliseconds = check_time(milliseconds)
        self.likely = likely
        self.errors = errors
        if evidence != NETWORK:
            check_evidence(evidence)
        self.evidence = evidence
        self.candidates = check_integer("candidates", candidates, 1, 64)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Choose as the class says; without a time limit, the same random words give the same actions."""
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
        """The network's policy, the points the search expects of every legal action, and of that policy."""
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
        """Actions, likeliest first, and their probabilities, both [n, most legal actions]; -1 if illegal."""
        encoding = view.encode(canonical_suits=True)
        shares = np.where(encoding.mask, self.network.policy(encoding), -1)
        most = int(encoding.mask.sum(axis=1).max(initial=1))
        order = np.argsort(-shares, axis=1, kind="stable")[:, : max(most, 2)]
        actions = np.stack([printed_actions(column, encoding.order) for column in order.T], axis=1)
        return actions, np.take_along_axis(shares, order, axis=1)

    def _parts(self, rows: NDArray[np.int64], most: int) -> Iterator[NDArray[np.int64]]:
        """Decisions to search together: one at a time if there is a time limit."""
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
        """float64 [n, worlds, k]: the points that each action tried, of [n, k], brings in each world."""
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
        """float64 [n, count, k]: the points of the round that each action tried brings in each world."""
        if self.evidence == NETWORK:
            worlds = np.stack(
                [self._believe(one, word, count) for one, word in zip(known, words, strict=True)]
            )
        else:
            worlds = believe(known, words, count, self.evidence)
        decisions, choices = tried.nonzero()
        points = np.zeros((len(known), count, tried.shape[1]))
        states = worlds[decisions].ravel()
        observers = np.repeat(known["seat"][decisions], count)
        _take_rows(states, np.arange(len(states)), np.repeat(actions[decisions, choices], count))
        play_out(states, self._act)
        ends = states["points"][np.arange(len(states)), observers].reshape(len(decisions), count)
        points[decisions, :, choices] = ends
        return points

    def _believe(self, known: Any, word: np.uint64, count: int) -> NDArray[Any]:
        """Worlds of one decision, [count] records, chosen by what the network would have done in them.

        They are drawn weighed by the heuristic's bids, so that few are wasted; dividing by those weights
        takes their effect out again.
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
        return drawn[resample(np.exp(likelihood - likelihood.max()), unit_interval(word), count)]

    def _act(self, states: NDArray[Any]) -> Actions:
        return self.network.likeliest(View(states))


def play_out(states: NDArray[Any], act: Callable[[NDArray[Any]], Actions]) -> None:
    """Play rounds to their ends, in place; `act` chooses for the acting seats of some of them."""
    while len(rows := (states["phase"] < SCORED).nonzero()[0]):
        _take_rows(states, rows, act(states[rows]))


@kernel([STATE], [np.int64], [np.int64])
def _take_rows(states: Any, rows: Any, actions: Any) -> None:
    """Take actions in some rounds, and the forced ones after them."""
    for index in range(len(rows)):
        take(states[rows[index]], actions[index], True)
