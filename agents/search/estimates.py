"""Estimates of every legal action, for hints by any agent: its own, or those of playouts."""

from functools import cache

import numpy as np

from wizard_env import Agent
from wizard_env.agents.assessment import Assessment, assess
from wizard_env.agents.network import NetworkAgent
from wizard_env.agents.pretrained import DISTILLED
from wizard_env.agents.search.network_search import guess_seats_of
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import SeatModel
from wizard_env.view import View

_WORLDS = 32
"""Worlds in which playouts try the actions for an agent without playouts of its own."""


def assess_every_action(agent: Agent, view: View, rng: np.random.Generator) -> Assessment:
    """Assess as `wizard_env.agents.assessment.assess`, with points, chances and errors of all legal actions.

    An agent without playouts keeps its policy. Playouts by a small network estimate the rest, with the
    agent's own guesses at the other seats if it has any. So points and chances come from the same playouts.
    """
    found = assess(agent, view, rng)
    if found.met is not None and found.error is not None:
        return found
    guesses = guess_seats_of(agent, view, _model())
    points, met, _, error = _playouts()(view.known, view.noise(rng), view.mask != 0, guesses=guesses)
    return Assessment(found.policy, points, np.nanmax(points, axis=1), met, error)


@cache
def _model() -> SeatModel:
    return SeatModel.from_layers(NetworkAgent(str(DISTILLED)).layers)


@cache
def _playouts() -> Playouts:
    return Playouts(_WORLDS, model=_model())
