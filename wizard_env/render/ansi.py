"""A scene as lines of text."""

from collections.abc import Iterator, Sequence

from wizard_env.render.colors import ANSI_CODES
from wizard_env.render.scene import Scene, Seat
from wizard_env.words import SUIT_SYMBOLS, count_cards, rules_text, suit_name

_ACTING, _FAINT = "1;7", "2"
_ACTS, _DEALS = ">", "D"
_PAD_WIDTH = 10
"""Characters of a seat's column in the score pad."""


def text(scene: Scene, color: bool = False, names: Sequence[str] | None = None) -> str:
    """Draw a scene, as `Game.scene` returns it, and its score pad.

    color: add ANSI colours and suit symbols; without them, cards are named as in actions.
    names: of the seats; by default their numbers from 0.
    """
    drawing = SceneText(scene, names, color)
    pad = ["", *drawing.pad_lines()] if scene.pad else []
    return "\n".join([*drawing.lines(), *pad])


class SceneText:
    """A scene as lines of text, in English; a subclass may override the words."""

    def __init__(self, scene: Scene, names: Sequence[str] | None, color: bool = False) -> None:
        self.scene = scene
        self.names = names or [f"seat {seat.number}" for seat in scene.seats]
        self.color = color
        self._named = names is not None

    def lines(self) -> Iterator[str]:
        """Yield the rules, the round, a line per seat, and the trick or what the game waits for."""
        yield self.rules_text()
        yield ", ".join([self.round_text(), self.dealer_text(), self.upcard_text(), self.trump_text()])
        yield ""
        yield from self._seat_lines()
        yield ""
        yield self._moment()

    def pad_lines(self) -> Iterator[str]:
        """Yield the score pad, with a line per finished round, and each seat's probability of winning."""
        pad = self.scene.pad
        columns = [["round", *(str(number) for number, _ in pad), ""]]
        columns.append(["cards", *(str(scored.hand_size) for _, scored in pad), ""])
        trumps = [scored.trump or "-" for _, scored in pad]
        symbols = (SUIT_SYMBOLS.get(one, one) if self.color else one for one in trumps)
        columns.append(["trump", *symbols, "to win"])
        for seat, name in zip(self.scene.seats, self.names, strict=True):
            number = seat.number
            cells = (f"{one.tricks_won[number]}/{one.bids[number]} {one.points[number]:>4}" for _, one in pad)
            columns.append([name.rjust(_PAD_WIDTH), *cells, f"{seat.win_probability:.0%}"])
        yield "Score pad: tricks won / bid, points"
        yield from self.align(columns)

    def align(self, columns: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield the lines of some columns, headings first."""
        widths = [max(map(len, column)) for column in columns]
        heading, *rows = (_row(cells, widths) for cells in zip(*columns, strict=True))
        yield self.paint(heading, _FAINT)
        yield from rows

    def _seat_lines(self) -> Iterator[str]:
        label, *headings, hand = self.headings()
        labels = self.seat_labels()
        width = max(map(len, [label, *labels]))
        widths = list(map(len, headings))
        yield self.paint(f"    {label:{width}}  {_row(headings, widths)}  {hand}", _FAINT)
        for seat in self.scene.seats:
            marks = f"{_ACTS if seat.acts else ' '} {_DEALS if seat.deals else ' '}"
            numbers = _row([str(seat.score), seat.bid_text, str(seat.tricks_won)], widths)
            line = f"{marks} {labels[seat.number]:{width}}  {numbers}"
            yield f"{self.paint(line, _ACTING) if seat.acts else line}  {self._hand(seat)}"

    def _hand(self, seat: Seat) -> str:
        if seat.hand is None:
            return self.cards_text(seat.cards_held)
        return " ".join(map(self.card, seat.hand)) or "-"

    def _moment(self) -> str:
        """Return the trick on the table, or what the game is waiting for."""
        scene = self.scene
        if scene.phase == "over":
            return self.result_text()
        if scene.winning is None:
            acting = [self.names[seat.number] for seat in scene.seats if seat.acts]
            return self.waiting_text(*acting)
        cards = ", ".join(f"{self.names[seat]} {self.card(card)}" for seat, card in scene.trick)
        return self.trick_text(cards, self.names[scene.trick[scene.winning][0]])

    def card(self, card: str) -> str:
        return self.paint(self.card_text(card), ANSI_CODES[card if card in ANSI_CODES else card[1]])

    def suit(self, suit: str) -> str:
        return self.paint(self.suit_text(suit), ANSI_CODES[suit])

    def paint(self, words: str, code: str) -> str:
        """Colour words by an ANSI code, if colours are shown."""
        return f"\x1b[{code}m{words}\x1b[0m" if self.color else words

    # --- words

    def headings(self) -> Sequence[str]:
        """Return the headings of the lines of seats: name, score, bid, tricks won, hand."""
        return "seat", "score", "bid", "won", "hand"

    def seat_labels(self) -> Sequence[str]:
        return self.names if self._named else [f"{seat.number:>4}" for seat in self.scene.seats]

    def rules_text(self) -> str:
        scene = self.scene
        seen_by = "" if scene.observer is None else f"; seen by {self.names[scene.observer]}"
        return f"Wizard, {scene.rules.num_players} players, {rules_text(scene.rules)}{seen_by}"

    def round_text(self) -> str:
        scene = self.scene
        return f"Round {scene.round_number} of {scene.num_rounds}: {count_cards(scene.hand_size)} each"

    def dealer_text(self) -> str:
        return f"{self.names[self.scene.dealer]} deals"

    def upcard_text(self) -> str:
        return "no upcard" if self.scene.upcard is None else f"upcard {self.card(self.scene.upcard)}"

    def trump_text(self) -> str:
        if self.scene.phase == "trump":
            return "trump not named yet"
        return "no trump" if self.scene.trump is None else f"trump {self.suit(self.scene.trump)}"

    def waiting_text(self, acting: str = "") -> str:
        """Return what the game waits for. acting: the name of the seat that acts, if one does."""
        if self.scene.phase == "scored":
            return "The round is over"
        doing = {
            "trump": "turned up a Wizard and names the trump",
            "bid": "bids",
            "play": "leads to the trick",
        }
        return f"{acting.capitalize()} {doing[self.scene.phase]}"

    def trick_text(self, cards: str, winning: str) -> str:
        """Return the trick, from its cards with their seats and the name of the winning seat."""
        led_suit = self.scene.led_suit
        led = "no suit to follow" if led_suit is None else f"{self.suit(led_suit)} led"
        return f"Trick: {cards}; {led}, {winning} wins so far"

    def result_text(self) -> str:
        winners = self.scene.winners
        points = self.scene.seats[winners[0]].score
        if len(winners) == 1:
            return f"Game over: seat {winners[0]} wins with {points} points"
        return f"Game over: seats {', '.join(map(str, winners))} share the win with {points} points"

    def cards_text(self, count: int) -> str:
        return count_cards(count)

    def card_text(self, card: str) -> str:
        return f"{card[0]}{SUIT_SYMBOLS[card[1]]}" if self.color and card not in ANSI_CODES else card

    def suit_text(self, suit: str) -> str:
        return f"{SUIT_SYMBOLS[suit]} {suit_name(suit)}" if self.color else suit_name(suit)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return cells side by side, each at the right of its column."""
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
