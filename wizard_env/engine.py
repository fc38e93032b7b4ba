"""The rules: deal, legal, apply, beats, score. The only place where a rule is written.

Plain loops over one game's record, in the subset of Python that numba compiles. Nothing here rolls
dice (see chance.py), and `apply` trusts its caller to pass a legal action.
"""

import numpy as np

from wizard_env.actions import FIRST_BID, FIRST_PLAY, FIRST_TRUMP
from wizard_env.cards import (
    DECK_SIZE,
    JESTER,
    SPECIALS,
    SUIT_SETS,
    UNITS,
    WIZARD,
    kinds_of,
    rank_of,
    suit_of,
)
from wizard_env.jit import compiled
from wizard_env.state import (
    BID,
    CANADIAN,
    FREE,
    HIDDEN,
    NO_CARD,
    NO_EVEN,
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
    """How many cards of the deck this round uses: all hands and, where one is left, the upcard."""
    in_hands = int(state.hand_size) * int(state.num_players)
    return in_hands + 1 if in_hands < DECK_SIZE else in_hands


@compiled
def deal(state: State, deck: DeckOrder) -> None:
    """Deal the round: `hand_size` cards each from the top, from the dealer's left, then the upcard."""
    seat = left_of(state, int(state.dealer))
    state.leader = seat
    position = 0
    for _ in range(state.num_players):
        hand = 0
        for _ in range(state.hand_size):
            hand += UNITS[deck.cards[position]]
            position += 1
        state.hands[seat] = hand
        seat = left_of(state, seat)
    turn_up(state, int(deck.cards[position]) if position < DECK_SIZE else NO_CARD)


@compiled
def turn_up(state: State, upcard: int) -> None:
    """Start a round whose hands are dealt: the upcard sets the trump, or lets the dealer choose."""
    for seat in range(state.num_players):
        state.played[seat] = 0
        state.bids[seat] = NOT_BID
        state.tricks_won[seat] = 0
        state.voids[seat] = 0
    state.trick_size = 0
    state.led_suit = UNDECIDED
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
    """The id of the first action of the kind that the phase asks for."""
    phase = int(state.phase)
    if phase == PLAY:
        return FIRST_PLAY
    return FIRST_BID if phase == BID else FIRST_TRUMP


@compiled
def forbidden_bid(state: State) -> int:
    """The bid that the restriction takes from the last bidder, or -1."""
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
def bid_is_visible(state: State, observer: int, seat: int) -> bool:
    """Whether `observer` may know the bid that `seat` has made."""
    if observer == seat or state.bid_reveal == OPEN:
        return True
    if state.bid_reveal == SIMULTANEOUS:
        return state.phase > BID  # all have bid
    return state.phase > PLAY  # the round is scored


@compiled
def playable(state: State) -> int:
    """The cards that the acting seat may play."""
    hand = state.hands[state.seat]
    led_suit = int(state.led_suit)
    if led_suit == UNDECIDED or led_suit == NO_SUIT:
        return hand
    if hand & SUIT_SETS[led_suit]:
        return hand & (SUIT_SETS[led_suit] | SPECIALS)
    return hand


@compiled
def apply(state: State, action: int) -> None:
    """Let the acting seat take a legal action; a round's last card scores the round."""
    phase = int(state.phase)
    if phase == PLAY:
        play(state, action - FIRST_PLAY)
    elif phase == BID:
        bid(state, action - FIRST_BID)
    else:
        choose_trump(state, action - FIRST_TRUMP)


@compiled
def choose_trump(state: State, suit: int) -> None:
    """The dealer, who turned up a Wizard, names the trump; the bidding begins."""
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
    size = int(state.trick_size)
    led_suit = int(state.led_suit)
    state.hands[seat] -= UNITS[card]
    state.played[seat] += UNITS[card]
    if size == 0 or beats(state, card):
        state.trick_best = size
    if led_suit == UNDECIDED:
        if card != JESTER:  # the first card that is not a Jester sets the led suit
            state.led_suit = suit_of(card)  # NO_SUIT for a Wizard: everyone after it is free
    elif led_suit != NO_SUIT and card < WIZARD and suit_of(card) != led_suit:
        state.voids[seat] |= 1 << led_suit
    state.trick[size] = card
    state.trick_size = size + 1
    state.seat = left_of(state, seat)
    if size + 1 == state.num_players:
        end_trick(state)


@compiled
def beats(state: State, card: int) -> bool:
    """Whether `card`, played next, takes the trick from the card that wins so far."""
    index = int(state.trick_best)
    best = int(state.trick[index])
    if is_magic(state, card, int(state.trick_size)):
        return True
    if best == WIZARD or card == JESTER or is_magic(state, best, index):
        return False  # the first Wizard wins; a Jester never takes over
    if card == WIZARD or best == JESTER:
        return True
    if suit_of(card) == suit_of(best):
        return rank_of(card) > rank_of(best)
    return suit_of(card) == state.trump


@compiled
def is_magic(state: State, card: int, index: int) -> bool:
    """Whether `card`, at `index` in the trick, is a Magic Wizard: the 2 of a suit led before it."""
    if not state.magic_edition or state.led_suit == UNDECIDED or state.led_suit == NO_SUIT:
        return False
    if suit_of(card) != state.led_suit or rank_of(card) != 0:
        return False
    for earlier in range(index):
        if state.trick[earlier] != JESTER:
            return True
    return False  # this 2 set the led suit itself


@compiled
def trick_winner(state: State) -> int:
    """The seat that wins the trick on the table as it stands."""
    seat = int(state.leader) + int(state.trick_best)
    return seat if seat < state.num_players else seat - int(state.num_players)


@compiled
def end_trick(state: State) -> None:
    """Give the trick to its winner, who leads next; the last trick scores the round."""
    winner = trick_winner(state)
    state.tricks_won[winner] += 1
    state.trick_size = 0
    state.led_suit = UNDECIDED
    state.leader = winner
    state.seat = winner
    if state.hands[winner] == 0:
        score_round(state)


@compiled
def score_round(state: State) -> None:
    """Add everybody's points of the round."""
    for seat in range(state.num_players):
        state.points[seat] = score(int(state.bids[seat]), int(state.tricks_won[seat]))
        state.scores[seat] += state.points[seat]
    state.phase = OVER if is_last_round(state) else SCORED


@compiled
def score(tricks_bid: int, tricks_won: int) -> int:
    """Points of a round: 20 + 10 per trick for a bid met, else -10 for each trick over or under.

    Never 0, so that points other than 0 tell that a round has ended.
    """
    if tricks_won == tricks_bid:
        return 20 + 10 * tricks_won
    return -10 * abs(tricks_won - tricks_bid)


@compiled
def conceal(state: State, observer: int) -> None:
    """Take from a copy of a state all that `observer` may not know: what is left agrees with it."""
    for seat in range(state.num_players):
        if seat != observer:
            state.hands[seat] = 0
        if state.bids[seat] != NOT_BID and not bid_is_visible(state, observer, seat):
            state.bids[seat] = HIDDEN
    state.generator = np.uint64(0)


@compiled
def cards_left(state: State, seat: int) -> int:
    """How many cards `seat` still holds; known to everybody."""
    acted = int(state.trick_size)
    left = int(state.hand_size)
    for other in range(state.num_players):
        left -= int(state.tricks_won[other])
    position = seat - int(state.leader)
    if position < 0:
        position += int(state.num_players)
    return left - 1 if position < acted else left
