"""Generated from contracts/registry/own_metrics.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import OwnMetric

ENTRIES: tuple[OwnMetric, ...] = (
    OwnMetric(name="kafka_client_connections", type="gauge", labels=("cluster_id", "listener", "client_software_name", "client_software_version", "source"), source="collector", help='Open client connections by software, as the brokers count them (source="broker") or observers do (source="observer"); the series disappears at zero.', bounds=()),
    OwnMetric(name="kwitness_client_instances", type="gauge", labels=("cluster_id", "client_id", "client_software_name", "client_software_version"), source="collector", help="Client instances combined in the series with these labels.", bounds=()),
    OwnMetric(name="kwitness_series", type="gauge", labels=("component",), source="collector", help="Series exposed now.", bounds=()),
    OwnMetric(name="kwitness_series_overflow_total", type="counter", labels=("component", "reason"), source="collector", help="Series that did not fit the budget.", bounds=()),
    OwnMetric(name="kwitness_parser_errors_total", type="counter", labels=("component", "reason"), source="collector", help="Pushes or requests that could not be decoded.", bounds=()),
    OwnMetric(name="kwitness_metric_type_conflicts_total", type="counter", labels=("component",), source="collector", help="Metrics that came with two types under one name and were split.", bounds=()),
    OwnMetric(name="kwitness_label_values_cut_total", type="counter", labels=("component", "label"), source="collector", help="Label values cut because a client sent more than 128 characters.", bounds=()),
    OwnMetric(name="kwitness_ledger_events_total", type="counter", labels=("component", "hop", "outcome", "reason"), source="collector", help="Events at each hop by outcome: accepted, delivered, dropped.", bounds=()),
    OwnMetric(name="kwitness_ledger_queued_events", type="gauge", labels=("component", "hop"), source="collector", help="Events waiting at each hop.", bounds=()),
    OwnMetric(name="kwitness_ledger_epoch", type="gauge", labels=("component",), source="collector", help="Start of the epoch that the ledger counts in, in seconds since 1970.", bounds=()),
    OwnMetric(name="kwitness_duplicates_total", type="counter", labels=("component",), source="collector", help="Pushes that came again and were not counted twice.", bounds=()),
    OwnMetric(name="kwitness_clients", type="gauge", labels=("component",), source="collector", help="Client instances heard from that have not expired.", bounds=()),
    OwnMetric(name="kwitness_ingest_requests_total", type="counter", labels=("path", "code"), source="collector", help="Requests by path and status code.", bounds=()),
    OwnMetric(name="kwitness_plugin_heartbeat_seconds", type="gauge", labels=("cluster_id", "broker_id"), source="collector", help="When a broker's plugin was last heard from, in seconds since 1970.", bounds=()),
    OwnMetric(name="kwitness_plugin_events_total", type="counter", labels=("cluster_id", "broker_id", "outcome", "reason"), source="collector", help="The plugin's own ledger, from its heartbeat: accepted, delivered, dropped.", bounds=()),
    OwnMetric(name="kwitness_plugin_queued_events", type="gauge", labels=("cluster_id", "broker_id"), source="collector", help="Pushes waiting in a broker's plugin, from its heartbeat: accepted = delivered + queued + dropped.", bounds=()),
    OwnMetric(name="kafka_client_requests_total", type="counter", labels=("cluster_id", "api", "topic", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Produce and fetch requests that named a topic, as observers saw them.", bounds=()),
    OwnMetric(name="kafka_client_records_total", type="counter", labels=("cluster_id", "api", "topic", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Records produced and fetched, as observers saw them.", bounds=()),
    OwnMetric(name="kafka_client_record_bytes_total", type="counter", labels=("cluster_id", "api", "topic", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Bytes of their record batches as they travelled.", bounds=()),
    OwnMetric(name="kafka_client_errors_total", type="counter", labels=("cluster_id", "api", "topic", "principal", "client_id", "client_software_name", "client_software_version", "error"), source="collector", help="Errors of partitions in answers to these requests, by Kafka's error code.", bounds=()),
    OwnMetric(name="kafka_client_api_requests_total", type="counter", labels=("cluster_id", "api", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Requests of every kind, as observers saw them.", bounds=()),
    OwnMetric(name="kafka_client_request_bytes_total", type="counter", labels=("cluster_id", "api", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Bytes of requests, as observers saw them.", bounds=()),
    OwnMetric(name="kafka_client_response_bytes_total", type="counter", labels=("cluster_id", "api", "principal", "client_id", "client_software_name", "client_software_version"), source="collector", help="Bytes of answers, as observers saw them.", bounds=()),
    OwnMetric(name="kafka_client_api_errors_total", type="counter", labels=("cluster_id", "api", "principal", "client_id", "client_software_name", "client_software_version", "error"), source="collector", help="Answers that are an error as a whole, by Kafka's error code.", bounds=()),
    OwnMetric(name="kafka_client_response_time_seconds", type="histogram", labels=("cluster_id", "api", "topic", "principal"), source="collector", help="Time from request to answer, as observers saw it, without fetches that waited for records.", bounds=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)),
    OwnMetric(name="kwitness_observer_connections", type="gauge", labels=("cluster_id", "namespace", "name", "pod", "state"), source="collector", help="Open connections of an observer by state: sniff, observed, opaque, relay_only.", bounds=()),
    OwnMetric(name="kwitness_observer_heartbeat_seconds", type="gauge", labels=("cluster_id", "namespace", "name", "pod"), source="collector", help="When an observer was last heard from, in seconds since 1970.", bounds=()),
    OwnMetric(name="kwitness_observer_events_total", type="counter", labels=("cluster_id", "namespace", "name", "pod", "outcome", "reason"), source="collector", help="An observer's own ledger, from its heartbeat: accepted, delivered, dropped.", bounds=()),
    OwnMetric(name="kwitness_observer_queued_events", type="gauge", labels=("cluster_id", "namespace", "name", "pod"), source="collector", help="Rows waiting in an observer, from its heartbeat: accepted = delivered + queued + dropped.", bounds=()),
    OwnMetric(name="kwitness_observer_uncertain_ends_total", type="counter", labels=("cluster_id", "namespace", "name"), source="collector", help="Observers that ended without a last word: they were killed, or not heard of any more.", bounds=()),
    OwnMetric(name="kwitness_observer_uncertain_seconds_total", type="counter", labels=("cluster_id", "namespace", "name"), source="collector", help="Time in which such observers saw what may not be delivered: from what they had sealed until the next one of the pod began, or the pod was given up.", bounds=()),
    OwnMetric(name="kwitness_build_info", type="gauge", labels=("component", "version"), source="every component", help="Always 1; the version is in the label.", bounds=()),
    OwnMetric(name="kwitness_reconcile_total", type="counter", labels=("kind", "result"), source="operator", help="Reconciliations by result: success, settled (waits for a change by people), error (will be tried again).", bounds=()),
    OwnMetric(name="kwitness_reconcile_errors_total", type="counter", labels=("kind",), source="operator", help="Reconciliations that failed and will be tried again.", bounds=()),
    OwnMetric(name="kwitness_reconcile_duration_seconds", type="histogram", labels=("kind",), source="operator", help="Time a reconciliation took.", bounds=()),
    OwnMetric(name="kwitness_workqueue_depth", type="gauge", labels=("kind",), source="operator", help="Resources that are due and wait for a worker.", bounds=()),
    OwnMetric(name="kwitness_api_writes_total", type="counter", labels=("verb", "resource"), source="operator", help="Writes to the Kubernetes API.", bounds=()),
    OwnMetric(name="kwitness_broker_writes_total", type="counter", labels=("operation",), source="operator", help="Changes of broker configuration and topics.", bounds=()),
    OwnMetric(name="kwitness_drift_repairs_total", type="counter", labels=("kind",), source="operator", help="Foreign changes that were repaired.", bounds=()),
    OwnMetric(name="kwitness_watch_last_success_seconds", type="gauge", labels=("resource",), source="operator", help="When a watch last connected or listed, in seconds since 1970.", bounds=()),
    OwnMetric(name="kwitness_resource_ready", type="gauge", labels=("kind", "namespace", "name", "reason"), source="operator", help="Whether a resource is ready (1) or not (0).", bounds=()),
    OwnMetric(name="kwitness_job_events_total", type="counter", labels=("namespace", "name", "outcome", "reason"), source="operator", help="Records at the present driver of an AnalyticsJob by outcome: accepted, delivered into the table, dropped.", bounds=()),
    OwnMetric(name="kwitness_job_queued_events", type="gauge", labels=("namespace", "name"), source="operator", help="Records in the micro-batch that an AnalyticsJob's driver runs.", bounds=()),
    OwnMetric(name="kwitness_job_lag_records", type="gauge", labels=("namespace", "name"), source="operator", help="Records in the topics that an AnalyticsJob has not read yet.", bounds=()),
)
