"""What the operator tells one replica and all have to know: who may say it, within what bounds, who is told next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.failures import RefusedError
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.peers import FORWARDED, Peers

T = TypeVar("T", bound=BaseModel)


class Told:
    """Takes in what is told, by the operator or by another replica that it told."""

    def __init__(self, authenticator: Authenticator, peers: Peers, budget: bodies.Budget) -> None:
        self._authenticator = authenticator
        self._peers = peers
        self._budget = budget

    async def take(
        self, request: web.Request, most: int, model: type[T], remember: Callable[[T], None]
    ) -> web.StreamResponse:
        """Remember a body of at most ``most`` bytes here and, if the operator itself says it, at every other replica.

        Raises
        ------
        RefusedError
            The caller may not say it, or MalformedBody: it is not what the schema says; the first field that is not is
            named.
        UnavailableError
            Another replica did not take it: the operator has to say it again.
        """
        forwarded = request.headers.get(FORWARDED) == "1"
        purpose = SENDERS if forwarded else READERS
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (purpose,), peer=request.remote)
        require(caller, "collector" if forwarded else "operator")
        with self._budget.holding() as hold:
            body = await bodies.read(request, hold, most)
        remember(_parsed(body, model))
        if not forwarded:
            await self._peers.tell_all(request.url.raw_path, body)
        return web.json_response({})


def _parsed(body: bytes, model: type[T]) -> T:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise RefusedError("MalformedBody", f"{place}: {first['msg']}"[:500]) from error
