"""The puzzles that ship: what each claims follows from the rules, and the tool that finds them."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient
from wizard_table.web.puzzles import Puzzle, read_puzzles, session_of

from table.tools import puzzles as tool
from wizard_env import ACTIONS, View, load
from wizard_env.engine import score


def lead(puzzle: Puzzle) -> float:
    """The points by which the best choice leads those that are not as good as it."""
    points = [one[1] for one in puzzle["choices"]]
    return points[0] - next(one for one in points if points[0] - one > 1)


def test_there_are_fifty_of_many_kinds() -> None:
    found = read_puzzles()
    assert len(found) == tool.COUNT == 50
    assert len({puzzle["seed"] for puzzle in found}) == len(found)
    assert min(Counter(puzzle["players"] for puzzle in found)[players] for players in (3, 4, 5, 6)) >= 12
    assert len({puzzle["hand_size"] for puzzle in found}) >= 6
    assert min(Counter(puzzle["choices"][0][0].split()[0] for puzzle in found).values()) >= 20


def test_each_is_a_decision_with_one_clearly_best_choice() -> None:
    """The choices are the legal actions, and no difference that matters is noise."""
    for puzzle in read_puzzles():
        game = session_of(puzzle).game
        assert sorted(one[0] for one in puzzle["choices"]) == sorted(
            map(ACTIONS.__getitem__, game.legal_actions())
        )
        points = [one[1] for one in puzzle["choices"]]
        assert points == sorted(points, reverse=True)
        assert lead(puzzle) >= tool.LEAD - 0.001
        assert all(5 * error < tool.LEAD for _, _, _, error in puzzle["choices"])
        most = score(game.hand_size, game.hand_size)
        assert all(abs(one) <= most and 0 <= met <= 1 for _, one, met, _ in puzzle["choices"])


def test_most_mislead_the_heuristic_player() -> None:
    games = [session_of(puzzle).game for puzzle in read_puzzles()]
    chosen = load("heuristic").act(View.of(games), np.random.default_rng(0))
    right = [
        ACTIONS[action] == one["choices"][0][0] for action, one in zip(chosen, read_puzzles(), strict=True)
    ]
    assert 5 <= sum(right) <= 15


def test_pages_see_what_the_seat_sees(client: TestClient) -> None:
    sent = client.get("/puzzles").json()["puzzles"]
    for shown, puzzle in zip(sent, read_puzzles(), strict=True):
        view, seat = shown["view"], session_of(puzzle).game.seat
        assert view["you"] == seat
        assert [one["hand"] is not None for one in view["scene"]["seats"]] == [
            number == seat for number in range(puzzle["players"])
        ]
        assert view["legal"]
        assert [tuple(one.values())[:4] for one in shown["choices"]] == [
            tuple(one) for one in puzzle["choices"]
        ]


def test_the_tool_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run in two parts finds the puzzles of a run in one."""
    monkeypatch.setattr(tool, "LEAD", 1.0)
    monkeypatch.setattr(tool, "LARGEST", 4)
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    effort = ["--worlds", "64"]
    tool.main(["--count", "2", *effort, "--out", str(whole)])
    tool.main(["--count", "1", *effort, "--out", str(parts)])
    assert len(json.loads(parts.read_text())) == 1
    tool.main(["--count", "2", *effort, "--out", str(parts)])
    assert parts.read_text() == whole.read_text()
    first, second = json.loads(whole.read_text())
    assert (first["players"], second["players"]) == (3, 4)
