"""Walks through the schemas: from any state a resource reaches the one that is declared last.

Each walk begins with a declared resource, takes generated steps through valid and invalid specs and through misuse, and
declares the first resource again. After each step the status is of the present generation; at the end the reason is
that of the beginning.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from kwitness.contracts.reasons import REASONS
from kwitness.contracts.resources import KINDS
from kwitness.e2e.api_server import ApiServer
from kwitness.sandbox.waiting import WaitFailedError

from tests import soak
from tests.contracts.resource_cases import CASES
from tests.eventually import eventually
from tests.operator.surroundings import (
    analytics_job,
    apply,
    cluster,
    collector,
    condition,
    gateway,
    get,
    subscription,
    until_reason,
)

pytestmark = [pytest.mark.broker, pytest.mark.soak]

NAME: Final = "walk"
STEPS: Final = 5
PLURALS: Final = {info.kind: info.plural for info in KINDS}
KNOWN: Final = frozenset(reason.reason for reason in REASONS)
REACHED: Final = {
    "KafkaCluster": "Connected",
    "ClientMetricsSubscription": "Applied",
    "TelemetryCollector": "Progressing",
    "ObserverDeployment": "Progressing",
    "AnalyticsJob": "Starting",
    "InterceptorProfile": "InjectorMissing",
    "HeaderRegistry": "Registered",
}
"""The reason of Ready that the declared resource has here, where no pod ever starts."""
_MERGE: Final = {"Content-Type": "application/merge-patch+json"}

Resource = dict[str, Any]


def _of_kind(kind: str, namespace: str, **spec: Any) -> Resource:
    metadata = {"name": NAME, "namespace": namespace}
    return {"apiVersion": "kwitness.dev/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def declared(kind: str, namespace: str, bootstrap: str) -> Resource:
    """Return the resource with which a walk begins and ends."""
    of_the_cluster = {
        "ClientMetricsSubscription": subscription,
        "TelemetryCollector": collector,
        "ObserverDeployment": gateway,
        "AnalyticsJob": analytics_job,
    }
    if kind in of_the_cluster:
        return of_the_cluster[kind](NAME, namespace)
    if kind == "KafkaCluster":
        return cluster(NAME, namespace, bootstrap)
    if kind == "InterceptorProfile":
        entries = [{"name": "audit", "type": "Audit"}]
        return _of_kind(kind, namespace, clusterRef={"name": "main"}, selector={}, interceptors=entries)
    return _of_kind(kind, namespace, keys=[{"name": "walk.id", "description": "An id.", "type": "String"}])


class Walk:
    """A resource on its way, and what was done to it."""

    def __init__(self, api: ApiServer, first: Resource, dice: random.Random) -> None:
        self._api = api
        self._dice = dice
        self.first = first
        self.kind: str = first["kind"]
        self.namespace: str = first["metadata"]["namespace"]
        self.steps: list[str] = []
        cases = [case for case in CASES if case.kind == self.kind]
        self._valid = [case for case in cases if not case.refused]
        self._invalid = [case for case in cases if case.refused]

    def step(self) -> None:
        """Do something to the resource, and wait until its status is of what it is now."""
        steps: list[Callable[[], str]] = [
            self._change,
            self._change,
            self._misspell,
            self._forge,
            self._stop,
            self._renew,
        ]
        self.steps.append(self._dice.choice(steps)())
        self.settle()

    def declare(self) -> None:
        """Apply the first resource again."""
        self._put(self.first["spec"])
        self._patch({"metadata": {"annotations": {"kwitness.dev/pause": None}}})

    def settle(self) -> Resource:
        """Wait until the status is of the present generation, with a reason of the registry."""
        return eventually(lambda: get(self._api, self.kind, NAME, self.namespace), self._is_answered)

    def _is_answered(self, body: Resource) -> bool:
        ready = condition(self._api, self.kind, NAME, self.namespace, "Ready")
        return (
            body["status"]["observedGeneration"] == body["metadata"]["generation"] == ready.get("observedGeneration")
            if body.get("status", {}).get("observedGeneration")
            else False
        ) and ready["reason"] in KNOWN

    def _change(self) -> str:
        case = self._dice.choice(self._valid)
        self._put(case.body["spec"])
        return f"changed to {case}"

    def _misspell(self) -> str:
        case = self._dice.choice(self._invalid)
        before = get(self._api, self.kind, NAME, self.namespace)["spec"]
        answer = self._replace(case.body["spec"])
        # What is refused for its name alone can be a spec of another.
        if not answer.ok:
            assert get(self._api, self.kind, NAME, self.namespace)["spec"] == before
        return f"misspelt as {case}"

    def _forge(self) -> str:
        """Write a status that no operator wrote."""
        forged = {"type": "Ready", "status": "True", "reason": "Forged", "message": "All is well."}
        stamp = {"lastTransitionTime": "2020-01-01T00:00:00Z", "observedGeneration": 1}
        status = {"observedGeneration": 1, "conditions": [{**forged, **stamp}]}
        self._patch({"status": status}, subresource="/status")
        # Nothing watches a status that another one writes; the next change has it written again.
        self._patch({"spec": {"suspend": self._dice.choice([True, False, None])}})
        return "forged its status"

    def _stop(self) -> str:
        paused = self._dice.choice(["true", None])
        self._patch({"metadata": {"annotations": {"kwitness.dev/pause": paused}}, "spec": {"suspend": paused is None}})
        return "paused" if paused else "suspended"

    def _renew(self) -> str:
        """Delete it and apply it again, before the operator has seen that it is gone."""
        body = get(self._api, self.kind, NAME, self.namespace)
        self._api.objects.delete(self.kind, NAME, namespace=self.namespace)
        apply(self._api, {**self.first, "spec": body["spec"]})
        return "deleted and applied again"

    def _put(self, spec: Resource) -> None:
        """Give it a spec; one with fields that cannot be changed is another resource of its name."""
        if not self._replace(spec).ok:
            self._api.objects.delete(self.kind, NAME, namespace=self.namespace)
            apply(self._api, {**self.first, "spec": spec})

    def _replace(self, spec: Resource) -> Any:
        body = get(self._api, self.kind, NAME, self.namespace)
        kept = {name: value for name, value in body.items() if name != "status"}
        return self._api.request("PUT", self._path, json={**kept, "spec": spec})

    def _patch(self, change: Resource, subresource: str = "") -> None:
        self._api.request("PATCH", f"{self._path}{subresource}", json=change, headers=_MERGE)

    @property
    def _path(self) -> str:
        return f"/apis/kwitness.dev/v1beta1/namespaces/{self.namespace}/{PLURALS[self.kind]}/{NAME}"


@pytest.mark.usefixtures("applied")
@pytest.mark.parametrize("seed", soak.seeds(10))
def test_resources_of_each_kind_reach_what_is_declared_last(api, namespace, clean_broker, seed: int) -> None:
    for kind in PLURALS:
        dice = random.Random(f"{kind} {seed}")  # noqa: S311 - steps, not secrets
        walk = Walk(api, declared(kind, namespace, clean_broker.bootstrap), dice)
        if kind == "ObserverDeployment":
            apply(api, collector("main", namespace))
        apply(api, walk.first)
        until_reason(api, kind, NAME, namespace, REACHED[kind])

        for _ in range(STEPS):
            walk.step()
        walk.declare()

        try:
            until_reason(api, kind, NAME, namespace, REACHED[kind])
        except WaitFailedError as error:
            raise AssertionError(f"{kind} with seed {seed}: {'; '.join(walk.steps)}") from error
        api.objects.delete(kind, NAME, namespace=namespace)
        api.objects.delete("ktc", *api.objects.names("ktc", namespace), namespace=namespace)
