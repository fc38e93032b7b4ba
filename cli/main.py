"""The command line: `wizard train`, `evaluate`, `replay` and the others."""

import io
import logging
import sys
from importlib.metadata import entry_points, version
from typing import Annotated, Any

try:
    import typer
    from rich.console import Console
    from rich.logging import RichHandler
    from typer.core import TyperGroup
except ModuleNotFoundError as missing:
    from wizard_env.extras import missing_module

    raise SystemExit(f"error: {missing_module(missing.name or '')}") from None

from wizard_env.checks import shortened, visible
from wizard_env.cli import options
from wizard_env.cli.agents import distill, export, push
from wizard_env.cli.dataset import dataset
from wizard_env.cli.evaluation import crossplay, curves, evaluate, exploit, league, scorecard
from wizard_env.cli.mcp import mcp
from wizard_env.cli.records import replay
from wizard_env.cli.speed import bench, compile_all
from wizard_env.cli.training import config, train
from wizard_env.extras import extra
from wizard_env.failures import note_own_code, own_code_notes

_ALLOWED = {
    "int_parsing": "allowed are whole numbers",
    "float_parsing": "allowed are numbers",
    "greater_than_equal": "allowed are numbers from {ge}",
    "less_than_equal": "allowed are numbers up to {le}",
}
"""The values that are allowed, for each kind of wrong value as pydantic names it."""


_OF_THE_USER = (ValueError, TypeError, OSError, MemoryError, ModuleNotFoundError)
"""The errors that a user can fix."""
_LONGEST_ERROR = 3000
"""Characters of an error that are printed."""


class _Visible(logging.Formatter):
    """Spells out control characters, which could come from a file or a path."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


class _Commands(TyperGroup):
    """The group of commands; a value that an option does not take raises ValueError, as commands do."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except typer.BadParameter as bad:
            from pydantic import ValidationError  # not needed for help

            if bad.param is None or not isinstance(bad.__cause__, ValidationError):
                raise
            (first, *_) = bad.__cause__.errors()
            allowed = _ALLOWED.get(first["type"], first["msg"]).format(**first.get("ctx", {}))
            raise ValueError(f"{bad.param.opts[0]} {first['input']}: {allowed}") from None


app = typer.Typer(
    cls=_Commands,
    help="Play Wizard, train agents and compare them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"wizard-env {version('wizard-env')}")
        raise typer.Exit


@app.callback()
def wizard(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Play Wizard, train agents and compare them."""


for commands in (
    (mcp, replay),
    (train, config, push, distill),
    (evaluate, crossplay, league, curves, scorecard, exploit, export, dataset, bench),
):
    for command in commands:
        app.command()(command)
app.command("compile")(compile_all)
for addition in entry_points(group=options.ADDITIONS):
    app.command(addition.name)(addition.load())


def main() -> None:
    """Run the command line. An error that the user can fix is one line on stderr, with exit code 2.

    An error in an agent of the user's own also gets the agent's name, and a line for each call in its files.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # pipes on Windows have others, which lack the suits
    stderr = Console(stderr=True)
    handler = RichHandler(console=stderr, show_path=False, show_time=False)
    handler.setFormatter(_Visible("%(message)s"))
    logging.basicConfig(level="WARNING", handlers=[handler])
    try:
        with extra():
            app()
    except Exception as error:
        note_own_code(error)
        notes = own_code_notes(error)
        if not notes and not isinstance(error, _OF_THE_USER):
            raise
        kind = f"{type(error).__name__}: " if notes else ""
        line = shortened(visible(kind + " ".join(str(error).split())), _LONGEST_ERROR)
        for text in (f"error: {line}", *map(visible, notes)):
            stderr.print(text, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
