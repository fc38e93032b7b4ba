"""Compiling, threads, and tricks with bits. Nothing here knows the game."""
