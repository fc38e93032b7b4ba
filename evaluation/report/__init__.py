"""Results of evaluations, leagues and analyses, as tables and plots."""
