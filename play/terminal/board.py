"""The table and the score pad as lines of text, in the language in use."""

from collections.abc import Iterator, Sequence

from wizard_env.play.language.terms import card_text, rules_text, seat_text, suit_name
from wizard_env.play.language.translation import t, tn
from wizard_env.render.ansi import SUIT_SYMBOLS
from wizard_env.render.colors import ANSI_CODES
from wizard_env.render.scene import Scene, Seat

_ACTING, _FAINT = "1;7", "2"
_ACTS, _DEALS = ">", "D"
_WIDTH = 80
"""Columns that the score pad may take."""
_LONGEST_LABEL = 11
"""Characters of a name over a column of the score pad."""


class Board:
    """Writes what an observer sees of a game."""

    def __init__(self, scene: Scene, names: Sequence[str], color: bool = False) -> None:
        """Choose what to write.

        Args:
            scene: the game.
            names: the name of each seat.
            color: add ANSI colours.
        """
        self._scene = scene
        self._names = names
        self._color = color

    def lines(self) -> Iterator[str]:
        """The rules, the round, a line per seat, and the trick or what the game waits for."""
        scene = self._scene
        players = tn("{count} player", "{count} players", scene.rules.num_players)
        yield f"Wizard, {players}, {rules_text(scene.rules)}"
        yield ", ".join([round_text(scene), self._deal(), self._trump()])
        yield ""
        yield from self._seat_lines()
        yield ""
        yield self._moment()

    def pad_lines(self) -> Iterator[str]:
        """The score pad: a line per finished round, and the sums. Seats that find no room stand below."""
        scene = self._scene
        yield t("Score pad: tricks won / bid, points")
        rounds = [[t("round"), *(str(number) for number, _ in scene.pad), ""]]
        rounds.append([t("cards"), *(str(scored.hand_size) for _, scored in scene.pad), ""])
        trumps = ("-" if scored.trump is None else SUIT_SYMBOLS[scored.trump] for _, scored in scene.pad)
        rounds.append([t("trump"), *trumps, t("sum")])
        block = list(rounds)
        for seat in scene.seats:
            column = self._pad_column(seat)
            if len(_row([max(one, key=len) for one in (*block, column)])) > _WIDTH:
                yield from self._pad_block(block)
                block = list(rounds)
            block.append(column)
        yield from self._pad_block(block)

    def _pad_column(self, seat: Seat) -> list[str]:
        """Return a seat's score, under its name or, if that is long, its number."""
        number, name = seat.number, self._names[seat.number]
        rounds = [scored for _, scored in self._scene.pad]
        cells = [f"{one.tricks_won[number]}/{one.bids[number]} {one.points[number]:>+4}" for one in rounds]
        return [name if len(name) <= _LONGEST_LABEL else seat_text(number), *cells, str(seat.score)]

    def _pad_block(self, columns: Sequence[Sequence[str]]) -> Iterator[str]:
        widths = [max(map(len, column)) for column in columns]
        heading, *rows = (_row(cells, widths) for cells in zip(*columns, strict=True))
        yield self._paint(heading, _FAINT)
        yield from rows

    def _deal(self) -> str:
        scene = self._scene
        dealer = t("dealer: {name}", name=self._names[scene.dealer])
        upcard = t("no upcard")
        if scene.upcard is not None:
            upcard = t("upcard {card}", card=self._card(scene.upcard))
        return f"{dealer}, {upcard}"

    def _trump(self) -> str:
        if self._scene.phase == "trump":
            return t("trump not named yet")
        trump = self._scene.trump
        return t("no trump") if trump is None else t("trump {suit}", suit=self._suit(trump))

    def _seat_lines(self) -> Iterator[str]:
        headings = [t("score"), t("bid"), t("won")]
        width = max(map(len, self._names))
        widths = [len(heading) for heading in headings]
        yield self._paint(f"    {'':{width}}  {_row(headings, widths)}  {t('hand')}", _FAINT)
        for seat in self._scene.seats:
            numbers = _row([str(seat.score), seat.bid_text, str(seat.tricks_won)], widths)
            marks = f"{_ACTS if seat.acts else ' '} {_DEALS if seat.deals else ' '}"
            line = f"{marks} {self._names[seat.number]:{width}}  {numbers}"
            yield f"{self._paint(line, _ACTING) if seat.acts else line}  {self._hand(seat)}"

    def _hand(self, seat: Seat) -> str:
        if seat.hand is None:
            return tn("{count} card", "{count} cards", seat.cards_held)
        return " ".join(map(self._card, seat.hand)) or "-"

    def _moment(self) -> str:
        scene = self._scene
        if scene.phase == "over":
            return result_text(scene, self._names)
        if scene.phase == "scored":
            return t("The round is over.")
        acting = next(self._names[seat.number] for seat in scene.seats if seat.acts)
        if scene.phase == "trump":
            return t("To name the trump: {name}", name=acting)
        if scene.phase == "bid":
            return t("To bid: {name}", name=acting)
        if scene.winning is None:
            return t("To lead: {name}", name=acting)
        cards = ", ".join(f"{self._names[seat]} {self._card(card)}" for seat, card in scene.trick)
        led = t("no suit led")
        if scene.led_suit is not None:
            led = t("led suit {suit}", suit=self._suit(scene.led_suit))
        winning = t("winning: {name}", name=self._names[scene.trick[scene.winning][0]])
        return f"{t('Trick: {cards}', cards=cards)}; {led}; {winning}"

    def _card(self, card: str) -> str:
        return self._paint(card_text(card), ANSI_CODES[card if card in ANSI_CODES else card[1]])

    def _suit(self, suit: str) -> str:
        return self._paint(f"{SUIT_SYMBOLS[suit]} {suit_name(suit)}", ANSI_CODES[suit])

    def _paint(self, words: str, code: str) -> str:
        return f"\x1b[{code}m{words}\x1b[0m" if self._color else words


def round_text(scene: Scene) -> str:
    """Which round it is, and how many cards each seat was dealt."""
    number = t("Round {number} of {total}", number=scene.round_number, total=scene.num_rounds)
    return f"{number}: {tn('{count} card each', '{count} cards each', scene.hand_size)}"


def result_text(scene: Scene, names: Sequence[str]) -> str:
    """Who won the game, and with how many points."""
    points = scene.seats[scene.winners[0]].score
    winners = ", ".join(names[seat] for seat in scene.winners)
    return tn(
        "Game over. Winner, with {points} points: {names}",
        "Game over. Winners, with {points} points each: {names}",
        len(scene.winners),
        points=points,
        names=winners,
    )


def _row(cells: Sequence[str], widths: Sequence[int] | None = None) -> str:
    return "  ".join(cell.rjust(width) for cell, width in zip(cells, widths or map(len, cells), strict=True))
