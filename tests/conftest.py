"""What tests of several modules are given."""

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
