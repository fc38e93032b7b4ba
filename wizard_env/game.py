"""Game: one game, for people, agents and records."""

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import chain
from operator import index as as_index
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import ACTIONS, NUM_ACTIONS, IllegalAction, Refusal, action_id
from wizard_env.cards import CARD_NAMES, COPIES, DECK_SIZE, card_id, pack
from wizard_env.chance import deal_round, draw_for_dealer
from wizard_env.checks import check_integer, check_player_names, check_seed, quoted
from wizard_env.compiled.jit import direct, kernel
from wizard_env.engine import apply, has_upcard, is_legal, next_round, turn_up, why_illegal
from wizard_env.history.checks import check_finished_rounds
from wizard_env.history.finished import count_finished, read_rounds, write_finished_round
from wizard_env.observation.encoder import PRINTED_ORDER, observe, write_full_state, write_mask
from wizard_env.observation.fields import FULL_ROW, OBSERVATION_ROW
from wizard_env.observation.readable import ReadableState, Round
from wizard_env.render.ansi import text
from wizard_env.render.scene import Scene
from wizard_env.rules import Rules
from wizard_env.state import (
    DECK_ORDER,
    FINISHED_ROUND,
    MASK_ROW,
    NO_CARD,
    OPTION_FIELDS,
    PHASES,
    SCORED,
    STATE,
    copy_records,
    write_rules,
)
from wizard_env.state_checks import ANY_HIDDEN, MAX_SCORE, check_states

_SEAT_BITS, _PHASE_BITS = 3, 3
_SEAT, _PHASE = (1 << _SEAT_BITS) - 1, (1 << _PHASE_BITS) - 1
_ROUND_ENDED = 1 << _SEAT_BITS + _PHASE_BITS
"""Added to the phase and the seat after a step that ended a round."""
_ILLEGAL = -1
_UNKNOWN_BEGINNING = (
    "the actions do not lead to this game: it was begun from a state, or its state was written to"
)

_SEEN = [("observation", OBSERVATION_ROW), ("other", OBSERVATION_ROW), ("mask", MASK_ROW)]
_PLAYED = [("state", STATE), ("deck", DECK_ORDER), ("finished", FINISHED_ROUND)]
_GAME = np.dtype((np.record, [*_PLAYED, *_SEEN]))
"""One game with what seats see of it: passing it as one argument keeps kernel calls short."""


