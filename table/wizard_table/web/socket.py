"""The websocket of a table: a browser sits down or watches there, then sends commands."""

import asyncio
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

from wizard_table.web.connections import TRY_AGAIN, Connection
from wizard_table.web.guard import POLICY_VIOLATION
from wizard_table.web.hub import Hub
from wizard_table.web.messages import Sit, refusal_of
from wizard_table.web.questions import BusyError
from wizard_table.web.store import StoreError

_PAUSE = 0.02
"""Seconds after a message until the next one of the same browser is read."""


async def table_socket(websocket: WebSocket) -> None:
    """Sit down or watch, then obey commands until the connection ends."""
    await websocket.accept()
    try:
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
    connection = await _sit(hub, websocket)
    obeying = asyncio.create_task(_obey_all(hub, websocket, connection))
    try:
        await asyncio.wait([obeying, connection.sending], return_when=asyncio.FIRST_COMPLETED)
    finally:
        hub.disconnect(connection)
        for task in (obeying, connection.sending):
            task.cancel()
        await asyncio.wait([obeying, connection.sending])
    if not obeying.cancelled():
        obeying.result()  # raises what nobody expected


async def _sit(hub: Hub, websocket: WebSocket) -> Connection:
    token = Sit.model_validate_json(await websocket.receive_text()).token
    table = await hub.tables.find(websocket.path_params["name"])
    connection = Connection(websocket, table, table.seat_of(token))
    try:
        await hub.connect(connection)
    except BaseException:
        hub.disconnect(connection)
        connection.sending.cancel()
        raise
    return connection


async def _obey_all(hub: Hub, websocket: WebSocket, connection: Connection) -> None:
    """Obey commands until the browser goes."""
    with suppress(WebSocketDisconnect, KeyError, RuntimeError):
        while True:
            text = await websocket.receive_text()
            try:
                await hub.obey(connection, text)
            except (ValueError, StoreError) as error:
                connection.send({"kind": "error", **refusal_of(error)})
            await asyncio.sleep(_PAUSE)
