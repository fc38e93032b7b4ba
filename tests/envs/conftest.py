"""Fixtures of the tests of environments."""

import pytest

from wizard_env.envs import aec, gymnasium_env, gymnasium_vector  # noqa: F401, whose metadata keep the rate
from wizard_env.render import modes


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint without a screen, and without waiting between two images."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(modes, "RENDER_FPS", 0)
