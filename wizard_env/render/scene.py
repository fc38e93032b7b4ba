"""Scene: all that one observer may see of a game, for text and pictures alike."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from wizard_env.checks import quoted
from wizard_env.engine import bid_is_visible, cards_left
from wizard_env.history.finished import count_finished
from wizard_env.observation.readable import Round
from wizard_env.rules import Rules
from wizard_env.win_probability import rounds_from, win_probability

if TYPE_CHECKING:
    from wizard_env.game import Game


@dataclass(frozen=True)
class Seat:
    """A seat as the observer sees it."""

    number: int
    score: int
    win_probability: float
    """Of the game, by the scores and the rounds that are not over, see `win_probability`."""
    bid: int | None
    """None if none was made, or if it is hidden."""
    bid_is_hidden: bool
    tricks_won: int
    hand: tuple[str, ...] | None
    """None if the observer may not see it."""
    cards_held: int
    deals: bool
    acts: bool

    @property
    def bid_text(self) -> str:
        """The bid, "?" if it is hidden, or "-" if none was made."""
        if self.bid_is_hidden:
            return "?"
        return "-" if self.bid is None else str(self.bid)


@dataclass(frozen=True)
class Scene:
    """A game as one observer sees it, independent of all that the observer may not know."""

    rules: Rules
    observer: int | None
    """None sees everything."""
    phase: str
    round_number: int
    num_rounds: int
    hand_size: int
    dealer: int
    upcard: str | None
    trump: str | None
    led_suit: str | None
    trick: tuple[tuple[int, str], ...]
    """The seat and the card, in the order of play."""
    winning: int | None
    """The index in the trick of the card that is winning."""
    seats: tuple[Seat, ...]
    pad: tuple[tuple[int, Round], ...]
    """The finished rounds, each with its number."""
    winners: tuple[int, ...]

    @classmethod
    def of(cls, game: "Game", observer: int | None = None) -> Self:
        """Return what a seat may see of a game, or everything if `observer` is None.

        Raises ValueError if there is no such seat.
        """
        rules, pad = game.rules, game.pad
        players = rules.num_players
        if observer is not None and observer not in range(players):
            raise ValueError(f"observer={quoted(observer)}: allowed are None and seats 0 to {players - 1}")
        state = game.state
        phase, trick = game.phase, tuple(game.trick)
        hands, bids, scores, tricks_won = game.hands, game.bids, game.scores, game.tricks_won
        rounds_left = rounds_from(state["hand_sizes"], count_finished(state))[0]
        chances = win_probability(scores, rounds_left).tolist()

        def seat(number: int) -> Seat:
            shown = observer is None or bool(bid_is_visible(state[0], observer, number))
            return Seat(
                number=number,
                score=scores[number],
                win_probability=chances[number],
                bid=bids[number] if shown else None,
                bid_is_hidden=bids[number] is not None and not shown,
                tricks_won=tricks_won[number],
                hand=tuple(hands[number]) if observer in (None, number) else None,
                cards_held=int(cards_left(state[0], number)),
                deals=number == game.dealer,
                acts=number == game.seat,
            )

        return cls(
            rules=rules,
            observer=observer,
            phase=phase,
            round_number=game.round_number,
            num_rounds=game.num_rounds,
            hand_size=game.hand_size,
            dealer=game.dealer,
            upcard=game.upcard,
            trump=game.trump,
            led_suit=game.led_suit,
            trick=trick,
            winning=[seat for seat, _ in trick].index(int(state["best_seat"][0])) if trick else None,
            seats=tuple(seat(number) for number in range(players)),
            pad=tuple(enumerate(pad, start=game.round_number - len(pad) + (phase == "over"))),
            winners=tuple(game.winners),
        )
