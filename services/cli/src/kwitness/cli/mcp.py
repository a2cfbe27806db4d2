"""`kwitness mcp`: becomes the program that gives language models read-only tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.becoming import become, missing_library
from kwitness.cli.named_arguments import ClusterOption
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.subcommands import SUBCOMMANDS

__all__ = ["app"]

_LIBRARIES: Final = ("mcp",)

app = new_app(SUBCOMMANDS["mcp"].about)


@app.command()
@shared
def mcp(
    options: Options,
    *,
    cluster: ClusterOption = None,
    tables: Annotated[
        Path | None, typer.Option("--tables", metavar="FOLDER", help="Folder of tables that tools may read.")
    ] = None,
) -> None:
    """Serve tools for language models on standard input and output, by the Model Context Protocol.

    Programs with a model start it. The tools ask what this command asks, with the permissions of this user, and change
    nothing.
    """
    if missing := missing_library("mcp", _LIBRARIES):
        raise CommandFailedError(missing)
    become("kwitness.mcp", options, {"--cluster": cluster, "--tables": tables})
