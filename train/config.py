"""The configuration of a training run, read from TOML; unknown keys and bad values are refused."""

import tomllib
from pathlib import Path
from typing import Any, Literal, Self, TypeVar, get_args

import numpy as np
from pydantic import (
    BaseModel,
    Field,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)

from train.dqn_config import DqnConfig
from train.sections import Learning, ProximalPolicy, Section, SelfPlay
from wizard_env import Rules
from wizard_env.rules import nearest

PAST = "past"
"""Among the partners: a past self of the learner's."""


ANCHORS = (
    "search:playouts=random,evidence=nothing,worlds=32",
    "variant:of=heuristic,bias=-0.5,noise=0.1",
    "rival",
)
"""Agents of several minds beside whom nobody learns, so that points against them are points against
strangers: a search that knows the rules alone, a counter of cards that bids too little and errs, and a
network that has learned among its like."""


_Kind = TypeVar("_Kind", bound=BaseModel)


class ConfigError(ValueError):
    """A config that cannot be used; the message names the file, the key, the value and the reason."""


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


class LearningConfig(SelfPlay, ProximalPolicy):
    """Proximal policy optimisation over self-play."""

    learner: Literal["ppo", "maskable_ppo"] = "ppo"
    """`train.ppo`, or sb3-contrib's MaskablePPO."""
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
    """A training run of a learner of `train.run`."""

    tables: list[TableConfig] = []
    """What is learned at instead of `game`, side by side."""
    learning: LearningConfig | DqnConfig = Field(discriminator="learner")
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


def read_config(path: Path) -> Config:
    """Read a config of `wizard train`; raises as `read_toml` does."""
    return read_toml(path, Config)


def read_toml(path: Path, kind: type[_Kind]) -> _Kind:
    """Read a config of some kind from a TOML file.

    Raises:
        ConfigError: it is not TOML, a key is unknown or missing, or a value is not allowed.
        OSError: the file cannot be read.
    """
    try:
        return kind.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    except ValidationError as error:
        reasons = "; ".join(_reason(item, kind) for item in error.errors())
        raise ConfigError(f"{path}: {reasons}") from None


def _reason(item: Any, kind: type[BaseModel]) -> str:
    loc = item["loc"]
    if not loc:
        return str(item["msg"])  # of the sections together
    # where there are several kinds of learning, "learning" is followed by which, no key of the file
    several = loc[0] == "learning" and len(_kinds_of_learning(kind)) > 1
    place = ".".join(map(str, loc[:1] + loc[2:] if several else loc))
    if item["type"] == "union_tag_invalid":
        known = [name for each in _kinds_of_learning(kind) for name in _learners(each)]
        given = item["ctx"]["tag"]
        return f"{place}.learner = {given!r}: {nearest(given, known)}"
    if item["type"] == "extra_forbidden":
        return f"unknown key {place}: {nearest(loc[-1], _keys(loc[:-1], kind))}"
    if item["type"] == "missing":
        return f"{place} is required"
    return f"{place} = {item['input']!r}: {item['msg']}"


def _kinds_of_learning(kind: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    return get_args(kind.model_fields["learning"].annotation)


def _learners(kind: type[BaseModel]) -> tuple[str, ...]:
    return get_args(kind.model_fields["learner"].annotation)


def _keys(place: tuple[str | int, ...], kind: type[BaseModel]) -> list[str]:
    found: Any = kind
    for name in place:
        if isinstance(name, int):
            (found,) = get_args(found)  # one of a list
        elif kinds := get_args(found):
            found = next(one for one in kinds if name in _learners(one))
        else:
            found = found.model_fields[name].annotation
    return list(found.model_fields)
