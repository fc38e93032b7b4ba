"""What was measured, as tables and plots."""
