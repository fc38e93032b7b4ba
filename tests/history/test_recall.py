"""A seat's memory, worked out again from a view: what it was shown as the game went on, byte for byte."""

import numpy as np
import pytest

from tests.history.test_decisions import KINDS
from wizard_env import Games, sample_legal
from wizard_env.history.recall import recall
from wizard_env.state import SCORED


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("forced", [False, True])
def test_a_seat_recalls_what_it_was_shown(canonical: bool, forced: bool) -> None:
    """By all kinds of rules, at every moment of the games; scored rounds are seen as a batch shows them."""
    rules = [kind for kind in KINDS for _ in range(2)]
    games = Games(rules, len(rules), seed=4, canonical_suits=canonical, pause="round")
    rng, longest = np.random.default_rng(1), 0
    shown: dict[tuple[int, int], list[bytes]] = {}
    """For each game and seat, what it saw at its decisions and as rounds were scored."""
    while len(rows := (games.states["phase"] < SCORED).nonzero()[0]):
        view = games.view(rows)
        recalled = recall(view.known, view.finished_rounds, canonical_suits=canonical, forced=forced)
        for index, row in enumerate(rows.tolist()):
            moments = shown.setdefault((row, int(games.seat[row])), [])
            moments.append(games.observation[row].tobytes())
            assert [each.tobytes() for each in recalled.observations[recalled.games == index]] == moments
            longest = max(longest, len(moments))
            if not forced and games.mask[row].sum() == 1:
                del moments[-1]
        games.step(sample_legal(games.mask[rows], rng), rows)
        scored = games.round_done.nonzero()[0]
        for row in scored.tolist():
            for seat in range(int(games.num_players[row])):
                shown.setdefault((row, seat), []).append(games.observe(seat, [row]).tobytes())
        games.deal(scored[~games.done[scored]])
    assert longest > 15
