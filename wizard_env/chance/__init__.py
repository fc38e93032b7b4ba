"""All chance: shuffling and dealing, and sampling among legal actions."""
