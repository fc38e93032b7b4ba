"""TerminalApp: a whole game on a full screen of 80 by 24."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import pytest
from textual.pilot import Pilot
from textual.scrollbar import ScrollBar
from textual.widgets import Button, Footer, RichLog, Static
from wizard_table.terminal.full_screen import Choice, ScorePad, TerminalApp
from wizard_table.translation import use_language

from tests.sessions import session_of
from wizard_env import ACTIONS, Agent, Rules, View
from wizard_env.agents import load
from wizard_env.session import Session
from wizard_env.view import Actions

SIZE = (80, 24)
Walk = Callable[[Pilot[Any]], Coroutine[Any, Any, None]]


def walk(session: Session, steps: Walk, adviser: Agent | None = None, size: tuple[int, int] = SIZE) -> None:
    async def run() -> None:
        app = TerminalApp(session, 0, adviser or load("champion"), seconds=0)
        async with app.run_test(size=size) as pilot:
            await settle(pilot, session)
            await steps(pilot)

    asyncio.run(run())


async def settle(pilot: Pilot[Any], session: Session) -> None:
    """Wait until it is the person's turn, or the game is over."""
    for _ in range(400):
        await pilot.pause(0.01)
        if not session.waits_for_an_agent:
            break
    await pilot.pause()


def shown(pilot: Pilot[Any], name: str) -> str:
    return str(pilot.app.query_one(f"#{name}", Static).render())


def choices(pilot: Pilot[Any]) -> list[str]:
    return [button.choice for button in pilot.app.query(Choice) if not button.disabled]


def test_a_game_is_played_with_the_keyboard() -> None:
    session = session_of()

    async def steps(pilot: Pilot[Any]) -> None:
        while session.game.seat is not None:
            assert choices(pilot) == [ACTIONS[action] for action in session.game.legal_actions()]
            await pilot.press("enter")
            await settle(pilot, session)
        assert "Game over. Winner" in shown(pilot, "prompt")

    walk(session, steps)
    assert session.game.phase == "over"


class Slow:
    """An agent that answers only once it is allowed to."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        assert self.may_answer.wait(20)
        return view.mask.argmax(axis=1)


def test_nothing_can_be_chosen_while_a_hint_is_on_its_way() -> None:
    """Keys pressed meanwhile are dropped, and the screen stays responsive."""
    session, adviser = session_of(), Slow()

    async def steps(pilot: Pilot[Any]) -> None:
        decisions = len(session.events)
        await pilot.press("h", "enter", "b", "h", "enter")
        await pilot.pause()
        assert len(session.events) == decisions
        adviser.may_answer.set()
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter")
        await settle(pilot, session)
        assert len(session.events) > decisions

    walk(session, steps, adviser)


def test_arrows_move_between_choices_and_a_click_chooses() -> None:
    session = session_of(Rules(3, hand_sizes=(5,)))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("right", "right", "enter")
        await settle(pilot, session)
        assert session.game.bids[0] == 2
        legal = next(button for button in pilot.app.query(Choice) if not button.disabled)
        await pilot.click(legal)
        await settle(pilot, session)
        assert legal.choice in [event.action for event in session.events if event.seat == 0]
        barred = [button for button in pilot.app.query(Button) if button.disabled]
        events = len(session.events)
        for button in barred[:1]:
            await pilot.click(button)
        assert len(session.events) == events

    walk(session, steps)


def test_keys_for_hint_last_trick_score_pad_take_back_and_pace() -> None:
    session = session_of()

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await pilot.app.workers.wait_for_complete()  # nothing is taken back while a hint is awaited
        await pilot.press("l", "b", "plus")
        log = "\n".join(line.text for line in pilot.app.query_one(RichLog).lines)
        for text in (
            "bid 0",
            "no trick has been played yet",
            "no choice of yours to take back",
            "agents wait",
        ):
            assert text in log
        await pilot.press("enter")
        await settle(pilot, session)
        await pilot.press("b")
        await settle(pilot, session)
        assert [event for event in session.events if event.seat == 0] == []
        await pilot.press("p")
        assert isinstance(pilot.app.screen, ScorePad)
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, ScorePad)

    walk(session, steps)


@pytest.mark.parametrize(("num_players", "language"), [(3, "en"), (6, "ca"), (6, "es"), (6, "pt")])
def test_everything_fits_on_the_screen(num_players: int, language: str) -> None:
    """With the longest hands and the most seats, every choice and key is within 80 by 24; none overlap."""
    use_language(language)
    rules = Rules(num_players, hand_sizes=(60 // num_players,))
    session = Session(rules, [None] + ["champion"] * (num_players - 1), 1)

    async def steps(pilot: Pilot[Any]) -> None:
        for _ in range(2):
            places = [button.region for button in pilot.app.query(Choice)]
            assert len(places) >= rules.rounds[0]
            for place in places:
                assert place.area > 0
                assert place.right <= SIZE[0]
                assert place.bottom < SIZE[1]
            cells = [(x, place.y) for place in places for x in range(place.x, place.right)]
            assert len(cells) == len(set(cells))
            assert not [bar for bar in pilot.app.query(ScrollBar) if bar.region.area]
            footer = pilot.app.query_one(Footer)
            assert max(key.region.right for key in footer.children) <= SIZE[0]
            assert pilot.app.query_one("#round").size.height == 1
            await pilot.press("enter")
            await settle(pilot, session)

    walk(session, steps)


def test_a_narrow_screen_keeps_every_character() -> None:
    """Long names and hands continue on the next line; nothing is cut."""
    name, size = "variant:of=rule_based,bias=-0.63,noise=0.07,greed=-0.21", (50, 50)
    rules = Rules(3, hand_sizes=(20,))
    session = Session(rules, [None, name, name], 1)

    async def steps(pilot: Pilot[Any]) -> None:
        for _ in range(4):
            await pilot.press("h")
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
            assert len(pilot.app.query(Choice)) >= len(session.game.legal_actions())
            for choice in pilot.app.query(Choice):
                assert choice.region.area == choice.size.width == choice.columns
                assert choice.region.right <= size[0]
            shown = pilot.app.query_one("#seats")
            lines = [strip.text for strip in shown.render_lines(shown.outer_size.region)]
            assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(lines)
            assert "".join(line[2:30].strip() for line in lines).count(name) == 2
            log = pilot.app.query_one(RichLog)
            assert max(line.cell_length for line in log.lines) <= log.size.width
            await pilot.press("enter")
            await settle(pilot, session)

    walk(session, steps, size=size)
