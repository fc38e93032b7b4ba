"""Learning by self-play, and measuring agents: runs, evaluations, leagues, analyses."""
