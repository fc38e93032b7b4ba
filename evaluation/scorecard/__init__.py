"""The score card: one fixed measurement of an agent, so that results from different people compare."""
