"""`wizard evaluate`, `league`, `scorecard`, `exploit`: their output, and errors."""

import csv
import json
import re
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Wizard, error_line, grid_cells, run_installed
from tests.evaluation.small_protocol import use_small_protocol
from tests.positions import random_weights
from wizard_env import Rules
from wizard_env.agents.network import FILE_NAME, save_agent
from wizard_env.evaluation.evaluate import evaluate
from wizard_env.evaluation.one_card import measure_exactly
from wizard_env.evaluation.scorecard import measure
from wizard_env.records.game_records import read_records
from wizard_env.train.selfplay.curves import CURVES, DECISIONS
from wizard_env.train.selfplay.progress import BID_ACCURACY

# --- evaluate


ARGUMENTS = ("evaluate", "random", "heuristic", "--players", "3", "--games", "5", "--seed", "1")


def test_evaluate(tmp_path: Path) -> None:
    """The installed command prints standings, bids and leads."""
    shown = run_installed(*ARGUMENTS, folder=tmp_path)
    assert shown.returncode == 0
    # Progress, if it takes long.
    assert all(line.startswith("playing ") for line in shown.stderr.splitlines())
    result = evaluate(["random", "heuristic"], Rules(num_players=3), 5, seed=1)
    games, bids, ((name, other, lead, _),) = grid_cells(shown.stdout)
    for one, row in zip(result.standings, games, strict=True):
        interval = f"{one.points_low:.1f} to {one.points_high:.1f}"
        shares = [f"{one.win_share:.1%}", f"{one.rank:.2f}", "15"]
        assert row == [one.name, f"{one.points:.1f}", interval, *shares]
    for one, row in zip(result.standings, bids, strict=True):
        assert row[:2] == [one.name, f"{one.bid_accuracy:.1%}"]
        assert [float(cell) for cell in row[2:4]] == pytest.approx([one.bid_bias, one.bid_error], abs=6e-4)
        assert float(row[4].replace(",", "")) > 0
    assert (name, other, lead) == ("random", "heuristic", f"{result.differences[0].points:+.1f}")


def test_evaluate_as_json(wizard: Wizard, tmp_path: Path) -> None:
    """Printed and written JSON are the same except for the times, for each number of players."""
    arguments = ("evaluate", "random", "heuristic", "--games", 4, "--hand-sizes", "2,3", "--players", "3,5")
    printed = wizard(*arguments, "--json", "-")
    assert printed.code == 0
    found = json.loads(printed.out)
    for one, players in zip(found, (3, 5), strict=True):
        rules = Rules(num_players=players, hand_sizes=(2, 3))
        expected = evaluate(["random", "heuristic"], rules, 4)
        assert one["standings"] == [asdict(standing) for standing in expected.standings]
        assert reproducible([one]) == reproducible([json.loads(json.dumps(expected.to_dict()))])
        assert [timing["name"] for timing in one["times"]] == ["random", "heuristic"]
    written = wizard(*arguments, "--json", tmp_path / "found.json")
    first, *_, by_size = grid_cells(written.out)
    assert first[0][:2] == ["random", f"{found[0]['standings'][0]['points']:.1f}"]
    points = [one["standings"][1]["points"] for one in found]
    assert [cell.split(" (")[0] for cell in by_size[1]] == ["heuristic", *(f"{p:.1f}" for p in points)]
    assert reproducible(json.loads((tmp_path / "found.json").read_text())) == reproducible(found)


