"""One seat of a game as an exchange of texts: the same game as in the Gymnasium environment."""

import re
from itertools import pairwise
from typing import Any, get_args

import gymnasium
import numpy as np
import pytest

from tests.llm.players import legal_answers
from wizard_env import ACTIONS, Rules
from wizard_env.llm.text import legal_text, view_text
from wizard_env.llm.text_game import TextGame, TextReward

RULES = Rules(num_players=3, hand_sizes=(1, 3, 2), bid_restriction="no_even")


def play(game: TextGame, seed: int = 0) -> list[str]:
    """Answer legally at random until the game is over; returns the messages."""
    rng, messages = np.random.default_rng(seed), [game.message]
    while not game.over:
        game.answer(str(rng.choice(legal_answers(game.message))))
        messages.append(game.message)
    return messages


@pytest.mark.parametrize("seed", range(5))
def test_the_game_is_that_of_the_gymnasium_environment(seed: int) -> None:
    """The same seed and actions give the same seat, opponents and rewards."""
    env: Any = gymnasium.make(
        "wizard_env/Wizard-v0",
        num_players=3,
        hand_sizes=(1, 3, 2),
        bid_restriction="no_even",
        opponents="rule_based",
    )
    game = TextGame(RULES, seed)
    _, info = env.reset(seed=seed)
    assert game.seat == info["seat"]
    rng, ended = np.random.default_rng(seed), False
    while not ended:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, reward, ended, _, info = env.step(action)
        assert game.answer(ACTIONS[action]) == reward
        assert game.game.scores == info["scores"].tolist()
        assert game.over == ended


@pytest.mark.parametrize("reward", get_args(TextReward))
def test_rewards_add_up_to_the_result_of_the_game(reward: TextReward) -> None:
    """Points and met bids are those of the finished rounds, whose scores docs/rules.md gives."""
    for seed in range(10):
        game = TextGame(RULES, seed, reward=reward)
        play(game, seed)
        rounds, seat = game.game.rounds, game.seat
        met = sum(one.bids[seat] == one.tricks_won[seat] for one in rounds) / 3
        points = sum(one.points[seat] for one in rounds)
        assert game.points == points
        assert game.bids_met == pytest.approx(met)
        assert game.total == pytest.approx(met if reward == "met" else points)


def test_the_reward_of_the_whole_game_is_paid_at_its_end() -> None:
    game = TextGame(RULES, 3, reward="game")
    rewards = []
    while not game.over:
        rewards.append(game.answer(legal_answers(game.message)[0]))
    assert not any(rewards[:-1])
    assert rewards[-1] == game.game.scores[game.seat] != 0


def test_messages_tell_each_finished_round_once() -> None:
    """Together they tell all that the text of the whole game tells."""
    game = TextGame(RULES, 4)
    messages = play(game)
    whole = view_text(game.game, game.seat)
    assert sum(message.count("won / bid, points") for message in messages) == whole.count("won / bid") == 3
    for line in whole.splitlines():
        assert any(line in message.splitlines() for message in messages), line
    for before, after in pairwise(messages):
        assert before != after


def test_messages_show_a_seat_its_own_hand_alone() -> None:
    game = TextGame(RULES, 5, seat=2)
    assert game.seat == 2
    while not game.over:
        state = game.game
        assert game.message.endswith(legal_text(state))
        assert re.findall(r"You are seat (\d)", game.message) == ["3"]
        assert view_text(state, 2).endswith(game.message.removesuffix(f"\n{legal_text(state)}"))
        game.answer(legal_answers(game.message)[-1])
    assert "Won by" in game.message


def test_an_invalid_answer_is_told_why_and_the_decision_stays() -> None:
    game = TextGame(RULES, 6, tries=2)
    before = game.game.state.tobytes()
    assert game.answer("I pass") == 0
    assert game.error is not None
    assert game.error.kind == "unreadable"
    assert game.message == str(game.error)
    assert game.game.state.tobytes() == before
    game.answer("bid 0")
    assert game.error is None
    assert (game.answer("bid 0"), game.over) == (0, False)  # the tries are those of one decision
    assert game.error is not None
    assert game.error.kind == "illegal"
    assert (game.invalid_answers, game.forfeited) == (2, False)


@pytest.mark.parametrize(("reward", "total"), [("points", -50), ("game", -50), ("met", 0)])
def test_the_last_try_forfeits_the_game(reward: TextReward, total: float) -> None:
    """Rounds that are left bring the fewest points possible: -10 for each trick off, docs/rules.md."""
    game = TextGame(RULES, 7, reward=reward, tries=2)
    scored = 0
    while not scored:
        game.answer(legal_answers(game.message)[0])
        scored = len(game.game.rounds)
    won = game.total, game.game.scores[game.seat], game.bids_met
    game.answer("no")
    last = game.answer("never")
    assert game.over
    assert game.forfeited
    assert last == total + (won[1] if reward == "game" else 0)
    assert game.total == won[0] + last
    assert game.result() == {
        "points": won[1] - 50,
        "bids_met": won[2],
        "invalid_answers": 2,
        "forfeited": 1,
    }
    with pytest.raises(ValueError, match="takes no more answers"):
        game.answer("bid 0")
    with pytest.raises(ValueError, match="cannot be forfeited"):
        game.forfeit()


@pytest.mark.parametrize("reward", get_args(TextReward))
def test_a_forfeit_never_pays(reward: TextReward) -> None:
    """Every way to play the game on brings as much or more, or models would learn to forfeit."""
    for seed in range(10):
        played, given_up = (TextGame(RULES, seed, opponents="random", reward=reward) for _ in range(2))
        play(played, seed)
        given_up.forfeit()
        assert given_up.total <= played.total
