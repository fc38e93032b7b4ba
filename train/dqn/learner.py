"""The learner "dqn": deep Q-networks over self-play, after Schumacher and Pleines.

Schumacher and Pleines, Improving Bidding and Playing Strategies in the Trick-Taking Game Wizard using
Deep Q-Networks, IEEE CoG 2022; details after their code, https://github.com/jonas-schumacher/drl-pomdp.
Bidding and playing are two problems with one network each. The value of a bid is learned from the points of
its round. The value of a play is learned from the value of the seat's next play, by a target network (Mnih
et al. 2015, with masks), and the value of a seat's last play from the points. Nothing is discounted.
"""

import copy
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, sample_legal
from wizard_env.actions import FIRST_PLAY
from wizard_env.agents.network import input_scale
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.sampling import best_legal
from wizard_env.train.config.dqn import DqnConfig
from wizard_env.train.config.run import Config
from wizard_env.train.dqn.replay import Recorder, Replay
from wizard_env.train.networks.layers import (
    Layer,
    agent_weights,
    autocast,
    check_finite,
    fully_connected,
    layers_of,
)
from wizard_env.train.parallel.threads import TorchThreads
from wizard_env.train.selfplay.loop import NewDealsLearner


class Network(torch.nn.Module):
    """Values of all actions: one stack of fully connected layers for bids and trumps, one for plays."""

    def __init__(self, bid_layers: list[int], play_layers: list[int], seed: int) -> None:
        super().__init__()
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.from_numpy(input_scale()), persistent=False)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.bids = fully_connected([OBS_SIZE, *bid_layers, FIRST_PLAY])
            self.plays = fully_connected([OBS_SIZE, *play_layers, NUM_ACTIONS - FIRST_PLAY])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute values, float32 [n, NUM_ACTIONS], from observations, uint8 [n, OBS_SIZE]."""
        inputs = observations * self.scale
        return torch.cat([self.bids(inputs), self.plays(inputs)], dim=1)

    def policy(self) -> dict[str, torch.Tensor]:
        """Return both stacks side by side, as `wizard_env.agents.network.save_agent` takes them."""
        layers: list[Layer] = []
        for bid, play in zip(layers_of(self.bids), layers_of(self.plays), strict=True):
            if not layers:  # the first layers read the same observation
                weight = torch.cat([bid.weight, play.weight])
            else:
                weight = torch.block_diag(bid.weight, play.weight)  # type: ignore[no-untyped-call]
            layers.append(Layer(weight, torch.cat([bid.bias, play.bias])))
        return agent_weights(layers)


def targets(rewards: torch.Tensor, next_values: torch.Tensor, next_masks: torch.Tensor) -> torch.Tensor:
    """Return the targets of decisions, [n]: the reward plus the best value of the seat's next decision.

    Mnih et al. 2015, algorithm 1, undiscounted, over legal actions.

    Args:
        rewards: float32 [n].
        next_values: float32 [n, actions], by the target network.
        next_masks: bool [n, actions], the legal actions; none where there is no next decision.
    """
    best = next_values.masked_fill(~next_masks, -torch.inf).amax(dim=1)
    return rewards + torch.where(next_masks.any(dim=1), best, 0)


class DqnLearner(NewDealsLearner):
    """Two networks, their optimiser and replays, and the games that they learn from."""

    def __init__(self, config: Config, device: str, checkpoint: Path | None) -> None:
        """Start, or resume from a checkpoint with new deals and empty replays."""
        learning = self._learning = config.learning_as(DqnConfig)
        self._device = torch.device(device)
        self._acting_threads, self._update_threads = TorchThreads(), TorchThreads()
        self.network = Network(learning.bid_layers, learning.play_layers, config.seed).to(self._device)
        self._target = copy.deepcopy(self.network.plays)
        networks = {"network": self.network, "target": self._target}
        super().__init__(config, device, networks, checkpoint)
        self._bids, self._plays = Replay(learning.replay_size), Replay(learning.replay_size)
        self._recorder = Recorder(learning.num_games, self._bids, self._plays)

    def iterate(self) -> dict[str, float]:
        learning = self._learning
        every = learning.decisions_per_update
        bid_losses: list[float] = []
        play_losses: list[float] = []
        for _ in range(learning.decisions_per_game):
            before = self.decisions
            self._play()
            self.decisions += learning.num_games
            for _ in range(self.decisions // every - before // every):
                learn_bids, learn_plays = (
                    replay.filled >= learning.replay_start for replay in (self._bids, self._plays)
                )
                self._update_threads.start()
                if learn_bids:
                    bid_losses.append(self._descend(self._bid_loss()))
                if learn_plays:
                    play_losses.append(self._descend(self._play_loss()))
                    self._update_target()
                if learn_bids or learn_plays:
                    self._update_threads.stop(learn_bids + learn_plays)
        check_finite(self.network.parameters(), self.decisions)
        losses = {"train/bid_loss": bid_losses, "train/play_loss": play_losses}
        means = {name: float(np.mean(values)) for name, values in losses.items() if values}
        return means | {"train/exploration": self.exploration()}

    def exploration(self) -> float:
        """Return the share of decisions that are taken at random at this point of the run."""
        learning = self._learning
        first, last = learning.exploration, learning.final_exploration
        progress = self.decisions / (learning.decisions * learning.exploration_share)
        return first * (last / first) ** min(progress, 1.0)

    def _play(self) -> None:
        """Take a decision in every game: the best by the networks, or sometimes a random one."""
        self_play, rng = self.self_play, self._rng
        observation, mask = self_play.games.observation.copy(), self_play.games.mask.copy()
        seats = self_play.games.seat.astype(np.int64)
        self._acting_threads.start()
        with torch.inference_mode(), self._autocast():
            values = self.network(self._tensor(observation)).float().cpu().numpy()
        self._acting_threads.stop(len(observation))
        best = best_legal(values, mask)
        explores = rng.random(len(best)) < self.exploration()
        actions = np.where(explores, sample_legal(mask, rng), best)
        self._recorder.decide(seats, observation, mask, actions)
        self_play.step(actions)
        self._recorder.pay(self_play.rewards, self_play.ended)
        self.tally.add(self_play.learners_points())

    def _bid_loss(self) -> torch.Tensor:
        """Return the mean squared error of bids against the points of their rounds."""
        replay = self._bids
        rows = replay.draw(self._learning.batch_size, self._rng)
        with self._autocast():
            values = self.network.bids(self._inputs(replay.observations[rows]))
        return _error(values, self._tensor(replay.actions[rows]), self._tensor(replay.rewards[rows]))

    def _play_loss(self) -> torch.Tensor:
        """Return the mean squared error of plays against their targets."""
        replay = self._plays
        rows = replay.draw(self._learning.batch_size, self._rng)
        with self._autocast():
            with torch.no_grad():
                next_values = self._target(self._inputs(replay.next_observations[rows]))
            values = self.network.plays(self._inputs(replay.observations[rows]))
        next_masks = self._tensor(replay.next_masks[rows, FIRST_PLAY:]).bool()
        expected = targets(self._tensor(replay.rewards[rows]), next_values.float(), next_masks)
        return _error(values, self._tensor(replay.actions[rows] - FIRST_PLAY), expected)

    def _autocast(self) -> torch.autocast:
        return autocast(self._device, self._precision)

    def _tensor(self, array: NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(array).to(self._device)

    def _inputs(self, observations: NDArray[np.uint8]) -> torch.Tensor:
        return self._tensor(observations) * self.network.scale

    def _descend(self, loss: torch.Tensor) -> float:
        """Take a gradient step; the other network has no gradient here and does not change."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        return float(loss.detach())

    def _update_target(self) -> None:
        """Move the target network a little towards the network that learns (Lillicrap et al. 2016)."""
        with torch.no_grad():
            for behind, ahead in zip(self._target.parameters(), self.network.plays.parameters(), strict=True):
                behind.lerp_(ahead, self._learning.target_rate)

    def _agent_weights(self) -> dict[str, torch.Tensor]:
        return self.network.policy()


def _error(values: torch.Tensor, actions: torch.Tensor, worth: torch.Tensor) -> torch.Tensor:
    """Return the mean squared error of the values of the actions that were taken."""
    taken = values.gather(1, actions.unsqueeze(1)).squeeze(1)
    return torch.nn.functional.mse_loss(taken.float(), worth)
