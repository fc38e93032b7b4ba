"""A game in the terminal on a full screen: everything fits in 80 by 24."""

import asyncio
from collections.abc import Iterator
from typing import ClassVar

from rich.color import Color
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, RichLog, Static

from wizard_env import ACTIONS, Agent
from wizard_env.evaluation.advice import advise
from wizard_env.narration import narrate_event, narrate_last_trick, seat_names
from wizard_env.render.colors import DARK_COLORS
from wizard_env.render.scene import Scene
from wizard_env.session import Session
from wizard_env.words import SUIT_SYMBOLS, card_text, suit_name
from wizard_table.terminal.board import Board
from wizard_table.terminal.hints import narrate_advice
from wizard_table.translation import decimal_text, t

_HINTS = 6
"""Actions that a hint lists: the best."""
_NARROWEST = 2
"""Columns of the narrowest choice."""
_MARGIN = 1
"""Columns to the left and to the right of the choices."""
_HERE = "\0"
"""Marks the position of a coloured part in a text."""


def _colored_card(card: str) -> Text:
    return Text(card_text(card), _style(card if card in DARK_COLORS else card[1]))


def _colored_suit(suit: str) -> Text:
    return Text(f"{SUIT_SYMBOLS[suit]} {suit_name(suit, t)}", _style(suit))


def _colored_symbol(suit: str) -> Text:
    return Text(SUIT_SYMBOLS[suit], _style(suit))


def _around(text: str, part: Text) -> Text:
    """Return a text with a coloured part in place of _HERE."""
    before, _, after = text.partition(_HERE)
    return Text(before).append(part).append(after)


def _style(card: str) -> Style:
    return Style(color=Color.from_rgb(*DARK_COLORS[card]), bold=True)


