"""A seat at a table in the terminal: the whole table on one screen of 80 by 24."""

import asyncio
from collections.abc import Iterator
from typing import ClassVar

from rich.table import Table as Grid
from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Footer, RichLog, Static

from wizard_env import ACTIONS, Agent
from wizard_env.play.narration import narrate_advice, narrate_event, narrate_last_trick, seat_names
from wizard_env.play.session import Session
from wizard_env.render.scene import Scene
from wizard_env.render.text import SUIT_NAMES, SUIT_SYMBOLS

_COLORS = {"S": "white", "H": "#ff7b72", "D": "#ffb454", "C": "#7ee787", "WI": "#d2a8ff", "JE": "#79c0ff"}
HINTS = 6
"""So many actions a hint names: the likeliest."""


def card_text(card: str) -> Text:
    """A card in its colour: rank and symbol of the suit."""
    if card in _COLORS:
        return Text(card, f"bold {_COLORS[card]}")
    return Text(card[0] + SUIT_SYMBOLS[card[1]], f"bold {_COLORS[card[1]]}")


def suit_text(suit: str) -> Text:
    """A suit in its colour: symbol and name."""
    return Text(f"{SUIT_SYMBOLS[suit]} {SUIT_NAMES[suit]}", f"bold {_COLORS[suit]}")


