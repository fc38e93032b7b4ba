"""All chance of the game: its random generator, shuffling, and dealing at random."""

import numpy as np

from wizard_env.cards import COPIES, DECK_SIZE, NUM_KINDS
from wizard_env.compiled.bits import count_bits, lowest_bit, nth_bit
from wizard_env.compiled.jit import at, compiled, outlined, wrapping
from wizard_env.engine import cards_dealt, deal, draw_cards, first_action, legal
from wizard_env.state import DeckOrder, State

_SORTED_DECK = np.repeat(np.arange(NUM_KINDS, dtype=np.int8), COPIES)

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
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
    """Return the state of a splitmix64 generator after `steps` more draws."""
    return number + np.uint64(steps) * _GAMMA


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
        deck.cards[index] = _SORTED_DECK[index]
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


@outlined
def draw_or_reshuffle(state: State, deck: DeckOrder, drawing: int) -> int:
    """Draw as `draw_cards` does, from a fresh deck if a run of ties has used this one up."""
    if int(deck.drawn) + count_bits(drawing) > DECK_SIZE:
        shuffle(state, deck, DECK_SIZE)
    return draw_cards(state, deck, drawing)


@outlined
def draw_for_dealer(state: State, deck: DeckOrder) -> None:
    """Draw for the first dealer, and begin the game."""
    shuffle(state, deck, DECK_SIZE)
    drawing = (1 << int(state.num_players)) - 1
    while drawing:
        drawing = draw_or_reshuffle(state, deck, drawing)


@compiled
def deal_round(state: State, deck: DeckOrder) -> None:
    """Shuffle as many cards as the round uses, and deal them."""
    shuffle(state, deck, cards_dealt(state))
    deal(state, deck)


@compiled
def random_action(state: State, word: np.uint64) -> int:
    """Return a uniformly random legal action, from a random word."""
    choices = legal(state)
    return first_action(state) + lowest_bit(nth_bit(choices, scale(word, count_bits(choices))))
