"""The messages that browsers may send to the server; anything else is refused with a reason."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS

MAX_TEXT = 64
"""Characters in the name of an action, agent or option, and in a token."""
LONGEST_NAME = 20
"""Characters in a person's name."""
LONGEST_RECORD = 60_000
"""Characters in the record of a game; a whole game has about 5,000."""
JOINERS = "\u200c\u200d"
"""Invisible characters that belong to words and emoji."""


def _printable(name: str) -> str:
    if not all(character.isprintable() or character in JOINERS for character in name):
        raise ValueError("a name must consist of printable characters")
    return name


PersonName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME),
    AfterValidator(_printable),
]


class Message(BaseModel):
    """Refuses unknown fields and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Sit(Message):
    """The first message over a websocket: take the seat that the token opens, or watch if there is none."""

    kind: Literal["sit"]
    token: str | None = Field(default=None, max_length=MAX_TEXT)


class Act(Message):
    """Bid, name the trump or play a card."""

    kind: Literal["act"]
    action: str = Field(max_length=MAX_TEXT)
    decisions: int = Field(ge=0)
    """Number of decisions the browser has seen: a click on an outdated view is refused."""


class Hint(Message):
    """Ask an agent for advice on the seat's decision."""

    kind: Literal["hint"]
    agent: str = Field(max_length=MAX_TEXT)


class TakeBack(Message):
    """Go back to the seat's last decision."""

    kind: Literal["take_back"]


class Pace(Message):
    """Set how long agents wait before they act."""

    kind: Literal["pace"]
    seconds: Annotated[float, Field(strict=False)]


COMMAND: TypeAdapter[Act | Hint | TakeBack | Pace] = TypeAdapter(
    Annotated[Act | Hint | TakeBack | Pace, Field(discriminator="kind")]
)
"""Every message over a websocket after the first."""


class TakeSeat(Message):
    """Take an open seat, under a name that the others see."""

    person: PersonName | None = None


class NewTable(TakeSeat):
    """Open a table; each seat is an agent's name, or null for a person. The sender takes the first null."""

    seats: list[str | None] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    bid_restriction: str = Field(default="free", max_length=MAX_TEXT)
    bid_reveal: str = Field(default="open", max_length=MAX_TEXT)
    magic_edition: bool = False
    hand_sizes: list[int] | None = Field(default=None, max_length=60)


class Recorded(Message):
    """A played game."""

    record: str = Field(max_length=LONGEST_RECORD)


class Moment(Recorded):
    """The position of the game after a number of decisions."""

    decisions: int = Field(ge=0)


class AskedMoment(Moment):
    """Ask for an agent's assessment of the next decision."""

    agent: str = Field(max_length=MAX_TEXT)


class AskedRound(Recorded):
    """Ask an agent to judge a round."""

    round_number: int = Field(ge=1)
    agent: str = Field(max_length=MAX_TEXT)
