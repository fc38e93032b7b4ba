"""Game records: a whole game on one line of JSON, for files of JSON Lines.

Reading a record plays its actions by the rules, so a record cannot hold what the rules do not allow.
"""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard_env.actions import ACTIONS, IllegalAction
from wizard_env.checks import check_player_names, is_integer, shortened
from wizard_env.files import check_file, compact_json, digest, write_output
from wizard_env.game import Game
from wizard_env.rules import Rules

_FORMAT = "wizard-game"
_VERSION = 2
"""The newest version: 2 has the names of the players, 1 has none."""
_RECORD_KEYS = ("format", "version", "rules", "seed", "start", "draw", "rounds", "scores", "over", "digest")
_VERSION_KEYS = {1: _RECORD_KEYS, 2: (*_RECORD_KEYS, "players")}
_START_KEYS = ("round", "dealer", "hands", "upcard", "scores")
_DEALT_KEYS = ("hand_size", "dealer", "hands", "upcard", "actions")
_SCORED_KEYS = ("bids", "tricks_won", "points")
_LONGEST_QUOTE = 80
_LONGEST_LINE = 1 << 20
"""Characters of the longest line that is read; the longest game takes a tenth of them."""


class RecordError(ValueError):
    """Raised for a line that is not a game record; the message names the line and the reason."""


def record(game: Game, players: Sequence[str] | None = None) -> str:
    """Write a game, finished or not, as one line of JSON without the line break.

    players: their names, by seat; by default those of the game, if it has any.

    Raises ValueError if the actions do not lead to this game, because it was begun by `Game.from_state` or
    its state was written to; or if the names do not fit the seats.
    """
    content = _content(game, players)
    return compact_json({**content, "digest": _digest(content)})


def replay(line: str, number: int = 1) -> Game:
    """Play a record again. The game equals the recorded one, and has the names of its players.

    number: of the line in its file, for error messages.

    Raises RecordError if the line is not a record, was altered, or holds a game that the rules or the seed
    do not allow.
    """
    try:
        if len(line) >= _LONGEST_LINE:
            raise ValueError(f"it is longer than {_LONGEST_LINE} characters")
        return _play_record(_parse_record(line))
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"line {number}: {error}") from error


def write_records(
    path: str | os.PathLike[str], games: Iterable[Game], players: Sequence[str] | None = None
) -> None:
    """Write a file of records, one game per line. If anything fails, a file that was there stays.

    A link stays, and the file that it leads to is written; so are devices and pipes.

    players: the names of the players of all games, by seat; by default those of each game.

    Raises OSError if the file cannot be written, as where its folder is missing.
    """

    def write(unfinished: Path) -> None:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(record(game, players) + "\n" for game in games)

    check_file(Path(path))
    write_output(Path(path), write)


def read_records(path: str | os.PathLike[str]) -> Iterator[Game]:
    """Yield the games of a file of records. Blank lines are skipped, and so is a byte-order mark.

    Raises:
        OSError: the file cannot be read.
        RecordError: a line is not a record, see `replay`; raised when the line is reached, with the file.
    """
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), ""), start=1):
            if line.isspace():
                continue
            try:
                game = replay(line, number)
            except RecordError as error:
                raise RecordError(f"{os.fspath(path)}, {error}") from error
            yield game


