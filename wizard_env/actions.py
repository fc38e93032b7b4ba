"""All actions: 21 bids, 4 trumps and 54 plays, the same for any number of players."""

from enum import Enum, auto

from wizard_env.cards import CARD_NAMES, NUM_KINDS, NUM_SUITS, SUITS
from wizard_env.checks import is_integer, quoted

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


class Refusal(Enum):
    """Reason why an action is illegal."""

    GAME_OVER = auto()
    ROUND_OVER = auto()
    UNKNOWN = auto()
    """No action has this id."""
    NOT_A_TRUMP = auto()
    """The dealer names the trump."""
    NOT_A_BID = auto()
    """The seat bids, from 0 up to the hand size."""
    FORBIDDEN_BID = auto()
    """The bid restriction forbids the dealer this bid."""
    NOT_A_CARD = auto()
    """The seat plays a card."""
    NOT_HELD = auto()
    """The seat does not hold this card."""
    MUST_FOLLOW = auto()
    """The seat holds a card of the led suit."""


class IllegalAction(ValueError):  # noqa: N818 - the name is part of the public contract
    """The rules do not allow this action here; the game is unchanged.

    reason: a Refusal; None if the text names no action at all.
    """

    def __init__(self, message: str, reason: Refusal | None = None) -> None:
        super().__init__(message)
        self.reason = reason


def action_name(action: int) -> str:
    """Return the name of an action id, as in "bid 3", "trump H" or "play TS". Raises ValueError."""
    if not is_integer(action) or not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"unknown action {quoted(action)}: ids run from 0 to {NUM_ACTIONS - 1}")
    return ACTIONS[int(action)]


def action_id(name: str) -> int:
    """Return the id of an action name. Raises ValueError."""
    try:
        return _ACTION_IDS[name]
    except (KeyError, TypeError):
        raise ValueError(
            f'unknown action {quoted(name)}: an action is "bid 0" to "bid {MAX_BID}", "trump" with a suit of '
            f'{SUITS}, or "play" with a card, as in "play TS" or "play WI"'
        ) from None
