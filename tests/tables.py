"""Tables that tests of several agents sit down at."""

import numpy as np

from wizard_env import Game, Games, Rules, sample_legal
from wizard_env.cards import pack
from wizard_env.notation import parse_position

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


def under_way(rules: Rules, count: int, seed: int = 0) -> Games:
    """Games of which each was played a random part of its first round."""
    games, rng = Games(rules, count, seed), np.random.default_rng(seed)
    left = rng.integers(0, rules.num_players * (rules.rounds[0] + 1), count)
    while len(rows := left.nonzero()[0]):
        games.step(sample_legal(games.mask[rows], rng), rows)
        left[rows] -= 1
    return games
