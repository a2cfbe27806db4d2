"""POST /v1/pushes and /v1/gauges: what the broker plugin sends; pushes come from observers in its place, too."""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar

from aiohttp import web
from pydantic import BaseModel, ValidationError

from kwitness.collector.events import ForwardedAnswer, ForwardedBatch, of_batch
from kwitness.collector.failures import BodyTooLargeError, ForbiddenError, RefusedError, UnsupportedContentError
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import SENDERS, Authenticator, Caller, Kind, require
from kwitness.collector.peers import FORWARDED
from kwitness.collector.pipeline import Pipeline
from kwitness.contracts.endpoints import GAUGES_PATH, PUSHES_PATH
from kwitness.contracts.envelopes import GaugeSnapshot, PushAnswer, PushBatch

_JSON: Final = "application/json"
_MAX_ELEMENTS: Final = 500_000
"""Commas and opening brackets of a body: of a single push its texts may have a quarter of that."""
Model = TypeVar("Model", bound=BaseModel)


class PushApi:
    """Handlers of these paths."""

    def __init__(self, pipeline: Pipeline, authenticator: Authenticator, budget: bodies.Budget) -> None:
        self._pipeline = pipeline
        self._authenticator = authenticator
        self._budget = budget

    def add_to(self, application: web.Application) -> None:
        """Add the routes."""
        application.router.add_post(PUSHES_PATH, self.pushes)
        application.router.add_post(GAUGES_PATH, self.gauges)

    async def _caller(self, request: web.Request, *kinds: Kind) -> Caller:
        caller = await self._authenticator.caller(
            request.headers.get("Authorization"), (SENDERS,), kinds, peer=request.remote
        )
        require(caller, *kinds)
        if request.content_type != _JSON:
            raise UnsupportedContentError("UnknownContentType", f"send {_JSON}, not {request.content_type[:60]}")
        return caller

    async def pushes(self, request: web.Request) -> web.StreamResponse:
        """Take a batch; answered when every durable sink has it."""
        caller = await self._caller(request, "plugin", "observer", "collector")
        forwarded = caller.kind == "collector" and request.headers.get(FORWARDED) == "1"
        with self._budget.holding() as hold:
            body = await bodies.read(request, hold, bodies.MAX_PUSHES)
            batch: PushBatch = _parse(ForwardedBatch if forwarded else PushBatch, body)
            del body
            if caller.kind == "observer":
                _check_observer(caller, batch)
            elif not forwarded:
                _check_source(caller, batch.source, batch.cluster_id, batch.broker_id)
            events, rejected = of_batch(batch, _place(caller), hold.add)
            del batch
            self._pipeline.refuse(len(rejected))
            # A sender that hangs up must not stop a batch half way.
            outcome = await asyncio.shield(self._pipeline.accept_pushes(events, forwarded=forwarded))
        answer = PushAnswer(
            accepted=outcome.accepted,
            duplicates=outcome.duplicates,
            rejected=tuple(sorted((*rejected, *outcome.rejected), key=lambda one: one.seq)),
        )
        if forwarded:
            answer = ForwardedAnswer(**dict(answer), left_out=dict(outcome.left_out))
        return web.Response(body=answer.model_dump_json().encode("utf-8", "replace"), content_type=_JSON)

    async def gauges(self, request: web.Request) -> web.StreamResponse:
        """Take a heartbeat."""
        caller = await self._caller(request, "plugin", "collector")
        forwarded = caller.kind == "collector" and request.headers.get(FORWARDED) == "1"
        with self._budget.holding() as hold:
            body = await bodies.read(request, hold, bodies.MAX_OTLP)
            snapshot = _parse(GaugeSnapshot, body)
            if not forwarded:
                _check_source(caller, snapshot.source, snapshot.cluster_id, snapshot.broker_id)
            await asyncio.shield(self._pipeline.accept_heartbeat(snapshot, forwarded=forwarded))
        return web.json_response({})


def _parse(model: type[Model], body: bytes) -> Model:
    # Each of them may stand for an object of some tens of bytes before the model sees it.
    elements = sum(map(body.count, (b",", b"[", b"{")))
    if elements > _MAX_ELEMENTS:
        raise BodyTooLargeError("TooLarge", f"the body has more than {_MAX_ELEMENTS} elements; send less at once")
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if (first["type"], first["loc"]) == ("too_long", ("pushes",)):
            raise BodyTooLargeError("TooLarge", f"pushes: {first['msg']}; send fewer at once") from error
        place = ".".join(str(part) for part in first["loc"]) or "the body"
        raise RefusedError("MalformedBody", f"{place}: {first['msg']}"[:500]) from error


def _place(caller: Caller) -> dict[str, str]:
    """Where the clients of a sidecar are: in its pod, which its token names."""
    if caller.kind != "observer" or caller.reported_by != "pod" or caller.pod is None:
        return {}
    namespace, _, pod = caller.pod.partition("/")
    return {"k8s_namespace": namespace, "k8s_pod": pod}


def _check_observer(caller: Caller, batch: PushBatch) -> None:
    caller.may_speak_of(batch.cluster_id)
    if caller.pod is None:
        raise ForbiddenError("NoPod", "the token must be a projected one, which names the pod it is in")
    expected = f"{batch.cluster_id}/{caller.pod}"
    if batch.source != expected:
        raise ForbiddenError("WrongSource", f"this token is for the source {expected}, not {batch.source[:320]}")
    if batch.reported_by != caller.reported_by:
        raise ForbiddenError(
            "WrongReporter",
            f"this sender is known as {caller.reported_by}, and says {batch.reported_by}: its entry in the collector's "
            "configuration decides",
        )


def _check_source(caller: Caller, source: str, cluster_id: str, broker_id: str | None) -> None:
    caller.may_speak_of(cluster_id)
    expected = f"{cluster_id}/{broker_id}" if broker_id is not None else cluster_id
    if source != expected and not source.startswith(f"{cluster_id}/"):
        raise RefusedError("WrongSource", f"source must be <cluster id>/<broker id>, here {expected}")
