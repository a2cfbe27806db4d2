"""OTLP over gRPC: MetricsService/Export. Source: OTLP specification, "OTLP/gRPC"."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import grpc  # type: ignore[import-untyped]
import grpc.aio  # type: ignore[import-untyped]

from kwitness.collector.failures import (
    ForbiddenError,
    RefusedError,
    UnauthenticatedError,
    UnavailableError,
)
from kwitness.collector.ingest import bodies
from kwitness.collector.ingest.authentication import SENDERS, Authenticator, require
from kwitness.collector.ingest.otlp_receiver import OtlpReceiver
from kwitness.collector.otlp.requests import try_again_status
from kwitness.collector.time_limits import TimeLimits
from kwitness.runtime.connections import IDLE_S, MAX_CONNECTIONS

_SERVICE: Final = "opentelemetry.proto.collector.metrics.v1.MetricsService"
_STOP_S: Final = 5.0
_STREAMS: Final = 256
"""Requests at once over one connection."""
_STATUS: Final = "grpc-status-details-bin"


def _code(refused: RefusedError) -> grpc.StatusCode:
    """Say why for good; what is to be tried again is UNAVAILABLE, as every OTLP client understands it."""
    match refused:
        case UnauthenticatedError():
            return grpc.StatusCode.UNAUTHENTICATED
        case ForbiddenError():
            return grpc.StatusCode.PERMISSION_DENIED
        case _:
            return grpc.StatusCode.INVALID_ARGUMENT


class OtlpGrpc:
    """The gRPC server; ``certificate`` holds the files of certificate and key, or nothing for plaintext."""

    def __init__(
        self, receiver: OtlpReceiver, authenticator: Authenticator, silent_s: float = TimeLimits().silent_s
    ) -> None:
        self._receiver = receiver
        self._silent_s = silent_s
        self._authenticator = authenticator
        self._server: grpc.aio.Server | None = None

    async def start(self, address: str, certificate: tuple[str, str] | None) -> None:
        """Listen on ``host:port``."""
        self._server = grpc.aio.server(
            options=[
                # The limit holds for what comes out of gRPC's own gzip too.
                ("grpc.max_receive_message_length", bodies.MAX_OTLP),
                ("grpc.max_concurrent_streams", _STREAMS),
                ("grpc.so_reuseport", 0),
                ("grpc.server_handshake_timeout_ms", int(self._silent_s * 1000)),
                ("grpc.max_connection_idle_ms", int(IDLE_S * 1000)),
                ("grpc.keepalive_time_ms", int(IDLE_S * 1000)),
                ("grpc.keepalive_timeout_ms", int(self._silent_s * 1000)),
                ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
            ],
            # Those beyond the places there are are told to come back, which this server would refuse for good.
        )
        # On the wire the same as unary, but the token is looked at before the body, and the body has a deadline.
        handler = grpc.stream_unary_rpc_method_handler(self._export)
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(_SERVICE, {"Export": handler}),))
        if certificate is None:
            self._server.add_insecure_port(address)
        else:
            self._server.add_secure_port(address, _credentials(certificate))
        await self._server.start()

    async def stop(self) -> None:
        """Stop listening and let requests under way end."""
        if self._server is not None:
            await self._server.stop(_STOP_S)

    async def _export(self, messages: AsyncIterator[bytes], context: Any) -> bytes:
        try:
            metadata = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
            caller = await self._authenticator.caller(
                metadata.get("authorization"), (SENDERS,), peer=context.peer().rpartition(":")[0]
            )
            require(caller, "otlp")
            with self._receiver.places.take() as place:
                body = await _only(messages, place.hold.body_s)
                place.hold.grow(len(body))
                answer = await place.finish(self._receiver.export(body, caller, as_json=False))
            return bytes(answer.SerializeToString())
        except UnavailableError as later:
            # Without the delay some clients take it for final.
            status = try_again_status(later.message, later.retry_after_s)
            await context.abort(grpc.StatusCode.UNAVAILABLE, later.message, ((_STATUS, status),))
            raise
        except RefusedError as refused:
            await context.abort(_code(refused), refused.message)
            raise


async def _only(messages: AsyncIterator[bytes], seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            return await anext(messages)
    except TimeoutError as error:
        raise UnavailableError("TooSlow", f"no message within {seconds:.0f} s; try again") from error
    except StopAsyncIteration as error:
        raise RefusedError("MalformedBody", "Export takes one message, none was sent") from error


def _credentials(files: tuple[str, str]) -> Any:
    state: list[tuple[bytes, bytes]] = []

    def configuration() -> Any:
        certificate, key = (Path(file).read_bytes() for file in files)
        state[:] = [(certificate, key)]
        return grpc.ssl_server_certificate_configuration([(key, certificate)])

    def when_changed() -> Any:
        with contextlib.suppress(OSError):
            if state != [(Path(files[0]).read_bytes(), Path(files[1]).read_bytes())]:
                return configuration()
        return None

    return grpc.dynamic_ssl_server_credentials(configuration(), when_changed, require_client_authentication=False)
