"""Language models at the table: the game as text, and the doors through which models come in."""
