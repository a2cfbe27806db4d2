"""Resources to copy, where a page has no table yet: they apply as they are where the KafkaCluster has their name."""

from __future__ import annotations

from typing import Final

__all__ = ["UPGRADE_JOB"]

_CLUSTER: Final = """  clusterRef: {name: orders}
  authentication: {type: scram-sha-512, secretRef: {name: kwitness-kafka-spark}}
"""
UPGRADE_JOB: Final = f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: upgrade, namespace: kwitness}}
spec:
  analyses:
  - type: UpgradeImpact
    run: {{schedule: {{cron: "30 5 * * *"}}}}
    parameters:
      upgradeImpact: {{target: "4.4", usedWithin: 720h}}
    table: upgrade_impact
{_CLUSTER}"""
