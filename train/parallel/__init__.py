"""Learning on one or several threads, processes and devices."""
