"""`python -m benchmarks [--quick] [--json FILE]`."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks.display import render
from benchmarks.run import main


def bench(
    quick: Annotated[bool, typer.Option(help="Take seconds instead of minutes, with rough numbers.")] = False,
    save: Annotated[Path | None, typer.Option("--json", help="Write the report to this file.")] = None,
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
