"""The server under load, as `python -m benchmarks.server` measures it."""

import asyncio

import pytest

from benchmarks.server import measure


@pytest.mark.slow
def test_every_click_is_answered_under_load() -> None:
    """More people than one address may open tables for; how fast they are answered is not tested."""
    tables = 70
    waits = asyncio.run(measure(tables, 10.0, ["random", "random", "random"], seed=0))
    assert len(waits) >= tables
    assert min(waits) > 0
