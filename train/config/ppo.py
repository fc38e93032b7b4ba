"""The `[learning]` of a run whose learner is "ppo" or "maskable_ppo"."""

from typing import ClassVar, Literal, Self

from pydantic import Field, PositiveInt, field_validator, model_validator

from wizard_env.checks import quoted
from wizard_env.train.config.learning import PAST, Learning, OwnNetwork, Precision


class ProximalPolicy(Learning):
    """Proximal policy optimisation (Schulman et al. 2017), by either learner."""

    batch_size: int = Field(default=4096, gt=1)
    """Decisions per gradient step."""
    epochs: int = Field(default=3, gt=0)
    """Number of passes over the decisions of an iteration."""
    learning_rate: float = Field(default=1e-3, gt=0)
    final_learning_rate: float = Field(default=5e-5, gt=0)
    """The learning rate at the end; it falls along a straight line."""
    discount: float = Field(default=1.0, gt=0, le=1)
    """Per decision of a seat."""
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    """The decay of generalised advantage estimation (Schulman et al. 2016)."""
    clip_range: float = Field(default=0.2, gt=0)
    """The distance from 1 at which the ratio of new to old probability loses its gradient."""
    entropy_bonus: float = Field(default=0.002, ge=0)
    """The weight of the policy's entropy."""
    layers: list[PositiveInt] = Field(default=[256, 256], min_length=1)
    """Widths of the layers that policy and value share."""


class PpoConfig(OwnNetwork, ProximalPolicy):
    """Proximal policy optimisation by `wizard_env.train.ppo`."""

    learner: Literal["ppo"] = "ppo"
    final_entropy_bonus: float | None = Field(default=None, ge=0)
    """The entropy bonus at the end, reached along a straight line; without it the bonus stays."""
    snapshot_decisions: int = Field(default=2_000_000, gt=0)
    """Decisions between snapshots: a past self is kept, and the learner is rated as `[ratings]` says."""
    past_selves: int = Field(default=16, gt=0)
    """Number of past selves that are kept."""
    critic: list[PositiveInt] = []
    """Widths of a value network that sees all hands; if empty, the policy's trunk gives the value."""
    team_spirit: float = Field(default=0.0, ge=0, le=1)
    """The share of a reward that is the mean over the learning seats (Berner et al. 2019)."""
    encoding: str = ""
    """A custom encoding in place of the scaled observation, as in "file.py:function"; see
    `wizard_env.agents.network.find_encoding`."""

    @model_validator(mode="after")
    def _can_have_beliefs(self) -> Self:
        if self.beliefs and self.encoding:
            raise ValueError(f"encoding={quoted(self.encoding)}: a custom encoding sees no beliefs")
        if self.beliefs and PAST in self.partners:
            raise ValueError(f"partner {PAST!r} is no kind that beliefs are about: leave it or beliefs out")
        return self

    @field_validator("encoding")
    @classmethod
    def _can_be_imported(cls, encoding: str) -> str:
        if encoding and ":" not in encoding:
            raise ValueError(
                f"{quoted(encoding)} does not say where to import it: allowed is a name as in "
                '"file.py:function"'
            )
        return encoding


class MaskablePpoConfig(ProximalPolicy):
    """Proximal policy optimisation by sb3-contrib's MaskablePPO."""

    checkpoint_file: ClassVar[str] = "checkpoint.zip"
    precision: ClassVar[Precision] = "float32"
    """The precision that stable-baselines3 computes in."""

    learner: Literal["maskable_ppo"]
