"""`kwitness generate headers`: constants of a HeaderRegistry for programs in Python and Java."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from kwitness.cli.arguments import Arguments
from kwitness.cli.failure import CommandFailedError
from kwitness.cli.header_constants import constant_names, java_class_name, java_constants, python_constants
from kwitness.cli.header_register import read_register

ABOUT = "Write constants of a HeaderRegistry, for programs in Python and Java."


def run(arguments: Sequence[str]) -> int:
    """Write what is asked for, to a file or to the standard output.

    Raises
    ------
    CommandFailedError
        The register cannot be read, or its constants cannot be written.
    """
    given = parser().parse_args(arguments)
    register = read_register(given.file)
    names = constant_names(register, dict(given.constant))
    if given.language == "python":
        text = python_constants(register, names)
    else:
        text = java_constants(register, names, given.package, given.class_name or java_class_name(register))
    if given.output is None:
        sys.stdout.buffer.write(text.encode())
        return 0
    try:
        Path(given.output).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CommandFailedError(f"{given.output} cannot be written ({error.strerror}): choose another file") from error
    return 0


def parser() -> Arguments:
    """Return the parser of its arguments."""
    whole = Arguments(prog="kwitness generate headers", description=ABOUT)
    whole.add_argument("file", metavar="FILE", help="HeaderRegistry in JSON or YAML; - is the standard input.")
    whole.add_argument("--language", choices=("python", "java"), required=True, help="Language of the programs.")
    whole.add_argument("--output", metavar="FILE", help="File to write; by default the standard output.")
    whole.add_argument("--package", default="", metavar="NAME", help="Package of the Java class; by default none.")
    whole.add_argument(
        "--class", dest="class_name", metavar="NAME", help="Name of the Java class; by default that of the register."
    )
    whole.add_argument(
        "--constant", action="append", default=[], type=_pair, metavar="KEY=NAME", help="Another constant for a key."
    )
    return whole


def _pair(text: str) -> tuple[str, str]:
    # Names of keys may hold a `=` themselves.
    key, separator, constant = text.rpartition("=")
    if not separator:
        raise argparse.ArgumentTypeError(f"{text} has no `=` between key and constant")
    return key, constant
