"""The rules: deal, legal, apply, score. The only place where a rule is written.

Plain loops over one game's record, in the subset of Python that numba compiles. Nothing here rolls
dice (see chance.py), and `apply` trusts its caller to pass a legal action.
"""

import numpy as np

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP, NUM_ACTIONS, Refusal
from wizard_env.cards import (
    DECK,
    DECK_SIZE,
    JESTER,
    NUM_KINDS,
    NUM_RANKS,
    SPECIALS,
    SUIT_SETS,
    UNITS,
    WIZARD,
    kinds_of,
    rank_of,
    suit_of,
)
from wizard_env.compiled.bits import count_bits, lowest_bit
from wizard_env.compiled.jit import compiled, outlined
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import (
    BID,
    CANADIAN,
    FREE,
    HIDDEN,
    NO_CARD,
    NO_EVEN,
    NO_SEAT,
    NO_SUIT,
    NOT_BID,
    OPEN,
    OVER,
    PLAY,
    SCORED,
    SIMULTANEOUS,
    TRUMP,
    UNDECIDED,
    DeckOrder,
    State,
)

# --- dealers


@compiled
def left_of(state: State, seat: int) -> int:
    """Return the seat to the left of `seat`, which acts after it."""
    following = seat + 1
    return following if following < state.num_players else 0


@compiled
def _draw_rank(card: int) -> int:
    """Return the rank of a card in the draw for the first dealer: Jester < 2 < ... < A < Wizard."""
    if card == JESTER:
        return -1
    return WIZARD if card == WIZARD else rank_of(card)


@outlined
def draw_cards(state: State, deck: DeckOrder, drawing: int) -> int:
    """Draw a card for every seat in the bit set `drawing`; the highest deals the first round.

    Returns the tied seats, which draw again; none once the game has begun.
    """
    highest = -2
    tied = 0
    for seat in range(state.num_players):
        if not (drawing >> seat) & 1:
            continue
        rank = _draw_rank(int(deck.cards[deck.drawn]))
        deck.drawers[deck.drawn] = seat
        deck.drawn += 1
        if rank > highest:
            highest = rank
            tied = 0
        if rank == highest:
            tied |= 1 << seat
    if count_bits(tied) > 1:
        return tied
    begin_game(state, lowest_bit(tied))
    return 0


@compiled
def begin_game(state: State, dealer: int) -> None:
    """Clear the score before the first round, which `dealer` deals."""
    for seat in range(state.num_players):
        state.scores[seat] = 0
    state.dealer = dealer
    state.round_index = 0
    state.hand_size = state.hand_sizes[0]


@compiled
def next_round(state: State) -> None:
    """Pass the deal to the left after a round that was not the last."""
    state.dealer = left_of(state, int(state.dealer))
    state.round_index += 1
    state.hand_size = state.hand_sizes[state.round_index]


# --- the deal


@compiled
def has_upcard(state: State) -> bool:
    """Return whether a card is left to turn up when all hands are dealt."""
    return int(state.hand_size) * int(state.num_players) < DECK_SIZE


@compiled
def cards_dealt(state: State) -> int:
    """Return the number of cards that the round uses: all hands, and the upcard."""
    in_hands = int(state.hand_size) * int(state.num_players)
    return in_hands + 1 if has_upcard(state) else in_hands


@outlined
def deal(state: State, deck: DeckOrder) -> None:
    """Deal the round from the top: `hand_size` cards to each seat from the dealer's left, then the upcard."""
    seat = left_of(state, int(state.dealer))
    position = 0
    for _ in range(state.num_players):
        hand = 0
        for _ in range(state.hand_size):
            hand += UNITS[deck.cards[position]]
            position += 1
        state.hands[seat] = hand
        seat = left_of(state, seat)
    turn_up(state, int(deck.cards[position]) if has_upcard(state) else NO_CARD)


