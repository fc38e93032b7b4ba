"""The `[learning]` of a run whose learner is "dqn"."""

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from wizard_env.train.config.learning import SelfPlay


class DqnConfig(SelfPlay):
    """Deep Q-networks (Mnih et al. 2015) over self-play, one for bids, one for plays.

    The defaults are those of Schumacher and Pleines 2022 in rounds of three cards.
    """

    learner: Literal["dqn"]
    num_games: int = Field(default=128, gt=0)
    decisions_per_game: int = Field(default=128, gt=0)
    """How many decisions each game contributes to an iteration, which is a line of the curves."""
    decisions_per_update: int = Field(default=105, gt=0)
    """After how many decisions, of all games together, each network takes a gradient step."""
    batch_size: int = Field(default=1024, gt=0)
    learning_rate: float = Field(default=5e-4, gt=0)
    replay_size: int = Field(default=300_000, gt=0)
    """How many transitions of each network are kept; then the oldest are overwritten."""
    replay_start: int = Field(default=30_000, gt=0)
    """How many a network has to have before its first step."""
    target_rate: float = Field(default=0.05, gt=0, le=1)
    """How far the target network goes towards the one that learns, after each step."""
    exploration: float = Field(default=1.0, gt=0, le=1)
    """The share of decisions taken at random, at first."""
    final_exploration: float = Field(default=0.01, gt=0, le=1)
    """The same at the end, reached by a geometric decline."""
    exploration_share: float = Field(default=0.9, gt=0, le=1)
    """After which part of the run it is reached."""
    bid_layers: list[PositiveInt] = Field(default=[100, 100, 50], min_length=1)
    """Widths of the network that values bids and choices of trump."""
    play_layers: list[PositiveInt] = Field(default=[200, 200, 100], min_length=1)
    """Widths of the network that values plays."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """What the networks compute in; bfloat16 is faster where the processor knows it."""

    @model_validator(mode="after")
    def _can_begin(self) -> Self:
        if self.replay_start > self.replay_size:
            raise ValueError(f"replay_start={self.replay_start} is more than replay_size={self.replay_size}")
        return self

    @model_validator(mode="after")
    def _make_one_network(self) -> Self:
        if len(self.bid_layers) != len(self.play_layers):
            raise ValueError(
                f"bid_layers={self.bid_layers} and play_layers={self.play_layers}: "
                "the agent is one network of both, so they need the same number of layers"
            )
        return self
