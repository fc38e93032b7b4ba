"""`wizard play`: a whole game in the plain terminal and in the full one, at 80 by 24."""

import asyncio
import io
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from textual.pilot import Pilot
from textual.widgets import Button, RichLog, Static
from typer.testing import CliRunner

from wizard_env import ACTIONS, Agent, Rules, View
from wizard_env.agents import load
from wizard_env.play.main import app
from wizard_env.play.session import Session
from wizard_env.play.terminal.full_screen import Choice, ScorePad, TerminalApp
from wizard_env.play.terminal.lines import PlainTerminal
from wizard_env.records.game_record import RecordError, read_records
from wizard_env.view import Actions

RULES = Rules(3, hand_sizes=(1, 2))
SIZE = (80, 24)
Walk = Callable[[Pilot[Any]], Coroutine[Any, Any, None]]


def table_of(rules: Rules = RULES, seed: int = 7) -> Session:
    return Session(rules, [None, "heuristic", "random"], seed)


# --- plain


def play_plainly(table: Session, answers: str) -> str:
    shown = io.StringIO()
    PlainTerminal(table, 0, load("champion"), io.StringIO(answers), shown).run()
    return shown.getvalue()


def test_a_game_through_a_pipe() -> None:
    """Every answer that could be meant is given: what is not legal is explained, and asked again."""
    table = table_of()
    everything = "\n".join(action.split()[1] for action in ACTIONS)
    shown = play_plainly(table, f"{everything}\n" * 12)
    assert table.game.phase == "over"
    assert "Game over" in shown
    assert "may not" in shown
    assert shown.count("is over: you") == 2


def test_words_at_the_prompt() -> None:
    shown = play_plainly(table_of(), "hint\nlast\nhelp\nback\nnonsense\nquit\n")
    for said in (
        "bid 0",
        "no trick was played yet",
        "Type a card",
        "decided nothing",
        "'nonsense' is no action",
    ):
        assert said in shown


def test_others_hands_and_hidden_bids_are_not_shown() -> None:
    table = table_of(Rules(3, hand_sizes=(5,), bid_reveal="secret"))
    shown = play_plainly(table, "0\n")
    held = [card for hand in table.game.hands[1:] for card in hand if card not in table.game.hands[0]]
    played = [card for trick in table.rounds[0].tricks for card in trick.cards]
    words = shown.replace(",", " ").split()
    assert not {card for card in held if card not in ("WI", "JE")} & set(words) - set(played)
    assert "seat 1 (heuristic): bid\n" in shown


def test_the_end_of_input_is_the_end() -> None:
    table = table_of()
    play_plainly(table, "")
    assert table.game.phase == "bid"


def test_the_command_adds_records(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = ["play", "random", "--players", "3", "--hand-sizes", "1", "--seed", "3", "--hint", "champion"]
    for games in (1, 2):
        outcome = CliRunner().invoke(
            app, [*arguments, "--records", str(file)], input="0\n1\n" + "WI\nJE\n" * 2, catch_exceptions=False
        )
        assert outcome.exit_code == 0
        kept = list(read_records(file))
        assert [game.seed for game in kept] == [3] * games
        assert kept[-1].history


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--seat", "4"], "--seat=4: allowed are 0 to 3"),
        (["--players", "7"], "num_players=7"),
        (["nobody"], "no agent 'nobody'"),
        (["--records", "nowhere/games.jsonl"], "there is no folder nowhere"),
        (["random", "random", "random", "--players", "3"], "3 agents: at a table of 3 there is room for 2"),
        (["human"], "one person sits at this table"),
    ],
)
def test_what_the_command_refuses(options: list[str], complaint: str) -> None:
    with pytest.raises((ValueError, OSError), match=complaint):
        CliRunner().invoke(app, ["play", *options], catch_exceptions=False)


