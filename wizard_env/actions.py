"""All actions: 21 bids, 4 trumps and 54 plays, the same for any number of players."""

from wizard_env.cards import CARD_NAMES, NUM_KINDS, NUM_SUITS, SUITS
from wizard_env.checks import is_integer

MAX_BID = 20
FIRST_BID = 0
FIRST_TRUMP = FIRST_BID + MAX_BID + 1
FIRST_PLAY = FIRST_TRUMP + NUM_SUITS
NUM_ACTIONS = FIRST_PLAY + NUM_KINDS

ACTIONS = (
    *(f"bid {bid}" for bid in range(MAX_BID + 1)),
    *(f"trump {suit}" for suit in SUITS),
    *(f"play {card}" for card in CARD_NAMES),
)
"""The name of every action, in the order of the ids."""

_ACTION_IDS = {name: action for action, name in enumerate(ACTIONS)}


class IllegalAction(ValueError):  # noqa: N818 - the name is part of the public contract
    """The rules do not allow this action here; the game is unchanged."""


def action_name(action: int) -> str:
    """The name of an action id, as in "bid 3", "trump H" or "play TS". Raises ValueError."""
    if not is_integer(action) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"unknown action {action!r}: ids run from 0 to {NUM_ACTIONS - 1}")
    return ACTIONS[int(action)]


def action_id(name: str) -> int:
    """The id of an action name. Raises ValueError."""
    try:
        return _ACTION_IDS[name]
    except (KeyError, TypeError):
        raise ValueError(
            f'unknown action {name!r}: an action is "bid 0" to "bid {MAX_BID}", "trump" with a suit of '
            f'{SUITS}, or "play" with a card, as in "play TS" or "play WI"'
        ) from None
