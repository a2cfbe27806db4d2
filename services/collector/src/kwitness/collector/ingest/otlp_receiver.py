"""An OTLP export, however it arrived, through the pipeline and back as OTLP's answer."""

from __future__ import annotations

import asyncio
from typing import Final

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)

from kwitness.collector.ingest.authentication import Caller
from kwitness.collector.ingest.bodies import Budget
from kwitness.collector.ingest.otlp_places import Places
from kwitness.collector.ledger import RECEIVE
from kwitness.collector.otlp.requests import (
    Export,
    Numbering,
    parse,
    points_in,
    response,
    to_events,
    why_left_out,
)
from kwitness.collector.pipeline import Pipeline, now_ms

_LARGE: Final = 16 * 1024
"""Bytes of an export that is read in a thread: others have their turn meanwhile."""


class OtlpReceiver:
    """Numbers what plain OTLP brings, since nobody else did."""

    def __init__(self, pipeline: Pipeline, numbering: Numbering, budget: Budget) -> None:
        self.places = Places(budget, pipeline.ledger.hop(RECEIVE))
        self._pipeline = pipeline
        self._numbering = numbering
        # Two threads at once would take the time of everything else.
        self._turn = asyncio.Semaphore(1)

    async def export(self, body: bytes, caller: Caller, *, as_json: bool) -> ExportMetricsServiceResponse:
        """Take a request; raises `RefusedError`, and `UnavailableError` when it should be sent again."""
        if len(body) > _LARGE:
            async with self._turn:
                export = await asyncio.to_thread(self._read, body, caller, as_json=as_json)
        else:
            export = self._read(body, caller, as_json=as_json)
        outcome = await self._pipeline.accept_pushes(export.events, forwarded=False)
        rejected = {one.seq for one in outcome.rejected}
        refused = export.refused_points + sum(points_in(event) for event in export.events if event.seq in rejected)
        refused += sum(outcome.left_out.values())
        because = (export.refused_because, *(one.message for one in outcome.rejected), why_left_out(outcome.left_out))
        return response(refused, next(filter(None, because), ""))

    def _read(self, body: bytes, caller: Caller, *, as_json: bool) -> Export:
        request = parse(body, as_json=as_json)
        return to_events(request, self._numbering, now_ms(), caller.cluster_id, caller.name)
