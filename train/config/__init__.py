"""The configuration of runs: one TOML file is one experiment."""
