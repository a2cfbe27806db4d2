"""All that is known of one subscription, for a person; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from kwitness.answers.views.subscription_facts import Subscription, matched, remaining
from kwitness.cli.output import Column

__all__ = ["AT_RISK", "SILENT", "facts"]

SILENT: Final = (
    Column("SILENT CLIENT", "clientId"),
    Column("SOFTWARE", "clientSoftwareName"),
    Column("VERSION", "clientSoftwareVersion"),
    Column("ADDRESS", "clientAddress", optional=True),
    Column("CONNECTIONS", "connections", right=True),
    Column("REASON", "reason"),
)
"""Columns of status.silentSoftware and status.silentClients."""
AT_RISK: Final = (
    Column("AT RISK", "clientSoftwareName"),
    Column("VERSION", "clientSoftwareVersion"),
    Column("LIBRDKAFKA", "librdkafkaVersion"),
    Column("LAST SEEN", "lastSeen"),
)
"""Columns of status.atRiskClients."""

_COUNTS: Final = ("asking", "connected", "matching", "pushing", "silent")


def facts(one: Subscription, body: Mapping[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield headings and what they say; ``body`` is the resource, which those of others do not have."""
    spec, status = (body or {}).get("spec") or {}, (body or {}).get("status") or {}
    yield "Name", one.name
    yield "Namespace", one.namespace or "-"
    yield "Cluster", one.cluster
    yield "Owner", one.owner
    yield "At the brokers", one.broker_resource or "-"
    more = f", and {one.metrics_left_out} more" if one.metrics_left_out else ""
    yield "Metrics", (", ".join(one.metrics) or "none") + more
    yield "Interval", f"{one.interval or '-'} (shorter for a client that another subscription asks more often)"
    yield "Clients", matched(one.match)
    if spec.get("suspend"):
        yield "Suspended", "yes"
    if one.expires_at or spec.get("expireAfter"):
        left = remaining(one.expires_at, datetime.now(UTC))
        yield "Expires", f"{one.expires_at or 'not known yet'} ({left or spec['expireAfter'] + ' after its creation'})"
    if body is None:
        return
    for condition in status.get("conditions") or ():
        yield condition["type"], f"{condition['status']}, {condition['reason']}: {condition['message']}"
    if not status.get("conditions"):
        yield "Ready", "not known yet: the operator has not seen it; is it running, and does it watch this namespace?"
    counts = [f"{one.clients[name]} {name}" for name in _COUNTS if one.clients.get(name) is not None]
    yield "Instances", ", ".join(counts) or "not known"
    if one.unsent:
        yield "Sent by no client", f"{', '.join(one.unsent)} (see the guide on what which client sends)"
    for warning in status.get("warnings") or ():
        yield "Warning", f"{warning.get('type')}: {warning.get('message')}"
