"""The replay memory of deep Q-networks: every decision with its reward and the next one."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from wizard_env import NUM_ACTIONS, Rules, sample_legal
from wizard_env.actions import FIRST_PLAY, FIRST_TRUMP
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.train.dqn.replay import Recorder, Replay
from wizard_env.train.selfplay.games import SelfPlayGames


def rows(replay: Replay) -> Counter[tuple[Any, ...]]:
    """The transitions of a replay; nothing follows a last decision."""
    found: Counter[tuple[Any, ...]] = Counter()
    for row in range(replay.filled):
        mask = replay.next_masks[row]
        follows = (replay.next_observations[row].tobytes(), mask.tobytes()) if mask.any() else None
        kept = replay.observations[row].tobytes(), int(replay.actions[row]), float(replay.rewards[row])
        found[*kept, follows] += 1
    return found


Decision = tuple[bytes, bytes, int]


def led_to(decisions: list[Decision], points: float | None) -> tuple[list[Any], list[Any]]:
    """The transitions of bids and of plays, given a seat's decisions of a round; None: it is not over."""
    bids = [(sight, action, points, None) for sight, _, action in decisions if action < FIRST_PLAY]
    played = [decision for decision in decisions if decision[2] >= FIRST_PLAY]
    plays: list[Any] = [
        (before[0], before[2], 0.0, (sight, mask)) for before, (sight, mask, _) in pairwise(played)
    ]
    if points is None:
        return [], plays
    return bids, plays + [(sight, action, points, None) for sight, _, action in played[-1:]]


@pytest.mark.parametrize("sparring", [0.0, 0.7])
def test_decisions_lead_to_the_seats_own_next_one(sparring: float) -> None:
    """Checked against a log of each seat's decisions: a play leads to the seat's next play, and its last play
    to the points of the round; bids and choices of trump lead straight to the points."""
    kinds = [Rules(4, hand_sizes=(1, 3, 15))] * 16 + [Rules(3, hand_sizes=(2,))] * 8
    self_play, rng = SelfPlayGames(kinds, 24, 1, sparring, ["random"]), np.random.default_rng(0)
    bids, plays = Replay(10_000), Replay(10_000)
    recorder = Recorder(24, bids, plays)
    current: dict[tuple[int, int], list[Decision]] = {}
    of_bids: Counter[tuple[Any, ...]] = Counter()
    of_plays: Counter[tuple[Any, ...]] = Counter()
    for _ in range(300):
        games = self_play.games
        observations, masks = games.observation.copy(), games.mask.copy()
        seats = games.seat.astype(np.int64)
        actions = sample_legal(masks, rng)
        for game in range(24):
            decision = observations[game].tobytes(), masks[game].tobytes(), int(actions[game])
            current.setdefault((game, int(seats[game])), []).append(decision)
        recorder.decide(seats, observations, masks, actions)
        self_play.step(actions)
        recorder.pay(self_play.points.astype(np.float32), self_play.ended)
        for game, seat in np.argwhere(self_play.points).tolist():
            found = led_to(current.pop((game, seat), []), float(self_play.points[game, seat]))
            of_bids.update(found[0])
            of_plays.update(found[1])
    for decisions in current.values():
        of_plays.update(led_to(decisions, None)[1])
    assert rows(bids) == of_bids
    assert rows(plays) == of_plays
    assert {action >= FIRST_TRUMP for _, action, _, _ in of_bids} == {False, True}
    assert min(bids.filled, plays.filled) > 500


def test_a_replay_overwrites_the_oldest() -> None:
    replay = Replay(5)
    sight, mask = np.ones((1, OBS_SIZE), np.uint8), np.ones((1, NUM_ACTIONS), np.uint8)
    for number in range(4):
        replay.add(sight * number, np.array([number]), sight * (number + 1), mask)
    assert replay.filled == 4
    replay.add_last(np.repeat(sight, 3, axis=0), np.array([7, 8, 9]), np.array([1, 2, 3], np.float32))
    assert replay.filled == 5
    assert sorted(replay.actions.tolist()) == [2, 3, 7, 8, 9]
    ends = replay.actions > 3
    assert (replay.next_masks.any(axis=1) == ~ends).all()
    assert sorted(replay.rewards[ends]) == [1, 2, 3]
    assert set(replay.draw(200, np.random.default_rng(0)).tolist()) == set(range(5))
