"""Deep Q-networks over self-play, as Schumacher and Pleines had them.

Schumacher and Pleines, Improving Bidding and Playing Strategies in the Trick-Taking Game Wizard using
Deep Q-Networks, IEEE CoG 2022; details after their code, https://github.com/jonas-schumacher/drl-pomdp.
Bidding and playing are two problems with a network each. What a bid is worth is learned from the points
that its round brought; what a play is worth, from the value of the seat's next play, by a target network
(Mnih et al. 2015, with masks), and for its last one from the points. Nothing is discounted.
"""

import copy
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_legal
from wizard_env.actions import FIRST_PLAY
from wizard_env.agents.network import FILE_NAME, input_scale, save_agent
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.records.files import write_atomically
from wizard_env.sampling import best_legal
from wizard_env.train.config.dqn import DqnConfig
from wizard_env.train.config.run import Config
from wizard_env.train.dqn.replay import Recorder, Replay
from wizard_env.train.networks import autocast
from wizard_env.train.selfplay.checkpoints import (
    CHECKPOINT,
    moments,
    read_checkpoint,
    set_moments,
    write_checkpoint,
)
from wizard_env.train.selfplay.games import deal_games
from wizard_env.train.selfplay.loop import IterativeLearner


class Network(torch.nn.Module):
    """Values of all actions: one stack of fully connected layers for bids and trumps, one for plays."""

    def __init__(self, bid_layers: list[int], play_layers: list[int], seed: int) -> None:
        """Draw weights, torch's own kind."""
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()), persistent=False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.bids = _stack([OBS_SIZE, *bid_layers, FIRST_PLAY])
            self.plays = _stack([OBS_SIZE, *play_layers, NUM_ACTIONS - FIRST_PLAY])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """uint8 [n, OBS_SIZE] to float32 [n, NUM_ACTIONS]."""
        inputs = observations * self.scale
        return torch.cat([self.bids(inputs), self.plays(inputs)], dim=1)

    def policy(self) -> dict[str, torch.Tensor]:
        """Both stacks as one, side by side, named for `wizard_env.agents.network`."""
        weights: dict[str, torch.Tensor] = {}
        both = zip(_linear(self.bids), _linear(self.plays), strict=True)
        for number, (bid, play) in enumerate(both):
            pair = bid.weight.detach(), play.weight.detach()
            if number == 0:  # both read the observation
                weight = torch.cat(pair)
            else:
                weight = torch.block_diag(*pair)  # type: ignore[no-untyped-call]
            weights[f"layer.{number}.weight"] = weight.cpu()
            weights[f"layer.{number}.bias"] = torch.cat([bid.bias.detach(), play.bias.detach()]).cpu()
        return weights


def _stack(widths: list[int]) -> torch.nn.Sequential:
    modules: list[torch.nn.Module] = []
    for sizes in pairwise(widths):
        modules += [torch.nn.Linear(*sizes), torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1])


def _linear(stack: torch.nn.Sequential) -> list[torch.nn.Linear]:
    return [module for module in stack if isinstance(module, torch.nn.Linear)]


def targets(rewards: torch.Tensor, next_values: torch.Tensor, next_masks: torch.Tensor) -> torch.Tensor:
    """What decisions turn out to be worth: their reward, and the best that the seat may do next.

    Mnih et al. 2015, algorithm 1, undiscounted, over legal actions.

    Args:
        rewards: float32 [n].
        next_values: float32 [n, actions], the target network's.
        next_masks: bool [n, actions], the legal ones; none where there was no next decision.

    Returns:
        float32 [n].
    """
    best = next_values.masked_fill(~next_masks, -torch.inf).amax(dim=1)
    return rewards + torch.where(next_masks.any(dim=1), best, 0)


