"""The `[learning]` of a run whose learner is "dqn"."""

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from wizard_env.train.config.learning import AUTO, PrecisionChoice, SelfPlay


class DqnConfig(SelfPlay):
    """Deep Q-networks (Mnih et al. 2015) over self-play, one for bids and one for plays.

    The defaults are those of Schumacher and Pleines 2022 for rounds of three cards.
    """

    learner: Literal["dqn"]
    num_games: int = Field(default=128, gt=0, le=2**31)
    decisions_per_game: int = Field(default=128, gt=0)
    decisions_per_update: int = Field(default=105, gt=0)
    """Decisions, over all games, between the gradient steps of each network."""
    batch_size: int = Field(default=1024, gt=0)
    """Transitions per gradient step."""
    learning_rate: float = Field(default=5e-4, gt=0)
    replay_size: int = Field(default=300_000, gt=0)
    """Transitions that are kept for each network; after that, new ones overwrite the oldest."""
    replay_start: int = Field(default=30_000, gt=0)
    """Transitions that a network needs before its first gradient step."""
    target_rate: float = Field(default=0.05, gt=0, le=1)
    """The weight of the learning network in the target network after each gradient step."""
    exploration: float = Field(default=1.0, gt=0, le=1)
    """The share of decisions taken at random at the start."""
    final_exploration: float = Field(default=0.01, gt=0, le=1)
    """The share of decisions taken at random at the end, reached by geometric decay."""
    exploration_share: float = Field(default=0.9, gt=0, le=1)
    """The share of the run after which `final_exploration` is reached."""
    bid_layers: list[PositiveInt] = Field(default=[100, 100, 50], min_length=1)
    """Widths of the network that values bids and choices of trump."""
    play_layers: list[PositiveInt] = Field(default=[200, 200, 100], min_length=1)
    """Widths of the network that values plays."""
    precision: PrecisionChoice = AUTO
    """The precision of the networks; "auto" is the faster one on this machine."""

    @model_validator(mode="after")
    def _can_start(self) -> Self:
        if self.replay_start > self.replay_size:
            raise ValueError(f"replay_start={self.replay_start} is more than replay_size={self.replay_size}")
        return self

    @model_validator(mode="after")
    def _make_one_network(self) -> Self:
        if len(self.bid_layers) != len(self.play_layers):
            raise ValueError(
                f"bid_layers={self.bid_layers} and play_layers={self.play_layers}: "
                "the agent is one network made of both, so they need the same number of layers"
            )
        return self
