"""The reference page of the command, from the program itself: what typer and argparse know of its subcommands."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kwitness.cli import failure, generate_events, generate_headers, job, tables
from kwitness.cli.options import PANEL
from kwitness.cli.program import load, program
from kwitness.cli.subcommands import OWN_ARGUMENTS, SUBCOMMANDS

__all__ = ["command_page"]

_HEAD: Final = """\
<!-- Generated from the program by `make generate`; do not edit. -->

# The command `kwitness`

`kwitness [OPTION]... SUBCOMMAND ...`; `kubectl kwitness ...` is the same. The [guide](../guides/command.md) says how it
is installed, what it needs to be permitted, and what to type when.

"""
_PARSERS: Final = {
    "generate": (generate_headers.parser, generate_events.parser),
    "job": (job.parser,),
    "tables": (tables.parser,),
}
"""Of the subcommands that read their own arguments."""
_ELSEWHERE: Final = {
    "observe": "Its options are those of the observer: `kwitness observe --help`, and the [guide](../guides/laptop.md)."
}

_Row = tuple[str, str]


def command_page() -> str:
    """The page: what is for all subcommands, each of them, and what the exit status says."""
    root = program()
    context = root.make_context("kwitness", [], resilient_parsing=True)
    rows = _options(root, context)
    lines = ["## Before any subcommand, and behind those that ask a cluster", *_table(rows), ""]
    for name, subcommand in SUBCOMMANDS.items():
        lines += [f"## {name}", "", subcommand.about, ""]
        if name in _ELSEWHERE:
            lines += [_ELSEWHERE[name], ""]
        elif name in OWN_ARGUMENTS:
            for parser in _PARSERS[name]:
                lines += _parsed(parser())
        else:
            lines += _typed(load(name), ("kwitness", name))
    return _HEAD + "\n".join([*lines, *_statuses()]) + "\n"


def _typed(command: Any, path: tuple[str, ...]) -> Iterator[str]:
    """A command of typer, and those below it."""
    context = command.make_context(path[-1], [], resilient_parsing=True)
    below = getattr(command, "commands", None)
    if below:
        for name, one in below.items():
            yield from _typed(one, (*path, name))
        return
    arguments = [one.metavar or one.name.upper() for one in command.params if one.param_type_name == "argument"]
    yield f"### `{' '.join((*path, *arguments))}`"
    yield ""
    yield inspect.cleandoc(command.help or "")
    yield from _table(_options(command, context, shared=False))
    yield ""


def _options(command: Any, context: Any, *, shared: bool = True) -> list[_Row]:
    return [
        (", ".join(f"`{name}`" for name in one.opts) + (f" `{one.metavar}`" if one.metavar else ""), one.help or "")
        for one in command.get_params(context)
        if one.param_type_name == "option"
        and one.name != "help"
        and (shared or getattr(one, "rich_help_panel", None) != PANEL)
    ]


def _parsed(parser: argparse.ArgumentParser, about: str | None = None) -> Iterator[str]:
    """A parser of argparse, and those below it."""
    actions = [one for group in parser._action_groups for one in group._group_actions]  # noqa: SLF001 - nothing public
    below = [one for one in actions if isinstance(one, argparse._SubParsersAction)]  # noqa: SLF001
    if below:
        abouts = {one.dest: one.help for one in below[0]._choices_actions}  # noqa: SLF001
        for name, one in below[0].choices.items():
            yield from _parsed(one, abouts.get(name))
        return
    names = [str(one.metavar or "|".join(one.choices or ())) for one in actions if not one.option_strings]
    yield f"### `{' '.join((parser.prog, *names))}`"
    yield ""
    text = parser.description or about or ""
    yield text
    yield from _table(_row(one) for one in actions if one.dest != "help")
    yield ""


def _row(action: argparse.Action) -> _Row:
    name = ", ".join(f"`{one}`" for one in action.option_strings)
    value = str(action.metavar or "|".join(action.choices or ()))
    text = (action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    if not name:
        return f"`{value}`", text
    needed = "**Required.**" if action.required else ""
    return (name if action.nargs == 0 or not value else f"{name} `{value}`"), f"{text} {needed}".strip()


def _statuses() -> Iterator[str]:
    yield "## Exit status"
    yield ""
    yield "| Status | Meaning |"
    yield "|---|---|"
    yield "| 0 | Done. |"
    for text, status in failure.STATUSES.items():
        yield f"| {status} | {text} |"
    yield "| 130 | It was interrupted. |"
    yield ""
    yield "Messages are on standard error, answers on standard output. `kwitness observe` ends as the observer does."


def _table(rows: Iterable[_Row]) -> list[str]:
    found = [(first.replace("|", "\\|"), second.replace("|", "\\|")) for first, second in rows]
    if not found:
        return []
    return ["", "| Option | Meaning |", "|---|---|", *(f"| {first} | {second} |" for first, second in found)]
