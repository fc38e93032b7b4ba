"""Feedback of running commands: progress, stopping, and the commands to run next."""
