"""The collector's own metrics in the text formats, each as the registry defines it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from kwitness.collector.inventory.observers import Observer, Uncertain
from kwitness.collector.inventory.reporters import ProfileKey
from kwitness.collector.observation import Observation
from kwitness.collector.pipeline import Pipeline, now_ms
from kwitness.collector.prometheus.exposition import heading, sample
from kwitness.collector.prometheus.labels import label_value, render
from kwitness.collector.prometheus.render_errors import OWN, RENDER_ERRORS, rendered_wholly
from kwitness.contracts.envelopes import ObserverReport, TelemetrySensors
from kwitness.contracts.own_metrics import own_metric
from kwitness.contracts.software import OTHER
from kwitness.contracts.software_defects import defects_of
from kwitness.runtime.service import installed_version

COMPONENT: Final = "collector"
_MOST_REASONS: Final = 16
"""Reasons of an observer that are told apart; ours have fewer."""
Rows = Iterable[tuple[Mapping[str, str], float]]


def family(name: str, rows: Rows, *, openmetrics: bool) -> str:
    """Write one of our families; ``rows`` hold the labels besides ``component`` and the value."""
    entry = own_metric(name)
    lines = [heading(name, entry.type, entry.help, openmetrics=openmetrics)]
    for labels, value in rows:
        full = {"component": COMPONENT, **labels} if "component" in entry.labels else labels
        lines.append(sample(name, render((key, label_value(text)[0]) for key, text in full.items() if text), value))
    return "".join(lines) if len(lines) > 1 else ""


def _family(name: str, rows: Rows, *, openmetrics: bool) -> Iterator[bytes]:
    yield family(name, rows, openmetrics=openmetrics).encode("utf-8", "replace")


def render_own(
    pipeline: Pipeline,
    observation: Observation,
    requests: Mapping[tuple[str, int], int],
    clients_without_info: int,
    *,
    openmetrics: bool,
) -> bytes:
    """Write everything the collector says about itself, and the connection gauges of brokers and observers."""
    state, ledger = pipeline.state, pipeline.ledger
    counts = state.core.counts()
    hops = ledger.hops()
    overflowed = dict(counts.overflowed)
    if observation.totals.overflowed:
        overflowed["observers"] = observation.totals.overflowed
    if observation.totals.pods_overflowed:
        overflowed["observer_pods"] = observation.totals.pods_overflowed
    intercepted = observation.interception.totals
    if intercepted.overflowed:
        overflowed["interceptors"] = intercepted.overflowed
    if intercepted.pods_overflowed:
        overflowed["interceptor_pods"] = intercepted.pods_overflowed
    headers = observation.headers.series
    if headers.overflowed:
        overflowed["headers"] = headers.overflowed
    overflowed |= state.clients.left_out
    if clients_without_info:
        overflowed["client_info"] = clients_without_info
    if state.brokers.software.overflowed:
        overflowed["software"] = state.brokers.software.overflowed
    events: list[tuple[Mapping[str, str], float]] = []
    for hop in hops:
        events.append(({"hop": hop.name, "outcome": "accepted", "reason": ""}, hop.accepted))
        events.append(({"hop": hop.name, "outcome": "delivered", "reason": ""}, hop.delivered))
        events += [
            ({"hop": hop.name, "outcome": "dropped", "reason": reason}, count) for reason, count in hop.dropped.items()
        ]
    connections = list(_connections(pipeline, observation))
    families: list[tuple[str, Rows]] = [
        ("kafka_client_connections", connections),
        ("kafka_client_software_known_wrong", _known_wrong(connections)),
        ("kwitness_series", [({}, counts.series + observation.totals.series + intercepted.series + headers.series)]),
        ("kwitness_series_overflow_total", [({"reason": key}, count) for key, count in overflowed.items()]),
        ("kwitness_parser_errors_total", [({"reason": key}, count) for key, count in state.parser_errors.items()]),
        ("kwitness_render_errors_total", [({"reason": key}, count) for key, count in RENDER_ERRORS.items()]),
        ("kwitness_metric_type_conflicts_total", [({}, counts.conflicts)]),
        ("kwitness_filtered_points_total", [({}, pipeline.privacy.points)] if pipeline.privacy.active else []),
        ("kwitness_filtered_attributes_total", [({}, pipeline.privacy.attributes)] if pipeline.privacy.active else []),
        ("kwitness_label_values_cut_total", [({"label": key}, count) for key, count in counts.cut_values.items()]),
        ("kwitness_ledger_events_total", events),
        ("kwitness_ledger_queued_events", [({"hop": hop.name}, hop.queued) for hop in hops]),
        ("kwitness_ledger_epoch", [({}, ledger.epoch_ms / 1000)]),
        ("kwitness_duplicates_total", [({}, pipeline.duplicates)]),
        ("kwitness_clients", [({}, len(state.clients))]),
        (
            "kwitness_ingest_requests_total",
            [({"path": path, "code": str(code)}, count) for (path, code), count in requests.items()],
        ),
        ("kwitness_plugin_heartbeat_seconds", _heartbeats(pipeline)),
        ("kwitness_plugin_events_total", _plugin_events(pipeline)),
        ("kwitness_plugin_queued_events", _plugin_queues(pipeline)),
        ("kwitness_broker_client_metrics_instances", _sensors(pipeline, lambda one: one.instances)),
        ("kwitness_broker_telemetry_throttled_total", _sensors(pipeline, lambda one: one.throttled)),
        (
            "kwitness_broker_telemetry_unknown_subscription_total",
            _sensors(pipeline, lambda one: one.unknown_subscription),
        ),
        ("kwitness_broker_telemetry_plugin_errors_total", _sensors(pipeline, lambda one: one.plugin_errors)),
        ("kwitness_observer_heartbeat_seconds", _observer_heartbeats(observation)),
        ("kwitness_observer_connections", _observer_connections(observation)),
        ("kwitness_observer_opaque_total", _counted(observation, "reason", lambda state: state.opaque)),
        ("kwitness_observer_unread_total", _counted(observation, "reason", lambda state: state.unread)),
        (
            "kwitness_observer_api_versions_total",
            _counted(observation, "information", lambda state: state.api_versions),
        ),
        ("kwitness_observer_events_total", _observer_events(observation)),
        ("kwitness_observer_queued_events", _observer_queues(observation)),
        ("kwitness_observer_uncertain_ends_total", _uncertain(observation, lambda one: one.ends)),
        ("kwitness_observer_uncertain_seconds_total", _uncertain(observation, lambda one: one.milliseconds / 1000)),
        ("kwitness_observer_relay_only_until_seconds", _relay_only(observation)),
        (
            "kwitness_recent_windows_left_out_total",
            [({"reason": reason}, count) for reason, count in observation.windows.left_out.items()],
        ),
        ("kwitness_observer_workloads_refused_total", [({}, observation.observers.workloads_refused)]),
        ("kwitness_interceptor_reporters", _reporters(observation)),
        ("kwitness_interceptor_clients", _intercepted_clients(observation)),
        ("kwitness_interceptor_clients_without", _clients_without(observation)),
        ("kwitness_interceptor_uncertain_ends_total", _uncertain_reporters(observation)),
        ("kwitness_build_info", [({"version": installed_version()}, 1)]),
    ]
    return b"".join(
        piece
        for name, rows in families
        for piece in rendered_wholly(name, _family(name, rows, openmetrics=openmetrics), of=OWN)
    )


def _connections(pipeline: Pipeline, observation: Observation) -> Rows:
    sources = {
        "broker": pipeline.state.brokers.connections(),
        "observer": observation.observers.connections(now_ms(), pipeline.state.brokers.software.shown),
    }
    for source, totals in sources.items():
        for (cluster, listener, name, software), count in totals.items():
            yield (
                {
                    "cluster_id": cluster,
                    "listener": listener,
                    "client_software_name": name,
                    "client_software_version": software,
                    "source": source,
                },
                count,
            )


def _known_wrong(connections: Rows) -> Rows:
    names = ("cluster_id", "client_software_name", "client_software_version")
    for cluster, name, version in sorted({tuple(labels[key] for key in names) for labels, _ in connections}):
        for defect in defects_of(name, version):
            yield dict(zip(names, (cluster, name, version), strict=True)) | {"known_wrong": defect.id}, 1


def _heartbeats(pipeline: Pipeline) -> Rows:
    for (cluster, broker), one in pipeline.state.brokers.brokers.items():
        yield {"cluster_id": cluster, "broker_id": broker}, one.heard_ms / 1000


def _plugin_events(pipeline: Pipeline) -> Rows:
    for (cluster, broker), one in pipeline.state.brokers.brokers.items():
        ledger = one.snapshot.ledger
        labels = {"cluster_id": cluster, "broker_id": broker}
        yield {**labels, "outcome": "accepted", "reason": ""}, ledger.accepted
        yield {**labels, "outcome": "delivered", "reason": ""}, ledger.delivered
        for reason, count in ledger.dropped.items():
            yield {**labels, "outcome": "dropped", "reason": reason}, count


def _plugin_queues(pipeline: Pipeline) -> Rows:
    for (cluster, broker), one in pipeline.state.brokers.brokers.items():
        yield {"cluster_id": cluster, "broker_id": broker}, one.snapshot.ledger.queued


def _sensors(pipeline: Pipeline, value: Callable[[TelemetrySensors], int | None]) -> Rows:
    for (cluster, broker), one in pipeline.state.brokers.brokers.items():
        count = None if one.snapshot.sensors is None else value(one.snapshot.sensors)
        if count is not None:
            yield {"cluster_id": cluster, "broker_id": broker}, count


def _observer_labels(one: Observer) -> dict[str, str]:
    observer = one.head.observer
    return {
        "cluster_id": one.head.cluster_id,
        "namespace": observer.namespace,
        "name": observer.name,
        "pod": one.pod,
    }


def _observer_heartbeats(observation: Observation) -> Rows:
    for one in observation.observers.known():
        # One that said its last word is not silent.
        if not one.head.state.ended:
            yield _observer_labels(one), one.heard_ms / 1000


def _observer_connections(observation: Observation) -> Rows:
    for one in observation.observers.heard(now_ms()):
        for state, count in _bounded(one.head.state.by_state):
            yield {**_observer_labels(one), "state": state}, count


def _observer_events(observation: Observation) -> Rows:
    for one in observation.observers.known():
        ledger, labels = one.head.state.ledger, _observer_labels(one)
        yield {**labels, "outcome": "accepted", "reason": ""}, ledger.accepted
        yield {**labels, "outcome": "delivered", "reason": ""}, ledger.delivered
        for reason, count in _bounded(ledger.dropped):
            yield {**labels, "outcome": "dropped", "reason": reason}, count


def _counted(observation: Observation, label: str, counts: Callable[[ObserverReport], Mapping[str, int]]) -> Rows:
    for one in observation.observers.known():
        labels = _observer_labels(one)
        for reason, count in _bounded(counts(one.head.state)):
            yield {**labels, label: reason}, count


def _bounded(counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Yield counts by what an observer calls them; a few dozen names of a stranger's would be a series each."""
    names = sorted(counts)
    yield from ((name, counts[name]) for name in names[:_MOST_REASONS])
    if len(names) > _MOST_REASONS:
        yield OTHER, sum(counts[name] for name in names[_MOST_REASONS:])


