"""The websocket of a table: a browser sits down or watches there, then sends commands."""

import asyncio
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_table.translation import t
from wizard_table.web.access.guard import POLICY_VIOLATION
from wizard_table.web.access.limits import Bucket, Buckets, Limit, Slots, TooFastError
from wizard_table.web.access.messages import Sit
from wizard_table.web.access.refusals import refusal_of
from wizard_table.web.access.requests import client_behind
from wizard_table.web.tables.connections import TRY_AGAIN, Connection
from wizard_table.web.tables.hub import Hub
from wizard_table.web.tables.questions import BusyError
from wizard_table.web.tables.store import StoreError

LONGEST_MESSAGE = 1024
"""Characters in one message over a websocket."""
_LIMIT = Limit(rate=10.0, burst=20)
"""The limit on the messages of a connection."""
MOST_SOCKETS = 250
"""Connections to tables that a client may have at the same time."""
SECONDS_TO_SIT = 10.0
"""Time that a connection may stay without sitting down or watching."""


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then obey commands until the connection ends."""
    await websocket.accept()
    sockets: Slots = websocket.app.state.sockets
    try:
        with sockets.one_more(client_behind(websocket), MOST_SOCKETS):
            await _attend(websocket)
    except (ValueError, StoreError) as error:
        await websocket.send_json({"kind": "error", **refusal_of(error)})
        await websocket.close(TRY_AGAIN if isinstance(error, BusyError | StoreError) else POLICY_VIOLATION)
    except (WebSocketDisconnect, KeyError):  # closed; or bytes instead of text
        pass


async def _attend(websocket: WebSocket) -> None:
    """Seat a browser or let it watch, and obey it until it goes.

    Raises ValueError or StoreError if it is refused.
    """
    hub: Hub = websocket.app.state.hub
    bucket = Bucket(_LIMIT)
    bucket.take()
    try:
        text = await asyncio.wait_for(websocket.receive_text(), SECONDS_TO_SIT)
    except TimeoutError:
        limit = f"{SECONDS_TO_SIT:g}"
        raise ValueError(t("the first message must come within {seconds} seconds", seconds=limit)) from None
    connection = await _sit(hub, websocket, text)
    obeying = asyncio.create_task(_obey_all(hub, websocket, connection, bucket))
    try:
        await asyncio.wait([obeying, connection.sending], return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.disconnect(connection)
        for task in (obeying, connection.sending):
            task.cancel()
        await asyncio.wait([obeying, connection.sending])
    if not obeying.cancelled():
        obeying.result()  # raises what nobody expected


async def _sit(hub: Hub, websocket: WebSocket, text: str) -> Connection:
    _check_length(text)
    token = Sit.model_validate_json(text).token
    client = client_behind(websocket)
    table = await hub.tables.find(websocket.path_params["name"], client)
    connection = Connection(websocket, table, table.seat_of(token), client)
    try:
        await hub.connect(connection)
    except BaseException:
        hub.disconnect(connection)
        connection.sending.cancel()
        raise
    return connection


async def _obey_all(hub: Hub, websocket: WebSocket, connection: Connection, bucket: Bucket) -> None:
    """Obey commands until the browser goes or sends too much."""
    messages: Buckets = websocket.app.state.messages
    with suppress(WebSocketDisconnect, KeyError, RuntimeError):
        while True:
            text = await websocket.receive_text()
            try:
                bucket.take()
                _check_length(text)
                await messages.wait(connection.client)
                await hub.obey(connection, text)
            except TooFastError as error:
                connection.send({"kind": "error", "why": str(error)})
                connection.close(POLICY_VIOLATION)
                await connection.sending
            except (ValueError, StoreError) as error:
                connection.send({"kind": "error", **refusal_of(error)})


def _check_length(text: str) -> None:
    if len(text) > LONGEST_MESSAGE:
        most = LONGEST_MESSAGE
        why = t("the message has {count} characters: {most} are allowed", count=len(text), most=most)
        raise TooFastError(why)
