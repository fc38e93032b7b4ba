"""Reasons for advice, each borne out by most of the playouts that it comes from."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from wizard_env import ACTIONS, Game
from wizard_env.actions import FIRST_BID, FIRST_PLAY
from wizard_env.agents.assessment import Evidence
from wizard_env.cards import CARD_NAMES, JESTER, WIZARD, card_id

MOST = 2 / 3
"""The least share of worlds that bears a reason out."""
FEW = 1 - MOST


class Why(StrEnum):
    """Kinds of reasons. The first speak for an action, the others against it."""

    KEEPS = "keeps"
    """The card saves one that is worse to play now: it wins a later trick, or as a Jester loses it."""
    WINS = "wins"
    """The card wins the trick, and the seat needs more; a worse card loses it."""
    LOSES = "loses"
    """The card loses the trick; a worse card wins it."""
    WINNERS = "winners"
    """Cards that win tricks, as many as the bid, or more tricks come from the others."""
    NO_WINNER = "no_winner"
    """No card wins a trick."""
    EXCEEDS = "exceeds"
    """The card wins one trick more than the bid, now."""
    TOO_MANY = "too_many"
    """The seat wins more tricks than it bid, or would bid."""
    TOO_FEW = "too_few"
    """It wins fewer."""


@dataclass(frozen=True)
class Reason:
    """A reason for an action, or against it."""

    why: Why
    action: str
    cards: tuple[str, ...] = ()
    """KEEPS: the card saved. WINNERS: those that win, alike ones as often as the seat holds them."""
    count: int = 0
    """WINS: the tricks that the seat needs. WINNERS: the tricks that its other cards bring."""


def find_reasons(game: Game, evidence: Evidence, good: NDArray[np.bool_]) -> dict[int, Reason]:
    """Return the reason for each action that has one.

    Args:
        game: at the decision.
        evidence: of this decision alone, without its first axis.
        good: bool [NUM_ACTIONS], the actions that are as good as the best; the other legal ones are worse.
    """
    legal = game.legal_actions()
    worse = [action for action in legal if not good[action]]
    speak = {"play": _praise_card, "bid": _praise_bid, "trump": _praise_trump}[game.phase]
    found: dict[int, Reason | None] = {}
    for action in legal:
        if good[action]:
            found[action] = speak(game, evidence, action, worse)
        else:
            found[action] = _blame(game, evidence, action)
    return {action: reason for action, reason in found.items() if reason is not None}


def _praise_card(game: Game, evidence: Evidence, action: int, worse: list[int]) -> Reason | None:
    takes, name = evidence.takes_trick, ACTIONS[action]
    for other in worse:
        if _is_saved(game, evidence.wins[action], other - FIRST_PLAY):
            return Reason(Why.KEEPS, name, (CARD_NAMES[other - FIRST_PLAY],))
    needed = _bid_of(game) - game.tricks_won[game.acting_seat]
    if takes[action] >= MOST and needed > 0 and any(takes[other] <= FEW for other in worse):
        return Reason(Why.WINS, name, count=needed)
    if takes[action] <= FEW and any(takes[other] >= MOST for other in worse):
        return Reason(Why.LOSES, name)
    return None


def _is_saved(game: Game, wins: NDArray[np.float64], card: int) -> bool:
    """Return whether a card that is kept does later what it is kept for. wins: [NUM_KINDS]."""
    held = _hand_of(game).count(CARD_NAMES[card])
    if card == JESTER:
        return bool(wins[card] <= FEW)
    is_high = card == WIZARD or CARD_NAMES[card][1] == game.trump
    return is_high and bool(wins[card] >= MOST * held)


def _praise_bid(game: Game, evidence: Evidence, action: int, worse: list[int]) -> Reason | None:
    wins, bid = evidence.wins[action], action - FIRST_BID
    if bid == 0:
        return Reason(Why.NO_WINNER, ACTIONS[action]) if wins.max() <= FEW else None
    sure = _winners(game, wins, lambda card: True)
    others = bid - len(sure)
    if not sure or others < 0 or (others and evidence.too_few[action] > FEW):
        return None
    return Reason(Why.WINNERS, ACTIONS[action], sure, others)


def _praise_trump(game: Game, evidence: Evidence, action: int, worse: list[int]) -> Reason | None:
    suit = ACTIONS[action].split()[1]
    sure = _winners(game, evidence.wins[action], lambda card: card[1] == suit)
    return Reason(Why.WINNERS, ACTIONS[action], sure) if sure and worse else None


def _winners(game: Game, wins: NDArray[np.float64], counts: Callable[[str], bool]) -> tuple[str, ...]:
    hand = _hand_of(game)
    return tuple(card for card in hand if counts(card) and wins[card_id(card)] >= MOST * hand.count(card))


def _blame(game: Game, evidence: Evidence, action: int) -> Reason | None:
    name = ACTIONS[action]
    if game.phase == "trump":
        return None
    if evidence.too_many[action] >= MOST:
        exceeds = game.phase == "play" and game.tricks_won[game.acting_seat] == _bid_of(game)
        now = exceeds and evidence.takes_trick[action] >= MOST
        return Reason(Why.EXCEEDS if now else Why.TOO_MANY, name)
    return Reason(Why.TOO_FEW, name) if evidence.too_few[action] >= MOST else None


def _hand_of(game: Game) -> list[str]:
    return game.hands[game.acting_seat]


def _bid_of(game: Game) -> int:
    bid = game.bids[game.acting_seat]
    assert bid is not None
    return bid
