"""The commands of `wizard`."""
