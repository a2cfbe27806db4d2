"""Prints what the platform sees, for a person: from Prometheus, from the resources' status, from the table."""

from __future__ import annotations

import json
import math
import urllib.parse
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kwitness.answers.views.silence import explained
from kwitness.contracts.software import is_ours
from kwitness.demo import waiting
from kwitness.demo.cluster import DemoCluster

KINDS = (
    "kafkaclusters",
    "telemetrycollectors",
    "clientmetricssubscriptions",
    "observerdeployments",
    "headerregistries",
    "interceptorprofiles",
    "analyticsjobs",
)
"""The kinds whose status is shown, by plural name."""

SHOWN_METRICS = (
    "kafka_client_producer_connection_creation_total",
    "kafka_client_producer_node_request_latency_avg_seconds",
    "kafka_client_producer_record_queue_time_avg_seconds",
    "kafka_client_consumer_connection_creation_total",
    "kafka_client_consumer_node_request_latency_avg_seconds",
    "kafka_client_consumer_coordinator_assigned_partitions",
)
"""The handful of client metrics that the summary quotes."""

OBSERVED_METRICS = ("kafka_client_requests_total", "kafka_client_records_total", "kafka_client_record_bytes_total")
"""What observers count by topic and client, a column each."""

INTERCEPTED_METRICS = (
    "kafka_client_interceptor_sent_records_total",
    "kafka_client_interceptor_acknowledged_records_total",
    "kafka_client_interceptor_consumed_records_total",
)
"""What interceptors count by pod, client and topic, a column each."""

_END_TO_END = "kafka_client_interceptor_end_to_end_latency_seconds"
_PLACE = ("k8s_namespace", "k8s_workload", "k8s_pod")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything the summary is written from."""

    connections: Sequence[Mapping[str, Any]]
    """Prometheus samples of `kafka_client_connections`: `{"metric": labels, "value": [time, text]}`."""
    metrics: Mapping[str, Sequence[Mapping[str, Any]]]
    """For each of SHOWN_METRICS its samples."""
    observed: Mapping[str, Sequence[Mapping[str, Any]]]
    """For each of OBSERVED_METRICS its samples."""
    intercepted: Mapping[str, Sequence[Mapping[str, Any]]]
    """For each of INTERCEPTED_METRICS its samples."""
    end_to_end: Sequence[Mapping[str, Any]]
    """Samples of the mean time from a record's timestamp to the application, of the last minute, in seconds."""
    resources: Sequence[Mapping[str, Any]]
    """The custom resources as the API server holds them."""
    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    """Rows of the tables of the demo's jobs, by type."""


def query(cluster: DemoCluster, expression: str, *, namespace: str, service: str) -> list[dict[str, Any]]:
    """Ask Prometheus for an instant vector."""
    path = "/api/v1/query?query=" + urllib.parse.quote(expression)
    answer = cluster.http(namespace=namespace, service=service, port=9090, path=path)
    return list(answer["data"]["result"])


def table_rows(cluster: DemoCluster, job_type: str, *options: str, namespace: str, pod: str) -> list[dict[str, Any]]:
    """Rows of a job's table, read in a driver's pod without a JVM; of another table than the driver's by `--table`."""
    show = ["python3", "-m", "kwitness.jobs.show", job_type, "--json", "--limit=0", *options]
    text = cluster.kubectl("exec", pod, "--namespace", namespace, "--", *show)
    return list(json.loads(text))