@outlined
def turn_up(state: State, upcard: int) -> None:
    """Start a round whose hands are dealt: the upcard sets the trump, or the dealer names it."""
    for seat in range(state.num_players):
        state.played[seat] = 0
        state.points[seat] = 0
        state.bids[seat] = NOT_BID
        state.tricks_won[seat] = 0
        state.voids[seat] = 0
    for number in range(DECK_SIZE):
        state.plays[number] = NO_CARD
    state.num_plays = 0
    state.leader = left_of(state, int(state.dealer))
    _clear_trick(state)
    state.upcard = upcard
    if upcard == WIZARD:
        state.trump = UNDECIDED
        state.phase = TRUMP
        state.seat = state.dealer
        return
    state.trump = NO_SUIT if upcard == NO_CARD or upcard == JESTER else suit_of(upcard)
    state.phase = BID
    state.seat = state.leader


# --- actions


@compiled
def legal(state: State) -> int:
    """Return the acting seat's legal actions: bit k is on where `first_action(state) + k` is legal."""
    phase = int(state.phase)
    if phase == PLAY:
        return kinds_of(_playable(state))
    if phase == BID:
        bids = (2 << int(state.hand_size)) - 1
        forbidden = _forbidden_bid(state)
        return bids & ~(1 << forbidden) if forbidden >= 0 else bids
    if phase == TRUMP:
        return 0b1111
    return 0


@compiled
def first_action(state: State) -> int:
    """Return the id of the first action of the kind the phase asks for."""
    phase = int(state.phase)
    if phase == PLAY:
        return FIRST_PLAY
    return FIRST_BID if phase == BID else FIRST_TRUMP


@compiled
def is_choice(action: int, first: int, choices: int) -> bool:
    """Return whether an action is in `choices`, as `legal` gives them; `first` is the id of the first."""
    choice = action - first
    return 0 <= choice < NUM_KINDS and (choices >> choice) & 1 != 0


@compiled
def is_legal(state: State, action: int) -> bool:
    """Return whether the acting seat may take an action."""
    return is_choice(action, first_action(state), legal(state))


def why_illegal(state: State, action: int) -> Refusal | None:
    """Return the reason why the acting seat may not take an action; None if it may."""
    if state.phase >= SCORED:
        return Refusal.GAME_OVER if state.phase == OVER else Refusal.ROUND_OVER
    if not 0 <= action < NUM_ACTIONS:
        return Refusal.UNKNOWN
    if is_legal(state, action):
        return None
    if state.phase == TRUMP:
        return Refusal.NOT_A_TRUMP
    if state.phase == BID:
        return Refusal.FORBIDDEN_BID if action - FIRST_BID == _forbidden_bid(state) else Refusal.NOT_A_BID
    if action < FIRST_PLAY:
        return Refusal.NOT_A_CARD
    holds = (kinds_of(int(state.hands[state.seat])) >> action - FIRST_PLAY) & 1
    return Refusal.MUST_FOLLOW if holds else Refusal.NOT_HELD


@compiled
def apply(state: State, action: int) -> None:
    """Take a legal action for the acting seat; the last card of a round scores it."""
    phase = int(state.phase)
    if phase == PLAY:
        _play(state, action - FIRST_PLAY)
    elif phase == BID:
        _bid(state, action - FIRST_BID)
    else:
        _choose_trump(state, action - FIRST_TRUMP)


@compiled
def take(state: State, action: int, skip_forced: bool) -> None:
    """Take a legal action for the acting seat.

    skip_forced: then take the forced ones too, until somebody has a choice or the round is scored.
    """
    while True:
        apply(state, action)
        if not skip_forced or state.phase >= SCORED:
            return
        choices = legal(state)
        if choices & (choices - 1):
            return
        action = first_action(state) + lowest_bit(choices)


@compiled
def _choose_trump(state: State, suit: int) -> None:
    """Name the trump for the dealer, who has turned up a Wizard; the bidding begins."""
    state.trump = suit
    state.phase = BID
    state.seat = state.leader


# --- bids


