"""Fixtures of tests of several modules."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints, entry_points

import pytest

from wizard_env.loading import GROUP


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
