"""Serves one HTTP listener: errors as JSON, requests counted. Its paths are added by others."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Middleware

from kwitness.collector.failures import RefusedError, UnavailableError
from kwitness.contracts.envelopes import ApiError, ErrorBody
from kwitness.runtime.connections import IDLE_S, Connections
from kwitness.runtime.server_certificate import ServerCertificate

_LOG = logging.getLogger(__name__)
_PROTOCOL_LOG = logging.getLogger(f"{__name__}.protocol")
_PROTOCOL_LOG.setLevel(logging.CRITICAL)  # aiohttp's own: a stack trace for whatever a stranger sends that is no HTTP
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Requests = Counter[tuple[str, int]]
"""Requests by path (as routed, so that strangers cannot make up new ones) and status."""
_STOP_S: Final = 5.0
_LONGEST_LINE: Final = 8_190


def error_answer(refused: RefusedError) -> web.Response:
    """Write a refusal."""
    body = ErrorBody(error=ApiError(reason=refused.reason, message=refused.message))
    headers = {"Retry-After": str(refused.retry_after_s)} if isinstance(refused, UnavailableError) else None
    return web.Response(
        status=refused.status,
        body=body.model_dump_json().encode("utf-8", "replace"),
        content_type="application/json",
        headers=headers,
    )


def _counting(requests: Requests, connections: Connections) -> Middleware:
    """Make the middleware that turns exceptions into answers and counts them."""

    @web.middleware
    async def middleware(request: web.Request, handler: Handler) -> web.StreamResponse:
        resource = request.match_info.route.resource
        path = resource.canonical if resource is not None else "other"
        with connections.serving(request.protocol):
            answer = await _answered(request, handler)
        requests[path, answer.status] += 1
        return answer

    return middleware


async def _answered(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except RefusedError as refused:
        return error_answer(refused)
    except web.HTTPException as error:
        failure = RefusedError(type(error).__name__.removeprefix("HTTP"), f"{request.method} is not possible here")
        answer = error_answer(failure)
        answer.set_status(error.status)
        return answer
    except ConnectionResetError:
        raise
    except Exception:  # noqa: BLE001 - whatever a request does, it is answered, and the sender keeps what it has
        _LOG.exception("a request failed", extra={"path": request.path})
        return error_answer(UnavailableError("InternalError", "the collector failed; its log says why"))


class Listener:
    """An application on a port, with TLS when a certificate is named; routes are added to ``application``.

    ``silent_s`` is as of `Connections`; ``longest_line`` is how many bytes a request's path and parameters may have.
    """

    def __init__(
        self,
        requests: Requests,
        host: str,
        port: int,
        certificate: ServerCertificate | None,
        silent_s: float,
        *,
        longest_line: int = _LONGEST_LINE,
    ) -> None:
        self._connections = Connections(silent_s)
        self.application = web.Application(middlewares=[_counting(requests, self._connections)])
        self._host = host
        self._port = port
        self._certificate = certificate
        self._longest_line = longest_line
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen."""
        # Bodies are decompressed by us, because only we stop at a limit.
        self._runner = web.AppRunner(
            self.application,
            logger=_PROTOCOL_LOG,
            access_log=None,
            auto_decompress=False,
            max_line_size=self._longest_line,
            keepalive_timeout=IDLE_S,
            shutdown_timeout=_STOP_S,
        )
        await self._runner.setup()
        context = self._certificate.context if self._certificate is not None else None
        if (server := self._runner.server) is not None:  # it is, after setup
            self._connections.listen(server, self._host, self._port, context)

    async def stop(self) -> None:
        """Stop listening and let requests under way end."""
        await self._connections.close()
        if self._runner is not None:
            await self._runner.cleanup()
