"""Our own proximal policy optimisation."""
