"""The reference pages in `docs/reference`: every field, metric, topic, header, request and reason has its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kwitness.contracts.client_metrics import CLIENT_METRICS, ClientMetric
from kwitness.contracts.endpoints import COLLECTOR_PORT, OTLP_GRPC_PORT, OTLP_HTTP_PORT
from kwitness.contracts.identity import DEFAULT_LABELS, IDENTITY_KEYS, Identity
from kwitness.contracts.own_metrics import OBSERVER_METRICS, OWN_METRICS, OwnMetric
from kwitness.contracts.reasons import KUBERNETES_EVENTS, REASONS, WARNINGS
from kwitness.contracts.record_headers import RECORD_HEADERS
from kwitness.contracts.resources import KINDS, KindInfo
from kwitness.contracts.resources.contract_model import VALIDATIONS
from kwitness.contracts.resources.header_registry import ID_RANGES
from kwitness.contracts.software import SOFTWARE
from kwitness.contracts.software_defects import CRASH, DEFECTS, SoftwareDefect
from kwitness.contracts.topics import TOPICS

from .crds import crd
from .http_api import OPERATIONS
from .markdown import code as _code
from .markdown import table as _table
from .proposal_pages import from_the_proposals, proposal_metrics
from .reference_records import RECORDS, record

__all__ = ["reference"]

_MARK = "<!-- Generated from contracts/ by `make generate`; do not edit. -->\n\n"


def _bounds(node: dict[str, Any]) -> str:
    """Return what a field may be, in words."""
    said = []
    if "enum" in node:
        said.append("one of " + ", ".join(_code(value) for value in node["enum"]))
    for low, high, what in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
        ("minProperties", "maxProperties", " entries"),
    ):
        if low in node and high in node:
            said.append(f"{node[low]} to {node[high]}{what}")
        elif high in node and "enum" not in node:
            said.append(f"at most {node[high]}{what}")
        elif low in node:
            said.append(f"at least {node[low]}{what}")
    if "default" in node and node.get("type") != "object":
        shown = str(node["default"]).lower() if isinstance(node["default"], bool) else node["default"]
        said.append(f"default {_code(', '.join(map(str, shown)) if isinstance(shown, list) else shown)}")
    return "; ".join(said)


def _type(node: dict[str, Any]) -> str:
    return "quantity" if "x-kubernetes-int-or-string" in node else str(node["type"])


def _fields(node: dict[str, Any], path: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield path, type, bounds and meaning of every field below `node`."""
    required = node.get("required", [])
    for name, field in node.get("properties", {}).items():
        inner, suffix, kind = field, "", _type(field)
        if kind == "array":
            inner, suffix = field["items"], "[]"
            kind = f"list of {_type(inner)}"
        elif "additionalProperties" in field:
            kind = f"map of {_type(field['additionalProperties'])}"
        meaning = field["description"] + (" **Required.**" if name in required else "")
        bounds = "; ".join(part for part in (_bounds(field), _bounds(inner) if suffix else "") if part)
        yield f"{path}{name}{suffix}", kind, bounds, meaning
        if "properties" in inner:
            yield from _fields(inner, f"{path}{name}{suffix}.")


