"""Learning on Ray RLlib, on this machine or on a cluster."""
