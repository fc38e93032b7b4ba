"""Measuring agents against each other: duplicate deals, statistics, leagues and ratings."""
