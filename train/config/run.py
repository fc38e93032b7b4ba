"""The configuration of a training run: the games, how they are learned, and how the result is measured."""

from typing import Any, Self, TypeVar

import numpy as np
from pydantic import Field, field_validator, model_validator

from wizard_env import Rules
from wizard_env.agents.perturbed import generated_population
from wizard_env.checks import quoted
from wizard_env.train.config.distillation import DistillationConfig
from wizard_env.train.config.learning import PAST, Learning, Section
from wizard_env.train.config.ppo import MaskablePpoConfig, PpoConfig

_Learning = TypeVar("_Learning", bound=Learning)


class GameConfig(Section):
    """The rules of the games: the options of `Rules`."""

    num_players: int = 4
    bid_restriction: str = "free"
    bid_reveal: str = "open"
    magic_edition: bool = False
    hand_sizes: tuple[int, ...] | None = None

    @field_validator("hand_sizes", mode="before")
    @classmethod
    def _from_list(cls, given: Any) -> Any:
        return tuple(given) if isinstance(given, list) else given

    @model_validator(mode="after")
    def _are_rules(self) -> Self:
        self.rules()
        return self

    def rules(self) -> Rules:
        """Return the options as `Rules`."""
        return Rules(**self.model_dump(include=set(GameConfig.model_fields)))


class GameKind(GameConfig):
    """One kind of game among several that are learned together."""

    share: float = Field(default=1.0, gt=0, le=1e9)
    """The share of `num_games` of this kind, relative to the shares of the other kinds."""


class EvaluationConfig(Section):
    """The evaluation of the learned agent, alone against copies of each opponent."""

    players: int | None = Field(default=None, ge=3, le=6)
    """The number of players; by default that of `[game]`."""
    games: int = Field(default=200, gt=1)
    """Deals of a whole game."""
    opponents: list[str] = ["random", "heuristic"]


class RatingsConfig(Section):
    """Ratings of the learner while it learns: alone against copies of each agent, on held-out deals."""

    agents: list[str] = []
    """Partners or other agents; the curves keep the two groups apart."""
    games: int = Field(default=50, gt=1)
    """Deals of a whole game."""


class Config(Section):
    """A training run, see `wizard_env.train.run`."""

    name: str = Field(pattern=r"^\w[\w.-]*$")
    """The name of its folder in `runs/`."""
    seed: int = Field(default=0, ge=0, lt=2**32)
    """The seed of everything that is drawn; agents are measured on deals of larger seeds."""
    workers: int | None = Field(default=None, gt=0)
    """Number of processes that learn together; a run with another number is refused. None allows any."""
    game: GameConfig = GameConfig()
    """The games to learn and to evaluate."""
    tables: list[GameKind] = []
    """Kinds of games to learn side by side, in place of `game`."""
    learning: PpoConfig | MaskablePpoConfig | DistillationConfig = Field(discriminator="learner")
    ratings: RatingsConfig = RatingsConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    held_out: list[str] = []
    """Agents that may not be partners, so that they are strangers in an evaluation."""

    @field_validator("learning", mode="before")
    @classmethod
    def _is_ppo_by_default(cls, given: Any) -> Any:
        return {"learner": "ppo"} | given if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _can_be_evaluated(self) -> Self:
        self.evaluation_rules()
        return self

    @model_validator(mode="after")
    def _meets_only_partners(self) -> Self:
        if met := set(self.held_out) & set(self.partners()):
            raise ValueError(f"partner {quoted(min(met))} is in held_out: this run may not train against it")
        return self

    @model_validator(mode="after")
    def _has_games_for_all_tables(self) -> Self:
        if any(count == 0 for _, count in self.kinds()):
            raise ValueError(f"num_games={self.learning.num_games} leaves no games for some of the tables")
        return self

    @model_validator(mode="after")
    def _fits_its_learner(self) -> Self:
        learning = self.learning
        if isinstance(learning, PpoConfig):
            return self
        asked = ["ratings"] if self.ratings.agents else []
        if PAST in learning.partners:
            asked.append(f"partner {PAST!r}")
        if asked:
            raise ValueError(
                f"learner {learning.learner!r} has no {' and no '.join(asked)}: use learner 'ppo'"
            )
        return self

    def partners(self) -> list[str]:
        """Return the agents to draw partners from: those that are named, then the population."""
        return [*self.learning.partners, *generated_population(self.learning.population, self.seed)]

    def evaluation_rules(self) -> Rules:
        players = self.evaluation.players or self.game.num_players
        return Rules(**(self.game.model_dump() | {"num_players": players}))

    def learning_as(self, kind: type[_Learning]) -> _Learning:
        """Return `[learning]`, typed. Raises TypeError if it is that of another learner."""
        if not isinstance(self.learning, kind):
            raise TypeError(f"learner {self.learning.learner!r} is given: {kind.__name__} is needed")
        return self.learning

    def kinds(self) -> list[tuple[Rules, int]]:
        """Return the rules to learn, each with its number of games."""
        if not self.tables:
            return [(self.game.rules(), self.learning.num_games)]
        shares = np.cumsum([table.share for table in self.tables])
        ends = np.rint(shares / shares[-1] * self.learning.num_games).astype(int)
        counts = np.diff(ends, prepend=0).tolist()
        return [(table.rules(), count) for table, count in zip(self.tables, counts, strict=True)]
