"""A network inside compiled code: the same decisions and probabilities as outside it."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.positions import under_way
from wizard_env import NUM_ACTIONS, OBS_SIZE, Rules, View
from wizard_env.agents import load
from wizard_env.agents.layers import Layer
from wizard_env.agents.network import FILE_NAME, NetworkAgent, save_agent
from wizard_env.agents.pretrained import CHAMPION, DISTILLED, DISTILLED_TO_WIN
from wizard_env.agents.search.seat_model import (
    GUESS,
    HEURISTIC,
    MODEL_KIND,
    RULE_BASED,
    SeatModel,
    Softmax,
    choose_action,
    likelihood_of,
    new_workspace,
)
from wizard_env.compiled.jit import kernel
from wizard_env.state import PLAY, STATE

RNG = np.random.default_rng(0)


@kernel([STATE], MODEL_KIND, [GUESS], [np.int64])
def _choose(states: Any, model: Any, guesses: Any, actions: Any) -> None:
    for index in range(len(states)):
        actions[index] = choose_action(states[index], new_workspace(model, guesses))


@kernel([STATE], MODEL_KIND, [GUESS], [[np.float64]])
def _tell(states: Any, model: Any, guesses: Any, shares: Any) -> None:
    """Write the likelihood of every legal action, the positive entries of `shares`."""
    for index in range(len(states)):
        for action in range(shares.shape[1]):
            if shares[index, action] > 0:
                shares[index, action] = likelihood_of(action, states[index], new_workspace(model, guesses))


def actions_of(model: SeatModel, states: Any, guesses: Any = None) -> list[int]:
    actions = np.empty(len(states), np.int64)
    _choose(states, model, model.guesses(1)[0] if guesses is None else guesses, actions)
    return actions.tolist()


def likelihoods(model: SeatModel, view: View) -> Any:
    """float64 [n, NUM_ACTIONS], 0 for illegal actions."""
    shares = view.mask.astype(np.float64)
    _tell(view.known, model, model.guesses(1)[0], shares)
    return shares


@pytest.mark.parametrize("num_players", [3, 4, 6])
@pytest.mark.parametrize("options", [{}, {"bid_reveal": "secret", "magic_edition": True}])
@pytest.mark.parametrize("path", [CHAMPION, DISTILLED, DISTILLED_TO_WIN], ids=lambda path: path.name)
def test_it_is_the_network(path: Any, options: dict[str, Any], num_players: int) -> None:
    """It sees nothing that the acting seat may not know, although the states hold all cards."""
    states = under_way(Rules(num_players, **options), 120, seed=3).states
    view, network = View(states), NetworkAgent(str(path), backend="numpy")
    model = SeatModel.from_layers(network.layers)
    assert actions_of(model, states) == network.act(view, RNG).tolist()
    by_chance = view.mask / view.mask.sum(axis=1, keepdims=True)
    epsilon = Softmax().epsilon
    expected = epsilon * by_chance + (1 - epsilon) * network.printed_policy(view)
    np.testing.assert_allclose(likelihoods(model, view), expected, atol=1e-5)


@pytest.mark.parametrize("hidden", [(), (5,), (16, 700), (3, 9, 2, 31)])
def test_it_takes_any_number_of_layers(hidden: tuple[int, ...], tmp_path: Path) -> None:
    """Also wider than an observation."""
    widths, rng = [OBS_SIZE, *hidden, NUM_ACTIONS], np.random.default_rng(1)
    layers = [
        Layer(rng.normal(size=sizes).astype(np.float32), rng.normal(size=sizes[1]).astype(np.float32))
        for sizes in pairwise(widths)
    ]
    weights = {f"layer.{number}.weight": layer.weights.T for number, layer in enumerate(layers)}
    weights |= {f"layer.{number}.bias": layer.biases for number, layer in enumerate(layers)}
    save_agent(weights, tmp_path / FILE_NAME)
    network = NetworkAgent(str(tmp_path), backend="numpy")
    states = under_way(Rules(), 60, seed=4).states
    assert actions_of(SeatModel.from_layers(layers), states) == network.act(View(states), RNG).tolist()


@pytest.mark.parametrize(("model", "name"), [(HEURISTIC, "heuristic"), (RULE_BASED, "rule_based")])
@pytest.mark.parametrize("options", [{}, {"bid_reveal": "secret", "magic_edition": True}])
def test_without_layers_it_is_an_agent(model: SeatModel, name: str, options: dict[str, Any]) -> None:
    view = View(under_way(Rules(**options), 200, seed=4).states)
    assert actions_of(model, view.known) == load(name).act(view, RNG).tolist()


@pytest.mark.parametrize(("model", "name"), [(HEURISTIC, "heuristic"), (RULE_BASED, "rule_based")])
def test_at_temperature_0_it_hardly_errs(model: SeatModel, name: str) -> None:
    """The share of uniform choices is all that the other actions get."""
    view = View(under_way(Rules(), 200, seed=4).states)
    sharp = model._replace(bids=Softmax(0.03, 0.0), plays=Softmax(0.01, 0.0))
    actions, epsilon = load(name).act(view, RNG), np.where(view.known["phase"] == PLAY, 0.01, 0.03)
    by_chance = view.mask / view.mask.sum(axis=1, keepdims=True)
    expected = epsilon[:, np.newaxis] * by_chance
    expected[np.arange(len(view)), actions] += 1 - epsilon
    np.testing.assert_allclose(likelihoods(sharp, view), expected, rtol=1e-12)
