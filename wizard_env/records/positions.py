"""Positions: one moment of a game on one line of text, short enough for a bug report.

Reading a position plays its actions by the rules, so a position cannot hold what the rules do not allow.
"""

import re
from collections.abc import Iterator
from typing import Any

from wizard_env.actions import IllegalAction
from wizard_env.cards import CARD_NAMES, SUITS, WIZARD, card_names
from wizard_env.checks import nearest, quoted
from wizard_env.game import Game
from wizard_env.records.past_rounds import parse_past, past_text
from wizard_env.rules import Rules
from wizard_env.state import NOT_BID, UNDECIDED

_OPTIONS = {
    "players": "num_players",
    "restriction": "bid_restriction",
    "reveal": "bid_reveal",
    "magic": "magic_edition",
    "sizes": "hand_sizes",
}
"""The options of Rules, by their names in a position."""
_WORDS = (
    *_OPTIONS,
    "round",
    "dealer",
    "scores",
    "hands",
    "upcard",
    "trump",
    "bids",
    "tricks",
    "seed",
    "past",
)
_LONGEST_POSITION = 20_000
"""Characters of the longest text that is read; a position has some hundreds, its past up to 13,000 more."""
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,20}")


def position(game: Game, *, past: bool = False) -> str:
    """Write the position of a game, in words of the form name=value on one line.

    The options that differ from the default: `players`, `restriction`, `reveal`, `magic`, `sizes`;
    `round` and `dealer`; `scores` before the round; `hands` as dealt, from seat 0, without spaces and with
    "/" between seats; `upcard`; the actions of the round: the dealer's `trump`, `bids` in bidding order,
    `tricks` with the cards in the order of play and "/" between tricks; and `seed`, from which later
    rounds are dealt.

    past: also write `past`, the finished rounds before this one, see `past_rounds`.

    Raises ValueError for a game as one seat sees it, without the other hands.

    >>> position(Game(Rules(num_players=3), seed=7))
    'players=3 round=1 dealer=1 scores=0,0,0 hands=JE/2D/8D upcard=8S seed=14334736817860870823'
    """
    state, players = game.state[0], game.rules.num_players
    dealt = [card_names(hand) for hand in state["hands"][:players] + state["played"][:players]]
    if any(len(hand) != game.hand_size for hand in dealt):
        raise ValueError("the game shows only what one seat sees: a position needs all hands")
    scores = state["scores"][:players] - (state["points"][:players] if game.phase == "over" else 0)
    words = {name: _option_text(game.rules, option) for name, option in _OPTIONS.items()}
    words |= {
        "round": str(game.round_number),
        "dealer": str(game.dealer),
        "scores": ",".join(map(str, scores)),
        "hands": "/".join(map("".join, dealt)),
        "upcard": game.upcard or "",
        **_action_words(state),
        "seed": str(state["generator"]),
        "past": past_text(game) if past else "",
    }
    return " ".join(f"{name}={value}" for name, value in words.items() if value)


def parse_position(text: str) -> Game:
    """Read a position; later rounds of the game are dealt the same cards.

    Words may come in any order; only `dealer` and `hands` are required, and `upcard` if a card is left.
    By default `round` is the first of that hand size, all `scores` are 0, and `seed` is 0. A game with `past`
    has no record, because its deals before this round are not known.

    Raises ValueError if the text is not a position, or not one that the rules allow.
    """
    if len(text) > _LONGEST_POSITION:
        raise ValueError(f"{len(text)} characters: a position has at most {_LONGEST_POSITION}")
    words = _split_words(text)
    rules = Rules(**{_OPTIONS[name]: _parse_option(name, words[name]) for name in words if name in _OPTIONS})
    hands = [_parse_cards("hands", hand) for hand in words["hands"].split("/")]
    size = len(hands[0])
    first_round = rules.rounds.index(size) + 1 if size in rules.rounds else 1
    start = {
        "round": _parse_number("round", words["round"]) if "round" in words else first_round,
        "dealer": _parse_number("dealer", words["dealer"]),
        "hands": hands,
        "upcard": words.get("upcard"),
        "scores": _parse_numbers("scores", words["scores"]) if "scores" in words else None,
    }
    game = Game.begin(rules, _parse_number("seed", words.get("seed", "0")), start)
    for where, action in _parse_actions(words, rules.num_players):
        if game.rounds:
            raise ValueError(f"{where}: the round is already over")
        try:
            game.step(action)
        except IllegalAction as illegal:
            raise ValueError(f"{where}: {illegal}") from None
    if game.rounds and game.phase != "over":
        raise ValueError("tricks: the round is over; give the position in the next round instead")
    if "past" not in words:
        return game
    finished = game.finished_rounds.copy()
    before = parse_past(words["past"], game)
    finished[: len(before)] = before
    return Game.from_state(rules, game.state, finished)


