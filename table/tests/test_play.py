"""`wizard play`: records of games, and errors."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from wizard_env.cli.main import app
from wizard_env.records.game_records import RecordError, read_records
from wizard_env.session import PERSON


def test_games_are_added_to_a_file_of_records(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    arguments = ["play", "random", "--players", "3", "--hand-sizes", "1", "--seed", "3", "--hint", "champion"]
    for games in (1, 2):
        outcome = CliRunner().invoke(
            app, [*arguments, "--records", str(file)], input="0\n1\n" + "WI\nJE\n" * 2, catch_exceptions=False
        )
        assert outcome.exit_code == 0
        kept = list(read_records(file))
        assert [game.seed for game in kept] == [3] * games
        assert kept[-1].history
        assert [game.players for game in kept] == [(PERSON, "random", "random")] * games


def test_seats_are_counted_from_1() -> None:
    arguments = ["play", "random", "--players", "3", "--seed", "3", "--hint", "champion", "--seat", "3"]
    shown = CliRunner().invoke(app, arguments, input="", catch_exceptions=False).stdout
    assert "seat 1 (random)" in shown
    assert "seat 2 (random)" in shown
    assert "seat 3" not in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seat", "0"], "--seat=0: allowed are 1 to 4"),
        (["--seat", "5"], "--seat=5: allowed are 1 to 4"),
        (["--language", "fr"], "language 'fr': allowed are ca, de, es, en, pt"),
        (["--players", "7"], "--players 7: allowed are 3 to 6"),
        (["nobody"], "unknown agent 'nobody'"),
        (["--records", "nowhere/games.jsonl"], "there is no folder nowhere"),
        (["random", "random", "random", "--players", "3"], "3 agents: a table of 3 has seats for 2"),
    ],
)
def test_what_is_refused(options: list[str], message: str) -> None:
    with pytest.raises((ValueError, OSError), match=message):
        CliRunner().invoke(app, ["play", *options], catch_exceptions=False)


def test_a_file_of_anything_else_is_refused_before_the_game(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("notes\n")
    arguments = ["play", "random", "--records", str(tmp_path / "notes.txt")]
    with pytest.raises(RecordError, match="line 1"):
        CliRunner().invoke(app, arguments, input="", catch_exceptions=False)
