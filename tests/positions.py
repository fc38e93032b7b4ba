"""Positions, games and untrained networks for the tests of several modules."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, Games, Rules, View, sample_legal
from wizard_env.cards import pack
from wizard_env.records.positions import parse_position
from wizard_env.testing import RULES
from wizard_env.view import Encoding

if TYPE_CHECKING:
    import torch

POSITION = (
    "players=3 reveal={reveal} magic=on round=3 dealer=0 scores=30,-10,100 "
    "hands=2S9STC/KHWIJE/3D3CAH upcard=4H bids=1,0,2 tricks=KHAH9S/3D2S seed=9"
)
"""Late in a round: seat 1 acts, and has bid 1; seat 0 has bid 2."""


def at(reveal: str = "open") -> Game:
    """The game of POSITION."""
    return parse_position(POSITION.format(reveal=reveal))


def differing_in_secret(reveal: str) -> tuple[Game, Game]:
    """The game of POSITION, and one that differs in all that seat 1 may not know."""
    game = at(reveal)
    other = game.clone()
    other.state["hands"][0, [0, 2]] = pack([3]), pack([8])
    other.state["generator"] = 12345
    if reveal == "secret":
        other.state["bids"][0, [0, 2]] = 3
    return game, other


def played_at_random(rules: Rules, seed: int, actions: int | None = None) -> Game:
    """A game after a number of random actions, or to its end."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    while game.phase != "over" and (actions is None or len(game.history) < actions):
        game.step(int(sample_legal(game.mask_row[np.newaxis], rng)[0]))
    return game


def under_way(rules: Rules, count: int, seed: int = 0) -> Games:
    """Games that have each been played for a random part of their first round."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    left = rng.integers(0, rules.num_players * (rules.rounds[0] + 1), count)
    while len(rows := left.nonzero()[0]):
        games.step(sample_legal(games.mask[rows], rng), rows)
        left[rows] -= 1
    return games


VARIED_RULES = (
    Rules(num_players=3, hand_sizes=(1, 4, 20), magic_edition=True),
    Rules(num_players=4, hand_sizes=(2, 15), bid_restriction="no_even"),
    Rules(num_players=4, hand_sizes=(3, 1), bid_restriction="canadian"),
    Rules(num_players=5, hand_sizes=(1, 6), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(2, 10), bid_reveal="simultaneous"),
)


def random_view(rules: Rules, count: int, seed: int = 0) -> View:
    """Decisions of all phases, from random play, each with its own random word."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    steps = rng.integers(0, 3 * rules.num_players * max(rules.rounds), count)
    for step in range(int(steps.max())):
        running = np.flatnonzero(steps > step)
        view = games.view(running)
        games.step(sample_legal(view.mask, rng), running)
    return games.view(noise=rng.integers(0, 2**64, count, dtype=np.uint64))


def view_bytes(view: View) -> list[bytes]:
    """The contents of a view, to compare."""
    arrays = (view.known, view.finished_rounds, view.observation, view.mask, view.seat)
    return [array.tobytes() for array in arrays]


def random_weights(*widths: int, seed: int = 0, value: bool = False) -> "dict[str, torch.Tensor]":
    """Random weights as `read_agent` returns them: layers of these widths, with a value or without."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    sizes = [OBS_SIZE, *widths, NUM_ACTIONS]
    layers = {f"layer.{number}": ends for number, ends in enumerate(pairwise(sizes))}
    if value:
        layers["value"] = (sizes[-2], 1)
    weights = {}
    for name, (inputs, outputs) in layers.items():
        weights[f"{name}.weight"] = torch.randn(outputs, inputs, generator=generator) * inputs**-0.5
        weights[f"{name}.bias"] = torch.randn(outputs, generator=generator) * 0.1
    return weights


def decisions_by_all_rules(count: int) -> Encoding:
    """`count` decisions for each of RULES, from all rounds, encoded for networks."""
    tables = [Games(rules, count, seed, canonical_suits=True) for seed, rules in enumerate(RULES)]
    for seed, games in enumerate(tables):
        games.spread(np.random.default_rng(seed))
    parts = [(games.observation, games.mask, games.order) for games in tables]
    columns: list[NDArray[np.uint8]] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Encoding(*columns)
