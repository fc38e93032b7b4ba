"""Any file that is read may be damaged: a line says so, or what it holds is sound all the same."""

import os
import shutil
import sys
import traceback
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.reliability.damage import damaged
from tests.reliability.effort import generator, times
from wizard_env import Game, Rules, parse_position, position, read_records, write_records
from wizard_env.agents.network import FILE_NAME, read_agent, save_agent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.evaluation.league import FILE_NAME as LEAGUE
from wizard_env.evaluation.league import play_league
from wizard_env.evaluation.league_file import LeagueFile
from wizard_env.evaluation.workers import workers
from wizard_env.state import STATE
from wizard_env.train.config.reading import read_config, read_kept
from wizard_env.train.config.run import Config
from wizard_env.train.ppo import CRITIC, PpoLearner
from wizard_env.train.run import CONFIG, train
from wizard_env.train.selfplay.checkpoints import CHECKPOINT, read_checkpoint, restoring, write_checkpoint
from wizard_env.train.selfplay.curves import CURVES, Curves

pytestmark = pytest.mark.usefixtures("one_thread")

LONGEST_LINE = 3000
"""Characters of an error's message, at most: it is to be read."""
ITERATION = 8 * 16


def config(**options: Any) -> Config:
    learning = {
        "decisions": ITERATION,
        "num_games": 8,
        "decisions_per_game": 16,
        "batch_size": 64,
        "epochs": 1,
        "layers": [8],
        "critic": [8],
        "sparring": 0.5,
        "partners": ["past", "random"],
    }
    game = {"num_players": 3, "hand_sizes": [2, 5]}
    learning["precision"] = "float32"
    return Config.model_validate({"name": "tiny", "game": game, "learning": learning | options})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a sound file of every kind."""
    folder = tmp_path_factory.mktemp("files")
    train(config(), folder)
    games = [Game(Rules(num_players=3, hand_sizes=(3, 2)), seed) for seed in range(3)]
    for game in games:
        while game.phase != "over":
            game.step(game.legal_actions()[0])
    write_records(folder / "records.jsonl", games)
    shutil.copy(Path(__file__).parents[2] / "configs" / "champion.toml", folder)
    middle = Game(Rules(num_players=3), seed=7)
    for _ in range(10):
        middle.step(middle.legal_actions()[0])
    (folder / "position").write_text(position(middle, past=True))
    with workers() as spread:
        names = ["random", "rule_based", "random:"]
        play_league(folder, names, [Rules(num_players=3, hand_sizes=(1,))], 2, 1, spread)
    return folder


@cache
def learner() -> PpoLearner:
    """One for all checkpoints: to make one takes ten times as long as to restore it."""
    return PpoLearner(config(decisions=2 * ITERATION), "cpu", None)


def restore(path: Path) -> None:
    with restoring(path):
        learner()._restore(path)


def play_on(path: Path) -> None:
    """Resume from a checkpoint, and learn on; enormous weights may overflow."""
    restore(path)
    with np.errstate(all="ignore"):
        learner().iterate()


def start_from(path: Path) -> None:
    """Begin a run as the agent of another, with its critic."""
    start = path.with_name("start")
    start.mkdir(exist_ok=True)
    shutil.copy(path, start / CRITIC)
    shutil.copy(path.parent / FILE_NAME, start)
    PpoLearner(config(start=str(start)), "cpu", None)


READERS: dict[str, Callable[[Path], object]] = {
    "records.jsonl": lambda path: list(read_records(path)),
    "position": lambda path: parse_position(path.read_text(encoding="utf-8")),
    "champion.toml": read_config,
    CONFIG: read_kept,
    LEAGUE: LeagueFile,
    CURVES: lambda path: Curves(path.parent, ITERATION).close(),
    FILE_NAME: read_agent,
    CRITIC: start_from,
    CHECKPOINT: restore,
}


def refusal(read: Callable[[Path], object], path: Path) -> str | None:
    """Return the reader's message against a file; None if it reads it. Fail for anything but one line."""
    try:
        read(path)
    except (ValueError, OSError) as error:
        message = str(error)
        assert len(message) < LONGEST_LINE, f"{len(message)} characters: {message[:200]}..."
        return message
    except Exception:
        pytest.fail(f"{path} ends in a traceback:\n{traceback.format_exc()}")
    return None


@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_refused_or_sound(name: str, files: Path, tmp_path: Path) -> None:
    """From a fixed seed in the ordinary suite, and ten thousand times each with `make soak`."""
    content, rng = (files / name).read_bytes(), generator(name)
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    path = tmp_path / name
    refused, tries = 0, times(40, 10_000)
    for _ in range(tries):
        path.write_bytes(damaged(content, rng))
        refused += refusal(READERS[name], path) is not None
    assert refused > tries / 10, "hardly any damage is noticed"
    path.write_bytes(content)
    assert refusal(READERS[name], path) is None


