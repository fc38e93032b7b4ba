"""Messages of browsers, and the server's answers. Anything else is refused with a reason.

**Over HTTP.** Bodies are JSON, with `Content-Type: application/json`. A refusal has a status of 400 or more
and the body {"why"}, in the language of the request, and for some errors also "detail", in English for
developers. 429: too many new tables; 503: not now, so try again.

    GET  /ready                     {"ready": bool, "compiled": bool, "done": int, "total": int}; until it is
                                    ready the rest is 503; until all is compiled, questions wait
    GET  /language                  {"language", "languages": {code: name}, "texts": {English: translation}}
    GET  /agents                    [{"name", "lead", "judges", "waits"}]: `lead` over three `rule_based` in
                                    points per game, null if not measured; `judges`: true for the one that
                                    judges; `waits`: true for those that act only when all is compiled
    GET  /tables                    {"tables": [summary]}: tables that wait for guests, where somebody is
    POST /tables                    OpenTable -> {"table", "seat", "token"}; both null at a table of agents
    POST /tables/mine               Tokens -> {"tables": [summary + {"seat", "left"}], "gone": [table]}
    GET  /tables/NAME               summary
    POST /tables/NAME/seats         TakeSeat -> {"table", "seat", "token"}
    GET  /tables/NAME/invitation    {"address", "reachable": bool, "qr": text of an SVG}
    GET  /tables/NAME/record        the record of a game that is over, with the names of its players
    POST /tables/NAME/judgement     JudgeRound -> a judgement of a round of a game that is over, see
                                    `judgements.judge`
    GET  /matches/NAME              {"rules", "num_rounds", "seats", "results": see `matches.list_results`};
                                    NAME may be "daily"; ?table=NAME marks one's own
    POST /matches/NAME/seats        TakeSeat -> {"table", "seat", "token"}: a table with the same deals
    POST /matches/daily/seats       the same for the deals of the day
    POST /tables/NAME/share         AtSeat -> {"seat", "match"} and an invitation to the result of that seat,
                                    once the game is over; `match` is null if several people played,
                                    else others may now play the same deals
    GET  /puzzles                   {"puzzles": [{"name", "view", "choices"}]}, see `puzzles.show_puzzles`
    GET  /points                    {"points": [[int]]}: the points of a round, by bid and by tricks won
    GET  /share/NAME/SEAT           a page of HTML with the title and the picture of that result
    GET  /join/NAME                 the same for an invitation to a table
    GET  /join/match/NAME           the same for an invitation to the deals of a match
    POST /records/moment            Moment -> the game with open hands, see `views.show_moment`
    POST /records/decision          Moment -> the view of the seat that acted next, as it was then
    POST /records/assessment        AssessMoment -> an agent's advice to that seat, from what it knew

A summary: {"table", "phase": "waiting" | "playing" | "over", "names", "open", "people": the number of seats
for people, "watchable": whether people without a seat may watch, "match": or null, "hinted": the seats that
were given hints, "taken_back": the seats that took choices back, "turn": seat or null, "round_number",
"num_rounds", "rules", "clock": as in a view, "scores"}. An invitation is not `reachable` if only the server's
own computer can open it.

**Over the websocket /tables/NAME.** First a Sit, then any COMMAND. The server sends, each with its `kind`:

    view        the table as the seat may see it: see `views.view_of`, and below
    presence    {"presence", "replaced_in", "watchers"}, when someone comes or goes; nothing else has changed
    overdue     {"seat"}, after the view that shows what an agent decided for that seat, whose time was up
    hint        {"decisions", "choices", "value", "why"}; none comes if the seat moves first
    emote       {"seat", "emote"}
    next        {"table"}, where the next game is played; tokens of this table open the same seats there
    error       {"why"}, with "detail" as above
    pong        the answer to a Ping, by which a browser finds out that the server is still there

`choices`, also in advice: [{"action", "share", "points", "met", "error", "as_good", "why"}], every legal
action, the best first, see `ActionAdvice` in `wizard_env.evaluation.advice`; `value` is the points of the
first. `why` is text: in a choice the reason for it or against it, "" if the playouts bear none out; in the
advice the best choices, and the reasons for the first and against the best of those that are worse.

A view adds to `views.view_of`: "table", "names", "open": seats nobody has taken, "waiting": whether the game
has yet to begin (the phase is "waiting", nobody acts or sees cards; it begins when every seat is taken or the
host sends Begin), "host": the seat of the host or null, "match": its name or null, "presence": for each seat
"agent", "here", "away" (no connection; the table waits), "left" (an agent acts until they come back) or
"open" (likewise, once the game has begun), "replaced_in": for each seat the seconds until an agent acts for a
person who is away, or null, "clock": the seconds for each decision, or null, "decides_in": those that the
acting person has left, or null, "watchers": their number, null if nobody may watch, "seconds" and
"can_take_back".

An Act for a decision that was taken already is ignored. The server closes with 1000 after Leave, 1008 after a
refusal (do not connect again), 1013 if the browser reads too slowly (connect again).
"""