def _relay_only(observation: Observation) -> Rows:
    for one in observation.observers.heard(now_ms()):
        until_ms = one.head.state.relay_only_until_ms
        if until_ms is not None:
            yield _observer_labels(one), until_ms / 1000


def _uncertain(observation: Observation, value: Callable[[Uncertain], float]) -> Rows:
    for (cluster, namespace, name), one in observation.observers.uncertain.items():
        yield {"cluster_id": cluster, "namespace": namespace, "name": name}, value(one)


def _observer_queues(observation: Observation) -> Rows:
    for one in observation.observers.known():
        yield _observer_labels(one), one.head.state.ledger.queued


def _profile(key: ProfileKey) -> dict[str, str]:
    return dict(zip(("cluster_id", "namespace", "name", "runtime"), key, strict=True))


def _reporters(observation: Observation) -> Rows:
    for key, count in observation.interception.reporters.reporting(now_ms()).items():
        yield _profile(key), count


def _intercepted_clients(observation: Observation) -> Rows:
    for (key, side), count in observation.interception.reporters.clients(now_ms()).items():
        yield {**_profile(key), "side": side}, count


def _clients_without(observation: Observation) -> Rows:
    for key, counts in observation.interception.reporters.clients_without(now_ms()):
        for reason, count in _bounded(counts):
            yield {**_profile(key), "reason": reason}, count


def _uncertain_reporters(observation: Observation) -> Rows:
    for (cluster, namespace, name), ends in observation.interception.reporters.uncertain.items():
        yield {"cluster_id": cluster, "namespace": namespace, "name": name}, ends
