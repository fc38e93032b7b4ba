"""Sharing: the address of a result, and what links to it show before they are opened."""
