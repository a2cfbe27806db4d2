"""`kwitness console`: becomes the program that shows pages about clients in a browser."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.becoming import become, missing_library
from kwitness.cli.named_arguments import ClusterOption
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.subcommands import SUBCOMMANDS

__all__ = ["app", "missing_libraries"]

_PROGRAM: Final = "kwitness.console"
_LIBRARIES: Final = ("aiohttp", "jinja2", "duckdb")
_MOST_PORT: Final = 65_535

app = new_app(SUBCOMMANDS["console"].about)


@app.command()
@shared
def console(
    options: Options,
    *,
    cluster: ClusterOption = None,
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=_MOST_PORT, help="Port of 127.0.0.1; 0 is any free one.")
    ] = 0,
    tables: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Local folder with tables of analyses; those of AnalyticsJobs are found without it."
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(" /--no-browser", help="Print the address, and open no browser.")] = True,
) -> None:
    """Show clients, topics and what is known of them in a browser on this machine, until Ctrl-C.

    The address that is opened lets one browser in, once. Answers of the collector are read beside requests, with the
    permissions of this user.
    """
    if missing := missing_libraries():
        raise CommandFailedError(missing)
    given = {"--cluster": cluster, "--port": port, "--tables": tables}
    become(_PROGRAM, options, given, *(() if browser else ("--no-browser",)))


def missing_libraries() -> str:
    """Return a sentence about a library that the console needs and that is not installed; empty if none is missing."""
    return missing_library("console", _LIBRARIES)
