"""`python -m wizard_env.compiled` compiles all kernels ahead; unlike `wizard compile` it needs no extra."""

import sys

from wizard_env.compiled.all_kernels import be_quiet, compile_kernels, missing_kernels


def main() -> None:
    """Compile the missing kernels, and report each."""
    be_quiet()
    missing = missing_kernels()
    for count, kernel in enumerate(compile_kernels(missing), start=1):
        sys.stdout.write(f"{count} of {len(missing)}: {kernel.name}\n")
        sys.stdout.flush()
    if not missing:
        sys.stdout.write("all kernels are already compiled\n")


if __name__ == "__main__":
    main()
