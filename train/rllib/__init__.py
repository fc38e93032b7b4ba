"""Learning on Ray RLlib."""
