"""OTLP over HTTP: POST /v1/metrics, as protobuf or JSON, on its own port. Source: OTLP specification, "OTLP/HTTP"."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from google.protobuf import json_format

from kwitness.collector.failures import RefusedError, UnsupportedContentError
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import SENDERS, Authenticator, require
from kwitness.collector.ingest.otlp_receiver import OtlpReceiver
from kwitness.collector.otlp.requests import error_status
from kwitness.contracts.endpoints import OTLP_METRICS_PATH

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"
_RPC_CODES: Final = {400: 3, 401: 16, 403: 7, 404: 5, 413: 3, 415: 3, 503: 14}
"""Status codes of gRPC for those of HTTP, as OTLP's error bodies carry them."""


class OtlpHttp:
    """The handler of the one path."""

    def __init__(self, receiver: OtlpReceiver, authenticator: Authenticator) -> None:
        self._receiver = receiver
        self._authenticator = authenticator

    def add_to(self, application: web.Application) -> None:
        """Add the route."""
        application.router.add_post(OTLP_METRICS_PATH, self.metrics)

    async def metrics(self, request: web.Request) -> web.StreamResponse:
        """Take an export; errors come as ``google.rpc.Status`` in the encoding of the request."""
        as_json = request.content_type == JSON
        try:
            return await self._metrics(request, as_json=as_json)
        except RefusedError as refused:
            body = error_status(_RPC_CODES.get(refused.status, 2), refused.message, as_json=as_json)
            after = getattr(refused, "retry_after_s", None)
            return web.Response(
                status=refused.status,
                body=body,
                content_type=JSON if as_json else PROTOBUF,
                headers={"Retry-After": str(after)} if after else None,
            )

    async def _metrics(self, request: web.Request, *, as_json: bool) -> web.StreamResponse:
        caller = await self._authenticator.caller(request.headers.get("Authorization"), (SENDERS,), peer=request.remote)
        require(caller, "otlp")
        if not as_json and request.content_type != PROTOBUF:
            raise UnsupportedContentError(
                "UnknownContentType", f"send {PROTOBUF} or {JSON}, not {request.content_type[:60]}"
            )
        with self._receiver.places.take() as place:
            body = await bodies.read(request, place.hold, bodies.MAX_OTLP)
            answer = await place.finish(self._receiver.export(body, caller, as_json=as_json))
        if as_json:
            return web.Response(text=json_format.MessageToJson(answer), content_type=JSON)
        return web.Response(body=answer.SerializeToString(), content_type=PROTOBUF)
