"""Distilling a network into a small one that answers alike (Hinton et al. 2015).

The small network learns the large one's probabilities in positions that either of them leads to, so that it
also learns what to do after a mistake of its own (Ross et al. 2011).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Games, Rules, sample_softmax
from wizard_env.agents.network import FILE_NAME, NetworkAgent, input_scale, save_agent
from wizard_env.checks import check_integer
from wizard_env.records.files import write_atomically
from wizard_env.sampling import best_legal
from wizard_env.train.folder_lock import locked
from wizard_env.train.networks import Mlp, agent_weights, check_finite, layers_of
from wizard_env.train.selfplay.allocator import keep_freed_memory
from wizard_env.train.threads import TorchPace

BATCH = 1024
"""Decisions per step of the optimizer."""
LEARNING_RATE = 2e-3
"""Of Adam; it falls to 0."""
REPORTED = 200
"""Steps of all games between one lesson and the next."""


@dataclass(frozen=True)
class Lesson:
    """How alike the two networks were lately."""

    decisions: int
    """Learned from so far."""
    agreement: float
    """The share of decisions in which both would take the same action."""
    divergence: float
    """The Kullback-Leibler divergence of the small network's probabilities from the large one's, in nats."""


def distill(
    network: str,
    folder: Path,
    kinds: Sequence[tuple[Rules, int]],
    layers: Sequence[int] = (128, 128),
    decisions: int = 12_000_000,
    seed: int = 0,
) -> Iterator[Lesson]:
    """Distil a network, and write the small one into a folder when the last lesson is over.

    In half of the games the large network plays, its likeliest action; in the others the small one, sampled.

    Args:
        network: path of the large network.
        folder: where to write; `load(folder)` plays with it. Its weights are float16.
        kinds: rules to learn, each with its number of games to play side by side.
        layers: widths of the small network's hidden layers.
        decisions: how many to learn from, at least 1; rounded up to a step of all games.
        seed: of the deals, the weights and the order.

    Yields:
        How it goes, every REPORTED steps of all games and at the end.

    Raises:
        FileNotFoundError, ValueError: there is no such network, or `decisions` is out of range.
        FileExistsError: the folder already holds an agent.
        BlockingIOError, PermissionError: another process writes there, or nobody may.
    """
    check_integer("decisions", decisions, 1, 2**62)
    with locked(folder):
        if (folder / FILE_NAME).exists():
            raise FileExistsError(f"{folder} already holds an agent: name another folder")
        yield from _distil(network, folder / FILE_NAME, kinds, layers, decisions, seed)


def _distil(
    network: str,
    path: Path,
    kinds: Sequence[tuple[Rules, int]],
    layers: Sequence[int],
    decisions: int,
    seed: int,
) -> Iterator[Lesson]:
    keep_freed_memory()
    large = NetworkAgent(network)
    rng = np.random.default_rng(seed)
    games = Games(
        [rules for rules, count in kinds for _ in range(count)],
        sum(count for _, count in kinds),
        seed,
        canonical_suits=True,
        skip_forced=True,
    )
    games.spread(rng)
    led_by_large = rng.random(games.num_games) < 0.5
    small = Mlp(input_scale(), layers, [0.01] * NUM_ACTIONS, seed)
    optimizer = torch.optim.Adam(small.parameters(), LEARNING_RATE)
    steps = -(-decisions // games.num_games)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    pace = TorchPace()
    agreement, divergence, count = 0.0, 0.0, 0
    for step in range(1, steps + 1):
        pace.begin()
        wanted = large.logits(games.observation)
        logits, loss = _learn(small, optimizer, games.observation, games.mask, wanted)
        schedule.step()
        pace.end(games.num_games)
        best = best_legal(wanted, games.mask)
        agreement += float((best == best_legal(logits, games.mask)).mean())
        divergence += loss
        count += 1
        sampled, _ = sample_softmax(logits, games.mask, rng)
        games.step(np.where(led_by_large, best, sampled))
        if step % REPORTED == 0 or step == steps:
            yield Lesson(step * games.num_games, agreement / count, divergence / count)
            agreement, divergence, count = 0.0, 0.0, 0
    check_finite(small.parameters(), decisions)
    weights = agent_weights(layers_of(small))
    halves = {name: values.half() for name, values in weights.items()}
    write_atomically(path, lambda temporary: save_agent(halves, temporary))


def _learn(
    small: Mlp,
    optimizer: torch.optim.Optimizer,
    observation: NDArray[np.uint8],
    mask: NDArray[np.uint8],
    wanted: NDArray[np.float32],
) -> tuple[NDArray[np.float32], float]:
    """One pass over a step of all games; returns the small network's logits before it, and the mean loss."""
    logits = np.empty(wanted.shape, np.float32)
    total = 0.0
    for start in range(0, len(wanted), BATCH):
        rows = slice(start, start + BATCH)
        illegal = torch.from_numpy(mask[rows] == 0)
        output = small(torch.from_numpy(observation[rows]))
        logits[rows] = output.detach().numpy()
        target = torch.from_numpy(wanted[rows]).masked_fill(illegal, -torch.inf).log_softmax(dim=1)
        found = output.masked_fill(illegal, -torch.inf).log_softmax(dim=1)
        surprise = (target - found).masked_fill(illegal, 0)
        loss = (target.exp() * surprise).sum(dim=1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(output)
    return logits, total / len(wanted)
