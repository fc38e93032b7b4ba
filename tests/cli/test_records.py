"""`wizard replay`: games printed, judged and written as JSON."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.commands import grid_cells
from tests.positions import played_at_random
from wizard_env import Rules
from wizard_env.cli.main import app
from wizard_env.evaluation.analysis import analyse
from wizard_env.evaluation.fingerprints import fingerprint
from wizard_env.loading import load
from wizard_env.records.game_records import read_records, write_records
from wizard_env.records.transcripts import transcribe

RUN = CliRunner()
NAMES = ["quick", "search:worlds=64", "[red]"]
JUDGE = "search:worlds=4"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two games, the second unfinished and without names."""
    rules = Rules(3, hand_sizes=(1, 2))
    games = [played_at_random(rules, 1), played_at_random(rules, 2, 11)]
    games[0].players = tuple(NAMES)
    write_records(tmp_path / "games.jsonl", games)
    return tmp_path / "games.jsonl"


def wizard(*arguments: object) -> str:
    outcome = RUN.invoke(app, [*map(str, arguments)], catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return outcome.stdout


def test_every_trick_is_printed(file: Path) -> None:
    """Names are shown at the beginning and in the results; without names, seats are numbered."""
    lines = wizard("replay", file).splitlines()
    assert [line for line in lines if line.startswith("Game")] == ["Game 1", "Game 2"]
    assert sum(line.startswith("  trick") for line in lines) == 1 + 2 + 1 + 1
    assert sum(line.startswith("Won by") for line in lines) == 1
    assert "seat 1 (quick), seat 2 (search:worlds=64), seat 3 ([red])" in lines
    scores, numbered = (line for line in lines if line.startswith("Scores:"))
    assert re.match(r"Scores: seat 1 \(quick\) -?\d+, seat 2 \(search", scores)
    assert re.match(r"Scores: seat 1 -?\d+, seat 2 ", numbered)
    assert "Game 1" not in wizard("replay", file, "--game", 2)


def test_tables_are_shown_as_a_seat_sees_them(file: Path) -> None:
    """There is one before each of the eleven actions and one at the end; others' cards are only counted."""
    everything, seen = (
        wizard("replay", file, "--game", 2, *option) for option in (["--tables"], ["--seat", 1])
    )
    assert everything.count("Wizard, 3 players") == seen.count("Wizard, 3 players") == 12
    counted = [line for line in seen.splitlines() if line.endswith(("1 card", "2 cards"))]
    assert counted
    assert not [line for line in counted if "seat 1" in line or line in everything.splitlines()]
    assert "seat 1 (quick)" in wizard("replay", file, "--tables", "--game", 1)


def test_a_judge_shows_seats_and_decisions(file: Path) -> None:
    shown = wizard("replay", file, "--judge", JUDGE, "--game", 1)
    assert "points = par" in shown
    assert "decisions that lost most" in shown
    assert [row[0] for row in grid_cells(shown)[0]] == ["1 quick", "2 search:worlds=64", "3 [red]"]
    assert f"decisions, judged by {JUDGE}" in wizard("replay", file, "--judge", JUDGE, "--game", 1, "--every")


def test_json_has_every_trick_or_the_judgement(file: Path, tmp_path: Path) -> None:
    games = list(read_records(file))
    assert wizard("replay", file, "--json", tmp_path / "games.json") == ""
    written = json.loads((tmp_path / "games.json").read_text())
    assert written == [json.loads(json.dumps(transcribe(game).to_dict())) for game in games]
    assert [one.get("players") for one in written] == [NAMES, None]
    assert json.loads(wizard("replay", file, "--json", "-", "--game", 2)) == written[1:]
    judged = json.loads(wizard("replay", file, "--judge", JUDGE, "--seed", 3, "--json", "-"))
    assert {one.pop("provenance")["agents"][JUDGE] for one in judged} == {fingerprint(JUDGE, load(JUDGE))}
    assert judged == [analyse(game, load(JUDGE), JUDGE, 3).to_dict() for game in games]


def test_an_illegal_game_is_refused(file: Path, tmp_path: Path) -> None:
    """Nothing is written either."""
    text = file.read_text().replace('"bid 0"', '"bid 1"', 1)
    file.write_text(text)
    with pytest.raises(ValueError, match="line 1: altered"):
        wizard("replay", file, "--json", tmp_path / "games.json")
    assert not (tmp_path / "games.json").exists()


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_missing_game(file: Path, number: int) -> None:
    with pytest.raises(ValueError, match=f"--game {number}: .*games.jsonl has 2 games"):
        wizard("replay", file, f"--game={number}")


@pytest.mark.parametrize("options", [[], ["--judge", "search:worlds=1"], ["--json", "-"]])
def test_a_file_without_games(tmp_path: Path, options: list[str]) -> None:
    (tmp_path / "games.jsonl").touch()
    with pytest.raises(ValueError, match=r"games.jsonl has 0 games"):
        wizard("replay", tmp_path / "games.jsonl", *options)


@pytest.mark.parametrize("seat", [0, 4])
def test_seats_are_counted_from_1(file: Path, seat: int) -> None:
    with pytest.raises(ValueError, match=f"--seat={seat}: allowed are 1 to 3"):
        wizard("replay", file, "--seat", seat)
