"""NetworkSearchAgent: a network whose likeliest actions are tried in worlds where a small network plays.

`assess_every_action` gives any agent estimates of that kind, for hints.
"""

from functools import cache, partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent
from wizard_env.agents.adaptive.agent import AdaptiveAgent
from wizard_env.agents.adaptive.beliefs import HIGH, INEXACT, LOW
from wizard_env.agents.adaptive.checkpoint import load_network
from wizard_env.agents.assessment import Assessment, PlayerKind, assess
from wizard_env.agents.network import Backend, NetworkAgent
from wizard_env.agents.pretrained import ADAPTIVE, DISTILLED, Goal, champion_file, playout_network
from wizard_env.agents.search.every_action import try_every_action
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import HEURISTIC, RULE_BASED, SeatModel, Softmax
from wizard_env.checks import check_choice, check_integer, quoted
from wizard_env.view import Actions, View

TRIED = 8
"""Actions tried per decision, at most: the likeliest."""
_LIKELY_BELOW = 0.2
"""Upper bound on `likely`."""
_HINT_WORLDS = 32
"""Worlds in which playouts try the actions for an agent without playouts of its own."""
_SHARP = Softmax(0.005, temperature=0.0)
"""For a kind that has explained every choice so far."""
EXACT = {
    PlayerKind.RULE_BASED: RULE_BASED._replace(bids=_SHARP, plays=_SHARP),
    PlayerKind.HEURISTIC: HEURISTIC._replace(bids=_SHARP, plays=_SHARP),
}
"""The models of seats whose kind is known."""
_RECOGNISED = 0.5
"""The belief above which a seat is played by that kind."""


class NetworkSearchAgent:
    """A network's choice, improved by playouts (Tesauro and Galperin 1997).

    The network picks the actions worth trying. Each is played out to the end of the round in the same worlds
    (see playouts.py), where a small network decides for every seat; but if the network reads beliefs about
    the other seats, `rule_based` and `heuristic` decide for those where they are recognised. Another action
    replaces the network's own choice only if it is better by more than chance explains.
    """

    expects_points = True

    def __init__(
        self,
        network: str | None = None,
        worlds: int = 256,
        milliseconds: float | None = None,
        threads: int | None = None,
        likely: float = 0.001,
        errors: float = 0.75,
        evidence: str = "plays",
        playouts: str | None = None,
        backend: Backend = "auto",
        value: Goal = "points",
    ) -> None:
        """Set the effort; `milliseconds`, `threads` and `evidence` are those of `Playouts`.

        Args:
            network: path of a network, which may read beliefs; by default that of the champion which plays
                for `value`.
            worlds: worlds that each action is tried in, at least 2; rounded up to whole batches.
            likely: actions that the network gives less than this probability are not tried.
            errors: standard errors by which another action must beat the network's own.
            playouts: path of the network that decides for the seats of a world; by default a small one,
                distilled from the champion which plays for `value`.
            backend: what computes `network`, see `NetworkAgent`.
            value: choose by the "points" of the round, or by the probability to "win" the game after it.
        """
        if not 0 <= likely < _LIKELY_BELOW:
            raise ValueError(f"likely={quoted(likely)}: a share from 0 to below {_LIKELY_BELOW} is needed")
        if not errors >= 0:
            raise ValueError(f"errors={quoted(errors)}: a number of at least 0 is needed")
        check_choice("value", value, get_args(Goal))
        self.network = load_network(network or str(champion_file(value)), backend=backend)
        if isinstance(self.network, AdaptiveAgent):
            self.network.trusts_copies = False
        self._to_win = value == "win"
        self.likely = likely
        self.errors = errors
        self.model = SeatModel.from_layers(NetworkAgent(playouts or str(playout_network(value))).layers)
        self.playouts = Playouts(
            check_integer("worlds", worlds, 2, 2**20), milliseconds, threads, evidence, self.model
        )

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Improve the network's choices; without a time limit, equal random words give equal actions."""
        words = view.noise(rng)
        policy = self.network.printed_policy(view)
        chosen: Actions = policy.argmax(axis=1)
        tried = policy >= np.maximum(self.likely, np.sort(policy, axis=1)[:, [-TRIED]])
        tried &= policy > 0
        tried[np.arange(len(view)), chosen] = True
        rows = (tried.sum(axis=1) > 1).nonzero()[0]
        guesses = self.guess_seats(view)
        found = self.playouts(
            view.known[rows], words[rows], tried[rows], chosen[rows], guesses[rows], self._to_win
        )
        surplus = found.gain - self.errors * found.error
        chosen[rows] = np.where(np.isnan(surplus), -np.inf, surplus).argmax(axis=1)
        return chosen

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        """Return the network's policy, and the points expected of every legal action and of that policy."""
        policy = self.network.printed_policy(view)
        points, met, _, error, evidence = try_every_action(self.playouts, view, rng, self.guess_seats(view))
        return Assessment(policy, points, np.nansum(policy * points, axis=1), met, error, evidence)

    def guess_seats(self, view: View) -> NDArray[Any]:
        """Return the models of the seats: [n, MAX_PLAYERS] records of dtype GUESS."""
        return guess_seats_of(self.network, view, self.model)


