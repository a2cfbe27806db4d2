"""What a client itself says about how it fares: the values that alerts on clients look at, without their thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from kwitness.contracts.envelopes import ClientMetricValue
from kwitness.contracts.metric_prefix import PREFIX

from .metric_values import name_with_attributes, number_text

__all__ = ["Symptom", "facts_of"]


class Symptom(NamedTuple):
    """Something that a client may suffer from, and the metrics that tell, without `org.apache.kafka.`."""

    what: str
    metrics: tuple[str, ...]


SYMPTOMS: Final = (
    Symptom(
        "Brokers throttle it",
        ("producer.produce.throttle.time.avg", "consumer.fetch.manager.fetch.throttle.time.avg"),
    ),
    Symptom("Records that it gave up", ("producer.record.error.rate",)),
    Symptom("Records that it sent again", ("producer.record.retry.rate",)),
    Symptom(
        "Rebalances of its group in an hour",
        (
            "consumer.coordinator.rebalance.rate.per.hour",
            "consumer.coordinator.failed.rebalance.rate.per.hour",
        ),
    ),
    Symptom("Connections that it makes", ("producer.connection.creation.rate", "consumer.connection.creation.rate")),
    Symptom(
        "How long its requests take",
        (
            "producer.node.request.latency.avg",
            "producer.request.latency.avg",
            "consumer.node.request.latency.avg",
        ),
    ),
    Symptom("How much of the time its poll is idle", ("consumer.poll.idle.ratio.avg",)),
    Symptom("Since its last poll", ("consumer.last.poll.seconds.ago",)),
)
"""In the order in which they are told."""


def facts_of(points: Iterable[ClientMetricValue]) -> list[str]:
    """A sentence for each symptom of which there is a value: the greatest, and the metric that has it.

    Of several series, such as one for each broker, the greatest is told.
    """
    by_name: dict[str, list[ClientMetricValue]] = {}
    for one in points:
        if one.value is not None and not math.isnan(one.value):  # a client that measured nothing sends NaN
            by_name.setdefault(one.name.removeprefix(PREFIX), []).append(one)
    found = []
    for symptom in SYMPTOMS:
        for name in symptom.metrics:
            if series := by_name.get(name):
                greatest = max(series, key=lambda one: one.value or 0.0)
                unit = "" if greatest.unit in {"", "1"} else f" {greatest.unit}"
                most = " at most" if len(series) > 1 else ""
                amount = f"{number_text(greatest.value or 0.0)}{unit}{most}"
                found.append(f"{symptom.what}: {amount} ({name_with_attributes(greatest)}).")
    return found
