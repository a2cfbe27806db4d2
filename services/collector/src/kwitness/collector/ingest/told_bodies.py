"""Bodies of what the operator tells: read within a bound and the budget of all requests, and parsed."""

from __future__ import annotations

from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.failures import RefusedError
from kwitness.collector.ingest import bodies

T = TypeVar("T", bound=BaseModel)


async def read_told(request: web.Request, budget: bodies.Budget, most: int, model: type[T]) -> tuple[bytes, T]:
    """Return the body, of at most ``most`` bytes, as it came and as the model.

    Raises
    ------
    RefusedError
        MalformedBody: it is not what the schema says; the first field that is not is named.
    """
    with budget.holding() as hold:
        body = await bodies.read(request, hold, most)
    try:
        return body, model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise RefusedError("MalformedBody", f"{place}: {first['msg']}"[:500]) from error
