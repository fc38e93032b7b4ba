"""What sections of a config have in common."""

from pydantic import BaseModel, ConfigDict, Field

from wizard_env.rewards import Reward


class Section(BaseModel):
    """A table of a TOML file: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class SelfPlay(Section):
    """Who sits at the tables that are learned from, and what is paid there: for every learner."""

    num_games: int = Field(default=512, gt=0)
    """How many games are played side by side."""
    sparring: float = Field(default=0.0, ge=0, le=1)
    """The share of games in which some seats are taken by partners that do not learn."""
    partners: list[str] = Field(default=["heuristic"], min_length=1)
    """Who they are: at each of those tables one of these, drawn once. "past" is a past self, for `ppo`."""
    alone: bool = False
    """Whether just one seat learns where the partner sits at the table; else one or more, as drawn."""
    reward: Reward = "points"
    """What is learned for, see `wizard_env.rewards`."""
    checkpoint_seconds: float = Field(default=60.0, gt=0)
    """How often a checkpoint is written, besides the one at the end."""
