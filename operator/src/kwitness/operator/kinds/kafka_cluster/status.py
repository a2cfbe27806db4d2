"""The status of a KafkaCluster whose brokers were seen, from that and from what else is known of it."""

from __future__ import annotations

from kwitness.contracts.resources.kafka_cluster import KafkaCluster, KafkaClusterStatus
from kwitness.operator.desired.broker_subscriptions import subscription_fields
from kwitness.operator.desired.client_versions import client_versions, version_warnings
from kwitness.operator.desired.kafka_cluster_status import cluster_fields, disconnected_software, warnings
from kwitness.operator.environment.owners import owners_of
from kwitness.operator.kinds.kafka_cluster.reported_elsewhere import reported_elsewhere
from kwitness.operator.model.cluster_description import ClusterDescription
from kwitness.operator.model.found_owners import FoundOwners
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import AskedFor, HeldBack, Reported
from kwitness.operator.shapes.work import View

__all__ = ["seen_status"]


def seen_status(
    cluster: KafkaCluster, seen: ClusterDescription, before: KafkaClusterStatus, view: View
) -> KafkaClusterStatus:
    """The status; of the subscriptions on the brokers it says what it said ``before`` while these are not read."""
    key = Key(cluster.metadata.namespace, cluster.metadata.name)
    report, standing = view[Reported(key)].value, view[AskedFor(key)].value
    inventory = None if report is None else report.last
    found = warnings(
        cluster=cluster,
        seen=seen,
        inventory=inventory,
        deletion_held=view[HeldBack(key)].value or (),
        disconnected=disconnected_software(inventory, standing),
        owners=_of_owners(owners_of(cluster, view)),
        elsewhere=reported_elsewhere(cluster, seen, view),
        clients=version_warnings(
            client_versions(cluster.spec.client_policy, inventory.software if inventory is not None else ())
        ),
    )
    fields = cluster_fields(seen, inventory, found)
    if standing is not None:
        fields["subscriptions"] = subscription_fields(standing, view.settings.installation or "")
    status = KafkaClusterStatus.model_validate(fields)
    if standing is not None:
        return status
    return status.model_copy(update={"subscriptions": before.subscriptions})


def _of_owners(owners: FoundOwners) -> dict[str, str]:
    found: dict[str, str] = {}
    if owners.trouble is not None:
        found["InvalidOwners"] = f"{owners.trouble}; until then analyses and clients name no owners"
    if owners.incomplete is not None:
        found["OwnersIncomplete"] = owners.incomplete
    if owners.overlap is not None:
        found["OverlappingOwners"] = owners.overlap
    return found
