"""`kwitness generate headers`: constants of a HeaderRegistry for programs in Python and Java."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from kwitness.answers.failure import CommandFailedError
from kwitness.cli.header_constants import constant_names, java_class_name, java_constants, python_constants
from kwitness.cli.header_register import read_register
from kwitness.cli.named_arguments import named

__all__ = ["generate_headers"]


def _checked_pairs(texts: list[str] | None) -> list[str] | None:
    if wrong := [text for text in texts or () if "=" not in text]:
        raise typer.BadParameter(f"{wrong[0]} has no `=` between key and constant: write order-id=ORDER_ID, say")
    return texts


def generate_headers(
    *,
    file: Annotated[str, named("FILE", "HeaderRegistry in JSON or YAML; - is the standard input.")],
    language: Annotated[
        Literal["python", "java"], typer.Option(metavar="python|java", help="Language of the programs.")
    ],
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="File to write; by default the standard output.")
    ] = None,
    package: Annotated[
        str, typer.Option(metavar="NAME", help="Package of the Java class; by default none.", show_default=False)
    ] = "",
    class_name: Annotated[
        str | None,
        typer.Option("--class", metavar="NAME", help="Name of the Java class; by default that of the register."),
    ] = None,
    constant: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=NAME", help="Another constant for a key; repeatable.", callback=_checked_pairs),
    ] = None,
) -> None:
    """Write constants of a HeaderRegistry for programs."""
    register = read_register(file)
    # Names of keys may hold a `=` themselves.
    chosen = {key: name for key, _, name in (pair.rpartition("=") for pair in constant or ())}
    names = constant_names(register, chosen)
    if language == "python":
        text = python_constants(register, names)
    else:
        text = java_constants(register, names, package, class_name or java_class_name(register))
    if to is None:
        sys.stdout.buffer.write(text.encode())
        return
    try:
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandFailedError(f"{to} cannot be written ({error.strerror}): choose another file") from error