class Learner(IterativeLearner):
    """Two networks, their optimiser and replays, and the tables at which they learn.

    network: what has learned.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Begin, or go on from a checkpoint, with new deals and empty replays."""
        learning = config.learning
        assert isinstance(learning, DqnConfig)
        super().__init__(learning.decisions, learning.checkpoint_seconds)
        self._learning = learning
        self._device = torch.device(device)
        self.network = Network(learning.bid_layers, learning.play_layers, config.seed).to(self._device)
        self._target = copy.deepcopy(self.network.plays)
        self._optimizer = torch.optim.Adam(self.network.parameters(), learning.learning_rate, fused=True)
        if checkpoint is not None:
            self._restore(checkpoint)
        seed = config.seed + self.decisions  # not the deals that the run began with
        self._rng = np.random.default_rng(seed)
        self._tables = deal_games(config, seed)
        self._bids, self._plays = Replay(learning.replay_size), Replay(learning.replay_size)
        self._recorder = Recorder(learning.num_games, self._bids, self._plays)

    def iterate(self) -> dict[str, float]:
        """Play and learn by turns; returns what is worth a curve, by name."""
        learning = self._learning
        every = learning.decisions_per_update
        losses: dict[str, list[float]] = {"bid_loss": [], "play_loss": []}
        for _ in range(learning.decisions_per_game):
            before = self.decisions
            self._play()
            self.decisions += learning.num_games
            for _ in range(self.decisions // every - before // every):
                if self._bids.filled >= learning.replay_start:
                    losses["bid_loss"].append(self._descend(self._bid_loss()))
                if self._plays.filled >= learning.replay_start:
                    losses["play_loss"].append(self._descend(self._play_loss()))
                    self._follow()
        means = {f"train/{name}": float(np.mean(values)) for name, values in losses.items() if values}
        return means | {"train/exploration": self.exploration()}

    def exploration(self) -> float:
        """The share of decisions that are now taken at random."""
        learning = self._learning
        first, last = learning.exploration, learning.final_exploration
        gone = self.decisions / (learning.decisions * learning.exploration_share)
        return first * (last / first) ** min(gone, 1.0)

    def _play(self) -> None:
        """Take a decision at every table: the best by the networks, or now and then any."""
        tables, rng = self._tables, self._rng
        observation, mask = tables.games.observation.copy(), tables.games.mask.copy()
        seats = tables.games.seat.astype(np.int64)
        with torch.inference_mode(), self._precision():
            values = self.network(self._tensor(observation)).float().cpu().numpy()
        best = best_legal(values, mask)
        explores = rng.random(len(best)) < self.exploration()
        actions = np.where(explores, sample_legal(mask, rng), best)
        self._recorder.decide(seats, observation, mask, actions)
        tables.step(actions)
        self._recorder.pay(tables.rewards, tables.ended)
        self.tally.add(tables.points, tables.learns)

    def _bid_loss(self) -> torch.Tensor:
        """The mean squared error of bids against the points of their rounds."""
        replay = self._bids
        rows = replay.draw(self._learning.batch_size, self._rng)
        with self._precision():
            values = self.network.bids(self._inputs(replay.observations[rows]))
        return _error(values, self._tensor(replay.actions[rows]), self._tensor(replay.rewards[rows]))

    def _play_loss(self) -> torch.Tensor:
        """The mean squared error of plays against their targets."""
        replay = self._plays
        rows = replay.draw(self._learning.batch_size, self._rng)
        with self._precision():
            with torch.no_grad():
                next_values = self._target(self._inputs(replay.next_observations[rows]))
            values = self.network.plays(self._inputs(replay.observations[rows]))
        next_masks = self._tensor(replay.next_masks[rows, FIRST_PLAY:]).bool()
        worth = targets(self._tensor(replay.rewards[rows]), next_values.float(), next_masks)
        return _error(values, self._tensor(replay.actions[rows] - FIRST_PLAY), worth)

    def _precision(self) -> torch.autocast:
        return autocast(self._device, self._learning.precision)

    def _tensor(self, array: NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)

    def _inputs(self, observations: NDArray[np.uint8]) -> torch.Tensor:
        return self._tensor(observations) * self.network.scale

    def _descend(self, loss: torch.Tensor) -> float:
        """Take a gradient step; the other stack has no gradient then, and stays as it is."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        return float(loss.detach())

    def _follow(self) -> None:
        """Move the target network some way towards the one that learns (Lillicrap et al. 2016)."""
        with torch.no_grad():
            for behind, ahead in zip(self._target.parameters(), self.network.plays.parameters(), strict=True):
                behind.lerp_(ahead, self._learning.target_rate)

    def save(self, folder: Path) -> None:
        """Write a checkpoint and the agent; each file is replaced at once or not at all."""
        parts = {
            "network": self.network.state_dict(),
            "target": self._target.state_dict(),
            "optimizer": moments(self._optimizer),
        }
        write_checkpoint(folder / CHECKPOINT, parts, {"decisions": self.decisions})
        write_atomically(folder / FILE_NAME, lambda path: save_agent(self.network.policy(), path))

    def _restore(self, checkpoint: Path) -> None:
        parts, plain = read_checkpoint(checkpoint)
        self.decisions = plain["decisions"]
        self.network.load_state_dict(parts["network"])
        self._target.load_state_dict(parts["target"])
        set_moments(self._optimizer, parts.get("optimizer", {}))


def _error(values: torch.Tensor, actions: torch.Tensor, worth: torch.Tensor) -> torch.Tensor:
    """The mean squared error of the values of the actions that were taken.

    values: [n, actions]; actions: int64 [n]; worth: float32 [n].
    """
    taken = values.gather(1, actions.unsqueeze(1)).squeeze(1)
    return torch.nn.functional.mse_loss(taken.float(), worth)
