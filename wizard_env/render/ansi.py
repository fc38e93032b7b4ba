"""The table as text, drawn from a Scene."""

from wizard_env.cards import SUITS
from wizard_env.readable import Round
from wizard_env.render.colors import ANSI_CODES
from wizard_env.render.scene import Scene, Seat, cards_text, rules_text

SUIT_NAMES = dict(zip(SUITS, ("spades", "hearts", "diamonds", "clubs"), strict=True))
SUIT_SYMBOLS = dict(zip(SUITS, "♠♥♦♣", strict=True))
_ACTING = "1;7"
_FAINT = "2"
_MARKER, _DEALER = ">", "D"


def text(scene: Scene, color: bool = False) -> str:
    """The table and the score pad.

    Args:
        scene: what to show, as `Game.scene` returns it.
        color: add ANSI colours and suit symbols; without them, cards are named as in actions.
    """
    return "\n".join(_Writer(color).lines(scene))


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
        """The trick on the table, or what the game is waiting for."""
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
        if card in ANSI_CODES:
            return self._paint(card, ANSI_CODES[card])
        rank, suit = card[0], card[1]
        return self._paint(rank + SUIT_SYMBOLS[suit], ANSI_CODES[suit]) if self._color else card

    def _suit(self, suit: str) -> str:
        if self._color:
            return self._paint(f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES[suit]}", ANSI_CODES[suit])
        return SUIT_NAMES[suit]

    def _suit_mark(self, suit: str) -> str:
        return self._paint(SUIT_SYMBOLS[suit], ANSI_CODES[suit]) if self._color else suit

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