class Game(ReadableState):
    """One game of Wizard, dealt and waiting for the seat that acts.

    Seats are 0 to num_players - 1, clockwise. Everything is visible: `game.observe(seat)` and
    `View.of([game])` show only what a seat may know.

    finished_rounds: [num_rounds] records of dtype FINISHED_ROUND, read-only: the rounds behind `rounds`, each
        at its index, zero where it has not been finished or is not known.
    """

    def __init__(self, rules: Rules | None = None, seed: int = 0) -> None:
        """Draw for the first dealer and deal the first round.

        Args:
            rules: the options; `Rules()` if None.
            seed: 0 to 2**64 - 1; the same seed gives the same deals, however the game is played.
        """
        self._set_up(rules, seed)
        _draw(self._buffers)
        deck = self._buffers["deck"][0]
        self._draw = [(int(deck["drawers"][i]), CARD_NAMES[deck["cards"][i]]) for i in range(deck["drawn"])]
        self._note(_deal(self._buffers))

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
            scores: points of each seat so far, multiples of 10; all 0 if None.
            seed: for the deals of the rounds that follow.
            round_number: the round being dealt, from 1; None means the first of that hand size.

        Raises:
            ValueError: the deal is not possible; the message says why.
        """
        game = cls.__new__(cls)
        game._set_up(rules, seed)
        players, sizes = rules.num_players, rules.rounds
        dealer = check_integer("dealer", dealer, 0, players - 1)
        held = [_parse_hand(hand) for hand in hands]
        if len(held) != players:
            raise ValueError(f"{len(held)} hands: {players} are needed, one for each player")
        size = len(held[0])
        if any(len(hand) != size for hand in held):
            raise ValueError(f"hands of {[len(hand) for hand in held]} cards: all must have the same size")
        if size not in sizes:
            raise ValueError(f"hands of {size} cards: the rounds are played with {sizes}")
        number = sizes.index(size) + 1 if round_number is None else round_number
        number = check_integer("round_number", number, 1, len(sizes))
        if sizes[number - 1] != size:
            raise ValueError(f"hands of {size} cards: round {number} is played with {sizes[number - 1]}")
        state = game.state[0]
        state["dealer"], state["round_index"], state["hand_size"] = dealer, number - 1, size
        if (upcard is not None) != has_upcard(state):
            left = DECK_SIZE - size * players
            raise ValueError(f"upcard={quoted(upcard)}: {left} cards are left after dealing")
        turned = [] if upcard is None else [card_id(upcard)]
        for card, count in Counter(chain(*held, turned)).items():
            if count > COPIES[card]:
                raise ValueError(f"{count} copies of {CARD_NAMES[card]}: the deck holds {COPIES[card]}")
        points = [0] * players if scores is None else [int(as_index(score)) for score in scores]
        if len(points) != players or any(p % 10 or abs(p) > MAX_SCORE for p in points):
            raise ValueError(
                f"scores={quoted(scores)}: {players} multiples of 10 from -{MAX_SCORE} to {MAX_SCORE} "
                "are needed"
            )
        state["scores"][:players] = points
        state["hands"][:players] = [pack(hand) for hand in held]
        game._start = {
            "dealer": dealer,
            "hands": [" ".join(hand) for hand in game.hands],
            "upcard": upcard,
            "scores": points,
            "round": number,
        }
        game._note(_turn_up(game._buffers, *(turned or [NO_CARD])))
        return game

    @classmethod
    def from_state(cls, rules: Rules, states: Any, finished_rounds: NDArray[Any] | None = None) -> Self:
        """Copy one game of a batch, to look at or to play on.

        Its draw and history start empty, so it has no record (see `wizard_env.records`).

        Args:
            rules: the options.
            states: a record of dtype STATE, or an array of one.
            finished_rounds: [k] records of dtype FINISHED_ROUND, those of this game; if None, none is known,
                and the score pad starts empty.

        Raises ValueError if the rules are not those of the state, if it is not a state of the game, or if it
        cannot have come from these rounds.
        """
        record = np.asarray(states, STATE).reshape(-1)[:1]
        game = cls.__new__(cls)
        game._set_up(rules, int(record["generator"][0]))
        for option in OPTION_FIELDS:
            if (game.state[option] != record[option]).any():
                raise ValueError(f"{rules} are not the rules of this state: {option} differs")
        check_states(record, ANY_HIDDEN)
        game.state[:] = record
        if finished_rounds is not None:
            game._set_finished_rounds(finished_rounds)
        game._note(_refresh(game._buffers))
        return game

    def _set_up(self, rules: Rules | None, seed: int) -> None:
        self._rules = Rules() if rules is None else rules
        if not isinstance(self._rules, Rules):
            raise TypeError(f"rules={quoted(rules)}: a Rules object is needed")
        self._seed = check_seed(seed)
        self._adopt(np.zeros(1, _GAME))
        write_rules(self._rules, self.state)
        self.state["generator"] = self._seed
        self.finished_rounds = _read_only(np.zeros(len(self._rules.rounds), FINISHED_ROUND))
        self.pad: list[Round] = []
        self._draw = []
        self._history: list[int] = []
        self._start: dict[str, Any] | None = None
        self._players: tuple[str, ...] | None = None

    def _adopt(self, buffers: NDArray[Any]) -> None:
        """Take these buffers, and keep views of what is read most."""
        self._buffers = buffers
        self.state = buffers["state"]
        self.mask_row = _read_only(buffers["mask"]["values"][0])
        self.observation_row = _read_only(buffers["observation"]["values"][0])

    def _set_finished_rounds(self, finished_rounds: NDArray[Any]) -> None:
        """Take the finished rounds of this game, and write the score pad."""
        check_finished_rounds(self.state, finished_rounds[np.newaxis])
        kept = np.zeros(len(self._rules.rounds), FINISHED_ROUND)
        kept[: len(finished_rounds)] = finished_rounds[: len(kept)]
        self.finished_rounds = _read_only(kept)
        self.pad = read_rounds(self.state, kept)

    def _note(self, code: int) -> None:
        self.phase_code, self.acting_seat = code >> _SEAT_BITS & _PHASE, code & _SEAT

    # --- what people read, besides the state itself

    @property
    def rules(self) -> Rules:
        return self._rules

    @property
    def seed(self) -> int:
        """The seed that the game was made with."""
        return self._seed

    @property
    def players(self) -> tuple[str, ...] | None:
        """The names of the players, by seat; None until somebody sets them. The rules do not know them.

        Raises ValueError for names that do not fit the seats, or that a terminal could not show.
        """
        return self._players

    @players.setter
    def players(self, names: Sequence[str] | None) -> None:
        self._players = None if names is None else check_player_names(names, self._rules.num_players)

    @property
    def phase(self) -> str:
        """ "trump", "bid", "play" or "over"; "scored" in a copy of a batch's game that pauses."""
        return PHASES[self.phase_code]

    @property
    def seat(self) -> int | None:
        """The seat that acts now; None when the game is over."""
        return self.acting_seat if self.phase_code < SCORED else None

    @property
    def rounds(self) -> list[Round]:
        """The score pad: one entry per finished round; a copy."""
        return [_copied(finished) for finished in self.pad]

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
        """The deal given to `from_deal`; None for a game dealt from its seed."""
        return deepcopy(self._start)

    @classmethod
    def begin(cls, rules: Rules, seed: int, start: dict[str, Any] | None) -> Self:
        """Begin a game from its seed, or from a given deal, as `start` returns it."""
        if start is None:
            return cls(rules, seed)
        return cls.from_deal(
            rules, start["dealer"], start["hands"], start["upcard"], start["scores"], seed, start["round"]
        )

    def restart(self) -> Self:
        """Return this game before its first action, dealt the same cards to the same players.

        A copy of a batch's game has no beginning: it restarts as the game of its seed.
        """
        again = self.begin(self._rules, self._seed, self._start)
        again._players = self._players
        return again

    def retrace(self) -> Iterator[tuple[Self, int]]:
        """Yield this game before each of its actions, and that action, which the caller must take.

        It is the same game every time, as the caller has moved it on.

        Raises:
            ValueError: the actions do not lead to this game, because it was begun by `from_state` or its
                state was written to.
        """
        again = self.restart()
        for action in self._history:
            if not again.mask_row[action]:
                raise ValueError(_UNKNOWN_BEGINNING)
            yield again, action
        if again != self:
            raise ValueError(_UNKNOWN_BEGINNING)

    # --- acting

    def legal_mask(self) -> NDArray[np.uint8]:
        """Return uint8 [NUM_ACTIONS], 1 for each action that the acting seat may take; a copy."""
        return self.mask_row.copy()

    def legal_actions(self) -> list[int]:
        """List the ids of the actions that the acting seat may take, sorted."""
        actions: list[int] = self.mask_row.nonzero()[0].tolist()
        return actions

    def step(self, action: int | str) -> Round | None:
        """Take an action for the acting seat; the step that ends a round scores it and deals the next.

        Args:
            action: an id, or a name as in "bid 3", "trump H" or "play TS".

        Returns:
            The round that the action finished, as on the score pad; None if it finished none.

        Raises:
            IllegalAction: the rules do not allow it; the game is unchanged.
        """
        chosen = action if type(action) is int else self._parse(action)
        code = _step_direct(self._buffers, chosen)
        if code == _ILLEGAL:
            raise self._refusal(chosen)
        self._note(code)
        self._history.append(chosen)
        return self._end_round() if code >= _ROUND_ENDED else None

    def _end_round(self) -> Round:
        """Note the round that the last step finished, and return it."""
        finished = self._buffers["finished"]
        index = int(count_finished(self.state)[0]) - 1
        kept = self.finished_rounds.copy()
        kept[index] = finished[0]
        self.finished_rounds = _read_only(kept)
        (played,) = read_rounds(self.state, finished)
        self.pad = [*self.pad, played]
        return _copied(played)

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
        raise TypeError(f"action={quoted(action)}: an id or a name is needed")

    def _legal_text(self) -> str:
        names = ", ".join(ACTIONS[action] for action in self.legal_actions())
        where = f"round {self.round_number}"
        if self.phase == "play":
            where += f", trick {sum(self.tricks_won) + 1}"
        return f"legal: {names} ({where})" if names else "the game is over"

    def check(self, action: int) -> None:
        """Raise IllegalAction, with the reason, unless the acting seat may take the action."""
        if why_illegal(self.state[0], action) is not None:
            raise self._refusal(action)

    def _refusal(self, action: int) -> IllegalAction:
        """Return the error for an illegal action."""
        return IllegalAction(self.why_not(action), why_illegal(self.state[0], action))

    def why_not(self, action: int) -> str:
        """Return the text for an illegal action: the seat, the action, the reason, and what is legal."""
        reason = why_illegal(self.state[0], action)
        if reason is None:
            return "it is legal"
        if reason in (Refusal.GAME_OVER, Refusal.ROUND_OVER):
            return f"action {action}: the {'game' if reason == Refusal.GAME_OVER else 'round'} is over"
        name = f"take action {action}" if reason == Refusal.UNKNOWN else ACTIONS[action]
        hand = self.hands[self.acting_seat]
        led = [card for card in hand if card[1] == self.led_suit]
        explanation = {
            Refusal.UNKNOWN: f"ids run from 0 to {NUM_ACTIONS - 1}",
            Refusal.NOT_A_TRUMP: "it turned up a Wizard and names the trump",
            Refusal.NOT_A_BID: f"it bids 0 to {self.hand_size}",
            Refusal.FORBIDDEN_BID: f"the restriction {self._rules.bid_restriction!r} forbids the dealer this "
            f"bid, with which the bids add up to {self.total_with(action)}",
            Refusal.NOT_A_CARD: "it plays a card",
            Refusal.NOT_HELD: f"it holds {', '.join(hand)}",
            Refusal.MUST_FOLLOW: f"{self.led_suit} was led and it holds {', '.join(led)}",
        }[reason]
        return f"seat {self.acting_seat} may not {name}: {explanation}; {self._legal_text()}"

    def total_with(self, bid: int) -> int:
        """Return the sum of the bids of this round, with one more."""
        return sum(one for one in self.bids if one is not None) + bid

    # --- what a seat may know

    def observe(self, seat: int) -> NDArray[np.uint8]:
        """Return uint8 [OBS_SIZE], all that `seat` may know (see OBSERVATION); a copy.

        Raises ValueError for a seat that is not at the table.
        """
        if self._check_seat(seat) == self.acting_seat:
            return self.observation_row.copy()
        _observe(self._buffers, seat)
        other: NDArray[np.uint8] = self._buffers["other"]["values"][0].copy()
        return other

    def full_state(self, seat: int = 0) -> NDArray[np.uint8]:
        """Return uint8 [FULL_SIZE], hidden cards and bids included, with seats counted from `seat`.

        Raises ValueError for a seat that is not at the table.
        """
        rows = np.zeros(1, FULL_ROW)
        _write_full(self.state, self._check_seat(seat), rows)
        return rows.view(np.uint8)

    def _check_seat(self, seat: int) -> int:
        return check_integer("seat", seat, 0, self._rules.num_players - 1)

    def scene(self, observer: int | None = None) -> Scene:
        """Return all that may be shown to `observer`, for text and pictures; everything if None.

        Raises ValueError for a seat that is not at the table.
        """
        return Scene.of(self, observer)

    # --- copies

    def clone(self) -> Self:
        """Return an independent copy; the deals to come are the same."""
        copy = self.__class__.__new__(self.__class__)
        copy.__dict__.update(self.__dict__)
        copy._adopt(copy_records(self._buffers))
        copy._history = list(self._history)
        return copy

    __copy__ = clone

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        kept = self.__dict__.copy()
        for name in ("_buffers", "mask_row", "observation_row", "pad"):
            del kept[name]
        kept["state"] = self.state.tobytes()
        kept["finished_rounds"] = self.finished_rounds.tobytes()
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._adopt(np.zeros(1, _GAME))
        states = np.frombuffer(kept["state"], STATE)
        check_states(states, ANY_HIDDEN)
        self.state[:] = states
        self._set_finished_rounds(np.frombuffer(kept["finished_rounds"], FINISHED_ROUND))
        self._note(_refresh(self._buffers))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return (
            self._rules == other._rules
            and self.state.tobytes() == other.state.tobytes()
            and self.finished_rounds.tobytes() == other.finished_rounds.tobytes()
            and self._draw == other._draw
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        where = f"round {self.round_number} of {self.num_rounds}, {self.phase}"
        acting = f", seat {self.seat} acts" if self.seat is not None else ""
        return f"<Game of {self._rules.num_players}: {where}{acting}, scores {self.scores}>"

    def __str__(self) -> str:
        return text(self.scene())


def _parse_hand(hand: str | Sequence[str]) -> list[int]:
    return [card_id(name) for name in (hand.split() if isinstance(hand, str) else hand)]


def _copied(finished: Round) -> Round:
    """Copy a round, lists included."""
    return finished._replace(
        bids=list(finished.bids), tricks_won=list(finished.tricks_won), points=list(finished.points)
    )


def _read_only(row: NDArray[Any]) -> NDArray[Any]:
    row.flags.writeable = False
    return row


@kernel([_GAME])
def _draw(games: Any) -> None:
    draw_for_dealer(games[0].state, games[0].deck)


@kernel([_GAME])
def _deal(games: Any) -> int:
    deal_round(games[0].state, games[0].deck)
    return _refresh(games)


@kernel([_GAME], int)
def _turn_up(games: Any, upcard: int) -> int:
    turn_up(games[0].state, upcard)
    return _refresh(games)


@kernel([_GAME], int)
def _step(games: Any, action: int) -> int:
    game = games[0]
    if not is_legal(game.state, action):
        return _ILLEGAL
    apply(game.state, action)
    ended = 0
    if game.state.phase >= SCORED:
        ended = _ROUND_ENDED
        write_finished_round(game.state, game.finished)
        if game.state.phase == SCORED:
            next_round(game.state)
            deal_round(game.state, game.deck)
    return _refresh(games) | ended


def _prepare_step(games: Any, action: int) -> int:
    """Look the kernel up for the first step; later ones call it directly."""
    global _step_direct
    step = direct(_step)
    if step is not _step:  # which has no machine code yet
        _step_direct = step
    return step(games, action)


_step_direct = _prepare_step


@kernel([_GAME])
def _refresh(games: Any) -> int:
    """Write the mask and what the acting seat sees; return the phase and the seat in one number."""
    game = games[0]
    seat = int(game.state.seat)
    write_mask(game.state, game.mask, PRINTED_ORDER)
    observe(game.state, seat, game.observation, PRINTED_ORDER)
    return int(game.state.phase) << _SEAT_BITS | seat


@kernel([_GAME], int)
def _observe(games: Any, seat: int) -> None:
    observe(games[0].state, seat, games[0].other, PRINTED_ORDER)


@kernel([STATE], int, [FULL_ROW])
def _write_full(states: Any, seat: int, rows: Any) -> None:
    write_full_state(states[0], seat, rows[0], PRINTED_ORDER)