import unicodedata
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wizard_env.actions import IllegalAction
from wizard_env.records.game_records import RecordError
from wizard_env.rules import MAX_PLAYERS, MIN_PLAYERS, Rules
from wizard_table.translation import t

LONGEST_NAME = 20
"""Characters in a person's name."""
LONGEST_RECORD = 60_000
"""Characters in the record of a game; a whole game takes about 5,000."""
_JOINER = "\u200d"
"""An invisible character that joins several emoji to one."""
_MAX_TEXT = 64
"""Characters in the name of an action, agent or option, and in a token."""
_MOST_TOKENS = 100
"""Tables that can be asked for at once."""


# --- messages of browsers


def normalize_name(name: str) -> str:
    """Return a person's name as it is shown: NFKC, no blanks around it, one blank between words.

    Raises ValueError for a name that is empty, too long or not printable.
    """
    normal = " ".join(filter(None, unicodedata.normalize("NFKC", name).split(" ")))
    if not normal.replace(_JOINER, "").isprintable():
        raise ValueError(t("a name must consist of printable characters"))
    if not normal.strip(_JOINER):
        raise ValueError(t("a name needs a character that can be seen"))
    if len(normal) > LONGEST_NAME:
        why = t("the name has {count} characters: {most} are allowed", count=len(normal), most=LONGEST_NAME)
        raise ValueError(why)
    return normal


_PersonName = Annotated[str, Field(max_length=8 * LONGEST_NAME), AfterValidator(normalize_name)]
"""A person's name as it was typed; validation returns it as `normalize_name` does."""
_Text = Annotated[str, Field(max_length=_MAX_TEXT)]


class Message(BaseModel):
    """Refuses unknown fields and values of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Sit(Message):
    """The first message over a websocket: take the seat that the token opens, or watch if there is none."""

    kind: Literal["sit"]
    token: str | None = Field(default=None, max_length=_MAX_TEXT)


class Act(Message):
    """Bid, name the trump or play a card."""

    kind: Literal["act"]
    action: _Text
    decisions: int = Field(ge=0)
    """The number of decisions that the browser has seen: a click on an outdated view is ignored."""


class AskHint(Message):
    """Ask an agent for advice on the seat's decision; a question that is not answered yet is dropped."""

    kind: Literal["hint"]
    agent: _Text


class TakeBack(Message):
    """Go back to the seat's last decision."""

    kind: Literal["take_back"]


class SetPace(Message):
    """Set the time that agents wait before they act."""

    kind: Literal["pace"]
    seconds: float = Field(ge=0, le=5, strict=False)


class Begin(Message):
    """Begin the game, as the host may; an agent acts for each open seat until someone takes it."""

    kind: Literal["begin"]


class Emote(Message):
    """Show the others at the table an emote."""

    kind: Literal["emote"]
    emote: Literal["smile", "laugh", "wow", "sad", "wink", "thumb"]


class PlayAgain(Message):
    """Go on to the next game, once this one is over, with everybody who is connected."""

    kind: Literal["again"]