def guess_seats(beliefs: NDArray[np.float32], seat: NDArray[np.integer], model: SeatModel) -> NDArray[Any]:
    """Return a model of every seat: rule_based or heuristic where it is recognised, else a network.

    A recognised seat errs in the share of choices that its kind does not explain, or that another kind would
    make. Where its bids are above or below those of its kind, they tell less.

    Args:
        beliefs: float32 [n, MAX_PLAYERS, NUM_FEATURES], see `wizard_env.agents.adaptive.beliefs`.
        seat: int [n], the acting seats, whose own model is the network.
        model: the network.

    Returns:
        [n, MAX_PLAYERS] records of dtype GUESS.
    """
    guesses = model.guesses(len(beliefs))
    others = np.arange(beliefs.shape[1]) != seat[:, np.newaxis]
    for kind, exact in EXACT.items():
        recognised = others & (beliefs[..., kind.column] > _RECOGNISED)
        believed = beliefs[recognised]
        guesses[recognised] = exact.guesses(1)[0, 0]
        doubt = _SHARP.epsilon + 1 - believed[:, kind.column] + believed[:, INEXACT]
        guesses["play_epsilon"][recognised] = np.minimum(doubt, 1)
        guesses["bid_epsilon"][recognised] = np.minimum(doubt + believed[:, HIGH] + believed[:, LOW], 1)
    return guesses


def guess_seats_of(agent: Agent, view: View, model: SeatModel) -> NDArray[Any]:
    """Return an agent's guesses at the seats, or the model for each: [n, MAX_PLAYERS] of dtype GUESS."""
    if isinstance(agent, AdaptiveAgent):
        return guess_seats(agent.beliefs(view), view.seat, model)
    return model.guesses(len(view))


def assess_every_action(agent: Agent, view: View, rng: np.random.Generator) -> Assessment:
    """Assess as `assess` of `wizard_env.agents.assessment`, with points, chances and errors of all actions.

    An agent without playouts keeps its policy. Playouts by a small network estimate the rest, with the
    agent's own guesses at the other seats if it has any. So points and chances come from the same playouts.
    """
    found = assess(agent, view, rng)
    if found.met is not None and found.error is not None:
        return found
    guesses = guess_seats_of(agent, view, _model())
    points, met, _, error, evidence = try_every_action(_playouts(), view, rng, guesses)
    return Assessment(found.policy, points, np.nanmax(points, axis=1), met, error, evidence)


@cache
def _model() -> SeatModel:
    return SeatModel.from_layers(NetworkAgent(str(DISTILLED)).layers)


@cache
def _playouts() -> Playouts:
    return Playouts(_HINT_WORLDS, model=_model())


AdaptiveSearchAgent = partial(NetworkSearchAgent, network=str(ADAPTIVE), value="win")
"""A NetworkSearchAgent that plays to win, with the network that reads beliefs, see `adaptive/agent.py`."""
