"""The table and the score pad as lines of text, in the language in use."""

from collections.abc import Iterator, Sequence

from wizard_env.render.ansi import SceneText
from wizard_env.render.scene import Seat
from wizard_env.words import SUIT_SYMBOLS, card_text, rules_text, seat_text, suit_name
from wizard_table.translation import t

_WIDTH = 80
"""Columns that the score pad may take."""
_LONGEST_LABEL = 11
"""Characters of a name over a column of the score pad."""


class Board(SceneText):
    """A scene as lines of text."""

    def pad_lines(self) -> Iterator[str]:
        """Yield the score pad: a line per finished round, the sums, and each seat's probability of winning.

        Seats that do not fit come below.
        """
        pad = self.scene.pad
        rounds = [[t("round"), *(str(number) for number, _ in pad), "", ""]]
        rounds.append([t("cards"), *(str(scored.hand_size) for _, scored in pad), "", ""])
        trumps = ("-" if scored.trump is None else SUIT_SYMBOLS[scored.trump] for _, scored in pad)
        rounds.append([t("trump"), *trumps, t("sum"), t("chance to win")])
        yield t("Score pad: tricks won / bid, points")
        block = list(rounds)
        for seat in self.scene.seats:
            column = self._pad_column(seat)
            if len("  ".join(max(one, key=len) for one in (*block, column))) > _WIDTH:
                yield from self.align(block)
                block = list(rounds)
            block.append(column)
        yield from self.align(block)

    def _pad_column(self, seat: Seat) -> list[str]:
        """Return a seat's score, under its name or, if that is long, its number."""
        number, name = seat.number, self.names[seat.number]
        rounds = [scored for _, scored in self.scene.pad]
        cells = [f"{one.tricks_won[number]}/{one.bids[number]} {one.points[number]:>+4}" for one in rounds]
        label = name if len(name) <= _LONGEST_LABEL else seat_text(number, t)
        return [label, *cells, str(seat.score), f"{seat.win_probability:.0%}"]

    def headings(self) -> Sequence[str]:
        return "", t("score"), t("bid"), t("won"), t("hand")

    def seat_labels(self) -> Sequence[str]:
        return self.names

    def rules_text(self) -> str:
        players = t("{count} player", "{count} players", count=self.scene.rules.num_players)
        return f"Wizard, {players}, {rules_text(self.scene.rules, t)}"

    def round_text(self) -> str:
        scene = self.scene
        number = t("Round {number} of {total}", number=scene.round_number, total=scene.num_rounds)
        return f"{number}: {t('{count} card each', '{count} cards each', count=scene.hand_size)}"

    def dealer_text(self) -> str:
        return t("dealer: {name}", name=self.names[self.scene.dealer])

    def upcard_text(self) -> str:
        upcard = self.scene.upcard
        return t("no upcard") if upcard is None else t("upcard {card}", card=self.card(upcard))

    def trump_text(self) -> str:
        if self.scene.phase == "trump":
            return t("trump not named yet")
        trump = self.scene.trump
        return t("no trump") if trump is None else t("trump {suit}", suit=self.suit(trump))

    def waiting_text(self, acting: str = "") -> str:
        if self.scene.phase == "scored":
            return t("The round is over.")
        if self.scene.phase == "trump":
            return t("To name the trump: {name}", name=acting)
        if self.scene.phase == "bid":
            return t("To bid: {name}", name=acting)
        return t("To lead: {name}", name=acting)

    def trick_text(self, cards: str, winning: str) -> str:
        led = t("no suit led")
        if self.scene.led_suit is not None:
            led = t("led suit {suit}", suit=self.suit(self.scene.led_suit))
        return f"{t('Trick: {cards}', cards=cards)}; {led}; {t('winning: {name}', name=winning)}"

    def result_text(self) -> str:
        winners = self.scene.winners
        return t(
            "Game over. Winner, with {points} points: {names}",
            "Game over. Winners, with {points} points each: {names}",
            count=len(winners),
            points=self.scene.seats[winners[0]].score,
            names=", ".join(self.names[seat] for seat in winners),
        )

    def cards_text(self, count: int) -> str:
        return t("{count} card", "{count} cards", count=count)

    def card_text(self, card: str) -> str:
        return card_text(card)

    def suit_text(self, suit: str) -> str:
        return f"{SUIT_SYMBOLS[suit]} {suit_name(suit, t)}"
