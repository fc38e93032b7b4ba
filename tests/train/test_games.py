"""SelfPlayGames: learners and partners, several kinds of games, and what every step pays."""

from typing import Any

import numpy as np
import pytest

from wizard_env import Agent, Rules, sample_legal
from wizard_env.agents.heuristic import HeuristicAgent
from wizard_env.agents.rule_based import RuleBasedAgent
from wizard_env.envs.rewards import Reward, rewards
from wizard_env.state import rules_of
from wizard_env.train.config.run import Config
from wizard_env.train.selfplay.games import REWARD_SCALES, SelfPlayGames, deal_games

RULES = Rules(num_players=3, hand_sizes=(1, 2, 3))


def test_games_are_at_different_rounds() -> None:
    """The same seed gives the same games; another seed gives others."""
    states = [SelfPlayGames(RULES, 60, seed).games.states for seed in (0, 0, 1)]
    assert set(states[0]["hand_size"].tolist()) == {1, 2, 3}
    assert states[0].tobytes() == states[1].tobytes() != states[2].tobytes()


def test_the_arrays_of_a_checkpoint_have_the_finished_rounds() -> None:
    """Games that continue from them know their earlier rounds; damaged ones are refused."""
    first, second = (SelfPlayGames(RULES, 30, seed) for seed in (0, 1))
    arrays = {name: array.copy() for name, array in first.arrays().items()}
    second.set_arrays(arrays)
    view, again = first.games.view(), second.games.view()
    assert [again.rounds(row) for row in range(30)] == [view.rounds(row) for row in range(30)]
    assert view.finished_rounds["hand_size"].any()
    arrays["finished_rounds"][arrays["finished_rounds"] == 1] = 2
    with pytest.raises(ValueError, match=r"game \d+ cannot have had its finished round"):
        second.set_arrays(arrays)


# --- with a partner


@pytest.mark.parametrize("sparring", [0.0, 0.5, 1.0])
def test_only_seats_that_learn_decide(sparring: float) -> None:
    """In a share of the games the partner takes 1 to num_players - 1 seats."""
    self_play, rng = SelfPlayGames(RULES, 200, seed=2, sparring=sparring), np.random.default_rng(0)
    learners = self_play.learns.sum(axis=1)
    assert (learners >= 1).all()
    assert float((learners < 3).mean()) == pytest.approx(sparring, abs=0.12)
    for _ in range(40):
        assert self_play.learns[np.arange(200), self_play.games.seat].all()
        self_play.step(sample_legal(self_play.games.mask, rng))
        assert self_play.learns[np.arange(200), self_play.acted].all()


class _RuleBased(RuleBasedAgent):
    """Of another class, and so asked for each decision."""


class _Heuristic(HeuristicAgent):
    """The same."""


@pytest.mark.parametrize("changed", [{}, {"bid_reveal": "secret"}, {"magic_edition": True}], ids=str)
def test_compiled_partners_play_what_they_answer(changed: dict[str, Any]) -> None:
    """Beside partners that are not compiled too."""
    rules, rng = Rules(3, hand_sizes=(1, 2, 3, 4), **changed), np.random.default_rng(0)
    either: list[list[Agent]] = [[RuleBasedAgent(), HeuristicAgent()], [_RuleBased(), _Heuristic()]]
    compiled, asked = (
        SelfPlayGames(rules, 100, 5, 0.8, [*agents, _RuleBased()], mixed=0.5, reward="win_probability")
        for agents in either
    )
    for _ in range(60):
        actions = sample_legal(compiled.games.mask, rng)
        compiled.step(actions)
        asked.step(actions)
        assert compiled.games.states.tobytes() == asked.games.states.tobytes()
        assert compiled.games.observation.tobytes() == asked.games.observation.tobytes()
        assert compiled.games.mask.tobytes() == asked.games.mask.tobytes()
        for name in ("points", "round_done", "rewards", "ended"):
            assert (getattr(compiled, name) == getattr(asked, name)).all()


# --- other rewards


@pytest.mark.parametrize("reward", ["points", "relative", "game", "win", "rank", "win_probability"])
@pytest.mark.parametrize("sparring", [0.0, 1.0])
def test_what_is_paid_is_what_the_rewards_say(reward: Reward, sparring: float) -> None:
    """Computed from the scores before each step; rewards of a game are paid only at its end."""
    self_play = SelfPlayGames(RULES, 60, seed=4, sparring=sparring, partners=["random"], reward=reward)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        scores, index = self_play.games.scores.copy(), self_play.games.states["round_index"].tolist()
        self_play.step(sample_legal(self_play.games.mask, rng))
        scored = self_play.points[:, 0] != 0
        assert self_play.round_done.tolist() == scored.tolist()
        learned = self_play.points[scored][self_play.learns[scored]]
        assert self_play.learners_points().tolist() == learned.tolist()
        over = scored & (self_play.games.states["round_index"] == 0)
        left = np.array([RULES.rounds[first:] + (0,) * first for first in index], np.int8)
        expected = rewards(reward, self_play.points, scores + self_play.points, over, left)
        of_a_round = reward in ("points", "relative", "win_probability")
        assert self_play.ended.tolist() == (scored if of_a_round else over).tolist()
        paid = self_play.ended
        assert self_play.rewards[paid] == pytest.approx(expected[paid] * REWARD_SCALES[reward], abs=1e-6)
        assert not self_play.rewards[~paid].any()
        ended += int(paid.sum())
    assert ended > 60


# --- several kinds of games


def test_several_kinds_of_games() -> None:
    """Each kind has its share of the games and its own rules; nobody sits, or is paid, beyond its seats."""
    kinds = [
        {"num_players": 3, "hand_sizes": [1, 4], "share": 2},
        {"num_players": 6, "hand_sizes": [2], "bid_restriction": "no_even", "magic_edition": True},
        {"num_players": 5, "hand_sizes": [2, 3], "bid_reveal": "secret"},
    ]
    learning = {"decisions": 1, "num_games": 16}
    config = Config.model_validate({"name": "mixed", "learning": learning, "tables": kinds})
    assert [(rules.num_players, count) for rules, count in config.kinds()] == [(3, 8), (6, 4), (5, 4)]
    self_play = deal_games(config, seed=5)
    games = self_play.games
    assert [rules_of(state) for state in games.states] == [
        rules for rules, count in config.kinds() for _ in range(count)
    ]
    sits = np.arange(6) < games.num_players[:, np.newaxis]
    assert (self_play.learns == sits).all()
    rng, ended = np.random.default_rng(0), 0
    for _ in range(60):
        self_play.step(sample_legal(games.mask, rng))
        scored = self_play.points[:, :1] != 0
        assert ((self_play.points != 0) == (scored & sits)).all()
        assert self_play.rewards == pytest.approx(self_play.points * REWARD_SCALES["points"])
        ended += int(scored.sum())
    assert ended > 30
