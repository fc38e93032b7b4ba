"""Observations: the table of their fields, and the encoder that writes them as bytes."""
