"""Every legal action tried in playouts, for hints: cards that are alike are tried once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_PLAY
from wizard_env.agents.assessment import Evidence
from wizard_env.agents.search.playouts import Outcome, Playouts
from wizard_env.cards import UNITS, WIZARD, rank_of, suit_of
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import compiled, kernel
from wizard_env.engine import legal, unseen_by
from wizard_env.state import NO_CARD, PLAY, STATE, State
from wizard_env.view import View


def try_every_action(
    playouts: Playouts, view: View, rng: np.random.Generator, guesses: NDArray[Any] | None = None
) -> Outcome:
    """Try the legal actions; cards that are alike get the outcome of one of them, and its evidence.

    guesses: [n, MAX_PLAYERS] of dtype GUESS, the models of seats that differ.
    """
    tried = view.mask.copy()
    _drop_doubles(view.known, tried)
    found = playouts(view.known, view.noise(rng), tried != 0, guesses=guesses, explains=True)
    actions = np.arange(tried.shape[1])
    stand_ins = np.maximum.accumulate(np.where(tried, actions, 0), axis=1)  # the lowest of a run is tried
    rows = np.arange(len(view))[:, np.newaxis]
    legal_actions = view.mask != 0

    def share(values: NDArray[np.float64]) -> NDArray[np.float64]:
        shared = values[rows, stand_ins]
        shared[~legal_actions] = np.nan
        return shared

    evidence = Evidence._make(share(values) for values in found.evidence or ())
    return Outcome(share(found.points), share(found.met), share(found.gain), share(found.error), evidence)


@compiled
def distinct_cards(state: State, allowed: int) -> int:
    """Return the lowest of each run of equal cards: of a suit, with no unseen or trick card in between."""
    others = unseen_by(state, int(state.seat))
    for seat in range(state.num_players):
        if state.trick[seat] != NO_CARD:
            others |= UNITS[state.trick[seat]]
    distinct, previous, left = 0, NO_CARD, allowed
    while left:
        card = lowest_bit(left)
        left &= left - 1
        between = others & ((1 << card) - (1 << max(previous, 0)))
        lowest = previous == NO_CARD or card >= WIZARD or suit_of(card) != suit_of(previous)
        is_magic = state.magic_edition and not lowest and rank_of(int(previous)) == 0
        if lowest or between or is_magic:
            distinct |= 1 << card
        previous = card
    return distinct


@kernel([STATE], [[np.uint8]])
def _drop_doubles(known: Any, tried: Any) -> None:
    """Keep one card of each run of equal ones. tried: [n, NUM_ACTIONS], the legal actions, changed here."""
    for index in range(len(known)):
        if known[index].phase != PLAY:
            continue
        allowed = legal(known[index])
        doubles = allowed & ~distinct_cards(known[index], allowed)
        while doubles:
            tried[index, FIRST_PLAY + lowest_bit(doubles)] = 0
            doubles &= doubles - 1
