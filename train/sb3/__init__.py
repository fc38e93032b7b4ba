"""Learning with stable-baselines3: sb3-contrib's MaskablePPO over self-play."""
