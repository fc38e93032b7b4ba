"""SeatModel: a guess at what a seat does: `heuristic`, `rule_based`, or a network inside compiled code.

`heuristic` and a network give a value to every choice of the acting seat. In a playout the seat makes the
choice of the highest value. Where worlds are weighed by what was seen, a softmax of the values says how
likely each choice was. `rule_based` only names its choice. The seats of a world may have different models.

A network is computed for one decision at a time. A small network, distilled from a large one (Hinton et
al. 2015, see `wizard_env.train.distillation`), decides within a microsecond or two.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from wizard_env.agents.heuristic import SCRATCH, best_choice, choice_values
from wizard_env.agents.layers import Layer, add_rows, find_nonzeros, rectify
from wizard_env.agents.network import input_scale
from wizard_env.agents.rule_based import best_action
from wizard_env.compiled.bits import count_bits, lowest_bit
from wizard_env.compiled.jit import at, compiled, outlined
from wizard_env.engine import first_action, legal
from wizard_env.observation.encoder import canonical_order, observe, reorder_action
from wizard_env.observation.fields import OBS_SIZE, OBSERVATION_ROW
from wizard_env.rules import MAX_PLAYERS
from wizard_env.state import PLAY, State

BY_NETWORK, BY_HEURISTIC, BY_RULES = range(3)
"""Kinds of models."""


class Softmax(NamedTuple):
    """Turns values into probabilities: a softmax, mixed with a uniform choice."""

    epsilon: float = 0.05
    """The share of choices that are uniform."""
    temperature: float = 1.0
    """The loss in value that makes a choice 1/e times as likely; with 0 only the best choice is likely."""


GUESS = np.dtype(
    (
        np.record,
        [
            ("kind", "i8"),
            ("bid_epsilon", "f8"),
            ("bid_temperature", "f8"),
            ("play_epsilon", "f8"),
            ("play_temperature", "f8"),
        ],
    )
)
"""All of a `SeatModel` but its network: the guess at one seat, where seats may differ."""


class SeatModel(NamedTuple):
    """A network for compiled code, or an agent that is none: HEURISTIC, RULE_BASED."""

    weights: NDArray[np.float32]
    """[k] of each layer its weights [inputs, outputs], then its biases; the first takes bytes unscaled."""
    widths: NDArray[np.int64]
    """[layers + 1] from the inputs to the outputs; [0] without a network."""
    bids: Softmax = Softmax()
    """For bids, and for the trump that the dealer names."""
    plays: Softmax = Softmax()
    kind: int = BY_NETWORK
    """BY_NETWORK, BY_HEURISTIC or BY_RULES."""

    @classmethod
    def from_layers(cls, layers: Sequence[Layer]) -> Self:
        """Make a model of a network. layers: those of a `NetworkAgent`."""
        first, *others = layers
        scaled = [Layer(first.weights * input_scale()[:, np.newaxis], first.biases), *others]
        flat = [values.ravel() for layer in scaled for values in layer]
        widths = [len(first.weights), *(len(layer.biases) for layer in layers)]
        return cls(np.concatenate(flat).astype(np.float32), np.array(widths, np.int64))

    def guesses(self, count: int) -> NDArray[Any]:
        """Return this model as the guess at every seat: [count, MAX_PLAYERS] records of dtype GUESS."""
        guesses = np.empty((count, MAX_PLAYERS), GUESS)
        guesses[:] = (self.kind, *self.bids, *self.plays)
        return guesses


_NO_NETWORK = np.empty(0, np.float32), np.empty(0, np.int64)
HEURISTIC = SeatModel(*_NO_NETWORK, Softmax(0.02, temperature=12.0), Softmax(0.2, 4.0), BY_HEURISTIC)
RULE_BASED = SeatModel(*_NO_NETWORK, Softmax(0.005, temperature=0.0), Softmax(0.005, 0.0), BY_RULES)
"""It has no values, so its temperatures mean nothing."""
_SOFTMAX_KIND = Softmax._make((float, float))
MODEL_KIND = SeatModel._make(([np.float32], [np.int64], _SOFTMAX_KIND, _SOFTMAX_KIND, int))
"""The kind of a model, for kernels."""


def guesses_for(model: SeatModel, count: int, guesses: NDArray[Any] | None = None) -> NDArray[Any]:
    """Return guesses that are given, or else the model for every seat: [count, MAX_PLAYERS] of dtype GUESS.

    Raises ValueError if a seat needs a network and the model has none.
    """
    guesses = model.guesses(count) if guesses is None else guesses
    if len(model.widths) == 0 and (guesses["kind"] == BY_NETWORK).any():
        raise ValueError("a seat is guessed to be a network, and the model has no layers")
    return guesses


class Workspace(NamedTuple):
    """The models of a game's seats, with memory for one decision at a time."""

    model: SeatModel
    """Its network is that of every seat BY_NETWORK."""
    guesses: NDArray[Any]
    """[MAX_PLAYERS] of dtype GUESS."""
    scratch: NDArray[Any]
    """[1] of dtype SCRATCH; its `values` hold the value of every choice."""
    rows: NDArray[Any]
    """[1] of dtype OBSERVATION_ROW, with zeros for seats that do not exist."""
    hidden: NDArray[np.float32]
    """[widest]: the outputs of a layer."""
    columns: NDArray[np.int32]
    """[widest]: the indices of the inputs of a layer that are not 0."""
    values: NDArray[np.float32]
    """[widest]: those inputs."""


