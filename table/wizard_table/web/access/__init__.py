"""Access to the server: its addresses, its limits, and the messages and names that it accepts."""
