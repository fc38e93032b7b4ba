"""Positions and game records <-> text.

A record is a whole game on one line of JSON, for files of JSON Lines. A position is one moment of a
game on one line, short enough for a bug report.

Reading either plays its actions through the rules, so neither can say what the rules do not allow.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard_env.actions import ACTIONS, IllegalAction, is_integer
from wizard_env.cards import CARD_NAMES, SUITS, WIZARD, card_names
from wizard_env.files import check_folder, write_atomically
from wizard_env.game import Game
from wizard_env.rules import Rules, nearest
from wizard_env.state import NOT_BID, UNDECIDED

FORMAT = "wizard-game"
VERSION = 1
DIGEST_SIZE = 16
"""Hexadecimal digits of the SHA-256 that a record keeps."""

_RECORD_KEYS = ("format", "version", "rules", "seed", "start", "draw", "rounds", "scores", "over", "digest")
_START_KEYS = ("round", "dealer", "hands", "upcard", "scores")
_DEALT_KEYS = ("hand_size", "dealer", "hands", "upcard", "actions")
_SCORED_KEYS = ("bids", "tricks_won", "points")
_LONGEST_QUOTE = 80


class RecordError(ValueError):
    """A line that is not the record of a game; the message names the line and the reason."""


# --- game records


def record(game: Game) -> str:
    """A game, finished or not, as one line of JSON without its line break.

    Raises:
        ValueError: the game is not what its actions lead to, because it was begun by `Game.from_state`
            or its state was written to.
    """
    content = _tell(game)
    return _json({**content, "digest": _digest(content)})


def replay(line: str, number: int = 1) -> Game:
    """Play the game of a record again; the game is equal to the one that was recorded.

    Args:
        line: what `record` returned.
        number: the number of the line in its file, for the message of an error.

    Raises:
        RecordError: the line is not a record, was altered, or tells of a game that the rules or the
            seed do not allow.
    """
    try:
        return _replay(_parse_record(line))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"line {number}: {error}") from error


def write_records(path: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Write a file of records, one game a line, in the place of what was there.

    The file appears whole: if anything fails on the way, what was there stays. Raises
    FileNotFoundError if the folder is missing: the path may be misspelled.
    """
    check_folder(Path(path))
    write_atomically(Path(path), lambda unfinished: _write_lines(unfinished, games))


