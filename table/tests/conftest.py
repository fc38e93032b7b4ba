"""Fixtures for everything that speaks the players' languages."""

from collections.abc import Iterator

import pytest
from wizard_table.translation import use_language


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """English before and after each test, whatever the environment asks for."""
    monkeypatch.setenv("LANGUAGE", "en")
    yield
    use_language("en")