def test_a_renamed_tensor_of_a_checkpoint_is_refused(files: Path, tmp_path: Path) -> None:
    """And one that is missing, or a single number; formerly some ended the first step."""
    path, refused = tmp_path / CHECKPOINT, "cannot be resumed"
    for part, tensors in read_checkpoint(files / CHECKPOINT)[0].items():
        for name in tensors:
            for change in ("renamed", "missing", "of no parameter", "one number"):
                parts, plain = read_checkpoint(files / CHECKPOINT)
                value = parts[part].pop(name)
                if change == "renamed":
                    parts[part][name + "\033[31m"] = value
                elif change == "of no parameter":
                    parts[part]["77." + name.rpartition(".")[2]] = value
                elif change == "one number":
                    parts[part][name] = value.reshape(-1)[0].clone()
                write_checkpoint(path, parts, plain)
                if change != "one number" or value.ndim:
                    message = refusal(play_on, path)
                    assert message is not None, f"{part}.{name} {change}"
                    assert refused in message


@pytest.mark.parametrize("learner", ["ppo", "maskable_ppo"])
@pytest.mark.parametrize("widths", [[300_000, 300_000], [10**15], [10**200, 10**200]])
def test_layers_larger_than_the_memory_are_refused(learner: str, widths: list[int], tmp_path: Path) -> None:
    learning = {"learner": learner, "decisions": 100, "num_games": 8, "decisions_per_game": 16}
    options = {
        "ppo": [{"layers": widths}, {"layers": [8], "critic": widths}],
        "maskable_ppo": [{"layers": widths}],
    }
    for layers in options[learner]:
        large = Config.model_validate({"name": "large", "learning": learning | layers})
        with pytest.raises(ValueError, match=r"a network with layers of .* needs .* GiB of memory"):
            train(large, tmp_path / "run")
        assert not (tmp_path / "run").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="files with holes")
@pytest.mark.parametrize("name", [name for name in READERS if name != "position"])
def test_a_huge_file_is_refused_unread(name: str, files: Path, tmp_path: Path) -> None:
    """Of a tebibyte, behind the content of a sound one."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    os.truncate(tmp_path / name, 1 << 40)
    if name == CRITIC:
        readers: dict[str, Callable[[Path], object]]
        readers = {CRITIC: lambda path: PpoLearner(config(start=str(path.parent)), "cpu", None)}
    else:
        readers = READERS
    tracemalloc.start()
    try:
        assert refusal(readers[name], tmp_path / name) is not None
        assert tracemalloc.get_traced_memory()[1] < 1 << 27
    finally:
        tracemalloc.stop()


def test_an_altered_tensor_of_a_checkpoint(files: Path, tmp_path: Path) -> None:
    """Every tensor in turn: refused, or played on with games that the rules allow."""
    rng = generator()
    path = tmp_path / CHECKPOINT
    for part, tensors in read_checkpoint(files / CHECKPOINT)[0].items():
        for name in tensors:
            for _ in range(times(1, 60)):
                parts, plain = read_checkpoint(files / CHECKPOINT)
                values = parts[part][name].contiguous().view(-1).view(dtype=torch.uint8).numpy()
                values[rng.integers(len(values), size=3)] = rng.integers(256, size=3, dtype=np.uint8)
                write_checkpoint(path, parts, plain)
                refusal(play_on, path)


@pytest.mark.parametrize(
    ("field", "value"),
    [("hand_sizes", 60), ("num_players", 6), ("num_plays", 90), ("seat", 100), ("phase", 2), ("trump", 77)],
)
def test_an_altered_state_of_a_checkpoint_is_refused(
    field: str, value: int, files: Path, tmp_path: Path
) -> None:
    """Formerly some of these ended in a segmentation fault."""
    parts, plain = read_checkpoint(files / CHECKPOINT)
    states = parts["tables"]["states"].numpy().copy().view(STATE).reshape(-1)
    states[field] = value
    parts["tables"]["states"] = torch.from_numpy(states.view(np.uint8))
    write_checkpoint(tmp_path / CHECKPOINT, parts, plain)
    assert "cannot be resumed" in str(refusal(play_on, tmp_path / CHECKPOINT))


def test_a_checkpoint_without_its_optimizer_is_refused(files: Path, tmp_path: Path) -> None:
    """A run never continues with moments that start anew."""
    parts, plain = read_checkpoint(files / CHECKPOINT)
    del parts["optimizer"]
    write_checkpoint(tmp_path / CHECKPOINT, parts, plain)
    assert "cannot be resumed" in str(refusal(play_on, tmp_path / CHECKPOINT))


@pytest.mark.parametrize("number", ["inf", "nan"])
def test_weights_that_are_not_finite_are_refused(number: str, tmp_path: Path) -> None:
    weights = read_agent(CHAMPION / FILE_NAME)
    weights["layer.0.bias"][3] = float(number)
    save_agent(weights, tmp_path / FILE_NAME)
    assert "layer.0.bias holds numbers that are not finite" in str(refusal(read_agent, tmp_path / FILE_NAME))


def test_lines_of_absurd_size_are_refused_unparsed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"version":1,' + b" " * (1 << 21) + b"\n")
    assert "longer than" in str(refusal(LeagueFile, path))
    assert "longer than" in str(refusal(READERS["records.jsonl"], path))
    path.write_text("a = 1\n" * 10_000)
    assert "larger than" in str(refusal(read_config, path))
