"""Requests of clients that go before they are answered."""

import asyncio
import logging
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request
from wizard_table.web.access.requests import while_connected
from wizard_table.web.server import make_app

from table.tests.web.seats import AGENTS


def request_of(*messages: dict[str, Any]) -> Request:
    """A request that receives these messages, and then nothing more."""
    left = list(messages)

    async def receive() -> dict[str, Any]:
        if not left:
            await asyncio.Event().wait()
        return left.pop(0)

    return Request({"type": "http", "method": "GET", "headers": []}, receive)


def test_an_answer_is_dropped_when_its_client_goes() -> None:
    dropped: list[bool] = []

    async def answer() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            dropped.append(True)
            raise

    async def run() -> None:
        gone = request_of({"type": "http.request", "body": b""}, {"type": "http.disconnect"})
        with pytest.raises(ClientDisconnect):
            await while_connected(gone, answer())

    asyncio.run(run())
    assert dropped == [True]


def test_an_answer_or_its_error_reaches_a_client_that_stays() -> None:
    async def answer(value: int) -> int:
        await asyncio.sleep(0)
        return 6 // value

    async def run() -> None:
        assert await while_connected(request_of(), answer(2)) == 3
        with pytest.raises(ZeroDivisionError):
            await while_connected(request_of(), answer(0))

    asyncio.run(run())


def test_a_client_that_goes_while_it_asks_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    """Formerly the log got a traceback for each."""
    app, sent = make_app(":memory:", AGENTS), []
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": b"{", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async def run() -> None:
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/records/moment",
            "raw_path": b"/records/moment",
            "query_string": b"",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "client": ("127.0.0.1", 1),
        }
        async with app.router.lifespan_context(app):
            await app(scope, receive, send)

    with caplog.at_level(logging.WARNING):
        asyncio.run(run())
    assert sent[0]["status"] == 400
    assert not caplog.records
