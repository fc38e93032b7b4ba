"""The MCP server: tools with which a language model sits down, looks, acts and reads the score."""

import inspect
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeAlias

from mcp.server import MCPServer
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field, StrictInt

from wizard_env import ACTIONS, Rules
from wizard_env.checks import check_integer
from wizard_env.llm.answers import read_answer
from wizard_env.llm.served_games import ServedGame, ServedGames
from wizard_env.llm.serving import StrictServer, refusals
from wizard_env.llm.text import legal_text, rules_page, score_text, turn_text
from wizard_env.rules import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS, BidRestriction, BidReveal
from wizard_env.session import fresh_seed
from wizard_env.words import label_seats

_READING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_PLAYING = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_ENDING = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=False)

_INSTRUCTIONS = """\
Play the card game Wizard against computer players. Call sit_down: its reply has the rules, the name of \
your table and your first decision. Then call act with one legal action after another, until the game is \
over. look shows everything that you have seen since the first round.

Computer players, of which sit_down takes the names: {agents}."""


class Reply(BaseModel):
    """The reply of a tool, for programs."""

    text: str = Field(description="The reply in words.")
    table: str = Field(description="The name of the table.")
    seat: int = Field(description="Your seat; seats are numbered clockwise from 1.")
    phase: str = Field(description="The kind of decision: trump, bid or play; over after the last.")
    round_number: int = Field(description="The number of the round, from 1.")
    num_rounds: int = Field(description="The number of rounds in the game.")
    legal_actions: list[str] = Field(description="The actions that you may take.")
    scores: list[int] = Field(description="The points of each seat.")
    round_points: list[list[int]] = Field(description="The points of each seat in each finished round.")
    winners: list[int] = Field(description="The seats that have won; empty until the game is over.")


TextAndReply: TypeAlias = Annotated[CallToolResult, Reply]
TableName: TypeAlias = Annotated[str, Field(description="The name of your table, as sit_down gave it.")]


class _Tools:
    """The tools of a server; models read their docstrings."""

    def __init__(self, games: ServedGames) -> None:
        self._games = games

    async def sit_down(
        self,
        players: Annotated[
            StrictInt, Field(ge=MIN_PLAYERS, le=MAX_PLAYERS, description="Number of players, you included.")
        ] = 4,
        opponents: Annotated[
            list[str] | None,
            Field(
                max_length=MAX_PLAYERS - 1,
                description="Computer players, from your left; repeated if too few.",
            ),
        ] = None,
        seat: Annotated[StrictInt, Field(ge=1, le=MAX_PLAYERS, description="Your seat.")] = 1,
        bid_restriction: Annotated[
            BidRestriction, Field(description="Rule for the last bidder, such as on what the bids add up to.")
        ] = "free",
        bid_reveal: Annotated[BidReveal, Field(description="When the others see a bid.")] = "open",
        magic_edition: Annotated[bool, Field(description="Play the Magic Edition.")] = False,
        hand_sizes: Annotated[
            list[StrictInt] | None,
            Field(
                max_length=MAX_ROUNDS,
                description="Cards dealt to each player, round by round; by default 1 to 60 / players.",
            ),
        ] = None,
        seed: Annotated[
            StrictInt | None,
            Field(ge=0, lt=2**64, description="Repeats the game of that seed; by default all deals are new."),
        ] = None,
    ) -> TextAndReply:
        """Begin a game of Wizard: returns the rules, the name of your table and your first decision."""
        with refusals():
            rules = Rules(
                num_players=players,
                bid_restriction=bid_restriction,
                bid_reveal=bid_reveal,
                magic_edition=magic_edition,
                hand_sizes=None if hand_sizes is None else tuple(hand_sizes),
            )
            check_integer("seat", seat, 1, players)
            opened = await self._games.open(
                rules, opponents or (), seat - 1, fresh_seed() if seed is None else seed
            )
        async with self._call_at(opened.name) as served:
            names = ", ".join(label_seats(players, served.session.seats))
            introduction = f"Table {served.name}: {names}"
            seen = turn_text(served.session.game, served.seat)
            return _reply(served, f"{introduction}\n\n{rules_page(rules)}\n\n{seen}")

    async def rules(self, table: TableName) -> TextAndReply:
        """Read the rules of the game at your table."""
        async with self._call_at(table) as served:
            return _reply(served, rules_page(served.session.game.rules))

    async def look(self, table: TableName) -> TextAndReply:
        """See everything that you have seen of the game: all finished rounds, and the current one."""
        async with self._call_at(table) as served:
            return _reply(served, turn_text(served.session.game, served.seat))

    async def legal_actions(self, table: TableName) -> TextAndReply:
        """Get the actions that you may take now."""
        async with self._call_at(table) as served:
            return _reply(served, legal_text(served.session.game))

    async def act(
        self,
        table: TableName,
        action: Annotated[str, Field(description='Such as "bid 2", "trump hearts" or "play 10♠".')],
    ) -> TextAndReply:
        """Take an action; the others then play until it is your turn again.

        Returns the round that has ended since, if one has, and the current round.
        """
        async with self._call_at(table) as served:
            game = served.session.game
            acted_in = game.round_number
            served.session.act(served.seat, read_answer(action, game))
            await self._games.play_on(served)
            return _reply(served, turn_text(served.session.game, served.seat, acted_in))

    async def score(self, table: TableName) -> TextAndReply:
        """Get the result of each finished round, and the points of all players."""
        async with self._call_at(table) as served:
            return _reply(served, score_text(served.session.game))

    async def leave(self, table: TableName) -> TextAndReply:
        """Leave your table, which ends the game; returns the score."""
        async with self._call_at(table) as served:
            self._games.close(table)
            return _reply(served, score_text(served.session.game))

    @asynccontextmanager
    async def _call_at(self, table: str) -> AsyncIterator[ServedGame]:
        """Wait for the calls before at this table; it is then the model's turn, or the game is over."""
        with refusals():
            served = self._games.find(table)
            async with served.lock:
                await self._games.play_on(served)
                yield served


def make_server(games: ServedGames) -> MCPServer[Any]:
    """Make the server of these games; its `run` serves them over stdio."""
    server = StrictServer(_INSTRUCTIONS.format(agents=", ".join(games.agents)))
    tools = _Tools(games)
    for tool, annotations in (
        (tools.sit_down, _PLAYING),
        (tools.look, _READING),
        (tools.legal_actions, _READING),
        (tools.act, _PLAYING),
        (tools.score, _READING),
        (tools.rules, _READING),
        (tools.leave, _ENDING),
    ):
        server.add_tool(tool, description=inspect.getdoc(tool), annotations=annotations)
    return server


def _reply(served: ServedGame, text: str) -> CallToolResult:
    game = served.session.game
    reply = Reply(
        text=text,
        table=served.name,
        seat=served.seat + 1,
        phase=game.phase,
        round_number=game.round_number,
        num_rounds=game.num_rounds,
        legal_actions=[] if served.is_over else [ACTIONS[action] for action in game.legal_actions()],
        scores=game.scores,
        round_points=[played.points for played in game.rounds],
        winners=[seat + 1 for seat in game.winners],
    )
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=reply.model_dump()
    )
