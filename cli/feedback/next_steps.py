"""Commands that are printed to be pasted: they name `wizard` as the shell of the user finds it."""

import shlex
import shutil
import sys
from pathlib import Path

from wizard_env.evaluation.report.console import say


def program(name: str = "wizard") -> str:
    """The name of a program of this install if the shell finds it, or its path, as `wizard` was called."""
    path = Path(sys.argv[0]).with_name(name)
    own, found = shutil.which(path.absolute()), shutil.which(name)
    if own is None or (found is not None and Path(found).samefile(own)):
        return name
    return str(path) if path.name != str(path) else own


def command(*words: object, by: str = "wizard") -> str:
    """A command of a program of this install, quoted for a shell."""
    return shlex.join([program(by), *map(str, words)])


def same_command(*more: object) -> str:
    """The command that this process was called with, and more; of an option given twice, the last counts."""
    return command(*sys.argv[1:], *more)


def say_next_steps(title: str, *commands: str) -> None:
    """Print commands below a title, each on a line of its own."""
    say(f"\n{title}:")
    for one in commands:
        say(f"  {one}")
