"""Measurements of speed, as ratios to peers measured in the same run: `wizard bench`."""
