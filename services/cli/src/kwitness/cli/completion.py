"""`kwitness completion`: the lines by which a shell completes commands, options and their values."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from kwitness.cli.options import new_app
from kwitness.cli.program import run
from kwitness.cli.subcommands import SUBCOMMANDS

app = new_app(SUBCOMMANDS["completion"].about)


@app.command()
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="Shell that reads it.")],
) -> None:
    """Print what a shell reads to complete this command, as in `source <(kwitness completion bash)`."""
    run(["--show-completion", shell], name="kwitness")
