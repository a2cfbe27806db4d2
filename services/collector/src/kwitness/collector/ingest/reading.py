"""What all questions have in common: who may ask, for whose part, and for how much of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.failures import RefusedError
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.inventory.reports import MAX_PAGE

_DEFAULT_PAGE: Final = 100
Model = TypeVar("Model", bound=BaseModel)


async def asks_locally(request: web.Request, authenticator: Authenticator) -> bool:
    """Authenticate, and say whether only this replica's own part is asked for."""
    local = request.query.get("local") == "true"
    # Replicas have a token for sending only; they ask each other with it, for their own part.
    purposes = (READERS, SENDERS) if local else (READERS,)
    caller = await authenticator.caller(request.headers.get("Authorization"), purposes)
    if caller.kind == "collector" and local:
        return True
    require(caller, "reader", "operator")
    return local


def page_limit(request: web.Request) -> int:
    """Return how many items are asked for; raises `RefusedError`."""
    text = request.query.get("limit")
    if text is None:
        return _DEFAULT_PAGE
    if not text.isdecimal() or not 1 <= int(text[:6]) <= MAX_PAGE:
        raise RefusedError("BadLimit", f"limit must be a number from 1 to {MAX_PAGE}")
    return int(text)


def reader(model: type[Model]) -> Callable[[bytes], Model | None]:
    """Make what reads another replica's answer; one that is something else counts as none."""

    def read(content: bytes) -> Model | None:
        try:
            return model.model_validate_json(content)
        except ValidationError:
            return None

    return read


def answer(model: BaseModel) -> web.Response:
    """Write an answer; what is not known is absent."""
    text = model.model_dump_json(by_alias=True, exclude_none=True)
    return web.Response(body=text.encode("utf-8", "replace"), content_type="application/json")
