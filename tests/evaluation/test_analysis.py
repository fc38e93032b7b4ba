"""Analyses: the losses of decisions, and points = par + luck - losses."""

from typing import Any

import numpy as np
import pytest

from wizard_env import ACTIONS, Game, Rules, View
from wizard_env.agents import load
from wizard_env.agents.assessment import Assessment, assess
from wizard_env.evaluation.analysis import analyse, follow_scores
from wizard_env.win_probability import win_probability

RULES = Rules(3, hand_sizes=(1, 3, 5))
SEARCH = "search:worlds=32"


def play(agents: list[str], rules: Rules = RULES, seed: int = 0, actions: int | None = None) -> Game:
    game, rng = Game(rules, seed), np.random.default_rng(seed)
    seated = [load(agent) for agent in agents]
    while game.phase != "over" and (actions is None or len(game.history) < actions):
        game.step(int(seated[game.acting_seat].act(View.of([game]), rng)[0]))
    return game


def numbers_before(game: Game) -> list[int]:
    """The number of rounds that were finished before each action."""
    numbers = []
    for again, action in game.retrace():
        numbers.append(len(again.rounds))
        again.step(action)
    return numbers


def test_points_are_par_plus_luck_minus_losses() -> None:
    game = play(["heuristic", "random", "rule_based"])
    found = analyse(game, load(SEARCH), SEARCH)
    assert [seat.points for seat in found.seats] == game.scores
    for seat in found.seats:
        assert seat.points == pytest.approx(found.par + seat.luck - seat.lost)
        of_seat = [decision for decision in found.decisions if decision.seat == seat.seat]
        assert seat.lost == pytest.approx(sum(decision.lost for decision in of_seat))
        bids = sum(decision.lost for decision in of_seat if decision.phase == "bid")
        assert seat.lost_by_bids == pytest.approx(bids)
        bias = np.mean([scored.bids[seat.seat] - scored.tricks_won[seat.seat] for scored in game.rounds])
        assert seat.bid_bias == pytest.approx(bias)


def test_only_decisions_with_a_choice_are_judged() -> None:
    game = play(["heuristic", "random", "rule_based"])
    found, replayed, numbers = analyse(game, load(SEARCH), SEARCH), game.restart(), []
    judged = {decision.number: decision for decision in found.decisions}
    for number, action in enumerate(game.history):
        if len(replayed.legal_actions()) > 1:
            numbers.append(number)
            decision = judged[number]
            assert (decision.seat, decision.phase, decision.chosen) == (
                replayed.seat,
                replayed.phase,
                ACTIONS[action],
            )
            assert decision.round_number == replayed.round_number
            assert sorted(decision.points) == sorted(ACTIONS[one] for one in replayed.legal_actions())
            assert decision.best == max(decision.points, key=lambda name: decision.points[name])
        replayed.step(action)
    assert list(judged) == numbers


def test_the_analyst_sees_the_rounds_before_each_decision() -> None:
    game, analyst, seen = play(["random"] * 3), load(SEARCH), []

    class Spy:
        expects_points = True

        def act(self, view: View, rng: np.random.Generator) -> Any:
            return analyst.act(view, rng)

        def assess(self, view: View, rng: np.random.Generator) -> Any:
            seen.extend([view.rounds(row) for row in range(len(view))])
            return assess(analyst, view, rng)

    analyse(game, Spy(), "spy")
    assert len(seen) == 2 * len(game.history)
    assert [len(rounds) for rounds in seen] == sorted(2 * numbers_before(game))
    assert all(rounds == game.rounds[: len(rounds)] for rounds in seen)


def test_errors_tell_noise_from_mistakes() -> None:
    """Random play loses points by mistakes; the best of the same search does not in the long run."""
    clear, lost = np.zeros(3), np.zeros(3)
    for seed in range(4):
        game = play(["random", "search:worlds=64", "heuristic"], seed=seed)
        found = analyse(game, load(SEARCH), SEARCH, seed)
        lost += [seat.lost for seat in found.seats]
        for decision in found.decisions:
            assert decision.error >= 0
            clear[decision.seat] += decision.is_mistake
    assert clear[0] >= 8
    assert clear[1] <= 2
    assert lost[0] / 4 > 40
    assert abs(lost[1]) / 4 < 12


def test_an_agent_without_errors_gets_them_from_its_two_answers() -> None:
    """A custom assessor may give points alone."""
    searching = load("search:worlds=16")

    class PointsOnly:
        expects_points = True

        def act(self, view: View, rng: np.random.Generator) -> Any:
            return searching.act(view, rng)

        def assess(self, view: View, rng: np.random.Generator) -> Assessment:
            return Assessment(*assess(searching, view, rng)[:3])

    game = play(["random"] * 3)
    plain, full = analyse(game, PointsOnly(), "plain"), analyse(game, searching, "full")
    assert [one.lost for one in plain.decisions] == [one.lost for one in full.decisions]
    assert np.mean([one.error for one in plain.decisions]) == pytest.approx(
        np.mean([one.error for one in full.decisions]), rel=0.5
    )


def test_a_mistake_is_found() -> None:
    """The dealer, who bids last, holds a Wizard and a Jester and bids 0, where 1 is better."""
    game = Game.from_deal(Rules(3), dealer=0, hands=["WI JE", "2H 3H", "2C 4H"], upcard="3C")
    for action in ["bid 0", "bid 0", "bid 0"]:
        game.step(action)
    found = analyse(game, load(SEARCH), SEARCH)
    last = found.decisions[-1]
    assert (last.seat, last.chosen, last.best) == (0, "bid 0", "bid 1")
    assert last.lost > 30
    assert found.seats == []


def test_a_round_is_judged_the_same_by_itself() -> None:
    game, agent = play(["heuristic", "random", "rule_based"]), load("search:worlds=8")
    whole, parts = (
        analyse(game, agent, "search"),
        [analyse(game, agent, "search", only=[number]) for number in (1, 2, 3)],
    )
    assert [decision for part in parts for decision in part.decisions] == whole.decisions
    assert [after for part in parts for after in part.after_rounds] == whole.after_rounds
    assert sum(part.par for part in parts) == pytest.approx(whole.par)
    for number, part in enumerate(parts):
        assert [seat.points for seat in part.seats] == game.rounds[number].points
    assert analyse(game, agent, "search", only=[]).decisions == []


def test_the_scores_after_each_round() -> None:
    """Of a game that is over, and of one on its way."""
    whole = play(["heuristic"] * 3)
    part = play(["heuristic"] * 3, actions=len(whole.history) - 1)
    after = follow_scores(whole)
    assert after[:2] == follow_scores(part)
    scores = np.zeros(3, int)
    for number, (now, scored) in enumerate(zip(after, whole.rounds, strict=True), start=1):
        scores += scored.points
        assert (now.round_number, now.scores) == (number, scores.tolist())
        left = np.array(RULES.rounds[number:], int)
        assert now.win_probability == win_probability(scores, left).tolist()
    assert np.flatnonzero(after[-1].win_probability).tolist() == whole.winners


def test_an_agent_that_expects_no_points_cannot_judge() -> None:
    with pytest.raises(ValueError, match="'heuristic' expects no points of single actions"):
        analyse(play(["heuristic"] * 3), load("heuristic"), "heuristic")
