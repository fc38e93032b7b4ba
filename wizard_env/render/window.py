"""Images of the table, and a window that shows them; both need pygame, which is imported when it is used."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.extras import extra
from wizard_env.render.scene import Scene

DEFAULT_WIDTH = 1000
DEFAULT_HEIGHT = 700


def image(scene: Scene, width: int = DEFAULT_WIDTH, height: int = DEFAULT_HEIGHT) -> NDArray[np.uint8]:
    """A picture of the table, drawn off screen: uint8 [height, width, 3].

    Args:
        scene: what to show, as `Game.scene` returns it; its observer sits at the bottom, or seat 0.
        width: in pixels, at least 400.
        height: in pixels, at least 280.

    Raises:
        ImportError: pygame is not installed.
        ValueError: the picture would be too small.
    """
    picture: NDArray[np.uint8] = _painting().paint(scene, width, height)
    return picture


class Window:
    """A window for images of the table. It opens with the first image."""

    def __init__(self, title: str = "Wizard", images_per_second: int = 0) -> None:
        """Set up, without opening anything yet.

        Args:
            title: of the window.
            images_per_second: how fast `show` may be called before it waits; 0 never waits.

        Raises:
            ImportError: pygame is not installed.
        """
        self._screen: Any = _painting().Screen(title, images_per_second)

    @property
    def is_open(self) -> bool:
        """Whether the window is on the screen; False before the first image and once it was closed."""
        return bool(self._screen.is_open)

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show an image and answer the window's events. Does nothing once the window was closed.

        picture: uint8 [height, width, 3]; the window takes its size.
        """
        self._screen.show(picture)

    def close(self) -> None:
        """Close the window for good; may be called again."""
        self._screen.close()


def _painting() -> Any:
    """The module that draws, which needs pygame."""
    with extra("render"):
        from wizard_env.render import painting
    return painting
