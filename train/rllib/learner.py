"""Self-play on Ray RLlib: one policy learns from every seat's decisions, on this machine or a cluster."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from wizard_env.agents import load
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.checks import quoted
from wizard_env.evaluation.ray_cluster import LOCAL, connect
from wizard_env.files import write_atomically
from wizard_env.train.config.rllib import RLlibConfig
from wizard_env.train.networks.layers import MAX_GRADIENT_NORM
from wizard_env.train.ppo.device import VALUE_WEIGHT
from wizard_env.train.rllib.env import POINTS, CountingRunner, SelfPlayRounds
from wizard_env.train.rllib.module import MODULE, SelfPlayModule
from wizard_env.train.run import checkpoint_of, run_learner
from wizard_env.train.selfplay.curves import Curves
from wizard_env.train.selfplay.games import VALUE_UNIT
from wizard_env.train.selfplay.loop import IterativeLearner
from wizard_env.train.selfplay.progress import Report

_METRICS = ("policy_loss", "vf_loss", "entropy", "vf_explained_var", "default_optimizer_learning_rate")


def algorithm_config(config: RLlibConfig, seed: int) -> PPOConfig:
    """Return the configuration of RLlib's PPO. seed: of the deals and of everything drawn at random."""
    learning, cluster = config.learning, config.cluster
    games = {
        "rules": config.game.rules(),
        "num_games": cluster.games_per_worker,
        "seed": seed,
        "sparring": learning.sparring,
        "partners": [load(partner) for partner in config.partners()],  # their files may exist only here
        "alone": learning.alone,
    }
    network = {"layers": learning.layers, "seed": config.seed}
    slope = [[0, learning.learning_rate], [learning.decisions, learning.final_learning_rate]]
    return (
        PPOConfig()
        .environment(SelfPlayRounds, env_config=games, disable_env_checking=True)  # it plays illegally
        .env_runners(
            env_runner_cls=CountingRunner, num_env_runners=cluster.workers, batch_mode="complete_episodes"
        )
        .learners(num_learners=cluster.learners, num_gpus_per_learner=cluster.gpus_per_learner)
        .multi_agent(policies={MODULE}, policy_mapping_fn=_choose_module)
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


def _choose_module(agent: str, episode: Any, **options: Any) -> str:
    return MODULE


class RLlibLearner(IterativeLearner):
    """RLlib's PPO as a learner of `wizard_env.train.run`."""

    def __init__(self, config: RLlibConfig, checkpoint: Path | None) -> None:
        """Start, or resume from a checkpoint with new deals."""
        super().__init__(config.learning.decisions, config.learning.checkpoint_seconds)
        self._config = config
        if checkpoint:
            self.decisions = int(checkpoint.resolve().name.rpartition("-")[2])
        self.algorithm = algorithm_config(config, config.seed + self.decisions).build_algo()
        Path(self.algorithm.logdir).rmdir()  # in the user's home, for logs that are never written
        if checkpoint:
            self.algorithm.restore_from_path(str(checkpoint.resolve()))

    def learn(self, folder: Path, curves: Curves, report: Report) -> None:
        """Learn to the end, and release what RLlib holds."""
        try:
            super().learn(folder, curves, report)
        finally:
            self.algorithm.stop()

    def iterate(self) -> dict[str, float]:
        result = self.algorithm.train()
        played, learned = result["env_runners"], result["learners"][MODULE]
        self.decisions = int(played["num_env_steps_sampled_lifetime"])
        self.tally.add(np.concatenate(played[POINTS]))
        return {f"train/{name}": float(learned[name]) for name in _METRICS}

    def save(self, folder: Path) -> None:
        """Write the agent and RLlib's checkpoint, and point the link `checkpoint` at it."""
        policy = self.algorithm.get_module(MODULE).network.agent(VALUE_UNIT)
        write_atomically(folder / FILE_NAME, lambda path: save_agent(policy, path))
        link = checkpoint_of(self._config, folder)
        kept = link.with_name(f"{link.name}-{self.decisions}")
        if link.resolve() != kept.resolve():
            self.algorithm.save_to_path(str(kept.resolve()))
            new_link = link.with_name(f".{link.name}")
            new_link.unlink(missing_ok=True)
            new_link.symlink_to(kept.name)
            new_link.replace(link)
            for other in folder.glob(f"{link.name}-*"):
                if other != kept:
                    shutil.rmtree(other)


def train(
    config: RLlibConfig,
    folder: Path,
    *,
    address: str = LOCAL,
    resume: bool = False,
    report: Report = None,
) -> Path:
    """Learn by self-play on a Ray cluster; writes and raises what `wizard_env.train.run.train` does.

    The checkpoint is RLlib's own.

    Args:
        config, folder, resume, report: as for `wizard_env.train.run.train`.
        address: of the cluster, as for `connect`; an existing connection is used instead.

    Returns:
        The folder.

    Raises:
        ConnectionError: there is no cluster at that address.
    """
    with connect(address, f"address={quoted(address)}"):
        run_learner(lambda checkpoint: RLlibLearner(config, checkpoint), config, folder, resume, report)
    return folder
