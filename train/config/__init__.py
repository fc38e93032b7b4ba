"""The configuration of a run: one TOML file is one experiment."""
