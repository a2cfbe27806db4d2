"""Writes the reference page of the command from the program itself: what typer knows of its subcommands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, Final

from kwitness.answers import failure
from kwitness.cli.options import PANEL
from kwitness.cli.program import load, program
from kwitness.cli.subcommands import HANDED_OVER, SUBCOMMANDS

__all__ = ["command_page"]

_HEAD: Final = """\
<!-- Generated from the program by `make generate`; do not edit. -->

# The command `kwitness`

`kwitness [OPTION]... SUBCOMMAND ...`; `kubectl kwitness ...` is the same. The [guide](../guides/command.md) says how it
is installed, what it needs to be permitted, and what to type when.

"""
_ELSEWHERE: Final = (
    "Its options are those of the observer: `kwitness observe --help`, and the [guide](../guides/laptop.md)."
)

_Row = tuple[str, str]


def command_page() -> str:
    """The page: what is for all subcommands, each of them, and what the exit status says."""
    root = program()
    context = root.make_context("kwitness", [], resilient_parsing=True)
    rows = _options(root, context)
    lines = ["## Before any subcommand, and behind those that ask a cluster", *_table(rows), ""]
    for name, subcommand in SUBCOMMANDS.items():
        lines += [f"## {name}", "", subcommand.about, ""]
        if name == HANDED_OVER:
            lines += [_ELSEWHERE, ""]
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
    """Rows of arguments, then of options."""
    shown = [
        param
        for param in command.get_params(context)
        if param.name != "help" and (shared or getattr(param, "rich_help_panel", None) != PANEL)
    ]
    return [
        *((f"`{param.metavar.strip('[]')}`", param.help) for param in shown if _is_argument(param) and param.help),
        *((_spelling(param), _meaning(param)) for param in shown if not _is_argument(param)),
    ]


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _spelling(option: Any) -> str:
    return ", ".join(f"`{name}`" for name in option.opts) + (f" `{option.metavar}`" if option.metavar else "")


def _meaning(option: Any) -> str:
    return f"{option.help or ''}{' **Required.**' if option.required else ''}"


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
