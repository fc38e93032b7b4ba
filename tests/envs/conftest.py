"""Fixtures of the tests of environments."""

import pytest


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint without a screen, and without waiting between two images."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr("wizard_env.render.modes.RENDER_FPS", 0)
