"""Finished rounds from outside are checked: what the game cannot have had is refused."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.history.test_decisions import KINDS
from wizard_env import Game, Games, Rules, View, sample_legal
from wizard_env.history.checks import check_finished_rounds
from wizard_env.history.decisions import retrace, rewind
from wizard_env.state import FINISHED_ROUND

RULES = Rules(num_players=3, hand_sizes=(2, 3, 4))


def some_games(seed: int = 0, **options: Any) -> Games:
    games = Games([kind for kind in KINDS for _ in range(4)], 4 * len(KINDS), seed, **options)
    games.spread(np.random.default_rng(seed))
    return games


def third_round() -> Game:
    """A game in its third round."""
    game, rng = Game(RULES, seed=3), np.random.default_rng(1)
    while len(game.rounds) < 2:
        game.step(int(rng.choice(game.legal_actions())))
    return game


def altered(game: Game, index: int = 0, **fields: Any) -> NDArray[Any]:
    rounds = game.finished_rounds.copy()
    for name, value in fields.items():
        rounds[name][index] = value
    return rounds


def test_every_game_passes() -> None:
    """At every decision, in full and in views, with all rounds, with the last ones and with none."""
    games, rng = some_games(), np.random.default_rng(1)
    for _ in range(200):
        check_finished_rounds(games.states, games.finished_rounds)
        view = games.view()
        check_finished_rounds(view.known, view.finished_rounds)
        fewer = view.finished_rounds.copy()
        fewer[:, :1] = 0
        check_finished_rounds(view.known, fewer)
        check_finished_rounds(view.known, fewer[:, :0])
        games.step(sample_legal(games.mask, rng))


@pytest.mark.parametrize("pause", ["round", "game"])
def test_a_game_that_pauses_passes(pause: Any) -> None:
    games, rng = Games(RULES, 8, pause=pause), np.random.default_rng(2)
    while len(rows := np.flatnonzero(games.mask.any(axis=1))):
        games.step(sample_legal(games.mask[rows], rng), rows)
    check_finished_rounds(games.states, games.finished_rounds)
    last = games.finished_rounds.copy()
    last["bids"][0, games.states["round_index"][0], 0] += 1
    with pytest.raises(ValueError, match="it is not the round that has just been scored"):
        check_finished_rounds(games.states, last)


REFUSED: list[tuple[int, dict[str, Any], str]] = [
    (0, {"hand_size": 0}, "finished round 1: hand_size 0 marks a round that is not known"),
    (1, dict.fromkeys(FINISHED_ROUND.names or (), 0), "finished round 1: a later round is not known"),
    (2, {"hand_size": 4}, "finished round 3: the game has not finished this round"),
    (1, {"hand_size": 2}, "finished round 2: its hand size must be that of the round"),
    (1, {"dealer": 5}, "finished round 2: the deal passes to the left each round"),
    (1, {"upcard": 99}, "finished round 2: its upcard, its trump and its plays must be cards and suits"),
    (1, {"plays": 3}, "finished round 2: hands="),
    (0, {"bids": 3}, "finished round 1: its bids and tricks must be those that a hand allows"),
    (0, {"tricks_won": 2}, "finished round 1: tricks_won="),
]


@pytest.mark.parametrize(("index", "fields", "reason"), REFUSED)
def test_an_altered_round_is_refused(index: int, fields: dict[str, Any], reason: str) -> None:
    """Everything that takes rounds from outside refuses it, and says which and why."""
    game = third_round()
    rounds = altered(game, index, **fields)
    with pytest.raises(ValueError, match=f"game 0 cannot have had its {reason}"):
        check_finished_rounds(game.state, rounds[np.newaxis])
    with pytest.raises(ValueError, match=reason):
        Game.from_state(RULES, game.state, rounds)
    with pytest.raises(ValueError, match=reason):
        View(game.state, None, rounds[np.newaxis])
    kept = game.__getstate__() | {"finished_rounds": rounds.tobytes()}
    with pytest.raises(ValueError, match=reason):
        Game.__new__(Game).__setstate__(kept)


def test_scores_out_of_range_are_refused() -> None:
    """Rounds whose points do not lead to the scores of the game."""
    game = third_round()
    game.state["scores"][0, 0] = 10_280
    with pytest.raises(ValueError, match="game 0 cannot have had its finished round 1: scores="):
        check_finished_rounds(game.state, altered(game)[np.newaxis])
    longest = Game(Rules(num_players=3, hand_sizes=(20,) * 60), seed=0)
    while len(longest.rounds) < 59:
        longest.step(longest.legal_actions()[0])
    longest.state["scores"][0, :3] = 23_000
    worse = longest.finished_rounds.copy()
    worse["bids"][:59, 0], worse["tricks_won"][:59, 0] = 20, 0
    with pytest.raises(ValueError, match="its points do not lead to the scores of the game"):
        check_finished_rounds(longest.state, worse[np.newaxis])


def test_no_altered_byte_passes_unless_it_is_another_game() -> None:
    """Each byte, set to other values: refused, or rounds that replay."""
    games = Games(RULES, 1, seed=5)
    rng = np.random.default_rng(0)
    while games.states["round_index"][0] < 2:
        games.step(sample_legal(games.mask, rng))
    for place in range(games.finished_rounds.nbytes):
        for value in rng.integers(256, size=6):
            altered = np.frombuffer(bytearray(games.finished_rounds.tobytes()), np.uint8)
            altered[place] = value
            rounds = altered.view(FINISHED_ROUND).reshape(1, -1)
            try:
                check_finished_rounds(games.states, rounds)
            except ValueError:
                continue
            began = rewind(games.states, rounds)
            assert len(retrace(began.states, began.rounds).actions) == 3 * (3 + 4) + sum(
                began.rounds["upcard"] == 52
            )


def test_pickled_batches_are_checked() -> None:
    games = some_games(seed=1)
    row = int(games.states["round_index"].argmax())
    games.finished_rounds["plays"][row, 0, 0] ^= 1
    with pytest.raises(ValueError, match=f"game {row} cannot have had its finished round 1"):
        pickle.loads(pickle.dumps(games))


def test_a_batch_restores_its_rounds() -> None:
    games, other = some_games(seed=1), some_games(seed=2)
    arrays = [array.copy() for array in other.__getstate__()["arrays"]]
    games.restore(arrays)
    assert games.finished_rounds.tobytes() == other.finished_rounds.tobytes()
    with pytest.raises(ValueError, match="arrays of shapes"):
        games.restore([*arrays[:-1], arrays[-1][:, :1]])
    arrays[-1]["bids"][:, 0] += 1
    with pytest.raises(ValueError, match="cannot have had its finished round 1"):
        games.restore(arrays)
    kept = games.__getstate__()
    kept["arrays"] = (*kept["arrays"][:-1], kept["arrays"][-1][:, :1].copy())
    with pytest.raises(ValueError, match="room for 1 finished rounds: a game has 3"):
        Games.__new__(Games).__setstate__(kept)
