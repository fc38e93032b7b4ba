"""How code compiles, and tricks with bits. Nothing here knows the game."""
