"""`wizard replay`, `analyse` and `convert`: their output for a file of records."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.commands import grid_cells
from tests.positions import played_at_random
from wizard_env import Rules
from wizard_env.cli.main import app
from wizard_env.records.game_records import write_records

RUN = CliRunner()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two games, the second unfinished."""
    rules = Rules(3, hand_sizes=(1, 2))
    games = [played_at_random(rules, 1), played_at_random(rules, 2, 11)]
    write_records(tmp_path / "games.jsonl", games)
    return tmp_path / "games.jsonl"


def wizard(*arguments: object) -> str:
    outcome = RUN.invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_replay_prints_every_trick(file: Path) -> None:
    lines = wizard("replay", file).splitlines()
    assert [line for line in lines if line.startswith("Game")] == ["Game 1", "Game 2"]
    assert sum(line.startswith("  trick") for line in lines) == 1 + 2 + 1 + 1
    assert sum(line.startswith("Won by") for line in lines) == 1
    assert "Game 1" not in wizard("replay", file, "--game", 2)


def test_replay_shows_tables_as_a_seat_sees_them(file: Path) -> None:
    """There is one before each of the eleven actions and one at the end; others' cards are only counted."""
    everything, seen = (
        wizard("replay", file, "--game", 2, "--tables", *seat) for seat in ((), ("--seat", 1))
    )
    assert everything.count("Wizard, 3 players") == seen.count("Wizard, 3 players") == 12
    counted = [line for line in seen.splitlines() if line.endswith(("1 card", "2 cards"))]
    assert counted
    assert not [line for line in counted if "seat 1" in line or line in everything.splitlines()]


def test_analyse_shows_seats_and_decisions(file: Path) -> None:
    shown = wizard("analyse", file, "--by", "search:worlds=4", "--game", 1)
    assert "points = par" in shown
    assert "decisions that lost most" in shown
    every = wizard("analyse", file, "--by", "search:worlds=4", "--game", 1, "--every")
    assert "decisions, judged by search:worlds=4" in every


def test_analyse_writes_json(file: Path) -> None:
    found = json.loads(wizard("analyse", file, "--by", "search:worlds=4", "--json", "-"))
    assert [len(one["seats"]) for one in found] == [3, 3]
    assert set(found[0]["decisions"][0]) >= {"chosen", "best", "lost", "points"}


def test_convert(file: Path, tmp_path: Path) -> None:
    wizard("convert", file, tmp_path / "games.json")
    written = json.loads((tmp_path / "games.json").read_text())
    assert [len(one["rounds"]) for one in written] == [2, 2]
    assert json.loads(wizard("convert", file, "-", "--game", 2)) == written[1:]


def test_an_illegal_game_is_refused(file: Path, tmp_path: Path) -> None:
    """Nothing is written either."""
    text = file.read_text().replace('"bid 0"', '"bid 1"', 1)
    file.write_text(text)
    with pytest.raises(ValueError, match="line 1: altered"):
        wizard("convert", file, tmp_path / "games.json")
    assert not (tmp_path / "games.json").exists()


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_missing_game(file: Path, number: int) -> None:
    with pytest.raises(ValueError, match=f"--game {number}: .*games.jsonl has 2 games"):
        wizard("replay", file, f"--game={number}")


@pytest.mark.parametrize("command", [["replay"], ["analyse", "--by", "search:worlds=1"]])
def test_a_file_without_games(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "games.jsonl").touch()
    with pytest.raises(ValueError, match=r"games.jsonl has 0 games"):
        wizard(command[0], tmp_path / "games.jsonl", *command[1:])


@pytest.mark.parametrize("seat", [0, 4])
def test_seats_are_counted_from_1(file: Path, seat: int) -> None:
    with pytest.raises(ValueError, match=f"--seat={seat}: allowed are 1 to 3"):
        wizard("replay", file, "--tables", "--seat", seat)


def test_seat_needs_tables(file: Path) -> None:
    with pytest.raises(ValueError, match="--seat 1 has no effect without --tables"):
        wizard("replay", file, "--seat", 1)


# --- who sat where


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A game between three agents."""
    game = played_at_random(Rules(3, hand_sizes=(1, 2)), 1)
    write_records(tmp_path / "named.jsonl", [game], ["quick", "search:worlds=64", "[red]"])
    return tmp_path / "named.jsonl"


def test_replay_names_the_players(named: Path, file: Path) -> None:
    """Names are shown at the beginning and in the results; without names, seats are numbered."""
    shown = wizard("replay", named)
    assert "seat 1 (quick), seat 2 (search:worlds=64), seat 3 ([red])\n" in shown
    (scores,) = [line for line in shown.splitlines() if line.startswith("Scores:")]
    assert re.match(r"Scores: seat 1 \(quick\) -?\d+, seat 2 \(search", scores)
    assert "seat 1 (quick)" in wizard("replay", named, "--tables")
    assert "seat 1 (" not in wizard("replay", file)


def test_analyse_names_the_players(named: Path, file: Path) -> None:
    seats = grid_cells(wizard("analyse", named, "--by", "search:worlds=1"))[0]
    assert [row[0] for row in seats] == ["1 quick", "2 search:worlds=64", "3 [red]"]
    (found,) = json.loads(wizard("analyse", named, "--by", "search:worlds=1", "--json", "-"))
    assert found["players"] == ["quick", "search:worlds=64", "[red]"]
    seats = grid_cells(wizard("analyse", file, "--by", "search:worlds=1", "--game", 1))[0]
    assert [row[0] for row in seats] == ["1", "2", "3"]


def test_convert_names_the_players(named: Path, file: Path) -> None:
    assert json.loads(wizard("convert", named, "-"))[0]["players"] == ["quick", "search:worlds=64", "[red]"]
    assert "players" not in json.loads(wizard("convert", file, "-"))[0]
