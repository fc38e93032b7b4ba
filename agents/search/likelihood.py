"""Worlds weighed by what was seen: importance sampling, with the likelihood of the other seats' choices.

Worlds are drawn uniformly (see `belief.py`), replayed, weighed by how likely a model of the seats makes the
trump, the bids and the cards seen, and resampled by weight. Bids are quick to replay, so they thin out the
worlds before the cards are weighed.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.agents.search.belief import draw_deals
from wizard_env.agents.search.seat_model import (
    GUESS,
    HEURISTIC,
    MODEL_KIND,
    SeatModel,
    Workspace,
    choose_action,
    guesses_for,
    likelihood_of,
    new_workspace,
)
from wizard_env.chance import mix, step_generator
from wizard_env.checks import check_choice, check_integer
from wizard_env.compiled.jit import compiled, kernel, outlined
from wizard_env.engine import apply, bids_are_public, turn_up
from wizard_env.sampling import unit_interval
from wizard_env.state import BID, HIDDEN, NOT_BID, PLAY, STATE, TRUMP, State
from wizard_env.view import View

_NOTHING, _BIDS, _PLAYS = range(3)
_EVIDENCE = ("nothing", "bids", "plays")

_CANDIDATES = 16
"""Worlds drawn for each one that is wanted."""
_FINALISTS = 4
"""Worlds left for each one that is wanted, once the bids are weighed and before the plays are."""
_LEAST_SHARE = 0.25
"""The least effective sample size that weighing leaves, as a share of the worlds."""
_HALVINGS = 10
"""Steps of the bisection that finds a power."""
_NO_ACTION = -1


class Sample(NamedTuple):
    """Worlds in proportion to how likely they are."""

    worlds: Any
    """Records of dtype STATE, with hidden bids filled in."""
    chosen: NDArray[np.int64]
    """[count] the indices of the worlds chosen, in ascending order; some more than once."""
    generator: np.uint64
    """The generator after the draws."""


def sample_worlds(
    view: View,
    count: int,
    rng: np.random.Generator,
    evidence: str = "plays",
    model: SeatModel = HEURISTIC,
    guesses: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Draw worlds as likely as they are if the other seats bid and play like their models.

    Args:
        view: n decisions.
        count: worlds per decision.
        rng: for views without random words.
        evidence: weigh worlds by "nothing", by the trump named and the "bids", or by those and the "plays".
        model: a guess at what the other seats do.
        guesses: [n, MAX_PLAYERS] of dtype GUESS, the models of seats that differ; `model` has the network.

    Returns:
        [n, count] records of dtype STATE, with hidden bids filled in.
    """
    check_integer("count", count, 1, 2**31)
    worlds = np.empty((len(view), count), STATE)
    guesses = guesses_for(model, len(view), guesses)
    _sample_rows(view.known, view.noise(rng), check_evidence(evidence), model, guesses, worlds)
    return worlds


def check_evidence(name: str) -> int:
    """Return the evidence as a number for compiled code."""
    check_choice("evidence", name, _EVIDENCE)
    return _EVIDENCE.index(name)


@compiled
def _next_action(world: State, past: State) -> int:
    """Return the action taken next in `past`, an earlier moment of a world; _NO_ACTION if there is none."""
    if past.phase == TRUMP:
        return _NO_ACTION if world.phase == TRUMP else FIRST_TRUMP + int(world.trump)
    if past.phase == BID:
        bid = int(world.bids[past.seat])
        return _NO_ACTION if bid == NOT_BID else FIRST_BID + bid
    if past.num_plays == world.num_plays:
        return _NO_ACTION
    return FIRST_PLAY + int(world.plays[past.num_plays])


@outlined
def replay_bidding(world: State, past: Any, weighs: bool, workspace: Workspace) -> float:
    """Replay the bidding with the hands of a world, and fill in the bids that its acting seat has not seen.

    past: [1] of dtype STATE, written here: the start of play, or the world itself if that is earlier.

    Returns the likelihood of the trump named and the bids seen; 1 if `weighs` is off.
    """
    past[0] = world
    state = past[0]
    for seat in range(world.num_players):
        state.hands[seat] = world.hands[seat] + world.played[seat]
    turn_up(state, int(world.upcard))  # the start of the round
    likelihood = 1.0
    while state.phase < PLAY:
        seat = int(state.seat)
        is_hidden = state.phase == BID and world.bids[seat] == HIDDEN
        if is_hidden:
            world.bids[seat] = choose_action(state, workspace) - FIRST_BID
        action = _next_action(world, state)
        if action == _NO_ACTION:
            break
        if weighs and seat != world.seat and not is_hidden:
            likelihood *= likelihood_of(action, state, workspace)
        apply(state, action)
        if state.bids[seat] != NOT_BID and not bids_are_public(state):
            state.bids[seat] = HIDDEN
    for seat in range(world.num_players):
        state.bids[seat] = world.bids[seat]
    return likelihood