def gather(
    cluster: DemoCluster, *, namespace: str, prometheus: str, tables: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Facts:
    """Read the facts from a running platform.

    Parameters
    ----------
    prometheus
        The Service of Prometheus in `namespace`.
    tables
        The rows of the jobs' tables, by type.
    """

    def ask(expression: str) -> list[dict[str, Any]]:
        return query(cluster, expression, namespace=namespace, service=prometheus)

    return Facts(
        connections=ask('kafka_client_connections{source="broker"}'),
        metrics={name: ask(name) for name in SHOWN_METRICS},
        observed={name: ask(name) for name in OBSERVED_METRICS},
        intercepted={name: ask(name) for name in INTERCEPTED_METRICS},
        end_to_end=ask(f"rate({_END_TO_END}_sum[1m]) / rate({_END_TO_END}_count[1m])"),
        resources=[item for kind in KINDS for item in cluster.items(kind, namespace)],
        tables=tables,
    )


def render(facts: Facts, parts: Collection[str]) -> str:
    """The summary as text, one section for each source whose part was started."""
    sections = [
        ("collector", "Connected, by software and version (Prometheus, from the broker's gauge)", _connections),
        ("clients", "A handful of their metrics (Prometheus, from their pushes)", _metrics),
        ("gateway", "Through the gateway, by client and topic (Prometheus, from the observer)", _observed),
        ("sidecars", "Beside a client, by its pod and topic (Prometheus, from the observer there)", _beside),
        ("interceptors", "In a client, by its pod and topic (Prometheus, from its interceptors)", _intercepted),
        ("headers", "Headers of records that are not as they are registered (status of the registers)", _headers),
        ("collector", "Pushing and silent (status of the subscriptions)", _subscriptions),
        ("broker", "Custom resources (status)", _resources),
        ("console", "The console", _console),
        ("client-inventory", "Inventory that Spark computed (Delta table)", _inventory),
        ("traffic", "Who writes and reads which topic (Delta table of Traffic)", _traffic),
        ("ledger-audit", "Whether what sources numbered has arrived, once each (Delta table of LedgerAudit)", _ledger),
        ("upgrade-impact", "Who uses what a later Kafka no longer answers (Delta table of UpgradeImpact)", _upgrade),
    ]
    return "\n\n".join(f"{title}\n{'-' * len(title)}\n{body(facts)}" for part, title, body in sections if part in parts)


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns as wide as their widest cell."""
    cells = [list(header), *[["" if cell is None else str(cell) for cell in row] for row in rows]]
    if len(cells) == 1:
        return "  (nothing)"
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def _connections(facts: Facts) -> str:
    rows = sorted(
        (
            sample["metric"].get("client_software_name", "unknown"),
            sample["metric"].get("client_software_version", "unknown"),
            sample["metric"].get("listener", ""),
            sample["value"][1],
        )
        for sample in facts.connections
    )
    return table(
        ["software", "version", "listener", "connections", ""],
        [(*row, "ours" if is_ours(None, *row[:2]) else "") for row in rows],
    )


def _metrics(facts: Facts) -> str:
    return table(
        ["metric", "client", "software", "value"],
        [
            (name, label.get("client_id"), _software(label), f"{float(sample['value'][1]):.4g}")
            for name, samples in facts.metrics.items()
            for sample in sorted(_known(samples), key=lambda one: str(one["metric"].get("client_id")))[:4]
            for label in [sample["metric"]]
        ],
    )


def _observed(facts: Facts) -> str:
    def key(label: Mapping[str, str]) -> tuple[str, ...] | None:
        if "k8s_pod" in label:
            return None
        return label.get("client_id", ""), _software(label), label.get("api", ""), label.get("topic", "")

    header = ["client", "software", "api", "topic", "requests", "records", "bytes"]
    return table(header, _counted(facts.observed, OBSERVED_METRICS, key))


def _beside(facts: Facts) -> str:
    def key(label: Mapping[str, str]) -> tuple[str, ...] | None:
        if "k8s_pod" not in label:
            return None
        return _of(label, "client_id", *_PLACE, "api", "topic")

    header = ["client", "namespace", "workload", "pod", "api", "topic", "requests", "records", "bytes"]
    return table(header, _counted(facts.observed, OBSERVED_METRICS, key))


def _intercepted(facts: Facts) -> str:
    # Latencies are by workload, counts by pod.
    shared = ("k8s_namespace", "k8s_workload", "group_id", "topic")
    latencies = {
        _of(sample["metric"], *shared): f"{float(sample['value'][1]):.3g} s" for sample in _known(facts.end_to_end)
    }

    def key(label: Mapping[str, str]) -> tuple[str, ...]:
        return *_of(label, "client_id", *_PLACE, "group_id", "topic"), latencies.get(_of(label, *shared), "")

    header = ["client", "namespace", "workload", "pod", "group", "topic", "latency", "sent", "acknowledged", "consumed"]
    return table(header, _counted(facts.intercepted, INTERCEPTED_METRICS, key))


def _headers(facts: Facts) -> str:
    return table(
        ["register", "key", "what is wrong", "clients", "topic"],
        [
            (
                item["metadata"]["name"],
                *(one.get(name) for name in ("key", "problem", "clientsTotal", "topic")),
            )
            for item in facts.resources
            if item["kind"] == "HeaderRegistry"
            for one in item.get("status", {}).get("findings", [])
        ],
    )


def _of(label: Mapping[str, str], *names: str) -> tuple[str, ...]:
    return tuple(label.get(name, "") for name in names)


def _counted(
    metrics: Mapping[str, Sequence[Mapping[str, Any]]],
    names: Sequence[str],
    key: Callable[[Mapping[str, str]], tuple[str, ...] | None],
) -> list[tuple[str | None, ...]]:
    """What was counted, a row for each key of labels, a column for each metric; samples without a key are left out."""
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for name in names:
        for sample in metrics.get(name, ()):
            if (cells := key(sample["metric"])) is not None:
                rows.setdefault(cells, {})[name] = sample["value"][1]
    return [(*cells, *(counts.get(name) for name in names)) for cells, counts in sorted(rows.items())]


def _known(samples: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Samples that say something: Java sends NaN for the average of nothing."""
    return [sample for sample in samples if not math.isnan(float(sample["value"][1]))]


def _software(label: Mapping[str, str]) -> str:
    return f"{label.get('client_software_name', '?')} {label.get('client_software_version', '?')}"


def _subscriptions(facts: Facts) -> str:
    lines: list[str] = []
    for item in facts.resources:
        if item["kind"] != "ClientMetricsSubscription":
            continue
        status = item.get("status", {})
        counts = ", ".join(f"{value} {key}" for key, value in status.get("clients", {}).items() if key != "source")
        lines.append(f"  {item['metadata']['name']}: {counts or 'no numbers yet'}")
        lines.extend(
            f"    silent: {one.get('clientSoftwareName', 'unknown')} {one.get('clientSoftwareVersion', '')}"
            f" (connections: {one.get('connections')}): {explained(one['reason']).because}"
            for one in status.get("silentSoftware", [])
        )
        if prefixes := status.get("unsentPrefixes"):
            lines.append(f"    asked for and sent by nobody: {', '.join(prefixes)}")
    return "\n".join(lines) or "  (no subscription)"


def _resources(facts: Facts) -> str:
    rows = []
    for item in facts.resources:
        ready = waiting.condition(item, "Ready") or {}
        message = str(ready.get("message", ""))
        rows.append((item["kind"], item["metadata"]["name"], ready.get("status"), ready.get("reason"), message[:90]))
    return table(["kind", "name", "ready", "reason", "message"], rows)


def _console(_: Facts) -> str:
    return """\
  kubectl port-forward service/kwitness-console 8443:443 --namespace kwitness
  kubectl create token demo-team --namespace demo-apps
  https://localhost:8443 takes that token, and shows the clients of demo-apps; its certificate is the demo's own."""


def _inventory(facts: Facts) -> str:
    return table(
        ["kind", "client", "software", "versions", "metrics", "conforms", "missing"],
        [
            (
                row.get("kind"),
                row.get("client_id"),
                row.get("client_software_name"),
                ", ".join(str(one.get("client_software_version")) for one in row.get("versions") or [])
                or row.get("client_software_version"),
                len(row.get("metrics") or []),
                {True: "yes", False: "no", None: ""}[row.get("conforms")],
                len(row.get("missing_required") or []) or "",
            )
            for row in sorted(
                facts.tables["ClientInventory"],
                key=lambda one: (
                    str(one.get("kind")),
                    *map(str, (one.get("client_id"), one.get("client_software_name"))),
                ),
            )
        ],
    )


def _traffic(facts: Facts) -> str:
    sums: dict[tuple[str, ...], list[int]] = {}
    windows: dict[tuple[str, ...], set[int]] = {}
    rows = facts.tables["Traffic"]
    shortest = min((row["window_seconds"] for row in rows), default=0)
    for row in rows:
        if row["kind"] != "partition" or row["window_seconds"] != shortest:
            continue
        key = tuple(str(row.get(name) or "") for name in ("topic", "api", "client_id", "principal"))
        counts = sums.setdefault(key, [0, 0, 0, 0])
        for at, name in enumerate(("requests", "records", "bytes", "error_count")):
            counts[at] += row.get(name) or 0
        windows.setdefault(key, set()).add(row["window_start_ms"])
    header = ["topic", "api", "client", "principal", "requests", "records", "bytes", "errors", "windows"]
    return table(header, [(*key, *counts, len(windows[key])) for key, counts in sorted(sums.items())])


def _ledger(facts: Facts) -> str:
    names = ("records", "missing", "duplicates", "dropped")
    sums: dict[tuple[str, str], list[int]] = {}
    for row in facts.tables["LedgerAudit"]:
        counts = sums.setdefault((row["kind"], row["state"]), [0] * (1 + len(names)))
        counts[0] += 1
        for at, name in enumerate(names, start=1):
            counts[at] += row[name] or 0
    return table(["source", "state", "sources", *names], [(*key, *counts) for key, counts in sorted(sums.items())])


def _upgrade(facts: Facts) -> str:
    used: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in facts.tables["UpgradeImpact"]:
        if row["kind"] == "request":
            names = ("client_id", "client_software_name", "client_software_version")
            used.setdefault(tuple(str(row[name] or "") for name in names), []).append(row)
    return table(
        ["client", "software", "version", "requests", "versions of APIs", "dropped later"],
        [
            (
                *client,
                sum(row["requests"] for row in rows),
                len(rows),
                ", ".join(
                    f"{row['api']} {row['api_version']} in {row['dropped_in']}" for row in rows if row["dropped_in"]
                )
                or "none",
            )
            for client, rows in sorted(used.items())
        ],
    )
