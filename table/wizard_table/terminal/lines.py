"""A game in the terminal: it reads and writes lines, so it works through pipes too."""

from collections.abc import Callable
from typing import TextIO

from wizard_env import ACTIONS, Game, IllegalAction
from wizard_env.actions import Refusal
from wizard_env.evaluation.advice import Advice
from wizard_env.narration import narrate_event, narrate_last_trick, seat_names
from wizard_env.session import Session
from wizard_env.words import SUIT_SYMBOLS, choice_text, drop_selectors, suit_name
from wizard_table.terminal.board import Board
from wizard_table.terminal.hints import narrate_advice
from wizard_table.translation import t

_LETTERS = str.maketrans({symbol: suit for suit, symbol in SUIT_SYMBOLS.items()})
_IDS = {words: action for action, name in enumerate(ACTIONS) for words in (name.upper(), name.split()[1])}
"""Ids by name and by the part after the verb, which is unique."""


def commands() -> dict[str, tuple[str, str]]:
    """Return the commands: for each the word to type in the language in use, and its meaning."""
    return {
        "hint": (t("hint"), t("what the adviser thinks")),
        "back": (t("back"), t("take back your last choice")),
        "last": (t("last"), t("the last trick")),
        "pad": (t("pad"), t("the score pad")),
        "help": (t("help"), t("this help")),
        "quit": (t("quit"), t("end the game")),
    }


def _help_text() -> str:
    cards = [f"{suit} {suit_name(suit, t)}" for suit in SUIT_SYMBOLS]
    cards += [f"WI {t('Wizard')}", f"JE {t('Jester')}"]
    width = max(len(word) for word, _ in commands().values())
    lines = [t("Type a card (9C or 9♣, 10S or 10♠), a bid (3) or a suit (H or ♥)."), ", ".join(cards)]
    return "\n".join([*lines, *(f"  {word:{width}}  {meaning}" for word, meaning in commands().values())])


def typed_action(answer: str, game: Game) -> int:
    """Return the action that was typed. Raises ValueError, with a text for people, if it is not legal."""
    words = " ".join(drop_selectors(answer).translate(_LETTERS).upper().split())
    if words.startswith("10") and words[2:]:
        words = f"T{words[2:]}"
    try:
        action = _IDS.get(words, -1)
        game.check(action)
        return action
    except ValueError as error:
        why = [t("{answer} is not possible here.", answer=answer.strip())]
        if isinstance(error, IllegalAction):
            why += _reasons(error.reason, game)
        raise ValueError(" ".join(why)) from None


def _reasons(reason: Refusal | None, game: Game) -> list[str]:
    """Return the rule that forbids a card in hand, or a bid."""
    if reason == Refusal.MUST_FOLLOW and game.led_suit:
        return [t("The led suit must be followed: {suit}.", suit=suit_name(game.led_suit, t))]
    if reason == Refusal.FORBIDDEN_BID:
        return [t("The bids must not add up to the tricks.")]
    return []


class Terminal:
    """Plays a session to its end, or until the input ends or the person quits."""

    def __init__(
        self,
        session: Session,
        seat: int,
        adviser: Callable[[Game], Advice],
        stdin: TextIO,
        stdout: TextIO,
    ) -> None:
        """Seat the person in a session without other people; each line of `stdin` is an answer."""
        self._session = session
        self._seat = seat
        self._adviser = adviser
        self._stdin = stdin
        self._stdout = stdout
        self._narrated = len(session.events)
        self._commands = {name: name for name in commands()}
        self._commands |= {word: name for name, (word, _) in commands().items()}

    def run(self) -> None:
        """Play until the end, of the game or of the input."""
        self._write(_help_text())
        while self._session.game.seat is not None:
            if self._session.waits_for_an_agent:
                self._session.advance()
            else:
                self._write_events()
                self._write("", *self._board().lines())
                if not self._ask():
                    return
        self._write_events()
        self._write("", *self._board().lines(), "", *self._board().pad_lines())

    def _ask(self) -> bool:
        """Ask the person for a choice. Returns False if the game is to end."""
        names = [ACTIONS[action] for action in self._session.game.legal_actions()]
        typed = (
            SUIT_SYMBOLS[name[-1]] if name.startswith("trump") else choice_text(name, t) for name in names
        )
        legal = ", ".join(typed)
        while True:
            self._stdout.write(t("Your choice of {choices}:", choices=legal) + " ")
            self._stdout.flush()
            answer = self._stdin.readline()
            command = self._commands.get(answer.strip().lower())
            if not answer or command == "quit":
                self._write("")
                return False
            try:
                if command == "back":
                    self._session.take_back(self._seat)
                    self._narrated = len(self._session.events)
                    return True
                if command is None:
                    self._session.act(self._seat, typed_action(answer, self._session.game))
                    return True
                self._answer(command)
            except ValueError as error:
                self._write(str(error))

    def _answer(self, command: str) -> None:
        """Carry out a command that changes nothing."""
        if command == "hint":
            self._write(*narrate_advice(self._adviser(self._session.game)))
        elif command == "last":
            self._write(narrate_last_trick(self._session, self._seat, t))
        elif command == "pad":
            self._write(*self._board().pad_lines())
        else:
            self._write(_help_text())

    def _board(self) -> Board:
        return Board(self._session.game.scene(self._seat), seat_names(self._session, self._seat, t))

    def _write_events(self) -> None:
        for event in self._session.events[self._narrated :]:
            self._write(*narrate_event(self._session, event, self._seat, t))
        self._narrated = len(self._session.events)

    def _write(self, *lines: str) -> None:
        self._stdout.write("\n".join(lines) + "\n")
        self._stdout.flush()
