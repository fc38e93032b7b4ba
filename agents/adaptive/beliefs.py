"""Beliefs: the kind of player that sits in each seat, by Bayes' rule over types that may change.

A type is a kind of player that errs at an unknown rate, and whose bids are off by an unknown distribution.
Both are integrated out, so the counts of `wizard_env.agents.adaptive.evidence` are sufficient. Before each
round a seat's type may change, see `add_round`. A seat that no kind explains is believed to be the nearest
one, with the share of its choices that this one does not explain.

Barrett and Stone, Cooperating with Unknown Teammates in Complex Domains: A Robot Soccer Case Study of Ad Hoc
Teamwork, AAAI 2015 (PLASTIC); Albrecht, Crandall and Ramamoorthy, Belief and Truth in Hypothesised
Behaviours, Artificial Intelligence 2016.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.adaptive.evidence import (
    AGREED,
    DIFFERED,
    MAX_SHIFT,
    NUM_COUNTS,
    NUM_SHIFTS,
    SHIFTS,
    SURPRISE,
)
from wizard_env.agents.assessment import PlayerKind, SeatBelief
from wizard_env.agents.network import BELIEF_HIGH
from wizard_env.compiled.jit import compiled, kernel
from wizard_env.rules import MAX_PLAYERS

KNOWN_KINDS = [kind for kind in PlayerKind if kind != PlayerKind.UNKNOWN]
"""The kinds of which each has a column in a belief, the first ones."""
INEXACT = len(KNOWN_KINDS)
"""The column of a belief with the share of plays that the kind does not explain."""
HIGH, LOW = INEXACT + 1, INEXACT + 2
"""The columns with the number of tricks by which bids are above those of the kind, or below."""
NUM_FEATURES = LOW + 1
NUM_INPUTS = (MAX_PLAYERS - 1) * NUM_FEATURES
"""Inputs of a network for the beliefs about the other seats."""

MAY_COPY = 0.3
"""The probability from which a copy is trusted. Champions and copies play alike before copies cooperate."""
_CHANGE = 0.01
"""The probability that a seat's type changes before a round."""
_NEGLIGIBLE = 0.005
"""The probability below which a kind is out of the question."""
_RIGHT, _WRONG = 19.0, 0.6
"""The parameters of the beta distribution of the share of plays that are the kind's own."""
_SHIFT_PRIOR = np.array([0.1, 0.3, 12.0, 0.3, 0.1])
"""The parameters of the Dirichlet distribution of the distance of bids from the kind's."""
_EXACT = 30.0
"""A copy does not err: the factor on its parameters for its own choices, and the divisor of the others."""
_DOUBT = 8.0
"""Plays that explain a kind, added to those seen before the share of others is believed."""
_BID_DOUBT = 2.0
"""The same for bids."""
_UNKNOWN = 0.15
"""The share of plays that the kind does not explain, from which the player is of an unknown kind."""
_SHIFT_VALUES = np.arange(-MAX_SHIFT, MAX_SHIFT + 1)
assert len(_SHIFT_PRIOR) == NUM_SHIFTS


class Prior(NamedTuple):
    """The kinds before there is evidence."""

    shares: NDArray[np.float64]
    """[kinds]: the probability of each as a game begins."""
    joins: NDArray[np.float64]
    """[kinds]: the same after a change. Nobody becomes a copy: trust that was abused does not come back."""
    exactness: NDArray[np.float64]
    """[kinds]: the factor on the parameters for its own plays and bids, and the divisor of the others."""

    @classmethod
    def of(cls, players: Sequence[PlayerKind]) -> Self:
        """Make kinds equally likely, and the players of a kind. players: the kind of each."""
        shares = np.array([1 / len(KNOWN_KINDS) / players.count(kind) for kind in players])
        are_copies = np.array([kind == PlayerKind.COPY for kind in players])
        joins = np.where(are_copies, 0, shares)
        return cls(shares, joins / joins.sum(), np.where(are_copies, _EXACT, 1.0))


class Posterior(NamedTuple):
    """The kinds of seats, given their finished rounds."""

    shares: NDArray[np.float64]
    """[..., kinds]: the probability of each."""
    counts: NDArray[np.float32]
    """[..., kinds, NUM_COUNTS]: those of the rounds that the seat is expected to have been of the kind."""


def add_round(before: Posterior, seen: NDArray[np.float32], prior: Prior) -> Posterior:
    """Add the evidence of one round: a step of the forward filter of a hidden Markov model.

    Before the round, a seat's type changes with a small probability. Then its kind is drawn from
    `prior.joins`, and its rates of errors anew. Bayesian change points (Adams and MacKay, Bayesian Online
    Changepoint Detection, 2007) keep counts for each round that may have been the first after a change.
    Here each kind keeps one set of counts, their mean over whether the seat was of the kind before, as
    filters for switching models merge hypotheses (Blom and Bar-Shalom, The Interacting Multiple Model
    Algorithm, IEEE Transactions on Automatic Control 1988). A kind whose probability is negligible is given
    up, until a change brings it back.

    Args:
        before: of n games, shares [n, MAX_PLAYERS, kinds].
        seen: float32 [n, MAX_PLAYERS, kinds, NUM_COUNTS], the counts of the round alone.
        prior: of the kinds.
    """
    with np.errstate(divide="ignore"):
        stays = np.log((1 - _CHANGE) * before.shares) + log_evidence(before.counts, seen, prior)
        joins = np.log(_CHANGE * prior.joins) + log_evidence(np.zeros_like(seen), seen, prior)
    likeliest = np.maximum(stays, joins).max(axis=-1, keepdims=True)
    stays, joins = np.exp(stays - likeliest), np.exp(joins - likeliest)
    either = stays + joins
    either[either < _NEGLIGIBLE * either.sum(axis=-1, keepdims=True)] = 0
    stayed = np.divide(stays, either, out=np.zeros_like(either), where=either > 0)[..., np.newaxis]
    counts = np.where(either[..., np.newaxis] > 0, before.counts * stayed + seen, 0)
    return Posterior(either / either.sum(axis=-1, keepdims=True), counts.astype(np.float32))


