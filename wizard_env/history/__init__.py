"""Finished rounds: keeping them, reading them, and playing them again."""
