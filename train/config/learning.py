"""What the `[learning]` sections of all learners have in common."""

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from wizard_env.envs.rewards import Reward

PAST = "past"
"""Among the partners: a past self of the learner's."""


class Section(BaseModel):
    """A table of a TOML file: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Learning(Section):
    """How long a run learns, and beside whom: for every learner."""

    decisions: int = Field(gt=0)
    """How many decisions to learn from; forced ones are played without the network."""
    sparring: float = Field(default=0.0, ge=0, le=1)
    """The share of games in which some seats are taken by partners that do not learn."""
    partners: list[str] = Field(default=["heuristic"], min_length=1)
    """Who they are: at each of those tables one of these, drawn once. "past" is a past self, for `ppo`."""
    alone: bool = False
    """Whether just one seat learns where the partner sits at the table; else one or more, as drawn."""
    checkpoint_seconds: float = Field(default=60.0, gt=0)
    """How often a checkpoint is written, besides the one at the end."""


class SelfPlay(Learning):
    """What is played and paid at the tables of `wizard_env.train.selfplay.games`."""

    num_games: int = Field(default=512, gt=0)
    """How many games are played side by side."""
    reward: Reward = "points"
    """What is learned for, see `wizard_env.envs.rewards`."""


class ProximalPolicy(Section):
    """Proximal policy optimisation (Schulman et al. 2017), by whichever library."""

    batch_size: int = Field(default=4096, gt=1)
    epochs: int = Field(default=3, gt=0)
    learning_rate: float = Field(default=1e-3, gt=0)
    final_learning_rate: float = Field(default=5e-5, gt=0)
    """Reached at the end, along a straight line."""
    discount: float = Field(default=1.0, gt=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip_range: float = Field(default=0.2, gt=0)
    entropy_bonus: float = Field(default=0.002, ge=0)
    layers: list[PositiveInt] = Field(default=[256, 256], min_length=1)
    """Widths of the trunk that policy and value share."""
