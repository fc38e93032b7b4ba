"""Memory: the beliefs about every seat that an adaptive player has worked out from finished rounds.

They are a function of those rounds alone, so all players at a table believe the same, and the beliefs of a
copy are known. Results are kept by the bytes of the rounds; without them the same beliefs are found again.
"""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.beliefs import (
    MAY_COPY,
    NUM_FEATURES,
    Posterior,
    add_round,
    believe,
    network_inputs,
)
from wizard_env.agents.adaptive.evidence import NUM_COUNTS, compare, spread_plays
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.adaptive.recent import Recent
from wizard_env.cards import DECK_SIZE
from wizard_env.history.decisions import Decisions, retrace, rewind
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import FINISHED_ROUND, OPTION_FIELDS, STATE
from wizard_env.view import View

_MOST_PLAYS = 4
"""Plays of a seat that kinds are asked about in a round; all plays of a seat that may be a copy."""
_HISTORIES = 1 << 14
"""The number of histories that are kept at least."""


class _Past(NamedTuple):
    """All that matters of some finished rounds."""

    posterior: Posterior
    """shares [MAX_PLAYERS, kinds], counts [MAX_PLAYERS, kinds, NUM_COUNTS]"""
    beliefs: NDArray[np.float32]
    """[MAX_PLAYERS, NUM_FEATURES]"""


