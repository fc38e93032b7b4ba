"""The learner "ppo": proximal policy optimisation with masked actions, from every seat's decisions.

The method is that of Schulman et al. 2017 as stable-baselines3 implements it (clipped surrogate, advantages
normalised in each minibatch, orthogonal initialisation); from the same decisions it learns the same as
sb3-contrib's MaskablePPO with a shared trunk. It is faster because one product gives both policy and value,
because the gradient of the loss with respect to the network's outputs is written down, over legal actions
alone, instead of being traced through distribution objects, and because the network may compute in bfloat16.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from wizard_env import NUM_ACTIONS, Agent
from wizard_env.agents.network import FILE_NAME, find_agent, read_agent, save_agent
from wizard_env.checks import check_integer
from wizard_env.files.tensors import write_tensors
from wizard_env.files.writing import write_atomically
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.policy_value import (
    MAX_GRADIENT_NORM,
    Critic,
    Mlp,
    PolicyValueNetwork,
    autocast,
    check_finite,
)
from wizard_env.train.parallel.devices import with_precision
from wizard_env.train.parallel.peers import Peers, equal_share
from wizard_env.train.parallel.threads import TorchPace
from wizard_env.train.ppo.device import Accelerator, Place, Processor
from wizard_env.train.ppo.loss import MEASURES, normalised_minibatches
from wizard_env.train.ppo.past_selves import PastSelves, rounds_won
from wizard_env.train.ppo.rollout import Rollout, share_rewards
from wizard_env.train.ppo.snapshot_ratings import SnapshotRatings
from wizard_env.train.selfplay.advantages import seat_advantages
from wizard_env.train.selfplay.checkpoints import (
    CHECKPOINT,
    moments,
    read_checkpoint,
    read_plain,
    restoring,
    set_moments,
    write_checkpoint,
)
from wizard_env.train.selfplay.games import REWARD_SCALES, deal_games
from wizard_env.train.selfplay.loop import IterativeLearner

CRITIC = "critic.safetensors"
"""The file of the critic, beside the agent, for runs that start from the agent."""
ADAM_EPSILON = 1e-5
_TABLES = "tables"
"""The part of a checkpoint that holds the games."""
_GAMES = ("states", "observations", "masks", "results")
_SEATING = ("learns", "plays", "partner")
_OTHERS = "others"
"""The plain values of a checkpoint that say what the workers after the first keep."""
_log = logging.getLogger(__name__)


class Learner(IterativeLearner):
    """A network, its optimiser, and the games that it learns from.

    network: policy and value.
    """

    def __init__(
        self,
        config: Config,
        device: str,
        checkpoint: Path | None,
        peers: Peers | None = None,
        loaded: Mapping[str, Agent] | None = None,
    ) -> None:
        """Begin, or resume exactly where a checkpoint was written.

        Args:
            config: the run; its games and its minibatches are shared equally by the workers.
            device: "cpu" or "cuda".
            checkpoint: to resume from. If another number of workers wrote it, new games are dealt.
            peers: the workers that learn together; by default this process is alone.
            loaded: agents that are in memory already, by name.

        Raises:
            ValueError: the games or the minibatches cannot be shared equally, or `start` has larger layers
                or another critic.
        """
        config = with_precision(config, device)
        learning = config.learning
        assert isinstance(learning, PpoConfig)
        super().__init__(learning.decisions, learning.checkpoint_seconds, peers)
        _, self._batch_size = check_shares(config, self.peers.count)
        self._config, self._loaded = config, loaded
        self._learning = learning
        self._device = torch.device(device)
        self._descending = TorchPace()
        own_points = learning.reward == "points" and (learning.critic or not learning.team_spirit)
        self._value_unit = 1 / REWARD_SCALES["points"] if own_points else None
        self.network = PolicyValueNetwork(learning.layers, config.seed, learning.encoding).to(self._device)
        self._critic = Critic(learning.critic, config.seed).to(self._device) if learning.critic else None
        if learning.start:
            self._begin_as(find_agent(Path(learning.start)))
        self._optimizer = torch.optim.Adam(
            self._parameters,
            learning.learning_rate,
            eps=ADAM_EPSILON,
            fused=True,
        )
        self._due = 0
        """The number of the snapshot to write as a past self; 0 if none is due."""
        self._pool = None
        if PAST in learning.partners:
            self._pool = PastSelves(
                learning.layers,
                learning.past_selves,
                learning.precision,
                learning.encoding,
                self._device,
            )
            self._pool.add(self.network)
        self._deal()
        self._past = [place for place, name in enumerate(learning.partners) if name == PAST]
        self._snapshots = SnapshotRatings(config, self.peers, loaded)
        shape = learning.decisions_per_game, *self._self_play.points.shape
        self._rollout = Rollout(*shape, with_full_states=bool(learning.critic))
        self._place = self._new_place()
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore(checkpoint)

    def _new_place(self) -> Place:
        """Where the network acts and learns."""
        if self._device.type == "cpu":
            return Processor(self.network, self._critic, self._rollout, self._learning)
        seed = self.peers.seed(self._config.seed)
        return Accelerator(self.network, self._critic, self._rollout, self._learning, seed)

    def _deal(self, decisions: int = 0) -> None:
        """Deal this worker's games. decisions: how many have been learned from."""
        seed = self.peers.seed(self._config.seed, decisions)
        self._rng = np.random.default_rng(seed)
        self._self_play = deal_games(self._config, seed, self._pool, self.peers, self._loaded)

    def _begin_as(self, agent: Path) -> None:
        """Begin with the networks of another run; where that has no critic, this one's is new."""
        self.network.begin_as(read_agent(agent, self._learning.encoding), self._value_unit)
        kept = agent.with_name(CRITIC)
        if self._critic and kept.exists():
            try:
                self._critic.load_state_dict(load_file(kept))
                check_finite(self._critic.parameters(), self.decisions)
            except (RuntimeError, SafetensorError) as error:
                raise ValueError(
                    f"{kept}: its critic has other layers than {self._learning.critic}: {error}"
                ) from None

    @property
    def _networks(self) -> list[Mlp]:
        return [self.network, self._critic] if self._critic else [self.network]

    @property
    def _parameters(self) -> list[torch.nn.Parameter]:
        return [parameter for net in self._networks for parameter in net.parameters()]

    def iterate(self) -> dict[str, float]:
        """Play, and learn from what was played; returns the metrics to log, by name."""
        before = self.decisions
        self._collect()
        self.decisions += self._rollout.actions.size * self.peers.count
        metrics = {f"train/{name}": value for name, value in self._update().items()}
        self.peers.align(self._parameters)
        check_finite(self._parameters, self.decisions)
        return metrics | self._take_snapshot(before) | self.peers.metrics()

    def _collect(self) -> None:
        """Play, noting every decision, and credit each seat with its own rewards."""
        rollout, self_play, games = self._rollout, self._self_play, self._self_play.games
        if self._pool:
            self._pool.choose(self._rng)
        steps = len(rollout.actions)
        for part in self._place.parts:
            self._place.look(0, part, games, self._rng)
        for step in range(steps):
            rollout.seats[step] = games.seat
            if self._critic:
                self._place.note_full_states(step, games.full_state())
            for part in self._place.parts:
                self_play.step(self._place.choose(step, part), part)
                if step + 1 < steps:
                    self._place.look(step + 1, part, games, self._rng)
                self.tally.add(self_play.learners_points(part))
            rollout.points[step] = self_play.points
            rollout.round_done[step] = self_play.round_done
            rollout.rewards[step] = self_play.rewards
            rollout.ended[step] = self_play.ended
        if self._pool:
            past = np.isin(self_play.partner, self._past)
            self._pool.note(
                *rounds_won(
                    rollout.points[:, past],
                    rollout.round_done[:, past],
                    self_play.learns[past],
                    self_play.plays[past],
                ),
                self.peers,
            )
        self._credit()

    def _credit(self) -> None:
        """Write the returns and advantages of the rollout."""
        rollout, games = self._rollout, self._self_play.games
        shared = share_rewards(rollout.rewards, self._self_play.learns, self._learning.team_spirit)
        last_values = self._outputs(games.observation)[:, NUM_ACTIONS].copy()
        if self._critic:  # then the network's own value is of its seat's own rewards
            self._estimate(rollout.rewards, last_values)
            rollout.returns[:] = rollout.advantages + rollout.values
            rollout.values[:] = self._place.critic_values()
            self._estimate(shared, self._place.critic_value(games.full_state()))
        else:
            self._estimate(shared, last_values)
            rollout.returns[:] = rollout.advantages + rollout.values

    def _estimate(self, rewards: NDArray[np.float32], last_values: NDArray[np.float32]) -> None:
        """Write the advantages, given the rollout's values and those of the decisions that follow it."""
        rollout, learning = self._rollout, self._learning
        seat_advantages(
            rollout.seats,
            rewards,
            rollout.ended,
            rollout.values,
            last_values,
            self._self_play.games.seat.astype(np.int64),
            learning.discount,
            learning.gae_lambda,
            rollout.advantages,
        )

    def _outputs(self, observations: NDArray[np.uint8]) -> NDArray[np.float32]:
        with torch.inference_mode(), self._precision():
            outputs = self.network(torch.from_numpy(observations).to(self._device))
            array: NDArray[np.float32] = outputs.float().cpu().numpy()
        return array

    def _precision(self) -> torch.autocast:
        return autocast(self._device, self._learning.precision)

    def _update(self) -> dict[str, float]:
        """Take the gradient steps of an iteration; returns the means of the metrics to log."""
        learning, rollout = self._learning, self._rollout
        progress = self.decisions / learning.decisions
        rate = between(learning.learning_rate, learning.final_learning_rate, progress)
        entropy_bonus = between(learning.entropy_bonus, learning.final_entropy_bonus, progress)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        count, size = rollout.actions.size, self._batch_size
        advantages, values = rollout.advantages.reshape(count), rollout.values.reshape(count)
        critic_returns, seen = advantages + values, 0
        self._place.begin_update()
        for _ in range(learning.epochs):
            order = self._rng.permutation(count)
            normalised = normalised_minibatches(advantages[order], size, self.peers)
            for start in range(0, count, size):
                self._descending.begin()
                rows = order[start : start + size]
                seen += len(rows)
                self._optimizer.zero_grad()
                self._place.descend(rows, normalised[start : start + size], entropy_bonus)
                if self._critic:
                    self._place.correct(rows, critic_returns[rows])
                self.peers.average(self._parameters)
                for network in self._networks:
                    torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT_NORM)
                self._optimizer.step()
                self._descending.end(len(rows))
        *sums, error, seen = self.peers.sum(np.array([*self._place.measures(), seen])).tolist()
        means = {name: total / seen for name, total in zip(MEASURES, sums, strict=True)}
        if self._critic:
            means["critic_loss"] = error / seen
        variance = explained(values, critic_returns, self.peers)
        return means | {"learning_rate": rate, "explained_variance": variance}

    def _take_snapshot(self, before: int) -> dict[str, float]:
        """Every `snapshot_decisions`, and at the end, keep a past self and rate the network.

        before: the decisions before the iteration. Returns the metrics to log, by name.
        """
        learning = self._learning
        every = learning.snapshot_decisions
        if self.decisions < learning.decisions and self.decisions // every == before // every:
            return {}
        if self._pool:
            self._pool.add(self.network)
        number = self.decisions // every
        self._due = number if number > before // every else number + 1
        return self._snapshots.rate(self.network)

    def keep_past(self, folder: Path) -> None:
        """Write the snapshot just taken as an agent: that after `3 * snapshot_decisions` is `past/000003`."""
        if self._due and not self.peers.rank:
            agent = self.network.agent(self._value_unit)
            path = folder / PAST / f"{self._due:06}" / FILE_NAME
            write_atomically(path, lambda unfinished: save_agent(agent, unfinished, self._learning.encoding))
        self._due = 0

    def save(self, folder: Path) -> None:
        """Write a checkpoint, the agent and its critic; each file is replaced atomically.

        Worker 0 writes for all: networks, optimiser and past selves are the same everywhere; games, seats
        and generators are each worker's own.
        """
        (arrays, own), *others = self.peers.gather(self._own_state())
        if self.peers.rank:
            return
        parts = {"network": self.network.state_dict(), "optimizer": moments(self._optimizer)}
        plain: dict[str, Any] = {
            "decisions": self.decisions,
            "precision": self._learning.precision,
            **own,
        }
        if self._pool:
            parts["pool"], plain["pool"] = self._pool.state()
        for name, tensors in zip(
            _parts(1 + len(others)), (arrays, *(each for each, _ in others)), strict=True
        ):
            parts[name] = {key: torch.from_numpy(array) for key, array in tensors.items()}
        if others:
            plain[_OTHERS] = [each for _, each in others]
        agent = self.network.agent(self._value_unit)
        if self._critic:
            critic = parts["critic"] = self._critic.state_dict()
            on_cpu = {name: value.cpu().contiguous() for name, value in critic.items()}
            content = save(on_cpu)
            write_atomically(folder / CRITIC, lambda path: write_tensors(path, content))
        write_atomically(folder / FILE_NAME, lambda path: save_agent(agent, path, self._learning.encoding))
        write_checkpoint(folder / CHECKPOINT, parts, plain)

    def _own_state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """What only this worker has, as arrays and as plain values."""
        state = self._self_play.state()
        arrays = {name: array.view(np.uint8) for name, array in zip(_GAMES, state["games"], strict=True)}
        plain = {"rng": self._rng.bit_generator.state, _TABLES: state["rng"]}
        return arrays | {name: state[name] for name in _SEATING} | self._place.state(), plain

    def _restore(self, checkpoint: Path) -> None:
        parts, plain = read_checkpoint(checkpoint)
        self.decisions = check_integer("decisions", plain["decisions"], 0, 2**63)
        self.network.load_state_dict(parts["network"])
        if self._critic:
            self._critic.load_state_dict(parts["critic"])
        if self._pool:
            self._pool.set_state(parts["pool"], plain["pool"])
        set_moments(self._optimizer, parts["optimizer"])
        check_finite(self._parameters, self.decisions)
        if warn_of_new_deals(checkpoint, self.peers.count):
            self._deal(self.decisions)
            return
        mine = [plain, *plain.get(_OTHERS, [])][self.peers.rank]
        self._rng.bit_generator.state = mine["rng"]
        tables = parts[_parts(self.peers.count)[self.peers.rank]]
        kept = {name: tensor.numpy() for name, tensor in tables.items()}
        arrays = self._self_play.state()["games"]
        games = [kept[name].view(own.dtype) for name, own in zip(_GAMES, arrays, strict=True)]
        self._self_play.set_state(kept | {"games": games, "rng": mine[_TABLES]})
        self._place.set_state(kept)


