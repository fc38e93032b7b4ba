"""Images of the table, and a window for them; pygame is imported when it is used."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env.extras import extra
from wizard_env.render.scene import Scene


def image(scene: Scene, width: int = 1000, height: int = 700) -> NDArray[np.uint8]:
    """Paint a scene, as `Game.scene` returns it, off screen: uint8 [height, width, 3].

    Its observer, or seat 0, sits at the bottom.

    Raises ImportError if pygame is not installed, and ValueError below 400 by 280 pixels.
    """
    picture: NDArray[np.uint8] = _painting().paint(scene, width, height)
    return picture


class Window:
    """A window for images of the table, which opens with the first image."""

    def __init__(self, images_per_second: int = 0) -> None:
        """Set up. Raises ImportError if pygame is not installed.

        images_per_second: the most that `show` shows, by waiting; 0 never waits.
        """
        self.is_open = False
        """True while the window is on the screen."""
        self._pygame: Any = _painting().pygame
        self._images_per_second = images_per_second
        self._clock = self._pygame.time.Clock()
        self._closed = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show an image and answer the window's events; do nothing once the window was closed.

        picture: uint8 [height, width, 3]; the window takes its size.
        """
        if self._closed:
            return
        pygame = self._pygame
        height, width, _ = picture.shape
        pygame.display.init()
        screen = pygame.display.get_surface()
        if not self.is_open or screen is None or screen.get_size() != (width, height):
            screen = pygame.display.set_mode((width, height))
            pygame.display.set_caption("Wizard")
            self.is_open = True
        screen.blit(pygame.image.frombuffer(picture.tobytes(), (width, height), "RGB"), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._images_per_second)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()

    def close(self) -> None:
        """Close the window for good; may be called again."""
        if self.is_open:
            self._pygame.display.quit()
        self.is_open = False
        self._closed = True


def _painting() -> Any:
    with extra("render"):
        from wizard_env.render import painting
    return painting
