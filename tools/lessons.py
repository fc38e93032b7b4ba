"""Lessons from search, and networks that learn them: policy improvement by playouts.

A lesson is a decision of a network in its own games: the actions it thinks likeliest, and how much more each
brought than the first of them when all were played out in the same worlds. As in expert iteration (Anthony,
Tian and Barber, "Thinking Fast and Slow with Deep Learning and Tree Search", 2017) the network then learns
what the search found; here it raises the expected gain of its own policy, and stays near what it was.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import Agent
from wizard_env.actions import NUM_ACTIONS
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.assessment import PlayerKind
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.agents.network import Network, NetworkAgent, read_agent, reads_beliefs
from wizard_env.agents.perturbed import PerturbedAgent
from wizard_env.agents.pretrained import playout_network
from wizard_env.agents.rule_based import RuleBasedAgent
from wizard_env.agents.search.network_search import EXACT
from wizard_env.agents.search.playouts import Playouts
from wizard_env.agents.search.seat_model import GUESS, SeatModel
from wizard_env.files import write_atomically
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.rules import MAX_PLAYERS
from wizard_env.sampling import draw_noise, sample_softmax
from wizard_env.train.config.run import Config
from wizard_env.train.distillation import divergences
from wizard_env.train.networks.policy_value import PolicyValueNetwork
from wizard_env.train.selfplay.games import NO_PARTNER, SelfPlayGames, deal_games
from wizard_env.view import printed_actions

_WORLDS = 8
"""Worlds in which the actions of a decision are tried."""
_TRIED = 5
"""Actions tried per decision, at most: the likeliest."""
_LIKELY = 0.03
"""The least probability of an action that is tried, as a share of that of the likeliest."""
_BATCH_SIZE = 512
_EPOCHS = 5
_RATE = 5e-4
"""The learning rate at the beginning; it falls to 0."""
_PENALTY = 3e-4
"""The penalty on each nat of divergence from the network before, in probability of winning."""


class Lessons(NamedTuple):
    """n decisions in canonical suits."""

    inputs: NDArray[np.uint8]
    """[n, inputs]: observations, and beliefs if the network reads them."""
    masks: NDArray[np.bool_]
    """[n, NUM_ACTIONS]: the legal actions."""
    gains: NDArray[np.float16]
    """[n, NUM_ACTIONS]: the gain in probability of winning over the likeliest action; NaN if not tried."""

    def save(self, path: Path) -> None:
        """Write a file of numpy, compressed."""

        def write(file: Path) -> None:
            with file.open("wb") as opened:
                np.savez_compressed(opened, **self._asdict())

        write_atomically(path, write)

    @classmethod
    def read(cls, paths: Sequence[Path]) -> "Lessons":
        """Join the lessons of files."""
        parts = []
        for path in paths:
            with np.load(path) as file:
                parts.append(tuple(file[name] for name in cls._fields))
        return cls(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _guess_at(partner: Agent, model: SeatModel) -> Any:
    """Return the guess at a partner's seat, a record of dtype GUESS. model: for every network."""
    if isinstance(partner, PerturbedAgent):
        guess = _guess_at(partner.agent, model)
        guess["bid_epsilon"] = min(guess["bid_epsilon"] + partner.noise + abs(partner.bias), 1)
        guess["play_epsilon"] = min(guess["play_epsilon"] + partner.noise + abs(partner.greed), 1)
        return guess
    if isinstance(partner, RuleBasedAgent):
        model = EXACT[PlayerKind.RULE_BASED]
    elif isinstance(partner, HeuristicAgent):
        model = EXACT[PlayerKind.HEURISTIC]
    return model.guesses(1)[0, 0]


def num_beliefs(path: Path) -> int:
    """Return the number of inputs for beliefs of a network in a file."""
    return NUM_INPUTS if reads_beliefs(path) else 0


def own_games(path: Path, config: Config, seed: int) -> tuple[Network, SelfPlayGames]:
    """Read a network, and deal games of a config in which it learns; it is its own past self there."""
    beliefs = num_beliefs(path)
    network = Network(path, beliefs=beliefs)
    past = None if beliefs else NetworkAgent(str(path))
    return network, deal_games(config, seed, past, kinds=Kinds(network) if beliefs else None)


