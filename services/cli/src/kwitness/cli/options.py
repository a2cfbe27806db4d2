"""What every command that asks a cluster takes: which cluster, and how the answer is shown.

    @app.command("list")
    @shared
    def list_subscriptions(options: Options, *, cluster: ... = None) -> None:

The options may stand before the name of the command and behind it; the latter wins.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand
from typing_extensions import override

from kwitness.answers.access.options import AccessOptions

__all__ = [
    "PANEL",
    "Options",
    "PrefixOption",
    "WatchOption",
    "new_app",
    "shared",
]

Format = Literal["table", "wide", "json", "yaml", "csv", "name"]

PANEL = "Everywhere"
"""What the options of all are marked with."""


WatchOption = Annotated[bool, typer.Option("--watch", "-w", help="Refresh every 5 s, until Ctrl-C.")]
PrefixOption = Annotated[
    str, typer.Option(metavar="TEXT", help="Only metrics with this prefix, with or without org.apache.kafka.")
]


@dataclass(frozen=True, slots=True)
class Options(AccessOptions):
    """Which cluster, and how the answer is shown."""

    output: Format = "table"
    no_color: bool = False


_CONTEXT = typer.Option("--context", metavar="NAME", help="Context of the kubeconfig.", rich_help_panel=PANEL)
_KUBECONFIG = typer.Option(
    "--kubeconfig", metavar="FILE", help="Kubeconfig, instead of $KUBECONFIG and ~/.kube/config.", rich_help_panel=PANEL
)
_NAMESPACE = typer.Option(
    "-n", "--namespace", metavar="NAME", help="Namespace of the resources.", rich_help_panel=PANEL
)
_OUTPUT = typer.Option(
    "-o",
    "--output",
    metavar="FORMAT",
    help="Format: table, wide, json, yaml, csv or name; by default table.",
    rich_help_panel=PANEL,
)
_NO_COLOR = typer.Option("--no-color", help="Print no colour, as with NO_COLOR=1.", rich_help_panel=PANEL)
_COLLECTOR = typer.Option(
    "--collector-address",
    metavar="HOST:PORT",
    help="Address of the collector's HTTPS port; by default a port is forwarded to its pod.",
    rich_help_panel=PANEL,
)


def _signature(
    *,
    kubeconfig: Annotated[Path | None, _KUBECONFIG] = None,
    context: Annotated[str | None, _CONTEXT] = None,
    namespace: Annotated[str | None, _NAMESPACE] = None,
    output: Annotated[Format | None, _OUTPUT] = None,
    no_color: Annotated[bool, _NO_COLOR] = False,
    collector: Annotated[str | None, _COLLECTOR] = None,
) -> None:
    """Never called: typer reads the parameters."""


_SHARED = tuple(inspect.signature(_signature, eval_str=True).parameters.values())


def shared(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of all, as its argument ``options``; and its context, where it takes a ``ctx``."""
    taken = inspect.signature(function, eval_str=True).parameters
    own = [one for one in taken.values() if one.name not in {"options", "ctx"}]
    parameters = [
        inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own),
        *_SHARED,
    ]

    @functools.wraps(function)
    def command(**given: Any) -> None:
        ctx: typer.Context = given["ctx"] if "ctx" in taken else given.pop("ctx")
        own_values = {one.name: given.pop(one.name) for one in fields(Options)}
        before = ctx.obj if isinstance(ctx.obj, Options) else Options()
        ctx.obj = replace(before, **{name: value for name, value in own_values.items() if value not in {None, False}})
        function(options=ctx.obj, **given)

    # typer reads what a function takes from these two.
    vars(command)["__signature__"] = inspect.Signature(parameters)
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


class _Command(TyperCommand):
    """A command whose usage line names a required argument without braces, as its list of arguments does."""

    @override
    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


class _App(typer.Typer):
    @override
    def command(self, name: str | None = None, **settings: Any) -> Any:
        return super().command(name, cls=_Command, **settings)


def new_app(about: str, **settings: Any) -> typer.Typer:
    """Make a typer application as all subcommands are: plain help, and errors that are ours to show."""
    return _App(help=about, rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, **settings)
