"""The way from a pod of the cluster to the collector of a KafkaCluster, with the pod's own projected token.

The collector is looked up with each new connection: another one may have come to act for the KafkaCluster.
"""

from __future__ import annotations

import http.client
from pathlib import Path
from typing import Final

from kwitness.answers.access.cluster_access import ClusterAccess
from kwitness.answers.access.kubernetes_route import KubernetesRoute
from kwitness.answers.access.serving_collector import find_collector, parsed
from kwitness.answers.failure import CommandFailedError
from kwitness.contracts.audiences import inventory_audience, says_audience
from kwitness.contracts.endpoints import COLLECTOR_PORT
from kwitness.contracts.resources.kafka_cluster import KafkaCluster
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.runtime.child_names import collector_name
from kwitness.runtime.reloading import ReloadingFile

__all__ = ["MountedToken", "PodRoute"]

_CHECK_S: Final = 60.0
"""The kubelet replaces a token long before it expires."""


class MountedToken:
    """A projected token for one collector.

    Parameters
    ----------
    file
        The token, which the kubelet renews.
    collector
        The collector that it must be for.
    """

    def __init__(self, file: ReloadingFile[str], collector: TelemetryCollector) -> None:
        self._file = file
        self._collector = collector.metadata
        self._audience = inventory_audience(collector.metadata.namespace, collector.metadata.name)

    def current(self) -> str:
        """Return the newest token.

        Raises
        ------
        CommandFailedError
            It cannot be read, or is for another collector.
        """
        try:
            token = self._file.current()
        except (OSError, ValueError) as error:
            raise CommandFailedError(
                f"the token {self._file.path} cannot be read ({error}): mount a projected token for the audience "
                f"{self._audience} there"
            ) from error
        if not says_audience(token, self._audience):
            raise CommandFailedError(
                f"the token {self._file.path} is not for the audience {self._audience} of TelemetryCollector "
                f"{self._collector.name} of namespace {self._collector.namespace}: name this collector in the Helm "
                "values console.collector"
            )
        return token


class PodRoute:
    """The way to the collector that acts for a KafkaCluster; see `CollectorRoute`.

    Parameters
    ----------
    cluster
        Namespace and name of the KafkaCluster.
    token_file
        A projected token of the pod's account, which the collector names as a reader.
    address
        HOST:PORT of the collector; None is its Service.
    """

    def __init__(
        self, access: ClusterAccess, cluster: tuple[str, str], token_file: Path, address: str | None = None
    ) -> None:
        self._access = access
        self._namespace, self._cluster = cluster
        self._file = ReloadingFile(token_file, lambda content: content.decode().strip(), check_seconds=_CHECK_S)
        self._address = address
        self._route: KubernetesRoute | None = None

    @property
    def name(self) -> str:
        """Of the KafkaCluster, until the collector is known."""
        return self._route.name if self._route else f"of KafkaCluster {self._cluster}"

    def cluster_id(self) -> str | None:
        """Return the id of the Kafka cluster; None until the operator has connected to it.

        Raises
        ------
        CommandFailedError
            The API server cannot be reached.
        """
        body = self._access.get("KafkaCluster", self._cluster, self._namespace) or {}
        return (body.get("status") or {}).get("clusterId")

    def connect(self) -> http.client.HTTPConnection:
        """Look the collector up, and open a connection to it."""
        self._route = self._found()
        return self._route.connect()

    def token(self) -> str:
        """Return the mounted token."""
        return self._known().token()

    def explain(self, error: Exception) -> str:
        """Name the resource to correct."""
        return self._known().explain(error)

    def _known(self) -> KubernetesRoute:
        if self._route is None:
            self._route = self._found()
        return self._route

    def _found(self) -> KubernetesRoute:
        body = self._access.get("KafkaCluster", self._cluster, self._namespace)
        if body is None:
            raise CommandFailedError(
                f"there is no KafkaCluster {self._cluster} in namespace {self._namespace}: correct the Helm values "
                "console.kafkaCluster"
            )
        collector = find_collector(self._access, parsed(KafkaCluster, body))
        host = f"{collector_name(collector.metadata.name)}.{collector.metadata.namespace}.svc"
        address = self._address or f"{host}:{COLLECTOR_PORT}"
        return KubernetesRoute(self._access, collector, address, MountedToken(self._file, collector))
