"""Renderer: what the environments do for each render mode."""

from typing import Any

from wizard_env.game import Game
from wizard_env.rules import check_choice

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 10
"""How many images a second a window shows at most."""


class Renderer:
    """Shows games in one render mode; what it draws with is imported when it is first needed."""

    def __init__(self, mode: str | None) -> None:
        """Raises ValueError for an unknown mode."""
        if mode is not None:
            check_choice("render_mode", mode, RENDER_MODES)
        self.mode = mode
        self._window: Any = None

    def render(self, game: Game, observer: int) -> Any:
        """Show a game as `observer` sees it.

        Returns:
            str for "ansi", uint8 [height, width, 3] for "rgb_array", None for "human".

        Raises:
            RuntimeError: the environment was made without a render mode.
        """
        from wizard_env import render

        if self.mode == "ansi":
            return render.text(game, observer, color=True)
        if self.mode == "rgb_array":
            return render.image(game, observer)
        if self.mode == "human":
            self._window = self._window or render.Window(images_per_second=RENDER_FPS)
            self._window.show(render.image(game, observer))
            return None
        raise RuntimeError(f"nothing to render: render_mode is None, allowed are {RENDER_MODES}")

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None}
