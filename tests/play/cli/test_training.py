"""`wizard train`: what it writes and prints, resuming, and configs it refuses."""

import json
import shlex
from pathlib import Path

from tests.play.commands import Wizard, error_line
from wizard_env import configs
from wizard_env.agents.network import FILE_NAME, read_agent
from wizard_env.loading import load
from wizard_env.records.game_records import read_records
from wizard_env.train.selfplay.checkpoints import CHECKPOINT
from wizard_env.train.selfplay.curves import CURVES


def shortened(name: str, folder: Path, **changes: str) -> Path:
    """A copy of the config `smoke` that trains for a second."""
    text = configs.find("smoke").read_text()
    lines = {"decisions": "4_096", "games": "5", "hand_sizes": "[1, 2]", **changes}
    kept = [line for line in text.splitlines() if line.split(" ")[0] not in (*lines, "name")]
    for key, value in lines.items():
        section = {"hand_sizes": "[game]", "decisions": "[learning]"}.get(key, "[evaluation]")
        kept.insert(kept.index(section) + 1, f"{key} = {value}")
    path = folder / f"{name}.toml"
    path.write_text("\n".join([f'name = "{name}"', *kept]))
    return path


def test_the_help_names_every_config(wizard: Wizard) -> None:
    shown = " ".join(wizard("train", "--help").out.replace("│", " ").split())
    assert {"champion", "quick", "smoke"} <= set(configs.names())
    assert ", ".join(configs.names()) in shown


def test_train(wizard: Wizard, tmp_path: Path) -> None:
    """It learns, evaluates and prints where the files are; run again, it refuses without --resume."""
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
    assert f"{run} holds a run already" in error_line(wizard("train", config))
    assert (run / CHECKPOINT).read_bytes() == checkpoint

    assert wizard("train", config, "--resume").code == 0
    assert wizard("evaluate", run, "random", "--games", 2, "--hand-sizes", "1").code == 0


def test_train_in_another_folder(wizard: Wizard, tmp_path: Path) -> None:
    """Paths are printed in full, however long, so that they can be copied."""
    runs = tmp_path / ("long-" * 20) / "runs"
    outcome = wizard("train", shortened("short", tmp_path), "--runs", runs)
    assert outcome.code == 0
    for name in (CHECKPOINT, CURVES, "records.jsonl"):
        assert str(runs / "short" / name) in outcome.out
    assert not Path("runs").exists()


def test_the_printed_command_resumes_the_run(wizard: Wizard, tmp_path: Path) -> None:
    """`wizard train ... --resume`, with the folder for runs that was given."""
    outcome = wizard("train", shortened("short", tmp_path), "--runs", "elsewhere")
    printed = " ".join(outcome.out.split()).partition("(wizard train ")[2].partition(")")[0]
    assert printed.endswith("--resume")
    assert wizard("train", *printed.split()).code == 0


def test_an_address_alone_is_refused(wizard: Wizard, tmp_path: Path) -> None:
    message = error_line(wizard("train", shortened("short", tmp_path), "--address", "auto"))
    assert "--address auto needs the number of workers" in message


def test_workers_that_cannot_learn_are_refused(wizard: Wizard, tmp_path: Path) -> None:
    assert "'dqn' has no workers" in error_line(wizard("train", "paper_dqn", "--workers", 2))
    assert "multiple of 3" in error_line(wizard("train", shortened("short", tmp_path), "--workers", 3))
    assert not Path("runs").exists()


def test_nothing_to_resume(wizard: Wizard, tmp_path: Path) -> None:
    assert "nothing to resume" in error_line(wizard("train", shortened("short", tmp_path), "--resume"))


def test_an_unknown_opponent_is_refused_before_learning(wizard: Wizard, tmp_path: Path) -> None:
    config = shortened("short", tmp_path, opponents='["randm"]')
    assert "did you mean 'random'" in error_line(wizard("train", config))
    assert not (Path("runs") / "short" / CHECKPOINT).exists()


def test_an_unknown_config(wizard: Wizard) -> None:
    message = error_line(wizard("train", "smok"))
    assert "'smok'" in message
    assert "quick, rival, smoke" in message


def test_a_wrong_config(wizard: Wizard, tmp_path: Path) -> None:
    config = shortened("short", tmp_path, decisions="0")
    assert f"{config}: learning.decisions = 0" in error_line(wizard("train", config))
    assert not Path("runs").exists()


def test_a_config_is_printed(wizard: Wizard) -> None:
    """As it is, so that it can be copied and changed."""
    assert wizard("config", "quick").out == configs.find("quick").read_text()
    assert "'quik'" in error_line(wizard("config", "quik"))


def test_keys_are_set_on_the_command_line(wizard: Wizard, tmp_path: Path) -> None:
    """The run is resumed by the command that it prints, and its past selves are agents."""
    config = shortened("short", tmp_path)
    options = (
        "--set",
        "learning.decisions=8192",
        "--set",
        "learning.snapshot_decisions=4096",
        "--set",
        "learning.layers=[32]",
        "--seed",
        "3",
    )
    outcome = wizard("train", config, *options)
    assert outcome.code == 0
    folder = Path("runs") / "short-seed3"
    settings = json.loads((folder / "config.json").read_text())
    assert (settings["seed"], settings["name"], settings["learning"]["layers"]) == (3, "short-seed3", [32])
    assert "--set learning.snapshot_decisions=4096 --set 'learning.layers=[32]' --seed 3" in outcome.out
    past = sorted(path.name for path in (folder / "past").iterdir())
    assert past == ["000001", "000002"]
    assert load(str(folder / "past" / past[-1])) is not None
    same = read_agent(folder / FILE_NAME)
    assert all(
        (same[name] == values).all()
        for name, values in read_agent(folder / "past" / past[-1] / FILE_NAME).items()
    )
    named = wizard("train", config, *options, "--name", "mine")
    assert named.code == 0
    assert (Path("runs") / "mine" / FILE_NAME).is_file()


def test_an_encoding_of_ones_own(wizard: Wizard, tmp_path: Path) -> None:
    """It runs only where programs may; the run is evaluated with it, and says how to load the agent."""
    (tmp_path / "mine.py").write_text("def halves(observations):\n    return observations / 2\n")
    command = ("train", shortened("own", tmp_path), "--set", f"learning.encoding={tmp_path}/mine.py:halves")
    assert "--allow-programs" in error_line(wizard(*command))
    outcome = wizard(*command, "--allow-programs")
    assert outcome.code == 0
    assert "own alone against heuristic" in " ".join(outcome.out.split())
    name = f"runs/own:encoding='{tmp_path}/mine.py:halves'"
    assert shlex.quote(name) in outcome.out
    assert wizard("evaluate", name, "random", "--games", 2, "--hand-sizes", "1").code == 0


def test_wrong_changes_are_refused(wizard: Wizard) -> None:
    for change, message in (
        ("learning.layer=[32]", "unknown key learning.layer: did you mean 'layers'"),
        ("learning.epochs", "'learning.epochs' is not of the form section.key=value"),
        ("a.b.c=1", "is not of the form section.key=value"),
        ("name.first=1", "name is not a section"),
        ("learning.epochs=many", "learning.epochs = 'many'"),
    ):
        assert message in error_line(wizard("train", "smoke", "--set", change))
