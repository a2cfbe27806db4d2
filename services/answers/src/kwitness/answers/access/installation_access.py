"""Looking at an installation: everything that the doctor's checks need, as far as the caller may see it."""

from __future__ import annotations

import contextlib
import http.client
import importlib.metadata
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from kwitness.answers.access.cluster_access import ClusterAccess, UnknownKindError
from kwitness.answers.access.collector_access import CollectorAccess, CollectorRoute
from kwitness.answers.access.forwarded_port import forward
from kwitness.answers.access.kubernetes_route import KubernetesRoute
from kwitness.answers.access.serving_collector import parsed
from kwitness.answers.checks.facts import (
    CollectorFacts,
    DeploymentFacts,
    InstallationFacts,
    Permission,
    Refused,
)
from kwitness.answers.failure import CommandFailedError, NotPermittedError
from kwitness.answers.permissions import Permission as Asked
from kwitness.contracts.endpoints import CLUSTER_PATH, METRICS_PATH, PROBE_PORT
from kwitness.contracts.envelopes import ClusterState
from kwitness.contracts.resources import KINDS
from kwitness.contracts.resources.meta import GROUP
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.runtime.child_names import collector_name

__all__ = ["deployment_facts", "look", "release_of", "sample_of"]

_TIMEOUT_S: Final = 30
_EXPIRY: Final = "kwitness_injector_certificate_expiry_seconds"
_LABELS: Final = "app.kubernetes.io/name=kwitness,app.kubernetes.io/component={component}"
_VERSION: Final = "app.kubernetes.io/version"
_RELEASE: Final = re.compile(r"v?\d+\.\d+")

Answer = TypeVar("Answer")


def look(
    access: ClusterAccess,
    address: str | None,
    *,
    everywhere: bool,
    routes: Mapping[str, CollectorRoute] | None = None,
    by_person: bool = True,
) -> InstallationFacts:
    """Gather the facts.

    Parameters
    ----------
    address
        Where a collector's port is reached; None forwards ports.
    everywhere
        Whether to look into all namespaces, as far as the caller may; else into the chosen one.
    routes
        Ways to collectors by the id of their cluster, where the caller has one already.
    by_person
        Whether the caller is a person: one needs the permissions of the commands, and can get more.

    Raises
    ------
    CommandFailedError
        The API server cannot be reached at all.
    """
    looker = _Looker(access, address, everywhere=everywhere, routes=routes or {})
    resources = looker.resources()
    injectors = looker.deployments("injector")
    return InstallationFacts(
        version=_own_version(),
        now_s=time.time(),
        definitions=looker.definitions(),
        operators=looker.deployments("operator"),
        injectors=injectors,
        resources=resources,
        collectors=tuple(looker.collectors(resources)),
        certificate_expiry_s=looker.certificate_expiry_s(injectors or ()),
        permissions=tuple(looker.permissions(resources)) if by_person else (),
        refused=tuple(looker.refused),
        by_person=by_person,
    )


class _Wanted(NamedTuple):
    """A permission that some command needs; with a name for that one object alone."""

    verb: str
    resource: str
    namespace: str
    needed_for: str
    group: str = GROUP
    name: str | None = None