@compiled
def _bid(state: State, tricks: int) -> None:
    """Bid for the acting seat; after the dealer's bid the play begins."""
    seat = int(state.seat)
    state.bids[seat] = tricks
    state.seat = left_of(state, seat)
    if seat == state.dealer:
        state.phase = PLAY


@outlined
def _forbidden_bid(state: State) -> int:
    """Return the bid that the restriction forbids the last bidder, or -1."""
    restriction = int(state.bid_restriction)
    if restriction == FREE or state.seat != state.dealer:
        return -1
    if restriction == CANADIAN and not _is_last_round(state):
        return -1
    if restriction != NO_EVEN and not _leads_alone(state, int(state.seat)):
        return -1
    left = int(state.hand_size)
    for seat in range(state.num_players):
        if seat != state.seat:
            left -= int(state.bids[seat])
    return max(left, -1)


@compiled
def _is_last_round(state: State) -> bool:
    """Return whether this is the last round that is played."""
    return int(state.round_index) + 1 == state.num_rounds


@compiled
def _leads_alone(state: State, seat: int) -> bool:
    """Return whether `seat` has more points than everybody else."""
    for other in range(state.num_players):
        if other != seat and state.scores[other] >= state.scores[seat]:
            return False
    return True


@compiled
def bids_are_public(state: State) -> bool:
    """Return whether everybody sees the bids made so far; a seat always knows its own."""
    if state.bid_reveal == OPEN:
        return True
    if state.bid_reveal == SIMULTANEOUS:
        return state.phase > BID  # all have bid
    return state.phase > PLAY  # the round is scored


@compiled
def bid_is_visible(state: State, observer: int, seat: int) -> bool:
    """Return whether `observer` may know the bid that `seat` has made."""
    return observer == seat or bids_are_public(state)


# --- a card in a trick

_NO_POWER = -1
_JESTER_POWER = 0
_LED_POWER = 1
_TRUMP_POWER = _LED_POWER + NUM_RANKS
_WIZARD_POWER = _TRUMP_POWER + NUM_RANKS
_MAGIC_POWER = _WIZARD_POWER + 1


def power_of(card: int, led_suit: int, trump: int, magic_edition: bool) -> int:
    """Return the power of a card in a trick: the highest wins, and of equals the first.

    led_suit: the suit that earlier cards led; UNDECIDED if this card may lead its own.
    """
    if card == WIZARD:
        return _WIZARD_POWER
    if card == JESTER:
        return _JESTER_POWER
    suit, rank = suit_of(card), rank_of(card)
    if magic_edition and rank == 0 and suit == led_suit:
        return _MAGIC_POWER
    if suit == trump:
        return _TRUMP_POWER + rank
    if suit == led_suit or led_suit == UNDECIDED:
        return _LED_POWER + rank
    return _NO_POWER


def _led_suit_after(card: int, led_suit: int) -> int:
    """Return the led suit after a card: the first that is not a Jester sets it."""
    if led_suit != UNDECIDED or card == JESTER:
        return led_suit
    return NO_SUIT if card == WIZARD else suit_of(card)


def _void_shown(card: int, led_suit: int) -> int:
    """Return the suit that a card shows its seat to be void in, as a bit set; none if it follows suit."""
    if led_suit == UNDECIDED or led_suit == NO_SUIT:
        return 0
    if card == WIZARD or card == JESTER or suit_of(card) == led_suit:
        return 0
    return 1 << led_suit


_SUITS = range(UNDECIDED, NO_SUIT + 1)
_CARDS = range(NUM_KINDS)
# Compiled code looks up what these three functions say: their branches are hard to predict.
_POWERS = np.array(
    [
        [[[power_of(card, led, trump, magic) for card in _CARDS] for led in _SUITS] for trump in _SUITS]
        for magic in (False, True)
    ],
    np.int8,
)
"""int8 [2, 6, 6, 54]: at [magic_edition, trump + 1, led_suit + 1, card]."""
_LED_SUITS = np.array([[_led_suit_after(card, led) for card in _CARDS] for led in _SUITS], np.int8)
_VOIDS = np.array([[_void_shown(card, led) for card in _CARDS] for led in _SUITS], np.int8)
"""int8 [6, 54]: both at [led_suit + 1, card]."""


