"""Refusals are short, however long or deep what was given is."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wizard_env import Game, Games, Rules, action_id, action_name, wizard_v0
from wizard_env.cards import card_id
from wizard_env.checks import quoted
from wizard_env.envs.gymnasium_env import WizardEnv
from wizard_env.envs.gymnasium_vector import WizardVectorEnv
from wizard_env.records import parse_position, replay
from wizard_env.train.config.reading import apply_changes

LONG = "A" * 1_000_000
HUGE = 10**5000
"""Python writes no more than 4,300 digits."""
SHORTEST = 4 * 500
"""A refusal may quote several values."""


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


RULES = Rules(3, hand_sizes=(1,))
GIVEN: dict[str, Any] = {"text": LONG, "zeros": [0] * 1_000_000, "dict": {"x": LONG}, "huge": HUGE}
TAKERS: dict[str, Callable[[Any], object]] = {
    "Rules(hand_sizes)": lambda given: Rules(hand_sizes=given),
    "Rules(num_players)": lambda given: Rules(num_players=given),
    "Rules(magic_edition)": lambda given: Rules(magic_edition=given),
    "Rules(bid_reveal)": lambda given: Rules(bid_reveal=given),
    "Game(rules)": lambda given: Game(given),
    "Game(seed)": lambda given: Game(RULES, given),
    "Game.step": lambda given: Game(RULES).step(given),
    "from_deal(upcard)": lambda given: Game.from_deal(RULES, 0, ["2S", "3S", "4S"], given),
    "from_deal(scores)": lambda given: Game.from_deal(RULES, 0, ["2S", "3S", "4S"], "5S", given),
    "from_deal(hands)": lambda given: Game.from_deal(RULES, 0, given, "5S"),
    "scene": lambda given: Game(RULES).scene(given),
    "Games(rules)": lambda given: Games(given, 1),
    "Games(seed)": lambda given: Games(RULES, 1, given),
    "Games.step": lambda given: Games(RULES, 1).step(given),
    "Games.view": lambda given: Games(RULES, 1).view(given),
    "action_id": action_id,
    "action_name": action_name,
    "card_id": card_id,
    "wizard_v0": lambda given: wizard_v0.env(reward=given),
    "WizardEnv(seat)": lambda given: WizardEnv(seat=given),
    "WizardEnv.reset": lambda given: WizardEnv().reset(seed=given),
    "WizardVectorEnv.reset": lambda given: WizardVectorEnv().reset(options={"reset_mask": given}),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
@pytest.mark.parametrize("taker", TAKERS)
def test_a_refusal_is_short(taker: str, given: Any) -> None:
    """Every argument that is refused is quoted by its beginning alone."""
    with pytest.raises((ValueError, TypeError)) as refusal:
        TAKERS[taker](given)
    assert len(str(refusal.value)) < SHORTEST


@pytest.mark.parametrize("text", [LONG, f"dealer={LONG}", f"{LONG}=1", f"players=3 dealer=0 hands={LONG}"])
def test_a_position_or_record_is_refused_shortly(text: str) -> None:
    for read in (parse_position, replay):
        with pytest.raises(ValueError, match=r"position|record|hands|dealer|whole|JSON") as refusal:
            read(text)
        assert len(str(refusal.value)) < SHORTEST


def test_a_changed_key_is_refused_shortly() -> None:
    with pytest.raises(ValueError, match="is not of the form") as refusal:
        apply_changes({}, [LONG])
    assert len(str(refusal.value)) < SHORTEST


def test_what_cannot_be_written_out_is_named_by_its_type() -> None:
    assert quoted(nested(100_000)) == "a value of type list, too large to show"
    assert quoted(HUGE) == "a value of type int, too large to show"
    assert quoted(np.zeros(3)) == "array([0., 0., 0.])"
