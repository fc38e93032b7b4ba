"""Games in the terminal, on a full screen or in plain lines."""
