"""Learning with several workers, on one machine or on the machines of a Ray cluster."""
