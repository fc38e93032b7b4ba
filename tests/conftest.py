"""Fixtures of tests of several modules."""

import os
import signal
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path

import pytest

from wizard_env.loading import GROUP

try:
    from hypothesis import settings
except ModuleNotFoundError:  # the environments of single libraries do without it
    pass
else:
    settings.register_profile("ordinary", deadline=None, max_examples=50, derandomize=True)
    settings.register_profile("nightly", deadline=None, max_examples=400, print_blob=True)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))

TESTS = Path(__file__).parent
LONG = (
    "cli/test_stopping.py",
    *(f"cli/test_{name}.py" for name in ("evaluation", "main", "recipes", "speed", "training")),
    *(f"compiled/test_{name}.py" for name in ("all_kernels", "cache", "uncompiled")),
    *(f"docs/test_{name}.py" for name in ("pages", "site")),
    *(f"llm/test_{name}.py" for name in ("mcp", "mcp_agent")),
    "../table/tests/web/page",
    "reliability",
    *(f"evaluation/{name}" for name in ("test_dataset.py", "test_scorecard.py", "test_workers.py")),
    *(f"test_{name}.py" for name in ("benchmarks", "examples", "own_rule")),
    *(
        f"train/test_{name}.py"
        for name in ("distillation", "exploit", "maskable_ppo", "ppo", "run", "workers")
    ),
)
"""Files and folders of tests that `make test-fast` leaves out: child processes, browsers, learning."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of LONG."""
    if missing := [name for name in LONG if not (TESTS / name).exists()]:
        raise pytest.UsageError(f"tests/conftest.py: LONG names {missing}, which do not exist")
    for item in items:
        if _is_long(item.path):
            item.add_marker("long")


@cache
def _is_long(path: Path) -> bool:
    return any(path.is_relative_to((TESTS / name).resolve()) for name in LONG)


@pytest.fixture(scope="session", autouse=True)
def _children_end_by_signals() -> None:
    """Undo what children inherit: shells ignore Ctrl+C in the background, and `nohup` ignores hangups."""
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Add an agent to the entry-point group: "mine", the class MINE of the test's module."""
    mine = EntryPoint("mine", f"{request.module.__name__}:MINE", GROUP)

    def with_mine(*, group: str) -> EntryPoints:
        return EntryPoints([*entry_points(group=group), mine])

    monkeypatch.setattr("wizard_env.loading.entry_points", with_mine)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Sum on one thread, so that sums are the same every time; then reset the settings of torch."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(__debug__)
