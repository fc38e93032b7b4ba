"""Commands to paste: they name `wizard` as the user's shell finds it."""

import shlex
import shutil
import sys
from pathlib import Path

from wizard_env.cli.console import say


def find_program(name: str = "wizard") -> str:
    """Return the name of a program of this install if the shell finds it; otherwise its path."""
    path = Path(sys.argv[0]).with_name(name)
    own, found = shutil.which(path.absolute()), shutil.which(name)
    if own is None or (found is not None and Path(found).samefile(own)):
        return name
    return str(path) if path.name != str(path) else own


def format_command(*words: object, by: str = "wizard") -> str:
    """Return a command for a program of this install, quoted for a shell."""
    return shlex.join([find_program(by), *map(str, words)])


def repeat_command(*more: object) -> str:
    """Return the command of this process with more words; of an option given twice, the last counts."""
    return format_command(*sys.argv[1:], *more)


def say_next_steps(title: str, *commands: str) -> None:
    """Print commands below a title, one on each line."""
    say(f"\n{title}:")
    for one in commands:
        say(f"  {one}")
