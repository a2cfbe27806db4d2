"""Cleaning up on Kafka clusters whose KafkaCluster was deleted: tried for a day, with the connection still known."""

from __future__ import annotations

import logging
from typing import Final

from kwitness.operator.context import Context, Forsaken
from kwitness.operator.model.errors import KubernetesUnavailableError, OperatorError, TransientError
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.events import emit
from kwitness.operator.reconcile.orphans import find_forsaken
from kwitness.operator.reconcile.references import deleted_subscriptions_of
from kwitness.operator.shapes.facts import KafkaState, SameKafka
from kwitness.operator.shapes.subscription_facts import BrokerConfigs, CleanedUp
from kwitness.operator.work_queue import Requeue

__all__ = ["FORSAKEN", "forsake", "is_being_cleaned", "reconcile_forsaken"]

FORSAKEN: Final = "Forsaken"
_PATIENCE_MS: Final = 24 * 3_600_000
_AGAIN_SECONDS: Final = 10.0
"""Until brokers list no more what was removed; where the cluster came back meanwhile, they are read again then."""
_log = logging.getLogger(__name__)


def forsake(context: Context, key: Key) -> None:
    """Have what is left behind by the KafkaCluster that was deleted cleaned up, if it was ever reached."""
    facts = context.clusters.pop(key, None)
    if facts is None:
        return
    context.told(KafkaState(key))
    if facts.cluster_id is not None:
        context.told(SameKafka(facts.cluster_id))
    if facts.connection is not None and facts.cluster_id is not None:
        began = context.clock.now_ms()
        context.forsaken.setdefault(key, {})[facts.cluster_id] = Forsaken(facts, facts.connection, began)
        context.enqueue(FORSAKEN, key, 0.0)


def is_being_cleaned(context: Context, key: Key, cluster_id: str | None) -> bool:
    """Whether a clean-up works at this moment on the cluster that a KafkaCluster of this name leads to, or may."""
    return any(one.working and cluster_id in {None, known} for known, one in context.forsaken.get(key, {}).items())


async def reconcile_forsaken(context: Context, key: Key) -> Requeue:
    """Clean up behind the KafkaClusters of this name that were deleted.

    Raises
    ------
    OperatorError
        It has to be tried again.
    """
    trouble: OperatorError | None = None
    left = context.forsaken.get(key, {})
    was_left = bool(left)
    for cluster_id, one in list(left.items()):
        one.working = True
        try:
            done = await _clean_up(context, key, cluster_id, one)
        except KubernetesUnavailableError as error:
            trouble, done = error, False
        except OperatorError as error:
            trouble, done = error, False
            if context.clock.now_ms() - one.since_ms > _PATIENCE_MS:
                await _give_up(context, key, one, error)
                done = True
        finally:
            one.working = False
        if done and left.get(cluster_id) is one:
            del left[cluster_id]
    context.told(BrokerConfigs(key))
    context.told(CleanedUp(key))
    if left:
        raise trouble or TransientError("ClusterNotReady", "not all that was left on the brokers could be removed")
    context.forsaken.pop(key, None)
    if context.store.get("KafkaCluster", key) is None:
        for gone in deleted_subscriptions_of(context, key):
            # There is no connection any more by which anything could be removed.
            context.store.forget_deletion("ClientMetricsSubscription", gone)
    elif was_left and context.removed.get(key):
        # Brokers may list for a moment what was removed, and the cluster that is back would leave it removed.
        return Requeue(after=_AGAIN_SECONDS)
    return Requeue.never()


async def _clean_up(context: Context, key: Key, cluster_id: str, one: Forsaken) -> bool:
    """Remove what this installation has there; whether nothing more is to be done."""
    if context.store.get("KafkaCluster", key) is not None:
        facts = context.clusters.get(key)
        if facts is None or facts.cluster_id is None:
            raise TransientError("ClusterNotReady", "not known yet whether it leads to the same brokers again")
        if facts.cluster_id == cluster_id:
            # It is back, and cares for what is on its brokers.
            return True
    present = await context.kafka.subscriptions(one.connection)
    ours = await find_forsaken(context, key, one.facts.cluster_id, present)
    if not ours:
        return True

    def holds() -> bool:
        back = context.clusters.get(key) if context.store.get("KafkaCluster", key) is not None else None
        return back is None or back.cluster_id not in {None, cluster_id}

    results = await context.kafka.alter(one.connection, dict.fromkeys(sorted(ours), None), holds=holds)
    removed = [name for name, failed in results.items() if failed is None]
    if removed:
        context.removed.setdefault(key, set()).update(removed)
        _log.info("Cleaned up behind a KafkaCluster", extra={"key": str(key), "resources": sorted(removed)})
    failures = [failed for failed in results.values() if failed is not None]
    if failures:
        raise failures[0]
    return True


async def _give_up(context: Context, key: Key, one: Forsaken, error: OperatorError) -> None:
    server = one.connection.bootstrap_servers[0]
    tool = f"kafka-client-metrics.sh --bootstrap-server {server}"
    note = (
        f"subscriptions could not be removed from the brokers within 24 h ({error.reason}), and clients go on pushing."
        f" Remove them: {tool} --list | grep '^kwitness\\.{context.installation}\\.'"
        f" | xargs -r -n 1 {tool} --delete --name"
    )
    _log.warning("Gave up cleaning up behind a KafkaCluster", extra={"key": str(key), "reason": error.reason})
    await emit(
        context,
        "KafkaCluster",
        key,
        reason="NotCleanedUp",
        action="CleanUp",
        note=note,
        type_="Warning",
        uid=one.facts.uid,
    )
