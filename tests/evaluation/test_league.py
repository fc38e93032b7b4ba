"""Leagues: no game is played twice, and the ratings and differences are those of the games."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.positions import random_weights
from wizard_env import Rules
from wizard_env.agents.network import FILE_NAME as WEIGHTS
from wizard_env.agents.network import save_agent
from wizard_env.evaluation.duplicate_deals import Deals, arrange
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.evaluation.league import (
    DEALS,
    FILE_NAME,
    MEETINGS,
    ROUND_ROBIN,
    League,
    choose_seatings,
    play_league,
)
from wizard_env.evaluation.league_file import LeagueFile, LeagueFileError, Matchup, Member, TableScores
from wizard_env.evaluation.ratings import PRIOR, SCALE, rate
from wizard_env.files import locked
from wizard_env.loading import load

SHORT = Rules(num_players=3, hand_sizes=(2, 1))
FOUR = replace(SHORT, num_players=4)
NAMES = ["random", "random:", "rule_based", "rule_based:"]
"""Four names of two agents."""


class Counted:
    """A `Map` in this process that keeps its tasks, and may stop early."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.tasks: list[Deals] = []
        self.stop_after = stop_after

    def __call__(self, function: Callable[[Any], Any], tasks: Iterable[Any], /) -> Iterator[Any]:
        for task in tasks:
            if len(self.tasks) == self.stop_after:
                raise KeyboardInterrupt
            self.tasks.append(task)
            yield function(task)

    @property
    def tables(self) -> set[tuple[str, ...]]:
        return {tuple(sorted(player.name for player in task.players)) for task in self.tasks}


def league(
    folder: Path,
    *agents: str,
    rules: Iterable[Rules] = (SHORT,),
    games: int = 4,
    spread: Counted | None = None,
) -> League:
    return play_league(folder, agents, list(rules), games, 1, spread or Counted())


# --- what is played and kept


def test_nothing_is_played_twice(tmp_path: Path) -> None:
    first, again = Counted(), Counted()
    assert league(tmp_path, *NAMES, spread=first) == league(tmp_path, *NAMES[::-1], spread=again)
    assert (len(first.tasks), len(again.tasks)) == (4, 0)


def test_another_agent_plays_only_its_own_tables(tmp_path: Path) -> None:
    """The league is the same as if all had been played together."""
    league(tmp_path / "grown", *NAMES[:3], rules=(SHORT,))
    joined = Counted()
    grown = league(tmp_path / "grown", *NAMES, spread=joined)
    assert joined.tables == {(*sorted(two), NAMES[3]) for two in combinations(NAMES[:3], 2)}
    assert grown == league(tmp_path / "whole", *NAMES)


@pytest.mark.parametrize("stop", [0, 5])
def test_a_killed_run_continues_where_it_stopped(tmp_path: Path, stop: int) -> None:
    """The file and the league become the same; a line that was being written is written again."""
    games = 2 * DEALS + 5
    whole = league(tmp_path / "whole", *NAMES, rules=(SHORT, FOUR), games=games)
    with pytest.raises(KeyboardInterrupt):
        league(tmp_path / "cut", *NAMES, rules=(SHORT, FOUR), games=games, spread=Counted(stop))
    path = tmp_path / "cut" / FILE_NAME
    lines = (tmp_path / "whole" / FILE_NAME).read_bytes().splitlines(keepends=True)
    assert path.exists() == (stop > 0)
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(lines[stop][:-30])
    rest = Counted()
    assert league(tmp_path / "cut", *NAMES, rules=(SHORT, FOUR), games=games, spread=rest) == whole
    assert len(rest.tasks) == len(lines) - stop == 3 * 5 - stop
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a folder with a locked file cannot be moved")
def test_a_league_that_was_moved_gets_no_more_games(tmp_path: Path) -> None:
    """Another may have begun under its old name."""
    games = scored("a", "b", "c", scores=[[10, 20, 30]])
    with locked(tmp_path / "league"):
        results = LeagueFile(tmp_path / "league" / FILE_NAME)
        results.add(games.table, 0, games.scores)
        (tmp_path / "league").rename(tmp_path / "moved")
        with pytest.raises(FileNotFoundError, match="league was moved or replaced"):
            results.add(games.table, 1, games.scores)
    assert len(LeagueFile(tmp_path / "moved" / FILE_NAME).tables[games.table]) == 1
    assert not (tmp_path / "league").exists()