def log_evidence(counts: NDArray[np.float32], seen: NDArray[np.float32], prior: Prior) -> NDArray[np.float64]:
    """Return the logarithm of the probability of what was seen in a round, given counts of earlier rounds.

    The rates are integrated out: plays are beta-binomial, bids Dirichlet-multinomial (Polya urns), and a
    choice that differs is any other legal one.

    counts, seen: float32 [n, MAX_PLAYERS, kinds, NUM_COUNTS]; those seen are whole numbers.

    Returns float64 [n, MAX_PLAYERS, kinds].
    """
    logs = np.empty(seen.shape[:-1])
    _log_evidence(np.ascontiguousarray(counts), np.ascontiguousarray(seen), prior.exactness, logs)
    return logs


@kernel([[[[np.float32]]]], [[[[np.float32]]]], [np.float64], [[[np.float64]]])
def _log_evidence(counts: Any, seen: Any, exactness: Any, logs: Any) -> None:
    for game in range(logs.shape[0]):
        for seat in range(logs.shape[1]):
            for kind in range(logs.shape[2]):
                before, now, exact = counts[game, seat, kind], seen[game, seat, kind], exactness[kind]
                right, wrong = before[AGREED] + _RIGHT * exact, before[DIFFERED] + _WRONG / exact
                log = _log_rising(right, now[AGREED]) + _log_rising(wrong, now[DIFFERED])
                log -= _log_rising(right + wrong, now[AGREED] + now[DIFFERED]) + now[SURPRISE]
                total, bids = 0.0, 0.0
                for shift in range(NUM_SHIFTS):
                    factor = exact if shift == MAX_SHIFT else 1 / exact
                    weight = before[SHIFTS + shift] + _SHIFT_PRIOR[shift] * factor
                    log += _log_rising(weight, now[SHIFTS + shift])
                    total += weight
                    bids += now[SHIFTS + shift]
                logs[game, seat, kind] = log - _log_rising(total, bids)


@compiled
def _log_rising(start: float, steps: float) -> float:
    """Return the logarithm of start * (start + 1) * ..., with this number of factors."""
    product = 1.0
    for step in range(int(steps)):
        product *= start + step
    return np.log(product)


def believe(posterior: Posterior, kinds: Sequence[PlayerKind]) -> NDArray[np.float32]:
    """Return the beliefs of a posterior.

    kinds: the kind of each player.

    Returns:
        float32 [..., NUM_FEATURES]: the probability of each kind, then INEXACT, HIGH and LOW. All are 0
        for a seat without counts.
    """
    shares, counts = posterior
    assert counts.shape[-1] == NUM_COUNTS
    plays = counts[..., AGREED] + counts[..., DIFFERED]
    bids = counts[..., SHIFTS:].sum(axis=-1)
    inexact = counts[..., DIFFERED] / (plays + _DOUBT)
    shift = (counts[..., SHIFTS:] @ _SHIFT_VALUES) / (bids + _BID_DOUBT)
    features = np.zeros((*counts.shape[:-2], NUM_FEATURES), np.float32)
    for player, kind in enumerate(kinds):
        features[..., kind.column] += shares[..., player]
    features[..., INEXACT] = (shares * inexact).sum(axis=-1)
    mean_shift = (shares * shift).sum(axis=-1)
    features[..., HIGH] = np.maximum(mean_shift, 0)
    features[..., LOW] = np.maximum(-mean_shift, 0)
    features[(plays + bids).max(axis=-1) == 0] = 0
    return features


def name_belief(features: NDArray[np.float32]) -> SeatBelief | None:
    """Return a belief about one seat in words, or None without evidence. features: float32 [NUM_FEATURES]."""
    shares = features[: len(KNOWN_KINDS)]
    if not shares.any():
        return None
    shift = float(features[HIGH] - features[LOW])
    if features[INEXACT] > _UNKNOWN:
        return SeatBelief(PlayerKind.UNKNOWN, None, shift)
    likeliest = int(shares.argmax())
    return SeatBelief(KNOWN_KINDS[likeliest], float(shares[likeliest]), shift)


def network_inputs(
    beliefs: NDArray[np.float32], seat: NDArray[np.integer], num_players: NDArray[np.integer]
) -> NDArray[np.uint8]:
    """Return the beliefs about the other seats as a network reads them, clockwise from the acting one.

    Args:
        beliefs: float32 [n, MAX_PLAYERS, NUM_FEATURES], of each seat.
        seat: int [n], the acting seats.
        num_players: int [n].

    Returns:
        uint8 [n, NUM_INPUTS], 0 to BELIEF_HIGH; a feature above 1 counts as 1.
    """
    steps = np.arange(1, MAX_PLAYERS)
    players = num_players.astype(np.int64)[:, np.newaxis]
    others = (seat.astype(np.int64)[:, np.newaxis] + steps) % players
    shown = np.take_along_axis(beliefs, others[:, :, np.newaxis], axis=1)
    shown = np.where((steps < players)[:, :, np.newaxis], shown, 0)
    scaled = np.rint(np.minimum(shown, 1) * BELIEF_HIGH)
    return scaled.astype(np.uint8).reshape(len(beliefs), NUM_INPUTS)
