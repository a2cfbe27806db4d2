"""What all questions have in common: who may ask, for whose part, and for how much of it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.failures import RefusedError
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.inventory.client_report import MAX_PAGE
from kwitness.collector.peers import Peers

_DEFAULT_PAGE: Final = 100
PARTS: Final = "parts"
"""The parameter of a replica that asks another."""

Model = TypeVar("Model", bound=BaseModel)


async def asks_locally(request: web.Request, authenticator: Authenticator) -> bool:
    """Authenticate, and say whether only this replica's own part is asked for."""
    local = request.query.get("local") == "true"
    # Replicas have a token for sending only; they ask each other with it, for their own part.
    purposes = (READERS, SENDERS) if local else (READERS,)
    caller = await authenticator.caller(request.headers.get("Authorization"), purposes, peer=request.remote)
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


def refuse_unknown_parameters(request: web.Request, known: Sequence[str]) -> None:
    """Raise `RefusedError` for a parameter that would be without effect, such as a misspelled one."""
    unknown = sorted(request.query.keys() - {*known, PARTS})
    if unknown:
        raise RefusedError("BadParameter", f"{unknown[0][:64]} is none of {', '.join(known)}")


def asks_for_part(request: web.Request) -> bool:
    """Whether another replica asks, which puts the answer together itself."""
    return PARTS in request.query


class Others(NamedTuple, Generic[Model]):
    """Parts of the other replicas, by whom they are, and the ordinals of those that gave none."""

    parts: tuple[Model, ...]
    ordinals: tuple[int, ...]
    missing: tuple[int, ...]


NOBODY: Final[Others[Any]] = Others((), (), ())
"""Where nobody else is asked."""


async def others_parts(request: web.Request, peers: Peers, model: type[Model]) -> Others[Model]:
    """What the other replicas answer for themselves; one whose answer is something else gave none."""
    answers = await peers.ask_all(request.url.update_query({"local": "true", PARTS: "1"}).raw_path_qs)
    parts: dict[int, Model] = {}
    for ordinal, content in answers.items():
        with contextlib.suppress(ValidationError):
            if content is not None:
                parts[ordinal] = model.model_validate_json(content)
    return Others(tuple(parts.values()), tuple(parts), tuple(sorted(answers.keys() - parts.keys())))


def answer(model: BaseModel) -> web.Response:
    """Write an answer; what is not known is absent."""
    text = model.model_dump_json(by_alias=True, exclude_none=True)
    return web.Response(body=text.encode("utf-8", "replace"), content_type="application/json")
