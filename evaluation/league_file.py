"""The file of a league's results: each line holds some deals of a table."""

import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wizard_env import Rules
from wizard_env.checks import check_integer, quoted, shortened
from wizard_env.files import append_line, check_kept, check_still_held, compact_json, digest
from wizard_env.games import LARGEST_SEED

_VERSION = 1
_MAX_LINE = 1 << 20
"""The longest line, in bytes, that is read; none that is written has more than a hundredth of it."""
_MAX_SCORE = 2**15
_START = f'{{"version":{_VERSION},'.encode()

_log = logging.getLogger(__name__)


class LeagueFileError(ValueError):
    """The file of results is damaged."""


class Member(NamedTuple):
    """An agent of a league; the same name with another fingerprint is another agent."""

    name: str
    fingerprint: str


class Matchup(NamedTuple):
    """Everything that determines the games of a table, except the number of the deal."""

    rules: Rules
    seed: int
    members: tuple[Member, ...]
    """In the seats of arrangement 0."""


class TableScores(NamedTuple):
    """The scores of a table's games."""

    table: Matchup
    scores: NDArray[np.int32]
    """[deals, arrangements, seats]"""


class LeagueFile:
    """The results of a league, by table and deal.

    tables: for each table the scores of its deals by their numbers, each int32 [arrangements, seats].
    """

    def __init__(self, path: Path) -> None:
        """Read the file, if there is one. Raises LeagueFileError if a line is damaged.

        A last line without an end is removed: its run was killed while it wrote the line.
        """
        self.path = path
        self.tables: dict[Matchup, dict[int, NDArray[np.int32]]] = {}
        if not path.exists():
            return
        check_kept(path)
        with path.open("rb") as file:
            lines = iter(lambda: file.readline(_MAX_LINE + 1), b"")
            number, size, rest = 0, 0, b""
            for number, line in enumerate(lines, start=1):
                if not line.endswith(b"\n") and len(line) <= _MAX_LINE:
                    rest = line
                    break
                try:
                    self._add(*_parse(line.removesuffix(b"\n")))
                except ValueError as error:
                    raise LeagueFileError(f"{path}, line {number}: {error}") from None
                size += len(line)
        if not rest.startswith(_START[: len(rest)]):
            raise LeagueFileError(f"{path}, line {number}: {_describe(rest)}")
        if rest:
            _log.warning("%s: line %d was cut off; its games are played again", path, number)
            with path.open("r+b") as file:
                file.truncate(size)

    def add(self, table: Matchup, first_deal: int, scores: NDArray[np.int32]) -> None:
        """Add some deals, numbered from `first_deal`, and write them. scores: see `TableScores`."""
        line = _format(table, first_deal, scores)
        self._add(table, first_deal, scores)
        check_still_held(self.path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        append_line(self.path, line)

    def _add(self, table: Matchup, first_deal: int, scores: NDArray[np.int32]) -> None:
        deals = self.tables.setdefault(table, {})
        for deal, found in enumerate(scores, start=first_deal):
            if deal in deals and not np.array_equal(deals[deal], found):
                raise ValueError(f"an earlier line has other scores for deal {deal} of this table")
            deals[deal] = found


def _format(table: Matchup, first_deal: int, scores: NDArray[np.int32]) -> bytes:
    record = {
        "version": _VERSION,
        "rules": table.rules.to_dict(),
        "seed": table.seed,
        "agents": table.members,
        "first_deal": first_deal,
        "scores": scores.tolist(),
    }
    return compact_json(record | {"digest": digest(compact_json(record))}).encode() + b"\n"


def _parse(line: bytes) -> tuple[Matchup, int, NDArray[np.int32]]:
    if len(line) > _MAX_LINE:
        raise ValueError(f"it is longer than {_MAX_LINE} bytes")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise ValueError(_describe(line))
    if record.get("version") != _VERSION:
        raise ValueError(f"version {quoted(record.get('version'))}: allowed is {_VERSION}")
    found = record.pop("digest", None)
    if found != digest(compact_json(record)):
        shown = quoted(found)
        raise ValueError(f"its digest {shown} does not match its content: something was changed or lost")
    try:
        return _read_content(record)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"its content is not that of a league: {shortened(error)}") from None


def _read_content(record: dict[str, Any]) -> tuple[Matchup, int, NDArray[np.int32]]:
    members = tuple(Member(*member) for member in record["agents"])
    rules = Rules(**record["rules"])
    first_deal = check_integer("first_deal", record["first_deal"], 0, 2**31)
    seed = check_integer("seed", record["seed"], 0, LARGEST_SEED)
    scores = np.array(record["scores"])
    size = rules.num_players
    if len(members) != size or not all(isinstance(text, str) for member in members for text in member):
        raise ValueError(f"{len(members)} agents at a table of {size}")
    if scores.dtype.kind != "i" or scores.ndim != 3 or scores.shape[1:] != (size, size):
        raise ValueError(f"scores of shape {scores.shape}: [deals, {size}, {size}] is needed")
    if abs(scores).max(initial=0) > _MAX_SCORE:
        raise ValueError(f"a score beyond {_MAX_SCORE}")
    return Matchup(rules, seed, members), first_deal, scores.astype(np.int32)


def _describe(line: bytes) -> str:
    return f"not a record of a league: it begins {line[:40].decode(errors='replace')!r}"
