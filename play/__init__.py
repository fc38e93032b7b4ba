"""For people: the command line, the terminal, the browser and reports."""
