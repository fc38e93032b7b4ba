"""The `[learning]` of a run whose learner is "ppo" or "maskable_ppo"."""

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, PositiveInt, ValidationInfo, field_validator, model_validator

from wizard_env.checks import quoted
from wizard_env.train.config.learning import AUTO, PAST, Precision, PrecisionChoice, ProximalPolicy, SelfPlay

KEPT = "kept"
"""The validation context of a config that a run keeps in its folder."""


class PpoConfig(SelfPlay, ProximalPolicy):
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
    start: str = ""
    """A network to start from, not random weights: "champion", or a path; a smaller network grows."""
    beliefs: bool = False
    """The network also reads beliefs about the other seats, see `wizard_env.agents.adaptive`."""
    encoding: str = ""
    """A custom encoding in place of the scaled observation, as in "file.py:function"; see
    `wizard_env.agents.network.find_encoding`."""
    precision: PrecisionChoice = AUTO
    """The precision of the networks; "auto" is the faster one on this machine."""

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


class MaskablePpoConfig(SelfPlay, ProximalPolicy):
    """Proximal policy optimisation by sb3-contrib's MaskablePPO."""

    checkpoint_file: ClassVar[str] = "checkpoint.zip"
    precision: ClassVar[Precision] = "float32"
    """The precision that stable-baselines3 computes in."""

    learner: Literal["maskable_ppo"]

    @model_validator(mode="before")
    @classmethod
    def _drop_keys_of_ppo(cls, given: Any, info: ValidationInfo) -> Any:
        """Leave out the keys of "ppo", which runs of version 0.2 kept and did not read."""
        if info.context != KEPT or not isinstance(given, dict):
            return given
        unread = PpoConfig.model_fields.keys() - cls.model_fields.keys()
        return {name: value for name, value in given.items() if name not in unread}
