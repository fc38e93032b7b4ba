"""Observations: their fields, and the encoder that writes them as bytes."""
