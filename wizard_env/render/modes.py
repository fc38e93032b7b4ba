"""Render modes of the environments."""

from typing import Any

from wizard_env.checks import check_choice
from wizard_env.render.ansi import text
from wizard_env.render.scene import Scene
from wizard_env.render.window import Window, image

RENDER_MODES = ("ansi", "rgb_array", "human")
RENDER_FPS = 10
"""Images per second that a window shows at most."""


class Renderer:
    """Shows scenes in one render mode."""

    def __init__(self, mode: str | None) -> None:
        if mode is not None:
            check_choice("render_mode", mode, RENDER_MODES)
        self.mode = mode
        self._window: Window | None = None

    def render(self, scene: Scene) -> Any:
        """Show a scene: return str for "ansi", uint8 [height, width, 3] for "rgb_array", None for "human".

        Raises RuntimeError without a render mode.
        """
        if self.mode == "ansi":
            return text(scene, color=True)
        if self.mode == "rgb_array":
            return image(scene)
        if self.mode == "human":
            self._window = self._window or Window(RENDER_FPS)
            self._window.show(image(scene))
            return None
        raise RuntimeError(f"nothing to render: render_mode is None, allowed are {RENDER_MODES}")

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None}
