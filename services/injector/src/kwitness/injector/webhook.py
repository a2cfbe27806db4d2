"""The webhook: a review in, a patch out. Whatever goes wrong here, the pod is made."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from kwitness.contracts.endpoints import INJECT_PATH
from kwitness.injector import metrics
from kwitness.injector.configuration import Configuration
from kwitness.injector.decision.decide import Decision, Place, decide
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
            decision = await self._decide(review)
        except Exception:  # noqa: BLE001 - a fault of ours keeps nobody's pod from being made
            _LOG.exception("A review failed; the pod is made without observer", extra={"namespace": review.namespace})
            metrics.REVIEWS.labels(outcome="failed", reason="").inc()
            return web.json_response(answer(review.uid))
        reasons = sorted(set(decision.left_out.values()))
        counted = reasons[0] if decision.outcome == "left_out" else ""
        metrics.REVIEWS.labels(outcome=decision.outcome, reason=counted).inc()
        warning = None
        if decision.outcome == "left_out":
            said = ", ".join(f"{owner}: {reason}" for owner, reason in decision.left_out.items())
            warning = f"kwitness: this pod gets no observer ({said})"
        return web.json_response(answer(review.uid, decision.patch, warning))

    async def _decide(self, review: AdmissionRequest) -> Decision:
        place = await self._place(review.namespace)
        if place is None:
            return Decision("not_selected")
        return decide(review.object_, place, self._configuration.injections)
