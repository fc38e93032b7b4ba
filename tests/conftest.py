"""What tests of several modules are given."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints, entry_points

import pytest

from wizard_env.loading import GROUP


@pytest.fixture
def added(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """The entry-point group with one more agent, "mine": the class that the test's module calls MINE."""
    mine = EntryPoint("mine", f"{request.module.__name__}:MINE", GROUP)

    def with_mine(*, group: str) -> EntryPoints:
        return EntryPoints([*entry_points(group=group), mine])

    monkeypatch.setattr("wizard_env.loading.entry_points", with_mine)


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Sums on one thread are the same every time; what training sets in torch is reset."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
    torch.distributions.Distribution.set_default_validate_args(__debug__)
