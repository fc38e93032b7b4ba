"""The configuration of a training run: what is played, how it is learned, and what measures it."""

from typing import Any, Self

import numpy as np
from pydantic import Field, field_validator, model_validator

from wizard_env import Rules
from wizard_env.train.config.dqn import DqnConfig
from wizard_env.train.config.learning import PAST, Learning, Section
from wizard_env.train.config.ppo import PpoConfig

ANCHORS = (
    "search:playouts=random,evidence=nothing,worlds=32",
    "variant:of=heuristic,bias=-0.5,noise=0.1",
    "rival",
)
"""Agents of several minds beside whom nobody learns, so that points against them are points against
strangers: a search that knows the rules alone, a counter of cards that bids too little and errs, and a
network that has learned among its like."""


class GameConfig(Section):
    """The rules that are played: the options of `Rules`."""

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
        try:
            self.rules()
        except TypeError as error:
            raise ValueError(str(error)) from None
        return self

    def rules(self) -> Rules:
        """The rules that these options make."""
        return Rules(**self.model_dump())


class TableConfig(GameConfig):
    """A kind of table among several."""

    share: float = Field(default=1.0, gt=0)
    """Of the games, against the shares of the other kinds."""

    def rules(self) -> Rules:
        return Rules(**self.model_dump(exclude={"share"}))


class EvaluationConfig(Section):
    """What the learned agent is measured against, alone at a table of each opponent."""

    players: int | None = Field(default=None, ge=3, le=6)
    """How many sit at the table; as in learning if it is not given."""
    games: int = Field(default=200, gt=1)
    opponents: list[str] = ["random", "heuristic"]


class RatingsConfig(Section):
    """What the learner is measured against as it learns, alone at a table of each, on deals held out."""

    agents: list[str] = []
    """Partners and others, as ANCHORS: those that it does not learn beside are told apart in the curves."""
    games: int = Field(default=50, gt=1)


class Run(Section):
    """A training run, of whichever library."""

    name: str = Field(pattern=r"^\w[\w.-]*$")
    """The folder below `runs/` that everything is written to."""
    seed: int = Field(default=0, ge=0)
    game: GameConfig = GameConfig()
    """What is played and evaluated."""
    learning: Learning
    evaluation: EvaluationConfig = EvaluationConfig()

    @model_validator(mode="after")
    def _can_be_evaluated(self) -> Self:
        try:
            self.evaluation_rules()
        except TypeError as error:
            raise ValueError(str(error)) from None
        return self

    @model_validator(mode="after")
    def _meets_no_anchor(self) -> Self:
        if met := set(ANCHORS) & set(self.learning.partners):
            raise ValueError(f"partner {min(met)!r} is an anchor: nobody learns beside it")
        return self

    def evaluation_rules(self) -> Rules:
        """The rules that the result is evaluated by."""
        players = self.evaluation.players or self.game.num_players
        return Rules(**(self.game.model_dump() | {"num_players": players}))


class Config(Run):
    """A training run of a learner of `wizard_env.train.run`."""

    tables: list[TableConfig] = []
    """What is learned at instead of `game`, side by side."""
    learning: PpoConfig | DqnConfig = Field(discriminator="learner")
    ratings: RatingsConfig = RatingsConfig()

    @field_validator("learning", mode="before")
    @classmethod
    def _is_ppo_by_default(cls, given: Any) -> Any:
        return {"learner": "ppo"} | given if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _has_games_for_all_tables(self) -> Self:
        if any(count == 0 for _, count in self.kinds()):
            raise ValueError(f"num_games={self.learning.num_games} leaves none for some of the tables")
        return self

    @model_validator(mode="after")
    def _fits_its_learner(self) -> Self:
        learning = self.learning
        if learning.learner == "ppo":
            return self
        only = ("final_entropy_bonus", "critic", "team_spirit", "start")
        asked = [name for name in only if getattr(learning, name, None)]
        if self.ratings.agents:
            asked.append("ratings")
        if PAST in learning.partners:
            asked.append(f"partner {PAST!r}")
        if asked:
            raise ValueError(f"learner {learning.learner!r} has no {' and no '.join(asked)}: ppo has")
        return self

    def kinds(self) -> list[tuple[Rules, int]]:
        """The rules that are learned, and how many games each has."""
        if not self.tables:
            return [(self.game.rules(), self.learning.num_games)]
        shares = np.cumsum([table.share for table in self.tables])
        ends = np.rint(shares / shares[-1] * self.learning.num_games).astype(int)
        counts = np.diff(ends, prepend=0).tolist()
        return [(table.rules(), count) for table, count in zip(self.tables, counts, strict=True)]