def test_a_file_that_holds_no_records_is_refused_before_the_game(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes\n")
    arguments = ["play", "random", "--records", str(tmp_path / "notes.txt")]
    with pytest.raises(RecordError, match="line 1"):
        CliRunner().invoke(app, arguments, input="", catch_exceptions=False)


# --- the whole screen


def walk(table: Session, steps: Walk, adviser: Agent | None = None) -> None:
    async def run() -> None:
        app = TerminalApp(table, 0, adviser or load("champion"), seconds=0)
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot, table)
            await steps(pilot)

    asyncio.run(run())


async def settle(pilot: Pilot[Any], table: Session) -> None:
    """Until a person is asked, or the game is over."""
    for _ in range(400):
        await pilot.pause(0.01)
        if not table.waits_for_an_agent:
            break
    await pilot.pause()


def shown(pilot: Pilot[Any], name: str) -> str:
    return str(pilot.app.query_one(f"#{name}", Static).render())


def choices(pilot: Pilot[Any]) -> list[str]:
    return [button.choice for button in pilot.app.query(Choice) if not button.disabled]


def test_a_game_with_the_keyboard() -> None:
    table = table_of()

    async def steps(pilot: Pilot[Any]) -> None:
        while table.seat is not None:
            assert choices(pilot) == [ACTIONS[action] for action in table.game.legal_actions()]
            await pilot.press("enter")
            await settle(pilot, table)
        assert "The game is over. It was won by" in shown(pilot, "prompt")

    walk(table, steps)
    assert table.game.phase == "over"


class Slow:
    """Thinks until it may stop."""

    def __init__(self) -> None:
        self.may_stop = threading.Event()

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        assert self.may_stop.wait(20)
        return view.mask.argmax(axis=1)


def test_nothing_is_chosen_while_a_hint_is_awaited() -> None:
    """Keys typed meanwhile are dropped; the screen goes on."""
    table, adviser = table_of(), Slow()

    async def steps(pilot: Pilot[Any]) -> None:
        decisions = len(table.events)
        await pilot.press("h", "enter", "b", "h", "enter")
        await pilot.pause()
        assert len(table.events) == decisions
        adviser.may_stop.set()
        await pilot.app.workers.wait_for_complete()
        await pilot.press("enter")
        await settle(pilot, table)
        assert len(table.events) > decisions

    walk(table, steps, adviser)


def test_arrows_move_between_choices_and_clicks_choose() -> None:
    table = table_of(Rules(3, hand_sizes=(5,)))

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("right", "right", "enter")
        await settle(pilot, table)
        assert table.game.bids[0] == 2
        legal = next(button for button in pilot.app.query(Choice) if not button.disabled)
        await pilot.click(legal)
        await settle(pilot, table)
        assert f"play {legal.label}"[:6] in " ".join(
            event.action for event in table.events if event.seat == 0
        )
        barred = [button for button in pilot.app.query(Button) if button.disabled]
        events = len(table.events)
        for button in barred[:1]:
            await pilot.click(button)
        assert len(table.events) == events

    walk(table, steps)


def test_keys() -> None:
    """Hint, last trick, score pad, take back, pace."""
    table = table_of()

    async def steps(pilot: Pilot[Any]) -> None:
        await pilot.press("h", "l", "b", "plus")
        told = "\n".join(line.text for line in pilot.app.query_one(RichLog).lines)
        for said in ("bid 0", "no trick was played yet", "has decided nothing", "agents wait"):
            assert said in told
        await pilot.press("enter")
        await settle(pilot, table)
        await pilot.press("b")
        await settle(pilot, table)
        assert [event for event in table.events if event.seat == 0] == []
        await pilot.press("p")
        assert isinstance(pilot.app.screen, ScorePad)
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, ScorePad)

    walk(table, steps)


@pytest.mark.parametrize("num_players", [3, 6])
def test_everything_fits_on_the_screen(num_players: int) -> None:
    """The longest hands and the most seats: every choice lies within 80 by 24, and none on another."""
    rules = Rules(num_players, hand_sizes=(60 // num_players,))
    table = Session(rules, [None] + ["champion"] * (num_players - 1), 1)

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
            await pilot.press("enter")
            await settle(pilot, table)

    walk(table, steps)
