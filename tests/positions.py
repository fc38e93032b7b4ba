"""Tables that tests of several agents sit down at, and networks that nobody has trained."""

from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, Games, Rules, sample_legal
from wizard_env.cards import pack
from wizard_env.records.position import parse_position
from wizard_env.testing import RULES
from wizard_env.view import Encoding

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
    other.state["hands"][0, [0, 2]] = pack([3]), pack([7])
    other.state["generator"] = 12345
    if reveal == "secret":
        other.state["bids"][0, [0, 2]] = 3
    return game, other


def played_at_random(rules: Rules, seed: int, actions: int | None = None) -> Game:
    """A game in which so many actions were taken, or all."""
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    while game.phase != "over" and (actions is None or len(game.history) < actions):
        game.step(int(sample_legal(game.mask_row[np.newaxis], rng)[0]))
    return game


def under_way(rules: Rules, count: int, seed: int = 0) -> Games:
    """Games of which each was played a random part of its first round."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    left = rng.integers(0, rules.num_players * (rules.rounds[0] + 1), count)
    while len(rows := left.nonzero()[0]):
        games.step(sample_legal(games.mask[rows], rng), rows)
        left[rows] -= 1
    return games


def random_weights(*widths: int, seed: int = 0, value: bool = False) -> dict[str, torch.Tensor]:
    """What `save_agent` takes: layers of these widths, with a value or without."""
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
    """So many decisions by each of RULES, of all rounds, as networks take them."""
    tables = [Games(rules, count, seed, canonical_suits=True) for seed, rules in enumerate(RULES)]
    for seed, games in enumerate(tables):
        games.spread(np.random.default_rng(seed))
    parts = [(games.observation, games.mask, games.order) for games in tables]
    columns: list[NDArray[np.uint8]] = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Encoding(*columns)
