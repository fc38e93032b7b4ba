"""`wizard train`: its files and output, resumed runs, and refused configs."""

import json
import shlex
import signal
from io import StringIO
from pathlib import Path

import pytest

from tests.commands import Wizard, error_line, grid_cells, interrupt, next_steps, resume
from wizard_env import configs
from wizard_env.agents.network import FILE_NAME, read_agent
from wizard_env.loading import load
from wizard_env.records.game_records import read_records
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves


def shortened(name: str, folder: Path, **changes: str) -> Path:
    """Write a copy of the config `smoke` that trains for a second."""
    text = configs.find("smoke").read_text()
    lines = {"decisions": "4_096", "games": "5", "hand_sizes": "[1, 2]", **changes}
    kept = [line for line in text.splitlines() if line.split(" ")[0] not in (*lines, "name")]
    for key, value in lines.items():
        section = {"hand_sizes": "[game]", "decisions": "[learning]"}.get(key, "[evaluation]")
        kept.insert(kept.index(section) + 1, f"{key} = {value}")
    path = folder / f"{name}.toml"
    path.write_text("\n".join([f'name = "{name}"', *kept]))
    return path


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_train(wizard: Wizard, tmp_path: Path) -> None:
    """The command learns, evaluates and prints where the files are; run again, it shows the same result."""
    config, run = shortened("short", tmp_path), Path("runs") / "short"
    outcome = wizard("train", config)
    assert outcome.code == 0
    words = " ".join(outcome.out.split())
    for part in ("self-play", "short alone against random", "short alone against heuristic", "bids met"):
        assert part in words
    for name in (CHECKPOINT, CURVES, "records.jsonl", FILE_NAME, "config.json", "provenance.json"):
        assert (run / name).is_file()
    for name in (CHECKPOINT, CURVES, "records.jsonl"):
        assert str(run / name) in outcome.out
    games = list(read_records(run / "records.jsonl"))
    assert len(games) == 2 * 4
    assert all(game.phase == "over" for game in games)
    assert [sorted(game.players or ()) for game in games] == [
        sorted(("short", *(opponent,) * 3)) for opponent in ("random", "heuristic") for _ in range(4)
    ]

    before = files(run)
    for options in ([], ["--resume"]):
        again = wizard("train", config, *options)
        assert again.code == 0
        assert "finished     after 4,096 decisions" in again.out
        points = [row[:2] for grid in grid_cells(outcome.out) for row in grid]
        assert [row[:2] for grid in grid_cells(again.out) for row in grid] == points
        assert files(run) == before


