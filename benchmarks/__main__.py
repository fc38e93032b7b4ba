"""`python -m benchmarks [--quick] [--json FILE]`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.display import render
from benchmarks.run import main


def bench(
    quick: Annotated[bool, typer.Option(help="a smoke run of seconds")] = False,
    save: Annotated[Path | None, typer.Option("--json", help="where to write the report")] = None,
) -> None:
    """Measure speed against peers."""
    console = Console()
    with console.status("measuring"):
        report = main(quick)
    console.print(render(report))
    if save is not None:
        save.write_text(json.dumps(report.as_dict(), indent=2) + "\n")


if __name__ == "__main__":
    typer.run(bench)
