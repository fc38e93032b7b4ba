"""Game records <-> text: a whole game on one line of JSON, for files of JSON Lines.

Reading a record plays its actions through the rules, so it cannot hold what the rules do not allow.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard_env.actions import ACTIONS, IllegalAction
from wizard_env.checks import check_player_names, is_integer
from wizard_env.files.writing import check_file, write_atomically
from wizard_env.game import Game
from wizard_env.rules import Rules

FORMAT = "wizard-game"
VERSION = 2
"""The newest version: 2 has the names of the players, 1 has none."""
DIGEST_SIZE = 16
"""Hexadecimal digits of the SHA-256 that a record keeps."""

_RECORD_KEYS = ("format", "version", "rules", "seed", "start", "draw", "rounds", "scores", "over", "digest")
_VERSION_KEYS = {1: _RECORD_KEYS, 2: (*_RECORD_KEYS, "players")}
_START_KEYS = ("round", "dealer", "hands", "upcard", "scores")
_DEALT_KEYS = ("hand_size", "dealer", "hands", "upcard", "actions")
_SCORED_KEYS = ("bids", "tricks_won", "points")
_LONGEST_QUOTE = 80
_LONGEST_LINE = 1 << 20
"""Characters of a line that are read; the longest record of a game has a tenth of them."""


class RecordError(ValueError):
    """A line is not a game record; the message names the line and the reason."""


def record(game: Game, players: Sequence[str] | None = None) -> str:
    """A game, finished or not, as one line of JSON without the line break.

    Args:
        game: the game.
        players: the names of the players, by seat; by default those of the game, if it has any.

    Raises:
        ValueError: the actions do not lead to this game, because it was begun by `Game.from_state` or its
            state was written to; or the names do not fit the seats.
    """
    content = _tell(game, players)
    return _json({**content, "digest": _digest(content)})


def replay(line: str, number: int = 1) -> Game:
    """Play a record again; the game equals the one that was recorded, and has the names of its players.

    Args:
        line: what `record` returned.
        number: the number of the line in its file, for the message of an error.

    Raises:
        RecordError: the line is not a record, was altered, or holds a game that the rules or the seed do
            not allow.
    """
    try:
        if len(line) >= _LONGEST_LINE:
            raise ValueError(f"it is longer than {_LONGEST_LINE} characters")
        return _replay(_parse_record(line))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"line {number}: {error}") from error


def players_of(line: str) -> list[str] | None:
    """The names of the players in a record, by seat; None if it has none. Raises RecordError as `replay`."""
    players = replay(line).players
    return None if players is None else list(players)


def write_records(
    path: str | os.PathLike[str], games: Iterable[Game], players: Sequence[str] | None = None
) -> None:
    """Write a file of records, one game per line, replacing the file if there is one.

    Args:
        path: the file.
        games: the games.
        players: the names of the players of all of them, by seat; by default those of each game.

    The file is replaced as a whole: if anything fails, the old one stays. Raises OSError if it cannot be
    written, as if the folder is missing: the path may be misspelled.
    """
    check_file(Path(path))
    write_atomically(Path(path), lambda unfinished: _write_lines(unfinished, games, players))


def _write_lines(path: Path, games: Iterable[Game], players: Sequence[str] | None) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(record(game, players) + "\n" for game in games)


def read_records(path: str | os.PathLike[str]) -> Iterator[Game]:
    """The games of a file of records, one by one.

    Raises:
        OSError: the file cannot be read.
        RecordError: a line is not a record, see `replay`; raised when the line is reached. It names the file.
    """
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), ""), start=1):
            try:
                game = replay(line, number)
            except RecordError as error:
                raise RecordError(f"{os.fspath(path)}, {error}") from error
            yield game


def _tell(game: Game, players: Sequence[str] | None = None) -> dict[str, Any]:
    """The content of a game's record without its digest, found by playing the game again."""
    rounds = [_dealt(game.restart())]
    for twin, action in game.retrace():
        rounds[-1]["actions"].append(ACTIONS[action])
        finished = twin.step(action)
        if finished is not None:
            rounds[-1] |= {key: getattr(finished, key) for key in _SCORED_KEYS}
            if twin.phase != "over":
                rounds.append(_dealt(twin))
    players = game.players if players is None else check_player_names(players, game.rules.num_players)
    named = {} if players is None else {"players": list(players)}
    return {
        "format": FORMAT,
        "version": VERSION if named else 1,
        "rules": game.rules.to_dict(),
        "seed": game.seed,
        "start": game.start,
        "draw": game.draw,
        "rounds": rounds,
        "scores": game.scores,
        "over": game.phase == "over",
        **named,
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
    """A record as plain values: complete and unaltered, but perhaps of an impossible game."""
    try:
        told = json.loads(line, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except ValueError as error:
        cut_off = line.lstrip().startswith("{") and not line.rstrip().endswith("}")
        raise ValueError(f"{'cut off' if cut_off else 'not JSON'}: {error}") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ValueError(f"not a game record: its 'format' should be {FORMAT!r}")
    version: Any = told.get("version")
    if is_integer(version) and version > VERSION:
        raise ValueError(f"version {version} is newer than version {VERSION}, which this program reads")
    if not is_integer(version) or version not in _VERSION_KEYS:
        raise ValueError(f"version {_quote(version)}: this program reads versions 1 to {VERSION}")
    _check_keys("the record", told, _VERSION_KEYS[version])
    digest = told.pop("digest")
    if digest != _digest(told):
        raise ValueError(f"altered: the digest is {_quote(digest)}, but the content's is {_digest(told)!r}")
    return told


def _replay(told: dict[str, Any]) -> Game:
    _check_type("rules", told["rules"], dict)
    _check_type("seed", told["seed"], int)
    game = Game.begin(Rules(**told["rules"]), told["seed"], _parse_start(told["start"]))
    if "players" in told:
        _check_type("players", told["players"], list)
        game.players = told["players"]
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
    """The actions of a record: index of the round, number within the round from 1, name."""
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
    """The first place where a record differs from the game as replayed."""
    parts: list[tuple[str, Any, Any]] = []
    if type(told) is type(played) is dict and told.keys() == played.keys():
        parts = [(f"{name}.{key}".lstrip("."), told[key], played[key]) for key in played]
    if type(told) is type(played) is list and len(told) == len(played):
        parts = [(f"{name}[{i}]", told[i], played[i]) for i in range(len(played))]
    for part in parts:
        if _sorted_json(part[1]) != _sorted_json(part[2]):
            return _first_difference(*part)
    return f"{name} is {_quote(told)}, but the replayed game has {_quote(played)}"


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"the key {_quote(key)} appears twice in one object")
    return dict(pairs)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _json(content: Any) -> str:
    return json.dumps(content, separators=(",", ":"))


def _sorted_json(content: Any) -> str:
    """A text that is the same for equal contents, and only for those."""
    return json.dumps(content, separators=(",", ":"), sort_keys=True)


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(_sorted_json(content).encode()).hexdigest()[:DIGEST_SIZE]


def _quote(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}..."
