"""Game: one game, readable, for people, agents and records."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from operator import index as as_index
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import (
    ACTIONS,
    FIRST_BID,
    FIRST_PLAY,
    NUM_ACTIONS,
    IllegalAction,
    action_id,
)
from wizard_env.cards import (
    CARD_NAMES,
    COPIES,
    DECK_SIZE,
    SUITS,
    card_id,
    card_names,
    pack,
)
from wizard_env.chance import deal_round, draw_for_dealer
from wizard_env.engine import apply, next_round, turn_up
from wizard_env.jit import direct, kernel
from wizard_env.observation import (
    FULL_ROW,
    OBSERVATION_ROW,
    observe,
    write_full_state,
    write_mask,
)
from wizard_env.rules import Rules, check_integer
from wizard_env.state import (
    BID,
    DECK_ORDER,
    MASK_ROW,
    NO_CARD,
    NO_SUIT,
    NOT_BID,
    OPTION_FIELDS,
    OVER,
    PHASES,
    PLAY,
    SCORED,
    STATE,
    TRUMP,
    write_rules,
)
from wizard_env.suits import PRINTED_ORDER

_SEAT_BITS = 3
_SEAT = (1 << _SEAT_BITS) - 1
_ILLEGAL = -1
_UNKNOWN_BEGINNING = (
    "the game is not what its actions lead to: it was begun from a state, or its state was written to"
)
_MAX_SCORE = 10_000
"""Of a given deal: with it the points of the longest game still fit into 16 bits."""

TABLE = np.dtype(
    (
        np.record,
        [
            ("state", STATE),
            ("deck", DECK_ORDER),
            ("observation", OBSERVATION_ROW),
            ("other", OBSERVATION_ROW),
            ("mask", MASK_ROW),
            ("full", FULL_ROW),
        ],
    )
)
"""One game with what is written about it: a single argument keeps calls of kernels short."""


class Round(NamedTuple):
    """A finished round, as on the score pad."""

    hand_size: int
    dealer: int
    trump: str | None
    bids: list[int]
    tricks_won: list[int]
    points: list[int]


class Game:
    """One game of Wizard, dealt and waiting for the seat that acts.

    Seats are 0 to num_players - 1, clockwise. Everything is visible: `game.observe(seat)` and
    `View.of([game])` show what a seat may know.
    """

    def __init__(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Draw for the first dealer and deal the first round.

        Args:
            rules: the options; `Rules()` if None.
            seed: 0 to 2**64 - 1; the same seed gives the same deals, whoever plays.
        """
        self._set_up(rules, seed)
        _draw(self._table)
        deck = self._table["deck"][0]
        self._draw = [(int(deck["drawers"][i]), CARD_NAMES[deck["cards"][i]]) for i in range(deck["drawn"])]
        self._note(_deal(self._table))

    @classmethod
    def from_deal(
        cls,
        rules: Rules,
        dealer: int = 0,
        hands: Sequence[str | Sequence[str]] = (),
        upcard: str | None = None,
        scores: Sequence[int] | None = None,
        seed: int = 0,
        round_number: int | None = None,
    ) -> Self:
        """Start from a given deal.

        Args:
            rules: the options.
            dealer: the seat that deals.
            hands: the cards of each seat, as in ["TS WI", "2H JE", ...] or as lists of names.
            upcard: the card turned up; None exactly where no card is left.
            scores: points of each seat so far, in tens; all 0 if None.
            seed: for the deals of the rounds that follow.
            round_number: the round that is dealt, from 1; the first of that hand size if None.

        Raises:
            ValueError: the deal is not possible; the message says why.
        """
        game = cls.__new__(cls)
        game._set_up(rules, seed)
        game._draw = []
        game._lay_out(dealer, [_parse_hand(hand) for hand in hands], upcard, scores, round_number)
        return game

    @classmethod
    def from_state(cls, rules: Rules, states: Any) -> Self:
        """A copy of a game of a batch, to look at and to play on.

        Its score pad, draw and history begin empty, so it has no record (see notation.py).

        states: a record of dtype STATE, or an array of one.

        Raises ValueError if the rules are not those of the state.
        """
        record = np.asarray(states, STATE).reshape(-1)[:1]
        game = cls.__new__(cls)
        game._set_up(rules, int(record["generator"][0]))
        game._draw = []
        for option in OPTION_FIELDS:
            if (game.state[option] != record[option]).any():
                raise ValueError(f"{rules} are not the rules of this state: {option} differs")
        game.state[:] = record
        game._note(_refresh(game._table))
        return game

    def _set_up(self, rules: Rules | None, seed: int) -> None:
        self._rules = Rules() if rules is None else rules
        if not isinstance(self._rules, Rules):
            raise TypeError(f"rules={rules!r}: a Rules object is needed")
        self._seed = check_integer("seed", seed, 0, 2**64 - 1)
        self._adopt(np.zeros(1, TABLE))
        write_rules(self._rules, self.state)
        self.state["generator"] = self._seed
        self.pad: list[Round] = []
        self._history: list[int] = []
        self._start: dict[str, Any] | None = None

    def _adopt(self, table: NDArray[Any]) -> None:
        """Take a table as this game's own, and hold on to what is read most."""
        self._table = table
        self.state = table["state"]
        self.mask_row: NDArray[np.uint8] = table["mask"]["values"][0]
        self.observation_row: NDArray[np.uint8] = table["observation"]["values"][0]

    def _lay_out(
        self,
        dealer: int,
        hands: list[list[int]],
        upcard: str | None,
        scores: Sequence[int] | None,
        round_number: int | None,
    ) -> None:
        players = self._rules.num_players
        dealer = check_integer("dealer", dealer, 0, players - 1)
        if len(hands) != players:
            raise ValueError(f"{len(hands)} hands: {players} players need {players}")
        size = len(hands[0])
        if any(len(hand) != size for hand in hands):
            raise ValueError(f"hands of {[len(hand) for hand in hands]} cards: they must be equal")
        if size not in self._rules.rounds:
            raise ValueError(f"hands of {size} cards: the rounds have {self._rules.rounds}")
        number = self._rules.rounds.index(size) + 1 if round_number is None else round_number
        number = check_integer("round_number", number, 1, self.num_rounds)
        if self._rules.rounds[number - 1] != size:
            raise ValueError(
                f"hands of {size} cards: round {number} is played with {self._rules.rounds[number - 1]}"
            )
        if (upcard is None) != (size * players == DECK_SIZE):
            left = DECK_SIZE - size * players
            raise ValueError(f"upcard={upcard!r}: {left} cards are left after dealing")
        turned = [] if upcard is None else [card_id(upcard)]
        cards = [card for hand in hands for card in hand] + turned
        for card in set(cards):
            if cards.count(card) > COPIES[card]:
                raise ValueError(
                    f"{cards.count(card)} times {CARD_NAMES[card]}: the deck holds {COPIES[card]}"
                )
        points = [0] * players if scores is None else [int(as_index(score)) for score in scores]
        if len(points) != players or any(p % 10 or abs(p) > _MAX_SCORE for p in points):
            raise ValueError(
                f"scores={scores!r}: {players} multiples of 10 from -{_MAX_SCORE} to {_MAX_SCORE} are needed"
            )
        state = self.state[0]
        state["scores"][:players] = points
        state["dealer"] = dealer
        state["leader"] = (dealer + 1) % players
        state["round_index"] = number - 1
        state["hand_size"] = size
        state["hands"][:players] = [pack(hand) for hand in hands]
        self._start = {
            "dealer": int(dealer),
            "hands": [" ".join(card_names(pack(hand))) for hand in hands],
            "upcard": upcard,
            "scores": points,
            "round": number,
        }
        self._note(_turn_up(self._table, turned[0] if turned else NO_CARD))

    def _note(self, code: int) -> None:
        self.phase_code, self.last_seat = code >> _SEAT_BITS, code & _SEAT

    # --- the table, as people read it

    @property
    def rules(self) -> Rules:
        return self._rules

    @property
    def seed(self) -> int:
        """The seed that the game was made with."""
        return self._seed

    @property
    def phase(self) -> str:
        """ "trump", "bid", "play" or "over"; "scored" in a copy of a batch's game that pauses."""
        return PHASES[self.phase_code]

    @property
    def seat(self) -> int | None:
        """The seat that acts now; None when the game is over."""
        return self.last_seat if self.phase_code < SCORED else None

    @property
    def round_number(self) -> int:
        """1 for the first round that is played."""
        return int(self.state["round_index"][0]) + 1

    @property
    def num_rounds(self) -> int:
        return len(self._rules.rounds)

    @property
    def hand_size(self) -> int:
        """Cards dealt to each player this round."""
        return int(self.state["hand_size"][0])

    @property
    def dealer(self) -> int:
        return int(self.state["dealer"][0])

    @property
    def hands(self) -> list[list[str]]:
        """The cards that each seat holds, sorted by suit and rank."""
        return [card_names(hand) for hand in self._seats("hands")]

    @property
    def upcard(self) -> str | None:
        card = int(self.state["upcard"][0])
        return None if card == NO_CARD else CARD_NAMES[card]

    @property
    def trump(self) -> str | None:
        """The trump suit; None where there is none, or not yet."""
        return _suit_name(int(self.state["trump"][0]))

    @property
    def led_suit(self) -> str | None:
        """The suit to follow; None where there is none."""
        return _suit_name(int(self.state["led_suit"][0]))

    @property
    def trick(self) -> list[tuple[int, str]]:
        """The trick on the table: (seat, card) in the order of play."""
        leader, cards = int(self.state["leader"][0]), self._seats("trick")
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
        scores = self.scores
        return [s for s, score in enumerate(scores) if score == max(scores) and self.phase == "over"]

    @property
    def rounds(self) -> list[Round]:
        """The score pad: one entry for each finished round; a copy."""
        return [
            entry._replace(
                bids=list(entry.bids), tricks_won=list(entry.tricks_won), points=list(entry.points)
            )
            for entry in self.pad
        ]

    @property
    def draw(self) -> list[tuple[int, str]]:
        """The draw for the first dealer: (seat, card) in order, redraws included; empty for a given deal."""
        return list(self._draw)

    @property
    def history(self) -> list[int]:
        """The ids of all actions so far."""
        return list(self._history)

    @property
    def start(self) -> dict[str, Any] | None:
        """The deal that `from_deal` was given; None for a game from its seed."""
        return deepcopy(self._start)

    @classmethod
    def begin(cls, rules: Rules, seed: int, start: dict[str, Any] | None) -> Self:
        """A game before its first action, from its seed alone or from a given deal, as `start` returns it."""
        if start is None:
            return cls(rules, seed)
        return cls.from_deal(
            rules,
            start["dealer"],
            start["hands"],
            start["upcard"],
            start["scores"],
            seed,
            start["round"],
        )

    def restart(self) -> Self:
        """This game before its first action, dealt the same cards.

        A copy of a game of a batch has no beginning: it restarts as the game of its seed.
        """
        return self.begin(self._rules, self._seed, self._start)

    def retrace(self) -> Iterator[tuple[Self, int]]:
        """This game before each of its actions, and the action, which is for the caller to take.

        Every time it is the same game, moved on by the caller.

        Raises:
            ValueError: this game is not what its actions lead to, because it was begun by `from_state` or
                its state was written to.
        """
        twin = self.restart()
        for action in self._history:
            if not twin.mask_row[action]:
                raise ValueError(_UNKNOWN_BEGINNING)
            yield twin, action
        if twin != self:
            raise ValueError(_UNKNOWN_BEGINNING)

    def _seats(self, field: str) -> list[int]:
        values: list[int] = self.state[field][0, : self._rules.num_players].tolist()
        return values

    # --- acting

    def legal_mask(self) -> NDArray[np.uint8]:
        """uint8 [NUM_ACTIONS]: 1 for an action that the acting seat may take; a copy."""
        return self.mask_row.copy()

    def legal_actions(self) -> list[int]:
        """The ids of the actions that the acting seat may take, sorted."""
        actions: list[int] = self.mask_row.nonzero()[0].tolist()
        return actions

    def step(self, action: int | str) -> None:
        """Let the acting seat take an action; the step that ends a round scores it and deals the next.

        Args:
            action: an id, or a name as in "bid 3", "trump H" or "play TS".

        Raises:
            IllegalAction: the rules do not allow it; the game is unchanged.
        """
        chosen = action if type(action) is int else self._parse(action)
        try:
            code = _step_direct(self._table, chosen)
        except OverflowError:  # a number beyond 64 bits
            code = _ILLEGAL
        if code == _ILLEGAL:
            raise IllegalAction(self.why_not(chosen))
        self._history.append(chosen)
        self.phase_code = phase = code >> _SEAT_BITS
        self.last_seat = code & _SEAT
        if phase >= SCORED:
            self.pad.append(self._scored_round())
            if phase == SCORED:
                self._note(_deal_next(self._table))

    def _parse(self, action: int | str) -> int:
        if isinstance(action, str):
            try:
                return action_id(action)
            except ValueError as unknown:
                raise IllegalAction(f"seat {self.seat}: {unknown}; {self._legal_text()}") from None
        try:
            if not isinstance(action, bool):
                return as_index(action)
        except TypeError:
            pass
        raise TypeError(f"action={action!r}: an id or a name is needed")

    def _scored_round(self) -> Round:
        return Round(
            hand_size=self.hand_size,
            dealer=self.dealer,
            trump=self.trump,
            bids=self._seats("bids"),
            tricks_won=self.tricks_won,
            points=self._seats("points"),
        )

    def _legal_text(self) -> str:
        names = ", ".join(ACTIONS[action] for action in self.legal_actions())
        where = f"round {self.round_number}"
        if self.phase_code == PLAY:
            where += f", trick {sum(self.tricks_won) + 1}"
        return f"legal: {names} ({where})" if names else "the game is over"

    def why_not(self, action: int) -> str:
        """Why an action is not legal: the seat, the action, the reason, and what is legal."""
        if self.phase_code >= SCORED:
            return f"action {action}: the {'game' if self.phase_code == OVER else 'round'} is over"
        seat = self.last_seat
        if not 0 <= action < NUM_ACTIONS:
            return (
                f"seat {seat} may not take action {action}: ids run from 0 to {NUM_ACTIONS - 1}; "
                f"{self._legal_text()}"
            )
        return f"seat {seat} may not {ACTIONS[action]}: {self._why(action)}; {self._legal_text()}"

    def _why(self, action: int) -> str:
        if self.phase_code == TRUMP:
            return "it turned up a Wizard and names the trump"
        if self.phase_code == BID:
            if not FIRST_BID <= action <= FIRST_BID + self.hand_size:
                return f"it bids 0 to {self.hand_size}"
            return (
                f"the bids would add up to {self.hand_size}, which the restriction "
                f"{self._rules.bid_restriction!r} forbids the dealer"
            )
        if action < FIRST_PLAY:
            return "it plays a card"
        hand = int(self.state["hands"][0, self.last_seat])
        if CARD_NAMES[action - FIRST_PLAY] not in card_names(hand):
            return f"it holds {', '.join(card_names(hand))}"
        led = self.led_suit
        held = [name for name in card_names(hand) if name[1] == led]
        return f"{led} was led and it holds {', '.join(held)}"

    # --- what a seat may know

    def observe(self, seat: int) -> NDArray[np.uint8]:
        """uint8 [OBS_SIZE]: all that `seat` may know (see OBSERVATION); a copy.

        Raises ValueError for a seat that is not at the table.
        """
        if self._check_seat(seat) == self.last_seat:
            return self.observation_row.copy()
        _observe(self._table, seat)
        other: NDArray[np.uint8] = self._table["other"]["values"][0].copy()
        return other

    def full_state(self, seat: int = 0) -> NDArray[np.uint8]:
        """uint8 [FULL_SIZE]: everything, hidden cards and bids included, seats counted from `seat`.

        Raises ValueError for a seat that is not at the table.
        """
        _write_full(self._table, self._check_seat(seat))
        row: NDArray[np.uint8] = self._table["full"]["values"][0].copy()
        return row

    def _check_seat(self, seat: int) -> int:
        return check_integer("seat", seat, 0, self._rules.num_players - 1)

    # --- copies

    def clone(self) -> Self:
        """An independent copy, with the same deals to come."""
        twin = self.__class__.__new__(self.__class__)
        twin.__dict__.update(self.__dict__)
        twin._adopt(self._table.copy())
        twin.pad = list(self.pad)
        twin._history = list(self._history)
        return twin

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        for name in ("_table", "mask_row", "observation_row"):
            del kept[name]
        kept["state"] = self.state.tobytes()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._adopt(np.zeros(1, TABLE))
        self.state[:] = np.frombuffer(kept["state"], STATE)
        self._note(_refresh(self._table))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self._rules == other._rules
            and self.state.tobytes() == other.state.tobytes()
            and self.pad == other.pad
            and self._draw == other._draw
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        where = f"round {self.round_number} of {self.num_rounds}, {self.phase}"
        acting = f", seat {self.seat} acts" if self.seat is not None else ""
        return f"<Game of {self._rules.num_players}: {where}{acting}, scores {self.scores}>"

    def __str__(self) -> str:
        from wizard_env.render import text

        return text(self)


