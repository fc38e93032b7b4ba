"""The command line: `wizard train`, `evaluate`, `replay` and the others."""

import io
import logging
import sys

try:
    import typer
    from rich.console import Console
    from rich.logging import RichHandler
except ModuleNotFoundError as missing:
    raise SystemExit(
        f"wizard needs the module {missing.name!r}: pip install 'wizard-env[play]' or 'wizard-env[train]'"
    ) from None

from wizard_env.extras import extra_of
from wizard_env.play.cli.compiling import compile_all
from wizard_env.play.cli.dataset import dataset
from wizard_env.play.cli.distill import distill
from wizard_env.play.cli.measuring import bench, evaluate, exploit, export, league, scorecard
from wizard_env.play.cli.play import play
from wizard_env.play.cli.records import analyse, convert, replay
from wizard_env.play.cli.serve import serve
from wizard_env.play.cli.sweep import sweep
from wizard_env.play.cli.training import config, push, rllib, train

app = typer.Typer(
    help="Play Wizard, train agents and compare them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    play,
    serve,
    replay,
    analyse,
    convert,
    train,
    config,
    sweep,
    push,
    distill,
    rllib,
    evaluate,
    league,
    scorecard,
    exploit,
    export,
    dataset,
    bench,
):
    app.command()(command)
app.command("compile")(compile_all)


def main() -> None:
    """Run the command line. An error that the user can fix is one line on stderr, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")  # pipes on Windows have others, which lack the suits
    stderr = Console(stderr=True)
    handler = RichHandler(console=stderr, show_path=False, show_time=False)
    logging.basicConfig(level="WARNING", format="%(message)s", handlers=[handler])
    try:
        app()
    except (ValueError, TypeError, OSError, MemoryError, ModuleNotFoundError) as error:
        message = f"error: {error}"
        if isinstance(error, ModuleNotFoundError) and "pip install" not in message:
            message += f": pip install 'wizard-env[{extra_of(error.name or '') or 'all'}]'"
        stderr.print(message, style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
