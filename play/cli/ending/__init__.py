"""The ends of commands: next steps to paste, also where a signal stops a command."""
