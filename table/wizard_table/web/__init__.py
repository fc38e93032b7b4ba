"""Playing and reviewing games in the browser."""
