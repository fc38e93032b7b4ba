"""The `[learning]` keys that all learners share."""

from typing import ClassVar, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, field_validator

from wizard_env.envs.rewards import find_reward

PAST = "past"
"""The partner that is a past self of the learner."""
AUTO: Literal["auto"] = "auto"
"""The precision that stands for the faster one."""
Precision: TypeAlias = Literal["float32", "bfloat16"]
PrecisionChoice: TypeAlias = Literal["auto", "float32", "bfloat16"]


class Section(BaseModel):
    """A section of a TOML file; unknown keys, wrong types and numbers that are not finite are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class OwnNetwork(Section):
    """The network of a learner that is written here."""

    start: str = ""
    """A network to start from: "champion" or another agent, or a path; a smaller one grows."""
    beliefs: bool = False
    """The network also reads beliefs about the other seats, see `wizard_env.agents.adaptive`."""
    precision: PrecisionChoice = AUTO
    """The precision of the networks; "auto" is the faster one on this machine."""


class Learning(Section):
    """The length of a run, its games, partners and rewards, see `wizard_env.train.selfplay.games`."""

    checkpoint_file: ClassVar[str] = "checkpoint.safetensors"
    """The file in a run's folder that it resumes from."""

    decisions: int = Field(gt=0)
    """Number of decisions to learn from; forced decisions, which need no network, do not count."""
    num_games: int = Field(default=512, gt=0, le=2**31)
    """Number of games played side by side."""
    decisions_per_game: int = Field(default=64, gt=1)
    """Decisions that each game contributes to an iteration, which is one line of the curves."""
    sparring: float = Field(default=0.0, ge=0, le=1)
    """Share of games in which partners, which do not learn, take some of the seats."""
    partners: list[str] = Field(default=["heuristic"], min_length=1)
    """Agents to draw partners from, one for each of those games; "past" is a past self, for `ppo`."""
    population: int = Field(default=0, ge=0, le=1000)
    """Number of generated agents among the partners: `wizard_env.agents.perturbed.generated_population`."""
    alone: bool = False
    """One seat learns in each game with partners; otherwise one or more, drawn at random."""
    mixed: float = Field(default=0.0, ge=0, le=1)
    """Share of the games with partners in which each of their seats draws its own, not one for all."""
    reward: str = "points"
    """The reward to learn for, see `wizard_env.envs.rewards`; or a custom one, as in "file.py:function"."""
    checkpoint_seconds: float = Field(default=60.0, gt=0)
    """Seconds between checkpoints; one more is written at the end."""

    @field_validator("reward")
    @classmethod
    def _is_a_reward(cls, reward: str) -> str:
        if ":" not in reward:  # a custom reward is imported when the run starts
            find_reward(reward)
        return reward
