"""Asking a TelemetryCollector what it knows of its Kafka cluster."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from kwitness.contracts.audiences import inventory_audience
from kwitness.contracts.endpoints import CLUSTER_PATH, SUBSCRIPTIONS_PATH
from kwitness.contracts.envelopes import ClusterState, SubscriptionList
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.context import Context
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TransientError
from kwitness.operator.model.parse_resource import parse_resource
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import CollectorAnswer

__all__ = ["answer_of", "read_collector"]


async def answer_of(context: Context, fact: CollectorAnswer) -> ClusterState | None:
    """Return what the collector says of the cluster, None while it says nothing that is whole and can be read.

    Raises
    ------
    KubernetesUnavailableError
        The operator cannot ask.
    """
    body = context.store.get("TelemetryCollector", fact.collector)
    facts = context.clusters.get(fact.cluster)
    if body is None or facts is None or facts.cluster_id is None:
        return None
    try:
        collector = parse_resource(TelemetryCollector, body)
        if collector.spec.suspend:
            return None
        found, _ = await read_collector(context, collector, facts.cluster_id, numbers=False)
    except KubernetesUnavailableError:
        raise
    except OperatorError:
        # Its own status tells of its pods.
        return None
    return None if found is None or found.missing else found


async def read_collector(
    context: Context, collector: TelemetryCollector, cluster_id: str, *, numbers: bool
) -> tuple[ClusterState | None, SubscriptionList | None]:
    """Return what it knows of the cluster, and with ``numbers`` the counts of each subscription.

    Raises
    ------
    TransientError
        It does not answer, or in an unknown form.
    """
    key = Key(collector.metadata.namespace, collector.metadata.name)
    ca_certificates = await _ca_certificates(context, collector)
    base = context.collector_url(key, collector.spec.ingest.tls.secret_ref is not None)

    async def ask(path: str) -> Any:
        audience = inventory_audience(key.namespace, key.name)
        return await context.inventory.get(base + path, audience=audience, ca_certificates=ca_certificates)

    try:
        found = await ask(CLUSTER_PATH.format(cluster_id=cluster_id))
        told = await ask(SUBSCRIPTIONS_PATH) if numbers else None
        return (
            None if found is None else ClusterState.model_validate(found),
            None if told is None else SubscriptionList.model_validate(told),
        )
    except ValidationError as error:
        raise TransientError(
            "CollectorUnreachable", "the collector's answer has an unknown form: is it of this release?"
        ) from error


async def _ca_certificates(context: Context, collector: TelemetryCollector) -> str | None:
    reference = collector.spec.ingest.tls.ca_config_map_ref
    if reference is None:
        return None
    found = await context.kubernetes.get("ConfigMap", collector.metadata.namespace, reference.name)
    ca_certificates = ((found or {}).get("data") or {}).get("ca.crt")
    if not ca_certificates:
        raise TransientError(
            "CollectorUnreachable", f"ConfigMap {reference.name} of spec.ingest.tls.caConfigMapRef has no ca.crt"
        )
    return str(ca_certificates)
