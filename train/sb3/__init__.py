"""Learning with sb3-contrib's MaskablePPO."""
