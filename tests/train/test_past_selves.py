"""Past selves: which are kept, which are chosen, and which rounds count."""

import numpy as np
import pytest
import torch

from wizard_env import Games, Rules
from wizard_env.train.networks.devices import autocast
from wizard_env.train.networks.policy_value import GreedyAgent, PolicyValueNetwork
from wizard_env.train.past_selves import PastSelves, count_wins

LAYERS = [8]


def pool_of(count: int, size: int = 4) -> PastSelves:
    pool = PastSelves(LAYERS, size)
    for seed in range(count):
        pool.add(PolicyValueNetwork(LAYERS, seed))
    return pool


def test_past_selves_that_win_are_chosen_most() -> None:
    """In proportion to the square of the share of rounds lost: the weighting of Vinyals et al. 2019."""
    pool = pool_of(3)
    assert pool.priorities().tolist() == pytest.approx([1 / 3] * 3)
    pool.note(won=8, lost=0)  # against the one added last, which acts
    won = np.array([1 / 2, 1 / 2, 9 / 10])
    assert pool.priorities() == pytest.approx((1 - won) ** 2 / ((1 - won) ** 2).sum(), abs=1e-3)
    rng, seated = np.random.default_rng(0), np.zeros(3)
    view = Games(Rules(), 64).view()
    choices = [GreedyAgent(PolicyValueNetwork(LAYERS, seed)).act(view, rng).tolist() for seed in range(3)]
    for _ in range(300):
        pool.choose(rng)
        seated[choices.index(pool.act(view, rng).tolist())] += 1
    assert seated / 300 == pytest.approx(pool.priorities(), abs=0.08)


def test_a_full_pool_forgets_the_easiest() -> None:
    pool = pool_of(4)
    pool.note(won=50, lost=0)
    pool.add(PolicyValueNetwork(LAYERS, 9))
    assert len(pool.priorities()) == 4
    view, rng = Games(Rules(), 64).view(), np.random.default_rng(0)
    forgotten = GreedyAgent(PolicyValueNetwork(LAYERS, 3)).act(view, rng).tolist()
    for _ in range(50):
        pool.choose(rng)
        assert pool.act(view, rng).tolist() != forgotten


def test_a_past_self_does_not_keep_learning() -> None:
    network, pool = PolicyValueNetwork(LAYERS, 0), PastSelves(LAYERS, 4)
    pool.add(network)
    view, rng = Games(Rules(), 64).view(), np.random.default_rng(0)
    before = pool.act(view, rng).tolist()
    with torch.no_grad():
        network.head.weight.neg_()  # now it likes best what it liked least
    assert pool.act(view, rng).tolist() == before != GreedyAgent(network).act(view, rng).tolist()


def test_a_past_self_computes_in_the_learners_precision() -> None:
    network, pool = PolicyValueNetwork([64], 0), PastSelves([64], 4, "bfloat16")
    with torch.no_grad():
        for values in network.parameters():
            values.copy_(values.half())  # as past selves are kept
    pool.add(network)
    view, rng = Games(Rules(hand_sizes=(10,)), 1024).view(), np.random.default_rng(0)
    actions = pool.act(view, rng).tolist()
    with autocast(network.scale.device, "bfloat16"):
        assert actions == GreedyAgent(network).act(view, rng).tolist()
    assert actions != GreedyAgent(network).act(view, rng).tolist()


def test_rounds_are_won_by_the_mean_of_the_seats() -> None:
    """Seats 0 and 1 learn, seat 2 is a partner's, seat 3 does not exist; one round is a tie."""
    learns = np.array([[True, True, False, False]])
    plays = np.array([[False, False, True, False]])
    points = np.array([[[30, -10, 20, 0]], [[0, 0, 0, 0]], [[40, 20, 20, 0]], [[20, 20, 20, 0]]], np.int16)
    round_done = np.array([[True], [False], [True], [True]])
    assert count_wins(points, round_done, learns, plays) == (1.5, 1.5)
