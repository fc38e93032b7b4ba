"""Compiled code and plain Python run the same lines, and any numba compiles them to the same games."""

import hashlib
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wizard_env import NUM_ACTIONS, OBS_SIZE, Game, Games, Rules, View, sample_legal, sample_softmax
from wizard_env.agents import load
from wizard_env.agents.layers import Layer
from wizard_env.agents.search.belief import count_deals, draw_worlds
from wizard_env.agents.search.likelihood import sample_worlds
from wizard_env.agents.search.seat_model import HEURISTIC, RULE_BASED, SeatModel
from wizard_env.compiled.jit import COMPILES
from wizard_env.history.decisions import retrace, rewind

SINGLE = [
    Rules(num_players=3, hand_sizes=(4, 20), magic_edition=True),  # 20 tricks: bids of two digits
    Rules(num_players=4, hand_sizes=(1, 2), bid_restriction="canadian"),
    Rules(num_players=5, hand_sizes=(5, 1), bid_reveal="secret"),
    Rules(num_players=6, hand_sizes=(1, 3), bid_reveal="simultaneous", magic_edition=True),
    Rules(num_players=3, hand_sizes=(2, 1), bid_restriction="no_even"),
]
BATCHES: list[dict[str, Any]] = [
    {"rules": Rules(num_players=3, hand_sizes=(1, 2)), "canonical_suits": True},
    {"rules": Rules(num_players=4, hand_sizes=(1, 2), bid_restriction="leader"), "skip_forced": True},
    {"rules": Rules(num_players=6, hand_sizes=(2,), magic_edition=True, bid_reveal="secret")},
]


def digest() -> list[str]:
    """One hash for each game and batch, of all that they show on the way."""
    agents = map(digest_of_agent, ["rule_based", "heuristic", "search:worlds=1"])
    return [*map(digest_of_game, SINGLE), *map(digest_of_batch, BATCHES), *agents, digest_of_belief()]


def digest_of_game(rules: Rules) -> str:
    hashed, rng = hashlib.sha256(), np.random.default_rng(5)
    for seed in range(2):
        game = Game(rules, seed)
        hashed.update(repr(game.draw).encode())
        while game.seat is not None:
            view = View.of([game]).encode(canonical_suits=True)
            rows = [game.observe(seat) for seat in range(rules.num_players)]
            for array in (*rows, *view, game.legal_mask(), game.full_state(), game.state):
                hashed.update(array.tobytes())
            game.step(int(rng.choice(game.legal_actions())))
        hashed.update(repr((game.rounds, game.scores, game.winners)).encode())
    return hashed.hexdigest()


def digest_of_batch(options: dict[str, Any]) -> str:
    hashed, rng = hashlib.sha256(), np.random.default_rng(6)
    games = Games(num_games=8, seed=3, **options)
    for step in range(40):
        shown = (games.observation, games.mask, games.seat, games.points, games.done, games.states)
        began = rewind(games.states, games.finished_rounds)
        kept = (games.finished_rounds, *began, *retrace(began.states, began.rounds))
        for array in (*shown, games.observe(1), *kept):
            hashed.update(array.tobytes())
        if step % 2:
            games.step(sample_legal(games.mask, rng))
        else:
            games.step(sample_softmax(rng.normal(size=games.mask.shape), games.mask, rng)[0])
    ends, decisions = games.playout(rng)
    hashed.update(ends.tobytes() + str(decisions).encode())
    return hashed.hexdigest()


def digest_of_agent(name: str) -> str:
    """Hash an agent's choices, and the worlds and the number of deals that it may believe in."""
    hashed, agent = hashlib.sha256(), load(name)
    for rules in SINGLE[1:]:
        games = Games(rules, 3, seed=4)
        for step in range(12):
            view = games.view(noise=np.arange(3, dtype=np.uint64) + step)
            actions = agent.act(view, np.random.default_rng(0))
            for array in (actions, draw_worlds(view, 2, np.random.default_rng(0)), count_deals(view)):
                hashed.update(array.tobytes())
            games.step(actions)
    return hashed.hexdigest()


def digest_of_belief() -> str:
    """The worlds that a search believes in, with a network in every seat, and with other models in some."""
    hashed, rng = hashlib.sha256(), np.random.default_rng(7)
    model = SeatModel.from_layers(small_network(rng))
    guesses = model.guesses(2)
    guesses[:, 0], guesses[:, 1] = RULE_BASED.guesses(2)[:, 0], HEURISTIC.guesses(2)[:, 1]
    for rules in SINGLE[1:]:
        games = Games(rules, 2, seed=6)
        for step in range(rules.num_players + 2):
            games.step(sample_legal(games.mask, rng))
            if step % 2:
                hashed.update(sample_worlds(games.view(), 1, rng, "plays", model).tobytes())
                hashed.update(sample_worlds(games.view(), 1, rng, "plays", model, guesses).tobytes())
    return hashed.hexdigest()


def small_network(rng: np.random.Generator) -> list[Layer]:
    """Make layers of random weights: plain Python takes half a minute for a network of the package."""
    return [
        Layer(rng.normal(size=shape).astype(np.float32), np.zeros(shape[1], np.float32))
        for shape in pairwise((OBS_SIZE, 8, 8, NUM_ACTIONS))
    ]


def run_differently(*arguments: str, **environment: str) -> list[str]:
    """Return the output of Python with some settings, and with every warning an error."""
    run = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent.parent), **environment},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_compiled_equals_uncompiled() -> None:
    """The same lines compiled and uncompiled, without a warning."""
    assert COMPILES
    assert run_differently(__file__, NUMBA_DISABLE_JIT="1") == digest()


@pytest.mark.slow
def test_plain_numba_plays_the_same_games() -> None:
    """As with versions that `dispatchers.py` was not tried with."""
    assert run_differently(__file__, WIZARD_PLAIN_NUMBA="1") == digest()


@pytest.mark.parametrize(
    ("sample", "setting"),
    [
        ("sample_legal(mask, rng)", "NUMBA_DISABLE_JIT"),
        ("sample_softmax(mask, mask, rng)[0]", "NUMBA_DISABLE_JIT"),
        ("sample_legal(mask, rng)", "WIZARD_PLAIN_NUMBA"),
    ],
)
def test_rows_without_legal_action(sample: str, setting: str) -> None:
    """Games that pause have nothing to choose: no warning, compiled by plain numba or not."""
    program = (
        "import sys; import numpy as np; from wizard_env import sample_legal, sample_softmax;"
        "mask, rng = np.zeros((1, 79), np.uint8), np.random.default_rng(0);"
        f"sys.stdout.write(str({sample}[0]))"
    )
    assert run_differently("-c", program, **{setting: "1"}) == ["0"]


if __name__ == "__main__":
    sys.stdout.write("\n".join(digest()))
