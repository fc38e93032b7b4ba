"""SearchAgent: tries every choice in many worlds, and takes the best on average (see `playouts.py`)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.assessment import Assessment
from wizard_env.agents.heuristic import SCRATCH, Scratch, best_choice, choice_values
from wizard_env.agents.search.every_action import distinct_cards, try_every_action
from wizard_env.agents.search.playouts import Playouts
from wizard_env.checks import check_choice
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import kernel, outlined
from wizard_env.engine import first_action, legal
from wizard_env.sampling import certain
from wizard_env.state import PLAY, STATE, TRUMP, State
from wizard_env.view import Actions, View

BIDS_TRIED = 5
"""Bids tried per decision: those of which the heuristic expects most."""
_PLAYOUTS = ("heuristic", "random")


class SearchAgent:
    """Chooses the same action for the same random words of the view, on any number of threads.

    With a time limit, the number of worlds and so the choice depend on the machine.
    """

    expects_points = True

    def __init__(
        self,
        worlds: int = 64,
        milliseconds: float | None = None,
        threads: int | None = None,
        evidence: str = "plays",
        playouts: str = "heuristic",
    ) -> None:
        """Set the effort; the other options are those of `wizard_env.agents.search.playouts.Playouts`.

        playouts: the agent that plays the round to its end, "heuristic" or "random".
        """
        check_choice("playouts", playouts, _PLAYOUTS)
        self._playouts = Playouts(worlds, milliseconds, threads, evidence, at_random=playouts == "random")

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        points = self.expect(view, rng)
        return np.where(np.isnan(points), -np.inf, points).argmax(axis=1)

    def expect(self, view: View, rng: np.random.Generator) -> NDArray[np.float64]:
        """Estimate the points of the round that each choice brings its seat: float64 [n, NUM_ACTIONS].

        NaN if an action is illegal or not worth trying; 0 if it is the only choice.
        """
        tried = np.zeros(view.mask.shape, np.uint8)
        _mark_choices(view.known, tried)
        points = np.where(tried, 0.0, np.nan)
        rows = (tried.sum(axis=1) > 1).nonzero()[0]
        points[rows] = self._playouts(view.known[rows], view.noise(rng)[rows], tried[rows] != 0).points
        return points

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Estimate the points of every legal action; the policy takes the best one."""
        points, met, _, error, evidence = try_every_action(self._playouts, view, rng)
        best = certain(np.nanargmax(points, axis=1))
        return Assessment(best, points, np.nanmax(points, axis=1), met, error, evidence)


@outlined
def _promising_choices(state: State, scratch: Scratch) -> int:
    """Return the choices worth trying, as bits: a few bids, every trump, one of each run of equal cards."""
    allowed = legal(state)
    if state.phase == PLAY:
        return distinct_cards(state, allowed)
    if state.phase == TRUMP:
        return allowed
    choice_values(state, scratch)
    chosen = 0
    for _ in range(BIDS_TRIED):
        if allowed & ~chosen:
            chosen |= 1 << best_choice(allowed & ~chosen, scratch)
    return chosen


@kernel([STATE], [[np.uint8]])
def _mark_choices(known: Any, tried: Any) -> None:
    scratch = np.empty(1, SCRATCH)
    for index in range(len(known)):
        first, choices = first_action(known[index]), _promising_choices(known[index], scratch[0])
        while choices:
            tried[index, first + lowest_bit(choices)] = 1
            choices &= choices - 1
