"""Which broker configs of this installation have lost their resource. In doubt, none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kwitness.operator.context import Context
from kwitness.operator.desired.subscription_plan import own_key
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.subscription_pass import SubscriptionPass

__all__ = ["find_orphans"]

_KIND = "ClientMetricsSubscription"
_REFUSALS = frozenset({"RefNotPermitted", "Restricted"})


async def find_orphans(work: SubscriptionPass, present: Iterable[str], *, forsaken: bool = False) -> frozenset[str]:
    """Names among ``present`` that may be removed from the broker.

    Only names of this installation in namespaces that are watched count, and only if complete lists of subscriptions
    and clusters of that namespace, read just now, do not have the resource: the watches' view may be late or, where a
    right was taken away, empty. A resource that refers to another Kafka cluster is as good as gone here; so is, with
    ``forsaken``, one that refers to this KafkaCluster, which was deleted. One whose reference is no longer permitted,
    or whose namespace may not ask clients as it does, loses its config too.
    """
    context = work.context
    found: set[str] = set()
    lists: dict[str, frozenset[str] | None] = {}
    for name in present:
        key = own_key(context.installation, name)
        if key is None or not context.settings.watches(key.namespace):
            continue
        body = context.store.get(_KIND, key)
        if body is not None:
            if _has_left(work, key, body, forsaken=forsaken):
                found.add(name)
            continue
        if context.store.was_deleted(_KIND, key):
            # With the namespace the right to list goes too; what this process saw deleted needs no list.
            found.add(name)
            continue
        if key.namespace not in lists:
            lists[key.namespace] = await _complete_list(context, key.namespace)
        names = lists[key.namespace]
        if names is not None and key.name not in names:
            found.add(name)
    return frozenset(found)


def _has_left(work: SubscriptionPass, key: Key, body: Mapping[str, Any], *, forsaken: bool) -> bool:
    reference = body.get("spec", {}).get("clusterRef", {})
    target = Key(reference.get("namespace") or key.namespace, reference.get("name", ""))
    if target == work.cluster:
        refused = key in work.outcomes and work.outcomes[key].verdict.reason in _REFUSALS
        return forsaken or refused
    other = work.context.clusters.get(target)
    # Another KafkaCluster of the same Kafka keeps the config; one that is not known yet might be the same.
    return other is not None and other.cluster_id is not None and other.cluster_id != work.facts.cluster_id


async def _complete_list(context: Context, namespace: str) -> frozenset[str] | None:
    try:
        await context.kubernetes.list("KafkaCluster", namespace)
        found = await context.kubernetes.list(_KIND, namespace)
    except OperatorError:
        return None
    return frozenset(body["metadata"]["name"] for body in found)
