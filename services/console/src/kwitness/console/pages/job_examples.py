"""Resources to copy, where a page has no table yet: they apply as they are where the KafkaCluster has their name."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPLETENESS_JOB", "COST_JOB", "LEDGER_JOB", "MIRROR_JOB", "TRAFFIC_JOB", "UPGRADE_JOB"]

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
COMPLETENESS_JOB: Final = f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: completeness, namespace: kwitness}}
spec:
  analyses:
  - type: Completeness
    run: {{streaming: {{trigger: 30s}}}}
    parameters:
      completeness: {{topics: [orders, payments], grace: 10m}}
    table: completeness
{_CLUSTER}"""
MIRROR_JOB: Final = f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: mirror, namespace: kwitness}}
spec:
  analyses:
  - type: MirrorAudit
    run: {{schedule: {{cron: "*/30 * * * *"}}}}
    window: 5m
    parameters:
      mirrorAudit:
        target:
          clusterRef: {{name: orders-eu}}
          authentication: {{type: scram-sha-512, secretRef: {{name: kwitness-kafka-spark-eu}}}}
        topics: {{names: [orders, payments], mirrorPrefix: main.}}
        tolerance: 5m
    table: mirror_audit
{_CLUSTER}"""
LEDGER_JOB: Final = f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: ledger, namespace: kwitness}}
spec:
  analyses:
  - type: LedgerAudit
    run: {{streaming: {{trigger: 30s}}}}
    parameters: {{ledgerAudit: {{grace: 10m}}}}
    table: ledger_audit
{_CLUSTER}"""
TRAFFIC_JOB: Final = f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: traffic, namespace: kwitness}}
spec:
  analyses:
  - type: Traffic
    run: {{streaming: {{}}}}
    table: traffic
{_CLUSTER}"""
COST_JOB: Final = f"""apiVersion: v1
kind: ConfigMap
metadata: {{name: kwitness-rates, namespace: kwitness}}
data:
  rate-card.yaml: |
    currency: EUR
    bytesInPerGiB: 12000
    bytesOutPerGiB: 9000
    requestsPerMillion: 200000
    storedPerGiBMonth: 25000
---
{TRAFFIC_JOB}---
apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: cost, namespace: kwitness}}
spec:
  analyses:
  - type: CostAttribution
    run: {{streaming: {{}}}}
    parameters:
      costAttribution:
        trafficJobRef: {{name: traffic}}
        rateCardConfigMapRef: {{name: kwitness-rates}}
        groupBy: [Team, Topic]
    table: cost
{_CLUSTER}"""
"""Rates are whole millionths of the currency: 12000 are 1.2 cents a GiB."""
