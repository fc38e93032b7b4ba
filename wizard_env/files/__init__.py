"""Safe files: written as a whole or not at all, locked, and checked when they are read."""
