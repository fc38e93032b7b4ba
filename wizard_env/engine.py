"""The rules: deal, legal, apply, score. The only place where a rule is written.

Plain loops over one game's record, in the subset of Python that numba compiles. Nothing here rolls
dice (see chance.py), and `apply` trusts its caller to pass a legal action.

`choose` stands for an `if` in `play` and the two functions that it asks for a card's power, whose branches
a processor guesses wrong: written as `if`, playouts take 10 to 20% longer for each of them (`wizard bench`).
"""

import numpy as np

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import (
    DECK,
    DECK_SIZE,
    JESTER,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    SPECIALS,
    SUIT_SETS,
    UNITS,
    WIZARD,
    kinds_of,
    rank_of,
    suit_of,
)
from wizard_env.compiled.bits import choose, lowest_bit
from wizard_env.compiled.jit import at, compiled, outlined
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

VOIDS_SHOWN = np.array([0, 1, 2, 4, 8, 0])
"""int64 [6]: by led suit + 1, the suit as a bit set that whoever does not follow is shown to be void in; none
for UNDECIDED, which comes first, and NO_SUIT."""
assert (UNDECIDED, NO_SUIT) == (-1, NUM_SUITS)

NO_POWER = -1
JESTER_POWER = 0
TRUMP_POWER = JESTER_POWER + 1 + NUM_RANKS
WIZARD_POWER = TRUMP_POWER + NUM_RANKS
MAGIC_POWER = WIZARD_POWER + 1
LED_POWERS = np.array(
    [JESTER_POWER + 1 + card % NUM_RANKS for card in range(WIZARD)] + [WIZARD_POWER, JESTER_POWER]
)
"""int64 [54]: the power of each card where its suit is led."""


@compiled
def left_of(state: State, seat: int) -> int:
    """The seat to the left of `seat`, which acts after it."""
    following = seat + 1
    return following if following < state.num_players else 0


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


@compiled
def cards_dealt(state: State) -> int:
    """How many cards this round uses: all hands and, if a card is left, the upcard."""
    in_hands = int(state.hand_size) * int(state.num_players)
    return in_hands + 1 if in_hands < DECK_SIZE else in_hands


@outlined
def deal(state: State, deck: DeckOrder) -> None:
    """Deal the round from the top: `hand_size` cards to each seat from the dealer's left, then the upcard."""
    seat = left_of(state, int(state.dealer))
    state.leader = seat
    position = 0
    for _ in range(state.num_players):
        hand = 0
        for _ in range(state.hand_size):
            hand += UNITS[at(deck.cards[at(position)])]
            position += 1
        state.hands[seat] = hand
        seat = left_of(state, seat)
    turn_up(state, int(deck.cards[position]) if position < DECK_SIZE else NO_CARD)


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
    clear_trick(state)
    state.upcard = upcard
    if upcard == WIZARD:
        state.trump = UNDECIDED
        state.phase = TRUMP
        state.seat = state.dealer
        return
    state.trump = NO_SUIT if upcard == NO_CARD or upcard == JESTER else suit_of(upcard)
    state.phase = BID
    state.seat = state.leader


@compiled
def legal(state: State) -> int:
    """What the acting seat may do: bit k is on where `first_action(state) + k` is legal."""
    phase = int(state.phase)
    if phase == PLAY:
        return kinds_of(playable(state))
    if phase == BID:
        bids = (2 << int(state.hand_size)) - 1
        forbidden = forbidden_bid(state)
        return bids & ~(1 << forbidden) if forbidden >= 0 else bids
    if phase == TRUMP:
        return 0b1111
    return 0


@compiled
def first_action(state: State) -> int:
    """The id of the first action of the kind the phase asks for."""
    phase = int(state.phase)
    if phase == PLAY:
        return FIRST_PLAY
    return FIRST_BID if phase == BID else FIRST_TRUMP


@compiled
def is_choice(action: int, first: int, choices: int) -> bool:
    """Whether an action is one of the choices that `legal` gave, of which `first` is the first's id."""
    choice = action - first
    return 0 <= choice < NUM_KINDS and (choices >> choice) & 1 != 0


@outlined
def forbidden_bid(state: State) -> int:
    """The bid that the restriction forbids the last bidder, or -1."""
    restriction = int(state.bid_restriction)
    if restriction == FREE or state.seat != state.dealer:
        return -1
    if restriction == CANADIAN and not is_last_round(state):
        return -1
    if restriction != NO_EVEN and not leads_alone(state, int(state.seat)):
        return -1
    left = int(state.hand_size)
    for seat in range(state.num_players):
        if seat != state.seat:
            left -= int(state.bids[seat])
    return max(left, -1)


@compiled
def is_last_round(state: State) -> bool:
    """Whether this is the last round that is played."""
    return int(state.round_index) + 1 == state.num_rounds


@compiled
def leads_alone(state: State, seat: int) -> bool:
    """Whether `seat` has more points than everybody else."""
    for other in range(state.num_players):
        if other != seat and state.scores[other] >= state.scores[seat]:
            return False
    return True


@compiled
def bids_are_public(state: State) -> bool:
    """Whether everybody sees the bids made so far; a seat always knows its own."""
    if state.bid_reveal == OPEN:
        return True
    if state.bid_reveal == SIMULTANEOUS:
        return state.phase > BID  # all have bid
    return state.phase > PLAY  # the round is scored


@compiled
def bid_is_visible(state: State, observer: int, seat: int) -> bool:
    """Whether `observer` may know the bid that `seat` has made."""
    return observer == seat or bids_are_public(state)


