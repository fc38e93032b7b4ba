"""Errors in an agent's own code: its name, and the lines of its own files, as notes on the exception."""

import os
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import CodeType

_PACKAGE = str(Path(__file__).parent) + os.sep
_INSTALLED = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib"))
_METHODS = ("act", "act_and_tell", "assess")
"""The methods by which agents are called."""
_BEGINNING = "in the agent "


@contextmanager
def noting_own_code() -> Iterator[None]:
    """Note which agent's own code raised an error in the block, as `note_own_code` does.

    Raises RuntimeError where it ends the program, which would look as if all were well.
    """
    try:
        yield
    except Exception as error:
        note_own_code(error)
        raise
    except SystemExit as ended:
        failed = RuntimeError(f"an agent has ended the program: SystemExit({ended})")
        note_own_code(failed.with_traceback(ended.__traceback__))
        raise failed from ended


def note_own_code(error: BaseException) -> None:
    """Note on an exception which agent raised it, and where, if the code of a custom agent did.

    The note is "in the agent FILE:CLASS", and a line for each call within the agent's files, the last one
    innermost. Notes stay on an exception that comes from another process. Agents of this package get none:
    their errors are about what they were given.
    """
    if own_code_notes(error):
        return
    frames = list(_own_frames(error))
    if frames:
        (first, _), *_ = frames
        owner = first.co_qualname.rpartition(".")[0] if "<locals>" not in first.co_qualname else ""
        error.add_note(_BEGINNING + f"{_shown(first)}{':' if owner else ''}{owner}")
        for code, line in frames:
            error.add_note(f"  {_shown(code)}, line {line}, in {code.co_qualname}")


def own_code_notes(error: BaseException) -> list[str]:
    """Return the lines that `note_own_code` has written."""
    notes: list[str] = getattr(error, "__notes__", [])
    starts = (index for index, note in enumerate(notes) if note.startswith(_BEGINNING))
    return notes[start:] if (start := next(starts, None)) is not None else []


def _own_frames(error: BaseException) -> Iterator[tuple[CodeType, int]]:
    """Yield the code and the line of each call in a custom agent's files, once it has been called."""
    inside, top = False, ""
    for frame, line in walk_tb(error.__traceback__):
        code, module = frame.f_code, str(frame.f_globals.get("__name__", ""))
        if code.co_filename.startswith((_PACKAGE, "<")):
            continue
        if not inside:
            if code.co_name not in _METHODS:
                continue
            inside, top = True, module.partition(".")[0]
        if module.partition(".")[0] == top or not code.co_filename.startswith(_INSTALLED):
            yield code, line


def _shown(code: CodeType) -> str:
    """Return the path of a file as a person in this folder would write it."""
    path = Path(code.co_filename)
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
