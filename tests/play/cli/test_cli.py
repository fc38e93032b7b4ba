"""The command line `wizard`, end to end: what it prints, writes and refuses, and how it exits."""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest
import torch

from wizard_env import Rules, configs
from wizard_env.agents.network import FILE_NAME
from wizard_env.play.main import main
from wizard_env.records.game_record import read_records
from wizard_env.train.evaluate import evaluate
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.progress import CURVES

ROOT = Path(__file__).parents[3]
COMMAND = Path(sys.executable).with_name("wizard")
COMMANDS = [
    "train",
    "rllib",
    "evaluate",
    "league",
    "exploit",
    "export",
    "play",
    "serve",
    "replay",
    "analyse",
    "convert",
    "bench",
]


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Wizard: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def wizard(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Iterator[Wizard]:
    """Runs `wizard ...` in this process, in an empty folder."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["wizard", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        return Outcome(int(left.value.code or 0), captured.out, captured.err)

    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield run
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(__debug__)


def script(*arguments: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs the installed command in a process of its own."""
    return subprocess.run([COMMAND, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)


def shortened(name: str, folder: Path, **changes: str) -> Path:
    """A copy of the config `smoke` that takes a second."""
    text = configs.find("smoke").read_text()
    lines = {"decisions": "4_096", "games": "5", "hand_sizes": "[1, 2]", **changes}
    kept = [line for line in text.splitlines() if line.split(" ")[0] not in (*lines, "name")]
    for key, value in lines.items():
        section = {"hand_sizes": "[game]", "decisions": "[learning]"}.get(key, "[evaluation]")
        kept.insert(kept.index(section) + 1, f"{key} = {value}")
    path = folder / f"{name}.toml"
    path.write_text("\n".join([f'name = "{name}"', *kept]))
    return path


def complaint(outcome: Outcome) -> str:
    """The one line of an error that the user can mend."""
    assert outcome.code == 2
    lines = outcome.err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("error: ")
    return lines[0]


# --- the installed command


def test_help(tmp_path: Path) -> None:
    shown = script("--help", folder=tmp_path)
    assert shown.returncode == 0
    assert shown.stderr == ""
    for command in COMMANDS:
        assert command in shown.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(wizard: Wizard, command: str) -> None:
    shown = wizard(command, "--help")
    assert shown.code == 0
    assert "--help" in shown.out


def test_no_command_shows_the_help(wizard: Wizard) -> None:
    shown = wizard()
    assert "evaluate" in shown.out + shown.err


def test_the_help_names_every_config(wizard: Wizard) -> None:
    shown = " ".join(wizard("train", "--help").out.replace("│", " ").split())
    assert {"champion", "quick", "smoke"} <= set(configs.names())
    assert ", ".join(configs.names()) in shown


# --- train


def test_train(wizard: Wizard, tmp_path: Path) -> None:
    """Learns, evaluates, says where everything lies; again it refuses; with --resume it goes on."""
    config, run = shortened("short", tmp_path), Path("runs") / "short"
    outcome = wizard("train", config)
    assert outcome.code == 0
    words = " ".join(outcome.out.split())
    for part in ("self-play", "short alone against random", "short alone against heuristic", "bids met"):
        assert part in words
    for name in (CHECKPOINT, CURVES, "records.jsonl", FILE_NAME, "config.json"):
        assert (run / name).is_file()
    for name in (CHECKPOINT, CURVES, "records.jsonl"):
        assert str(run / name) in outcome.out
    assert f"wizard evaluate {run}" in outcome.out
    games = list(read_records(run / "records.jsonl"))
    assert len(games) == 2 * 4
    assert all(game.phase == "over" for game in games)

    checkpoint = (run / CHECKPOINT).read_bytes()
    assert f"{run} holds a run already" in complaint(wizard("train", config))
    assert (run / CHECKPOINT).read_bytes() == checkpoint

    assert wizard("train", config, "--resume").code == 0
    assert wizard("evaluate", run, "random", "--games", 2, "--hand-sizes", "1").code == 0


def test_train_elsewhere(wizard: Wizard, tmp_path: Path) -> None:
    """Paths are printed whole however long they are, to be copied."""
    runs = tmp_path / ("long-" * 20) / "runs"
    outcome = wizard("train", shortened("short", tmp_path), "--runs", runs)
    assert outcome.code == 0
    for name in (CHECKPOINT, CURVES, "records.jsonl"):
        assert str(runs / "short" / name) in outcome.out
    assert not Path("runs").exists()


def test_the_command_it_prints_resumes_the_run(wizard: Wizard, tmp_path: Path) -> None:
    """`wizard train ... --resume`, as it stands there, with the folder of runs that was given."""
    outcome = wizard("train", shortened("short", tmp_path), "--runs", "elsewhere")
    printed = " ".join(outcome.out.split()).partition("(wizard train ")[2].partition(")")[0]
    assert printed.endswith("--resume")
    assert wizard("train", *printed.split()).code == 0


def test_nothing_to_resume(wizard: Wizard, tmp_path: Path) -> None:
    assert "nothing to resume" in complaint(wizard("train", shortened("short", tmp_path), "--resume"))


def test_an_unknown_opponent_is_refused_before_learning(wizard: Wizard, tmp_path: Path) -> None:
    """Not after minutes."""
    config = shortened("short", tmp_path, opponents='["randm"]')
    assert "did you mean 'random'" in complaint(wizard("train", config))
    assert not (Path("runs") / "short" / CHECKPOINT).exists()


def test_an_unknown_config(wizard: Wizard) -> None:
    message = complaint(wizard("train", "smok"))
    assert "'smok'" in message
    assert "quick, rival, smoke" in message


def test_a_config_that_is_wrong(wizard: Wizard, tmp_path: Path) -> None:
    config = shortened("short", tmp_path, decisions="0")
    assert f"{config}: learning.decisions = 0" in complaint(wizard("train", config))
    assert not Path("runs").exists()


# --- evaluate


ARGUMENTS = ("evaluate", "random", "heuristic", "--players", "3", "--games", "5", "--seed", "1")


def test_evaluate(tmp_path: Path) -> None:
    """The installed command: how the agents stand, how they bid, and by how much they differ."""
    shown = script(*ARGUMENTS, folder=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    result = evaluate(["random", "heuristic"], Rules(num_players=3), 5, seed=1)
    games, bids, differences = rows(shown.stdout)
    for standing, game_row, bid_row in zip(result.standings, games, bids, strict=True):
        name, points, interval, won, rank, count = game_row
        assert (name, count) == (standing.name, "15")
        assert float(points) == pytest.approx(standing.points, abs=0.06)
        low, high = map(float, interval.split(" to "))
        assert low == pytest.approx(standing.points_low, abs=0.06)
        assert high == pytest.approx(standing.points_high, abs=0.06)
        assert float(won) == pytest.approx(standing.win_share, abs=6e-4)
        assert float(rank) == pytest.approx(standing.rank, abs=6e-3)
        name, *figures, microseconds = bid_row
        assert name == standing.name
        expected = [standing.bid_accuracy, standing.bid_bias, standing.bid_error]
        assert list(map(float, figures)) == pytest.approx(expected, abs=6e-4)
        assert float(microseconds.replace(",", "")) > 0
    ((name, other, points, _),) = differences
    assert (name, other) == ("random", "heuristic")
    assert float(points) == pytest.approx(result.differences[0].points, abs=0.06)


def rows(printed: str) -> list[list[list[str]]]:
    """The cells of the tables that were printed, less their headings."""
    tables: list[list[list[str]]] = []
    for line in printed.splitlines():
        if line.startswith("┏"):
            tables.append([])
        elif line.startswith("│"):
            tables[-1].append([cell.strip() for cell in line.strip("│").split("│")])
    return tables


def test_details(wizard: Wizard) -> None:
    """A row for every agent and hand size, and for every agent and position."""
    shown = rows(wizard(*ARGUMENTS, "--hand-sizes", "1,4,2", "--details").out)
    by_size, by_position = shown[3:]
    assert [row[:2] for row in by_size] == [[n, s] for n in ("random", "heuristic") for s in "124"]
    assert [row[:2] for row in by_position] == [[n, p] for n in ("random", "heuristic") for p in "123"]


def reproducible(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What JSON says of evaluations, less the times."""
    return [{key: value for key, value in table.items() if key != "times"} for table in found]


def test_evaluate_as_json(wizard: Wizard, tmp_path: Path) -> None:
    """Printed or written, the same but for the times, and for every table size in turn."""
    arguments = ("evaluate", "random", "heuristic", "--games", 4, "--hand-sizes", "2,3", "--players", "3,5")
    printed = wizard(*arguments, "--json", "-")
    assert printed.code == 0
    found = json.loads(printed.out)
    for table, players in zip(found, (3, 5), strict=True):
        rules = Rules(num_players=players, hand_sizes=(2, 3))
        expected = evaluate(["random", "heuristic"], rules, 4)
        assert table["standings"] == [asdict(standing) for standing in expected.standings]
        assert reproducible([table]) == reproducible([json.loads(json.dumps(expected.to_dict()))])
        assert [timing["name"] for timing in table["times"]] == ["random", "heuristic"]
    written = wizard(*arguments, "--json", tmp_path / "found.json")
    first, *_, by_size = rows(written.out)
    assert first[0][:2] == ["random", f"{found[0]['standings'][0]['points']:.1f}"]
    points = [table["standings"][1]["points"] for table in found]
    assert [cell.split(" (")[0] for cell in by_size[1]] == ["heuristic", *(f"{p:.1f}" for p in points)]
    assert reproducible(json.loads((tmp_path / "found.json").read_text())) == reproducible(found)


def test_workers_change_nothing(wizard: Wizard) -> None:
    arguments = (*ARGUMENTS, "--hand-sizes", "3", "--json", "-")
    one, two = (wizard(*arguments, "--workers", count) for count in (1, 2))
    assert one.code == two.code == 0
    assert reproducible(json.loads(one.out)) == reproducible(json.loads(two.out))


def test_a_report_needs_nothing_else(wizard: Wizard, tmp_path: Path) -> None:
    """Pictures are in the page, which refers to no file and no network; and they are PNG files too."""
    report, plots = tmp_path / "report.html", tmp_path / "plots"
    outcome = wizard(*ARGUMENTS, "--hand-sizes", "1,2", "--report", report, "--plots", plots)
    assert outcome.code == 0
    text = report.read_text(encoding="utf-8")
    pictures = sorted(path.name for path in plots.iterdir())
    assert pictures == ["bid_accuracy.png", "bid_bias.png", "differences.png", "points.png"]
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert len(sources) == len(pictures)
    for source in sources:
        kind, _, data = source.partition(",")
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data) in {path.read_bytes() for path in plots.iterdir()}
    words = re.sub(r'"data:[^"]*"', "", text)
    assert "http" not in words
    assert "heuristic" in words


def test_evaluate_takes_the_options_of_rules(wizard: Wizard, tmp_path: Path) -> None:
    """And writes records of such games."""
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
    assert len(games) == 4
    assert all(game.rules == rules and game.phase == "over" for game in games)
    secret = wizard("evaluate", "heuristic", "--games", 2, "--hand-sizes", "1", "--bid-reveal", "secret")
    assert secret.code == 0


def test_records_of_few_games(wizard: Wizard, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    outcome = wizard("evaluate", "heuristic", "--games", 2, "--hand-sizes", "1", "--records", path)
    assert outcome.code == 0
    assert len(list(read_records(path))) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("randm",), "no agent 'randm': did you mean 'random'"),
        (("random:speed=2",), "has no option 'speed'"),
        (("no/such/run",), "no/such/run"),
        (("random", "--players", 7), "num_players=7: allowed are 3 to 6"),
        (("random", "--games", 1), "games=1: at least 2"),
        (("random", "--hand-sizes", "1,x"), "'1,x'"),
        (("random", "--hand-sizes", "0"), "hand_sizes[0]=0"),
        (("random", "--bid-reveal", "opn"), "did you mean 'open'"),
        (("random", "--bid-restriction", "leader", "--bid-reveal", "secret"), "needs bid_reveal='open'"),
        (("random", "--seed", -1), "seed"),
        (("random", "--players", "3,x"), "'3,x'"),
        (("random", "--players", ""), "at least one table size"),
        (("random", "--workers", 0), "workers=0: allowed are numbers from 1"),
        (("random", "--workers", 2, "--ray", "local"), "workers=2 with ray='local'"),
        (("random", "--report", "no/folder/page.html"), "there is no folder no/folder"),
        (("random", "--json", "no/folder/found.json"), "there is no folder no/folder"),
        (("random", "--games", 4, "--records", "no/folder/file.jsonl"), "no/folder"),
    ],
)
def test_what_the_user_can_mend(wizard: Wizard, arguments: tuple[object, ...], message: str) -> None:
    """One line on stderr, exit code 2."""
    assert message in complaint(wizard("evaluate", *arguments))


def test_a_module_that_is_missing(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is named together with the extra that brings it."""
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "wizard-env[cluster]" in complaint(wizard("evaluate", "random", "--ray", "local"))
    monkeypatch.setattr("wizard_env.play.cli.outputs.find_spec", lambda name: None)
    assert "wizard-env[report]" in complaint(wizard("evaluate", "random", "--report", "page.html"))
    monkeypatch.setitem(sys.modules, "wizard_env.train.run", None)
    assert "wizard-env[all]" in complaint(wizard("train", "smoke"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate",),
        ("evaluate", "random", "--nonsense"),
        ("train",),
        ("evalute",),
        ("train", "smoke", "more"),
    ],
)
def test_what_is_no_command(wizard: Wizard, arguments: tuple[str, ...]) -> None:
    outcome = wizard(*arguments)
    assert outcome.code == 2
    assert "Usage" in outcome.err


# --- league


LEAGUE = ("league", "mine", "random", "rule_based", "random:", "--hand-sizes", "1,2", "--games", 4)


def test_league(wizard: Wizard, tmp_path: Path) -> None:
    """Ratings, a cross table, JSON and a page; again from what was kept, for tables of two sizes."""
    report, plots, found = tmp_path / "page.html", tmp_path / "plots", tmp_path / "found.json"
    outcome = wizard(*LEAGUE, "--players", 3, "--report", report, "--plots", plots, "--json", found)
    assert outcome.code == 0
    ratings, cross = rows(outcome.out)
    league = json.loads(found.read_text())
    assert [row[0] for row in ratings] == [rating["name"] for rating in league["ratings"]]
    assert ratings[0][0] == "rule_based"
    first = league["differences"][0]
    assert cross[0][2] == f"{first['points']:+.1f}"
    assert cross[1][1] == f"{-first['points']:+.1f}"
    assert sorted(path.name for path in plots.iterdir()) == ["cross_table.png", "ratings.png"]
    assert report.read_text().count("data:image/png;base64") == 2

    kept = (Path("mine") / "results.jsonl").read_bytes()
    records = tmp_path / "records.jsonl"
    again = wizard(*LEAGUE, "--players", 3, "--json", "-", "--records", records)
    assert json.loads(again.out) == league
    assert len(list(read_records(records))) == sum(league["tables"])
    assert (Path("mine") / "results.jsonl").read_bytes() == kept


def test_a_league_that_cannot_be(wizard: Wizard) -> None:
    assert "3 agents: a league with tables of 4" in complaint(wizard(*LEAGUE))
    Path("mine").mkdir()
    (Path("mine") / "results.jsonl").write_text("notes\n")
    assert "results.jsonl, line 1: no record" in complaint(wizard(*LEAGUE, "--players", 3))


# --- export


def test_export(wizard: Wizard) -> None:
    outcome = wizard("export", "champion", "champion.onnx")
    assert (outcome.code, outcome.err) == (0, "")
    assert "champion.onnx" in outcome.out
    assert Path("champion.onnx").stat().st_size > 1000


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("heuristic", "agent='heuristic': HeuristicAgent has no network; allowed are 'champion'"),
        ("champio", "no agent 'champio': did you mean 'champion'"),
        ("no/run", "no agent at no/run"),
    ],
)
def test_an_export_that_cannot_be(wizard: Wizard, agent: str, message: str) -> None:
    assert message in complaint(wizard("export", agent, "agent.onnx"))
    assert not Path("agent.onnx").exists()


# --- bench


def test_bench_away_from_a_checkout(tmp_path: Path) -> None:
    shown = script("bench", "--quick", folder=tmp_path)
    assert shown.returncode == 2
    assert "error: no module 'benchmarks'" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_bench_at_the_root_of_a_checkout() -> None:
    """As the message says, and as `make bench` does."""
    shown = script("bench", "--quick", folder=ROOT)
    assert shown.stderr == ""
    assert shown.returncode == 0
    assert "Games.step" in shown.stdout