def _write_lines(path: Path, games: Iterable[Game]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(record(game) + "\n" for game in games)


def read_records(path: str | os.PathLike[str]) -> Iterator[Game]:
    """The games of a file of records, one by one.

    Raises:
        OSError: the file cannot be read.
        RecordError: a line is not a record, see `replay`; raised when the line is reached.
    """
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            yield replay(line, number)


def _tell(game: Game) -> dict[str, Any]:
    """All that a record says of a game but its digest, found by playing it again."""
    rounds = [_dealt(game.restart())]
    for twin, action in game.retrace():
        rounds[-1]["actions"].append(ACTIONS[action])
        finished = len(twin.pad)
        twin.step(action)
        if len(twin.pad) > finished:
            scored = twin.pad[-1]._asdict()
            rounds[-1] |= {key: scored[key] for key in _SCORED_KEYS}
            if twin.phase != "over":
                rounds.append(_dealt(twin))
    return {
        "format": FORMAT,
        "version": VERSION,
        "rules": game.rules.to_dict(),
        "seed": game.seed,
        "start": game.start,
        "draw": game.draw,
        "rounds": rounds,
        "scores": game.scores,
        "over": game.phase == "over",
    }


def _dealt(game: Game) -> dict[str, Any]:
    """The start of a round, before its first action."""
    return {
        "hand_size": game.hand_size,
        "dealer": game.dealer,
        "hands": [" ".join(hand) for hand in game.hands],
        "upcard": game.upcard,
        "actions": [],
    }


def _parse_record(line: str) -> dict[str, Any]:
    """A record as plain values, whole and unaltered, that may still tell of an impossible game."""
    try:
        told = json.loads(line, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except ValueError as error:
        cut_off = line.lstrip().startswith("{") and not line.rstrip().endswith("}")
        raise ValueError(f"{'cut off' if cut_off else 'not JSON'}: {error}") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ValueError(f"not a record of a game: its 'format' should be {FORMAT!r}")
    version: Any = told.get("version")
    if is_integer(version) and version > VERSION:
        raise ValueError(f"version {version} is newer than version {VERSION}, which this program reads")
    if not is_integer(version) or version != VERSION:
        raise ValueError(f"version {_quote(version)}: this program reads version {VERSION}")
    _check_keys("the record", told, _RECORD_KEYS)
    digest = told.pop("digest")
    if digest != _digest(told):
        raise ValueError(f"altered: the digest is {_quote(digest)}, but the content's is {_digest(told)!r}")
    return told


def _replay(told: dict[str, Any]) -> Game:
    _check_type("rules", told["rules"], dict)
    _check_type("seed", told["seed"], int)
    game = Game.begin(Rules(**told["rules"]), told["seed"], _parse_start(told["start"]))
    for number, order, action in _actions(told["rounds"]):
        try:
            game.step(action)
        except IllegalAction as illegal:
            raise ValueError(f"rounds[{number}], action {order}: {illegal}") from None
    played = json.loads(_json(_tell(game)))
    if _sorted_json(told) != _sorted_json(played):
        raise ValueError(_first_difference("", told, played))
    return game


def _parse_start(start: Any) -> dict[str, Any] | None:
    if start is None:
        return None
    _check_type("start", start, dict)
    _check_keys("start", start, _START_KEYS)
    _check_type("start.round", start["round"], int)
    _check_type("start.hands", start["hands"], list)
    _check_type("start.scores", start["scores"], list)
    for score in start["scores"]:
        _check_type("start.scores", score, int)
    return dict(start)


def _actions(rounds: Any) -> Iterator[tuple[int, int, str]]:
    """The actions of a record: the place of the round, the number in the round from 1, the name."""
    _check_type("rounds", rounds, list)
    for number, told in enumerate(rounds):
        _check_type(f"rounds[{number}]", told, dict)
        scored = any(key in told for key in _SCORED_KEYS)
        _check_keys(f"rounds[{number}]", told, _DEALT_KEYS + _SCORED_KEYS * scored)
        _check_type(f"rounds[{number}].actions", told["actions"], list)
        for order, action in enumerate(told["actions"], start=1):
            _check_type(f"rounds[{number}], action {order}", action, str)
            yield number, order, action


def _check_type(name: str, value: Any, wanted: type) -> None:
    if type(value) is not wanted:
        raise ValueError(f"{name} is {_quote(value)}: a value of type {wanted.__name__} is needed")


def _check_keys(name: str, told: dict[str, Any], keys: Sequence[str]) -> None:
    missing = [key for key in keys if key not in told]
    unknown = [key for key in told if key not in keys]
    if missing or unknown:
        problem = f"no {missing[0]!r}" if missing else f"unknown {_quote(unknown[0])}"
        raise ValueError(f"{name} has {problem}: its keys are {', '.join(keys)}")


def _first_difference(name: str, told: Any, played: Any) -> str:
    """Where what a record says first departs from the game as it was played again."""
    parts: list[tuple[str, Any, Any]] = []
    if type(told) is type(played) is dict and told.keys() == played.keys():
        parts = [(f"{name}.{key}".lstrip("."), told[key], played[key]) for key in played]
    if type(told) is type(played) is list and len(told) == len(played):
        parts = [(f"{name}[{i}]", told[i], played[i]) for i in range(len(played))]
    for part in parts:
        if _sorted_json(part[1]) != _sorted_json(part[2]):
            return _first_difference(*part)
    return f"{name} is {_quote(told)}, but the game played again has {_quote(played)}"


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {_quote(key)} stands twice in one object")
    return dict(pairs)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _sorted_json(content: Any) -> str:
    """A text that is the same for equal contents, and only for them."""
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(_sorted_json(content).encode()).hexdigest()[:DIGEST_SIZE]


def _quote(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."


# --- positions

_OPTIONS = {
    "players": "num_players",
    "restriction": "bid_restriction",
    "reveal": "bid_reveal",
    "magic": "magic_edition",
    "sizes": "hand_sizes",
}
"""How a position calls the options of a game; it says only those that differ from the default."""
_WORDS = (*_OPTIONS, "round", "dealer", "scores", "hands", "upcard", "trump", "bids", "tricks", "seed")
_NEEDED_WORDS = ("dealer", "hands")
_ON_OFF = {"on": True, "off": False}
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,20}")


def position(game: Game) -> str:
    """Where a game stands, in words of the form name=value on one line.

    The options that differ from the default: `players`, `restriction`, `reveal`, `magic`, `sizes`;
    `round` and `dealer`; `scores` before the round; `hands` as dealt, from seat 0, cards joined and
    seats parted by "/"; `upcard`; what was done in the round: the dealer's `trump`, `bids` in the
    order of the bidding, `tricks` with the cards in the order of play, parted by "/"; and `seed`, from
    which the rounds that follow are dealt.

    Raises:
        ValueError: the game is what one seat sees of it, without the hands of the others.

    >>> position(Game(Rules(num_players=3), seed=7))
    'players=3 round=1 dealer=1 scores=0,0,0 hands=JE/2D/8D upcard=8S seed=14334736817860870823'
    """
    state, players = game.state[0], game.rules.num_players
    dealt = [card_names(hand) for hand in state["hands"][:players] + state["played"][:players]]
    if any(len(hand) != game.hand_size for hand in dealt):
        raise ValueError("the game is what one seat sees of it: a position needs all hands")
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
    }
    return " ".join(f"{name}={value}" for name, value in words.items() if value)


def parse_position(text: str) -> Game:
    """The game of a position; it is dealt the same cards in the rounds that follow.

    Words may stand in any order; only `dealer` and `hands` are needed, and `upcard` where a card is
    left. Without `round` the first round of that hand size is meant, without `scores` all have 0
    points, without `seed` it is 0.

    Raises:
        ValueError: the text is no position, or one that the rules do not allow; the message says why.
    """
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
    for place, action in _parse_actions(words, rules.num_players):
        if game.rounds:
            raise ValueError(f"{place}: the round is over before it")
        try:
            game.step(action)
        except IllegalAction as illegal:
            raise ValueError(f"{place}: {illegal}") from None
    if game.rounds and game.phase != "over":
        raise ValueError("tricks: the round is over; a position stands in the round that follows it")
    return game


def _option_text(rules: Rules, option: str) -> str:
    """The value of an option as a position says it; empty for the default."""
    value = getattr(rules, option)
    if value == getattr(Rules(), option):
        return ""
    if option == "hand_sizes":
        return ",".join(map(str, value))
    return "on" if value is True else str(value)


def _action_words(state: Any) -> dict[str, str]:
    """What was done since the deal, of a record of dtype STATE."""
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
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise ValueError(f"{word!r}: a position is made of words like dealer=2")
        if name in words:
            raise ValueError(f"{word!r}: {name} stands twice")
        words[name] = value
    for name in words:
        if name not in _WORDS:
            raise ValueError(f"a position has no {name!r}: {nearest(name, list(_WORDS))}")
    for name in _NEEDED_WORDS:
        if name not in words:
            raise ValueError(f"the position has no {name}")
    return words


def _parse_option(name: str, value: str) -> Any:
    if name == "players":
        return _parse_number(name, value)
    if name == "sizes":
        return tuple(_parse_numbers(name, value))
    if name == "magic":
        if value not in _ON_OFF:
            raise ValueError(f"magic={value}: allowed are {', '.join(_ON_OFF)}")
        return _ON_OFF[value]
    return value


def _parse_number(name: str, value: str) -> int:
    if not _WHOLE_NUMBER.fullmatch(value):
        raise ValueError(f"{name}: {value!r} is not a whole number of at most 20 digits")
    return int(value)


def _parse_numbers(name: str, value: str) -> list[int]:
    return [_parse_number(name, part) for part in value.split(",")]


def _parse_cards(name: str, cards: str) -> list[str]:
    """Cards joined, as in "TSWI3C"; `Game` checks the names."""
    if len(cards) % 2:
        raise ValueError(f"{name}: {cards!r} is not a row of cards of two characters each")
    return [cards[i : i + 2] for i in range(0, len(cards), 2)]


def _parse_actions(words: dict[str, str], players: int) -> Iterator[tuple[str, str]]:
    """The actions of a position: where each stands, for the message of an error, and its name."""
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
