"""The configuration of a run on Ray RLlib."""

from typing import ClassVar, Self

from pydantic import Field, model_validator

from wizard_env.train.config.learning import PAST, Learning, ProximalPolicy, Section
from wizard_env.train.config.run import Run


class RLlibLearning(Learning, ProximalPolicy):
    """RLlib's PPO over self-play."""

    checkpoint_file: ClassVar[str] = "checkpoint"

    decisions_per_iteration: int = Field(default=16_384, gt=1)
    """Decisions to collect between updates, at least."""
    batch_size: int = Field(default=1024, gt=1)
    epochs: int = Field(default=2, gt=0)


class RLlibCluster(Section):
    """The share of the cluster that the run uses."""

    workers: int = Field(default=0, ge=0)
    """Processes that play, one core each; 0 plays in the process that learns."""
    games_per_worker: int = Field(default=256, gt=0)
    """Number of games that each worker plays side by side."""
    learners: int = Field(default=0, ge=0)
    """Processes that learn, each from its own `decisions_per_iteration`; 0 learns in the main process."""
    gpus_per_learner: float = Field(default=0.0, ge=0)


class RLlibConfig(Run):
    """A training run on RLlib."""

    learning: RLlibLearning
    cluster: RLlibCluster = RLlibCluster()

    @model_validator(mode="after")
    def _fills_its_batches(self) -> Self:
        learning = self.learning
        if learning.batch_size > learning.decisions_per_iteration:
            raise ValueError(
                f"batch_size={learning.batch_size} is more than "
                f"decisions_per_iteration={learning.decisions_per_iteration}"
            )
        if PAST in learning.partners:
            raise ValueError(f"RLlib has no partner {PAST!r}: only learner 'ppo' has it")
        return self
