"""Bad input: one line gives the value and what is allowed, before anything is written."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.commands import Wizard, error_line
from tests.positions import played_at_random
from wizard_env import Rules, write_records

Arguments: TypeAlias = tuple[Any, ...]

GAMES, FOLDER, TEXT = "games.jsonl", "folder", "text.txt"


@pytest.fixture(autouse=True)
def nothing_is_written(wizard: Wizard) -> Iterator[None]:
    """Check that the working folder, with records, a folder and a text, is the same after each test."""
    write_records(GAMES, [played_at_random(Rules(3, hand_sizes=(1, 2)), 1)])
    Path(FOLDER).mkdir()
    Path(TEXT).write_text("hello\n")
    before = contents()
    yield
    assert contents() == before


def contents() -> dict[Path, bytes | None]:
    """Return every file and folder, with its content."""
    return {path: path.read_bytes() if path.is_file() else None for path in Path().rglob("*")}


def words(given: object) -> str:
    """Return the name of a test: its command."""
    return " ".join(map(str, given)) if isinstance(given, tuple) else ""


def check(wizard: Wizard, arguments: Arguments, message: str) -> None:
    assert message in error_line(wizard(*arguments))


# --- devices


@pytest.mark.parametrize("command", [("train", "smoke"), ("exploit", "random")], ids=" ".join)
@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("tpu", "device='tpu': allowed are 'cpu' and 'cuda'"),
        ("cuda:x", "device='cuda:x': allowed are 'cpu' and 'cuda'"),
        ("cuda", "finds 0 GPUs: allowed is 'cpu'"),
    ],
)
def test_devices(
    wizard: Wizard, monkeypatch: pytest.MonkeyPatch, command: Arguments, device: str, message: str
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    check(wizard, (*command, "--device", device), message)


def test_a_gpu_that_is_not_there(wizard: Wizard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    message = "finds 2 GPUs: allowed are 'cpu' and 'cuda:0' to 'cuda:1'"
    check(wizard, ("train", "smoke", "--device", "cuda:2"), message)


# --- values of options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("exploit", "heuristic", "--decisions", 0), "--decisions 0: allowed are numbers from 1"),
        (
            ("exploit", "heuristic", "--seed", 2**32),
            "--seed 4294967296: allowed are numbers up",
        ),
        (("exploit", "heuristic", "--players", 9), "--players 9: allowed are 3 to 6"),
        (("exploit", "heuristic", "--start", "random"), "start='random': a response can begin as a network"),
        (("distill", "champion", "out", "--layers", "0"), "learning.layers.0 = 0: Input should be greater"),
        (("evaluate", "random", "--seed", -1), "--seed -1: allowed are numbers from 0"),
        (("replay", GAMES, "--judge", "random"), "'random' expects no points of single actions"),
        (("train", "smoke", "--set", "game.num_players=9"), "num_players': 9}: num_players=9: allowed are 3"),
        (("evaluate", "hf:nosuch"), "repository 'nosuch': allowed are names as in 'owner/name'"),
        (("push", FOLDER, "nosuch"), "repository 'nosuch': allowed are names as in 'owner/name'"),
        (("evaluate", "champion:sample=3"), "sample=3: a value of type bool is needed"),
        (("mcp", "random", "--host", "0.0.0.0"), "--host 0.0.0.0: only with --http does the server listen"),
        (("mcp", "random", "--port", 0), "--port 0: only with --http does the server listen"),
        (("mcp", "random", "--http", "--host", "192.0.2.1"), "--host 192.0.2.1: no address of this computer"),
        (("distill", "champion", "out", "--layers", "wide"), "--layers 'wide': allowed are whole numbers"),
        (("train", "smok"), "quick, rival, smoke"),
        (("replay", TEXT), "text.txt, line 1: not JSON"),
        (("dataset", "data", "random", "--records", "--skip-forced"), "needs every decision"),
        (("evaluate", "random", "--games", "x"), "--games x: allowed are whole numbers"),
        (("evaluate", "random", "--hand-sizes", "1,x"), "'1,x'"),
        (
            ("evaluate", "random", "--bid-restriction", "leader", "--bid-reveal", "secret"),
            "needs --bid-reveal 'open'",
        ),
        (("evaluate", "random", "--players", ""), "at least one number of players"),
        (("evaluate", "random", "--workers", 0), "workers=0: allowed are numbers from 1"),
        (("evaluate", "random", "--workers", 2, "--ray", "local"), "workers=2 with ray='local'"),
        (
            ("train", "smoke", "--set", "learning.layer=[32]"),
            "unknown key learning.layer: did you mean 'layers'",
        ),
        (("train", "smoke", "--set", "learning.epochs"), "is not of the form section.key=value"),
        (("train", "smoke", "--set", "name.first=1"), "name is not a section"),
    ],
    ids=words,
)
def test_values(wizard: Wizard, arguments: Arguments, message: str) -> None:
    check(wizard, arguments, message)


def test_more_threads_than_processors_are_those(wizard: Wizard) -> None:
    """Torch would start any number, and end the process if there is no room for them."""
    assert wizard("evaluate", "random", "--games", 2, "--hand-sizes", 1, "--threads", 10**6).code == 0


# --- where to write

EVALUATE = ("evaluate", "random", "--games", 2, "--hand-sizes", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*EVALUATE, "--json", FOLDER), "folder is a folder: the path of a file is needed"),
        ((*EVALUATE, "--records", FOLDER), "folder is a folder: the path of a file is needed"),
        ((*EVALUATE, "--plots", GAMES), "games.jsonl is a file, not a folder"),
        (
            (*EVALUATE, "--json", "out", "--report", "out"),
            "out is the file out, which is read",
        ),
        (("exploit", "random", "--runs", GAMES), "games.jsonl is a file, not a folder"),
        (("train", "smoke", "--runs", GAMES), "games.jsonl is a file, not a folder"),
        (("distill", "champion", GAMES), "games.jsonl is a file, not a folder"),
        (("dataset", GAMES, "random", "--decisions", 9), "games.jsonl is a file, not a folder"),
        (("league", GAMES, "random", "champion", "heuristic", "rule_based"), "games.jsonl is a file"),
        (("replay", GAMES, "--json", FOLDER), "folder is a folder"),
        (("play", "random", "--records", FOLDER), "folder is a folder"),
        (("serve", "random", "--records", GAMES), "games.jsonl is a file, not a folder"),
        (("serve", "random", "--database", FOLDER), "folder is a folder"),
        (("export", "champion", FOLDER), "folder is a folder"),
        (("export", "champion", "nosuch/x.onnx"), "nosuch/x.onnx: there is no folder nosuch"),
    ],
    ids=words,
)
def test_places(wizard: Wizard, arguments: Arguments, message: str) -> None:
    check(wizard, arguments, message)
