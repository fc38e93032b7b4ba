"""Draw the picture on the environment's page: python -m tools.environment_picture (`make picture`)."""

from pathlib import Path

import numpy as np
from PIL import Image

from wizard_env import View, load, wizard_v0

PICTURE = Path(__file__).parent.parent / "docs" / "environment.webp"
SIZE = (600, 420)
CARDS = 4
SEED = 8
MILLISECONDS = 900
"""The time of each frame."""


def frames() -> list[Image.Image]:
    """Return a round between four champions, as `render` shows it to the acting seat."""
    env = wizard_v0.env(num_players=4, hand_sizes=(CARDS,), render_mode="rgb_array")
    env.reset(seed=SEED)
    champion, rng = load("champion"), np.random.default_rng(SEED)
    drawn = []
    for _ in env.agent_iter():
        drawn.append(Image.fromarray(env.render()).resize(SIZE, Image.Resampling.LANCZOS))
        if env.last()[2]:
            return drawn
        env.step(int(champion.act(View(env.unwrapped.game.state), rng)[0]))
    raise AssertionError("a game ends with its agents terminated")


def main() -> None:
    first, *others = frames()
    first.save(
        PICTURE, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, quality=60, method=6
    )
    print(f"{PICTURE}: {len(others) + 1} frames, {PICTURE.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
