"""The `[learning]` of a run whose learner is "ppo" or "maskable_ppo"."""

from typing import Literal

from pydantic import Field, PositiveInt

from wizard_env.train.config.learning import ProximalPolicy, SelfPlay


class PpoConfig(SelfPlay, ProximalPolicy):
    """Proximal policy optimisation over self-play."""

    learner: Literal["ppo", "maskable_ppo"] = "ppo"
    """`wizard_env.train.ppo.learner`, or sb3-contrib's MaskablePPO."""
    decisions_per_game: int = Field(default=64, gt=1)
    """How many decisions each game contributes to an iteration."""
    final_entropy_bonus: float | None = Field(default=None, ge=0)
    """Reached at the end, along a straight line; for `ppo`. None: the bonus stays."""
    snapshot_decisions: int = Field(default=2_000_000, gt=0)
    """How often a past self is kept, and the learner is rated by what `[ratings]` says."""
    past_selves: int = Field(default=16, gt=0)
    """How many are kept."""
    critic: list[PositiveInt] = []
    """Widths of a value network that sees all hands; if there are none, the policy's trunk has the value."""
    team_spirit: float = Field(default=0.0, ge=0, le=1)
    """How much of a reward is the mean over those who learn at the table, for `ppo` (Berner et al. 2019)."""
    start: str = ""
    """An `agent.safetensors` of the same layers, or its folder, to begin with instead of drawn weights."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What `ppo`'s network computes in; bfloat16 is faster where the processor knows it."""
