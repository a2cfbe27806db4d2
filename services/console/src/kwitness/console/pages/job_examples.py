"""Resources to copy, where a page has no table yet: they apply as they are where the KafkaCluster has their name."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPLETENESS_JOB", "COST_JOB", "LEDGER_JOB", "MIRROR_JOB", "TRAFFIC_JOB", "UPGRADE_JOB"]

_CLUSTER: Final = """  clusterRef: {name: orders}
  authentication: {type: scram-sha-512, secretRef: {name: kwitness-kafka-spark}}
"""


def _job(name: str, analysis: str) -> str:
    """Return an AnalyticsJob with this analysis, in YAML."""
    return f"""apiVersion: kwitness.dev/v1beta1
kind: AnalyticsJob
metadata: {{name: {name}, namespace: kwitness}}
spec:
  analyses:
{analysis}{_CLUSTER}"""


UPGRADE_JOB: Final = _job(
    "upgrade",
    """  - type: UpgradeImpact
    run: {schedule: {cron: "30 5 * * *"}}
    parameters:
      upgradeImpact: {target: "4.4", usedWithin: 720h}
    table: upgrade_impact
""",
)
COMPLETENESS_JOB: Final = _job(
    "completeness",
    """  - type: Completeness
    run: {streaming: {trigger: 30s}}
    parameters:
      completeness: {topics: [orders, payments], grace: 10m}
    table: completeness
""",
)
MIRROR_JOB: Final = _job(
    "mirror",
    """  - type: MirrorAudit
    run: {schedule: {cron: "*/30 * * * *"}}
    window: 5m
    parameters:
      mirrorAudit:
        target:
          clusterRef: {name: orders-eu}
          authentication: {type: scram-sha-512, secretRef: {name: kwitness-kafka-spark-eu}}
        topics: {names: [orders, payments], mirrorPrefix: main.}
        tolerance: 5m
    table: mirror_audit
""",
)
LEDGER_JOB: Final = _job(
    "ledger",
    """  - type: LedgerAudit
    run: {streaming: {trigger: 30s}}
    parameters: {ledgerAudit: {grace: 10m}}
    table: ledger_audit
""",
)
TRAFFIC_JOB: Final = _job(
    "traffic",
    """  - type: Traffic
    run: {streaming: {}}
    table: traffic
""",
)
_COST_ANALYSIS: Final = _job(
    "cost",
    """  - type: CostAttribution
    run: {streaming: {}}
    parameters:
      costAttribution:
        trafficJobRef: {name: traffic}
        rateCardConfigMapRef: {name: kwitness-rates}
        groupBy: [Team, Topic]
    table: cost
""",
)
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
{_COST_ANALYSIS}"""
"""Rates are whole millionths of the currency: 12000 are 1.2 cents a GiB."""
