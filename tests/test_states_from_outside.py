"""States from outside are checked: what the rules cannot have made is refused, with the field named."""

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wizard_env import Game, Games, Rules, View, sample_legal
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS
from wizard_env.state import BID, HIDDEN, PLAY, SCORED, STATE, rules_of
from wizard_env.state_checks import ANY_HIDDEN, NOTHING_HIDDEN, OTHERS_HIDDEN, check_states

KINDS = [
    *(Rules(num_players=n, bid_restriction=kind) for n in (3, 4, 5, 6) for kind in BID_RESTRICTIONS),  # type: ignore[arg-type]
    *(Rules(num_players=n, bid_reveal=kind, magic_edition=True) for n in (3, 6) for kind in BID_REVEALS),  # type: ignore[arg-type]
    Rules(num_players=3, hand_sizes=(20, 1)),
    Rules(num_players=4, hand_sizes=(15, 2), magic_edition=True),
]
FIXED = ("num_players", "bid_restriction", "bid_reveal", "magic_edition", "num_rounds", "hand_sizes")


def some_games(seed: int = 0) -> Games:
    """Games of every kind, at all moments between their first and last decision."""
    games = Games([rules for rules in KINDS for _ in range(3)], 3 * len(KINDS), seed)
    games.spread(np.random.default_rng(seed))
    return games


def arrays_of(games: Games) -> Any:
    """The arrays that a copy of a batch is made from."""
    return games.__getstate__()["arrays"]


def state_of(phase: int = PLAY, seed: int = 0) -> NDArray[Any]:
    """A state of a phase, in a round of several cards."""
    states = some_games(seed).states
    return states[(states["phase"] == phase) & (states["hand_size"] > 3)][:1].copy()


# --- what the rules make is a state


def test_every_state_of_a_game_passes() -> None:
    """Games of every kind pass, at every decision, in full and as the acting seat knows them."""
    games, rng = some_games(), np.random.default_rng(1)
    for _ in range(300):
        check_states(games.states)
        check_states(games.view().known, OTHERS_HIDDEN)
        games.step(sample_legal(games.mask, rng))


@pytest.mark.parametrize("pause", ["round", "game"])
def test_a_state_between_rounds_passes(pause: Any) -> None:
    games, rng = Games(Rules(num_players=3, hand_sizes=(2, 20, 1)), 20, pause=pause), np.random.default_rng(2)
    while len(rows := np.flatnonzero(games.mask.any(axis=1))):
        games.step(sample_legal(games.mask[rows], rng), rows)
    assert (games.states["phase"] >= SCORED).all()
    check_states(games.states)


# --- what they cannot make is refused

ALTERED: list[tuple[str, Any]] = [
    ("num_players", 100),
    ("bid_restriction", 9),
    ("num_rounds", 127),
    ("hand_sizes", 60),
    ("round_index", 59),
    ("seat", 100),
    ("scores", 32_767),
    ("scores", 7),
    ("points", 300),
    ("hands", (1 << 52) - 1),
    ("hands", 1 << 58),
    ("played", 1 << 40),
    ("upcard", 54),
    ("bids", HIDDEN),
    ("voids", 15),
    ("plays", 60),
    ("num_plays", 127),
    ("best_power", 127),
]


@pytest.mark.parametrize(("name", "value"), ALTERED)
def test_an_altered_field_is_refused(name: str, value: Any) -> None:
    """The check refuses it, and so does everything that takes a state from outside, before using it."""
    states = state_of()
    rules, game = KINDS[0], pickle.loads(pickle.dumps(Game.from_state(rules_of(states[0]), states)))
    states[name] = value
    with pytest.raises(ValueError, match="record 0 is not a state of the game"):
        check_states(states)
    with pytest.raises(ValueError, match="not a state of the game"):
        View(states)
    with pytest.raises(ValueError, match=r"not a state of the game|not the rules of this state"):
        Game.from_state(rules if name in FIXED else game.rules, states)
    kept = game.__getstate__() | {"state": states.tobytes()}
    with pytest.raises(ValueError, match="not a state of the game"):
        Game.__new__(Game).__setstate__(kept)