def test_more_games_add_to_those_already_played(tmp_path: Path) -> None:
    league(tmp_path / "grown", *NAMES, games=DEALS + 3)
    more = Counted()
    grown = league(tmp_path / "grown", *NAMES, games=2 * DEALS + 1, spread=more)
    assert sum(len(task.seeds) for task in more.tasks) == 4 * (DEALS - 2)
    assert grown == league(tmp_path / "whole", *NAMES, games=2 * DEALS + 1)
    fewer = Counted()
    assert league(tmp_path / "grown", *NAMES, spread=fewer) == league(tmp_path / "few", *NAMES)
    assert not fewer.tasks


def test_results_of_other_rules_seeds_and_agents_do_not_count(tmp_path: Path) -> None:
    league(tmp_path, *NAMES)
    magic, seeded = Counted(), Counted()
    league(tmp_path, *NAMES, rules=(replace(SHORT, magic_edition=True),), spread=magic)
    play_league(tmp_path, NAMES, [SHORT], 4, 2, seeded)
    assert len(magic.tasks) == len(seeded.tasks) == 4
    fewer = Counted()
    assert {rating.name for rating in league(tmp_path, *NAMES[:3], spread=fewer).ratings} == set(NAMES[:3])
    assert not fewer.tasks


def save_network(folder: Path, seed: int) -> None:
    folder.mkdir(exist_ok=True)
    save_agent(random_weights(seed=seed), folder / WEIGHTS)


def test_other_weights_are_another_agent(tmp_path: Path) -> None:
    """Other options make another agent too; the same weights at another path are the same agent."""
    run, copy = tmp_path / "run", tmp_path / "copy"
    save_network(run, 1)
    shutil.copytree(run, copy)
    names = [str(run), f"{run}/", str(copy), f"{copy}/{WEIGHTS}", f"{run}:sample=True"]
    prints = {name: fingerprint(name, load(name)) for name in names}
    *same, sampled = prints.values()
    assert len(set(same)) == 1
    assert sampled not in same

    league(tmp_path, *NAMES[:3], str(run))
    save_network(run, 2)
    assert fingerprint(str(run), load(str(run))) != prints[str(run)]
    trained = Counted()
    league(tmp_path, *NAMES[:3], str(run), spread=trained)
    assert len(trained.tasks) == 3
    assert all(str(run) in table for table in trained.tables)


def test_the_fingerprint_is_of_the_weights(tmp_path: Path) -> None:
    """The same weights in a file with other bytes are the same agent, alone or within another agent."""
    from safetensors.numpy import load_file, save

    run = tmp_path / "run"
    save_network(run, 1)
    names = [str(run), f"champion+search:network={run}", f"variant:of={run}"]
    before = [fingerprint(name, load(name)) for name in names]
    (run / "critic.safetensors").write_bytes(b"of no account")
    content = (run / WEIGHTS).read_bytes()
    about = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]
    (run / WEIGHTS).write_bytes(save(load_file(run / WEIGHTS), about | {"written": "later"}))
    assert (run / WEIGHTS).read_bytes() != content
    assert [fingerprint(name, load(name)) for name in names] == before
    save_network(run, 2)
    assert not set(before) & {fingerprint(name, load(name)) for name in names}


def _change_a_score(line: str) -> str:
    record = json.loads(line)
    record["scores"][0][0][0] += 10
    return json.dumps(record, separators=(",", ":"))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_change_a_score, "its digest"),
        (lambda line: line[:60], "not a record of a league: it begins"),
        (lambda line: "[1, 2]", "not a record of a league"),
        (lambda line: line.replace('"version":1', '"version":2'), "version 2: allowed is 1"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Callable[[str], str], reason: str) -> None:
    """The error names line and reason, and the file stays as it is."""
    league(tmp_path, *NAMES)
    path = tmp_path / FILE_NAME
    lines = path.read_text().splitlines()
    lines[2] = damage(lines[2])
    path.write_text("\n".join(lines) + "\n")
    before = path.read_bytes()
    with pytest.raises(LeagueFileError, match=f"{FILE_NAME}, line 3: {reason}"):
        league(tmp_path, *NAMES, games=6)
    assert path.read_bytes() == before
    path.write_text("my notes")
    with pytest.raises(LeagueFileError, match="line 1: not a record of a league: it begins 'my notes'"):
        league(tmp_path, *NAMES)
    assert path.read_text() == "my notes"


