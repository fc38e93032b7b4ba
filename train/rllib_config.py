"""The configuration of a run on Ray RLlib, read from TOML; unknown keys and bad values are refused."""

from typing import Self

from pydantic import Field, PositiveInt, model_validator

from train.config import ANCHORS, EvaluationConfig, GameConfig
from train.sections import Section
from wizard_env import Rules


class RLlibLearning(Section):
    """RLlib's PPO over self-play; keys that `LearningConfig` has too mean the same."""

    decisions: int = Field(gt=0)
    """How many decisions to learn from; forced ones are played without the network."""
    decisions_per_iteration: int = Field(default=16_384, gt=1)
    """How many to collect between updates, at least: rounds are played to their end."""
    batch_size: int = Field(default=1024, gt=1)
    epochs: int = Field(default=2, gt=0)
    learning_rate: float = Field(default=1e-3, gt=0)
    final_learning_rate: float = Field(default=5e-5, gt=0)
    """Reached at the end, along a straight line."""
    discount: float = Field(default=1.0, gt=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip_range: float = Field(default=0.2, gt=0)
    entropy_bonus: float = Field(default=0.002, ge=0)
    sparring: float = Field(default=0.0, ge=0, le=1)
    """The share of rounds in which some seats are taken by a partner that does not learn."""
    partners: list[str] = Field(default=["heuristic"], min_length=1)
    """Who it may be; one of these, drawn for every round."""
    alone: bool = False
    """Whether just one seat learns where the partner sits at the table; else one or more, as drawn."""
    layers: list[PositiveInt] = Field(default=[256, 256], min_length=1)
    """Widths of the trunk that policy and value share."""
    checkpoint_seconds: float = Field(default=60.0, gt=0)
    """How often a checkpoint is written, besides the one at the end."""


class RLlibCluster(Section):
    """What the run takes of the cluster."""

    workers: int = Field(default=0, ge=0)
    """Processes that play, a core each; 0 plays in the process that learns."""
    games_per_worker: int = Field(default=32, gt=0)
    """How many games each plays side by side; all of them are at the same round."""
    learners: int = Field(default=0, ge=0)
    """Processes that learn, each from `decisions_per_iteration` of its own; 0 learns in the process that was
    started."""
    gpus_per_learner: float = Field(default=0.0, ge=0)


class RLlibConfig(Section):
    """A training run on RLlib."""

    name: str = Field(pattern=r"^\w[\w.-]*$")
    """The folder below `runs/` that everything is written to."""
    seed: int = Field(default=0, ge=0)
    game: GameConfig = GameConfig()
    learning: RLlibLearning
    cluster: RLlibCluster = RLlibCluster()
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _can_be_learned(self) -> Self:
        learning = self.learning
        if learning.batch_size > learning.decisions_per_iteration:
            raise ValueError(
                f"batch_size={learning.batch_size} is more than "
                f"decisions_per_iteration={learning.decisions_per_iteration}"
            )
        if met := set(ANCHORS) & set(learning.partners):
            raise ValueError(f"partner {min(met)!r} is an anchor: nobody learns beside it")
        try:
            self.evaluation_rules()
        except TypeError as error:
            raise ValueError(str(error)) from None
        return self

    def evaluation_rules(self) -> Rules:
        """The rules that the result is evaluated by."""
        players = self.evaluation.players or self.game.num_players
        return Rules(**(self.game.model_dump() | {"num_players": players}))
