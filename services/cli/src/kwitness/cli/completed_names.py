"""Completes names at a shell: those that the collector knows, and those of resources of the Kubernetes cluster.

A shell waits for the candidates, and puts them into the line as they are. So each completion ends in time, nothing is
written but candidates, and names that a shell would read as more than a word are left out.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stderr, suppress
from dataclasses import fields
from typing import Any, Final

import typer

from kwitness.cli.options import Options

__all__ = ["Completer", "names_of", "resources_of"]

Completer = Callable[[typer.Context, str], list[str]]

LONGEST_S: Final = 3
"""Seconds after which a shell gets no candidates."""
MOST: Final = 100
"""Candidates."""
_WORD: Final = re.compile(r"[A-Za-z0-9_./:@%,][A-Za-z0-9_./:@%,=+-]*")


def names_of(path: str, field: str) -> Completer:
    """Return a completion of values of a field, as the items of the noun at a path of the collector have them."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        names = _values(_options(ctx), _given(ctx).get("cluster"), path, field, incomplete)
        return _candidates(names, incomplete)

    def _values(options: Options, cluster: str | None, path: str, field: str, begin: str) -> Iterable[Any]:
        from pydantic import BaseModel  # noqa: PLC0415 - a tenth of a second

        from kwitness.answers.access.questions import Answer, Selection  # noqa: PLC0415
        from kwitness.answers.access.routes import questions_to  # noqa: PLC0415
        from kwitness.contracts.nouns import NOUNS  # noqa: PLC0415
        from kwitness.contracts.questions import MAX_LIMIT  # noqa: PLC0415

        class NamedItem(BaseModel, extra="allow"):
            """An item with the one field that is selected."""

        noun = next(noun for noun in NOUNS if noun.path == path)
        selection = Selection({field: f"{begin}*" if begin else None}, None, MAX_LIMIT, (field,))
        with questions_to(options, cluster) as questions:
            for item in next(questions.pages(noun, Answer[NamedItem], selection)).items:
                value = (item.model_extra or {}).get(field)
                yield value.get("team") if isinstance(value, Mapping) else value

    return complete


def resources_of(kind: str) -> Completer:
    """Return a completion of names of one of our kinds in the chosen namespace."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        return _candidates(_resources(_options(ctx)), incomplete)

    def _resources(options: Options) -> Iterable[Any]:
        from kwitness.answers.access.cluster_access import connect  # noqa: PLC0415 - a third of a second

        access = connect(options)
        for item in access.items(kind, access.namespace):
            yield item["metadata"]["name"]

    return complete


def _candidates(names: Iterable[Any], begin: str) -> list[str]:
    """Return the words that are found in time and begin so; none after an error, which a shell has no place for."""
    found: list[str] = []

    def run() -> None:
        with suppress(Exception):
            known = dict.fromkeys(str(name) for name in names if name is not None)
            found.extend([name for name in known if name.startswith(begin) and _WORD.fullmatch(name)][:MOST])

    thread = threading.Thread(target=run, daemon=True)
    with redirect_stderr(io.StringIO()):
        thread.start()
        thread.join(LONGEST_S)
    return [] if thread.is_alive() else found


def _given(ctx: typer.Context) -> dict[str, Any]:
    """Return what is on the line already; what stands behind a subcommand wins."""
    above = {} if ctx.parent is None else _given(ctx.parent)  # type: ignore[arg-type]
    return above | {name: value for name, value in ctx.params.items() if value not in {None, False}}


def _options(ctx: typer.Context) -> Options:
    given = _given(ctx)
    known = {field.name: given[field.name] for field in fields(Options) if field.name in given}
    return Options(**known)
