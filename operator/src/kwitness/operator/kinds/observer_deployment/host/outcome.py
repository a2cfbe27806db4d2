"""What is added to the outcome of an ObserverDeployment that has a host."""

from __future__ import annotations

import dataclasses

from kwitness.contracts.resources.observer_deployment import ObserverDeployment, ObserverDeploymentStatus
from kwitness.operator.environment.clusters import permitted_cluster, present
from kwitness.operator.kinds.observer_deployment.host.objects import host_objects
from kwitness.operator.kinds.observer_deployment.status import is_current, ready_replicas
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.store import Key
from kwitness.operator.shapes.facts import Body, NamedObject
from kwitness.operator.shapes.work import Outcome, View
from kwitness.runtime.child_names import observer_host_name

__all__ = ["host_deployment", "with_host"]


def host_deployment(key: Key) -> NamedObject:
    """The Deployment of the host."""
    return NamedObject("Deployment", Key(key.namespace, observer_host_name(key.name)))


def with_host(outcome: Outcome, resource: ObserverDeployment, key: Key, view: View) -> Outcome:
    """Add the host's children, and what the status says of it; what is wrong with it is not the observers' trouble."""
    host = resource.spec.host
    if host is None:
        stands = present(view, host_deployment(key)) is not None
        # It is not wanted any more, and goes when children are applied.
        return dataclasses.replace(outcome, children=outcome.children or ()) if stands else outcome
    try:
        if view.settings.images.observer_host is None:
            raise TerminalError(
                "Unsupported",
                "the installation names no image of the observer host: set the Helm value images.observerHost",
            )
        children = host_objects(resource, host, permitted_cluster(resource, view), view.settings)
        deployment = present(view, host_deployment(key))
    except OperatorError as error:
        verdict = Verdict("Hosting", "False", error.reason, error.message)
        return dataclasses.replace(
            outcome, verdicts=(*outcome.verdicts, verdict), kept=(*outcome.kept, host_deployment(key))
        )
    status = outcome.status
    if isinstance(status, ObserverDeploymentStatus):
        status = status.model_copy(update={"host_replicas": ready_replicas(deployment)})
    return dataclasses.replace(
        outcome,
        status=status,
        verdicts=(*outcome.verdicts, _hosting(deployment, host.replicas, key)),
        children=(*(outcome.children or ()), *children),
    )


def _hosting(deployment: Body | None, wanted: int, key: Key) -> Verdict:
    count = ready_replicas(deployment)
    if count >= wanted and is_current(deployment, wanted):
        return Verdict("Hosting", "True", "ObserversCalled", f"{count} of {wanted} replicas of the host call observers")
    name = observer_host_name(key.name)
    return Verdict(
        "Hosting",
        "False",
        "HostNotReady",
        f"{count} of {wanted} replicas of the host are ready: wait; if it stays so, a class, the topic or a permission"
        f" is wrong, and kubectl logs --namespace {key.namespace} deployment/{name} says which",
    )
