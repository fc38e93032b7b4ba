"""Short runs of each learner, for tests."""

from typing import Any

from wizard_env.train.config.run import Config

ITERATION = 16 * 32
"""Decisions of an iteration."""
OPTIONS: dict[str, dict[str, Any]] = {
    "ppo": {"precision": "float32", "batch_size": 256, "epochs": 2, "layers": [16]},
    "maskable_ppo": {"batch_size": 256, "epochs": 1, "layers": [16]},
    "distillation": {
        "precision": "float32",
        "teachers": {"champion": []},
        "batch_size": 64,
        "layers": [8],
    },
}


def tiny_config(
    decisions: int = 4 * ITERATION,
    seed: int = 0,
    learner: str = "ppo",
    sections: dict[str, Any] | None = None,
    **learning: Any,
) -> Config:
    """Return the config of a short run on rounds of one and two cards.

    Args:
        decisions: to learn from; four iterations by default.
        seed: of the run.
        learner: its name.
        sections: other sections than `[learning]`.
        learning: keys of `[learning]`.
    """
    options = {"learner": learner, "decisions": decisions, "num_games": 16, "decisions_per_game": 32}
    return Config.model_validate(
        {
            "name": "tiny",
            "seed": seed,
            "game": {"num_players": 4, "hand_sizes": [1, 2]},
            "learning": options | OPTIONS[learner] | learning,
            **(sections or {}),
        }
    )
