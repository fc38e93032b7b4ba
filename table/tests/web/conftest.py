"""Fixtures for the tests of the server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from wizard_table.web.server import make_app

from table.tests.web.seats import AGENTS, browser


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with browser(make_app(tmp_path / "tables.sqlite", AGENTS)) as client:
        yield client
