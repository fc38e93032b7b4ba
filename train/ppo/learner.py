"""The learner "ppo": proximal policy optimisation with masked actions, from every seat's decisions.

The method is that of Schulman et al. 2017 as stable-baselines3 implements it (clipped surrogate, advantages
normalised in each minibatch, orthogonal initialisation); from the same decisions it learns the same as
sb3-contrib's MaskablePPO with a shared trunk. It is faster because one product gives both policy and value,
because the gradient of the loss with respect to the network's outputs is written down, over legal actions
alone, instead of being traced through distribution objects, and because the network may compute in bfloat16.

An iteration (`PpoLearner.iterate`) collects a rollout, estimates its advantages, and takes gradient steps.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from wizard_env import Agent
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.network import FILE_NAME, find_network, read_agent, save_agent
from wizard_env.files import check_kept, write_atomically, write_tensors
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.layers import MAX_GRADIENT_NORM, check_finite
from wizard_env.train.networks.policy_value import Critic, Mlp, PolicyValueNetwork, kinds_beside
from wizard_env.train.parallel.devices import with_precision
from wizard_env.train.parallel.peers import ALONE, Peers, equal_share
from wizard_env.train.parallel.threads import TorchThreads
from wizard_env.train.ppo.device import CpuDevice, Device, GpuDevice
from wizard_env.train.ppo.loss import METRICS, normalise_minibatches
from wizard_env.train.ppo.past_selves import PastSelves, count_wins
from wizard_env.train.ppo.rollout import Rollout, share_rewards
from wizard_env.train.ppo.snapshot_ratings import SnapshotRatings
from wizard_env.train.ppo.worker_states import needs_new_deals, pack, restore_worker, unpack, worker_state
from wizard_env.train.selfplay.advantages import seat_advantages
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint, restoring, write_checkpoint
from wizard_env.train.selfplay.games import VALUE_UNIT, deal_games
from wizard_env.train.selfplay.loop import NetworkLearner

CRITIC = "critic.safetensors"
"""The file of the critic, beside the agent, for runs that start from the agent."""
_ADAM_EPSILON = 1e-5


class PpoLearner(NetworkLearner):
    """A network, its optimiser, and the games that it learns from.

    rollout: the decisions of the last iteration.
    past_selves: the partner "past", or None.
    """

    def __init__(
        self,
        config: Config,
        device: str,
        checkpoint: Path | None,
        peers: Peers = ALONE,
        loaded: Mapping[str, Agent] | None = None,
    ) -> None:
        """Start, or resume exactly where a checkpoint was written.

        Args:
            config: the run; its games and its minibatches are shared equally by the workers.
            device: "cpu" or "cuda".
            checkpoint: to resume from. If another number of workers wrote it, new games are dealt.
            peers: the workers that learn together.
            loaded: agents in memory, by name.

        Raises ValueError if the games or minibatches cannot be shared, or `start` has larger layers or
        another critic.
        """
        config = with_precision(config, device)
        learning = config.learning_as(PpoConfig)
        self._config, self._learning, self._loaded = config, learning, loaded
        self._update_threads = TorchThreads()
        torch_device = torch.device(device)
        own_points = learning.reward == "points" and (learning.critic or not learning.team_spirit)
        self._value_unit = VALUE_UNIT if own_points else None
        beliefs = NUM_INPUTS if learning.beliefs else 0
        network = PolicyValueNetwork(learning.layers, config.seed, learning.encoding, beliefs)
        self.network = network.to(torch_device)
        self.critic = None
        if learning.critic:
            self.critic = Critic(learning.critic, config.seed, beliefs).to(torch_device)
        networks: dict[str, Mlp] = {"network": self.network}
        if self.critic:
            networks["critic"] = self.critic
        parameters = [parameter for network in networks.values() for parameter in network.parameters()]
        optimizer = torch.optim.Adam(parameters, learning.learning_rate, eps=_ADAM_EPSILON, fused=True)
        super().__init__(config, networks, optimizer, peers)
        self._batch_size = check_shares(config, self.peers.count)
        if learning.start:
            self._start_from(find_network(learning.start))
        self._past = [number for number, name in enumerate(learning.partners) if name == PAST]
        self.past_selves = None
        if self._past:
            self.past_selves = PastSelves(
                learning.layers, learning.past_selves, learning.precision, learning.encoding, torch_device
            )
            self.past_selves.add(self.network)
        self._due = 0
        """The number of the snapshot to write as a past self; 0 if none is due."""
        self._deal()
        self.ratings = SnapshotRatings(config, self.peers, loaded)
        shape = learning.decisions_per_game, *self.self_play.points.shape
        self.rollout = Rollout(*shape, with_full_states=bool(learning.critic), beliefs=beliefs)
        self.device = self._make_device()
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore(checkpoint)

    def _make_device(self) -> Device:
        network, critic, rollout, learning = self.network, self.critic, self.rollout, self._learning
        if network.scale.device.type == "cpu":
            return CpuDevice(network, critic, rollout, learning)
        return GpuDevice(network, critic, rollout, learning, self.peers.derive_seed(self._config.seed))

    def _deal(self) -> None:
        """Deal this worker's games; not those that the run started with, if it has learned already."""
        seed = self.peers.derive_seed(self._config.seed, self.decisions)
        self._rng = np.random.default_rng(seed)
        self.self_play = deal_games(
            self._config, seed, self.past_selves, self.peers, self._loaded, kinds_beside(self.network)
        )

    def _start_from(self, agent: Path) -> None:
        """Start with the networks of another run; if that has no critic, this one's is new."""
        weights = read_agent(agent, self._learning.encoding, beliefs=None)
        self.network.start_from(weights, self._value_unit)
        path = agent.with_name(CRITIC)
        check_kept(path)
        if self.critic and path.exists():
            try:
                self.critic.start_from(load_file(path))
                check_finite(self.critic.parameters(), self.decisions)
            except (RuntimeError, SafetensorError) as error:
                raise ValueError(
                    f"{path}: its critic has other layers than {self._learning.critic}: {error}"
                ) from None

    def parameters(self) -> list[torch.nn.Parameter]:
        return [parameter for network in self._networks.values() for parameter in network.parameters()]

    def iterate(self) -> dict[str, float]:
        before = self.decisions
        self.collect()
        self._estimate_advantages()
        self.decisions += self.rollout.actions.size * self.peers.count
        metrics = {f"train/{name}": value for name, value in self.update().items()}
        self.peers.broadcast_parameters(self.parameters())
        check_finite(self.parameters(), self.decisions)
        return metrics | self._take_snapshot(before) | self.peers.metrics()

    def collect(self) -> None:
        """Play, and store every decision with its points and rewards."""
        rollout, self_play, device, rng = self.rollout, self.self_play, self.device, self._rng
        steps = len(rollout.actions)
        if self.past_selves:
            self.past_selves.choose(rng)
        for group in device.groups:
            device.start_acting(0, group, self_play, rng)
        for step in range(steps):
            rollout.seats[step] = self_play.games.seat
            if self.critic:
                device.store_full_states(step, self_play.full_state())
            for group in device.groups:
                self_play.step(device.finish_acting(step, group), group)
                if step + 1 < steps:
                    device.start_acting(step + 1, group, self_play, rng)
                self.tally.add(self_play.learners_points(group))
            rollout.points[step] = self_play.points
            rollout.round_done[step] = self_play.round_done
            rollout.rewards[step] = self_play.rewards
            rollout.ended[step] = self_play.ended
        if self.past_selves:
            games_with_past = np.isin(self_play.partner, self._past).any(axis=1)
            won, lost = count_wins(
                rollout.points[:, games_with_past],
                rollout.round_done[:, games_with_past],
                self_play.learns[games_with_past],
                self_play.plays[games_with_past],
            )
            self.past_selves.note(won, lost, self.peers)

    def _estimate_advantages(self) -> None:
        """Write the advantages and returns of the rollout: each seat is credited with its own rewards."""
        rollout, self_play = self.rollout, self.self_play
        shared = share_rewards(rollout.rewards, self_play.learns, self._learning.team_spirit)
        last_values = self.device.value_observations(self_play.observe())
        if self.critic:  # then the network's own value is of its seat's own rewards
            self._write_advantages(rollout.rewards, last_values)
            rollout.returns[:] = rollout.advantages + rollout.values
            rollout.values[:] = self.device.value_rollout()
            self._write_advantages(shared, self.device.value_states(self_play.full_state()))
        else:
            self._write_advantages(shared, last_values)
            rollout.returns[:] = rollout.advantages + rollout.values

    def _write_advantages(self, rewards: NDArray[np.float32], last_values: NDArray[np.float32]) -> None:
        """Write the advantages, given the rollout's values and those of the decisions that follow it."""
        rollout, learning = self.rollout, self._learning
        seat_advantages(
            seats=rollout.seats,
            rewards=rewards,
            ended=rollout.ended,
            values=rollout.values,
            last_values=last_values,
            last_seats=self.self_play.games.seat.astype(np.int64),
            discount=learning.discount,
            decay=learning.gae_lambda,
            advantages=rollout.advantages,
        )

    def update(self) -> dict[str, float]:
        """Take the gradient steps of an iteration; returns the means of the metrics to log."""
        learning, rollout, device = self._learning, self.rollout, self.device
        progress = self.decisions / learning.decisions
        rate = _interpolate(learning.learning_rate, learning.final_learning_rate, progress)
        entropy_bonus = _interpolate(learning.entropy_bonus, learning.final_entropy_bonus, progress)
        for parameters in self._optimizer.param_groups:
            parameters["lr"] = rate
        count, size = rollout.actions.size, self._batch_size
        advantages, values = rollout.advantages.reshape(count), rollout.values.reshape(count)
        targets = advantages + values
        device.start_update()
        for _ in range(learning.epochs):
            order = self._rng.permutation(count)
            normalised = normalise_minibatches(advantages[order], size, self.peers)
            for start in range(0, count, size):
                rows = order[start : start + size]
                self._update_threads.start()
                self._optimizer.zero_grad()
                device.add_gradient(rows, normalised[start : start + size], entropy_bonus)
                if self.critic:
                    device.add_critic_gradient(rows, targets[rows])
                self.peers.average_gradients(self.parameters())
                for network in self._networks.values():
                    torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT_NORM)
                self._optimizer.step()
                self._update_threads.stop(len(rows))
        sums = np.array([*device.sum_metrics(), learning.epochs * count])
        *totals, critic_error, seen = self.peers.sum(sums).tolist()
        means = {name: total / seen for name, total in zip(METRICS, totals, strict=True)}
        if self.critic:
            means["critic_loss"] = critic_error / seen
        variance = _explained_variance(values, targets, self.peers)
        return means | {"learning_rate": rate, "explained_variance": variance}

    def _take_snapshot(self, before: int) -> dict[str, float]:
        """Keep a past self and rate the network, every `snapshot_decisions` and at the end.

        before: the decisions before the iteration.
        """
        every = self._learning.snapshot_decisions
        number = self.decisions // every
        if self.decisions < self._learning.decisions and number == before // every:
            return {}
        if self.past_selves:
            self.past_selves.add(self.network)
        self._due = number if number > before // every else number + 1
        return self.ratings.rate(self.network)

    def save_past_self(self, folder: Path) -> None:
        """Write the snapshot just taken as an agent: that after `3 * snapshot_decisions` is `past/000003`."""
        if self._due and not self.peers.rank:
            self._save_agent(folder / PAST / f"{self._due:06}" / FILE_NAME)
        self._due = 0

    def _save_agent(self, path: Path) -> None:
        agent, encoding = self.network.agent(self._value_unit), self._learning.encoding
        beliefs = self.network.beliefs
        write_atomically(path, lambda unfinished: save_agent(agent, unfinished, encoding, beliefs))

    def save(self, folder: Path) -> None:
        """Write a checkpoint, the agent and its critic; worker 0 writes for all."""
        states = self.peers.gather(worker_state(self.self_play, self._rng, self.device))
        if self.peers.rank:
            return
        parts, plain = self._checkpoint()
        of_workers, plain_of_workers = pack(states)
        parts |= of_workers
        plain |= plain_of_workers
        if self.past_selves:
            parts["pool"], plain["pool"] = self.past_selves.state()
        if self.critic:
            content = save({name: value.contiguous() for name, value in self.critic.portable_state().items()})
            write_atomically(folder / CRITIC, lambda path: write_tensors(path, content))
        self._save_agent(folder / FILE_NAME)
        write_checkpoint(folder / CHECKPOINT, parts, plain)

    def _restore(self, checkpoint: Path) -> None:
        parts, plain = read_checkpoint(checkpoint)
        self._restore_networks(parts, plain)
        kept = {name.partition(".")[0] for name in parts.get("optimizer", {})}
        if self.decisions and len(kept) != len(self.parameters()):  # dqn may save before its first steps
            raise ValueError("moments of the optimiser are missing")
        if self.past_selves:
            self.past_selves.set_state(parts["pool"], plain["pool"])
        if needs_new_deals(checkpoint, plain, self.peers.count):
            self._deal()
        else:
            state = unpack(parts, plain, self.peers.rank)
            restore_worker(state, self.self_play, self._rng, self.device)


def check_shares(config: Config, workers: int) -> int:
    """Return each worker's share of a minibatch. Raises ValueError if it or that of the games is unequal."""
    learning = config.learning_as(PpoConfig)
    equal_share("num_games", learning.num_games, workers)
    return equal_share("batch_size", learning.batch_size, workers)


def _interpolate(first: float, last: float | None, progress: float) -> float:
    """Return the value on a straight line after a share of the run; if there is no last value, the first."""
    return first if last is None else first + (last - first) * progress


def _explained_variance(values: NDArray[np.float32], returns: NDArray[np.float32], peers: Peers) -> float:
    """Return the share of the variance of all workers' returns that the values explain."""
    wide = [part.astype(np.float64) for part in (returns, returns - values)]
    count = peers.sum(np.array([float(len(returns))]))
    mean = peers.sum(np.array([part.sum() for part in wide])) / count
    squares = [((part - centre) ** 2).sum() for part, centre in zip(wide, mean, strict=True)]
    variance, error = peers.sum(np.array(squares)).tolist()
    return 1 - error / variance if variance else 0.0
