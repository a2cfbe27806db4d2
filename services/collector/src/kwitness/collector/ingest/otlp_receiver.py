"""An OTLP export, however it arrived, through the pipeline and back as OTLP's answer."""

from __future__ import annotations

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)

from kwitness.collector.ingest.authentication import Caller
from kwitness.collector.ingest.bodies import Budget
from kwitness.collector.ingest.otlp_places import Places
from kwitness.collector.ledger import RECEIVE
from kwitness.collector.otlp.requests import Numbering, points_in, response, to_events, why_left_out
from kwitness.collector.pipeline import Pipeline, now_ms


class OtlpReceiver:
    """Numbers what plain OTLP brings, since nobody else did."""

    def __init__(self, pipeline: Pipeline, numbering: Numbering, budget: Budget) -> None:
        self.places = Places(budget, pipeline.ledger.hop(RECEIVE))
        self._pipeline = pipeline
        self._numbering = numbering

    async def export(self, request: ExportMetricsServiceRequest, caller: Caller) -> ExportMetricsServiceResponse:
        """Take a request; raises `UnavailableError` when it should be sent again."""
        export = to_events(request, self._numbering, now_ms(), caller.cluster_id, caller.name)
        outcome = await self._pipeline.accept_pushes(export.events, forwarded=False)
        rejected = {one.seq for one in outcome.rejected}
        refused = export.refused_points + sum(points_in(event) for event in export.events if event.seq in rejected)
        refused += sum(outcome.left_out.values())
        because = (export.refused_because, *(one.message for one in outcome.rejected), why_left_out(outcome.left_out))
        return response(refused, next(filter(None, because), ""))
