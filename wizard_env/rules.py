"""Rules: the options of a game."""

import inspect
from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from typing import Any, Literal, Self, get_args

from wizard_env.cards import DECK_SIZE
from wizard_env.checks import check_choice, check_integer, check_names, quoted

BidRestriction = Literal["free", "no_even", "leader", "canadian"]
BidReveal = Literal["open", "simultaneous", "secret"]
BID_RESTRICTIONS: tuple[str, ...] = get_args(BidRestriction)
BID_REVEALS: tuple[str, ...] = get_args(BidReveal)
NEED_OPEN_BIDS = frozenset(BID_RESTRICTIONS) - {"free"}
"""The restrictions under which the last bidder must know the other bids."""
MIN_PLAYERS = 3
MAX_PLAYERS = 6
MAX_ROUNDS = 60


@dataclass(frozen=True)
class Rules:
    """The options of a game. Immutable, comparable, hashable.

    Raises TypeError for an unknown option or a value of the wrong type, and ValueError for a value
    out of range. Both name the field, the given value and the allowed ones.
    """

    num_players: int = 4
    """Number of players, 3 to 6."""
    bid_restriction: BidRestriction = "free"
    """Bids that the dealer, who bids last, may not make: free (any is allowed), no_even, leader, canadian."""
    bid_reveal: BidReveal = "open"
    """Moment at which the others see a bid: open (at once), simultaneous, secret."""
    magic_edition: bool = False
    """True makes the 2 of the led suit a Magic Wizard."""
    hand_sizes: tuple[int, ...] | None = None
    """The hand size of each round to play, in order; None plays 1 to 60 / num_players."""

    def __new__(cls, *_: Any, **options: Any) -> Self:
        check_names("Rules", options, [field.name for field in fields(cls)])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self._set("num_players", check_integer("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS))
        check_choice("bid_restriction", self.bid_restriction, BID_RESTRICTIONS)
        check_choice("bid_reveal", self.bid_reveal, BID_REVEALS)
        if self.bid_restriction in NEED_OPEN_BIDS and self.bid_reveal != "open":
            raise ValueError(
                f"bid_restriction={self.bid_restriction!r} with bid_reveal={self.bid_reveal!r}: the "
                "last bidder must know the other bids, which needs bid_reveal='open'"
            )
        if not isinstance(self.magic_edition, bool):
            raise TypeError(f"magic_edition={quoted(self.magic_edition)}: allowed are True and False")
        if self.hand_sizes is not None:
            self._set("hand_sizes", _hand_sizes(self.hand_sizes, self.max_hand_size))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def max_hand_size(self) -> int:
        """The largest hand the deck allows: 60 / num_players."""
        return DECK_SIZE // self.num_players

    @property
    def rounds(self) -> tuple[int, ...]:
        """The hand size of every round, in order."""
        return self.hand_sizes or tuple(range(1, self.max_hand_size + 1))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and TOML; `Rules(**rules.to_dict())` equals the rules."""
        options = asdict(self)
        if self.hand_sizes is not None:
            options["hand_sizes"] = list(self.hand_sizes)
        return options


def make_rules(owner: type, num_players: int, options: Mapping[str, Any]) -> Rules:
    """Make the rules of an environment that takes the options of Rules besides others.

    Raises as Rules does; for an unknown name the other arguments are suggested too.
    """
    own = [name for name in inspect.signature(owner).parameters if name != "options"]
    check_names(owner.__name__, options, {*own, *(field.name for field in fields(Rules))})
    return Rules(num_players=num_players, **options)


def prose() -> dict[str, str]:
    """Return the rules as people read them: the sections of docs/rules.md, in Markdown, by their headings."""
    page = files("wizard_env").joinpath("rules.md").read_text(encoding="utf-8")
    sections = (part.partition("\n") for part in page.split("\n## ")[1:])
    return {heading: text.strip() for heading, _, text in sections}


def _hand_sizes(given: Any, largest: int) -> tuple[int, ...]:
    if isinstance(given, str | bytes | Set | Mapping) or not isinstance(given, Iterable):
        needed = "allowed are None or hand sizes, as in (1, 2, 3)"
        raise TypeError(f"hand_sizes={quoted(given)}: {needed}")
    sizes = list(given)
    if not 1 <= len(sizes) <= MAX_ROUNDS:
        raise ValueError(f"hand_sizes has {len(sizes)} rounds: allowed are 1 to {MAX_ROUNDS}")
    return tuple(check_integer(f"hand_sizes[{index}]", size, 1, largest) for index, size in enumerate(sizes))
