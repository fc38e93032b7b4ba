"""Find the puzzles of the drills: decisions with one clearly best choice (`make puzzles`).

Champions play rounds, each from a seed of its own. A decision is a puzzle if the best choice leads the others
by `LEAD` points, when searched with few worlds, then with more, then with `WORLDS`. In most puzzles, the
heuristic player would choose another. The file is written after each puzzle, so a second call goes on.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from wizard_table.web.puzzles import EQUAL, PUZZLES, Puzzle

from wizard_env import ACTIONS, Game, Rules, View
from wizard_env.agents.assessment import Assessment, assess
from wizard_env.files import compact_json, write_atomically
from wizard_env.loading import load
from wizard_env.session import Session

SEED = 2026
COUNT = 50
LEAD = 4.0
"""Points by which the best choice leads; of equal cards, as neighbours in a suit are, one counts."""
WORLDS = 10_000
FEW = (64, 256)
"""Worlds of the searches that pick candidates."""
SMALLEST, LARGEST = 3, 10
"""Cards in a hand when the round begins."""
FEWEST_CHOICES = 3


class Wanted(NamedTuple):
    """One of the puzzles to find."""

    number: int
    players: int
    phase: str
    misleads: bool
    """True if the heuristic player gets it wrong."""

    @classmethod
    def of(cls, number: int) -> "Wanted":
        """Mix tables of 3 to 6 players, two bids to three cards, and one puzzle in five that is easy."""
        return cls(number, 3 + number % 4, "bid" if number % 5 in (0, 2) else "play", number % 5 != 4)


class Candidate(NamedTuple):
    game: Game
    distinct: NDArray[np.bool_]
    """[NUM_ACTIONS]: the choices that differ; of equal cards there is one."""
    best: int


def find_puzzle(wanted: Wanted, worlds: int) -> Puzzle:
    """Search rounds until one has such a decision. The same puzzle is found at each call."""
    for attempt in count():
        rng = np.random.default_rng((SEED, wanted.number, attempt))
        for candidate in _candidates(wanted, rng):
            if _assessed(candidate, FEW[1], rng, np.inf) is None:
                continue
            assessed = _assessed(candidate, worlds, rng, EQUAL)
            if assessed is not None:
                return _puzzle(candidate.game, assessed)
    raise AssertionError


def _candidates(wanted: Wanted, rng: np.random.Generator) -> Iterator[Candidate]:
    """Play a round, and yield the decisions that a quick search finds clear."""
    size = int(rng.integers(SMALLEST, LARGEST + 1))
    rules = Rules(num_players=wanted.players, hand_sizes=(size,))
    session = Session(rules, ["champion"] * wanted.players, int(rng.integers(2**32)), find=_load)
    games = []
    while session.game.seat is not None:
        if session.game.phase == wanted.phase and len(session.game.legal_actions()) >= FEWEST_CHOICES:
            games.append(session.game.clone())
        session.advance()
    if not games:
        return
    view = View.of(games)
    points = _load(f"search:worlds={FEW[0]},threads=1").expect(view, rng)
    naive = _load("heuristic").act(view, rng)
    for row, game in enumerate(games):
        distinct = view.mask[row] != 0 if wanted.phase == "bid" else ~np.isnan(points[row])
        best = int(np.nanargmax(points[row]))
        worse = points[row, naive[row]] < points[row, best]
        fits = worse if wanted.misleads else naive[row] == best
        if fits and distinct.sum() >= FEWEST_CHOICES and _lead(points[row]) >= LEAD:
            yield Candidate(game, distinct, best)


def _assessed(candidate: Candidate, worlds: int, rng: np.random.Generator, equal: float) -> Assessment | None:
    """Return an assessment of the choices if the same one leads all that differ; else None.

    equal: the points by which cards that count as equal may differ from it.
    """
    agent = _load(f"champion+search:worlds={worlds},threads=1")
    found = assess(agent, View.of([candidate.game]), rng)
    behind = found.points[0, candidate.best] - found.points[0]
    clear = behind >= LEAD
    clear[candidate.best] = True
    fits = clear[candidate.distinct].all() and (clear | (abs(behind) < equal))[~np.isnan(behind)].all()
    return found if fits else None


def _lead(points: NDArray[np.float64]) -> float:
    """Return the lead of the best choice over the second. points: [NUM_ACTIONS], NaN if not tried."""
    second, first = np.sort(points[~np.isnan(points)])[-2:]
    return float(first - second)


def _puzzle(game: Game, found: Assessment) -> Puzzle:
    assert found.met is not None
    assert found.error is not None
    points, met, error = (values[0].round(3).tolist() for values in (found.points, found.met, found.error))
    best_first = sorted(game.legal_actions(), key=lambda action: -points[action])
    return {
        "players": game.rules.num_players,
        "hand_size": game.hand_size,
        "seed": game.seed,
        "actions": [ACTIONS[action] for action in game.history],
        "choices": [(ACTIONS[one], points[one], met[one], error[one]) for one in best_first],
    }


@cache
def _load(name: str) -> Any:
    return load(name)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help="puzzles in the file")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="worlds that verify each")
    parser.add_argument("--out", type=Path, default=PUZZLES, help="the JSON file, which the server reads")
    options = parser.parse_args(arguments)
    puzzles = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else []
    for number in track(range(len(puzzles), options.count)):
        puzzles.append(find_puzzle(Wanted.of(number), options.worlds))
        _save(puzzles, options.out)


def _save(puzzles: Sequence[Puzzle], path: Path) -> None:
    text = "[\n" + ",\n".join(map(compact_json, puzzles)) + "\n]\n"
    write_atomically(path, lambda unfinished: unfinished.write_text(text))


if __name__ == "__main__":
    main()
