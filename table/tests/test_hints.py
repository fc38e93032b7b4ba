"""Hints that add up: the chance of meeting the bid and the expected points tell the same story."""

import numpy as np
import pytest
from wizard_table.commands import OFFERED

from tests.positions import played_at_random
from wizard_env import ACTIONS, NUM_ACTIONS, Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.assessment import Assessment
from wizard_env.evaluation.advice import Advice, advise
from wizard_env.session import Session
from wizard_env.view import Actions

ADVISERS = [*OFFERED, "adaptive+search:worlds=4", "search:worlds=8,playouts=random"]
TABLES = [Rules(3, hand_sizes=(2, 9, 5)), Rules(4, hand_sizes=(3, 12)), Rules(6, bid_reveal="secret")]
ROUNDING = 1e-6


def decisions(rules: Rules) -> list[Session]:
    """Random decisions of a random game, one of each kind at least."""
    game, rng = played_at_random(rules, seed=3), np.random.default_rng(5)
    chosen = sorted(rng.choice(len(game.history), 10, replace=False).tolist())
    return [Session.of_record(game, number) for number in [0, *chosen]]


def bid_if_taken(game: Game, action: str) -> int | None:
    """The seat's bid after the action; None while the trump is named."""
    if action.startswith("bid"):
        return int(action.split()[1])
    return None if game.phase == "trump" else game.bids[game.acting_seat]


def assert_adds_up(game: Game, advice: Advice) -> None:
    for one in advice.choices:
        bid = bid_if_taken(game, one.action)
        most = 20 + 10 * (game.hand_size if bid is None else bid)
        least = 20 if bid is None else most
        assert 0 <= one.met <= 1
        assert one.points <= one.met * most - 10 * (1 - one.met) + ROUNDING, one
        assert one.points >= one.met * least - 10 * game.hand_size * (1 - one.met) - ROUNDING, one
    points = [one.points for one in advice.choices]
    assert points == sorted(points, reverse=True)
    assert advice.value == points[0]
    assert sorted(one.action for one in advice.choices) == sorted(
        ACTIONS[action] for action in game.legal_actions()
    )


@pytest.mark.parametrize("name", ADVISERS)
@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: f"{rules.num_players} players")
def test_points_are_those_that_the_chance_allows(name: str, rules: Rules) -> None:
    """A bid that is met brings 20 + 10 b, one that is missed costs at least 10; the best comes first."""
    adviser = load(name)
    for session in decisions(rules):
        assert_adds_up(session.game, advise(adviser, session.game))


@pytest.mark.parametrize("name", ["heuristic", "champion+search:worlds=4"])
def test_a_hint_for_the_trump_adds_up(name: str) -> None:
    """The dealer turned up a Wizard, and has not bid yet."""
    game = Game.from_deal(Rules(3), dealer=0, hands=["AS KS", "2H 3H", "2C 4H"], upcard="WI")
    assert game.phase == "trump"
    session = Session.of_record(game, 0)
    advice = advise(load(name), session.game)
    assert_adds_up(game, advice)
    assert advice.choices[0].action == "trump S"


class Gambler:
    """An adviser for whom every bid is worth five points, give or take its luck in the playouts."""

    expects_points = True

    def __init__(self) -> None:
        self._luck = np.random.default_rng(3)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        raise NotImplementedError

    def assess(self, view: View, rng: np.random.Generator) -> Assessment:
        best = 20.0 + 10 * np.arange(NUM_ACTIONS)
        met = (5 + 10) / (best + 10) + self._luck.normal(0, 0.05, (1, NUM_ACTIONS))
        met[view.mask == 0] = np.nan
        points = met * best - 10 * (1 - met)
        return Assessment(np.nan_to_num(met), points, points[:, 0], met, np.ones_like(points))


def test_the_best_is_not_flattered_by_luck() -> None:
    """Its value comes from worlds that had no part in choosing it."""
    gambler, game = Gambler(), Game(Rules(4, hand_sizes=(7,)), seed=1)
    found = [advise(gambler, game) for _ in range(300)]
    assert abs(np.mean([advice.value for advice in found]) - 5) < 0.5
    for advice in found:
        points = [one.points for one in advice.choices]
        assert points == sorted(points, reverse=True)
