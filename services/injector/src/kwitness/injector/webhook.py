"""The webhook: a review in, a patch out. Whatever goes wrong here, the pod is made."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web
from prometheus_client import Counter

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.injector import metrics
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.decide import Decision, decide
from kwitness.injector.decision.interceptors import decide_on_interceptors
from kwitness.injector.decision.patch import applied
from kwitness.injector.decision.place import Place
from kwitness.injector.decision.pods import Json
from kwitness.injector.reviews import AdmissionRequest, BadReviewError, answer, parse_review

__all__ = ["FindPlace", "Webhook"]

FindPlace = Callable[[str], Awaitable[Place | None]]
"""By the name of a namespace; None where nobody knows it."""

_MOST_BYTES: Final = 4 * 1024 * 1024
"""An object of the API is smaller."""
_MOST_AT_ONCE: Final = 64

_LOG = logging.getLogger(__name__)


class Webhook:
    """Answers reviews from what is known now."""

    def __init__(self, configuration: Configuration, place: FindPlace) -> None:
        self._configuration = configuration
        self._place = place
        self._at_once = 0

    def application(self) -> web.Application:
        """The application with its one path."""
        application = web.Application(client_max_size=_MOST_BYTES)
        application.router.add_post(INJECT_PATH, self._bounded)
        return application

    async def _bounded(self, request: web.Request) -> web.Response:
        if self._at_once >= _MOST_AT_ONCE:
            metrics.REVIEWS.labels(outcome="refused", reason="busy").inc()
            return web.Response(status=503, text=f"{_MOST_AT_ONCE} reviews are under way: ask again")
        self._at_once += 1
        try:
            with metrics.REVIEW_DURATION.time():
                return await self._review(request)
        finally:
            self._at_once -= 1

    async def _review(self, request: web.Request) -> web.Response:
        try:
            review = parse_review(await request.read())
        except BadReviewError as error:
            metrics.REVIEWS.labels(outcome="refused", reason="review").inc()
            return web.Response(status=400, text=str(error))
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
