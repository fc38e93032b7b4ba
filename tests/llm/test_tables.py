"""Tables of an MCP server: their limits, and the agents that may not sit there."""

import asyncio

import pytest

from wizard_env import Rules
from wizard_env.llm import tables as module
from wizard_env.llm.tables import Table, Tables

SHORT = Rules(3, hand_sizes=(1,))


async def open_one(tables: Tables) -> Table:
    return await tables.open(SHORT, (), 0, 7)


async def finish(tables: Tables, table: Table) -> None:
    """Play a game to its end."""
    while not table.is_over:
        await tables.play_on(table)
        if not table.is_over:
            table.session.act(table.seat, table.session.game.legal_actions()[0])


def test_names_cannot_be_guessed() -> None:
    """They have 128 random bits."""

    async def run() -> None:
        tables = Tables(["random"], 5)
        names = {(await open_one(tables)).name for _ in range(5)}
        assert len(names) == 5
        assert {len(name) for name in names} == {22}

    asyncio.run(run())


def test_a_full_server_opens_no_table() -> None:
    async def run() -> None:
        tables = Tables(["random"], 2)
        kept = [await open_one(tables) for _ in range(2)]
        with pytest.raises(ValueError, match="this server already has 2 tables"):
            await open_one(tables)
        assert [tables.find(table.name) for table in kept] == kept
        tables.close(kept[0].name)
        await open_one(tables)

    asyncio.run(run())


def test_a_game_that_is_over_makes_room() -> None:
    async def run() -> None:
        tables = Tables(["random"], 2)
        first, second = [await open_one(tables) for _ in range(2)]
        await finish(tables, second)
        third = await open_one(tables)
        assert [tables.find(table.name) for table in (first, third)] == [first, third]
        with pytest.raises(ValueError, match="there is no such table"):
            tables.find(second.name)

    asyncio.run(run())


def test_idle_tables_make_room_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Idle time is counted from the last call."""
    monkeypatch.setattr(module, "IDLE_SECONDS", -1)

    async def run() -> None:
        tables = Tables(["random"], 2)
        first, second = [await open_one(tables) for _ in range(2)]
        tables.find(first.name)
        await open_one(tables)
        assert tables.find(first.name) is first
        with pytest.raises(ValueError, match="there is no such table"):
            tables.find(second.name)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("external:command=true", "agents that run programs may not sit at these tables"),
        ("variant:of='external:command=true'", "agents that run programs may not sit at these tables"),
        ("tests.llm.test_tables:Tables", "agents that run programs may not sit at these tables"),
        ("nobody", "unknown agent 'nobody'"),
    ],
)
def test_agents_that_are_not_offered(agent: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tables(["random", agent], 1)
