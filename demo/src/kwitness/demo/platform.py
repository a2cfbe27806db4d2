"""Where the demo's parts are, and how to ask them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from kwitness.demo import summary
from kwitness.demo.cluster import DemoCluster

RELEASE = "kwitness"
NAMESPACE = "kwitness"
"""The release, the development Kafka and the custom resources."""
APPS = "demo-apps"
"""The client programs."""
KAFKA = "kwitness-dev-kafka"
"""StatefulSet and Service of the development Kafka."""
PROMETHEUS = "kwitness-prometheus"
CONSOLE = "kwitness-console"
"""Deployment and Service of the console."""
CLUSTER, COLLECTOR, SUBSCRIPTION, GATEWAY, JOB = "demo", "demo", "demo", "demo", "client-inventory"
JOBS = {
    "ClientInventory": JOB,
    "Traffic": "traffic",
    "LedgerAudit": "ledger-audit",
    "UpgradeImpact": "upgrade-impact",
}
"""AnalyticsJobs by their type."""
SIDECARS = "sidecars"
INTERCEPTORS = "interceptors"
HEADERS = "headers"
"""Names of the custom resources."""
UNREGISTERED_HEADER = "debug.session"
"""A header that the Python producer writes and no register has."""
GATEWAY_CLIENT = "demo-gateway-producer"
"""Client id of the program that connects through the gateway."""
SIDECAR_CLIENT = "demo-sidecar-producer"
"""Client id of the program whose pod has an observer."""
SIDECAR_WORKLOAD = "sidecar-producer"
"""Its Deployment."""
INTERCEPTED_CLIENT = "demo-python-consumer"
"""Client id of the program that has interceptors."""
INTERCEPTED_WORKLOAD = "python-consumer"
"""Its Deployment."""
INTERCEPTED_JAVA_CLIENT = "demo-java-consumer"
"""Client id of the program in Java that has interceptors."""
INTERCEPTED_JAVA_WORKLOAD = "java-consumer"
"""Its Deployment."""


@dataclass(frozen=True, kw_only=True)
class Platform:
    """A running demo."""

    cluster: DemoCluster
    images: Mapping[str, str]
    """Image name (`demo-python`) to full reference."""
    namespace: str = NAMESPACE
    apps: str = APPS
    _prometheus: str = field(default=PROMETHEUS)

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Ask Prometheus for an instant vector."""
        return summary.query(self.cluster, expression, namespace=self.namespace, service=self._prometheus)

    def total(self, expression: str) -> float:
        """The sum of an instant vector's values; 0 when it is empty."""
        return sum(float(sample["value"][1]) for sample in self.query(expression))

    def latest(self, selector: str) -> float:
        """The sum of series as they were scraped last within a minute; one scrape that is late does not empty it."""
        return self.total(f"last_over_time({selector}[1m])")

    def inventory(self) -> list[dict[str, Any]]:
        """Rows of the table `ClientInventory`, read inside the driver's pod without a JVM."""
        return self.rows("ClientInventory")

    def rows(self, job_type: str) -> list[dict[str, Any]]:
        """Rows of the table of the demo's job of a type, read likewise."""
        pod = f"kwitness-job-{JOBS[job_type]}-0"
        return summary.table_rows(self.cluster, job_type, namespace=self.namespace, pod=pod)

    def summary(self, parts: Collection[str]) -> str:
        """What the platform sees, for a person.

        Parameters
        ----------
        parts
            Names of those that were started; nothing is shown of others.
        """
        facts = summary.gather(
            self.cluster,
            namespace=self.namespace,
            prometheus=self._prometheus,
            tables={job_type: self.rows(job_type) for job_type, job in JOBS.items() if job in parts},
        )
        return summary.render(facts, parts)
