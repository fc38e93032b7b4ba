"""Rules, the options of rules.md: what is accepted, what is refused and in which words."""

import dataclasses
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wizard_env import Rules
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS, MAX_ROUNDS, prose


def message(error: type[Exception], **options: Any) -> str:
    """Return the error for options that Rules refuses."""
    with pytest.raises(error) as raised:
        Rules(**options)
    return str(raised.value)


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


@pytest.mark.parametrize("num_players", [2, 7, 0, -3])
def test_other_numbers_of_players(num_players: int) -> None:
    """Players: 3 to 6."""
    assert message(ValueError, num_players=num_players) == f"num_players={num_players}: allowed are 3 to 6"


@pytest.mark.parametrize("num_players", [4.0, "4", True, None, [4], np.float64(4), np.True_])
def test_players_of_another_type(num_players: Any) -> None:
    """Players: a whole number."""
    text = message(TypeError, num_players=num_players)
    assert text == f"num_players={num_players!r}: allowed are whole numbers from 3 to 6"


def test_numpy_numbers_become_plain() -> None:
    """Players: numpy's whole numbers are as good as Python's."""
    rules = Rules(num_players=np.int8(5), hand_sizes=tuple(np.arange(1, 4)))  # type: ignore[arg-type]
    assert rules == Rules(num_players=5, hand_sizes=(1, 2, 3))
    assert type(rules.num_players) is int
    assert {type(size) for size in rules.rounds} == {int}


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("num_player", "num_players"),
        ("bid_restrictions", "bid_restriction"),
        ("bids_reveal", "bid_reveal"),
        ("magic", "magic_edition"),
        ("hand_size", "hand_sizes"),
    ],
)
def test_unknown_option(option: str, near: str) -> None:
    """An unknown option fails loudly, with the nearest one and all that there are."""
    text = message(TypeError, **{option: 4})
    assert repr(option) in text
    assert f"did you mean {near!r}?" in text or option == "magic"
    for field in dataclasses.fields(Rules):
        assert repr(field.name) in text


@pytest.mark.parametrize(
    ("option", "given", "near"),
    [
        ("bid_restriction", "no_evn", "no_even"),
        ("bid_restriction", "canada", "canadian"),
        ("bid_restriction", "Free", "free"),
        ("bid_reveal", "secrte", "secret"),
        ("bid_reveal", "opened", "open"),
    ],
)
def test_misspelt_value(option: str, given: str, near: str) -> None:
    """A value that there is not: the message names field, value, nearest match and all values."""
    text = message(ValueError, **{option: given})
    assert text.startswith(f"{option}={given!r}: did you mean {near!r}? allowed are ")
    for value in BID_RESTRICTIONS if option == "bid_restriction" else BID_REVEALS:
        assert repr(value) in text


@pytest.mark.parametrize("given", [None, 0, True, ["free"], ""])
def test_value_of_another_type(given: Any) -> None:
    """A value that is no word at all."""
    text = message(ValueError, bid_restriction=given)
    assert text.startswith(f"bid_restriction={given!r}: ")
    assert "allowed are 'free', 'no_even', 'leader', 'canadian'" in text


@pytest.mark.parametrize("given", [1, 0, "yes", None, np.True_])
def test_magic_edition_is_a_truth_value(given: Any) -> None:
    """Magic Edition: on or off."""
    assert message(TypeError, magic_edition=given) == f"magic_edition={given!r}: allowed are True and False"


