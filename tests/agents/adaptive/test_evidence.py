"""Evidence: the counts of finished rounds."""

import numpy as np

from tests.agents.adaptive.test_beliefs import after_rounds
from wizard_env import Rules
from wizard_env.actions import FIRST_BID
from wizard_env.agents import load
from wizard_env.agents.adaptive.evidence import (
    AGREED,
    DIFFERED,
    MAX_SHIFT,
    NOT_ASKED,
    SHIFTS,
    SURPRISE,
    compare,
    spread_plays,
)
from wizard_env.history.decisions import retrace, rewind
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import BID, PLAY


def test_counts() -> None:
    """The kind itself agrees, one that bids less shifts bids, and one that is not asked counts nothing."""
    view = after_rounds([load("heuristic")] * 4, Rules(), rounds=5)
    beginnings = rewind(view.known, view.finished_rounds)
    decisions = retrace(beginnings.states, beginnings.rounds, forced=False)
    bids = decisions.states["phase"] == BID
    one_less = decisions.actions - np.where(bids & (decisions.actions > FIRST_BID), 1, 0)
    silent = np.full(len(bids), NOT_ASKED)
    chosen = np.stack([decisions.actions, one_less, np.where(bids, NOT_ASKED, 0), silent], axis=1)
    counts = compare(decisions, chosen, len(beginnings.rounds)).sum(axis=(0, 1))
    above_0 = int((bids & (decisions.actions > FIRST_BID)).sum())
    assert counts[0, AGREED] == (~bids).sum()
    assert counts[0, SHIFTS + MAX_SHIFT] == bids.sum()
    assert counts[1, SHIFTS + MAX_SHIFT + 1] == above_0
    assert counts[1, SHIFTS + MAX_SHIFT] == bids.sum() - above_0
    assert counts[:, DIFFERED].tolist() == [0, 0, (~bids).sum(), 0]
    surprise = np.log(decisions.choices[~bids] - 1.0).sum()
    np.testing.assert_allclose(counts[:, SURPRISE], [0, 0, surprise, 0], rtol=1e-5)
    assert not counts[3].any()


def test_plays_are_chosen_evenly() -> None:
    """As many as there is room for, in both halves of the round; and every bid."""
    view = after_rounds([load("heuristic")] * 4, Rules(hand_sizes=(12, 3)), rounds=1)
    beginnings = rewind(view.known, view.finished_rounds)
    decisions = retrace(beginnings.states, beginnings.rounds, forced=False)
    most = np.full((len(beginnings.rounds), MAX_PLAYERS), 4)
    most[:, 2] = 60
    chosen = spread_plays(decisions, most)
    plays = decisions.states["phase"] == PLAY
    assert chosen[~plays].all()
    for row in range(len(most)):
        for seat in range(4):
            theirs = chosen[plays & (decisions.rows == row) & (decisions.states["seat"] == seat)]
            assert theirs.sum() == min(most[row, seat], len(theirs))
            assert theirs[: -(-len(theirs) // 2)].any()
            assert theirs[len(theirs) // 2 :].any()
