"""Finished rounds are kept by games, batches and views: what was played, and nothing before it is scored."""

import pickle

import numpy as np
import pytest

from tests.history.test_decisions import KINDS
from tests.positions import at
from wizard_env import Game, Games, Rules, View, sample_legal
from wizard_env.observation.fields import HISTORY, unpack

SHORT = Rules(num_players=3, hand_sizes=(1, 2, 3))


def play_on(games: Games, steps: int) -> None:
    """Step a batch at random."""
    rng = np.random.default_rng(steps)
    for _ in range(steps):
        games.step(sample_legal(games.mask, rng))


def play_along(games: Games, steps: int) -> list[Game]:
    """Step a fresh batch at random, and single games with it; return those."""
    rng = np.random.default_rng(steps)
    singles = [Game(games.rules, int(seed)) for seed in games.seeds]
    for _ in range(steps):
        actions = sample_legal(games.mask, rng)
        games.step(actions)
        for row, action in enumerate(actions.tolist()):
            singles[row].step(action)
            if games.done[row]:
                singles[row] = Game(games.rules, int(games.seeds[row]))
    return singles


@pytest.mark.parametrize("rules", KINDS)
def test_a_batch_keeps_what_single_games_keep(rules: Rules) -> None:
    """Byte for byte, in games that begin anew too; the view of either is the same."""
    for steps in (3, 40, 200):
        games = Games(rules, 5, seed=2)
        singles = play_along(games, steps)
        for row, single in enumerate(singles):
            assert games.finished_rounds[row].tobytes() == single.finished_rounds.tobytes()
        view, of_singles = games.view(), View.of(singles)
        assert view.finished_rounds.tobytes() == of_singles.finished_rounds.tobytes()
        assert view.finished_rounds.shape == games.finished_rounds.shape
        assert [view.rounds(row) for row in range(5)] == [single.rounds for single in singles]
        assert view.rounds(-1) == singles[-1].rounds
        bids = unpack(view.finished_rounds, HISTORY)["bids"]
        assert bids.tolist() == view.finished_rounds["bids"].tolist()


def test_without_history_a_batch_plays_the_same() -> None:
    with_rounds, without = Games(SHORT, 6, seed=3), Games(SHORT, 6, seed=3, history=False)
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = sample_legal(with_rounds.mask, rng)
        with_rounds.step(actions)
        without.step(actions)
        assert with_rounds.states.tobytes() == without.states.tobytes()
    assert without.finished_rounds.shape == (0, 1)
    view = without.view()
    assert view.finished_rounds.shape == (6, 0)
    assert view.rounds(0) == []
    assert pickle.loads(pickle.dumps(without)).states.tobytes() == without.states.tobytes()


def test_a_view_is_a_snapshot() -> None:
    """The games play on, and the view stays; a part of it has the rounds of that part."""
    games = Games(SHORT, 6, seed=3)
    games.spread(np.random.default_rng(1))
    view = games.view()
    before = view.finished_rounds.copy()
    play_on(games, 30)
    assert view.finished_rounds.tobytes() == before.tobytes()
    for rows in (np.array([4, 1]), np.array([], int)):
        part = view.select(rows)
        assert part.finished_rounds.shape == (len(rows), before.shape[1])
        assert part.finished_rounds.tobytes() == before[rows].tobytes()
        assert [part.rounds(index) for index in range(len(rows))] == [
            view.rounds(row) for row in rows.tolist()
        ]


def test_rounds_before_a_given_deal_are_not_known() -> None:
    """A game begun in its middle: the rounds before are missing, those after are there."""
    game = at()
    assert game.round_number == 3
    assert game.rounds == View.of([game]).rounds(0) == []
    assert View.of([game]).finished_rounds.shape == (1, game.num_rounds)
    while not game.rounds:
        game.step(game.legal_actions()[0])
    view = View.of([game])
    assert view.finished_rounds["hand_size"][0, :4].tolist() == [0, 0, 3, 0]
    assert view.rounds(0) == game.rounds
    assert View(view.known, None, view.finished_rounds).rounds(0) == game.rounds


def test_hand_sizes_of_a_batch_can_change() -> None:
    """To more rounds than it began with; nothing is lost or written beyond."""
    games = Games(SHORT, 3, seed=1)
    play_on(games, 20)
    longer = Rules(num_players=3, hand_sizes=(1,) * 7)
    games.begin([1], [7], rules=longer)
    assert games.finished_rounds.shape == (3, 7)
    single, rng = Game(longer, seed=7), np.random.default_rng(0)
    for _ in range(7 * 6 - 1):
        actions = sample_legal(games.mask, rng)
        games.step(actions)
        single.step(int(actions[1]))
    view = games.view()
    assert view.rounds(1) == single.rounds
    assert view.finished_rounds.shape == (3, 7)
