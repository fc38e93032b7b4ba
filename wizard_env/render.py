"""What people see: the table as text, as an image, and in a window.

Everything is drawn from a Scene, which holds nothing that the observer may not know.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.cards import SUITS
from wizard_env.game import Game, Round
from wizard_env.scene import Scene, Seat, cards_text, look, rules_text

SUIT_NAMES = dict(zip(SUITS, ("spades", "hearts", "diamonds", "clubs"), strict=True))
SUIT_SYMBOLS = dict(zip(SUITS, "♠♥♦♣", strict=True))
_SUIT_COLORS = dict(zip(SUITS, ("1;34", "31", "33", "32"), strict=True))
_SPECIAL_COLORS = {"WI": "1;35", "JE": "1;36"}
_ACTING = "1;7"
_FAINT = "2"
_MARKER, _DEALER = ">", "D"

DEFAULT_WIDTH = 1000
DEFAULT_HEIGHT = 700


def text(game: Game, observer: int | None = None, color: bool = False) -> str:
    """The table and the score pad.

    Args:
        game: what to show.
        observer: the seat that looks; others' hands and hidden bids are left out. None shows all.
        color: add ANSI colours and suit symbols; without, cards are called as in actions.

    Raises:
        ValueError: nobody sits at the seat `observer`.
    """
    return "\n".join(_Writer(color).lines(look(game, observer)))


def image(
    game: Game,
    observer: int | None = None,
    width: int = DEFAULT_WIDTH,
    height: int = DEFAULT_HEIGHT,
) -> NDArray[np.uint8]:
    """A picture of the table, drawn off screen: uint8 [height, width, 3].

    Args:
        game: what to show.
        observer: the seat at the bottom; others' hands and hidden bids are left out. None shows all,
            from seat 0.
        width, height: in pixels, at least 400 by 280.

    Raises:
        ImportError: pygame is not installed.
        ValueError: nobody sits at the seat `observer`, or the picture would be too small.
    """
    picture: NDArray[np.uint8] = _painter().paint(look(game, observer), width, height)
    return picture


class Window:
    """A window for images of the table. Made when the first image is shown."""

    def __init__(self, title: str = "Wizard", images_per_second: int = 0) -> None:
        """Set up, without opening anything yet.

        Args:
            title: what the window is called.
            images_per_second: how fast `show` may be called before it waits; 0 never waits.

        Raises:
            ImportError: pygame is not installed.
        """
        self._screen: Any = _painter().Screen(title, images_per_second)

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen; False before the first image and once it was closed."""
        return bool(self._screen.is_open)

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show an image and answer the window's events. Does nothing once somebody has closed it.

        picture: uint8 [height, width, 3]; the window takes its size.
        """
        self._screen.show(picture)

    def close(self) -> None:
        """Take the window off the screen, for good; may be called again."""
        self._screen.close()


def _painter() -> Any:
    """The module that draws, which needs pygame."""
    try:
        from wizard_env import painter
    except ModuleNotFoundError as missing:
        if missing.name != "pygame":
            raise
        raise ImportError(
            "images of the table are drawn with pygame-ce, which is not installed: "
            'pip install "wizard-env[render]"'
        ) from missing
    return painter


class _Writer:
    """Writes a scene as lines of text."""

    def __init__(self, color: bool) -> None:
        self._color = color

    def lines(self, scene: Scene) -> list[str]:
        lines = [_rules_line(scene), self._round_line(scene), "", *self._seat_lines(scene)]
        lines += ["", self._moment(scene)]
        if scene.pad:
            lines += ["", *self._pad_lines(scene)]
        return lines

    def _round_line(self, scene: Scene) -> str:
        upcard = "no upcard" if scene.upcard is None else f"upcard {self._card(scene.upcard)}"
        return (
            f"Round {scene.round_number} of {scene.num_rounds}: {cards_text(scene.hand_size)} each, "
            f"seat {scene.dealer} deals, {upcard}, {self._trump(scene)}"
        )

    def _trump(self, scene: Scene) -> str:
        if scene.phase == "trump":
            return "trump not named yet"
        return "no trump" if scene.trump is None else f"trump {self._suit(scene.trump)}"

    def _seat_lines(self, scene: Scene) -> list[str]:
        return [self._paint("    seat  score  bid  won  hand", _FAINT), *map(self._seat_line, scene.seats)]

    def _seat_line(self, seat: Seat) -> str:
        marker = _MARKER if seat.acts else " "
        dealer = _DEALER if seat.deals else " "
        numbers = f"{marker} {dealer} {seat.number:>4}  {seat.score:>5}  {seat.bid_text:>3}  "
        numbers += f"{seat.tricks_won:>3}"
        if seat.hand is None:
            hand = cards_text(seat.cards_held)
        else:
            hand = " ".join(map(self._card, seat.hand)) or "-"
        return f"{self._paint(numbers, _ACTING) if seat.acts else numbers}  {hand}"

    def _moment(self, scene: Scene) -> str:
        """What lies on the table, or what the table waits for."""
        if scene.phase == "over":
            return _result(scene)
        if scene.phase == "scored":
            return "The round is over"
        if scene.phase == "trump":
            return f"Seat {scene.dealer} turned up a Wizard and names the trump"
        if scene.phase == "bid":
            return f"Seat {_acting(scene)} bids"
        if scene.winning is None:
            return f"Seat {_acting(scene)} leads to the trick"
        cards = ", ".join(f"seat {seat} {self._card(card)}" for seat, card in scene.trick)
        led = "no suit to follow" if scene.led_suit is None else f"{self._suit(scene.led_suit)} led"
        return f"Trick: {cards}; {led}, seat {scene.trick[scene.winning][0]} wins so far"

    def _pad_lines(self, scene: Scene) -> list[str]:
        names = "".join(f"seat {seat.number}".rjust(12) for seat in scene.seats)
        return [
            "Score pad: tricks won / bid, points",
            self._paint(f"round  cards  trump{names}", _FAINT),
            *(self._pad_line(number, scored) for number, scored in scene.pad),
        ]

    def _pad_line(self, number: int, scored: Round) -> str:
        trump = "    -" if scored.trump is None else "    " + self._suit_mark(scored.trump)
        columns = zip(scored.tricks_won, scored.bids, scored.points, strict=True)
        cells = "".join(f"{won}/{bid} {points:>4}".rjust(12) for won, bid, points in columns)
        return f"{number:>5}  {scored.hand_size:>5}  {trump}{cells}"

    def _card(self, card: str) -> str:
        if card in _SPECIAL_COLORS:
            return self._paint(card, _SPECIAL_COLORS[card])
        rank, suit = card[0], card[1]
        return self._paint(rank + SUIT_SYMBOLS[suit], _SUIT_COLORS[suit]) if self._color else card

    def _suit(self, suit: str) -> str:
        if self._color:
            return self._paint(f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES[suit]}", _SUIT_COLORS[suit])
        return SUIT_NAMES[suit]

    def _suit_mark(self, suit: str) -> str:
        return self._paint(SUIT_SYMBOLS[suit], _SUIT_COLORS[suit]) if self._color else suit

    def _paint(self, words: str, code: str) -> str:
        return f"\x1b[{code}m{words}\x1b[0m" if self._color else words


def _rules_line(scene: Scene) -> str:
    seen_by = "" if scene.observer is None else f"; seen by seat {scene.observer}"
    return f"Wizard, {scene.rules.num_players} players, {rules_text(scene.rules)}{seen_by}"


def _acting(scene: Scene) -> int:
    return next(seat.number for seat in scene.seats if seat.acts)


def _result(scene: Scene) -> str:
    points = scene.seats[scene.winners[0]].score
    if len(scene.winners) == 1:
        return f"Game over: seat {scene.winners[0]} wins with {points} points"
    return f"Game over: seats {', '.join(map(str, scene.winners))} share the win with {points} points"
