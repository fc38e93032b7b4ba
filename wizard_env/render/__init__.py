"""Views of a game by one observer: its scene, as text, as an image, and in a window."""

from wizard_env.render.ansi import text
from wizard_env.render.scene import Scene
from wizard_env.render.window import Window, image

__all__ = ["Scene", "Window", "image", "text"]
