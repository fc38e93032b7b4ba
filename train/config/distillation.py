"""The `[learning]` of a run whose learner is "distillation"."""

from typing import Any, Literal, Self

from pydantic import Field, PositiveInt, model_validator

from wizard_env.checks import quoted
from wizard_env.train.config.learning import Learning, OwnNetwork


class DistillationConfig(OwnNetwork, Learning):
    """One network that answers like several, each where it is the expert (Rusu et al. 2016)."""

    learner: Literal["distillation"]
    teachers: dict[str, list[str]] = Field(min_length=1)
    """The networks to learn from, each with its partners: beside them it is the expert. One without partners
    is the expert where every seat learns."""
    alone: bool = True
    num_games: int = Field(default=2048, gt=0, le=2**31)
    decisions_per_game: int = Field(default=32, gt=0)
    guided: float = Field(default=0.5, ge=0, le=1)
    """The share of games in which the expert decides, not the learner."""
    batch_size: int = Field(default=1024, gt=0)
    """Decisions per gradient step."""
    learning_rate: float = Field(default=2e-3, gt=0)
    """At the start; it falls to 0 along a straight line."""
    layers: list[PositiveInt] = Field(default=[128, 128], min_length=1)
    """Widths of the layers that policy and value share."""

    @model_validator(mode="before")
    @classmethod
    def _partners_are_those_of_the_teachers(cls, given: Any) -> Any:
        teachers = given.get("teachers") if isinstance(given, dict) else None
        if not isinstance(teachers, dict) or not all(isinstance(each, list) for each in teachers.values()):
            return given
        partners = [partner for each in teachers.values() for partner in each]
        return {"partners": partners} | given if partners else given

    @model_validator(mode="after")
    def _has_one_expert_for_each_game(self) -> Self:
        met = [partner for each in self.teachers.values() for partner in each]
        if self.population:
            raise ValueError(f"population={self.population}: no teacher plays beside generated agents")
        if self.mixed:
            raise ValueError(f"mixed={self.mixed}: the expert of a game is that of its one partner")
        if self.reward != "points":
            raise ValueError(
                f"reward={quoted(self.reward)}: the answers of teachers are learned, not rewards"
            )
        if self.sparring and self.partners != met:
            raise ValueError(
                f"sparring={self.sparring}: partners are those of the teachers, {met}, not {self.partners}"
            )
        if met and not self.sparring:
            raise ValueError(f"sparring={self.sparring}: teachers that have partners would never be asked")
        alike = [name for name, each in self.teachers.items() if not each]
        if self.sparring < 1 and len(alike) != 1:
            raise ValueError(
                f"sparring={self.sparring}: where every seat learns, just one teacher is the expert, "
                f"which has no partners; given are {len(alike)}"
            )
        if alike and self.sparring == 1:
            raise ValueError(f"sparring={self.sparring}: {alike} have no partners and would never be asked")
        return self
