"""TextAgent: plays by questions and answers in words; subclasses say where the answers come from."""

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from wizard_env import Game, View
from wizard_env.checks import check_integer
from wizard_env.llm.answers import AnswerError, read_answer
from wizard_env.llm.text import game_of, rules_page, turn_text
from wizard_env.sampling import sample_legal
from wizard_env.view import Actions, OutsideAgent

MOST_AT_ONCE = 1_000
_SENT_BACK = 2_000
"""Characters of a refused answer that are sent back, from its end, so that the conversation stays short."""
_EMPTY = "(no answer)"
"""Sent back in the place of an empty answer: many servers refuse an empty message."""

_log = logging.getLogger(__name__)


class Message(NamedTuple):
    """A turn of a conversation. The first holds the rules, the second the decision."""

    role: str
    """ "system", "user" or "assistant"."""
    content: str


class TextAgent(OutsideAgent, ABC):
    """Asks for each decision in a conversation of its own: the rules, then all that the seat has seen.

    A decision with one legal action is taken without a question. An answer without a legal action is sent
    back with the reason, up to `tries` answers in all; then the decision is forfeited: a random legal action,
    drawn with `view.noise(rng)`, takes its place. The first forfeit for each reason is logged.

    forfeits: the number of forfeited decisions by reason: "unreadable", "illegal".
    """

    def __init__(self, tries: int = 3, at_once: int = 8, instructions: str = "") -> None:
        """Choose the form of the questions.

        Args:
            tries: answers that may be given to one question, 1 to 10.
            at_once: questions that are asked at the same time, 1 to 1,000.
            instructions: follow the rules in the first message.

        Raises ValueError if a value is not allowed.
        """
        super().__init__()
        self._tries = check_integer("tries", tries, 1, 10)
        self._at_once = check_integer("at_once", at_once, 1, MOST_AT_ONCE)
        self._instructions = instructions
        self._lock = threading.Lock()

    @abstractmethod
    def answer(self, conversation: Sequence[Message]) -> str:
        """Return the next answer in a conversation; called from several threads."""

    def abandon(self) -> None:
        """End the waiting of `answer` in all threads, after a failure; by default answers are waited for."""

    def act(self, view: View, rng: np.random.Generator) -> Actions:
        """Ask for every decision of the view. Raises as `answer` does."""
        words = view.noise(rng)
        actions = sample_legal(view.mask, words)
        asked = np.flatnonzero(view.mask.sum(axis=1) > 1)
        pool = ThreadPoolExecutor(self._at_once)
        try:
            chosen = pool.map(lambda row: self._choose(game_of(view, row)), asked.tolist())
            for row, action in zip(asked, chosen, strict=True):
                if action is not None:
                    actions[row] = action
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            self.abandon()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
        return actions

    def _choose(self, game: Game) -> int | None:
        """Return the action that the answers lead to; None if the decision is forfeited."""
        rules = "\n".join(filter(None, (rules_page(game.rules), self._instructions)))
        conversation = [Message("system", rules), Message("user", turn_text(game, game.acting_seat))]
        for number in range(1, self._tries + 1):
            answer = self.answer(conversation)
            try:
                return read_answer(answer, game)
            except AnswerError as error:
                if number == self._tries:
                    self._forfeit(error)
                shown = answer.strip()[-_SENT_BACK:] or _EMPTY
                conversation += [Message("assistant", shown), Message("user", str(error))]
        return None

    def _forfeit(self, error: AnswerError) -> None:
        with self._lock:
            if error.kind not in self.forfeits:
                _log.warning("a decision is forfeited after %d answers: %s", self._tries, error)
            self.forfeits[error.kind] += 1