@compiled
def new_workspace(model: SeatModel, guesses: Any) -> Workspace:
    """Allocate memory for decisions of games with one number of players.

    guesses: [MAX_PLAYERS] of dtype GUESS, the models of the seats; `model` has the network.

    Each call of a compiled function that takes a workspace costs tens of nanoseconds: its arrays are counted.
    """
    widest = OBS_SIZE
    for width in model.widths:
        widest = max(widest, width)
    return Workspace(
        model,
        guesses,
        np.empty(1, SCRATCH),
        np.zeros(1, OBSERVATION_ROW),
        np.empty(widest, np.float32),
        np.empty(widest, np.int32),
        np.empty(widest, np.float32),
    )


@compiled
def choose_action(state: State, workspace: Workspace) -> int:
    """Return the action of the acting seat's model; reads only what that seat may know."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return first_action(state) + lowest_bit(choices)
    kind = workspace.guesses[at(int(state.seat))].kind
    if kind == BY_RULES:
        return best_action(state)
    if kind == BY_NETWORK:
        _write_logits(state, workspace)
    else:
        choice_values(state, workspace.scratch[0])
    return first_action(state) + best_choice(choices, workspace.scratch[0])


@compiled
def likelihood_of(action: int, state: State, workspace: Workspace) -> float:
    """Return the probability that the acting seat's model gives to an action."""
    choices = legal(state)
    if choices & (choices - 1) == 0:
        return 1.0
    guess = workspace.guesses[at(int(state.seat))]
    epsilon, temperature = guess.bid_epsilon, guess.bid_temperature
    if state.phase == PLAY:
        epsilon, temperature = guess.play_epsilon, guess.play_temperature
    if guess.kind == BY_RULES:
        return _sharp_likelihood(best_action(state) == action, choices, epsilon)
    if guess.kind == BY_NETWORK:
        _write_logits(state, workspace)
    else:
        choice_values(state, workspace.scratch[0])
    choice = best_choice(choices, workspace.scratch[0])
    if temperature == 0:
        return _sharp_likelihood(first_action(state) + choice == action, choices, epsilon)
    values = workspace.scratch[0].values
    best = values[choice]
    chosen = values[action - first_action(state)]
    total, count = 0.0, 0
    while choices:
        total += np.exp((values[lowest_bit(choices)] - best) / temperature)
        choices &= choices - 1
        count += 1
    return epsilon / count + (1 - epsilon) * np.exp((chosen - best) / temperature) / total


@compiled
def _sharp_likelihood(is_best: bool, choices: int, epsilon: float) -> float:
    """Return the likelihood of a choice of a seat that errs in a share of `epsilon`."""
    return epsilon / count_bits(choices) + (1 - epsilon if is_best else 0.0)


@outlined
def _write_logits(state: State, workspace: Workspace) -> None:
    """Write the network's logit of every legal choice to the scratch."""
    seat = int(state.seat)
    order = canonical_order(state, seat)
    observe(state, seat, workspace.rows[0], order)
    logits = _compute(workspace)
    first = first_action(state)
    choices = legal(state)
    while choices:
        choice = lowest_bit(choices)
        choices &= choices - 1
        workspace.scratch[0].values[choice] = logits[reorder_action(first + choice, order)]


@compiled
def _compute(workspace: Workspace) -> Any:
    """Compute the network for the observation in the workspace; returns its outputs, float32 [widest]."""
    columns, values = workspace.columns, workspace.values
    weights, widths = workspace.model.weights, workspace.model.widths
    count = find_nonzeros(workspace.rows[0].values, 0, OBS_SIZE, columns, values, 0)
    start = 0
    for layer in range(len(widths) - 1):
        outputs = widths[layer + 1]
        biases = start + widths[layer] * outputs
        sums = workspace.hidden[:outputs]
        for index in range(outputs):
            sums[at(index)] = weights[at(biases + index)]
        add_rows(columns, values, 0, count, weights, start, sums)
        start = biases + outputs
        if layer < len(widths) - 2:
            rectify(sums)
            count = find_nonzeros(sums, 0, outputs, columns, values, 0)
    return workspace.hidden
