"""Proximal policy optimisation, written for self-play: the learner "ppo"."""
