"""Generated from contracts/registry/observer_metrics.yaml by `make generate`; do not edit."""

# fmt: off
# ruff: noqa: E501
from __future__ import annotations

from kwitness.contracts.registry_entries import OwnMetric

ENTRIES: tuple[OwnMetric, ...] = (
    OwnMetric(name="kwitness_observer_info", type="gauge", labels=("version", "settings"), source="observer", help="Always 1; version and settings in use are in the labels.", bounds=()),
    OwnMetric(name="kwitness_observer_suspended", type="gauge", labels=(), source="observer", help="Whether spec.suspend stops observation (1) or not (0).", bounds=()),
    OwnMetric(name="kwitness_observer_relay_only_until_seconds", type="gauge", labels=(), source="observer", help="Until when nothing is observed because the process before was killed, in seconds since 1970; no sample at other times.", bounds=()),
    OwnMetric(name="kwitness_observer_settings_refused_total", type="counter", labels=(), source="observer", help="Changes of the settings file that were refused.", bounds=()),
    OwnMetric(name="kwitness_observer_certificate_refused_total", type="counter", labels=(), source="observer", help="Changes of the listener's certificate files that were refused.", bounds=()),
    OwnMetric(name="kwitness_observer_tls_failed_total", type="counter", labels=("reason",), source="observer", help="Connections of clients that were closed because the TLS handshake failed, by reason.", bounds=()),
    OwnMetric(name="kwitness_observer_unserved_total", type="counter", labels=("mechanism",), source="observer", help="Attempts to authenticate that fail where brokers' addresses are changed, by SASL mechanism.", bounds=()),
    OwnMetric(name="kwitness_observer_connections", type="gauge", labels=("state",), source="observer", help="Open connections of clients by state: sniff, observed, opaque, relay_only.", bounds=()),
    OwnMetric(name="kwitness_observer_opaque_total", type="counter", labels=("reason",), source="observer", help="Connections that the observer began to pass on unread, by reason.", bounds=()),
    OwnMetric(name="kwitness_observer_resumed_total", type="counter", labels=("reason",), source="observer", help="Connections that were unread and are read again from a request on, by the reason for which they were unread: relay_only, in_flight, correlation.", bounds=()),
    OwnMetric(name="kwitness_observer_connections_opened_total", type="counter", labels=(), source="observer", help="Connections that clients opened.", bounds=()),
    OwnMetric(name="kwitness_observer_connections_closed_total", type="counter", labels=("end",), source="observer", help="Connections that ended, by what ended them.", bounds=()),
    OwnMetric(name="kwitness_observer_accept_failed_total", type="counter", labels=("reason",), source="observer", help="Attempts to accept a client's connection that the system refused, by reason.", bounds=()),
    OwnMetric(name="kwitness_observer_bytes_total", type="counter", labels=("direction",), source="observer", help="Bytes that were passed on: request (from clients) and response (to clients).", bounds=()),
    OwnMetric(name="kwitness_observer_buffered_bytes", type="gauge", labels=(), source="observer", help="Bytes that connections keep and that count against the budget of the process.", bounds=()),
    OwnMetric(name="kwitness_observer_buffer_limit_bytes", type="gauge", labels=(), source="observer", help="Bytes that all connections together may keep.", bounds=()),
    OwnMetric(name="kwitness_observer_buffer_waits_total", type="counter", labels=(), source="observer", help="Times that a connection stopped reading because the budget was used up.", bounds=()),
    OwnMetric(name="kwitness_observer_unread_total", type="counter", labels=("reason",), source="observer", help="Requests passed on and not wholly understood, and record batches passed on unread, by reason.", bounds=()),
    OwnMetric(name="kwitness_observer_api_versions_total", type="counter", labels=("information",), source="observer", help="ApiVersions requests by their information on the client's software (KIP-511): named, unnamed (a version before 3), invalid (a broker refuses the name or version), unread.", bounds=()),
    OwnMetric(name="kwitness_observer_panics_total", type="counter", labels=(), source="observer", help="Errors of the observer itself; each made one connection opaque, or ended it.", bounds=()),
    OwnMetric(name="kwitness_observer_ended_threads", type="gauge", labels=(), source="observer", help="Threads that relay connections and ended by such an error; the process is not ready then.", bounds=()),
    OwnMetric(name="kwitness_observer_events_total", type="counter", labels=("outcome", "reason"), source="observer", help="Rows by outcome: accepted, delivered to the collector, dropped.", bounds=()),
    OwnMetric(name="kwitness_observer_queued_events", type="gauge", labels=(), source="observer", help="Rows that wait for the collector: accepted = delivered + queued + dropped.", bounds=()),
    OwnMetric(name="kwitness_observer_telemetry_instances", type="gauge", labels=(), source="observer", help="Client instances whose telemetry requests the observer answers and that it remembers.", bounds=()),
    OwnMetric(name="kwitness_observer_telemetry_evicted_total", type="counter", labels=(), source="observer", help="Client instances that the observer forgot to make room for others.", bounds=()),
    OwnMetric(name="kwitness_observer_telemetry_requests_total", type="counter", labels=("api", "error"), source="observer", help="Telemetry requests that the observer answered, by Kafka's names of API and error.", bounds=()),
    OwnMetric(name="kwitness_observer_telemetry_unread_total", type="counter", labels=(), source="observer", help="Connections whose client was not offered telemetry because the broker's ApiVersions response could not be read.", bounds=()),
    OwnMetric(name="kwitness_observer_pushes_total", type="counter", labels=("outcome", "reason"), source="observer", help="Pushes of clients by outcome: accepted, delivered to the collector, dropped.", bounds=()),
    OwnMetric(name="kwitness_observer_queued_pushes", type="gauge", labels=(), source="observer", help="Pushes that wait for the collector: accepted = delivered + queued + dropped.", bounds=()),
    OwnMetric(name="process_resident_memory_bytes", type="gauge", labels=(), source="observer", help="Resident memory size in bytes.", bounds=()),
)
