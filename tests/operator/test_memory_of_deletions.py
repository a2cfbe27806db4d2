"""What was deleted is remembered for as long as something of it may be left on a broker, and no longer."""

from __future__ import annotations

import pytest

from tests.eventually import eventually_beside
from tests.operator.in_process import operating, settings_of
from tests.operator.surroundings import alter_broker, apply, broker_configs, cluster, ready, subscription

pytestmark = pytest.mark.broker


async def test_a_deletion_is_forgotten_once_its_consequences_are_drawn(api, namespace, clean_broker, tmp_path):
    apply(
        api,
        cluster("main", namespace, clean_broker.bootstrap),
        subscription("applied", namespace),
        subscription("never-applied", namespace, suspend=True),
        subscription("of-no-cluster", namespace, cluster="nowhere"),
        subscription("later", namespace),
    )
    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None) as context:

        def names() -> set[str]:
            return {key.name for key, _ in context.store.items("ClientMetricsSubscription")}

        def nothing_remembered() -> bool:
            return not list(context.store.deleted("ClientMetricsSubscription"))

        reasons = {"later": "Applied", "never-applied": "Suspended", "of-no-cluster": "ClusterNotReady"}
        for name, reason in reasons.items():
            await eventually_beside(lambda n=name, r=reason: ready(api, "kcms", n, namespace)["reason"] == r)
        api.objects.delete("kcms", "applied", "never-applied", "of-no-cluster", namespace=namespace)
        await eventually_beside(lambda: names() == {"later"} and nothing_remembered())
        await eventually_beside(lambda: set(broker_configs(clean_broker)) == {f"kwitness.inst.{namespace}.later"})

        for kind in ("kfc", "kcms"):
            api.objects.delete(kind, *api.objects.names(kind, namespace), namespace=namespace)
        await eventually_beside(lambda: not names() and nothing_remembered())
        await eventually_beside(lambda: not broker_configs(clean_broker))


async def test_a_deletion_whose_config_somebody_else_removed_is_forgotten_too(api, namespace, clean_broker, tmp_path):
    apply(api, cluster("main", namespace, clean_broker.bootstrap), subscription("applied", namespace))
    async with operating(api, settings_of(namespace, tmp_path), lambda _context: None) as context:
        await eventually_beside(lambda: ready(api, "kcms", "applied", namespace)["reason"] == "Applied")
        # So that it is not put right.
        api.objects.annotate("kfc", "main", namespace, {"kwitness.dev/pause": "true"})
        await eventually_beside(lambda: ready(api, "kfc", "main", namespace)["reason"] == "Paused")
        alter_broker(clean_broker, f"kwitness.inst.{namespace}.applied", None)
        api.objects.delete("kcms", "applied", namespace=namespace)
        await eventually_beside(lambda: not list(context.store.items("ClientMetricsSubscription")))
        await eventually_beside(lambda: not list(context.store.deleted("ClientMetricsSubscription")))
