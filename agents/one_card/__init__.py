"""Rounds of one card with 3 or 4 players: all their deals, their equilibrium, and the agent that plays it."""
