"""Lines that give a page's numbers in other programs: the command, kubectl, Prometheus and SQL over tables."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Final, NamedTuple

from kwitness.console.pages.names import LONGEST

__all__ = ["BYTES", "Line", "application_options", "label", "literal", "options_text", "pattern", "sql_line"]

BYTES: Final = "kafka_client_record_bytes_total"

_SHELL: Final = frozenset('"$`\\!')
"""Characters that a shell reads between double quotes."""


class Line(NamedTuple):
    """A line to type, the program that it is for, and what it gives."""

    program: str
    text: str
    gives: str


def pattern(name: str) -> str:
    """Return a name, or its beginning and a * where the rest is too long or cannot be typed."""
    end = next((at for at, character in enumerate(name) if not character.isprintable()), len(name))
    end = min(end, LONGEST)
    return name if end == len(name) else f"{name[:end]}*"


def label(name: str, value: str) -> str:
    """Return a matcher of PromQL."""
    return f"{name}={json.dumps(value, ensure_ascii=False)}"


def literal(value: str) -> str:
    """Return a text in SQL."""
    return "'" + value.replace("'", "''") + "'"


def application_options(application: str) -> dict[str, str]:
    """Return the options of the command that select an application: a workload, a principal, or a client id."""
    if application.startswith("User:"):
        return {"--principal": application}
    if "/" in application:
        namespace, _, workload = application.partition("/")
        return {"--pod-namespace": namespace, "--workload": workload}
    return {"--client-id": application} if application else {}


def options_text(options: Mapping[str, str]) -> str:
    """Return options of the command that have a value, each after a space."""
    return "".join(f" {name} {shlex.quote(pattern(value))}" for name, value in options.items() if value)


def sql_line(query: str, option: str, gives: str) -> Line:
    """Return a line of the command that runs a query; `option` is where it finds the table, as typed."""
    quoted = shlex.quote(query) if _SHELL & set(query) else f'"{query}"'
    return Line("SQL", f"kwitness tables sql {quoted} {option}", gives)
