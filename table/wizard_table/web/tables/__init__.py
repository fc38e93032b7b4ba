"""Tables in the browser: people take seats there, and play with each other and with agents."""