@outlined
def replay_tricks(world: State, past: State, workspace: Workspace) -> float:
    """Replay the tricks with the hands of a world; return the likelihood of the cards that others played.

    past: as `replay_bidding` left it.
    """
    likelihood = 1.0
    action = _next_action(world, past)
    while action != _NO_ACTION:
        if past.seat != world.seat:
            likelihood *= likelihood_of(action, past, workspace)
        apply(past, action)
        action = _next_action(world, past)
    return likelihood


@outlined
def sample_weighed(known: State, word: np.uint64, count: int, evidence: int, workspace: Workspace) -> Sample:
    """Draw more worlds than wanted, weigh them by what was seen, and choose `count` by weight."""
    past = np.empty(1, STATE)
    worlds = np.empty(count * (1 if evidence == _NOTHING else _CANDIDATES), STATE)
    weights = np.empty(len(worlds))
    generator = draw_deals(known, word, worlds, False)
    for number in range(len(worlds)):
        weights[number] = replay_bidding(worlds[number], past, evidence != _NOTHING, workspace)
    temper(weights, _LEAST_SHARE * len(weights))
    finalists = np.arange(len(worlds))
    if evidence == _PLAYS and known.num_plays:
        finalists = np.empty(count * _FINALISTS, np.int64)
        generator = step_generator(generator, 1)
        resample(weights, unit_interval(mix(generator)), finalists)
        weights = np.empty(len(finalists))
        for number in range(len(finalists)):
            if number and finalists[number] == finalists[number - 1]:
                weights[number] = weights[number - 1]
                continue
            world = worlds[finalists[number]]
            replay_bidding(world, past, False, workspace)
            weights[number] = replay_tricks(world, past[0], workspace)
        temper(weights, _LEAST_SHARE * len(weights))
    chosen = np.empty(count, np.int64)
    generator = step_generator(generator, 1)
    resample(weights, unit_interval(mix(generator)), chosen)
    return Sample(worlds, finalists[chosen], generator)


@kernel([STATE], [np.uint64], int, MODEL_KIND, [[GUESS]], [[STATE]])
def _sample_rows(known: Any, words: Any, evidence: int, model: Any, guesses: Any, worlds: Any) -> None:
    count = worlds.shape[1]
    for index in range(len(known)):
        workspace = new_workspace(model, guesses[index])
        sample = sample_weighed(known[index], words[index], count, evidence, workspace)
        for number in range(count):
            worlds[index, number] = sample.worlds[sample.chosen[number]]


@compiled
def resample(weights: Any, start: float, chosen: Any) -> None:
    """Write indices in proportion to their weights, by systematic resampling (Kitagawa 1996).

    Args:
        weights: float64 [n], not all 0.
        start: a random number in [0, 1), which decides the choice.
        chosen: int64 [count], written here in ascending order; some indices may repeat.
    """
    step = weights.sum() / len(chosen)
    number, reached = 0, weights[0]
    for index in range(len(chosen)):
        while reached < (index + start) * step and number + 1 < len(weights):
            number += 1
            reached += weights[number]
        chosen[index] = number


@compiled
def effective_sample_size(weights: Any) -> float:
    """Return the number of worlds of equal weight that would tell as much (Kong 1992)."""
    total, squares = 0.0, 0.0
    for weight in weights:
        total += weight
        squares += weight * weight
    return total * total / squares


@outlined
def temper(weights: Any, least: float) -> None:
    """Raise weights to the power, at most 1, that leaves an effective sample size of `least` (Neal 2001).

    weights: float64 [n] above 0, changed here.

    The model errs, and of few worlds hardly one fits all that was seen: untempered, that one gets all weight.
    """
    if effective_sample_size(weights) >= least:
        return
    logs = np.log(weights / weights.max())
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        power = (low + high) / 2
        if effective_sample_size(np.exp(power * logs)) < least:
            high = power
        else:
            low = power
    for number in range(len(weights)):
        weights[number] = np.exp(low * logs[number])
