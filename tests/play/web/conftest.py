"""Fixtures for the tests of the server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.play.web.seats import AGENTS, browser
from wizard_env.play.web.access.limits import Bucket
from wizard_env.play.web.server import make_app


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with browser(make_app(tmp_path / "tables.sqlite", AGENTS)) as client:
        yield client


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests send messages faster than people, so nothing is limited."""
    monkeypatch.setattr(Bucket, "take", lambda self: None)
