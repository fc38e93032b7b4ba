"""The `[learning]` of a run whose learner is "ppo" or "maskable_ppo"."""

from typing import Literal

from pydantic import Field, PositiveInt, field_validator

from wizard_env.train.config.learning import AUTO, PrecisionChoice, ProximalPolicy, SelfPlay


class PpoConfig(SelfPlay, ProximalPolicy):
    """Proximal policy optimisation over self-play."""

    learner: Literal["ppo", "maskable_ppo"] = "ppo"
    """`ppo` is `wizard_env.train.ppo`; `maskable_ppo` is sb3-contrib's MaskablePPO."""
    decisions_per_game: int = Field(default=64, gt=1)
    """How many decisions each game contributes to an iteration."""
    final_entropy_bonus: float | None = Field(default=None, ge=0)
    """The entropy bonus at the end, reached along a straight line (`ppo`); without it the bonus stays."""
    snapshot_decisions: int = Field(default=2_000_000, gt=0)
    """Decisions between snapshots: a past self is kept, and the learner is rated as `[ratings]` says."""
    past_selves: int = Field(default=16, gt=0)
    """How many past selves are kept."""
    critic: list[PositiveInt] = []
    """Widths of a value network that sees all hands (`ppo`); if empty, the policy's trunk gives the value."""
    team_spirit: float = Field(default=0.0, ge=0, le=1)
    """The share of a reward that is the mean over the learning seats (`ppo`; Berner et al. 2019)."""
    start: str = ""
    """An `agent.safetensors`, or its folder, to start from, not random weights (`ppo`); a smaller network
    grows."""
    encoding: str = ""
    """An encoding of one's own in place of the scaled observation, as in "file.py:function" (`ppo`); see
    `wizard_env.agents.network.find_encoding`."""
    precision: PrecisionChoice = AUTO
    """The precision of `ppo`'s networks; "auto" is the faster one on this machine."""

    @field_validator("encoding")
    @classmethod
    def _can_be_imported(cls, encoding: str) -> str:
        if encoding and ":" not in encoding:
            raise ValueError(
                f'{encoding!r} does not say where to import it: allowed is a name as in "file.py:function"'
            )
        return encoding