def _content(game: Game, players: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the record of a game, without the digest."""
    rounds = [_deal(game.restart())]
    for again, action in game.retrace():
        rounds[-1]["actions"].append(ACTIONS[action])
        finished = again.step(action)
        if finished is not None:
            rounds[-1] |= {key: getattr(finished, key) for key in _SCORED_KEYS}
            if again.phase != "over":
                rounds.append(_deal(again))
    players = game.players if players is None else check_player_names(players, game.rules.num_players)
    named = {} if players is None else {"players": list(players)}
    return {
        "format": _FORMAT,
        "version": _VERSION if named else 1,
        "rules": game.rules.to_dict(),
        "seed": game.seed,
        "start": game.start,
        "draw": game.draw,
        "rounds": rounds,
        "scores": game.scores,
        "over": game.phase == "over",
        **named,
    }


def _deal(game: Game) -> dict[str, Any]:
    """Return the record of the current round before its first action."""
    return {
        "hand_size": game.hand_size,
        "dealer": game.dealer,
        "hands": [" ".join(hand) for hand in game.hands],
        "upcard": game.upcard,
        "actions": [],
    }


def _parse_record(line: str) -> dict[str, Any]:
    """Read a complete and unaltered record, perhaps of an impossible game, as plain values."""
    try:
        content = json.loads(line)
    except ValueError as error:
        cut_off = line.lstrip().startswith("{") and not line.rstrip().endswith("}")
        raise ValueError(f"{'cut off' if cut_off else 'not JSON'}: {error}") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError(f"not a game record: its 'format' should be {_FORMAT!r}")
    version: Any = content.get("version")
    if is_integer(version) and version > _VERSION:
        raise ValueError(f"version {version} is newer than version {_VERSION}, which this program reads")
    if not is_integer(version) or version not in _VERSION_KEYS:
        raise ValueError(f"version {_quote(version)}: this program reads versions 1 to {_VERSION}")
    _check_keys("the record", content, _VERSION_KEYS[version])
    written, expected = content.pop("digest"), _digest(content)
    if written != expected:
        raise ValueError(f"altered: the digest is {_quote(written)}, but the content's is {expected!r}")
    return content


def _play_record(content: dict[str, Any]) -> Game:
    _check_type("rules", content["rules"], dict)
    _check_type("seed", content["seed"], int)
    start = content["start"]
    if start is not None:
        _check_type("start", start, dict)
        _check_keys("start", start, _START_KEYS)
    game = Game.begin(Rules(**content["rules"]), content["seed"], start)
    if "players" in content:
        _check_type("players", content["players"], list)
        game.players = content["players"]
    for where, action in _parse_actions(content["rounds"]):
        try:
            game.step(action)
        except IllegalAction as illegal:
            raise ValueError(f"{where}: {illegal}") from None
    played = json.loads(compact_json(_content(game)))
    if _canonical(content) != _canonical(played):
        raise ValueError(_first_difference("", content, played))
    return game


def _parse_actions(rounds: Any) -> Iterator[tuple[str, str]]:
    """Yield the actions of a record: where each is, for error messages, and its name."""
    _check_type("rounds", rounds, list)
    for number, played in enumerate(rounds):
        _check_type(f"rounds[{number}]", played, dict)
        scored = any(key in played for key in _SCORED_KEYS)
        _check_keys(f"rounds[{number}]", played, _DEALT_KEYS + _SCORED_KEYS * scored)
        _check_type(f"rounds[{number}].actions", played["actions"], list)
        for order, action in enumerate(played["actions"], start=1):
            where = f"rounds[{number}], action {order}"
            _check_type(where, action, str)
            yield where, action


def _check_type(name: str, value: Any, needed: type) -> None:
    if type(value) is not needed:
        raise ValueError(f"{name} is {_quote(value)}: a value of type {needed.__name__} is needed")


def _check_keys(name: str, content: dict[str, Any], keys: Sequence[str]) -> None:
    missing = [key for key in keys if key not in content]
    unknown = [key for key in content if key not in keys]
    if missing or unknown:
        problem = f"no {missing[0]!r}" if missing else f"unknown {_quote(unknown[0])}"
        raise ValueError(f"{name} has {problem}: its keys are {', '.join(keys)}")


def _first_difference(name: str, written: Any, played: Any) -> str:
    """Say where a record first differs from the game as replayed."""
    parts: list[tuple[str, Any]] = []
    if type(written) is type(played) is dict and written.keys() == played.keys():
        parts = [(f"{name}.{key}".lstrip("."), key) for key in played]
    if type(written) is type(played) is list and len(written) == len(played):
        parts = [(f"{name}[{index}]", index) for index in range(len(played))]
    for part, key in parts:
        if _canonical(written[key]) != _canonical(played[key]):
            return _first_difference(part, written[key], played[key])
    return f"{name} is {_quote(written)}, but the replayed game has {_quote(played)}"


def _canonical(content: Any) -> str:
    return compact_json(content, sort_keys=True)


def _digest(content: dict[str, Any]) -> str:
    return digest(_canonical(content))


def _quote(value: Any) -> str:
    return shortened(json.dumps(value), _LONGEST_QUOTE)
