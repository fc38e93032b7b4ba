"""What the seats of a world are believed to do: what `heuristic` does, or a network inside compiled code.

Either writes a value for every choice of the acting seat. The highest is what the seat does in a playout;
a softmax of them is how likely each choice is, where worlds are weighed by what was seen.

A network is computed for one decision at a time. Most inputs are 0, and so is about half of each hidden layer
(ReLU): only the weights behind the others are read. A small network, distilled from a large one (Hinton et
al. 2015, see `wizard_env.train.distillation`), decides within a microsecond or two.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.heuristic import SCRATCH, best_choice, choice_values
from wizard_env.agents.network import Layer, input_scale
from wizard_env.compiled.bits import lowest_bit
from wizard_env.compiled.jit import at, compiled, outlined
from wizard_env.compiled.packing import WORD_BITS, pack_bits
from wizard_env.engine import first_action, legal
from wizard_env.observation.encoder import observe
from wizard_env.observation.fields import OBS_SIZE, OBSERVATION_ROW
from wizard_env.observation.suit_order import canonical_order, reorder_action
from wizard_env.state import PLAY, State

BID_TEMPERATURE = 12.0
PLAY_TEMPERATURE = 4.0
"""The loss in points that makes a choice of `heuristic` 1/e times as likely."""
ODD_BIDS = 0.02
ODD_PLAYS = 0.2
"""The share of choices of `heuristic` that are made uniformly, whatever their value."""
ODD = 0.05
"""That share where a network is the model."""


class OpponentModel(NamedTuple):
    """A network for compiled code; `heuristic` if it has no layers."""

    weights: NDArray[np.float32]
    """[k] of each layer its weights [inputs, outputs], then its biases; the first takes bytes unscaled."""
    widths: NDArray[np.int64]
    """[layers + 1] from the inputs to the outputs; [0] without a network."""
    odd: float = ODD
    temperature: float = 1.0


KINDS = ([np.float32], [np.int64], float, float)
"""The kinds of a model's arrays, for kernels."""
HEURISTIC = OpponentModel(np.empty(0, np.float32), np.empty(0, np.int64))


def model_of(layers: Sequence[Layer]) -> OpponentModel:
    """A network as a model. layers: those of a `NetworkAgent`."""
    (first, bias), *others = layers
    scaled = [(first * input_scale()[:, np.newaxis], bias), *others]
    flat = [values.ravel() for layer in scaled for values in layer]
    widths = [len(first), *(len(layer[1]) for layer in layers)]
    return OpponentModel(np.concatenate(flat).astype(np.float32), np.array(widths, np.int64))


@compiled
def working_copy(weights: Any, widths: Any, odd: float, temperature: float) -> Any:
    """A model with working memory for one decision: what the functions below take as `model`."""
    widest = 1
    for layer in range(1, len(widths)):
        widest = max(widest, widths[layer])
    hidden = np.empty((2, max(widest, OBS_SIZE)), np.float32)
    active = np.empty(max(widest, OBS_SIZE) + 1, np.int64)
    return (
        np.empty(1, SCRATCH),
        np.zeros(1, OBSERVATION_ROW),
        hidden,
        active,
        weights,
        widths,
        odd,
        temperature,
    )


@compiled
def model_action(state: State, model: Any) -> int:
    """The action that the model takes for the acting seat; it reads only what that seat may know."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return first_action(state) + lowest_bit(choices)
    write_values(state, model)
    return first_action(state) + best_choice(choices, model[0][0])


@compiled
def model_likelihood(state: State, action: int, model: Any) -> float:
    """The probability of the acting seat's action: a softmax of values, mixed with a uniform choice."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return 1.0
    odd, temperature = model[6], model[7]
    if len(model[5]) == 0:
        odd = ODD_PLAYS if state.phase == PLAY else ODD_BIDS
        temperature = PLAY_TEMPERATURE if state.phase == PLAY else BID_TEMPERATURE
    write_values(state, model)
    values = model[0][0].values
    best = values[best_choice(choices, model[0][0])]
    chosen = values[action - first_action(state)]
    total, count = 0.0, 0
    while choices:
        total += np.exp((values[lowest_bit(choices)] - best) / temperature)
        choices &= choices - 1
        count += 1
    return odd / count + (1 - odd) * np.exp((chosen - best) / temperature) / total


@outlined
def write_values(state: State, model: Any) -> None:
    """Write the value of every legal choice to the model's scratch."""
    scratch, rows, hidden, active, weights, widths, _, _ = model
    if len(widths) == 0:
        choice_values(state, scratch[0])
        return
    order = canonical_order(state, int(state.seat))
    observe(state, int(state.seat), rows[0], order)
    _compute(rows[0].values, hidden, active, weights, widths)
    logits = hidden[len(widths) % 2]
    first = first_action(state)
    choices = legal(state)
    while choices:
        choice = lowest_bit(choices)
        choices &= choices - 1
        scratch[0].values[choice] = logits[reorder_action(first + choice, order)]


@compiled
def _compute(observation: Any, hidden: Any, active: Any, weights: Any, widths: Any) -> None:
    """Compute the network layer by layer, the first into hidden[0], the second into hidden[1], and so on."""
    count, done = 0, 0
    for block in range(0, OBS_SIZE, WORD_BITS):
        place = min(block, OBS_SIZE - WORD_BITS)
        left = pack_bits(observation, place) & (-1 << (done - place))
        done = place + WORD_BITS
        while left:
            active[count] = place + lowest_bit(left)
            left &= left - 1
            count += 1
    for number in range(count):
        hidden[1, at(active[number])] = observation[at(active[number])]
    _add_rows(hidden[1], active, count, weights, 0, OBS_SIZE, widths[1], hidden[0])
    start = (OBS_SIZE + 1) * widths[1]
    for layer in range(1, len(widths) - 1):
        inputs, outputs = widths[layer], widths[layer + 1]
        before = hidden[(layer + 1) % 2]
        count = 0
        for index in range(inputs):
            active[count] = index
            count += 1 if before[index] > 0 else 0  # ReLU
        _add_rows(before, active, count, weights, start, inputs, outputs, hidden[layer % 2])
        start += (inputs + 1) * outputs


@compiled
def _add_rows(
    factors: Any, active: Any, count: int, weights: Any, start: int, inputs: int, outputs: int, sums: Any
) -> None:
    """Write the biases, and the rows of weights at the active inputs times those, added up.

    Four rows at a time: the sums are then read and written once for four products.
    """
    bias = start + inputs * outputs
    for index in range(outputs):
        sums[at(index)] = weights[at(bias + index)]
    number = 0
    while number + 4 <= count:
        a, b, c, d = active[number], active[number + 1], active[number + 2], active[number + 3]
        fa, fb, fc, fd = factors[at(a)], factors[at(b)], factors[at(c)], factors[at(d)]
        a, b, c, d = start + a * outputs, start + b * outputs, start + c * outputs, start + d * outputs
        for index in range(outputs):
            sums[at(index)] += (
                fa * weights[at(a + index)]
                + fb * weights[at(b + index)]
                + fc * weights[at(c + index)]
                + fd * weights[at(d + index)]
            )
        number += 4
    while number < count:
        a = active[number]
        fa = factors[at(a)]
        a = start + a * outputs
        for index in range(outputs):
            sums[at(index)] += fa * weights[at(a + index)]
        number += 1
