"""Leagues: many agents meet at tables and are rated."""