def collect(path: Path, config: Config, count: int, seed: int) -> Lessons:
    """Try the likeliest actions of a network in worlds, at decisions of its own games.

    In the worlds, seats of `rule_based`, `heuristic` and their variants are played as such, and all others
    by the small network distilled from the champion. A network that reads beliefs answers only where
    something is believed, so only decisions there are its lessons.

    Args:
        path: of the network, which samples its actions.
        config: of the games.
        count: lessons to return.
        seed: of the games.
    """
    network, games = own_games(path, config, seed)
    model = SeatModel.from_layers(NetworkAgent(str(playout_network("win"))).layers)
    playouts = Playouts(_WORLDS, threads=1, model=model)
    guesses = np.empty(len(games.partners) + 1, GUESS)
    for number, partner in enumerate(games.partners):
        guesses[number] = _guess_at(partner, model)
    guesses[NO_PARTNER] = model.guesses(1)[0, 0]
    found: list[Lessons] = []
    while sum(len(lessons.gains) for lessons in found) < count:
        inputs = games.observe()
        logits = network.logits(inputs)
        found.append(_try(playouts, games, guesses, inputs, logits))
        games.step(sample_softmax(logits, games.games.mask, games.rng)[0])
    return Lessons(*(np.concatenate(values)[:count] for values in zip(*found, strict=True)))


def _try(
    playouts: Playouts,
    games: SelfPlayGames,
    guesses: NDArray[Any],
    inputs: NDArray[np.uint8],
    logits: NDArray[np.float32],
) -> Lessons:
    """Return the lessons of the decisions that games are at. guesses: at each partner, and last at itself."""
    legal = games.games.mask != 0
    values = np.where(legal, logits, -np.inf)
    least = np.maximum(np.sort(values, axis=1)[:, -_TRIED], values.max(axis=1) + np.log(_LIKELY))
    tried = legal & (values >= least[:, np.newaxis])
    is_lesson = tried.sum(axis=1) > 1
    if games.num_beliefs:
        is_lesson &= inputs[:, OBS_SIZE:].any(axis=1)
    rows = is_lesson.nonzero()[0]
    view, partner = games.games.view(rows), games.partner[rows]
    order = view.encode(canonical_suits=True).order
    decisions, actions = tried[rows].nonzero()
    printed = printed_actions(actions, order[decisions])
    shown = np.zeros((len(rows), NUM_ACTIONS), np.bool_)
    shown[decisions, printed] = True
    seats = np.full((len(rows), MAX_PLAYERS), guesses[NO_PARTNER])
    seats[:, : partner.shape[1]] = guesses[partner]
    likeliest = printed_actions(values[rows].argmax(axis=1), order)
    words = draw_noise(games.rng, len(rows))
    outcome = playouts(view.known, words, shown, likeliest, seats, to_win=True)
    gains = np.full(shown.shape, np.nan, np.float16)
    gains[decisions, actions] = outcome.gain[decisions, printed]
    return Lessons(inputs[rows], legal[rows], gains)


def learn(path: Path, lessons: Lessons, seed: int) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a network's policy after training on lessons.

    Adam, with a rate that falls to 0, minimises the divergence from the network before, times its penalty,
    less the expected gain of the policy over the actions tried.

    Args:
        path: of the network before.
        lessons: any number of them.
        seed: of their order.
    """
    beliefs = num_beliefs(path)
    layers = [len(layer.biases) for layer in Network(path, beliefs=beliefs).layers[:-1]]
    before, after = (PolicyValueNetwork(layers, seed, beliefs=beliefs) for _ in range(2))
    for network in (before, after):
        network.start_from(read_agent(path, beliefs=beliefs))
    optimiser = torch.optim.Adam(after.parameters())
    rng, count = np.random.default_rng(seed), len(lessons.gains)
    for epoch in range(_EPOCHS):
        order = rng.permutation(count)
        for start in range(0, count, _BATCH_SIZE):
            rows = order[start : start + _BATCH_SIZE]
            inputs, illegal = torch.from_numpy(lessons.inputs[rows]), torch.from_numpy(~lessons.masks[rows])
            gains = torch.from_numpy(np.nan_to_num(lessons.gains[rows], nan=0).astype(np.float32))
            with torch.no_grad():
                old = before(inputs)[:, :NUM_ACTIONS]
            new = after(inputs)[:, :NUM_ACTIONS]
            gained = (new.masked_fill(illegal, -torch.inf).softmax(dim=1) * gains).sum(dim=1)
            optimiser.param_groups[0]["lr"] = _RATE * (1 - (epoch + start / count) / _EPOCHS)
            optimiser.zero_grad()
            (_PENALTY * divergences(old, new, illegal) - gained).mean().backward()
            optimiser.step()
    return {name: values.detach().numpy() for name, values in after.agent().items()}
