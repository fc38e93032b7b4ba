"""Checks of arguments, and of extras that may not be installed."""
