"""Beliefs in self-play: partners are judged, and seats that learn are known after a few rounds."""

from typing import Any

import numpy as np
import pytest

from wizard_env import OBS_SIZE, Rules, sample_legal
from wizard_env.agents import load
from wizard_env.agents.adaptive.beliefs import INEXACT, NUM_FEATURES, NUM_INPUTS
from wizard_env.agents.adaptive.kinds import Kinds
from wizard_env.agents.assessment import PlayerKind
from wizard_env.observation.fields import FULL_SIZE
from wizard_env.train.selfplay.games import SelfPlayGames

RULES = Rules(num_players=3, hand_sizes=(3, 4, 5, 6, 7, 8))
PARTNERS = ["rule_based", "heuristic"]


@pytest.fixture(scope="module")
def kinds() -> Kinds:
    adaptive: Any = load("adaptive")
    return Kinds(adaptive)


def test_what_seats_believe(kinds: Kinds) -> None:
    """In the last rounds the kind of every partner, in every game its own, and of every copy."""
    options: dict[str, Any] = {"sparring": 0.7, "partners": PARTNERS, "mixed": 1.0, "kinds": kinds}
    self_play, rng = SelfPlayGames(RULES, 40, 1, **options), np.random.default_rng(0)
    assert self_play.observation_size == OBS_SIZE + NUM_INPUTS
    right = compared = 0
    for _ in range(200):
        seen = self_play.observe()
        assert seen.shape == (40, OBS_SIZE + NUM_INPUTS)
        full = self_play.full_state()
        assert full.shape == (40, FULL_SIZE + NUM_INPUTS)
        assert full[:, : OBS_SIZE + NUM_INPUTS].tobytes() == seen.tobytes()
        games = self_play.games
        first, late = games.states["round_index"] == 0, games.states["round_index"] == 5
        believed = seen[:, OBS_SIZE:].reshape(40, -1, NUM_FEATURES)
        assert not believed[first].any()
        for step in (1, 2):
            seat = (games.seat + step) % 3
            rows = np.arange(40)
            family = np.where(
                self_play.learns[rows, seat],
                PlayerKind.COPY.column,
                np.where(
                    self_play.partner[rows, seat], PlayerKind.HEURISTIC.column, PlayerKind.RULE_BASED.column
                ),
            )
            guess = believed[rows, step - 1, :INEXACT].argmax(axis=1)
            right += int((guess == family)[late].sum())
            compared += int(late.sum())
        self_play.step(sample_legal(games.mask, rng))
    assert compared > 200
    assert right > 0.95 * compared


def test_partners_differ_within_a_game() -> None:
    """In the share of games that are mixed; elsewhere one agent takes all seats of partners."""
    for mixed in (0.0, 0.5, 1.0):
        self_play = SelfPlayGames(Rules(6), 300, 1, sparring=1.0, alone=True, partners=PARTNERS, mixed=mixed)
        drawn = np.where(self_play.plays, self_play.partner, -1)
        differ = (drawn.max(axis=1) == 1) & (np.where(drawn < 0, 2, drawn).min(axis=1) == 0)
        assert differ.mean() == pytest.approx(mixed * (1 - 2 * 0.5**5), abs=0.07)
