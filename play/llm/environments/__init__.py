"""Games of text for the libraries in which language models are trained and evaluated."""
