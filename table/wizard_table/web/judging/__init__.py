"""Luck and skill: what an agent finds that decisions lost and cards brought."""
