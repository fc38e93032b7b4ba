"""Self-play on Ray RLlib: one policy that learns from every seat's decisions, here or on a cluster."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.multi_agent_episode import MultiAgentEpisode
from ray.rllib.utils.torch_utils import FLOAT_MIN
from stable_baselines3.common.logger import Logger

from wizard_env import NUM_ACTIONS
from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.records.files import write_atomically
from wizard_env.train.config.rllib import RLlibConfig
from wizard_env.train.networks import PolicyValueNetwork
from wizard_env.train.ppo.learner import MAX_GRADIENT_NORM, VALUE_WEIGHT
from wizard_env.train.rllib.env import SelfPlayRounds
from wizard_env.train.run import conduct
from wizard_env.train.selfplay.games import REWARD_SCALES
from wizard_env.train.selfplay.loop import IterativeLearner
from wizard_env.train.selfplay.progress import Progress

CHECKPOINT = "checkpoint"
MODULE = "player"
POINTS = 1 / REWARD_SCALES["points"]
"""How many a reward of 1 stands for."""
_MEASURES = ("policy_loss", "vf_loss", "entropy", "vf_explained_var", "default_optimizer_learning_rate")


class SelfPlayModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """The network of `wizard_env.train.ppo.learner` as an RLModule; illegal actions get no probability.

    model_config: `layers` and `seed`, as for `PolicyValueNetwork`.
    """

    def setup(self) -> None:
        self.network = PolicyValueNetwork(self.model_config["layers"], self.model_config["seed"])

    def _forward(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, self._outputs(batch))}

    def _forward_train(self, batch: dict[str, Any], **options: Any) -> dict[str, torch.Tensor]:
        outputs = self._outputs(batch)
        return {Columns.ACTION_DIST_INPUTS: self._logits(batch, outputs), Columns.EMBEDDINGS: outputs}

    def compute_values(self, batch: dict[str, Any], embeddings: torch.Tensor | None = None) -> torch.Tensor:
        """float32 [n]. embeddings: the network's outputs, where they are known already."""
        outputs = self._outputs(batch) if embeddings is None else embeddings
        return outputs[:, NUM_ACTIONS]

    def _outputs(self, batch: dict[str, Any]) -> torch.Tensor:
        outputs: torch.Tensor = self.network(batch[Columns.OBS]["observation"])
        return outputs

    def _logits(self, batch: dict[str, Any], outputs: torch.Tensor) -> torch.Tensor:
        return outputs[:, :NUM_ACTIONS].masked_fill(batch[Columns.OBS]["action_mask"] == 0, FLOAT_MIN)


class CountingRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Counts decisions as RLlib counts steps, and tells the points of every round.

    RLlib's own count of agents' steps fails where an agent does not act in every sample, as at a table
    with partners; and it keeps a dozen averages for every agent.
    """

    def _increase_sampled_metrics(
        self, num_steps: int, next_obs: dict[str, Any], episode: MultiAgentEpisode
    ) -> int:
        decisions: int = episode.agent_steps() if episode.is_done else 0
        super()._increase_sampled_metrics(decisions, {}, episode)
        return num_steps

    def _log_episode_metrics(
        self, length: int, ret: float, sec: float, agents: dict[str, float], *by_agent: Any
    ) -> None:
        super()._log_episode_metrics(length, ret, sec)
        points = np.rint(np.array(list(agents.values())) * POINTS).astype(np.int16)
        self.metrics.log_value("points", points, reduce="item_series")


def algorithm_config(config: RLlibConfig, seed: int) -> PPOConfig:
    """What RLlib is to do. seed: of the deals and of what is drawn."""
    learning, cluster = config.learning, config.cluster
    table = {
        "rules": config.game.rules(),
        "num_games": cluster.games_per_worker,
        "seed": seed,
        "sparring": learning.sparring,
        "partners": [load(partner) for partner in learning.partners],  # whose files may be here alone
        "alone": learning.alone,
    }
    network = {"layers": learning.layers, "seed": config.seed}
    slope = [[0, learning.learning_rate], [learning.decisions, learning.final_learning_rate]]
    return (
        PPOConfig()
        .environment(SelfPlayRounds, env_config=table, disable_env_checking=True)  # it would play illegally
        .env_runners(
            env_runner_cls=CountingRunner,
            num_env_runners=cluster.workers,
            batch_mode="complete_episodes",
        )
        .learners(num_learners=cluster.learners, num_gpus_per_learner=cluster.gpus_per_learner)
        .multi_agent(policies={MODULE}, policy_mapping_fn=_always)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=SelfPlayModule, model_config=network))
        .training(
            train_batch_size_per_learner=learning.decisions_per_iteration,
            minibatch_size=learning.batch_size,
            num_epochs=learning.epochs,
            lr=slope,
            gamma=learning.discount,
            lambda_=learning.gae_lambda,
            clip_param=learning.clip_range,
            entropy_coeff=learning.entropy_bonus,
            vf_loss_coeff=VALUE_WEIGHT,
            vf_clip_param=float("inf"),
            use_kl_loss=False,
            grad_clip=MAX_GRADIENT_NORM,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def _always(agent: str, episode: Any, **options: Any) -> str:
    """Every seat is played by the one module."""
    return MODULE


class Learner(IterativeLearner):
    """RLlib's PPO, as `wizard_env.train.run` conducts a learner.

    algorithm: what learns.
    """

    def __init__(self, config: RLlibConfig, checkpoint: Path | None) -> None:
        """Begin, or go on from a checkpoint, with new deals."""
        super().__init__(config.learning.decisions, config.learning.checkpoint_seconds)
        made = int(checkpoint.resolve().name.rpartition("-")[2]) if checkpoint else 0
        self.algorithm = algorithm_config(config, config.seed + made).build_algo()
        Path(self.algorithm.logdir).rmdir()  # in the user's home, for logs that nobody writes
        if checkpoint:
            self.algorithm.restore_from_path(str(checkpoint.resolve()))
        self.decisions = made

    def learn(self, folder: Path, logger: Logger, report: Callable[[Progress], None] | None) -> None:
        """Learn to the end, and let go of what RLlib holds."""
        super().learn(folder, logger, report)
        self.algorithm.stop()

    def iterate(self) -> dict[str, float]:
        """Play, and learn from what was played; returns what is worth a curve, by name."""
        result = self.algorithm.train()
        played, learned = result["env_runners"], result["learners"][MODULE]
        self.decisions = int(played["num_env_steps_sampled_lifetime"])
        points = np.concatenate(played["points"])[np.newaxis]
        self.tally.add(points, np.ones(points.shape, np.bool_))
        return {f"train/{name}": float(learned[name]) for name in _MEASURES}

    def save(self, folder: Path) -> None:
        """Write RLlib's checkpoint, to which a link then turns, and the agent."""
        link = folder / CHECKPOINT
        kept = folder / f"{CHECKPOINT}-{self.decisions}"
        if link.resolve() != kept.resolve():
            self.algorithm.save_to_path(str(kept.resolve()))
            turned = folder / f".{CHECKPOINT}"
            turned.unlink(missing_ok=True)
            turned.symlink_to(kept.name)
            turned.replace(link)
            for other in folder.glob(f"{CHECKPOINT}-*"):
                if other != kept:
                    shutil.rmtree(other)
        policy = self.algorithm.get_module(MODULE).network.agent(POINTS)
        write_atomically(folder / FILE_NAME, lambda path: save_agent(policy, path))


def train(
    config: RLlibConfig,
    folder: Path,
    *,
    address: str = "local",
    resume: bool = False,
    report: Callable[[Progress], None] | None = None,
) -> Path:
    """Learn by self-play as a config says, on a Ray cluster, and write everything below a folder here.

    Writes what `wizard_env.train.run.train` writes, with RLlib's own checkpoint.

    Args:
        config: the run.
        folder: where to write; created if it is missing.
        address: of the cluster, "auto" for the one that this machine belongs to; "local" starts one here.
            If Ray is connected already, that connection is taken.
        resume: go on from the folder's checkpoint.
        report: called after every iteration.

    Returns:
        The folder.

    Raises:
        ConnectionError: there is no cluster at that address.
        FileExistsError, FileNotFoundError, ValueError: as `wizard_env.train.run.train` does.
    """
    started = not ray.is_initialized()
    if started:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        conduct(lambda kept: Learner(config, kept), folder / CHECKPOINT, config, folder, resume, report)
    finally:
        if started:
            ray.shutdown()
    return folder