def _parse_hand(hand: str | Sequence[str]) -> list[int]:
    return [card_id(name) for name in (hand.split() if isinstance(hand, str) else hand)]


def _suit_name(suit: int) -> str | None:
    return SUITS[suit] if 0 <= suit < NO_SUIT else None


@kernel
def _draw(tables: Any) -> None:
    draw_for_dealer(tables[0].state, tables[0].deck)


@kernel
def _deal(tables: Any) -> int:
    deal_round(tables[0].state, tables[0].deck)
    return _refresh(tables)


@kernel
def _deal_next(tables: Any) -> int:
    next_round(tables[0].state)
    deal_round(tables[0].state, tables[0].deck)
    return _refresh(tables)


@kernel
def _turn_up(tables: Any, upcard: int) -> int:
    turn_up(tables[0].state, upcard)
    return _refresh(tables)


@kernel
def _step(tables: Any, action: int) -> int:
    table = tables[0]
    if not 0 <= action < NUM_ACTIONS or not table.mask.values[action]:
        return _ILLEGAL
    apply(table.state, action)
    return _refresh(tables)


def _prepare_step(tables: Any, action: int) -> int:
    """The first step finds the kernel, the next ones call it."""
    global _step_direct
    _step_direct = direct(_step, tables, action)
    return _step_direct(tables, action)


_step_direct = _prepare_step


@kernel
def _refresh(tables: Any) -> int:
    """Write the mask and what the acting seat sees; returns phase and seat in one number."""
    table = tables[0]
    seat = int(table.state.seat)
    write_mask(table.state, table.mask, PRINTED_ORDER)
    observe(table.state, seat, table.observation, PRINTED_ORDER)
    return int(table.state.phase) << _SEAT_BITS | seat


@kernel
def _observe(tables: Any, seat: int) -> None:
    observe(tables[0].state, seat, tables[0].other, PRINTED_ORDER)


@kernel
def _write_full(tables: Any, seat: int) -> None:
    write_full_state(tables[0].state, seat, tables[0].full, PRINTED_ORDER)
