"""The files of a collector, ``config.json`` and those beside it, and what its pods are replaced for."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from kwitness.contracts.collector_config import (
    ANY_ACCOUNT,
    CollectorConfig,
    CollectorTopics,
    FilterConfig,
    ForwardConfig,
    IngestConfig,
    OtherNamespacesConfig,
    PrometheusConfig,
    ReaderConfig,
    SenderConfig,
    SubscriptionsFile,
)
from kwitness.contracts.kafka_connection import KafkaConnection
from kwitness.contracts.owners import OwnerList
from kwitness.contracts.reader_rights import ReaderScope
from kwitness.contracts.resources.durations import parse_duration
from kwitness.contracts.resources.ingest import Scope
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.privacy import TelemetryFilter, treated
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.contracts.spelling import word_of
from kwitness.contracts.topics import (
    CONNECTIONS,
    HEADERS,
    INTERCEPTIONS,
    REQUESTS,
    SEALS,
    TELEMETRY,
    TRAFFIC,
    topic_name,
)
from kwitness.operator.desired.identity_key import IDENTITY_KEY_FILE
from kwitness.operator.desired.kafka_client_files import SECRETS
from kwitness.operator.kinds.telemetry_collector.reporters import Reporters
from kwitness.operator.model.believed import gateway_speaks_as
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.settings import OperatorSettings, OtherNamespaces
from kwitness.runtime.child_names import gateway_name
from kwitness.subscriptions.broker_subscription import BrokerSubscription, to_message

__all__ = [
    "AUTHORITY_FILE",
    "STATE",
    "collector_config",
    "owners_file",
    "pods_hash",
    "subscriptions_file",
]

STATE: Final = "/var/lib/kwitness"
AUTHORITY_FILE: Final = "/etc/kwitness/ingest-ca/ca.crt"


def collector_config(
    collector: TelemetryCollector,
    cluster: KafkaCluster,
    cluster_id: str,
    connection: KafkaConnection,
    settings: OperatorSettings,
    *,
    reporters: Reporters,
) -> CollectorConfig:
    """Translate the resource."""
    spec, own = collector.spec, collector.metadata.namespace
    prefix = cluster.spec.topics.prefix
    names = CollectorTopics(
        telemetry=topic_name(prefix, TELEMETRY),
        connections=topic_name(prefix, CONNECTIONS),
        traffic=topic_name(prefix, TRAFFIC),
        requests=topic_name(prefix, REQUESTS),
        interceptions=topic_name(prefix, INTERCEPTIONS),
        headers=topic_name(prefix, HEADERS),
        seals=topic_name(prefix, SEALS),
    )
    account = settings.collector.service_account
    return CollectorConfig(
        cluster_id=cluster_id,
        namespace=own,
        name=collector.metadata.name,
        replicas=spec.replicas,
        kafka=connection,
        topics=names if spec.kafka_topic.mode == "Write" else None,
        prometheus=PrometheusConfig(
            max_series=spec.prometheus.max_series,
            labels=spec.prometheus.labels,
            expire_after_missed_pushes=spec.prometheus.expire_after_missed_pushes,
            max_client_info=spec.prometheus.max_client_info,
            client_addresses=spec.prometheus.client_addresses,
            interceptor_attributes=spec.prometheus.interceptor_attributes,
            scrape_interval_ms=parse_duration(spec.prometheus.scrape_interval) // timedelta(milliseconds=1),
        ),
        ingest=_ingest(collector, account, settings, reporters),
        forward=tuple(
            ForwardConfig.model_validate(
                {
                    "name": forward.name,
                    "endpoint": forward.endpoint,
                    "protocol": word_of(forward.protocol),
                    "attributes": word_of(forward.attributes),
                    "temporality": word_of(forward.temporality),
                    "sources": tuple(map(word_of, forward.sources)),
                    "headers_file": f"{SECRETS}/forward-{number}/headers" if forward.headers_secret_ref else None,
                    "hosts_file": f"{SECRETS}/forward-{number}/hosts" if forward.headers_secret_ref else None,
                    "hosts": settings.credentials.hosts_of(own, forward.headers_secret_ref.name)
                    if forward.headers_secret_ref
                    else None,
                    "ca_file": f"{SECRETS}/forward-{number}-ca/ca.crt" if forward.tls.ca_secret_ref else None,
                }
            )
            for number, forward in enumerate(spec.forward)
        ),
        filter=_filter(spec.filter) if spec.filter is not None else None,
        identity={key: "hash" if what == "Hash" else "drop" for key, what in treated(spec.identity).items()},
        identity_key_file=IDENTITY_KEY_FILE if treated(spec.identity) else None,
        state_dir=STATE,
        denied_addresses=settings.limits.denied_addresses,
    )


def _filter(wanted: TelemetryFilter) -> FilterConfig:
    return FilterConfig(allow=wanted.metrics.allow, deny=wanted.metrics.deny, drop_attributes=wanted.attributes.drop)


def pods_hash(config: CollectorConfig) -> str:
    """Hash of what pods are replaced for: what they read once, when they start.

    So neither another number of replicas, of which each has its state, nor a new filter or gateway restarts any.
    """
    files = {"tls_cert_file", "tls_key_file", "ca_file", "tokens_file"}
    return fingerprint(
        config.model_dump(mode="json", include={"cluster_id": True, "ingest": files, "denied_addresses": True})
    )


def _ingest(
    collector: TelemetryCollector, account: str, settings: OperatorSettings, reporters: Reporters
) -> IngestConfig:
    ingest, own = collector.spec.ingest, collector.metadata.namespace
    encrypted = ingest.tls.secret_ref is not None
    return IngestConfig(
        tls_cert_file=f"{SECRETS}/ingest-tls/tls.crt" if encrypted else None,
        tls_key_file=f"{SECRETS}/ingest-tls/tls.key" if encrypted else None,
        ca_file=AUTHORITY_FILE if ingest.tls.ca_config_map_ref else None,
        senders=(
            *(
                SenderConfig.model_validate(
                    {
                        "namespace": sender.namespace or own,
                        "service_account": sender.service_account,
                        "source": word_of(sender.source),
                    }
                )
                for sender in ingest.senders
            ),
            *(
                SenderConfig(
                    namespace=one.namespace,
                    service_account=gateway_name(one.name),
                    source="observer",
                    reported_by=gateway_speaks_as(one.namespace, own),
                    answers=one.namespace in reporters.answering,
                )
                for one in sorted(reporters.gateways)
            ),
            # Replicas hand to each other what they do not own.
            SenderConfig(namespace=own, service_account=account, source="collector"),
            *(
                SenderConfig(
                    namespace=one, service_account=ANY_ACCOUNT, source="observer", answers=one in reporters.answering
                )
                for one in sorted(reporters.namespaces)
            ),
            # A sender of observers may send what interceptors do as well.
            *(
                SenderConfig(namespace=one, service_account=ANY_ACCOUNT, source="interceptor")
                for one in sorted({*reporters.intercepted} - {*reporters.namespaces})
            ),
        ),
        readers=(
            *(
                ReaderConfig(
                    namespace=reader.namespace or own,
                    service_account=reader.service_account,
                    scope=_scope(reader.scope),
                )
                for reader in ingest.readers
            ),
            ReaderConfig(namespace=settings.namespace, service_account=settings.service_account, directs=True),
            # One replica answers for all and asks the others.
            ReaderConfig(namespace=own, service_account=account),
        ),
        tokens_file=f"{SECRETS}/ingest-tokens/tokens" if ingest.tokens_secret_ref else None,
        other_namespaces=_other_namespaces(settings.injector.other_namespaces),
    )


def _scope(scope: Scope | None) -> ReaderScope | None:
    return None if scope is None else ReaderScope(namespaces=scope.namespaces, owners=scope.owners)


def _other_namespaces(others: OtherNamespaces) -> OtherNamespacesConfig | None:
    if not others.from_ or not others.to:
        return None
    return OtherNamespacesConfig(from_namespaces=tuple(sorted(others.from_)), to_namespaces=tuple(sorted(others.to)))


def subscriptions_file(subscriptions: Iterable[BrokerSubscription]) -> SubscriptionsFile:
    """Every CLIENT_METRICS config of the broker, in the collector's terms."""
    return SubscriptionsFile(subscriptions=tuple(map(to_message, subscriptions)))


def owners_file(owners: OwnerList | None) -> str:
    """Whose clients are, as ``owners.json``; there is always one, since a collector keeps a file that went away."""
    return (owners or OwnerList()).model_dump_json(by_alias=True, exclude_none=True)
