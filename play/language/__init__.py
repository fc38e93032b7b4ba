"""The languages that people play in: `t` and `tn` return a text in the language in use."""
