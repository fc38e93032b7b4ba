"""Duplicate: several people play the same deals, each at another table, against the same agents."""
