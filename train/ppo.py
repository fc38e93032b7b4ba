"""The learner "ppo": proximal policy optimisation with masked actions, from every seat's decisions.

The method is that of Schulman et al. 2017 as stable-baselines3 implements it (clipped surrogate, advantages
normalised in each minibatch, orthogonal initialisation); from the same decisions it learns the same as
sb3-contrib's MaskablePPO with a shared trunk. It is faster because one product gives both policy and value,
because products skip zeros, and because the network may compute in bfloat16.

An iteration (`PpoLearner.iterate`) collects a rollout, estimates its advantages, and takes gradient steps.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from wizard_env import NUM_ACTIONS, sample_softmax
from wizard_env.agents.adaptive.beliefs import NUM_INPUTS
from wizard_env.agents.network import FILE_NAME, find_network, read_agent, save_agent
from wizard_env.checks import check_memory
from wizard_env.files import check_kept, write_atomically, write_tensors
from wizard_env.observation.fields import FULL_SIZE
from wizard_env.train.config.learning import PAST
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.run import Config
from wizard_env.train.networks.devices import autocast
from wizard_env.train.networks.layers import check_finite
from wizard_env.train.networks.policy_value import Critic, Mlp, PolicyValueNetwork, kinds_beside
from wizard_env.train.past_selves import PastSelves, count_wins
from wizard_env.train.selfplay.advantages import (
    explained_variance,
    normalise_minibatches,
    seat_advantages,
    share_rewards,
)
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint, restoring, write_checkpoint
from wizard_env.train.selfplay.games import VALUE_UNIT, SelfPlayGames, deal_games
from wizard_env.train.selfplay.loop import IterativeLearner
from wizard_env.train.selfplay.worker_states import (
    needs_new_deals,
    pack,
    restore_worker,
    unpack,
    worker_state,
)
from wizard_env.train.selfplay.workers import ALONE, Peers, equal_share
from wizard_env.train.snapshot_ratings import SnapshotRatings

CRITIC = "critic.safetensors"
"""The file of the critic, beside the agent, for runs that start from the agent."""
METRICS = ("policy_gradient_loss", "value_loss", "entropy_loss", "clip_fraction", "approx_kl")
"""The metrics of the loss that are logged."""
VALUE_WEIGHT = 0.5
"""The weight of the squared error of values in the loss."""
_ADAM_EPSILON = 1e-5
_IMPOSSIBLE = -1e9
"""Added to the logit of an illegal action."""
_LEAST = -40.0
"""The least logarithm of a probability in the entropy: numbers close to 0 are slow to compute with."""
_CRITIC_BATCH = 8192
"""Rows per batch when the critic values a rollout."""


class Rollout:
    """The decisions of an iteration and their results; every array is [steps, games, ...].

    What the networks read is in the memory of their device, in tensors.
    """

    def __init__(
        self, steps: int, self_play: SelfPlayGames, device: torch.device, *, with_full_states: bool
    ) -> None:
        num_games, num_seats = self_play.points.shape
        shape = (steps, num_games)
        observed = self_play.observation_size
        full = FULL_SIZE + self_play.num_beliefs if with_full_states else 0
        row = observed + 4 * NUM_ACTIONS + full
        check_memory(f"{steps} decisions in each of {num_games} games", steps * num_games * row)
        self.observations = torch.zeros((*shape, observed), dtype=torch.uint8, device=device)
        self.penalties = torch.zeros((*shape, NUM_ACTIONS), device=device)
        self.full_states = torch.zeros((*shape, full), dtype=torch.uint8, device=device)
        self.seats = np.zeros(shape, np.int64)
        self.actions = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.points = np.zeros((*shape, num_seats), np.int16)
        self.round_done = np.zeros(shape, np.bool_)
        self.rewards = np.zeros((*shape, num_seats), np.float32)
        self.ended = np.zeros(shape, np.bool_)
        self.advantages = np.zeros(shape, np.float32)
        self.returns = np.zeros(shape, np.float32)


class Batch(NamedTuple):
    """Decisions to learn from, in tensors on the device of the network."""

    observations: torch.Tensor
    """uint8 [n, OBS_SIZE + beliefs]."""
    penalties: torch.Tensor
    """float32 [n, NUM_ACTIONS], 0 for legal actions, of which each row has one, _IMPOSSIBLE for others."""
    actions: torch.Tensor
    """int64 [n]."""
    log_probabilities: torch.Tensor
    """float32 [n], of the actions when they were taken."""
    advantages: torch.Tensor
    """float32 [n]."""
    returns: torch.Tensor
    """float32 [n]."""
    full_states: torch.Tensor
    """uint8 [n, FULL_SIZE + beliefs], or [n, 0] without a critic."""
    critic_returns: torch.Tensor
    """float32 [n], what the critic learns."""

    def take(self, rows: torch.Tensor) -> "Batch":
        """Return some of the decisions. rows: int64 [k]."""
        return Batch(*(tensor.index_select(0, rows) for tensor in self))


def loss_gradient(
    outputs: torch.Tensor, batch: Batch, clip_range: float, entropy_bonus: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the gradient of PPO's mean loss with respect to the outputs, and sums of METRICS, [5].

    The loss of a decision is -min(r A, clip(r) A) - entropy_bonus * entropy + VALUE_WEIGHT * (v - R)^2,
    where r is the new probability of the action over the old one. Its gradient is written out, since the
    operations of autograd would take a tenth of a step.

    Args:
        outputs: float32 [n, NUM_ACTIONS + 1], logits and value.
        batch: the decisions.
        clip_range: the distance from 1 that the ratio of probabilities may move.
        entropy_bonus: the weight of the entropy.
    """
    actions, advantages = batch.actions[:, None], batch.advantages
    logits = outputs[:, :NUM_ACTIONS] + batch.penalties
    log_policy, policy = logits.log_softmax(dim=1), logits.softmax(dim=1)  # `exp` of -1e9 is slow
    change = log_policy.gather(1, actions)[:, 0] - batch.log_probabilities
    likely = log_policy.clamp_(min=_LEAST)
    entropy = -(policy * likely).sum(dim=1)
    ratio = change.exp()
    unclipped, clipped = ratio * advantages, ratio.clamp(1 - clip_range, 1 + clip_range) * advantages
    slope = torch.where(clipped < unclipped, 0, -unclipped)  # of the first term, by the log probability
    errors = outputs[:, NUM_ACTIONS] - batch.returns
    gradient = torch.empty_like(outputs)
    of_logits = gradient[:, :NUM_ACTIONS]
    torch.mul(likely, entropy_bonus, out=of_logits)
    of_logits.add_((entropy_bonus * entropy - slope)[:, None]).mul_(policy)
    of_logits.scatter_add_(1, actions, slope[:, None])
    torch.mul(errors, 2 * VALUE_WEIGHT, out=gradient[:, NUM_ACTIONS])
    moved = (ratio - 1).abs() > clip_range
    metrics = [-torch.minimum(unclipped, clipped), errors.square(), -entropy, moved, ratio - 1 - change]
    return gradient.div_(len(outputs)), torch.stack(metrics).sum(dim=1)


