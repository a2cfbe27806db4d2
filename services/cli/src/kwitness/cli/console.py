"""`kwitness console`: becomes the program that shows pages about clients in a browser."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kwitness.answers.failure import CommandFailedError, WrongUseError
from kwitness.cli.becoming import become, missing_library
from kwitness.cli.completed_names import names_of
from kwitness.cli.named_arguments import ClusterOption, named
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.nouns import CLIENTS, TRAFFIC

__all__ = ["app", "missing_libraries"]

_PROGRAM: Final = "kwitness.console"
_LIBRARIES: Final = ("aiohttp", "jinja2", "duckdb")
_MOST_PORT: Final = 65_535

PAGES: Final = ("topics", "map", "upgrades", "completeness", "cost", "subscriptions", "findings", "doctor")
"""Pages without a name that a shell completes."""
_NAMES: Final = {"clients": names_of(CLIENTS.path, "client_id"), "topics": names_of(TRAFFIC.path, "topic")}

app = new_app(SUBCOMMANDS["console"].about)


def _complete(ctx: typer.Context, incomplete: str) -> list[str]:
    kind, slash, begin = incomplete.partition("/")
    if slash:
        return [f"{kind}/{name}" for name in _NAMES[kind](ctx, begin)] if kind in _NAMES else []
    return [page for page in (*PAGES, *(f"{kind}/" for kind in _NAMES)) if page.startswith(incomplete)]


@app.command()
@shared
def console(
    options: Options,
    *,
    page: Annotated[
        str | None,
        named(
            "[PAGE]",
            "Page to open, such as clients/NAME, topics/NAME or map; by default Fleet.",
            _complete,
        ),
    ] = None,
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
    prometheus: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Prometheus whose series pages show, such as http://127.0.0.1:9090."),
    ] = None,
    browser: Annotated[bool, typer.Option(" /--no-browser", help="Print the address, and open no browser.")] = True,
) -> None:
    """Show clients, topics and what is known of them in a browser on this machine, until Ctrl-C.

    The address that is opened lets one browser in, once. Answers of the collector are read beside requests, with the
    permissions of this user.
    """
    if missing := missing_libraries():
        raise CommandFailedError(missing)
    if prometheus is not None and not prometheus.startswith(("http://", "https://")):
        raise WrongUseError(f"--prometheus {prometheus} is no address: give one such as http://127.0.0.1:9090")
    given = {
        "--cluster": cluster,
        "--port": port,
        "--tables": tables,
        "--prometheus": prometheus,
        "--page": page,
    }
    become(_PROGRAM, options, given, *(() if browser else ("--no-browser",)))


def missing_libraries() -> str:
    """Return a sentence about a library that the console needs and that is not installed; empty if none is missing."""
    return missing_library("console", _LIBRARIES)
