"""The webhook: a review in, a patch out. Whatever goes wrong here, the pod is made."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web
from prometheus_client import Counter

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.injector import metrics
from kwitness.injector.callers import MAX_CONNECTIONS, MAX_CONNECTIONS_OF_PEER, BusyError, Callers
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.decide import Decision, decide
from kwitness.injector.decision.interceptors import decide_on_interceptors
from kwitness.injector.decision.patch import applied
from kwitness.injector.decision.place import Place
from kwitness.injector.decision.pods import Json
from kwitness.injector.reviews import AdmissionRequest, BadReviewError, answer, parse_review
from kwitness.runtime.connections import Connections, peer_of

__all__ = ["FindPlace", "Webhook"]

FindPlace = Callable[[str], Awaitable[Place | None]]
"""By the name of a namespace; None where nobody knows it."""

_MOST_BYTES: Final = 3 * 1024 * 1024
"""An object of the API is smaller."""
_BODY_S: Final = 5
"""The API server waits for two seconds."""

_LOG = logging.getLogger(__name__)


class Webhook:
    """Answers reviews from what is known now."""

    def __init__(self, configuration: Configuration, place: FindPlace) -> None:
        self._configuration = configuration
        self._place = place
        self._callers = Callers()
        self.connections = Connections(_BODY_S, MAX_CONNECTIONS, MAX_CONNECTIONS_OF_PEER)

    def application(self) -> web.Application:
        """The application with its one path."""
        application = web.Application(client_max_size=_MOST_BYTES, middlewares=[self._serving])
        application.router.add_post(INJECT_PATH, self._bounded)
        return application

    @web.middleware
    async def _serving(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        with self.connections.serving(request.protocol):
            return await handler(request)

    async def _bounded(self, request: web.Request) -> web.Response:
        if request.content_length is None:
            return _refused(411, "length", "send the review with a Content-Length")
        if request.content_length > _MOST_BYTES:
            return _refused(413, "length", f"a review has {_MOST_BYTES} bytes at most")
        try:
            with self._callers.review(peer_of(request.transport), request.content_length):
                async with asyncio.timeout(_BODY_S):
                    body = await request.read()
                with metrics.REVIEW_DURATION.time():
                    return await self._review(body)
        except BusyError as error:
            return _refused(503, "busy", str(error))
        except TimeoutError:
            return _refused(408, "slow", f"the body did not come within {_BODY_S} s")

    async def _review(self, body: bytes) -> web.Response:
        try:
            review = parse_review(body)
        except BadReviewError as error:
            return _refused(400, "review", str(error))
        try:
            place = await self._place(review.namespace)
        except Exception:  # noqa: BLE001 - a fault of ours keeps nobody's pod from being made
            _LOG.exception("A review failed; the pod is made as it is", extra={"namespace": review.namespace})
            for counter in (metrics.REVIEWS, metrics.INTERCEPTOR_REVIEWS):
                counter.labels(outcome="failed", reason="").inc()
            return web.json_response(answer(review.uid))
        configuration = self._configuration
        observed = _decided(
            review, metrics.REVIEWS, place, lambda pod, there: decide(pod, there, configuration.injections)
        )
        pod = applied(review.object_, observed.patch)
        intercepted = _decided(
            review.model_copy(update={"object_": pod}),
            metrics.INTERCEPTOR_REVIEWS,
            place,
            lambda pod, there: decide_on_interceptors(pod, there, configuration.interceptors, observed.observer),
        )
        warnings = [*_warnings("observer", observed), *_warnings("interceptors", intercepted)]
        return web.json_response(answer(review.uid, (*observed.patch, *intercepted.patch), warnings))


def _refused(status: int, reason: str, text: str) -> web.Response:
    metrics.REVIEWS.labels(outcome="refused", reason=reason).inc()
    return web.Response(status=status, text=text)


def _decided(
    review: AdmissionRequest, counter: Counter, place: Place | None, decision: Callable[[Json, Place], Decision]
) -> Decision:
    """Decide and count; where that fails the pod is left as it is."""
    try:
        found = Decision("not_selected") if place is None else decision(review.object_, place)
    except Exception:  # noqa: BLE001 - a fault of ours keeps nobody's pod from being made
        _LOG.exception("A review failed; the pod is made as it is", extra={"namespace": review.namespace})
        counter.labels(outcome="failed", reason="").inc()
        return Decision("not_selected")
    reasons = sorted(set(found.left_out.values()))
    counter.labels(outcome=found.outcome, reason=reasons[0] if found.outcome == "left_out" else "").inc()
    return found


def _warnings(what: str, decision: Decision) -> list[str]:
    if decision.outcome != "left_out":
        return []
    said = ", ".join(f"{owner}: {reason}" for owner, reason in decision.left_out.items())
    return [f"kwitness: this pod gets no {what} ({said})"]
