"""Batched self-play: the games, who is credited, the training loop, progress and checkpoints."""