class PpoLearner(IterativeLearner):
    """A network, its optimiser, and the games that it learns from.

    rollout: the decisions of the last iteration.
    past_selves: the partner "past", or None.
    """

    def __init__(self, config: Config, device: str, checkpoint: Path | None, peers: Peers = ALONE) -> None:
        """Start, or resume exactly where a checkpoint was written.

        Args:
            config: the run, its precision decided; its games and minibatches are shared by the workers.
            device: "cpu" or "cuda".
            checkpoint: to resume from. If another number of workers wrote it, new games are dealt.
            peers: the workers that learn together.

        Raises ValueError if the games or minibatches cannot be shared equally, or `start` has larger layers
        or another critic.
        """
        self._learning = learning = config.learning_as(PpoConfig)
        self._device = torch.device(device)
        equal_share("num_games", learning.num_games, peers.count)
        self._batch_size = equal_share("batch_size", learning.batch_size, peers.count)
        beliefs = NUM_INPUTS if learning.beliefs else 0
        networks: dict[str, Mlp] = {}
        self.network = PolicyValueNetwork(learning.layers, config.seed, learning.encoding, beliefs)
        networks["network"] = self.network.to(self._device)
        self.critic = None
        if learning.critic:
            self.critic = networks["critic"] = Critic(learning.critic, config.seed, beliefs).to(self._device)
        super().__init__(config, networks, _ADAM_EPSILON, peers)
        if learning.start:
            self._start_from(find_network(learning.start))
        self.past_selves = self._make_past_selves()
        self._past_self_due = 0
        self._deal()
        self.ratings = SnapshotRatings(config, peers)
        self.rollout = Rollout(
            learning.decisions_per_game, self.self_play, self._device, with_full_states=bool(self.critic)
        )
        if checkpoint is not None:
            with restoring(checkpoint):
                self._restore(checkpoint)

    def iterate(self) -> dict[str, float]:
        before = self.decisions
        self.collect()
        self._estimate_advantages()
        self.decisions += self.rollout.actions.size * self.peers.count
        metrics = {f"train/{name}": value for name, value in self.update().items()}
        self.peers.broadcast_parameters(self.parameters)
        check_finite(self.parameters, self.decisions)
        return metrics | self._take_snapshot(before) | self.peers.metrics()

    def collect(self) -> None:
        """Play, and store every decision with its points and rewards."""
        rollout, self_play = self.rollout, self.self_play
        if self.past_selves:
            self.past_selves.choose(self._rng)
        for step in range(len(rollout.actions)):
            observations, mask = self._send(self_play.observe()), self_play.games.mask
            outputs = self._evaluate(observations)
            rollout.observations[step] = observations
            rollout.penalties[step] = self._send(mask == 0) * _IMPOSSIBLE
            rollout.seats[step] = self_play.games.seat
            rollout.values[step] = outputs[:, NUM_ACTIONS]
            rollout.actions[step], rollout.log_probabilities[step] = sample_softmax(
                outputs[:, :NUM_ACTIONS], mask, self._rng
            )
            if self.critic:
                rollout.full_states[step] = self._send(self_play.full_state())
            self_play.step(rollout.actions[step])
            rollout.points[step] = self_play.points
            rollout.round_done[step] = self_play.round_done
            rollout.rewards[step] = self_play.rewards
            rollout.ended[step] = self_play.ended
            self.tally.add(self_play.learners_points())
        if self.past_selves:
            self._note_past_selves(self.past_selves)

    def _send(self, array: NDArray[np.generic]) -> torch.Tensor:
        """Return an array as a tensor on the device; on the processor both share their memory."""
        return torch.from_numpy(array).to(self._device)

    def _evaluate(self, observations: torch.Tensor) -> NDArray[np.float32]:
        """Return the network's outputs, float32 [n, NUM_ACTIONS + 1]."""
        with torch.inference_mode(), self._autocast():
            outputs: NDArray[np.float32] = self.network(observations).float().cpu().numpy()
        return outputs

    def value_states(self, full_states: torch.Tensor) -> NDArray[np.float32]:
        """Return the critic's values, float32 [n], of full states, uint8 [n, FULL_SIZE + beliefs]."""
        assert self.critic is not None
        with torch.inference_mode(), self._autocast():
            parts = [self.critic(part)[:, 0].float() for part in torch.split(full_states, _CRITIC_BATCH)]
        values: NDArray[np.float32] = torch.cat(parts).cpu().numpy()
        return values

    def _autocast(self) -> torch.autocast:
        return autocast(self._device, self._learning.precision)

    def _estimate_advantages(self) -> None:
        """Write the advantages and returns of the rollout: each seat is credited with its own rewards."""
        rollout, self_play = self.rollout, self.self_play
        shared = share_rewards(rollout.rewards, self_play.learns, self._learning.team_spirit)
        last_values = self._evaluate(self._send(self_play.observe()))[:, NUM_ACTIONS].copy()
        # beside a critic, the network's own value is of its seat's own rewards
        self._write_advantages(rollout.rewards if self.critic else shared, last_values)
        rollout.returns[:] = rollout.advantages + rollout.values
        if self.critic:
            values = self.value_states(rollout.full_states.flatten(0, 1))
            rollout.values[:] = values.reshape(rollout.values.shape)
            self._write_advantages(shared, self.value_states(self._send(self_play.full_state())))

    def _write_advantages(self, rewards: NDArray[np.float32], last_values: NDArray[np.float32]) -> None:
        """Write the advantages, given the rollout's values and those of the decisions that follow it."""
        seat_advantages(
            seats=self.rollout.seats,
            rewards=rewards,
            ended=self.rollout.ended,
            values=self.rollout.values,
            last_values=last_values,
            last_seats=self.self_play.games.seat.astype(np.int64),
            discount=self._learning.discount,
            decay=self._learning.gae_lambda,
            advantages=self.rollout.advantages,
        )

    def update(self) -> dict[str, float]:
        """Take the gradient steps of an iteration; returns the means of the metrics to log."""
        learning, rollout, count = self._learning, self.rollout, self.rollout.actions.size
        progress = self.decisions / learning.decisions
        rate = _interpolate(learning.learning_rate, learning.final_learning_rate, progress)
        entropy_bonus = _interpolate(learning.entropy_bonus, learning.final_entropy_bonus, progress)
        advantages, values = rollout.advantages.reshape(count), rollout.values.reshape(count)
        targets = advantages + values
        decisions = Batch(
            observations=rollout.observations.flatten(0, 1),
            penalties=rollout.penalties.flatten(0, 1),
            actions=self._send(rollout.actions.reshape(count)),
            log_probabilities=self._send(rollout.log_probabilities.reshape(count)),
            advantages=self._send(advantages),
            returns=self._send(rollout.returns.reshape(count)),
            full_states=rollout.full_states.flatten(0, 1),
            critic_returns=self._send(targets),
        )
        sums = torch.zeros(len(METRICS) + 1, dtype=torch.float64, device=self._device)
        for _ in range(learning.epochs):
            order, scaled = self._rng.permutation(count), np.empty(count, np.float32)
            scaled[order] = normalise_minibatches(advantages[order], self._batch_size, self.peers)
            decisions = decisions._replace(advantages=self._send(scaled))
            for rows in torch.split(self._send(order), self._batch_size):
                sums += self._step(decisions.take(rows), rate, entropy_bonus)
        of_all = self.peers.sum(np.array([*sums.tolist(), learning.epochs * count]))
        *means, critic_loss = (of_all[:-1] / of_all[-1]).tolist()
        found = dict(zip(METRICS, means, strict=True)) | {"learning_rate": rate}
        if self.critic:
            found["critic_loss"] = critic_loss
        return found | {"explained_variance": explained_variance(values, targets, self.peers)}

    def _step(self, batch: Batch, rate: float, entropy_bonus: float) -> torch.Tensor:
        """Take a gradient step; returns the sums of METRICS and of the critic's squared errors, [6]."""
        with self._autocast():
            outputs = self.network(batch.observations)
        gradient, metrics = loss_gradient(
            outputs.detach().float(), batch, self._learning.clip_range, entropy_bonus
        )
        outputs.backward(gradient.to(outputs.dtype))
        critic_error = torch.zeros(1, device=self._device)
        if self.critic:
            with self._autocast():
                valued = self.critic(batch.full_states)[:, 0]
            squares = (valued.float() - batch.critic_returns) ** 2
            (VALUE_WEIGHT * squares.mean()).backward()
            critic_error += squares.detach().sum()
        self._take_step(rate)
        return torch.cat([metrics, critic_error])

    # --- games, past selves and files

    def _deal(self) -> None:
        """Deal this worker's games; not those that the run started with, if it has learned already."""
        seed = self.peers.derive_seed(self._config.seed, self.decisions)
        self._rng = np.random.default_rng(seed)
        kinds = kinds_beside(self.network)
        self.self_play = deal_games(self._config, seed, self.past_selves, self.peers, kinds)

    def _start_from(self, agent: Path) -> None:
        """Start with the networks of another run; if that has no critic, this one's is new."""
        weights = read_agent(agent, self._learning.encoding, beliefs=None)
        self.network.start_from(weights, self._value_unit())
        path = agent.with_name(CRITIC)
        check_kept(path)
        if self.critic and path.exists():
            try:
                self.critic.start_from(load_file(path))
                check_finite(self.critic.parameters(), self.decisions)
            except (LookupError, RuntimeError, SafetensorError) as error:
                raise ValueError(
                    f"{path}: its critic has other layers than {self._learning.critic}: {error}"
                ) from None

    def _value_unit(self) -> float | None:
        """Return the points that a value of 1 stands for; None if the value is of something else."""
        own_points = self.critic or not self._learning.team_spirit
        return VALUE_UNIT if self._learning.reward == "points" and own_points else None

    def _make_past_selves(self) -> PastSelves | None:
        learning = self._learning
        if PAST not in learning.partners:
            return None
        past_selves = PastSelves(
            learning.layers, learning.past_selves, learning.precision, learning.encoding, self._device
        )
        past_selves.add(self.network)
        return past_selves

    def _note_past_selves(self, past_selves: PastSelves) -> None:
        """Count the rounds of the rollout that were won and lost against the past self that played."""
        rollout, self_play = self.rollout, self.self_play
        past = [number for number, name in enumerate(self._learning.partners) if name == PAST]
        games = np.isin(self_play.partner, past).any(axis=1)
        points, round_done = rollout.points[:, games], rollout.round_done[:, games]
        won, lost = count_wins(points, round_done, self_play.learns[games], self_play.plays[games])
        past_selves.note(won, lost, self.peers)

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
        self._past_self_due = number if number > before // every else number + 1
        return self.ratings.rate(self.network)

    def save_past_self(self, folder: Path) -> None:
        """Write the snapshot just taken as an agent: that after `3 * snapshot_decisions` is `past/000003`."""
        if self._past_self_due and not self.peers.rank:
            self._save_agent(folder / PAST / f"{self._past_self_due:06}" / FILE_NAME)
        self._past_self_due = 0

    def _save_agent(self, path: Path) -> None:
        agent, encoding = self.network.agent(self._value_unit()), self._learning.encoding
        beliefs = self.network.beliefs
        write_atomically(path, lambda unfinished: save_agent(agent, unfinished, encoding, beliefs))

    def save(self, folder: Path) -> None:
        """Write a checkpoint, the agent and its critic; worker 0 writes for all."""
        states = self.peers.gather(worker_state(self.self_play, self._rng))
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
        if self.past_selves:
            self.past_selves.set_state(parts["pool"], plain["pool"])
        if needs_new_deals(checkpoint, plain, self.peers.count):
            self._deal()
        else:
            restore_worker(unpack(parts, plain, self.peers.rank), self.self_play, self._rng)


def _interpolate(first: float, last: float | None, progress: float) -> float:
    """Return the value on a straight line after a share of the run; if there is no last value, the first."""
    return first if last is None else first + (last - first) * progress