class ScorePad(ModalScreen[None]):
    """All finished rounds, shown on top of the game."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,p,q,enter", "dismiss", show=False)]

    def __init__(self, board: Board) -> None:
        super().__init__()
        self._lines = board.pad_lines()

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(Text("\n".join(self._lines)))
        yield Static(t("Esc closes the score pad"))


class Choice(Button):
    """A card, a bid or a suit to choose; disabled if it is illegal."""

    def __init__(self, label: Text, action: str, legal: bool) -> None:
        super().__init__(label, compact=True, disabled=not legal)
        self.styles.line_pad = 0
        self.choice = action
        self.columns = max(label.cell_len, _NARROWEST)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """The width of the label and no more, so that 20 cards fit on a line."""
        return self.columns


class TerminalApp(App[None]):
    """Plays a session with one person."""

    CSS = """
    #round, #trick { height: auto; padding: 0 1; }
    #seats { height: auto; padding: 1 1 0 1; }
    #log { height: 1fr; scrollbar-visibility: hidden; border-top: solid $primary-darken-2; padding: 0 1; }
    #prompt { height: auto; min-height: 1; padding: 0 1; }
    #hand, #choices { height: auto; min-height: 1; padding: 0 1; }
    #hand Horizontal, #choices Horizontal { height: 1; }
    Choice { width: auto; min-width: 1; padding: 0; margin: 0 1 0 0; }
    Choice:focus { text-style: reverse; }
    ScorePad { align: center middle; }
    ScorePad VerticalScroll { width: 100%; height: 1fr; scrollbar-visibility: hidden; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", show=False),
        Binding("right", "app.focus_next", show=False),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, session: Session, seat: int, adviser: Agent, seconds: float = 0.6) -> None:
        """Seat the person in a session without other people; each agent waits `seconds` before it acts."""
        super().__init__()
        self._session = session
        self._seat = seat
        self._adviser = adviser
        self._seconds = seconds
        self._narrated = 0
        self._drawing = asyncio.Lock()
        self._awaits_hint = False
        """True while the adviser thinks; nothing can be chosen meanwhile."""
        self.bind("h", "hint", description=t("Hint"))
        self.bind("b", "take_back", description=t("Take back"))
        self.bind("l", "last_trick", description=t("Last trick"))
        self.bind("p", "score_pad", description=t("Score pad"))
        self.bind("plus", "pace(0.5)", description=t("Faster"), key_display="+")
        self.bind("minus", "pace(2)", description=t("Slower"), key_display="-")
        self.bind("q", "quit", description=t("Quit"))

    def compose(self) -> ComposeResult:
        yield Static(id="round")
        yield Static(id="seats")
        yield Static(id="trick")
        yield RichLog(id="log", wrap=True, min_width=1)
        yield Static(id="prompt")
        yield Vertical(id="choices")
        yield Vertical(id="hand")
        yield Footer()

    async def on_mount(self) -> None:
        self.query_one("#log").can_focus = False
        await self._show()
        self._let_agents_act()

    async def on_resize(self) -> None:
        await self._show_choices(self._session.game.scene(self._seat))

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if isinstance(event.button, Choice) and not self._awaits_hint:
            self._session.act(self._seat, event.button.choice)
            await self._show()
            self._let_agents_act()

    @work
    async def _let_agents_act(self) -> None:
        """Have agents act, in their own thread, until it is the person's turn."""
        while self._session.waits_for_an_agent:
            await asyncio.sleep(self._seconds)
            self._session.advance(await asyncio.to_thread(self._session.choose))
            await self._show()

    # --- what is shown

    async def _show(self) -> None:
        scene = self._session.game.scene(self._seat)
        trick = narrate_last_trick(self._session, self._seat, t)
        last_trick = t("last trick: {trick}", trick=trick) if self._session.last_trick else ""
        self.query_one("#round", Static).update(self._round_text(scene))
        self.query_one("#seats", Static).update(self._seats_grid(scene))
        self.query_one("#trick", Static).update(last_trick)
        for event in self._session.events[self._narrated :]:
            self._write(*narrate_event(self._session, event, self._seat, t))
        self._narrated = len(self._session.events)
        await self._show_choices(scene)

    def _round_text(self, scene: Scene) -> Text:
        parts = [Text(self._board().round_text())]
        if scene.trump is None:
            parts.append(Text(t("no trump")))
        else:
            parts.append(_around(t("trump {suit}", suit=_HERE), _colored_symbol(scene.trump)))
        if scene.upcard is not None:
            parts.append(_around(t("upcard {card}", card=_HERE), _colored_card(scene.upcard)))
        if scene.led_suit is not None:
            parts.append(_around(t("led suit {suit}", suit=_HERE), _colored_symbol(scene.led_suit)))
        return Text(" | ").join(parts)

    def _seats_grid(self, scene: Scene) -> Grid:
        grid = Grid(box=None, expand=True, pad_edge=False)
        grid.add_column()
        grid.add_column(overflow="fold")
        for heading in (t("score"), t("bid"), t("won"), t("cards")):
            grid.add_column(heading, justify="right")
        grid.add_column(t("plays"))
        played = dict(scene.trick)
        names = seat_names(self._session, self._seat, t)
        winning_seat = None
        if scene.winning is not None:
            winning_seat, _ = scene.trick[scene.winning]
        for seat in scene.seats:
            card = Text() if seat.number not in played else _colored_card(played[seat.number])
            if seat.number == winning_seat:
                card.append(f" {t('is winning')}")
            grid.add_row(
                ">" if seat.acts else " ",
                names[seat.number] + (f" ({t('deals')})" if seat.deals else ""),
                str(seat.score),
                seat.bid_text,
                str(seat.tricks_won),
                str(seat.cards_held),
                card,
                style="reverse" if seat.acts else "",
            )
        return grid

    async def _show_choices(self, scene: Scene) -> None:
        mine = scene.seats[self._seat].acts
        legal = [ACTIONS[action] for action in self._session.game.legal_actions()] if mine else []
        self.query_one("#prompt", Static).update(self._prompt(scene, mine))
        cards = [
            Choice(_colored_card(card), f"play {card}", f"play {card}" in legal)
            for card in scene.seats[self._seat].hand or ()
        ]
        async with self._drawing:
            await self._lay_out("#hand", cards)
            await self._lay_out("#choices", list(self._other_choices(legal)))
        if enabled := [button for button in self.query(Choice) if not button.disabled]:
            enabled[0].focus()

    async def _lay_out(self, name: str, choices: list[Choice]) -> None:
        """Show choices in place of those before, in as many rows as they need."""
        rows: list[list[Choice]] = []
        left = 0
        for choice in choices:
            if choice.columns > left:
                rows.append([])
                left = self.size.width - 2 * _MARGIN
            rows[-1].append(choice)
            left -= choice.columns + 1
        box = self.query_one(name, Vertical)
        await box.remove_children()
        await box.mount_all(Horizontal(*row) for row in rows)

    def _other_choices(self, legal: list[str]) -> Iterator[Choice]:
        for action in legal:
            verb, what = action.split()
            if verb == "trump":
                yield Choice(_colored_suit(what), action, True)
            elif verb == "bid":
                yield Choice(Text(what, "bold"), action, True)

    def _prompt(self, scene: Scene, mine: bool) -> str:
        if scene.phase == "over":
            return self._board().result_text()
        if not mine:
            return t("The others' turn.")
        asked = {"trump": t("Name the trump."), "bid": t("How many tricks do you bid?")}
        return f"{asked.get(scene.phase, t('Play a card.'))} {t('Arrow keys and Enter, or a click.')}"

    # --- what keys do

    def action_hint(self) -> None:
        if self._session.waits_for_a_person and not self._awaits_hint:
            self._awaits_hint = True
            self._write(t("asking for a hint ..."))
            self._give_hint()

    @work
    async def _give_hint(self) -> None:
        """Ask the adviser, in its own thread, and show its advice."""
        advice = await asyncio.to_thread(advise, self._adviser, self._session.game)
        self._write(*narrate_advice(advice, seat_names(self._session, self._seat, t), _HINTS))
        self._awaits_hint = False

    async def action_take_back(self) -> None:
        if self._session.waits_for_an_agent or self._awaits_hint:
            return
        try:
            self._session.take_back(self._seat)
        except ValueError as error:
            self._write(str(error))
            return
        self._narrated = len(self._session.events)
        self._write(t("taken back"))
        await self._show()
        self._let_agents_act()

    def action_last_trick(self) -> None:
        self._write(narrate_last_trick(self._session, self._seat, t))

    def action_score_pad(self) -> None:
        self.push_screen(ScorePad(self._board()))

    def action_pace(self, factor: float) -> None:
        self._seconds = min(max(self._seconds * factor, 0.05), 5)
        self._write(t("agents wait {seconds} s", seconds=decimal_text(self._seconds)))

    def _board(self) -> Board:
        return Board(self._session.game.scene(self._seat), seat_names(self._session, self._seat, t))

    def _write(self, *lines: str) -> None:
        log = self.query_one("#log", RichLog)
        for line in lines:
            log.write(line)
