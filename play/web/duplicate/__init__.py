"""Duplicate: several people play the same deals, each at a table of their own, against the same agents."""