def test_evaluate_takes_the_options_of_rules(wizard: Wizard, tmp_path: Path) -> None:
    """The records are of such games."""
    path = tmp_path / "records.jsonl"
    rules = Rules(num_players=5, bid_restriction="canadian", magic_edition=True, hand_sizes=(2, 1))
    options = ("--hand-sizes", "2,1", "--bid-restriction", "canadian", "--magic-edition")
    outcome = wizard(
        "evaluate", "heuristic", "--players", 5, "--games", 6, *options, "--records", path, "--json", "-"
    )
    assert outcome.code == 0
    standing = evaluate(["heuristic"], rules, 6).standings[0]
    assert json.loads(outcome.out)[0]["standings"] == [asdict(standing)]
    games = list(read_records(path))
    assert len(games) == 6
    assert sum(sum(game.scores) for game in games) / 6 / 5 == pytest.approx(standing.points)
    assert all(game.rules == rules and game.phase == "over" for game in games)
    secret = wizard("evaluate", "heuristic", "--games", 2, "--hand-sizes", "1", "--bid-reveal", "secret")
    assert secret.code == 0


def reproducible(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return results as in JSON, without the times and the commands."""
    return [{key: value for key, value in one.items() if key not in ("times", "provenance")} for one in found]


# --- custom agents


def test_an_own_agent_is_measured(wizard: Wizard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every command takes the file of an agent, and so do its processes."""
    use_small_protocol(monkeypatch, tmp_path)
    Path("mine.py").write_text(
        "class Low:\n"
        "    def __init__(self, other=False):\n        pass\n"
        "    def act(self, view, rng):\n        return view.mask.argmax(axis=1)\n"
    )
    own, rules = "mine.py:Low", ("--hand-sizes", "1", "--players", 3)
    for command in (
        ("evaluate", own, f"{own}:other=True", "--games", 2, "--workers", 2, *rules),
        ("league", "league", own, "random", "heuristic", "--games", 2, *rules),
        ("scorecard", own, "--effort", "short"),
        ("exploit", own, "--decisions", 500, "--games", 2, *rules),
        ("dataset", "data", own, "--decisions", 50, *rules),
    ):
        outcome = wizard(*command)
        assert outcome.code == 0, outcome.err
    before = Path("league/results.jsonl").read_text()
    Path("mine.py").write_text(Path("mine.py").read_text().replace("axis=1", "1"))
    assert wizard("league", "league", own, "random", "heuristic", "--games", 2, *rules).code == 0
    assert Path("league/results.jsonl").read_text() != before  # the agent has other code


# --- scorecard


def test_scorecard(wizard: Wizard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It prints the parts of the score, the tables, the bids and the adaptation; JSON has all of it."""
    use_small_protocol(monkeypatch, tmp_path)
    report, file = tmp_path / "card.html", tmp_path / "card.json"
    arguments = ("scorecard", "heuristic", "--effort", "short", "--name", "counter", "--note", "counts <b>")
    outcome = wizard(*arguments, "--json", file, "--report", report)
    assert outcome.code == 0
    card = measure("heuristic", "counter", "short", "counts <b>")
    found = json.loads(file.read_text())
    assert found.pop("microseconds") > 0
    assert found.pop("provenance")["agents"] == {"counter": found["fingerprint"]}
    assert found == {key: value for key, value in card.to_dict().items() if key != "microseconds"}
    parts, lines, bids, adaptation = grid_cells(outcome.out)
    assert [row[0] for row in parts] == [*(part.name for part in card.parts), "mean"]
    assert parts[-1][1] == f"{card.score:.1f}"
    assert (len(lines), len(bids), len(adaptation)) == (len(card.lines), len(card.self_play), 1)
    assert f"counter scores {card.score:.1f}" in outcome.out
    page = report.read_text(encoding="utf-8")
    assert "counts &lt;b&gt;" in page
    assert re.findall(r'(?:src|href)="([^,]*)', page) == ["data:image/png;base64"]


# --- league


LEAGUE = ("league", "mine", "random", "rule_based", "random:", "--hand-sizes", "1,2", "--games", 4)


def test_league(wizard: Wizard, tmp_path: Path) -> None:
    """Ratings, leads, JSON and a report; a second run uses the stored results."""
    report, plots, found = tmp_path / "page.html", tmp_path / "plots", tmp_path / "found.json"
    outcome = wizard(*LEAGUE, "--players", 3, "--report", report, "--plots", plots, "--json", found)
    assert outcome.code == 0
    ratings, cross = grid_cells(outcome.out)
    league = json.loads(found.read_text())
    assert [row[0] for row in ratings] == [rating["name"] for rating in league["ratings"]]
    assert ratings[0][0] == "rule_based"
    first = league["differences"][0]
    assert cross[0][2] == f"{first['points']:+.1f}"
    assert cross[1][1] == f"{-first['points']:+.1f}"
    assert sorted(path.name for path in plots.glob("*.png")) == ["leads.png", "ratings.png"]
    assert report.read_text().count("data:image/png;base64") == 2

    kept = (Path("mine") / "results.jsonl").read_bytes()
    again = wizard(*LEAGUE, "--players", 3, "--json", "-")
    assert reproducible([json.loads(again.out)]) == reproducible([league])
    labelled = wizard(*LEAGUE, "--players", 3, "--label", "random:=Other", "--json", "-")
    assert "Other" in [rating["name"] for rating in json.loads(labelled.out)["ratings"]]
    taken = wizard(*LEAGUE, "--players", 3, "--label", "random:=random")
    assert "two agents of the league would have this name" in error_line(taken)
    assert (Path("mine") / "results.jsonl").read_bytes() == kept


# --- crossplay, curves


def test_crossplay(wizard: Wizard, tmp_path: Path) -> None:
    """The matrix, the summary, the JSON and the plots; the diagonal is that of `evaluate`."""
    rules = ("--players", 3, "--hand-sizes", "1,2", "--games", 4)
    plots, file = tmp_path / "plots", tmp_path / "found.json"
    outcome = wizard(
        *("crossplay", "random", "heuristic", "--held-out", "rule_based", "--label", "random=dice", *rules),
        *("--plots", plots, "--json", file, "--report", tmp_path / "page.html"),
    )
    assert outcome.code == 0, outcome.err
    found = json.loads(file.read_text())
    (alone,) = json.loads(wizard("evaluate", *["random"] * 3, *rules, "--json", "-").out)
    assert found["cells"][0]["points"] == alone["standings"][0]["points"]
    assert found["provenance"]["agents"].keys() == {"dice", "heuristic", "rule_based"}
    matrix, *_ = grid_cells(outcome.out)
    assert [row[0] for row in matrix] == ["1 dice", "2 heuristic", "3 rule_based"]
    assert {"crossplay.pdf", "crossplay_bids.svg", "self_play.tex"} <= {path.name for path in plots.iterdir()}
    with (plots / "self_play.csv").open(newline="") as lines:
        dice, *_ = csv.DictReader(lines)
    columns = ("cross_play", "cross_play_low", "cross_play_high")
    assert [float(dice[name]) for name in columns] == found["compatibility"][0]["cross_play"]


def test_curves(wizard: Wizard, tmp_path: Path) -> None:
    """Two groups of two runs: their curves, their scores, and the files of both."""
    for name, runs in (("one", (1, 2)), ("other", (1, 2))):
        for seed in runs:
            folder = Path("runs") / f"{name}-seed{seed}"
            folder.mkdir(parents=True)
            save_agent(random_weights(seed=seed), folder / FILE_NAME)
            lines = [f"{100 * step},{seed / 10 + step / 20}" for step in (1, 2, 3)]
            (folder / CURVES).write_text("\n".join([f"{DECISIONS},{BID_ACCURACY}", *lines]))
    rules = ("--players", 3, "--hand-sizes", "1,2", "--games", 3, "--against", "random")
    command = ("curves", "runs", "--metric", BID_ACCURACY, *rules)
    plots, file = tmp_path / "plots", tmp_path / "found.json"
    beside = ("--beside", "heuristic", "--label", "one=PPO")
    outcome = wizard(*command, *beside, "--plots", plots, "--json", file)
    assert outcome.code == 0, outcome.err
    found = json.loads(file.read_text())
    assert [(one["name"], one["mean"][0]) for one in found["curves"]] == [("PPO", 0.2), ("other", 0.2)]
    assert [(one["name"], one["seeds"]) for one in found["scores"]] == [
        ("PPO", 2),
        ("other", 2),
        ("heuristic", 1),
    ]
    chances = {(one["name"], one["other"]): one["probability"] for one in found["improvements"]}
    assert chances["PPO", "other"] == chances["other", "PPO"] == 0.5
    assert chances["heuristic", "PPO"] == 1 - chances["PPO", "heuristic"] > 0.5
    written = {path.name for path in plots.iterdir()}
    assert written >= {"curves.pdf", "scores.svg", "profiles.png", "curves.csv", "runs.csv", "scores.tex"}
    with (plots / "scores.csv").open(newline="") as file_of_scores:
        highs = [float(row["mean_high"]) for row in csv.DictReader(file_of_scores)]
    assert highs == [one["mean_high"] for one in found["scores"]]
    for path in Path("runs").glob("other-*"):
        (path / CURVES).unlink()
    assert "other: no curve" in wizard(*command).err
    assert "no metric 'loss'; there are" in error_line(wizard("curves", "runs", "--metric", "loss", *rules))
    assert "group 'one' has the runs runs/one-seed1" in error_line(wizard("curves", "runs/one-seed1", *rules))
    assert "mine is no run, and holds none" in error_line(wizard("curves", "mine", *rules))


# --- exploit


def test_the_printed_command_evaluates_the_response(wizard: Wizard) -> None:
    """It seats the response alone among copies, with the rules that were asked for."""
    rules = ("--players", 3, "--hand-sizes", "1,2", "--bid-restriction", "no_even", "--magic-edition")
    agent = "variant:of=heuristic,bias=0.5"
    command = ("exploit", agent, "--decisions", 500, "--games", 3, "--runs", "my runs", *rules)
    outcome = wizard(*command, "--json", "gain.json")
    assert outcome.code == 0, outcome.err
    measured = json.loads(Path("gain.json").read_text())
    (line,) = [line for line in outcome.out.splitlines() if "wizard evaluate" in line]
    program, *words = shlex.split(line.partition("evaluate it")[2])
    assert program == "wizard"
    assert words[2:4] == [agent] * 2
    again = wizard(*words, "--json", "-")
    assert again.code == 0, again.err
    (found,) = json.loads(again.out)
    assert [line["name"] for line in found["standings"]] == [words[1], agent]
    expected = Rules(3, "no_even", "open", True, (1, 2))
    assert (found["rules"], found["games"]) == (json.loads(json.dumps(expected.to_dict())), 3)
    assert [measured[name] for name in ("rules", "games", "seed")] == [found["rules"], 3, 0]


def test_exploit_exactly(wizard: Wizard, tmp_path: Path) -> None:
    """It prints the points and the gain of each seat, and writes them by upcard too; nothing is trained."""
    file, rules = tmp_path / "found.json", Rules(3, "no_even", hand_sizes=(1,))
    command = ("exploit", "heuristic", "--exact", "--players", 3, "--bid-restriction", "no_even")
    outcome = wizard(*command, "--json", file)
    assert outcome.code == 0, outcome.err
    expected = measure_exactly("heuristic", rules)
    found = json.loads(file.read_text())
    assert found.pop("provenance")["agents"].keys() == {"heuristic"}
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert len(expected.by_upcard) == 54
    seats, _ = grid_cells(outcome.out)
    columns = zip(expected.equilibrium, expected.values, expected.gains, strict=True)
    assert [row[1:] for row in seats[:3]] == [[f"{points:.4f}" for points in line] for line in columns]
    assert seats[3][-1] == f"{expected.nash_conv:.4f}"
    assert not Path("runs").exists()
    refused = wizard(*command, "--start", "champion")
    assert refused.err.strip() == "error: --start champion: --exact trains no response"
