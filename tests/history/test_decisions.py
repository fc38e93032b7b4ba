"""Finished rounds played again: the decisions are those that were taken, byte for byte."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from tests.test_invariants import all_rules, seeds
from wizard_env import Game, Games, Rules, View, sample_legal
from wizard_env.history.decisions import retrace, rewind
from wizard_env.state import FINISHED_ROUND

KINDS = [
    Rules(num_players=3, hand_sizes=(1, 20, 4), magic_edition=True),
    Rules(num_players=3, hand_sizes=(2, 9, 2), bid_restriction="leader"),
    Rules(num_players=4, hand_sizes=(2, 15, 1), bid_restriction="no_even"),
    Rules(num_players=4, hand_sizes=(3, 7, 3), bid_restriction="canadian", magic_edition=True),
    Rules(num_players=5, hand_sizes=(1, 6, 12), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(2, 10, 1), bid_reveal="simultaneous"),
    Rules(num_players=6, hand_sizes=(1, 3, 2), bid_reveal="secret", magic_edition=True),
]


def finished_game(rules: Rules, seed: int) -> tuple[Game, list[tuple[bytes, int, int]]]:
    """A game after random play, with each decision: what the seat knew, its action, its legal actions."""
    game, rng, decisions = Game(rules, seed), np.random.default_rng(seed), []
    while game.phase != "over":
        legal = game.legal_actions()
        action = int(rng.choice(legal))
        decisions.append((View.of([game]).known.tobytes(), action, len(legal)))
        game.step(action)
    return game, decisions


def rounds_of(game: Game) -> NDArray[Any]:
    return game.finished_rounds[np.newaxis]


@given(rules=all_rules(), seed=seeds)
def test_every_decision_comes_back(rules: Rules, seed: int) -> None:
    """By all rules: what the seat knew, what it did, and how many actions it had to choose from."""
    game, expected = finished_game(rules, seed)
    began = rewind(game.state, rounds_of(game))
    assert began.rounds.tobytes() == game.finished_rounds.tobytes()
    replayed = retrace(began.states, began.rounds)
    found = zip(replayed.states, replayed.actions.tolist(), replayed.choices.tolist(), strict=True)
    assert [(state.tobytes(), action, choices) for state, action, choices in found] == expected


def test_batches_replay_as_they_were_played() -> None:
    """Games by different rules, in the middle: every decision of a finished round, once each."""
    rules = [kind for kind in KINDS for _ in range(3)]
    games, rng = Games(rules, len(rules), seed=4), np.random.default_rng(1)
    taken: list[list[tuple[tuple[int, int], bytes, int]]] = [[] for _ in rules]
    """For each game the decisions: the seed and the round, what the seat knew, the action."""
    for _ in range(400):
        view, actions = games.view(), sample_legal(games.mask, rng)
        for row, action in enumerate(actions.tolist()):
            moment = int(games.seeds[row]), int(view.known["round_index"][row])
            taken[row].append((moment, view.known[row].tobytes(), action))
        games.step(actions)
    view = games.view()
    began = rewind(view.known, view.finished_rounds)
    from_all = rewind(games.states, games.finished_rounds)
    for one, other in zip(began, from_all, strict=True):
        assert one.tobytes() == other.tobytes()
    replayed = retrace(began.states, began.rounds)
    for row, decisions in enumerate(taken):
        finished = [(int(games.seeds[row]), index) for index in range(view.known["round_index"][row])]
        expected = [(known, action) for moment, known, action in decisions if moment in finished]
        mine = began.games[replayed.rows] == row
        found = zip(map(bytes, replayed.states[mine]), replayed.actions[mine].tolist(), strict=True)
        assert list(found) == expected
    assert len(np.unique(began.games)) > len(rules) // 2


def test_forced_decisions_can_be_left_out() -> None:
    game, _ = finished_game(KINDS[0], seed=5)
    began = rewind(game.state, rounds_of(game))
    everything = retrace(began.states, began.rounds)
    real = everything.choices > 1
    for kept, column in zip(retrace(began.states, began.rounds, forced=False), everything, strict=True):
        assert kept.tobytes() == column[real].tobytes()
    assert 0 < real.sum() < len(real)


ALTERED = [
    ("trump", 2, "trump=2: it must be that of the upcard"),
    ("bids", 9, "bids=.*: the rules must allow each"),
    ("tricks_won", 0, "tricks_won=.*: the plays must make them"),
    ("plays", 3, "plays=.*: the rules must allow each card, in this order"),
    ("dealer", 1, "dealer=1: it must be the seat that dealt"),
    ("upcard", 53, "upcard=53: it must be the card that was turned up"),
    ("hand_size", 3, "hand_size=3: it must be that of the game"),
]


@pytest.mark.parametrize(("name", "value", "reason"), ALTERED)
def test_what_the_rules_do_not_allow_is_refused(name: str, value: int, reason: str) -> None:
    """The message names the round and the field."""
    game, _ = finished_game(Rules(num_players=3, hand_sizes=(2, 5)), seed=2)
    began = rewind(game.state, rounds_of(game))
    assert began.rounds["dealer"][1] != 1
    began.rounds[name][1] = value
    with pytest.raises(ValueError, match=f"round 1 cannot have been played: {reason}"):
        retrace(began.states, began.rounds)


def test_every_round_needs_a_state() -> None:
    game, _ = finished_game(KINDS[0], seed=2)
    began = rewind(game.state, rounds_of(game))
    with pytest.raises(ValueError, match="2 rounds began in 3 states: one is needed for each"):
        retrace(began.states, began.rounds[:2])
    began.states["num_players"][1] = 100
    with pytest.raises(ValueError, match="record 1 is not a state of the game: num_players=100"):
        retrace(began.states, began.rounds)


def test_no_altered_byte_goes_beyond_the_arrays() -> None:
    """Each byte of a round, set to other values, is refused or gives as many decisions."""
    game, decisions = finished_game(Rules(num_players=3, hand_sizes=(4,)), seed=6)
    began, rng = rewind(game.state, rounds_of(game)), np.random.default_rng(0)
    for place in range(FINISHED_ROUND.itemsize):
        for value in rng.integers(256, size=8):
            altered = np.frombuffer(bytearray(began.rounds.tobytes()), np.uint8)
            altered[place] = value
            try:
                replayed = retrace(began.states, altered.view(FINISHED_ROUND))
            except ValueError:
                continue
            assert len(replayed.actions) == len(decisions)
            assert altered.tobytes() == began.rounds.tobytes() or place < 10  # another bid, in an open round