@compiled
def playable(state: State) -> int:
    """The cards that the acting seat may play."""
    hand = state.hands[at(state.seat)]
    led_suit = int(state.led_suit)
    if led_suit == UNDECIDED or led_suit == NO_SUIT:
        return hand
    led = SUIT_SETS[at(led_suit)]
    return hand & (led | SPECIALS) if hand & led else hand


@compiled
def apply(state: State, action: int) -> None:
    """Let the acting seat take a legal action; the last card of a round scores it."""
    phase = int(state.phase)
    if phase == PLAY:
        play(state, action - FIRST_PLAY)
    elif phase == BID:
        bid(state, action - FIRST_BID)
    else:
        choose_trump(state, action - FIRST_TRUMP)


@compiled
def take(state: State, action: int, skip_forced: bool) -> None:
    """Let the acting seat take a legal action.

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
def choose_trump(state: State, suit: int) -> None:
    """The dealer, having turned up a Wizard, names the trump; the bidding begins."""
    state.trump = suit
    state.phase = BID
    state.seat = state.leader


@compiled
def bid(state: State, tricks: int) -> None:
    """The acting seat bids; after the dealer's bid the play begins."""
    seat = int(state.seat)
    state.bids[seat] = tricks
    state.seat = left_of(state, seat)
    if seat == state.dealer:
        state.phase = PLAY


@compiled
def play(state: State, card: int) -> None:
    """The acting seat plays a card; the last card of a trick ends it."""
    seat = int(state.seat)
    state.hands[at(seat)] -= UNITS[at(card)]
    state.played[at(seat)] += UNITS[at(card)]
    suit = suit_of(card)
    led_suit = int(state.led_suit)
    power = power_in_trick(state, card)
    # the first card that is not a Jester sets the led suit: NO_SUIT for a Wizard
    state.led_suit = choose((led_suit == UNDECIDED) & (card != JESTER), suit, led_suit)
    shows_void = (suit != led_suit) & (suit != NO_SUIT)
    state.voids[at(seat)] |= choose(shows_void, VOIDS_SHOWN[at(led_suit + 1)], 0)
    wins = power > state.best_power
    state.best_power = choose(wins, power, state.best_power)
    state.best_seat = choose(wins, seat, state.best_seat)
    state.plays[at(state.num_plays)] = card
    state.num_plays += 1
    state.trick[at(seat)] = card
    state.trick_size += 1
    state.seat = left_of(state, seat)
    if state.trick_size == state.num_players:
        end_trick(state)


@compiled
def power_in_trick(state: State, card: int) -> int:
    """The power of a card if it is played next; it takes the trick if that is above `best_power`."""
    suit = suit_of(card)
    led_suit = int(state.led_suit)
    power = power_of(card, choose(led_suit == UNDECIDED, suit, led_suit), int(state.trump))
    # the magic card is a 2 of the suit that an earlier card led
    magic = (state.magic_edition != 0) & (suit == led_suit) & (suit != NO_SUIT) & (rank_of(card) == 0)
    return choose(magic, MAGIC_POWER, power)


@compiled
def power_of(card: int, led_suit: int, trump: int) -> int:
    """The power of a card in a trick: the highest wins, and of equals the first.

    Wizards beat trumps, trumps beat the led suit, and that beats Jesters; other cards cannot win.
    """
    suit = suit_of(card)
    power = choose((suit == led_suit) | (suit == NO_SUIT), LED_POWERS[at(card)], NO_POWER)
    return choose((suit == trump) & (suit != NO_SUIT), TRUMP_POWER + rank_of(card), power)


@compiled
def clear_trick(state: State) -> None:
    """Clear the trick from the table."""
    for seat in range(MAX_PLAYERS):
        state.trick[seat] = NO_CARD
    state.trick_size = 0
    state.best_seat = NO_SEAT
    state.best_power = NO_POWER
    state.led_suit = UNDECIDED


@compiled
def end_trick(state: State) -> None:
    """Give the trick to its winner, who leads next; the last trick scores the round."""
    winner = int(state.best_seat)
    state.tricks_won[at(winner)] += 1
    clear_trick(state)
    state.leader = winner
    state.seat = winner
    if state.hands[at(winner)] == 0:
        score_round(state)


@outlined
def score_round(state: State) -> None:
    """Add everybody's points of the round."""
    for seat in range(state.num_players):
        state.points[seat] = score(int(state.bids[seat]), int(state.tricks_won[seat]))
        state.scores[seat] += state.points[seat]
    state.phase = OVER if is_last_round(state) else SCORED


@compiled
def score(tricks_bid: int, tricks_won: int) -> int:
    """Points of a round: 20 + 10 per trick for a bid met, else -10 for each trick over or under."""
    if tricks_won == tricks_bid:
        return 20 + 10 * tricks_won
    return -10 * abs(tricks_won - tricks_bid)


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
    """How many cards `seat` still holds; known to everybody."""
    left = int(state.hand_size)
    for other in range(state.num_players):
        left -= int(state.tricks_won[other])
    return left if state.trick[seat] == NO_CARD else left - 1


@compiled
def unseen_by(known: State, observer: int) -> int:
    """The cards that a seat has not seen, in other hands or not dealt."""
    cards = DECK - known.hands[observer]
    for seat in range(known.num_players):
        cards -= known.played[seat]
    return cards if known.upcard == NO_CARD else cards - UNITS[known.upcard]