@pytest.mark.parametrize("reveal", ["simultaneous", "secret"])
@pytest.mark.parametrize("restriction", ["no_even", "leader", "canadian"])
def test_restriction_with_hidden_bids(restriction: str, reveal: str) -> None:
    """Bidding: any restriction other than `free` with a reveal other than `open` is refused."""
    text = message(ValueError, bid_restriction=restriction, bid_reveal=reveal)
    assert text.startswith(f"bid_restriction={restriction!r} with bid_reveal={reveal!r}: ")
    assert "bid_reveal='open'" in text


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"hand_sizes": (16,)}, "hand_sizes[0]=16: allowed are 1 to 15"),
        ({"hand_sizes": (5, 0)}, "hand_sizes[1]=0: allowed are 1 to 15"),
        ({"hand_sizes": (-1,)}, "hand_sizes[0]=-1: allowed are 1 to 15"),
        ({"hand_sizes": (11,), "num_players": 6}, "hand_sizes[0]=11: allowed are 1 to 10"),
        ({"hand_sizes": ()}, "hand_sizes has 0 rounds: allowed are 1 to 60"),
        ({"hand_sizes": (1,) * 61}, "hand_sizes has 61 rounds: allowed are 1 to 60"),
        ({"hand_sizes": iter(())}, "hand_sizes has 0 rounds: allowed are 1 to 60"),
    ],
)
def test_hand_sizes_out_of_range(options: dict[str, Any], text: str) -> None:
    """End: a subset of rounds, each of a size that the deck allows."""
    assert message(ValueError, **options) == text


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("123", "hand_sizes='123': allowed are None or hand sizes, as in (1, 2, 3)"),
        (5, "hand_sizes=5: allowed are None or hand sizes, as in (1, 2, 3)"),
        ((1, 2.0), "hand_sizes[1]=2.0: allowed are whole numbers from 1 to 15"),
        (b"\x01\x02", "hand_sizes=b'\\x01\\x02': allowed are None or hand sizes, as in (1, 2, 3)"),
        ({2}, "hand_sizes={2}: allowed are None or hand sizes, as in (1, 2, 3)"),
        ({1: 2}, "hand_sizes={1: 2}: allowed are None or hand sizes, as in (1, 2, 3)"),
        ((True,), "hand_sizes[0]=True: allowed are whole numbers from 1 to 15"),
    ],
)
def test_hand_sizes_of_another_type(given: Any, text: str) -> None:
    """End: hand sizes are whole numbers."""
    assert message(TypeError, hand_sizes=given) == text


@pytest.mark.parametrize("given", [[5, 5], range(1, 4), (15,), (1,) * MAX_ROUNDS, iter((3, 1, 2))])
def test_hand_sizes_accepted(given: Any) -> None:
    """End: hand sizes in any order and as often as wanted, kept as a tuple."""
    rules = Rules(hand_sizes=given)
    assert isinstance(rules.hand_sizes, tuple)
    assert rules.rounds == rules.hand_sizes
    assert all(1 <= size <= 15 for size in rules.rounds)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_frozen(field: str) -> None:
    """Rules do not change during a game."""
    rules = Rules()
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(rules, field, 5)
    assert rules == Rules()


OTHERS = [
    Rules(num_players=5),
    Rules(bid_restriction="no_even"),
    Rules(bid_reveal="secret"),
    Rules(magic_edition=True),
    Rules(hand_sizes=(5,)),
    Rules(num_players=3, bid_restriction="canadian", magic_edition=True, hand_sizes=(20, 1)),
]


@pytest.mark.parametrize("rules", OTHERS)
def test_equality_and_hash(rules: Rules) -> None:
    """Rules are equal where all options are, and can be keys."""
    assert rules != Rules()
    twin = Rules(**rules.to_dict())
    assert twin == rules
    assert len({twin, rules, Rules()}) == 2
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_all_rounds_named_are_the_game_of_all_rounds() -> None:
    """Players: naming every round plays the same rounds as naming none."""
    assert Rules(hand_sizes=range(1, 16)).rounds == Rules().rounds  # type: ignore[arg-type]


@pytest.mark.parametrize("rules", [Rules(), *OTHERS])
def test_to_dict_survives_json(rules: Rules) -> None:
    """The options go through JSON and back."""
    assert Rules(**json.loads(json.dumps(rules.to_dict()))) == rules


def test_replace_checks_again() -> None:
    """A changed copy is held to the same ranges."""
    assert dataclasses.replace(Rules(), num_players=6).max_hand_size == 10
    with pytest.raises(ValueError, match="num_players=7"):
        dataclasses.replace(Rules(), num_players=7)
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
