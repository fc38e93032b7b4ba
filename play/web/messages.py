"""What browsers may say to the server; anything else is refused with a reason."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter

from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS

MAX_TEXT = 64
LONGEST_NAME = 20
LONGEST_RECORD = 60_000
"""Characters of a game's record; a whole game has some 5,000."""


JOINERS = "\u200c\u200d"
"""Unseen, and part of words and of signs."""


def _printable(name: str) -> str:
    if not all(sign.isprintable() or sign in JOINERS for sign in name):
        raise ValueError("a name of printable characters is needed")
    return name


PersonName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME),
    AfterValidator(_printable),
]


class Message(BaseModel):
    """Nothing beyond the fields is allowed, and no value is bent into another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Sit(Message):
    """The first message: the seat that the token opens, or watching where there is none."""

    kind: Literal["sit"]
    token: str | None = Field(default=None, max_length=MAX_TEXT)


class Act(Message):
    """Bid, name the trump, play."""

    kind: Literal["act"]
    action: str = Field(max_length=MAX_TEXT)
    decisions: int = Field(ge=0)
    """How many decisions the browser has seen: a click on an old picture is refused."""


class Hint(Message):
    """Ask an agent."""

    kind: Literal["hint"]
    agent: str = Field(max_length=MAX_TEXT)


class TakeBack(Message):
    """Go back to one's last decision."""

    kind: Literal["take_back"]


class Pace(Message):
    """How long agents wait."""

    kind: Literal["pace"]
    seconds: Annotated[float, Field(strict=False)]


Said = Annotated[Sit | Act | Hint | TakeBack | Pace, Field(discriminator="kind")]
SAID: TypeAdapter[Sit | Act | Hint | TakeBack | Pace] = TypeAdapter(Said)


class TakeSeat(Message):
    """An open seat to take, and what the others call whoever sits there."""

    person: PersonName | None = None


class NewTable(TakeSeat):
    """A table to open: for each seat an agent, or null for a person; the first null is whoever asks."""

    seats: list[str | None] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    bid_restriction: str = Field(default="free", max_length=MAX_TEXT)
    bid_reveal: str = Field(default="open", max_length=MAX_TEXT)
    magic_edition: bool = False
    hand_sizes: list[int] | None = Field(default=None, max_length=60)


class Recorded(Message):
    """A game that was played."""

    record: str = Field(max_length=LONGEST_RECORD)


class Moment(Recorded):
    """The game as it stood after so many decisions."""

    decisions: int = Field(ge=0)


class AskedMoment(Moment):
    """What an agent thinks of that decision."""

    agent: str = Field(max_length=MAX_TEXT)


class AskedRound(Recorded):
    """What an agent thinks of a round."""

    round_number: int = Field(ge=1)
    agent: str = Field(max_length=MAX_TEXT)
