"""A game's record as people read it: names for numbers, None for what does not exist."""

from typing import Any, NamedTuple

from wizard_env.cards import CARD_NAMES, SUITS, card_names
from wizard_env.state import NO_CARD, NO_SUIT, NOT_BID, OVER


class Round(NamedTuple):
    """A finished round, as on the score pad; lists are by seat."""

    hand_size: int
    dealer: int
    upcard: str | None
    trump: str | None
    bids: list[int]
    tricks_won: list[int]
    points: list[int]
    plays: tuple[tuple[int, str], ...]
    """All cards in the order of play, each with the seat that played it."""


class ReadableState:
    """One game, hidden cards included; every property reads its current values."""

    state: Any
    """An array of one record of dtype STATE."""

    @property
    def round_number(self) -> int:
        """1 for the first round that is played."""
        return self._number("round_index") + 1

    @property
    def num_rounds(self) -> int:
        return self._number("num_rounds")

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player this round."""
        return self._number("hand_size")

    @property
    def dealer(self) -> int:
        return self._number("dealer")

    @property
    def hands(self) -> list[list[str]]:
        """The cards that each seat holds, sorted by suit and rank."""
        return [card_names(hand) for hand in self._seats("hands")]

    @property
    def upcard(self) -> str | None:
        return upcard_name(self._number("upcard"))

    @property
    def trump(self) -> str | None:
        """The trump suit; None where there is none, or not yet."""
        return suit_name(self._number("trump"))

    @property
    def led_suit(self) -> str | None:
        """The suit to follow; None where there is none."""
        return suit_name(self._number("led_suit"))

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The current trick: (seat, card) in the order of play."""
        leader, cards = self._number("leader"), self._seats("trick")
        order = [*range(leader, len(cards)), *range(leader)]
        return [(seat, CARD_NAMES[cards[seat]]) for seat in order if cards[seat] != NO_CARD]

    @property
    def bids(self) -> list[int | None]:
        """The bid of each seat, hidden or not; None where none was made yet."""
        return [None if bid == NOT_BID else bid for bid in self._seats("bids")]

    @property
    def tricks_won(self) -> list[int]:
        return self._seats("tricks_won")

    @property
    def scores(self) -> list[int]:
        """Points of each seat so far."""
        return self._seats("scores")

    @property
    def winners(self) -> list[int]:
        """The seats with the most points once the game is over; empty before."""
        if self._number("phase") != OVER:
            return []
        scores = self.scores
        return [seat for seat, score in enumerate(scores) if score == max(scores)]

    def _number(self, field: str) -> int:
        return int(self.state[field][0])

    def _seats(self, field: str) -> list[int]:
        values: list[int] = self.state[field][0, : self._number("num_players")].tolist()
        return values


def upcard_name(card: int) -> str | None:
    """Return the name of the card turned up; None if there is none."""
    return None if card == NO_CARD else CARD_NAMES[card]


def suit_name(suit: int) -> str | None:
    """Return the name of a suit; None for UNDECIDED and NO_SUIT."""
    return SUITS[suit] if 0 <= suit < NO_SUIT else None
