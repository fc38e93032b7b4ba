"""Patience: kernels run as plain Python until their machine code is there."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from wizard_env import Game, View
from wizard_env.agents import load
from wizard_env.agents.layers import Layer, _multiply, compute
from wizard_env.compiled import plain
from wizard_env.compiled.jit import KERNELS, direct, kernel
from wizard_env.compiled.patience import patience, runs_plain


@pytest.mark.parametrize("make", [kernel, lambda *kinds: partial(plain.Kernel, kinds=kinds)])
def test_a_kernel_is_compiled_after_patience(make: Any) -> None:
    """It returns the same, by the function that `direct` gives too; what is prepared meanwhile is used."""

    def add(numbers: Any, more: int) -> int:
        return numbers[0] + more

    made = make([np.int64], int)(add)
    with patience():
        assert (made(np.array([3]), 4), direct(made)(np.array([3]), 4)) == (7, 7)
        assert runs_plain(made)
    assert not made.is_loaded()
    assert made(np.array([3]), 4) == 7
    with patience():
        assert not runs_plain(made)
    assert direct(made) is not made


def test_networks_are_computed_by_products_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal to the kernel's up to rounding."""
    rng = np.random.default_rng(0)
    layers = [
        Layer(rng.normal(size=size).astype(np.float32), rng.normal(size=size[1]).astype(np.float32))
        for size in ((30, 20), (20, 10), (10, 4))
    ]
    inputs = rng.normal(size=(7, 30)).astype(np.float32)
    compiled = compute(layers, inputs)
    monkeypatch.setattr(type(_multiply), "is_loaded", lambda self: False)
    with patience():
        assert compute(layers, inputs) == pytest.approx(compiled, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("name", ["rule_based", "heuristic", "adaptive"])
def test_agents_that_do_not_search_play_without_machine_code(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take the same actions, through two rounds."""
    agent, games = load(name), [Game(seed=5), Game(seed=5)]
    for _ in range(18):
        choice = agent.act(View.of([games[0]]), np.random.default_rng(0))
        with monkeypatch.context() as patched, patience():
            for kind in set(map(type, KERNELS.values())):
                patched.setattr(kind, "is_loaded", lambda self: False)
            assert load(name).act(View.of([games[1]]), np.random.default_rng(0)) == choice
        for game in games:
            game.step(int(choice[0]))