def check_shares(config: Config, workers: int) -> tuple[int, int]:
    """Each worker's share of the games and of a minibatch. Raises ValueError if they cannot be equal."""
    games, size = (
        equal_share(name, getattr(config.learning, name), workers) for name in ("num_games", "batch_size")
    )
    return games, size


def warn_of_new_deals(checkpoint: Path, workers: int) -> bool:
    """Whether a checkpoint was written by another number of workers; logs that new games will be dealt."""
    before = 1 + len(read_plain(checkpoint).get(_OTHERS, []))
    if before != workers:
        _log.warning(
            "%s: written by workers=%d, resumed with workers=%d: the run goes on with new deals",
            checkpoint,
            before,
            workers,
        )
    return before != workers


def _parts(workers: int) -> list[str]:
    """The parts of a checkpoint that hold the games, by worker."""
    return [f"{_TABLES}_{rank}" if rank else _TABLES for rank in range(workers)]


def between(first: float, last: float | None, progress: float) -> float:
    """The value on a straight line after a share of the run; if there is no last value, the first."""
    return first if last is None else first + (last - first) * progress


def explained(values: NDArray[np.float32], returns: NDArray[np.float32], peers: Peers) -> float:
    """The share of the variance of all workers' returns that the values explain."""
    wide = [part.astype(np.float64) for part in (returns, returns - values)]
    count = peers.sum(np.array([float(len(returns))]))
    mean = peers.sum(np.array([part.sum() for part in wide])) / count
    squares = [((part - centre) ** 2).sum() for part, centre in zip(wide, mean, strict=True)]
    variance, error = peers.sum(np.array(squares)).tolist()
    return 1 - error / variance if variance else 0.0
