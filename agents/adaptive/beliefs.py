"""Beliefs: the kind of player that sits in each seat, by Bayes' rule over types.

A type is a kind of player that errs at an unknown rate, and whose bids are off by an unknown distribution.
Both are integrated out, so the counts of `wizard_env.agents.adaptive.evidence` are sufficient. A seat that no
kind explains is believed to be the nearest one, with the share of its choices that this one does not explain.

Barrett and Stone, Cooperating with Unknown Teammates in Complex Domains: A Robot Soccer Case Study of Ad Hoc
Teamwork, AAAI 2015 (PLASTIC); Albrecht, Crandall and Ramamoorthy, Belief and Truth in Hypothesised
Behaviours, Artificial Intelligence 2016.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import MAX_BID
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
from wizard_env.rules import MAX_PLAYERS, MAX_ROUNDS

KNOWN_KINDS = [kind for kind in PlayerKind if kind != PlayerKind.UNKNOWN]
"""The kinds of which each has a column in a belief, the first ones."""
INEXACT = len(KNOWN_KINDS)
"""The column of a belief with the share of plays that the kind does not explain."""
HIGH, LOW = INEXACT + 1, INEXACT + 2
"""The columns with the number of tricks by which bids are above those of the kind, or below."""
NUM_FEATURES = LOW + 1
NUM_INPUTS = (MAX_PLAYERS - 1) * NUM_FEATURES
"""Inputs of a network for the beliefs about the other seats."""

_PLAY_PRIOR = (19.0, 0.6)
"""The parameters of the beta distribution of the share of plays that are the kind's own."""
_SHIFT_PRIOR = np.array([0.1, 0.3, 12.0, 0.3, 0.1])
"""The parameters of the Dirichlet distribution of the distance of bids from the kind's."""
_DOUBT = 8.0
"""Plays that explain a kind, added to those seen before the share of others is believed."""
_BID_DOUBT = 2.0
"""The same for bids."""
_FEWEST, _NO_DOUBT, _MOST = 12, 1e-3, 48
"""A seat is judged until, after the fewest decisions, one kind is certain; or for the most decisions."""
_UNKNOWN = 0.15
"""The share of plays that the kind does not explain, from which the player is of an unknown kind."""
_SHIFT_VALUES = np.arange(-MAX_SHIFT, MAX_SHIFT + 1)
assert len(_SHIFT_PRIOR) == NUM_SHIFTS


def believe(
    counts: NDArray[np.float32], prior: NDArray[np.float64], kinds: Sequence[PlayerKind]
) -> NDArray[np.float32]:
    """Return the beliefs that counts lead to.

    Args:
        counts: float32 [..., players, NUM_COUNTS], of a seat, compared with each player of `kinds`.
        prior: float64 [players], the probability of each before there is evidence.
        kinds: the kind of each player.

    Returns:
        float32 [..., NUM_FEATURES]: the probability of each kind, then INEXACT, HIGH and LOW. All are 0
        for a seat without counts.
    """
    assert counts.shape[-1] == NUM_COUNTS
    plays = counts[..., AGREED] + counts[..., DIFFERED]
    posterior = _posterior(counts, prior)
    inexact = counts[..., DIFFERED] / (plays + _DOUBT)
    bids = counts[..., SHIFTS:].sum(axis=-1)
    shift = (counts[..., SHIFTS:] @ _SHIFT_VALUES) / (bids + _BID_DOUBT)
    features = np.zeros((*counts.shape[:-2], NUM_FEATURES), np.float32)
    for player, kind in enumerate(kinds):
        features[..., kind.column] += posterior[..., player]
    features[..., INEXACT] = (posterior * inexact).sum(axis=-1)
    mean_shift = (posterior * shift).sum(axis=-1)
    features[..., HIGH] = np.maximum(mean_shift, 0)
    features[..., LOW] = np.maximum(-mean_shift, 0)
    features[_decisions(counts).max(axis=-1) == 0] = 0
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


def rule_out(counts: NDArray[np.float32], prior: NDArray[np.float64]) -> None:
    """Make the counts of kinds that are out of the question infinitely surprising: they stay so.

    counts, prior: as for `believe`.
    """
    counts[_posterior(counts, prior) < _NO_DOUBT, SURPRISE] = np.inf


def are_settled(counts: NDArray[np.float32], prior: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether no more evidence about a seat is needed: bool [...].

    counts, prior: as for `believe`.
    """
    judged = _decisions(counts).max(axis=-1)
    doubt = 1 - _posterior(counts, prior).max(axis=-1)
    return ((judged >= _FEWEST) & (doubt < _NO_DOUBT)) | (judged >= _MOST)


def _decisions(counts: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32 [..., kinds], the number of decisions that each kind was compared with."""
    return counts[..., [AGREED, DIFFERED, *range(SHIFTS, NUM_COUNTS)]].sum(axis=-1)


def _posterior(counts: NDArray[np.float32], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 [..., kinds], the probability of each kind."""
    agreed, differed = (counts[..., column].astype(np.int64) for column in (AGREED, DIFFERED))
    shifts = counts[..., SHIFTS:].astype(np.int64)
    right, wrong = _PLAY_PRIOR
    evidence = (
        np.log(prior)
        + _log_rising(right, agreed)
        + _log_rising(wrong, differed)
        - _log_rising(right + wrong, agreed + differed)
        - counts[..., SURPRISE]
        - _log_rising(float(_SHIFT_PRIOR.sum()), shifts.sum(axis=-1))
    )
    for column, weight in enumerate(_SHIFT_PRIOR.tolist()):
        evidence += _log_rising(weight, shifts[..., column])
    shares = np.exp(evidence - evidence.max(axis=-1, keepdims=True))
    posterior: NDArray[np.float64] = shares / shares.sum(axis=-1, keepdims=True)
    return posterior


def _log_rising(start: float, steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the logarithm of start * (start + 1) * ..., with this number of factors."""
    return _log_rising_table(start)[steps]


@cache
def _log_rising_table(start: float) -> NDArray[np.float64]:
    most = MAX_ROUNDS * MAX_BID  # decisions of a seat in a game
    return np.concatenate([[0.0], np.log(start + np.arange(most)).cumsum()])


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
