"""PerturbedAgent: another agent, made to bid badly, grab or avoid tricks, or act at random now and then."""

from typing import Any

import numpy as np

from wizard_env import Agent
from wizard_env.actions import FIRST_BID
from wizard_env.chance import scale
from wizard_env.checks import check_number
from wizard_env.compiled.bits import count_bits, lowest_bit, nth_bit
from wizard_env.compiled.jit import compiled, kernel
from wizard_env.engine import first_action, legal, power_in_trick
from wizard_env.loading import load
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import BID, PLAY, STATE, State
from wizard_env.view import Actions, View, ask

_FIRST_WORD = 64
"""Index of this agent's first word in a decision's random stream; the inner agent uses the words before."""


class PerturbedAgent:
    """Keeps a learner that trains alongside it from relying on perfect play."""

    def __init__(
        self, of: str | Agent = "heuristic", bias: float = 0.0, noise: float = 0.0, greed: float = 0.0
    ) -> None:
        """Set the changes.

        Args:
            of: the inner agent.
            bias: average number of tricks added to its bids: 0.5 adds one to every other bid. A bid
                that would become illegal is left unchanged.
            noise: share of its decisions that become a uniformly random legal action.
            greed: share of its plays that become its strongest legal card, whatever it has bid; below 0,
                its weakest.
        """
        self.noise = check_number("noise", noise, 0, 1, "a share")
        self.bias = check_number("bias", bias, -20, 20, "a number of tricks")
        self.greed = check_number("greed", greed, -1, 1, "a share")
        self.agent = load(of)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        words = view.noise(rng)
        actions = ask(self.agent, view.with_noise(words), rng).copy()
        _change(view.known, words, self.bias, self.noise, self.greed, actions)
        return actions


def generated_population(count: int, seed: int) -> list[str]:
    """Name `count` agents of many kinds, for `load`: heuristics with random bias, noise and greed.

    Half are `rule_based`, which bid from 1 trick too low to 1 too high on average, and half `heuristic`,
    which bid up to 1 too high: one that bids too low serves as a yardstick that training does not meet. No
    more than a tenth of the decisions are random, and no more than a third of the plays are greedy or timid.

    seed: the same seed gives the same agents, and a larger population begins with a smaller one.
    """
    rng = np.random.default_rng(seed)
    names = []
    for number in range(count):
        of, lowest = ("heuristic", 0.0) if number % 2 else ("rule_based", -1.0)
        bias, noise, greed = rng.uniform([lowest, 0.0, -1 / 3], [1.0, 0.1, 1 / 3])
        names.append(f"variant:of={of},bias={bias:.2f},noise={noise:.2f},greed={greed:.2f}")
    return names


@kernel([STATE], [np.uint64], float, float, float, [np.int64])
def _change(states: Any, words: Any, bias: float, noise: float, greed: float, actions: Any) -> None:
    for index in range(len(actions)):
        state, word = states[index], words[index]
        choices = legal(state)
        first = first_action(state)
        if unit_interval(word_at(word, _FIRST_WORD)) < noise:
            choice = scale(word_at(word, _FIRST_WORD + 1), count_bits(choices))
            actions[index] = first + lowest_bit(nth_bit(choices, choice))
        elif state.phase == BID:
            added = np.floor(bias + unit_interval(word_at(word, _FIRST_WORD + 2)))
            tricks = actions[index] - FIRST_BID + int(added)
            if 0 <= tricks <= state.hand_size and (choices >> tricks) & 1:
                actions[index] = FIRST_BID + tricks
        elif state.phase == PLAY and unit_interval(word_at(word, _FIRST_WORD + 2)) < abs(greed):
            actions[index] = first + _extreme_card(state, choices, 1 if greed > 0 else -1)


@compiled
def _extreme_card(state: State, choices: int, sign: int) -> int:
    """Return the strongest legal card if it is played next, or with sign -1 the weakest."""
    found, power = -1, 0
    while choices:
        card = lowest_bit(choices)
        choices &= choices - 1
        if found < 0 or sign * power_in_trick(state, card) > power:
            found, power = card, sign * power_in_trick(state, card)
    return found