def test_a_deal_that_was_written_twice_counts_once(tmp_path: Path) -> None:
    """The scores must be equal: two different results for one deal are refused."""
    expected = league(tmp_path, *NAMES)
    path = tmp_path / FILE_NAME
    text = path.read_text()
    path.write_text(text + text)
    assert league(tmp_path, *NAMES) == expected
    results = LeagueFile(path)
    table, deals = next(iter(results.tables.items()))
    with pytest.raises(ValueError, match="an earlier line has other scores for deal 2 of this table"):
        results.add(table, 2, np.stack([deals[2] + 10]))
    assert path.read_text() == text + text


@pytest.mark.parametrize(
    ("agents", "games", "message"),
    [
        (["random", "random", "rule_based"], 4, "'random' is named twice"),
        (["random", "rule_based"], 4, "2 agents: a league with tables of 3 needs 3 or more"),
        (NAMES, 1, "games=1: at least 2"),
        (["random", "rule_based", "randm"], 4, "did you mean 'random'"),
    ],
)
def test_leagues_that_are_refused(tmp_path: Path, agents: list[str], games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        league(tmp_path / "new", *agents, games=games)
    assert not (tmp_path / "new").exists()


# --- ratings and differences


def test_the_stronger_are_rated_higher(tmp_path: Path) -> None:
    found = league(tmp_path, *NAMES, rules=(Rules(num_players=3, hand_sizes=(1, 3, 5)), FOUR), games=20)
    names = [rating.name for rating in found.ratings]
    assert set(names[:2]) == {"rule_based", "rule_based:"}
    assert found.tables == (4, 1)
    for rating in found.ratings:
        assert rating.low < rating.rating < rating.high
        assert rating.games == 3 * 20 * 3 + 20 * 4
    assert found.ratings[1].low > found.ratings[2].high
    shares = sum(rating.win_share * rating.games for rating in found.ratings)
    assert shares == pytest.approx(4 * 20 * 3 + 20 * 4)
    assert [(line.name, line.other) for line in found.differences] == list(combinations(names, 2))
    equal, *_, stronger, _ = found.differences
    assert equal.points_low <= 0 <= equal.points_high
    assert stronger.points_low > 0


def test_differences_are_those_of_the_games(tmp_path: Path) -> None:
    """They are mean points per game at the tables where both sit, counted game by game here."""
    found = league(tmp_path, *NAMES, rules=(SHORT, FOUR), games=6)
    results = LeagueFile(tmp_path / FILE_NAME)
    for line in found.differences:
        points = []
        for table, deals in results.tables.items():
            names = [member.name for member in table.members]
            if line.name in names and line.other in names:
                for scores in deals.values():
                    for seats, game in zip(arrange(len(names), len(names)), scores, strict=True):
                        scored = {names[number]: points for number, points in zip(seats, game, strict=True)}
                        points.append(int(scored[line.name]) - int(scored[line.other]))
        assert line.points == pytest.approx(np.mean(points))
        assert line.points_low <= line.points <= line.points_high


def scored(*names: str, scores: list[list[int]]) -> TableScores:
    """Return the scores of three agents, the same in each seat, with a list for each deal."""
    table = Matchup(SHORT, 0, tuple(Member(name, "") for name in names))
    seated = [[np.array(deal)[seats] for seats in arrange(3, 3)] for deal in scores]
    return TableScores(table, np.array(seated, np.int32))


def test_ratings_do_not_depend_on_the_order_of_play() -> None:
    tables = [
        scored("a", "b", "c", scores=[[30, 20, 10], [20, 30, 10]]),
        scored("a", "b", "d", scores=[[10, 20, 30], [20, 20, 10]]),
        scored("b", "c", "d", scores=[[10, 10, 10], [0, 20, -10]]),
    ]
    assert rate(tables, 0) == rate(tables[::-1], 0)


def test_ratings_are_the_likeliest() -> None:
    """They maximise the likelihood of all rankings, written here seat by seat, with the prior of the page."""
    tables = [
        scored("a", "b", "c", scores=[[30, 20, 10], [20, 30, 10], [20, 10, 10]]),
        scored("b", "c", "d", scores=[[10, 10, 10], [0, 20, -10], [20, 10, 0]]),
    ]

    def loss(strengths: NDArray[np.float64]) -> float:
        total = float((strengths**2).sum()) / 2 / PRIOR**2
        for table, games in tables:
            numbers = ["abcd".index(member.name) for member in table.members]
            for game in games.reshape(-1, 3, 3):
                for seats, scores in zip(arrange(3, 3), game, strict=True):
                    mine = strengths[[numbers[seat] for seat in seats]]
                    total += sum(
                        np.log(np.exp(mine[scores <= score]).sum()) - strength
                        for strength, score in zip(mine, scores, strict=True)
                    )
        return float(total)

    best = minimize(loss, np.zeros(4), tol=1e-10).x
    found = {line.name: line.rating / SCALE for line in rate(tables, 0)}
    assert [found[name] for name in "abcd"] == pytest.approx(best, abs=1e-5)


def test_agents_that_cannot_be_told_apart_share_their_places() -> None:
    """Two agents that win in turn are equals; the third, always behind them, is worse."""
    deals = [[30, 20, 10], [20, 30, 10], [30, 20, 10], [20, 30, 10], [30, 10, 0], [10, 30, 0]]
    *first, last = rate([scored("a", "b", "c", scores=deals)], 0)
    assert [
        (line.best_place, line.worst_place, line.equals) for line in sorted(first, key=lambda one: one.name)
    ] == [
        (1, 2, ("b",)),
        (1, 2, ("a",)),
    ]
    assert (last.best_place, last.worst_place, last.equals) == (3, 3, ())


# --- seating


def meetings(tables: Iterable[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    return Counter(pair for table in tables for pair in combinations(table, 2))


@pytest.mark.parametrize(("count", "size"), [(3, 3), (8, 4)])
def test_few_agents_meet_in_all_combinations(count: int, size: int) -> None:
    names = [f"agent {number}" for number in range(count)]
    assert choose_seatings(names[::-1], size, [], 0) == list(combinations(names, size))


@pytest.mark.parametrize(("count", "size"), [(12, 3), (20, 4), (12, 6)])
def test_many_agents_meet_about_equally_often(count: int, size: int) -> None:
    names = [f"agent {number:02}" for number in range(count)]
    tables = choose_seatings(names, size, [], 0)
    assert comb(count, size) > ROUND_ROBIN
    assert len(tables) == len(set(tables)) < comb(count, size)
    assert all(len(set(table)) == size and list(table) == sorted(table) for table in tables)
    met = meetings(tables)
    assert len(met) == comb(count, 2)
    assert min(met.values()) == MEETINGS
    assert max(met.values()) <= 2 * MEETINGS
    assert np.mean(list(met.values())) < 1.35 * MEETINGS


def test_a_newcomer_sits_at_every_new_table() -> None:
    names = [f"agent {number:02}" for number in range(12)]
    before = choose_seatings(names, 4, [], 0)
    after = choose_seatings([*names, "a newcomer"], 4, before, 0)
    new = set(after) - set(before)
    assert set(before) <= set(after)
    assert all("a newcomer" in table for table in new)
    met = meetings(after)
    assert min(met["a newcomer", name] for name in names) >= MEETINGS
    assert max(met["a newcomer", name] for name in names) <= MEETINGS + 2


@pytest.mark.parametrize("kept", [0, 10])
def test_a_list_that_was_cut_short_is_completed_to_the_same_list(kept: int) -> None:
    names = [f"agent {number:02}" for number in range(12)]
    tables = choose_seatings(names, 4, [], 3)
    assert choose_seatings(names, 4, tables[kept::-1][1:], 3)[kept:] == tables[kept:]
    assert choose_seatings(names, 4, [], 4) != tables
