"""`kwitness brokers`: the brokers of a Kafka cluster, and which has the plugin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kwitness.answers.access.cluster_access import ClusterAccess, connect
from kwitness.answers.access.serving_collector import find_cluster
from kwitness.answers.failure import CommandFailedError
from kwitness.answers.views.broker_rows import BROKER_HEADINGS, BrokerRow, broker_cells, broker_rows
from kwitness.cli.columns import columns_of, row_of
from kwitness.cli.named_arguments import ClusterArgument
from kwitness.cli.options import Options, new_app, shared
from kwitness.cli.output import Output, warn
from kwitness.cli.subcommands import SUBCOMMANDS
from kwitness.contracts.endpoints import CLUSTER_PATH
from kwitness.contracts.envelopes import BrokerState, ClusterState
from kwitness.contracts.resources.kafka_cluster import KafkaCluster

__all__ = ["app"]

_OPTIONAL: Final = frozenset({"ADDRESS", "RACK"})

app = new_app(SUBCOMMANDS["brokers"].about)


@app.command()
@shared
def brokers(options: Options, *, cluster: ClusterArgument = None) -> None:
    """Show the brokers: address, telemetry, versions of plugin and Kafka.

    Of a cluster with more than ten brokers the collector is asked for the versions of the others; their addresses are
    not known.
    """
    access = connect(options)
    found = find_cluster(access, cluster)
    known = None if found.status is None else found.status.brokers
    rows = []
    if known is not None:
        is_whole = len(known.first) == known.total
        rows = broker_rows(known, () if is_whole else _reported(access, found, options))
    Output(options).show(
        rows,
        columns_of(BROKER_HEADINGS, optional=_OPTIONAL),
        lambda row: row_of(BROKER_HEADINGS, broker_cells(row)),
        document=BrokerRow.document,
        name=lambda row: str(row.id),
        empty=f"the brokers of KafkaCluster {found.metadata.name} are not known yet: see its status",
    )


def _reported(access: ClusterAccess, cluster: KafkaCluster, options: Options) -> Sequence[BrokerState]:
    """Return what the plugins of brokers reported to the collector; nothing where that cannot be asked."""
    from kwitness.answers.access.collector_access import CollectorAccess  # noqa: PLC0415 - needed by large clusters alone
    from kwitness.answers.access.kubernetes_route import route_to  # noqa: PLC0415 - likewise

    cluster_id = None if cluster.status is None else cluster.status.cluster_id
    try:
        with CollectorAccess(route_to(access, cluster, options.collector)) as collector:
            return collector.get(CLUSTER_PATH.format(cluster_id=cluster_id), ClusterState).brokers
    except CommandFailedError as error:
        warn(f"which versions all but the first ten brokers have is not known: {error}")
        return ()