class ScorePad(ModalScreen[None]):
    """All finished rounds, over the table."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,p,q,enter", "dismiss", "Close")]

    def __init__(self, scene: Scene, names: list[str]) -> None:
        super().__init__()
        self._scene = scene
        self._names = names

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self._grid())
        yield Footer()

    def _grid(self) -> Grid:
        grid = Grid(title="tricks won / bid, points", expand=True, pad_edge=False)
        for heading in ("cards", "trump", *self._names):
            grid.add_column(heading, justify="right")
        for _, scored in self._scene.pad:
            trump = "-" if scored.trump is None else SUIT_SYMBOLS[scored.trump]
            columns = zip(scored.tricks_won, scored.bids, scored.points, strict=True)
            cells = (f"{won}/{bid} {points:+}" for won, bid, points in columns)
            grid.add_row(str(scored.hand_size), trump, *cells)
        grid.add_section()
        grid.add_row("", "sum", *(str(seat.score) for seat in self._scene.seats))
        return grid


class Choice(Button):
    """A card, a bid or a suit; disabled where it may not be chosen."""

    def __init__(self, label: Text, action: str, legal: bool) -> None:
        super().__init__(label, compact=True, disabled=not legal)
        self.choice = action


class TerminalApp(App[None]):
    """Plays a table at which one person sits."""

    CSS = """
    #round, #trick { height: auto; padding: 0 1; }
    #seats { height: auto; padding: 1 1 0 1; }
    #log { height: 1fr; border-top: solid $primary-darken-2; padding: 0 1; }
    #prompt { height: 1; padding: 0 1; }
    #hand, #choices { height: 1; }
    Choice { width: auto; min-width: 4; padding: 0; }
    #choices Choice { min-width: 3; }
    Choice:focus { text-style: reverse; }
    ScorePad { align: center middle; }
    ScorePad VerticalScroll { width: 100%; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "app.focus_previous", "Left", show=False),
        Binding("right", "app.focus_next", "Right", show=False),
        Binding("h", "hint", "Hint"),
        Binding("b", "take_back", "Take back"),
        Binding("l", "last_trick", "Last trick"),
        Binding("p", "score_pad", "Score pad"),
        Binding("plus", "pace(0.5)", "Faster", key_display="+"),
        Binding("minus", "pace(2)", "Slower", key_display="-"),
        Binding("q", "quit", "Quit"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, session: Session, seat: int, adviser: Agent, seconds: float = 0.6) -> None:
        """Sit down.

        Args:
            session: in which nobody else is a person.
            seat: whose hand is shown.
            adviser: gives hints.
            seconds: that each agent waits before it acts.
        """
        super().__init__()
        self._session = session
        self._seat = seat
        self._adviser = adviser
        self._seconds = seconds
        self._told = 0
        self._asks = False
        """Whether a hint is awaited; nothing is chosen meanwhile."""

    def compose(self) -> ComposeResult:
        yield Static(id="round")
        yield Static(id="seats")
        yield Static(id="trick")
        yield RichLog(id="log", wrap=True)
        yield Static(id="prompt")
        yield Horizontal(id="choices")
        yield Horizontal(id="hand")
        yield Footer()

    async def on_mount(self) -> None:
        self.query_one("#log").can_focus = False
        await self._show()
        self._go_on()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if isinstance(event.button, Choice) and not self._asks:
            self._session.act(self._seat, event.button.choice)
            await self._show()
            self._go_on()

    @work
    async def _go_on(self) -> None:
        """Let agents act until a person does; they think in a thread of their own."""
        while self._session.waits_for_an_agent:
            await asyncio.sleep(self._seconds)
            action = await asyncio.to_thread(self._session.choose)
            self._session.advance(action)
            await self._show()

    # --- what is shown

    async def _show(self) -> None:
        scene = self._session.look(self._seat)
        self.query_one("#round", Static).update(self._round_text(scene))
        self.query_one("#seats", Static).update(self._seats_grid(scene))
        self.query_one("#trick", Static).update(
            f"last trick: {narrate_last_trick(self._session, self._seat)}"
        )
        log = self.query_one("#log", RichLog)
        for event in self._session.events[self._told :]:
            for line in narrate_event(self._session, event, self._seat):
                log.write(line)
        self._told = len(self._session.events)
        await self._show_choices(scene)

    def _round_text(self, scene: Scene) -> Text:
        parts = [Text(f"Round {scene.round_number} of {scene.num_rounds}")]
        parts.append(
            Text("no trump") if scene.trump is None else Text("trump ").append(suit_text(scene.trump))
        )
        if scene.upcard is not None:
            parts.append(Text("upcard ").append(card_text(scene.upcard)))
        if scene.led_suit is not None:
            parts.append(Text("led ").append(suit_text(scene.led_suit)))
        return Text(" | ").join(parts)

    def _seats_grid(self, scene: Scene) -> Grid:
        grid = Grid(box=None, expand=True, pad_edge=False)
        for heading in ("", "", "score", "bid", "won", "cards", "plays"):
            grid.add_column(
                heading, justify="right" if heading in ("score", "bid", "won", "cards") else "left"
            )
        played = dict(scene.trick)
        names = seat_names(self._session, self._seat)
        winning = None if scene.winning is None else scene.trick[scene.winning][0]
        for seat in scene.seats:
            card = Text() if seat.number not in played else card_text(played[seat.number])
            if seat.number == winning:
                card.append(" wins so far")
            grid.add_row(
                ">" if seat.acts else " ",
                names[seat.number] + (" (deals)" if seat.deals else ""),
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
        hand = self.query_one("#hand", Horizontal)
        choices = self.query_one("#choices", Horizontal)
        await hand.remove_children()
        await choices.remove_children()
        cards = scene.seats[self._seat].hand or ()
        await hand.mount_all(
            Choice(card_text(card), f"play {card}", f"play {card}" in legal) for card in cards
        )
        await choices.mount_all(self._other_choices(legal))
        for button in self.query(Choice):
            if not button.disabled:
                button.focus()
                break

    def _other_choices(self, legal: list[str]) -> Iterator[Choice]:
        """The bids or suits that may be named."""
        for action in legal:
            verb, what = action.split()
            if verb == "trump":
                yield Choice(suit_text(what), action, True)
            elif verb == "bid":
                yield Choice(Text(what, "bold"), action, True)

    def _prompt(self, scene: Scene, mine: bool) -> str:
        if scene.phase == "over":
            names = seat_names(self._session, self._seat)
            return f"The game is over. It was won by {' and '.join(names[seat] for seat in scene.winners)}."
        if not mine:
            return "Others act."
        asked = {"trump": "Name the trump.", "bid": "How many tricks do you bid?", "play": "Play a card."}
        return f"{asked[scene.phase]} Arrow keys and Enter, or a click."

    # --- what keys do

    def action_hint(self) -> None:
        if self._session.waits_for_a_person and not self._asks:
            self._asks = True
            self._write("a hint is asked for ...")
            self._ask()

    @work
    async def _ask(self) -> None:
        """Give a hint; the adviser thinks in a thread of its own."""
        advice = await asyncio.to_thread(self._session.advise, self._adviser)
        self._write(*narrate_advice(advice, HINTS))
        self._asks = False

    async def action_take_back(self) -> None:
        if self._session.waits_for_an_agent or self._asks:
            return
        try:
            self._session.take_back(self._seat)
        except ValueError as wrong:
            self._write(str(wrong))
            return
        self._told = len(self._session.events)
        self._write("taken back")
        await self._show()
        self._go_on()

    def action_last_trick(self) -> None:
        self._write(narrate_last_trick(self._session, self._seat))

    def action_score_pad(self) -> None:
        self.push_screen(ScorePad(self._session.look(self._seat), seat_names(self._session, self._seat)))

    def action_pace(self, factor: float) -> None:
        self._seconds = min(max(self._seconds * factor, 0.05), 5)
        self._write(f"agents wait {self._seconds:.2g} s")

    def _write(self, *lines: str) -> None:
        log = self.query_one("#log", RichLog)
        for line in lines:
            log.write(line)