# --- play


@compiled
def _playable(state: State) -> int:
    """Return the cards that the acting seat may play."""
    hand = state.hands[state.seat]
    led_suit = int(state.led_suit)
    if led_suit == UNDECIDED or led_suit == NO_SUIT:
        return hand
    led = SUIT_SETS[led_suit]
    return hand & (led | SPECIALS) if hand & led else hand


@compiled
def power_in_trick(state: State, card: int) -> int:
    """Return the power of a card if it is played next; it takes the trick if that is above `best_power`."""
    return int(_POWERS[state.magic_edition, state.trump + 1, state.led_suit + 1, card])


@compiled
def _play(state: State, card: int) -> None:
    """Play a card for the acting seat; the last card of a trick ends it."""
    seat = int(state.seat)
    led_suit = int(state.led_suit)
    power = power_in_trick(state, card)
    best_power, best_seat = int(state.best_power), int(state.best_seat)
    if power > best_power:
        best_power, best_seat = power, seat
    state.best_power = best_power  # stored in either case, which spares the processor a branch
    state.best_seat = best_seat
    state.led_suit = _LED_SUITS[led_suit + 1, card]
    state.voids[seat] |= _VOIDS[led_suit + 1, card]
    state.hands[seat] -= UNITS[card]
    state.played[seat] += UNITS[card]
    state.plays[state.num_plays] = card
    state.num_plays += 1
    state.trick[seat] = card
    state.trick_size += 1
    state.seat = left_of(state, seat)
    if state.trick_size == state.num_players:
        _end_trick(state)


@compiled
def _end_trick(state: State) -> None:
    """Give the trick to its winner, see `_play`, who leads next; the last trick scores the round."""
    winner = int(state.best_seat)
    state.tricks_won[winner] += 1
    _clear_trick(state)
    state.leader = winner
    state.seat = winner
    if state.hands[winner] == 0:
        _score_round(state)


@compiled
def _clear_trick(state: State) -> None:
    for seat in range(MAX_PLAYERS):
        state.trick[seat] = NO_CARD
    state.trick_size = 0
    state.best_seat = NO_SEAT
    state.best_power = _NO_POWER
    state.led_suit = UNDECIDED


# --- scoring


@outlined
def _score_round(state: State) -> None:
    for seat in range(state.num_players):
        state.points[seat] = score(int(state.bids[seat]), int(state.tricks_won[seat]))
        state.scores[seat] += state.points[seat]
    state.phase = OVER if _is_last_round(state) else SCORED


@compiled
def score(tricks_bid: int, tricks_won: int) -> int:
    """Score a round: 20 + 10 per trick for a bid met, else -10 for each trick over or under."""
    if tricks_won == tricks_bid:
        return 20 + 10 * tricks_won
    return -10 * abs(tricks_won - tricks_bid)


# --- what a seat knows


@compiled
def conceal(state: State, observer: int) -> None:
    """Remove from a copy of a state everything that `observer` may not know."""
    for seat in range(state.num_players):
        if seat != observer:
            state.hands[seat] = 0
        if state.bids[seat] != NOT_BID and not bid_is_visible(state, observer, seat):
            state.bids[seat] = HIDDEN
    state.generator = np.uint64(0)


@compiled
def cards_left(state: State, seat: int) -> int:
    """Return the number of cards that `seat` still holds; known to everybody."""
    left = int(state.hand_size)
    for other in range(state.num_players):
        left -= int(state.tricks_won[other])
    return left if state.trick[seat] == NO_CARD else left - 1


@compiled
def unseen_by(known: State, observer: int) -> int:
    """Return the cards that a seat has not seen, in other hands or not dealt."""
    cards = DECK - known.hands[observer]
    for seat in range(known.num_players):
        cards -= known.played[seat]
    return cards if known.upcard == NO_CARD else cards - UNITS[known.upcard]