class _Looker:
    """Asks; what is refused is noted, and what is not there is None."""

    def __init__(
        self, access: ClusterAccess, address: str | None, *, everywhere: bool, routes: Mapping[str, CollectorRoute]
    ) -> None:
        self._access = access
        self._routes = routes
        self._address = address
        self._where = None if everywhere else access.namespace
        self.refused: list[Refused] = []

    def _in_all_or_own(self, ask: Callable[[str | None], Answer]) -> Answer | None:
        """Ask for all namespaces, and where that is not permitted for the chosen one; None: neither is."""
        places: Sequence[str | None] = (self._where,) if self._where else (None, self._access.namespace)
        for place in places:
            with contextlib.suppress(NotPermittedError):
                return ask(place)
        return None

    def definitions(self) -> Mapping[str, Mapping[str, Any]] | None:
        """Our CustomResourceDefinitions by name; None: not permitted."""
        plural = "customresourcedefinitions"
        found = {}
        for info in KINDS:
            name = f"{info.plural}.{GROUP}"
            asked = Asked("get", f"{plural}.apiextensions.k8s.io", None, name)
            try:
                body = self._access.request("GET", f"/apis/apiextensions.k8s.io/v1/{plural}/{name}", asked)
            except NotPermittedError:
                return None
            if body is not None:
                found[name] = body
        return found

    def deployments(self, component: str) -> tuple[DeploymentFacts, ...] | None:
        """Deployments of a component of the chart; None: not permitted."""
        labels = {"labelSelector": _LABELS.format(component=component)}

        def ask(namespace: str | None) -> Any:
            where = "" if namespace is None else f"/namespaces/{namespace}"
            asked = Asked("list", "deployments.apps", namespace)
            return self._access.request("GET", f"/apis/apps/v1{where}/deployments", asked, query=labels) or {}

        answer = self._in_all_or_own(ask)
        return None if answer is None else tuple(deployment_facts(one) for one in answer.get("items") or ())

    def resources(self) -> tuple[Mapping[str, Any], ...]:
        """Our resources; kinds that may not be listed are noted, those without a definition left out."""
        found: list[Mapping[str, Any]] = []
        for info in KINDS:
            try:
                items = self._in_all_or_own(lambda place, kind=info.kind: self._access.items(kind, place))  # type: ignore[misc]
            except UnknownKindError:
                # The check of definitions tells it.
                continue
            if items is None:
                self.refused.append(Refused(info.kind, f"you may not list {info.plural}.{GROUP}"))
                continue
            found.extend({"kind": info.kind, **one} for one in items)
        return tuple(found)

    def collectors(self, resources: Sequence[Mapping[str, Any]]) -> Iterator[CollectorFacts]:
        """What each collector answers."""
        cluster_ids = {
            (one["metadata"]["namespace"], one["metadata"]["name"]): (one.get("status") or {}).get("clusterId")
            for one in resources
            if one["kind"] == "KafkaCluster"
        }
        for one in resources:
            if one["kind"] == "TelemetryCollector":
                reference = one["spec"]["clusterRef"]
                key = (reference.get("namespace") or one["metadata"]["namespace"], reference["name"])
                if (facts := self._collector(one, cluster_ids.get(key))) is not None:
                    yield facts

    def _collector(self, resource: Mapping[str, Any], cluster_id: str | None) -> CollectorFacts | None:
        """Return the facts of a collector; None where it may not be asked, which says nothing about it."""
        namespace, name = str(resource["metadata"]["namespace"]), str(resource["metadata"]["name"])
        if (resource.get("spec") or {}).get("suspend"):
            return CollectorFacts(namespace, name, suspended=True)
        version = self._collector_version(namespace, name)
        if cluster_id is None:
            return CollectorFacts(namespace, name, version=version, failure="its KafkaCluster has no cluster id yet")
        try:
            route = self._routes.get(cluster_id)
            if route is None:
                route = KubernetesRoute(self._access, parsed(TelemetryCollector, resource), self._address)
            with CollectorAccess(route) as asked:
                cluster = asked.get(CLUSTER_PATH.format(cluster_id=cluster_id), ClusterState)
        except NotPermittedError as error:
            self.refused.append(Refused(f"TelemetryCollector {namespace}/{name}", str(error)))
            return None
        except CommandFailedError as error:
            return CollectorFacts(namespace, name, version=version, failure=str(error))
        return CollectorFacts(namespace, name, version=version, cluster=cluster)

    def _collector_version(self, namespace: str, name: str) -> str | None:
        own = collector_name(name)
        asked = Asked("get", "statefulsets.apps", namespace, own)
        try:
            found = self._access.request("GET", f"/apis/apps/v1/namespaces/{namespace}/statefulsets/{own}", asked)
        except NotPermittedError:
            return None
        containers = ((found or {}).get("spec") or {}).get("template", {}).get("spec", {}).get("containers") or ()
        return next((release_of(str(one.get("image", ""))) for one in containers), None)

    def certificate_expiry_s(self, injectors: Sequence[DeploymentFacts]) -> float | None:
        """When the certificate ends, as the first injector that answers says on its page of metrics."""
        for one in injectors:
            with contextlib.suppress(CommandFailedError, OSError, http.client.HTTPException):
                return sample_of(self._page(one), _EXPIRY)
        return None

    def _page(self, deployment: DeploymentFacts) -> str:
        labels = {"labelSelector": _LABELS.format(component="injector")}
        asked = Asked("list", "pods", deployment.namespace)
        pods = self._access.request("GET", f"/api/v1/namespaces/{deployment.namespace}/pods", asked, query=labels)
        running = [one for one in (pods or {}).get("items") or () if one["status"].get("phase") == "Running"]
        names = [str(one["metadata"]["name"]) for one in running]
        connection = http.client.HTTPConnection("localhost", PROBE_PORT, timeout=_TIMEOUT_S)
        plain: socket.socket = forward(self._access, deployment.namespace, names, PROBE_PORT)
        with contextlib.closing(connection):
            connection.sock = plain
            plain.settimeout(_TIMEOUT_S)
            connection.request("GET", METRICS_PATH)
            return connection.getresponse().read().decode("utf-8", "replace")

    def permissions(self, resources: Sequence[Mapping[str, Any]]) -> Iterator[Permission]:
        """What the caller needs for the commands, and whether it is given."""
        own = self._access.namespace
        wanted = [
            _Wanted("list", "kafkaclusters", own, "every command that names a cluster"),
            _Wanted("list", "telemetrycollectors", own, "kwitness clients"),
            _Wanted("list", "analyticsjobs", own, "kwitness jobs"),
            _Wanted("list", "clientmetricssubscriptions", own, "kwitness subscriptions list"),
            _Wanted("create", "clientmetricssubscriptions", own, "kwitness subscriptions add"),
            _Wanted("delete", "clientmetricssubscriptions", own, "kwitness subscriptions delete"),
        ]
        for one in resources:
            if one["kind"] == "TelemetryCollector":
                wanted.extend(self._of_collector(one))
        for need in wanted:
            allowed = self._may(need)
            if allowed is not None:
                yield Permission(
                    need.verb,
                    need.resource,
                    need.group,
                    need.namespace,
                    need.needed_for,
                    allowed=allowed,
                    name=need.name,
                )

    def _of_collector(self, resource: Mapping[str, Any]) -> Iterator[_Wanted]:
        """A reader's token, the first one's, and a port of the first pod."""
        metadata = resource["metadata"]
        namespace = str(metadata["namespace"])
        for reader in (((resource.get("spec") or {}).get("ingest") or {}).get("readers") or ())[:1]:
            where = str(reader.get("namespace") or namespace)
            yield _Wanted("create", "serviceaccounts/token", where, "kwitness clients", "", reader["serviceAccount"])
        if self._address is None:
            pod = f"{collector_name(str(metadata['name']))}-0"
            yield _Wanted("create", "pods/portforward", namespace, "kwitness clients", "", pod)

    def _may(self, need: _Wanted) -> bool | None:
        plural, _, part = need.resource.partition("/")
        attributes = {
            "namespace": need.namespace,
            "verb": need.verb,
            "group": need.group,
            "resource": plural,
            "subresource": part,
            "name": need.name or "",
        }
        group = "authorization.k8s.io"
        review = {
            "apiVersion": f"{group}/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        asked = Asked("create", f"selfsubjectaccessreviews.{group}", None)
        try:
            answer = self._access.request("POST", f"/apis/{group}/v1/selfsubjectaccessreviews", asked, review)
        except NotPermittedError as error:
            self.refused.append(Refused("your permissions", str(error)))
            return None
        return bool(((answer or {}).get("status") or {}).get("allowed"))


def _own_version() -> str | None:
    """Return the version of this program; None where it is not installed as a package, as in images."""
    try:
        return importlib.metadata.version("kwitness")
    except importlib.metadata.PackageNotFoundError:
        return None


def deployment_facts(body: Mapping[str, Any]) -> DeploymentFacts:
    """What is to be known of a Deployment, as the API server has it."""
    metadata, spec, status = body["metadata"], body.get("spec") or {}, body.get("status") or {}
    available = [one for one in status.get("conditions") or () if one.get("type") == "Available"]
    return DeploymentFacts(
        name=str(metadata["name"]),
        namespace=str(metadata["namespace"]),
        version=(metadata.get("labels") or {}).get(_VERSION),
        wanted=int(spec.get("replicas", 1)),
        ready=int(status.get("readyReplicas") or 0),
        message=next((str(one.get("message", "")) for one in available if one.get("status") != "True"), ""),
    )


def release_of(image: str) -> str | None:
    """Return the release that an image's tag names; None of others, such as those of `make images`, and by digest."""
    tag = image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    return tag if _RELEASE.match(tag) else None


def sample_of(page: str, name: str) -> float | None:
    """The value of a metric without labels on a page of Prometheus."""
    for line in page.splitlines():
        if line.startswith(f"{name} "):
            value = float(line.split()[1])
            return value if value > 0 else None
    return None
