"""Rules, the options of rules.md: what is accepted, what is refused and in which words."""

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wizard_env import Rules
from wizard_env.rules import MAX_ROUNDS, prose


def test_defaults() -> None:
    """Bidding: `free` and `open` by default; Magic Edition: default off; all rounds."""
    rules = Rules()
    assert (rules.num_players, rules.bid_restriction, rules.bid_reveal) == (4, "free", "open")
    assert (rules.magic_edition, rules.hand_sizes) == (False, None)


@pytest.mark.parametrize(("num_players", "rounds"), [(3, 20), (4, 15), (5, 12), (6, 10)])
def test_players_and_rounds(num_players: int, rounds: int) -> None:
    """Players: 3 to 6; 60 / players rounds."""
    rules = Rules(num_players=num_players)
    assert rules.max_hand_size == rounds
    assert rules.rounds == tuple(range(1, rounds + 1))


def test_numpy_numbers_become_plain() -> None:
    """Players: numpy's whole numbers are as good as Python's."""
    rules = Rules(num_players=np.int8(5), hand_sizes=tuple(np.arange(1, 4)))  # type: ignore[arg-type]
    assert rules == Rules(num_players=5, hand_sizes=(1, 2, 3))
    assert type(rules.num_players) is int
    assert {type(size) for size in rules.rounds} == {int}


@pytest.mark.parametrize("given", [[5, 5], range(1, 4), (15,), (1,) * MAX_ROUNDS, iter((3, 1, 2))])
def test_hand_sizes_accepted(given: Any) -> None:
    """End: hand sizes in any order and as often as wanted, kept as a tuple."""
    rules = Rules(hand_sizes=given)
    assert isinstance(rules.hand_sizes, tuple)
    assert rules.rounds == rules.hand_sizes
    assert all(1 <= size <= 15 for size in rules.rounds)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_player": 4}, "'num_player': did you mean 'num_players'"),
        ({"num_players": 2}, "num_players=2: allowed are 3 to 6"),
        ({"num_players": 7}, "num_players=7: allowed are 3 to 6"),
        ({"num_players": 4.0}, "num_players=4.0: allowed are whole numbers from 3 to 6"),
        ({"num_players": True}, "num_players=True: allowed are whole numbers from 3 to 6"),
        (
            {"bid_restriction": "canada"},
            "bid_restriction='canada': did you mean 'canadian'? allowed are 'free'",
        ),
        (
            {"bid_restriction": None},
            "bid_restriction=None: allowed are 'free', 'no_even', 'leader', 'canadian'",
        ),
        ({"bid_reveal": "secrte"}, "bid_reveal='secrte': did you mean 'secret'? allowed are 'open'"),
        ({"magic_edition": 1}, "magic_edition=1: allowed are True and False"),
        ({"hand_sizes": (5, 0)}, "hand_sizes[1]=0: allowed are 1 to 15"),
        ({"hand_sizes": (11,), "num_players": 6}, "hand_sizes[0]=11: allowed are 1 to 10"),
        ({"hand_sizes": ()}, "hand_sizes has 0 rounds: allowed are 1 to 60"),
        ({"hand_sizes": (1,) * 61}, "hand_sizes has 61 rounds: allowed are 1 to 60"),
        ({"hand_sizes": (1, 2.0)}, "hand_sizes[1]=2.0: allowed are whole numbers from 1 to 15"),
        ({"hand_sizes": "123"}, "hand_sizes='123': allowed are None or hand sizes, as in (1, 2, 3)"),
        ({"hand_sizes": 5}, "hand_sizes=5: allowed are None or hand sizes, as in (1, 2, 3)"),
        ({"hand_sizes": {2}}, "hand_sizes={2}: allowed are None or hand sizes, as in (1, 2, 3)"),
    ],
    ids=str,
)
def test_refusals(options: dict[str, Any], text: str) -> None:
    """The message names the option, the value and what is allowed."""
    with pytest.raises((ValueError, TypeError)) as refused:
        Rules(**options)
    assert text in str(refused.value)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(num_players=5),
        Rules(bid_restriction="no_even"),
        Rules(bid_reveal="secret"),
        Rules(magic_edition=True),
        Rules(hand_sizes=(5,)),
        Rules(num_players=3, bid_restriction="canadian", magic_edition=True, hand_sizes=(20, 1)),
    ],
)
def test_equality_and_copies(rules: Rules) -> None:
    """Rules are equal where all options are, can be keys, and go through JSON and back."""
    assert rules != Rules()
    twin = Rules(**json.loads(json.dumps(rules.to_dict())))
    assert twin == rules
    assert len({twin, rules, Rules()}) == 2
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_rules_do_not_change_during_a_game() -> None:
    """A changed copy is held to the same ranges."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().num_players = 5  # type: ignore[misc]
    with pytest.raises(ValueError, match=r"hand_sizes\[0\]=15"):
        dataclasses.replace(Rules(hand_sizes=(15,)), num_players=6)


def test_the_rules_in_prose_are_those_of_the_docs() -> None:
    """Every section, whole, by its heading."""
    page = (Path(__file__).parent.parent / "docs" / "rules.md").read_text(encoding="utf-8")
    found = prose()
    assert list(found)[:3] == ["Players and rounds", "Deck", "Deal"]
    for heading, text in found.items():
        assert f"## {heading}\n" in page
        assert text in page
    assert sum(map(len, found.values())) > 0.9 * len(page)