def test_the_printed_commands_run_as_they_stand(
    wizard: Wizard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have the rules and the folder of the run; another seed gets another name."""
    config = shortened("short", tmp_path)
    rules = ["--set", "game.num_players=3", "--set", "game.bid_restriction=no_even"]
    outcome = wizard("train", config, "--runs", "else where", "--name", "mine", "--workers", 1, *rules)
    commands = next_steps(outcome.out)
    programs = [name for _, name, *_ in commands if not name.startswith("-")]
    assert programs == ["evaluate", "play", "replay", "train", "train"]
    for called, *arguments in commands:
        if called == "tensorboard":
            assert Path(arguments[-1]).is_dir()
            continue
        program, *_ = arguments
        monkeypatch.setattr("sys.stdin", StringIO("quit\n"))
        found = wizard(*arguments)
        assert found.code == 0, found.err
        if program in ("evaluate", "play"):
            assert shlex.join(arguments).endswith("--players 3 --bid-restriction no_even --hand-sizes 1,2")
    assert (Path("else where") / "mine-seed1" / FILE_NAME).exists()
    settings = json.loads((Path("else where") / "mine" / "config.json").read_text())
    assert settings["learning"]["decisions"] == 2 * 4096


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_goes_on_with_the_printed_command(
    wizard: Wizard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, code: int
) -> None:
    """The run has a checkpoint of its first iteration, and the command has every option."""
    (tmp_path / "mine.py").write_text(
        "def paid(points, scores, ended):\n    return points.astype('float32')\n"
    )
    options = ["--seed", 3, "--runs", "else where", "--workers", 1, "--device", "cpu", "--allow-programs"]
    options += ["--set", f"learning.reward={tmp_path}/mine.py:paid"]
    interrupt(monkeypatch, number)
    stopped = wizard("train", shortened("short", tmp_path, decisions="16_384"), *options)
    assert stopped.code == code
    folder = Path("else where") / "short-seed3"
    assert [line[DECISIONS] for line in read_curves(folder / CURVES)] == ["4096"]
    assert read_checkpoint(folder / CHECKPOINT)[1]["decisions"] == 4096
    finished = resume(wizard, stopped)
    assert finished.code == 0, finished.err
    assert [int(line[DECISIONS]) for line in read_curves(folder / CURVES)] == [4096, 8192, 12288, 16384]
    assert "4,096" in finished.out  # the whole run is shown, not its last part


def test_a_run_that_is_stopped_while_it_is_evaluated_is_evaluated_again(
    wizard: Wizard, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "import os, signal\nfrom pathlib import Path\n"
        "class Interrupting:\n"
        "    def act(self, view, rng):\n"
        "        if not Path('interrupted').exists():\n"
        "            Path('interrupted').touch()\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "        return view.mask.argmax(axis=1)\n"
    )
    own = f"{tmp_path}/mine.py:Interrupting"
    command = ("train", shortened("short", tmp_path, opponents=f'["random", "{own}"]'))
    stopped = wizard(*command, "--allow-programs")
    assert stopped.code == 130
    assert "short alone against random" in stopped.out
    assert not Path("runs/short/records.jsonl").exists()
    finished = resume(wizard, stopped)
    assert finished.code == 0
    assert "finished     after" in finished.out
    shown = "".join(finished.out.split())  # titles may be folded
    assert all(f"shortaloneagainst{name}" in shown for name in ("random", own))


def test_a_mistake_in_a_config_does_not_block_its_correction(wizard: Wizard, tmp_path: Path) -> None:
    wrong = ("--set", "learning.sparring=0.5", "--set", "learning.partners=['heuristc']")
    assert "did you mean 'heuristic'" in error_line(wizard("train", shortened("short", tmp_path), *wrong))
    assert not Path("runs").exists()
    assert wizard("train", shortened("short", tmp_path), "--set", "learning.sparring=0.5").code == 0


def test_the_agent_of_a_folder_named_like_an_agent_is_evaluated(wizard: Wizard, tmp_path: Path) -> None:
    """The agent of that name is not evaluated."""
    outcome = wizard("train", shortened("short", tmp_path), "--name", "champion", "--runs", ".")
    assert "agent        ./champion" in outcome.out.splitlines()
    evaluate, *_ = next_steps(outcome.out)
    assert evaluate[2] == "./champion"


def test_nothing_to_resume(wizard: Wizard, tmp_path: Path) -> None:
    assert "nothing to resume" in error_line(wizard("train", shortened("short", tmp_path), "--resume"))


def test_a_wrong_config(wizard: Wizard, tmp_path: Path) -> None:
    config = shortened("short", tmp_path, decisions="0")
    assert f"{config}: learning.decisions = 0" in error_line(wizard("train", config))
    assert not Path("runs").exists()


def test_a_config_is_printed(wizard: Wizard) -> None:
    """It is printed unchanged, to be copied."""
    assert wizard("config", "quick").out == configs.find("quick").read_text()
    assert "'quik'" in error_line(wizard("config", "quik"))


def test_seeds_are_trained_one_after_another(wizard: Wizard, tmp_path: Path) -> None:
    """Each run is what `--seed` alone makes of it."""
    config = shortened("short", tmp_path)
    outcome = wizard("train", config, "--seed", 1, "--seeds", 2)
    assert outcome.code == 0, outcome.err
    assert next_steps(outcome.out) == [
        ["wizard", "curves", "runs/short-seed1", "runs/short-seed2", "--hand-sizes", "1,2"]
    ]
    made = [(Path("runs") / f"short-seed{seed}" / FILE_NAME).read_bytes() for seed in (1, 2)]
    assert made[0] != made[1]
    assert wizard("train", config, "--seed", 2, "--runs", "others").code == 0
    assert (Path("others") / "short-seed2" / FILE_NAME).read_bytes() == made[1]


def test_keys_are_set_on_the_command_line(wizard: Wizard, tmp_path: Path) -> None:
    """The run keeps its changed config, and its past selves are agents."""
    config = shortened("short", tmp_path)
    changes = ("learning.decisions=8192", "learning.snapshot_decisions=4096", "learning.layers=[32]")
    words = [word for change in changes for word in ("--set", change)]
    outcome = wizard("train", config, *words, "--seed", 3)
    assert outcome.code == 0
    folder = Path("runs") / "short-seed3"
    settings = json.loads((folder / "config.json").read_text())
    assert (settings["seed"], settings["name"], settings["learning"]["layers"]) == (3, "short-seed3", [32])
    past = sorted(path.name for path in (folder / "past").iterdir())
    assert past == ["000001", "000002"]
    assert load(str(folder / "past" / past[-1])) is not None
    same = read_agent(folder / FILE_NAME)
    assert all(
        (same[name] == values).all()
        for name, values in read_agent(folder / "past" / past[-1] / FILE_NAME).items()
    )


def test_a_custom_encoding(wizard: Wizard, tmp_path: Path) -> None:
    """It needs --allow-programs; the run is evaluated with it, and the printed name loads the agent.

    Its folder may have a colon in its path.
    """
    (tmp_path / "mine.py").write_text("def halves(observations):\n    return observations / 2\n")
    command = ("train", shortened("own", tmp_path), "--set", f"learning.encoding={tmp_path}/mine.py:halves")
    assert "--allow-programs" in error_line(wizard(*command))
    outcome = wizard(*command, "--runs", "12:30", "--allow-programs")
    assert outcome.code == 0
    assert "own alone against heuristic" in " ".join(outcome.out.split())
    name = f"12:30/own:encoding='{tmp_path}/mine.py:halves'"
    assert shlex.quote(name) in outcome.out
    assert wizard("evaluate", name, "random", "--games", 2, "--hand-sizes", "1").code == 0
