"""`python -m wizard_env.cli`, for torchrun, which starts modules."""

from wizard_env.cli.main import main

main()
