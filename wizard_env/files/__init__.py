"""Files that are never half written, and checks of files that come from outside."""
