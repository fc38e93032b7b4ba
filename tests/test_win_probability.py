"""The probability of winning, the rewards made of it, and whether champions win that often."""

import json
import math
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tools.win_probability import CHAMPION, TARGET, Played, calibrate, fit, main, play_copies
from wizard_env import Rules, wizard_v0
from wizard_env.win_probability import rounds_from, variances, win_probability


@st.composite
def standings(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Draw the scores of a game, and the hand sizes of the rounds that are left."""
    players = draw(st.integers(3, 6))
    points = st.integers(-200, 200).map(lambda tens: 10 * tens)
    sizes = st.lists(st.integers(1, 60 // players), max_size=60)
    return draw(st.lists(points, min_size=players, max_size=players)), draw(sizes)


@given(standings())
def test_it_is_the_chance_of_ending_in_front(standing: tuple[list[int], list[int]]) -> None:
    """By integrating over the points of each seat; with no round left, the winners share 1 equally."""
    scores, sizes = standing
    chances = win_probability(scores, np.array(sizes, int))
    if not sizes:
        winners = [score == max(scores) for score in scores]
        assert chances.tolist() == [won / sum(winners) for won in winners]
        return
    deviation = math.sqrt(sum(variances(len(scores))[size] for size in sizes))
    ends = np.linspace(min(scores) - 8 * deviation, max(scores) + 8 * deviation, 4_001)
    ends_at = scipy.stats.norm(np.array(scores)[:, np.newaxis], deviation)
    density, below = ends_at.pdf(ends), ends_at.cdf(ends)
    expected = [
        np.trapezoid(density[seat] * np.delete(below, seat, axis=0).prod(axis=0), ends)
        for seat in range(len(scores))
    ]
    assert chances == pytest.approx(expected, abs=2e-3)


def test_a_batch_is_its_games() -> None:
    """Zeros stand for no round."""
    rng = np.random.default_rng(0)
    scores = 10 * rng.integers(-30, 80, (50, 4))
    sizes = rng.integers(0, 16, (50, 15))
    sizes[:5] = 0
    single = [win_probability(one, some[some > 0]) for one, some in zip(scores, sizes, strict=True)]
    np.testing.assert_allclose(win_probability(scores, sizes), single, atol=1e-12)


def test_more_rounds_left_are_more_luck() -> None:
    """For whole games with each number of players."""
    for players in range(3, 7):
        left = np.triu(np.tile(Rules(players).rounds, (60 // players, 1)))
        leader = win_probability([100] + [0] * (players - 1), left)[:, 0]
        assert (np.diff(leader) > 0).all()
        assert 1 / players < leader[0] < leader[-1] < 1


def test_rounds_from() -> None:
    sizes = np.zeros((2, 60), np.int8)
    sizes[:, :3] = [[5, 6, 7], [1, 2, 0]]
    found = rounds_from(sizes, np.array([1, 2]))
    assert found[:, :3].tolist() == [[6, 7, 0], [0, 0, 0]]
    assert not found[:, 3:].any()


@pytest.mark.parametrize(
    ("scores", "hand_sizes", "message"),
    [
        ([0, 0], [1], "scores of 2 seats: allowed are 3 to 6"),
        ([0, 0, 0, 0], [1, 16], "hand_sizes from 1 to 16: allowed are 0 to 15"),
        ([0, 0, 0], [-1], "hand_sizes from -1 to -1: allowed are 0 to 20"),
        ([0, 0.5, 0], [1], "whole numbers"),
    ],
)
def test_what_no_game_has_is_refused(scores: Any, hand_sizes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        win_probability(scores, hand_sizes)


@given(st.integers(0, 2**32), st.lists(st.integers(1, 3), min_size=1, max_size=4), st.integers(3, 6))
def test_rewards_are_the_changes_and_add_up_to_the_win(seed: int, sizes: list[int], players: int) -> None:
    """Round by round; with 1 / num_players they are the share of the win, in any rules."""
    env = wizard_v0.raw_env(num_players=players, hand_sizes=sizes, reward="win_probability")
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    chances = np.full(players, 1 / players)
    while env.game.phase != "over":
        finished = len(env.game.rounds)
        env.step(int(rng.choice(env.game.legal_actions())))
        if (now := len(env.game.rounds)) > finished:
            chances += list(env.rewards.values())
            assert chances == pytest.approx(win_probability(env.game.scores, np.array(sizes[now:], int)))
    winners = env.game.winners
    assert chances == pytest.approx([(seat in winners) / len(winners) for seat in range(players)])


def test_episodes_of_a_round_pay_the_changes_of_one_game() -> None:
    """Also where `reset` asks for other hand sizes than the environment was made with."""
    env: Any = gymnasium.make(
        "wizard_env/Wizard-v0", num_players=3, episode="round", reward="win_probability"
    ).unwrapped
    rng = np.random.default_rng(0)
    for seed in range(20):
        _, info = env.reset(seed=seed, options={"hand_sizes": (2, 1, 3)})
        chance, seat = 1 / 3, info["seat"]
        for number in range(3):
            over = False
            while not over:
                _, paid, over, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
                chance += paid
            assert chance == pytest.approx(win_probability(info["scores"], (2, 1, 3)[number + 1 :])[seat])
            _, info = env.reset()


def test_a_file_is_compared_with_games_of_another_agent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their luck is measured, here with half of the variances; the file stays as it is."""
    file = tmp_path / TARGET.name
    halves = {
        players: (np.array(each) / 2).tolist() for players, each in json.loads(TARGET.read_text()).items()
    }
    file.write_text(before := json.dumps(halves))
    main(["--check", "rule_based", "--games", "50", "--target", str(file)])
    found = re.findall(r"has (\S+) times the variance", capsys.readouterr().out)
    assert all(float(each) > 1.2 for each in found)
    assert (len(found), file.read_text()) == (4, before)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [*map(Rules, range(3, 7)), Rules(4, hand_sizes=(1,) * 15), Rules(4, hand_sizes=(9, 2) * 5)],
    ids=str,
)
def test_champions_win_that_often(rules: Rules) -> None:
    """To within two points, give or take three standard errors, on games that were not used to fit."""
    played = play_copies(CHAMPION, rules, 2000, seed=2)
    left = np.triu(np.tile(rules.rounds, (len(rules.rounds), 1)))
    bins = calibrate(win_probability(played.scores.astype(int), left), played.wins)
    total = sum(each.seats for each in bins)
    assert sum(abs(each.predicted - each.won) * each.seats for each in bins) / total < 0.015
    for each in bins:
        error = math.sqrt(each.predicted * (1 - each.predicted) / min(each.seats, 2000))
        assert each.won == pytest.approx(each.predicted, abs=0.02 + 3 * error)


def test_the_variance_of_luck_is_found_again() -> None:
    """In games whose rounds are drawn from normal distributions."""
    rng, deviations = np.random.default_rng(0), np.array([10.0, 40.0, 20.0, 30.0])
    points = rng.normal(0, deviations[:, np.newaxis], (2_000, 4, 3))
    scores = points.cumsum(axis=1)
    wins = (scores[:, -1:] == scores[:, -1:].max(axis=2, keepdims=True)).astype(float)
    assert fit(Played(points, scores - points, wins)) == pytest.approx(deviations**2, rel=0.1)
