"""The JSON that browsers draw a table from."""

import pytest
from wizard_table.web.tables.views import NOBODY, view_of

from tests.positions import played_at_random
from wizard_env import Rules
from wizard_env.session import Session


@pytest.mark.parametrize("seat", [0, None, NOBODY])
def test_the_leader_is_named(seat: int | None) -> None:
    """The seat that leads the trick, or will lead the first one: left of the dealer."""
    game = played_at_random(Rules(4, hand_sizes=(1, 3)), 5)
    led = set()
    for decisions in range(len(game.history) + 1):
        session = Session.of_record(game, decisions)
        scene = view_of(session, seat)["scene"]
        if session.game.seat is None:
            assert scene["leader"] is None
        elif scene["trick"]:
            assert scene["leader"] == scene["trick"][0][0]
        elif scene["phase"] == "play":
            assert scene["leader"] == session.game.seat
        else:
            assert scene["leader"] == (scene["dealer"] + 1) % 4
        led.add((scene["phase"], bool(scene["trick"])))
    assert {("bid", False), ("play", False), ("play", True), ("over", False)} <= led
