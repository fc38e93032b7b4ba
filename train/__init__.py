"""Learning by self-play: runs and their learners, exploitability, sweeps, publishing."""