def _rules(node: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Yield path and message of every rule at and below `node`."""
    for rule in node.get(VALIDATIONS, []):
        yield (path + rule.get("fieldPath", "")).lstrip("."), rule["message"]
    for name, field in node.get("properties", {}).items():
        yield from _rules(field, f"{path}.{name}")
    if "items" in node:
        yield from _rules(node["items"], f"{path}[]")


def _kind(info: KindInfo) -> str:
    schema = crd(info)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    spec, status = schema["properties"]["spec"], schema["properties"]["status"]
    parts = [
        f"## {info.kind}\n",
        f"{schema['description']} Short name `{info.short_name}`, plural `{info.plural}`.\n",
        _table(
            ("Field", "Type", "Values", "Meaning"),
            ((_code(path), kind, bounds, text) for path, kind, bounds, text in _fields(spec, "spec.")),
        ),
        "Status:\n",
        _table(
            ("Field", "Type", "Meaning"),
            ((_code(path), kind, text) for path, kind, _, text in _fields(status, "status.")),
        ),
    ]
    rules = [(path or "metadata", message) for path, message in _rules(schema, "")]
    if rules:
        parts += [
            "What else the API server refuses:\n",
            _table(("Field", "Message"), ((_code(path), message) for path, message in dict.fromkeys(rules))),
        ]
    return "\n".join(parts)


def _resources() -> str:
    intro = (
        "# Custom resources\n\nGroup `kwitness.dev`, version `v1beta1`, category `kwitness` "
        "(`kubectl get kwitness`). Durations are written like `30s` or `1h30m`. Unknown fields are refused by "
        "kubectl's default validation and dropped otherwise. Of a Secret only the keys named here count.\n"
    )
    return "\n".join([intro, *(_kind(info) for info in KINDS)])


def _client_metric(metric: ClientMetric) -> tuple[str, ...]:
    return (
        _code(metric.name),
        _code(metric.prometheus_name),
        metric.type,
        metric.unit,
        metric.combine,
        "yes" if metric.required else "",
        ", ".join(metric.senders),
        metric.help,
    )


def _own_metrics(metrics: Iterable[OwnMetric]) -> str:
    head = ("Metric", "Type", "Labels", "Exposed by", "Meaning")
    rows = ((_code(row.name), row.type, ", ".join(map(_code, row.labels)), row.source, row.help) for row in metrics)
    return _table(head, rows)


def _metrics() -> str:
    head = ("On the wire", "In Prometheus", "Type", "Unit sent", "Combined by", "Required", "Sent by", "Meaning")
    return (
        "# Metrics\n\n## Of the platform\n\n"
        + _own_metrics(OWN_METRICS)
        + "\n## Of an observer\n\nEach observer exposes these on a port of its own ([how to scrape it]"
        "(../guides/see-it.md#observers)). The collector exposes those that it knows from the observers' reports under "
        "the same names, with the labels above.\n\n"
        + _own_metrics(OBSERVER_METRICS)
        + "\n## Of Kafka clients (KIP-714)\n\nOne name, type and unit whatever the client sent; the name on the wire "
        "is in HELP. Labels are the identity keys chosen in `TelemetryCollector.spec.prometheus.labels` (default "
        + ", ".join(map(_code, DEFAULT_LABELS))
        + "). Instances with the same labels, such as the replicas of a Deployment that have one client id, share a "
        "series and are combined as the table says; `kwitness_client_instances` tells how "
        "many. Metrics that are not in the table follow OpenTelemetry's translation and are combined by type: sums "
        "add, gauges are averaged.\n\n" + _table(head, map(_client_metric, CLIENT_METRICS))
    )


def _topics() -> str:
    rows = (
        (
            _code(f"kwitness.{one.name}"),
            one.status,
            one.writer,
            one.brought_by,
            one.key,
            f"{one.value}, `{one.schema}/{one.version}`",
            one.help,
        )
        for one in TOPICS
    )
    return (
        "# Topics\n\nThe prefix `kwitness.` is `KafkaCluster.spec.topics.prefix`. Reserved topics have a shape and "
        "are not written yet.\n\n"
        + _table(("Topic", "Status", "Written by", "Brought by", "Key", "Value", "Meaning"), rows)
        + "\n# Records\n\nJSON Schemas are in `contracts/schemas`. Every record but the snapshot may also have "
        "[identity keys](headers.md); what is not known is absent.\n" + "".join(map(record, RECORDS))
    )


def _headers() -> str:
    own = (
        (_code(one.name), one.type, ", ".join(map(_code, one.topics)), "yes" if one.required else "", one.help)
        for one in RECORD_HEADERS
    )
    ranges = ((f"0x{first:08X}", f"0x{last:08X}", meaning) for first, last, meaning in ID_RANGES)
    return (
        "# Headers and identity\n\n## Headers of records\n\nAll values are UTF-8 text.\n\n"
        + _table(("Header", "Type", "In", "Always", "Meaning"), own)
        + "\nBeside these, in `telemetry` each identity key that is known is a header under its own name; in the other "
        "topics `cluster_id`, and `k8s_namespace` and `k8s_pod` of the observer, as its token says, with "
        "`k8s_workload` where a sidecar names one that its pod's name begins with. Snapshots in `connections` have no "
        "headers.\n\n## Identity keys\n\n"
        "Spelled the same in records, labels, tables and APIs. Unknown means absent.\n\n"
        + _table(
            ("Key", "Label by default", "Meaning"),
            (
                (_code(key), "yes" if key in DEFAULT_LABELS else "", str(Identity.model_fields[key].description))
                for key in IDENTITY_KEYS
            ),
        )
        + "\n## Ids in a HeaderRegistry (KIP-82)\n\nKIP-82's integer keys never came to the wire; here they are stable "
        "numbers in a register. Ids outside these ranges are reserved.\n\n" + _table(("First", "Last", "For"), ranges)
    )


def _http_api() -> str:
    intro = (
        f"# HTTP API of the collector\n\nPort {COLLECTOR_PORT}, TLS, a bearer token on every request. The full "
        "description is `contracts/http/collector.yaml` (OpenAPI 3.1). OTLP is received beside it on ports "
        f"{OTLP_GRPC_PORT} (gRPC) and {OTLP_HTTP_PORT} "
        "(HTTP). `NAMESPACE` and `NAME` in an audience are those of the TelemetryCollector.\n"
    )
    parts = [intro]
    for one in OPERATIONS:
        answer = f" Answer: `{one.answer.__name__}`." if one.answer else ""
        body = f" Body: `{one.request.__name__}`." if one.request else ""
        body = f" First line of the body: `{one.request.__name__}`. {one.lines}" if one.request and one.lines else body
        parts.append(
            f"## {one.method.upper()} {one.path}\n\n{one.summary} Token audience `{one.audience}`.{body}{answer}\n"
        )
        if one.parameters:
            rows = ((_code(name), place, text) for name, place, text in one.parameters)
            parts.append(_table(("Parameter", "In", "Meaning"), rows))
        parts.append(_table(("Status", "Meaning"), ((str(code), text) for code, text in one.statuses)))
    return "\n".join(parts)


def _reasons() -> str:
    rows = (
        (
            _code(one.reason),
            f"{one.condition}={one.status}",
            "" if one.kstatus == "none" else one.kstatus,
            ", ".join(one.kinds) or "every kind",
            one.meaning,
            one.remedy,
        )
        for one in REASONS
    )
    events = ((_code(one.reason), one.type, ", ".join(one.kinds), one.meaning) for one in KUBERNETES_EVENTS)
    warnings = ((_code(one.type), one.kind, one.source, one.meaning) for one in WARNINGS)
    return (
        "# Reasons, warnings and events\n\n## Reasons of conditions\n\nStable words: "
        "`kubectl wait --for=condition=Ready` and scripts may rely on them.\n\nWhile Ready is not True, one of two "
        "conditions stands beside it with the same reason, and neither at any other time: `Stalled` where nothing but "
        "a change of this resource helps, `Reconciling` where the operator goes on by itself, for instance once "
        "another object is there. Tools that follow kstatus (Flux, Argo CD, `kubectl wait --for=condition=Stalled`) "
        "read them. A paused resource has neither.\n\n"
        + _table(("Reason", "Condition", "Beside it", "Kinds", "Meaning", "What to do"), rows)
        + "\n## Warnings\n\nIn `status.warnings`; they do not stop the work.\n\n"
        + _table(("Type", "Kind", "Noticed by", "Meaning"), warnings)
        + "\n## Kubernetes events\n\nAt most one with a reason in five minutes per object. Beside those below there is "
        "one with the reason and message of Ready: `Warning` when it ceases to be True, `Normal` when it is True "
        "again. A new resource has none before it has been ready once, and a paused one has none.\n\n"
        + _table(("Reason", "Type", "Kinds", "Meaning"), events)
    )


def _software() -> str:
    rows = ((_code(one.name), one.language, one.engine, one.pushes_since, one.kafka_4_since) for one in SOFTWARE)
    return (
        "# Client software\n\nNames as clients announce them (KIP-511), since when they push telemetry, and from "
        "which version on KIP-896 found that brokers of Kafka 4 answer them: for bindings of librdkafka the version of "
        "librdkafka inside; 2.5.0 to 2.5.2 [can crash](../operations/troubleshooting.md#client-versions-that-crash-"
        "or-disconnect). Anything else is unknown.\n\n"
        + _table(("Name", "For", "Engine", "Pushes since", "Answered by Kafka 4 since"), rows)
        + "\n## What is known to be wrong\n\nWith telemetry of client software, or with how it announces itself; for "
        "bindings of librdkafka the version of librdkafka inside. `kwitness clients --output wide` and the field "
        "`known_wrong` of `GET /v1/clients` have the ids, `--known-wrong 'Lost*'` selects by them, `kwitness why` says "
        "the sentence, the metric `kafka_client_software_known_wrong` has software that is connected, and "
        f"subscriptions are held back by `{CRASH.id}`. Software or versions that are not here may have defects as "
        "well.\n\n"
        + _table(("Id", "Software", "Versions", "Fixed in", "What it does", "Source"), map(_defect, DEFECTS))
    )


def _defect(defect: SoftwareDefect) -> tuple[str, ...]:
    ranges = [(".".join(map(str, first)), ".".join(map(str, last))) for first, last in defect.affected]
    versions = ", ".join(first if first == last else f"{first} to {last}" for first, last in ranges)
    return (
        _code(defect.id),
        _code(defect.software),
        versions,
        ", ".join(defect.fixed_in),
        defect.effect,
        defect.source,
    )


def reference(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield path and text of each page."""
    pages = {
        "resources": _resources,
        "metrics": _metrics,
        "topics": _topics,
        "headers": _headers,
        "http-api": _http_api,
        "reasons": _reasons,
        "software": _software,
    }
    for name, page in pages.items():
        yield root / "docs/reference" / f"{name}.md", _MARK + page()
    yield root / "docs/reference/proposal-metrics.md", _MARK + proposal_metrics(root)
    yield root / "docs/reference/from-the-proposals.md", _MARK + from_the_proposals(root)
