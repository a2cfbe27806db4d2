"""The program that typer makes of the subcommands: help, completion, and the options that stand before a subcommand."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command
from typing_extensions import override

from kwitness.answers.failure import FAILED, OUTPUT_CLOSED
from kwitness.cli.options import Options, shared
from kwitness.cli.subcommands import HANDED_OVER, SUBCOMMANDS

__all__ = ["program", "run"]

ABOUT = "Show which clients use Apache Kafka, what they report, and why others do not."


class _HandedOver(TyperCommand):
    """The subcommand of another program: all words that follow its name are for that."""

    def __init__(self) -> None:
        super().__init__(name=HANDED_OVER, help=SUBCOMMANDS[HANDED_OVER].about)

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.args = list(args)
        return args

    @override
    def invoke(self, ctx: Any) -> NoReturn:
        raise typer.Exit(importlib.import_module(SUBCOMMANDS[HANDED_OVER].module).run(ctx.args))


class _Subcommands(TyperGroup):
    """Imports a subcommand when it is run; help and completion of names need its line alone."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, known in SUBCOMMANDS.items():
            self.add_command(TyperCommand(name=name, short_help=known.about))

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, stub, rest = super().resolve_command(ctx, args)
        return name, None if stub is None else load(str(name)), rest

    @override
    def make_context(self, *arguments: Any, **more: Any) -> Any:
        with _plain_errors():
            return super().make_context(*arguments, **more)

    @override
    def invoke(self, ctx: Any) -> Any:
        with _plain_errors():
            return super().invoke(ctx)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Exit quietly where the reader of the output stopped, and remove pydantic's words from errors of values."""
    try:
        yield
    except BrokenPipeError as error:
        raise typer.Exit(OUTPUT_CLOSED) from error
    except typer.BadParameter as error:
        error.message = error.message.removeprefix("Value error, ")
        raise


def load(name: str) -> Any:
    """Import the subcommand ``name``, and return what typer runs."""
    if name == HANDED_OVER:
        return _HandedOver()
    command = get_command(importlib.import_module(SUBCOMMANDS[name].module).app)
    command.name = name
    return command


def _show_version(asked: bool) -> None:  # noqa: FBT001 - as typer calls it
    if asked:
        print(f"kwitness {importlib.metadata.version('kwitness')}")
        raise typer.Exit


_VERSION = typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")


def program() -> Any:
    """Make the program."""
    app = typer.Typer(
        cls=_Subcommands,
        help=ABOUT,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    @shared
    def root(options: Options, version: Annotated[bool, _VERSION] = False) -> None:  # noqa: FBT002 - a flag
        """Take the options of all."""
        del options, version

    return get_command(app)


def run(arguments: Sequence[str], *, name: str) -> int:
    """Run a command line under the name that it was typed with; the result is the exit status."""
    try:
        program().main(args=list(arguments), prog_name=name)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else FAILED
    return 0