@pytest.mark.parametrize("phase", [BID, PLAY])
def test_no_altered_byte_passes_unless_it_is_another_state(phase: int) -> None:
    """Each byte of a state, set to other values: refused, or a game that can be played to its end."""
    states = state_of(phase, seed=3)
    rng = np.random.default_rng(4)
    accepted = set()
    for place in range(STATE.itemsize):
        for _ in range(8):
            altered = np.frombuffer(bytearray(states.tobytes()), np.uint8)
            altered[place] = rng.integers(256)
            record = altered.view(STATE)
            try:
                check_states(record)
            except ValueError:
                continue
            if record.tobytes() != states.tobytes():
                accepted.add(_field_at(place))
            _play_on(record)
    # hand sizes of other rounds, options and scores of other games; the cards and their order are fixed
    assert accepted <= {"generator", "scores", "hand_sizes", "bid_restriction", "bid_reveal", "num_rounds",
                        "magic_edition", "hands", "bids"}  # fmt: skip


def _field_at(place: int) -> str:
    assert STATE.fields is not None
    return next(
        name for name, (kind, start, *_) in STATE.fields.items() if start <= place < start + kind.itemsize
    )


def _play_on(states: NDArray[Any]) -> None:
    game = Game.from_state(rules_of(states[0]), states)
    while game.phase != "over":
        game.step(game.legal_actions()[-1])
        check_states(game.state)


def test_what_may_be_hidden() -> None:
    """Other hands in a view, any hand in a copy of one, nothing in a state that is played on."""
    games = some_games()
    known = games.view().known
    check_states(known, OTHERS_HIDDEN)
    with pytest.raises(ValueError, match=r"not a state of the game: (hands|bids)"):
        check_states(known, NOTHING_HIDDEN)
    blind = known.copy()
    blind["hands"] = 0
    check_states(blind, ANY_HIDDEN)
    with pytest.raises(ValueError, match="not a state of the game: hands"):
        check_states(blind, OTHERS_HIDDEN)
    shown = known[(known["bid_reveal"] == 0) & (known["phase"] == PLAY)][:1].copy()
    shown["bids"][0, 0] = HIDDEN
    with pytest.raises(ValueError, match="not a state of the game: bids"):
        check_states(shown, OTHERS_HIDDEN)


def test_other_things_than_states_are_refused() -> None:
    states = some_games().states
    for other in (states[0], states.reshape(1, -1), np.zeros(3), [1, 2]):
        with pytest.raises(TypeError, match="a one-dimensional array of dtype STATE is needed"):
            View(other)  # type: ignore[arg-type]


def test_pickled_batches_are_checked() -> None:
    games = some_games()
    again = pickle.loads(pickle.dumps(games))
    assert all(
        one.tobytes() == two.tobytes() for one, two in zip(arrays_of(again), arrays_of(games), strict=True)
    )
    games.states["num_plays"][2] = 99
    with pytest.raises(ValueError, match="record 2 is not a state of the game: num_plays=99"):
        pickle.loads(pickle.dumps(games))


def test_a_batch_restores_only_its_own_kind() -> None:
    """Everything that the states determine is written anew, so the masks are true."""
    games, other = some_games(), some_games(seed=1)
    arrays = [array.copy() for array in arrays_of(other)]
    arrays[1]["values"] = 255
    arrays[2]["values"] = 1
    arrays[3]["legal"] = -1
    arrays[3]["order"] = 200
    games.restore(arrays)
    assert all(
        one.tobytes() == two.tobytes() for one, two in zip(arrays_of(games), arrays_of(other), strict=True)
    )
    with pytest.raises(ValueError, match="game 0 has other rules than these games: num_players differs"):
        games.restore([array[::-1].copy() for array in arrays])
    with pytest.raises(ValueError, match="arrays of shapes"):
        games.restore([array[:1] for array in arrays])
    arrays[3]["done"].view(np.uint8)[:] = 2
    games.restore(arrays)
    assert games.done.view(np.uint8).tolist() == [1] * len(games.done)
