"""PerturbedAgent: another agent, made to bid too high or too low, or to act at random now and then."""

from typing import Any

import numpy as np

from wizard_env import Agent
from wizard_env.actions import FIRST_BID
from wizard_env.chance import scale
from wizard_env.compiled.bits import count_bits, lowest_bit, nth_bit
from wizard_env.compiled.jit import kernel
from wizard_env.engine import first_action, legal
from wizard_env.loading import load
from wizard_env.sampling import unit_interval, word_at
from wizard_env.state import BID, STATE
from wizard_env.view import Actions, View

_FIRST_WORD = 64
"""Index of this agent's first word in a decision's random stream; the inner agent uses the words before."""


class PerturbedAgent:
    """For training populations: a learner that plays alongside it does not learn to rely on perfect play."""

    def __init__(self, of: str | Agent = "heuristic", bias: float = 0.0, noise: float = 0.0) -> None:
        """Set what is changed.

        Args:
            of: the inner agent.
            bias: average number of tricks added to its bids: 0.5 adds one to every other bid. A bid
                that would become illegal is left unchanged.
            noise: share of its decisions that become a uniformly random legal action.

        Raises:
            ValueError: `noise` or `bias` is out of range.
        """
        if not 0 <= noise <= 1:
            raise ValueError(f"noise={noise!r}: a share from 0 to 1 is needed")
        if not -20 <= bias <= 20:
            raise ValueError(f"bias={bias!r}: a number of tricks from -20 to 20 is needed")
        self.agent = load(of)
        self.bias = float(bias)
        self.noise = float(noise)

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        words = view.noise(rng)
        actions = np.array(self.agent.act(View(view.known, words), rng), np.int64)
        _change(view.known, words, self.bias, self.noise, actions)
        return actions


@kernel([STATE], [np.uint64], float, float, [np.int64])
def _change(states: Any, words: Any, bias: float, noise: float, actions: Any) -> None:
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
