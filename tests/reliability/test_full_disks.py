"""If a file cannot be written or opened, the old one stays whole, and an error names the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.reliability.test_kills import config
from wizard_env import Game, Rules, read_records, write_records
from wizard_env.agents.network import FILE_NAME, read_agent, save_agent
from wizard_env.agents.pretrained import CHAMPION
from wizard_env.evaluation.league import FILE_NAME as LEAGUE
from wizard_env.evaluation.league import play_league
from wizard_env.evaluation.workers import workers
from wizard_env.files import write_atomically
from wizard_env.train.run import checkpoint_of, train
from wizard_env.train.selfplay.curves import CURVES

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.usefixtures("one_thread")

ITERATION = 8 * 16


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """No file can grow beyond this size, as on a disk that fills up."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and "tfevents" not in path.name]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("learner", ["ppo", "maskable_ppo"])
@pytest.mark.parametrize("size", [0, 1000, 20_000])
def test_a_training_on_a_full_disk(learner: str, size: int, tmp_path: Path) -> None:
    """Ends with an OSError; agent and checkpoint stay as they were, and the run can be resumed."""
    train(config(learner, ITERATION), tmp_path)
    checkpoint = checkpoint_of(config(learner, 1), tmp_path)
    before = [path.read_bytes() for path in (checkpoint, tmp_path / FILE_NAME)]
    with full_after(size), pytest.raises(OSError, match="File too large"):
        train(config(learner, 4 * ITERATION), tmp_path, resume=True)
    assert [path.read_bytes() for path in (checkpoint, tmp_path / FILE_NAME)] == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
    train(config(learner, 4 * ITERATION), tmp_path, resume=True)
    assert (tmp_path / CURVES).read_text().count("\n") == 1 + 4


def test_a_league_on_a_full_disk(tmp_path: Path) -> None:
    """Games that were played are kept, and the same command continues the league."""
    names, rules = ["random", "rule_based", "random:"], [Rules(num_players=3, hand_sizes=(1,))]
    with workers() as spread:
        play_league(tmp_path, names, rules, 2, 1, spread)
        size = (tmp_path / LEAGUE).stat().st_size
        with full_after(size + 10), pytest.raises(OSError, match="File too large"):
            play_league(tmp_path, names, rules, 4, 1, spread)
        expected = play_league(tmp_path / "whole", names, rules, 4, 1, spread)
        assert play_league(tmp_path, names, rules, 4, 1, spread) == expected


def test_paid_answers_on_a_full_disk(tmp_path: Path) -> None:
    """Those before are kept, and those that follow once there is room."""
    chat = pytest.importorskip("wizard_env.llm.chat")
    path = tmp_path / "answers.jsonl"
    answers = chat.AnswerFile(path)
    questions = [[chat.Message("user", text)] for text in ("1", "2", "3")]
    answers.add("model", questions[0], "bid 1")
    with full_after(path.stat().st_size + 10), pytest.raises(OSError, match="File too large"):
        answers.add("model", questions[1], "bid 2")
    answers.add("model", questions[2], "bid 3")
    found = chat.AnswerFile(path)
    assert [found.find("model", question) for question in questions] == ["bid 1", None, "bid 3"]


def test_a_data_set_on_a_full_disk(tmp_path: Path) -> None:
    writing = pytest.importorskip("wizard_env.evaluation.datasets.writer")
    with full_after(1000), pytest.raises(OSError, match="File too large"):
        list(writing.write_dataset(tmp_path, ["random"], [Rules()], 100))
    assert not [name for name in contents(tmp_path) if "parquet" in name]
    assert sum(writing.write_dataset(tmp_path, ["random"], [Rules()], 100)) >= 100


def test_files_stay_whole_on_a_full_disk(tmp_path: Path) -> None:
    """Records and networks; nothing half written is left beside them."""
    games = [Game(Rules(), seed) for seed in range(20)]
    write_records(tmp_path / "records.jsonl", games[:1])
    weights = read_agent(CHAMPION / FILE_NAME)
    before = contents(tmp_path)
    with full_after(1000), pytest.raises(OSError, match="File too large"):
        write_records(tmp_path / "records.jsonl", games)
    with full_after(1000), pytest.raises(OSError, match="File too large"):
        write_atomically(tmp_path / FILE_NAME, lambda path: save_agent(weights, path))
    assert contents(tmp_path) == before
    assert list(read_records(tmp_path / "records.jsonl")) == games[:1]
