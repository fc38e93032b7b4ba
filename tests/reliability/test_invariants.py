"""Invariants of every state, over very many decisions of random play by rules of every kind."""

import numpy as np

from tests.reliability.effort import generator, times
from wizard_env import Games, sample_legal
from wizard_env.state_checks import OTHERS_HIDDEN, check_states
from wizard_env.testing import RULES

NUM_GAMES = 2048


def test_every_state_is_one_that_the_rules_make() -> None:
    """At 20 million decisions with `make soak`; scores and points agree where rounds and games end."""
    rng = generator()
    decisions = times(200_000, 20_000_000)
    rules = [RULES[number % len(RULES)] for number in range(NUM_GAMES)]
    games = Games(rules, NUM_GAMES, int(rng.integers(2**32)))
    scores = games.scores.copy()
    for step in range(decisions // NUM_GAMES):
        games.step(sample_legal(games.mask, rng))
        check_states(games.states)
        if step % 10 == 0:
            check_states(games.view().known, OTHERS_HIDDEN)
        np.testing.assert_array_equal(games.points.any(axis=1), games.round_done)
        assert not (games.done & ~games.round_done).any()
        scores += games.points
        np.testing.assert_array_equal(games.scores[~games.done], scores[~games.done])
        scores[games.done] = 0
