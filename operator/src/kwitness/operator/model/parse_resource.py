"""Bodies as the API server sent them, as the models of contracts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kwitness.operator.model.errors import TerminalError

__all__ = ["parse_resource", "parse_resources", "parse_status"]

M = TypeVar("M", bound=BaseModel)


def parse_resource(model: type[M], body: dict[str, Any]) -> M:
    """Return ``body`` as ``model``.

    Raises
    ------
    TerminalError
        Reason InvalidSpec: the object was stored under another version of the schema.
    """
    try:
        # An unreadable old status must not stand in the way: it is about to be replaced.
        return model.model_validate({name: value for name, value in body.items() if name != "status"})
    except ValidationError as error:
        issue = error.errors()[0]
        field = ".".join(str(part) for part in issue["loc"])
        problem = issue["msg"].removeprefix("Value error, ")
        raise TerminalError("InvalidSpec", f"{field}: {problem}; correct the resource and apply it again") from error


def parse_resources(model: type[M], bodies: Iterable[dict[str, Any]]) -> Iterator[M]:
    """Parse those of ``bodies`` that are of this version of the schema; the others' own statuses say what is wrong."""
    for body in bodies:
        try:
            yield parse_resource(model, body)
        except TerminalError:
            continue


def parse_status(model: type[M], body: dict[str, Any]) -> M:
    """Return the status of ``body`` as ``model``; an empty one where it has none, or one of another version's schema.

    Such a one is about to be replaced.
    """
    try:
        return model.model_validate(body.get("status") or {})
    except ValidationError:
        return model()