class Memory:
    """Beliefs about the seats of games, worked out round by round and kept, for any number of threads."""

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds
        self._pasts = Recent[_Past](_HISTORIES)
        self._lock = Lock()
        self._nothing = _Past(
            Posterior(
                np.tile(kinds.prior.shares, (MAX_PLAYERS, 1)),
                np.zeros((MAX_PLAYERS, len(kinds), NUM_COUNTS), np.float32),
            ),
            np.zeros((MAX_PLAYERS, NUM_FEATURES), np.float32),
        )

    def __reduce__(self) -> tuple[type["Memory"], tuple[Kinds]]:
        return Memory, (self._kinds,)  # what is kept can be worked out again

    def beliefs(self, view: View, known: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Return the beliefs about the seats of each game: float32 [n, MAX_PLAYERS, NUM_FEATURES].

        known: bool [n, MAX_PLAYERS], seats that are known otherwise: they are not judged, and believed 0.
        """
        rounds, states = view.finished_rounds, view.known
        known = np.zeros((len(view), MAX_PLAYERS), np.bool_) if known is None else known
        ends = _ends(rounds)
        if not ends.any():
            return np.zeros((len(view), MAX_PLAYERS, NUM_FEATURES), np.float32)
        keys = _keys(states, known, rounds, ends)
        with self._lock:
            self._pasts.make_room()
            pasts = [
                self._pasts.find(key) if end else self._nothing for key, end in zip(keys, ends, strict=True)
            ]
            missing = {key: row for row, key in enumerate(keys) if pasts[row] is None}
            if missing:
                rows = np.array(list(missing.values()))
                self._work_out(states[rows], known[rows], rounds[rows], list(missing))
                pasts = [past or self._pasts[key] for past, key in zip(pasts, keys, strict=True)]
        return np.stack([past.beliefs for past in pasts if past is not None])

    def inputs(self, view: View) -> NDArray[np.uint8]:
        """Return the beliefs of the acting seats as a network reads them: uint8 [n, NUM_INPUTS]."""
        return network_inputs(self.beliefs(view), view.seat, view.known["num_players"])

    def _work_out(
        self, states: NDArray[Any], known: NDArray[np.bool_], rounds: NDArray[Any], keys: list[bytes]
    ) -> None:
        """Judge the last finished round of each game, and before it the earlier ones that are not known yet.

        known: as for `beliefs`. keys: the names of the pasts, one of each.
        """
        ends = _ends(rounds)
        is_last = np.arange(rounds.shape[1]) == ends[:, np.newaxis] - 1
        last, earlier = rounds.copy(), rounds.copy()
        last[~is_last] = earlier[is_last] = _NOT_KNOWN
        beginnings = rewind(states, last)
        ends = _ends(earlier)
        keys_before = _keys(beginnings.states, known, earlier, ends)
        missing = {
            key: row
            for row, (key, end) in enumerate(zip(keys_before, ends.tolist(), strict=True))
            if end and self._pasts.find(key) is None
        }
        if missing:
            rows = np.array(list(missing.values()))
            self._work_out(beginnings.states[rows], known[rows], earlier[rows], list(missing))
        before = [
            self._pasts[key] if end else self._nothing
            for key, end in zip(keys_before, ends.tolist(), strict=True)
        ]
        after = self._judge(beginnings.states, known, beginnings.rounds, before)
        self._pasts.add(zip(keys, after, strict=True))

    def _judge(
        self, states: NDArray[Any], known: NDArray[np.bool_], rounds: NDArray[Any], before: list[_Past]
    ) -> list[_Past]:
        """Add the evidence of one round of each game to what was known before it."""
        posterior = Posterior(*map(np.stack, zip(*(past.posterior for past in before), strict=True)))
        decisions = retrace(states, rounds, forced=False)
        decisions = _take(decisions, ~known[decisions.rows, decisions.states["seat"]])
        may_copy = posterior.shares[..., self._kinds.copy] > MAY_COPY
        decisions = _take(decisions, spread_plays(decisions, np.where(may_copy, DECK_SIZE, _MOST_PLAYS)))
        held = np.stack([past.beliefs for past in before])[decisions.rows]
        after = self._add_round(posterior, decisions, held)
        beliefs = believe(after, self._kinds.kinds)
        return [
            _Past(Posterior(*of_game), believed) for *of_game, believed in zip(*after, beliefs, strict=True)
        ]

    def _add_round(self, before: Posterior, decisions: Decisions, held: NDArray[np.float32]) -> Posterior:
        """Ask kinds about the decisions of a round, the quick ones first, until the others are negligible.

        A kind that was not asked yet may agree with every choice, which makes it as probable as it can be.

        before: shares [n, MAX_PLAYERS, kinds]. held: float32 [m, MAX_PLAYERS, NUM_FEATURES], the beliefs in
        each decision.
        """
        kinds, seats = self._kinds, decisions.states["seat"]
        inputs = network_inputs(held, seats, decisions.states["num_players"])
        agreed = compare(decisions, decisions.actions[:, np.newaxis], len(before.shares))
        seen = np.repeat(agreed, len(kinds), axis=2)
        unknown = np.repeat(agreed.any(axis=-1), len(kinds), axis=2)
        asking = unknown & kinds.is_quick
        while asking.any():
            rows = asking[decisions.rows, seats].any(axis=1).nonzero()[0]
            part = _take(decisions, rows)
            wanted = asking[part.rows, part.states["seat"]]
            chosen = kinds.choices(View(part.states, copy=False), inputs[rows], wanted)
            seen[asking] = compare(part, chosen, len(seen))[asking]
            unknown &= ~asking
            left = np.where(unknown, add_round(before, seen, kinds.prior).shares, 0)
            asking = (left > 0) & (left == left.max(axis=-1, keepdims=True))
        return add_round(before, seen, kinds.prior)


def _take(decisions: Decisions, chosen: NDArray[Any]) -> Decisions:
    """Take some of the decisions, by index or by mask."""
    return Decisions(*(column[chosen] for column in decisions))


def _ends(rounds: NDArray[Any]) -> NDArray[np.int64]:
    """Return int64 [n]: the index behind the last finished round that is known; 0 if none is."""
    known = rounds["hand_size"] > 0
    return (known * np.arange(1, known.shape[1] + 1)).max(axis=1, initial=0)


_NOT_KNOWN = np.zeros((), FINISHED_ROUND)
_FIELDS = (*OPTION_FIELDS, "scores")
_HEAD = np.dtype([*((name, STATE[name]) for name in _FIELDS), ("known", "?", MAX_PLAYERS)])


def _keys(
    states: NDArray[Any], known: NDArray[np.bool_], rounds: NDArray[Any], ends: NDArray[np.int64]
) -> list[bytes]:
    """Name the past of each game: its options, its scores, its known seats, and its rounds up to an end."""
    heads = np.zeros(len(states), _HEAD)
    for name in _FIELDS:
        heads[name] = states[name]
    heads["known"] = known
    head, size = _HEAD.itemsize, FINISHED_ROUND.itemsize
    options, played, row = heads.tobytes(), rounds.tobytes(), rounds.shape[1] * size
    return [
        options[index * head : (index + 1) * head] + played[index * row : index * row + end * size]
        for index, end in enumerate(ends.tolist())
    ]