def _option_text(rules: Rules, option: str) -> str:
    """Return the value of an option as written in a position; empty for the default."""
    value = getattr(rules, option)
    if value == getattr(Rules(), option):
        return ""
    if option == "hand_sizes":
        return ",".join(map(str, value))
    return "on" if value is True else str(value)


def _action_words(state: Any) -> dict[str, str]:
    """Return the words for the actions since the deal."""
    players, dealer = int(state["num_players"]), int(state["dealer"])
    bidders = [*range(dealer + 1, players), *range(dealer + 1)]
    bids = [str(state["bids"][seat]) for seat in bidders if state["bids"][seat] != NOT_BID]
    cards = [CARD_NAMES[card] for card in state["plays"][: state["num_plays"]]]
    chosen = state["upcard"] == WIZARD and state["trump"] != UNDECIDED
    return {
        "trump": SUITS[state["trump"]] if chosen else "",
        "bids": ",".join(bids),
        "tricks": "/".join("".join(cards[i : i + players]) for i in range(0, len(cards), players)),
    }


def _split_words(text: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for word in text.split():
        name, _, value = word.partition("=")
        if not value:
            raise ValueError(f"{quoted(word)}: a position consists of words like dealer=2")
        if name not in _WORDS:
            raise ValueError(f"a position has no {quoted(name)}: {nearest(name, list(_WORDS))}")
        if name in words:
            raise ValueError(f"{quoted(word)}: {name} appears twice")
        words[name] = value
    for name in ("dealer", "hands"):
        if name not in words:
            raise ValueError(f"the position has no {name}")
    return words


def _parse_option(name: str, value: str) -> Any:
    if name == "players":
        return _parse_number(name, value)
    if name == "sizes":
        return tuple(_parse_numbers(name, value))
    if name == "magic":
        if value not in ("on", "off"):
            raise ValueError(f"magic={value}: allowed are on, off")
        return value == "on"
    return value


def _parse_number(name: str, value: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(value):
        raise ValueError(f"{name}: {quoted(value)} is not a whole number of at most 20 digits")
    return int(value)


def _parse_numbers(name: str, value: str) -> list[int]:
    return [_parse_number(name, part) for part in value.split(",")]


def _parse_cards(name: str, cards: str) -> list[str]:
    """Split joined cards, as in "TSWI3C"."""
    if len(cards) % 2:
        raise ValueError(f"{name}: {quoted(cards)} is not a sequence of cards of two characters each")
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def _parse_actions(words: dict[str, str], players: int) -> Iterator[tuple[str, str]]:
    """Yield the actions of a position: where each is, for error messages, and its name."""
    if "trump" in words:
        yield "trump", f"trump {words['trump']}"
    if "bids" in words:
        for bid in _parse_numbers("bids", words["bids"]):
            yield "bids", f"bid {bid}"
    if "tricks" in words:
        tricks = [_parse_cards("tricks", trick) for trick in words["tricks"].split("/")]
        for number, trick in enumerate(tricks, start=1):
            if not 1 <= len(trick) <= players or (len(trick) < players and number < len(tricks)):
                raise ValueError(f"tricks: trick {number} has {len(trick)} cards for {players} players")
            for card in trick:
                yield f"trick {number}", f"play {card}"