class Leave(Message):
    """Leave the table: an agent takes over until the token comes back. Before the game the seat is freed."""

    kind: Literal["leave"]


class Ping(Message):
    """Ask whether the server is still there; the answer is a `pong`."""

    kind: Literal["ping"]


Command = Act | TakeBack | SetPace | Begin
"""A message that changes the table."""
COMMAND: TypeAdapter[Command | AskHint | Emote | PlayAgain | Leave | Ping] = TypeAdapter(
    Annotated[Command | AskHint | Emote | PlayAgain | Leave | Ping, Field(discriminator="kind")]
)
"""Every message over a websocket after the first."""


class TakeSeat(Message):
    """Take an open seat, under a name that the others see."""

    person: _PersonName | None = None


class OpenTable(TakeSeat):
    """Open a table; each seat is an agent's name, or null for a person. The sender takes the first null."""

    seats: list[str | None] = Field(min_length=MIN_PLAYERS, max_length=MAX_PLAYERS)
    bid_restriction: _Text = "free"
    bid_reveal: _Text = "open"
    magic_edition: bool = False
    hand_sizes: list[int] | None = Field(default=None, max_length=60)
    watchers: bool = False
    """True if anyone with the link may watch; watchers see no hand. Tables of agents are open to all."""
    clock: int | None = Field(default=None, ge=1, le=600)
    """Seconds for each decision, if several seats are for people; then an agent decides, that once."""
    listed: bool = True
    """True if the lobby shows the table while it waits for guests."""

    def rules(self) -> Rules:
        """Return the rules of the table. Raises NotUnderstoodError where `Rules` refuses them."""
        options = self.model_dump(include={"bid_restriction", "bid_reveal", "magic_edition", "hand_sizes"})
        try:
            return Rules(len(self.seats), **options)
        except ValueError as error:
            raise NotUnderstoodError(str(error)) from error


class Tokens(Message):
    """The seats that a browser has taken."""

    tokens: dict[_Text, _Text] = Field(max_length=_MOST_TOKENS)
    """The token of the seat by the name of the table."""


class Moment(Message):
    """The position of a game after a number of decisions."""

    record: str = Field(max_length=LONGEST_RECORD)
    decisions: int = Field(ge=0)


class AssessMoment(Moment):
    """Ask for an agent's assessment of the next decision."""

    agent: _Text


class JudgeRound(Message):
    """Ask the judge to judge a round of a game that is over."""

    round_number: int = Field(ge=1)


class AtSeat(Message):
    """Speak for the seat that the token opens."""

    token: str = Field(max_length=_MAX_TEXT)


# --- refusals


class NotUnderstoodError(ValueError):
    """A message that no page of this release sends; the text is for developers."""


def refusal_of(error: Exception) -> dict[str, str]:
    """Return the body of a refusal.

    `why` is the reason in the person's words and language; `detail`, if there is one, tells developers in
    English what is wrong.
    """
    if isinstance(error, ValidationError):
        return _refusal_of_invalid(error)
    if isinstance(error, IllegalAction):
        return {"why": t("The rules do not allow this now."), "detail": str(error)}
    if isinstance(error, RecordError):
        return {"why": _no_record(), "detail": str(error)}
    if isinstance(error, NotUnderstoodError):
        return {"why": not_understood(), "detail": str(error)}
    return {"why": str(error)}


def not_understood() -> str:
    """Return the reason for a message that no page of this release sends."""
    return t("This page and the server do not understand each other. Load the page again.")


def _refusal_of_invalid(error: ValidationError) -> dict[str, str]:
    """Return the refusal for the first thing that is wrong with a message."""
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    raised = first.get("ctx", {}).get("error")
    if isinstance(raised, ValueError):  # by `normalize_name`, in the person's words
        return {"why": str(raised)}
    why = _no_record() if where == "record" else not_understood()
    return {"why": why, "detail": f"{where or 'the message'}: {first['msg']}"}


def _no_record() -> str:
    return t("This is not the record of a game, or it was altered.")
