"""What all questions have in common: who may ask, for whose part, and for how much of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

from aiohttp import web
from pydantic import BaseModel
from pydantic_core import to_json

from kwitness.collector.compression import compress
from kwitness.collector.failures import ForbiddenError, RefusedError
from kwitness.collector.ingest.authentication import READERS, SENDERS, Authenticator, require
from kwitness.collector.inventory.ordered_rows import RowOrder
from kwitness.collector.inventory.parts import Part
from kwitness.collector.peers import Peers
from kwitness.collector.scope_headers import SCOPE, read_scope
from kwitness.collector.turns import Turns
from kwitness.contracts.questions import InvalidQuestionError, Noun, Question
from kwitness.contracts.reader_rights import ReaderScope

PARTS: Final = "parts"
"""The parameter of a replica that asks another."""

_SCOPED: Final = "scoped"
"""The value of ``local`` with which a replica asks another for a reader with a scope. Replicas of earlier versions do
not know scopes, and refuse it."""

Model = TypeVar("Model", bound=BaseModel)
PartType = TypeVar("PartType")


class Asker(NamedTuple):
    """Describes a question: whether it is for this replica's own part alone, and its scope; None is everything."""

    is_local: bool
    scope: ReaderScope | None


async def find_asker(request: web.Request, authenticator: Authenticator) -> Asker:
    """Authenticate a caller whose answer is limited to its scope."""
    part, authorization = request.query.get("local"), request.headers.get("Authorization")
    # Replicas have a token for sending only; they ask each other with it, for their own part.
    purposes = {_SCOPED: (SENDERS,), "true": (READERS, SENDERS)}.get(part or "", (READERS,))
    caller = await authenticator.caller(authorization, purposes, peer=request.remote)
    if part == _SCOPED:
        require(caller, "collector")
        return Asker(is_local=True, scope=_scope_of(request))
    if part != "true" or caller.kind != "collector":
        require(caller, "reader", "operator")
    return Asker(part == "true", caller.scope)


def _scope_of(request: web.Request) -> ReaderScope:
    try:
        return read_scope(request.headers.getall(SCOPE, ()))
    except ValueError as error:
        raise RefusedError("BadScope", str(error)) from error


async def asks_locally(request: web.Request, authenticator: Authenticator) -> bool:
    """Authenticate, and say whether only this replica's own part is asked for; readers with a scope are refused."""
    asker = await find_asker(request, authenticator)
    if asker.scope is not None:
        raise ForbiddenError(
            "ScopedReader",
            f"{request.path[:128]} is about all clients, and this reader may see those of its scope alone: ask with a "
            "reader in spec.ingest.readers that has no scope",
        )
    return asker.is_local


def read_question(request: web.Request, noun: Noun) -> Question:
    """Return the parameters of a question; raises `RefusedError`."""
    parameters = {name: text for name, text in request.query.items() if name != PARTS}
    if len(parameters) < len(request.query) - len(request.query.getall(PARTS, ())):
        raise RefusedError("BadParameter", "a parameter is given more than once: give each of them once")
    try:
        return noun.question(parameters)
    except InvalidQuestionError as error:
        raise RefusedError(error.reason, str(error)) from error


def refuse_unknown_parameters(request: web.Request, known: Sequence[str]) -> None:
    """Raise `RefusedError` for a parameter that would be without effect, such as a misspelled one."""
    unknown = sorted(request.query.keys() - {*known, PARTS})
    if unknown:
        raise RefusedError("BadParameter", f"{unknown[0][:64]} is none of {', '.join(known)}")


def asks_for_part(request: web.Request) -> bool:
    """Whether another replica asks, which puts the answer together itself."""
    return PARTS in request.query


class Others(NamedTuple, Generic[PartType]):
    """Parts of the other replicas, by whom they are, and the ordinals of those that gave none."""

    parts: tuple[PartType, ...]
    ordinals: tuple[int, ...]
    missing: tuple[int, ...]


NOBODY: Final[Others[Any]] = Others((), (), ())
"""Where nobody else is asked."""


async def others_parts(
    request: web.Request, peers: Peers, model: type[Model], scope: ReaderScope | None
) -> Others[Model]:
    """Return what the other replicas answer for themselves; one whose answer is something else gave none.

    ``scope`` is that of the reader, and limits their answers as it does this one's.
    """
    return await read_others(request, peers, model.model_validate_json, scope)


async def read_others(
    request: web.Request,
    peers: Peers,
    read: Callable[[bytes], PartType],
    scope: ReaderScope | None,
    **parameters: str,
) -> Others[PartType]:
    """Return the same as ``read`` returns it, which raises ValueError; ``parameters`` replace those of the request."""
    changed = {"local": "true" if scope is None else _SCOPED, PARTS: "1", **parameters}
    answers = await peers.ask_all(request.url.update_query(changed).raw_path_qs, scope)
    parts: dict[int, PartType] = {}
    turns = Turns()
    for ordinal, content in answers.items():
        await turns.pause_when_due()
        with contextlib.suppress(ValueError):
            if content is not None:
                parts[ordinal] = read(content)
    return Others(tuple(parts.values()), tuple(parts), tuple(sorted(answers.keys() - parts.keys())))


def answer(model: BaseModel) -> web.Response:
    """Write an answer; what is not known is absent."""
    text = model.model_dump_json(by_alias=True, exclude_none=True)
    return web.Response(body=text.encode("utf-8", "replace"), content_type="application/json")


def part_answer(part: Part[Any]) -> web.Response:
    """Return a part to the replica that asked."""
    return web.Response(body=part.write(), content_type="application/octet-stream")


async def answer_page(
    request: web.Request, question: Question, parts: Sequence[Part[Any]], known: Mapping[str, object]
) -> web.Response:
    """Write the page that parts make together, whose heads have ``matched``, and all else that is known."""
    rows, following = await RowOrder(question).page([part.rows for part in parts])
    matched = sum(part.head.matched for part in parts)
    known = {"matched": matched, **known, "continue": following}
    return await answer_items(request, (row.item for row in rows), known)


async def answer_items(request: web.Request, items: Iterable[bytes], known: Mapping[str, object]) -> web.Response:
    """Write an answer of items as JSON and all else that is known, compressed where the caller accepts that."""
    rest = to_json({name: value for name, value in known.items() if value is not None}, exclude_none=True)
    accepted = request.headers.get("Accept-Encoding", "")
    is_gzip = "gzip" in accepted and "gzip;q=0" not in accepted
    body = await asyncio.to_thread(_body, items, rest, is_gzip=is_gzip)
    headers = {"Content-Encoding": "gzip"} if is_gzip else None
    return web.Response(body=body, headers=headers, content_type="application/json")


def _body(items: Iterable[bytes], rest: bytes, *, is_gzip: bool) -> bytes:
    body = b"".join((b'{"items":[', b",".join(items), b"],", rest[1:]))
    return compress(body) if is_gzip else body
