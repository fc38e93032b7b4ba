"""The finished rounds of a game as one word of its position."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.actions import FIRST_PLAY, MAX_BID
from wizard_env.cards import CARD_NAMES, SUITS, WIZARD, card_id
from wizard_env.checks import quoted
from wizard_env.engine import apply
from wizard_env.game import Game
from wizard_env.history.finished import plays_in, start_round
from wizard_env.state import FINISHED_ROUND, NO_CARD, STATE, UNDECIDED, write_rules

_BETWEEN_ROUNDS, _BETWEEN_PARTS = "|", ":"


def past_text(game: Game) -> str:
    """Write the finished rounds before the current one, oldest first, with "|" between them.

    A round is its upcard, followed by the suit that the dealer named for a Wizard; the bids in bidding order;
    and the tricks with the cards in the order of play; with ":" between these.
    """
    players, written = game.rules.num_players, []
    for finished in game.rounds[: -1 if game.phase == "over" else None]:
        first = (finished.dealer + 1) % players
        named = finished.trump or "" if finished.upcard == CARD_NAMES[WIZARD] else ""
        bids = finished.bids[first:] + finished.bids[:first]
        cards = [card for _, card in finished.plays]
        tricks = ["".join(cards[start : start + players]) for start in range(0, len(cards), players)]
        parts = (finished.upcard or "") + named, ",".join(map(str, bids)), "/".join(tricks)
        written.append(_BETWEEN_PARTS.join(parts))
    return _BETWEEN_ROUNDS.join(written)


def parse_past(text: str, game: Game) -> NDArray[Any]:
    """Read the rounds before the current round of a game: records of dtype FINISHED_ROUND, [rounds before].

    They are not checked against the rules. Raises ValueError for text that does not list rounds.
    """
    written, before = text.split(_BETWEEN_ROUNDS), game.round_number - 1
    if len(written) > before:
        raise ValueError(f"past: {len(written)} rounds: the game has finished {before} before this one")
    finished = np.zeros(before, FINISHED_ROUND)
    for index, round_text in enumerate(written, start=before - len(written)):
        try:
            _parse_round(round_text, game, index, finished[index])
        except ValueError as error:
            raise ValueError(f"past: round {index + 1}: {error}") from None
    return finished


def _parse_round(text: str, game: Game, index: int, finished: Any) -> None:
    """Read one round into its record; what follows from bids and plays comes from the engine."""
    players, size = game.rules.num_players, game.rules.rounds[index]
    try:
        turned, bids_text, tricks = text.split(_BETWEEN_PARTS)
        bids = [int(bid) for bid in bids_text.split(",")]
    except ValueError:
        raise ValueError(
            f"{quoted(text)}: an upcard, bids and tricks are needed, with ':' between them"
        ) from None
    joined = tricks.replace("/", "")
    cards = [card_id(joined[place : place + 2]) for place in range(0, len(joined), 2)]
    if len(bids) != players or len(cards) != players * size:
        raise ValueError(
            f"{len(bids)} bids and {len(cards)} cards: {players} and {players * size} are needed"
        )
    if not 0 <= min(bids) <= max(bids) <= MAX_BID:
        raise ValueError(f"bids {bids}: allowed are 0 to {MAX_BID}")
    upcard, named = turned[:2], turned[2:]
    if named not in ((*SUITS,) if upcard == CARD_NAMES[WIZARD] else ("",)):
        raise ValueError(
            f"{quoted(turned)}: an upcard is needed, and if it is a Wizard the suit that was named"
        )
    finished["hand_size"], finished["dealer"] = (
        size,
        (game.dealer - (game.round_number - 1 - index)) % players,
    )
    finished["upcard"] = card_id(upcard) if upcard else NO_CARD
    finished["trump"] = SUITS.index(named) if named else UNDECIDED
    for place, bid in enumerate(bids):
        finished["bids"][(int(finished["dealer"]) + 1 + place) % players] = bid
    finished["plays"] = [*cards, *[NO_CARD] * (len(finished["plays"]) - len(cards))]
    scratch = np.zeros(1, STATE)
    write_rules(game.rules, scratch)
    start_round(scratch[0], finished)
    for number in range(plays_in(scratch[0])):
        apply(scratch[0], FIRST_PLAY + cards[number])
    finished["trump"], finished["tricks_won"] = scratch["trump"][0], scratch["tricks_won"][0]
