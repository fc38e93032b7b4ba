"""All chance of the game: its random generator, shuffling, and the draw for the first dealer."""

import numpy as np

from wizard_env.cards import COPIES, DECK_SIZE, JESTER, NUM_KINDS, WIZARD, rank_of
from wizard_env.compiled.bits import count_bits, lowest_bit, nth_bit
from wizard_env.compiled.jit import at, compiled, outlined, wrapping
from wizard_env.engine import begin_game, cards_dealt, deal, first_action, legal
from wizard_env.state import DeckOrder, State

SORTED_DECK = np.repeat(np.arange(NUM_KINDS, dtype=np.int8), COPIES)

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_27 = np.uint64(27)
_30 = np.uint64(30)
_31 = np.uint64(31)
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@wrapping
def mix(number: np.uint64) -> np.uint64:
    """Scramble 64 bits: the output function of splitmix64 (Steele, Lea and Flood 2014)."""
    number = (number ^ (number >> _30)) * _MIX_1
    number = (number ^ (number >> _27)) * _MIX_2
    return number ^ (number >> _31)


@wrapping
def step_generator(number: np.uint64, steps: int) -> np.uint64:
    """The state of a splitmix64 generator after `steps` more draws."""
    return number + np.uint64(steps) * GAMMA


@compiled
def scale(word: np.uint64, bound: int) -> int:
    """Map the low 32 bits of `word` to a number below `bound`, with a bias below bound / 2**32."""
    return np.int64(((word & _LOW) * np.uint64(bound)) >> _32)  # type: ignore[return-value]


@outlined
def shuffle(state: State, deck: DeckOrder, count: int) -> None:
    """Put `count` uniformly random cards, in random order, on top of the deck.

    Uses the game's generator and nothing else, and advances it (Fisher and Yates; Durstenfeld 1964).
    """
    for index in range(DECK_SIZE):
        deck.cards[index] = SORTED_DECK[index]
    generator = state.generator
    word = np.uint64(0)
    for index in range(count):
        if index % 2 == 0:
            generator = step_generator(generator, 1)
            word = mix(generator)
        else:
            word = word >> _32
        other = at(index + scale(word, DECK_SIZE - index))
        card = deck.cards[at(index)]
        deck.cards[at(index)] = deck.cards[other]
        deck.cards[other] = card
    state.generator = generator
    deck.drawn = 0


LOWEST_DRAW = -1


@compiled
def draw_value(card: int) -> int:
    """The rank of a card in the draw for the first dealer: Jester < 2 < ... < A < Wizard."""
    if card == JESTER:
        return LOWEST_DRAW
    if card == WIZARD:
        return WIZARD
    return rank_of(card)


@outlined
def draw_cards(state: State, deck: DeckOrder, drawing: int) -> int:
    """Let every seat in the bit set `drawing` draw a card; returns those with the highest card."""
    if int(deck.drawn) + count_bits(drawing) > DECK_SIZE:  # a run of ties has used the deck up
        shuffle(state, deck, DECK_SIZE)
    highest = LOWEST_DRAW - 1
    highest_seats = 0
    for seat in range(state.num_players):
        if not (drawing >> seat) & 1:
            continue
        value = draw_value(int(deck.cards[deck.drawn]))
        deck.drawers[deck.drawn] = seat
        deck.drawn += 1
        if value > highest:
            highest = value
            highest_seats = 0
        if value == highest:
            highest_seats |= 1 << seat
    return highest_seats


@outlined
def draw_for_dealer(state: State, deck: DeckOrder) -> None:
    """Begin a game: whoever draws the highest card deals first; ties draw again."""
    shuffle(state, deck, DECK_SIZE)
    drawing = draw_cards(state, deck, (1 << int(state.num_players)) - 1)
    while count_bits(drawing) > 1:
        drawing = draw_cards(state, deck, drawing)
    begin_game(state, lowest_bit(drawing))


@compiled
def deal_round(state: State, deck: DeckOrder) -> None:
    """Shuffle all 60 cards and deal the round."""
    shuffle(state, deck, cards_dealt(state))
    deal(state, deck)


@compiled
def random_action(state: State, word: np.uint64) -> int:
    """A uniformly random legal action, from a random word."""
    choices = legal(state)
    return first_action(state) + lowest_bit(nth_bit(choices, scale(word, count_bits(choices))))
