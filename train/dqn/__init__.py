"""Deep Q-networks, as published for Wizard."""
