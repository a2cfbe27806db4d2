"""Checks what a request of an observer or of interceptors claims: its cluster, its source and its resource."""

from __future__ import annotations

from kwitness.collector.event_lines import Head
from kwitness.collector.failures import ForbiddenError
from kwitness.collector.origin import Sender
from kwitness.contracts.collector_config import OtherNamespacesConfig
from kwitness.contracts.envelopes import EventsHead, InterceptorsHead
from kwitness.contracts.namespaces import contains_namespace

__all__ = ["check_claims", "may_act_in"]


def may_act_in(pod_namespace: str, resource_namespace: str, others: OtherNamespacesConfig | None) -> bool:
    """Return whether a resource may act in pods of a namespace: its own, and others as the installation allows it."""
    if pod_namespace == resource_namespace:
        return True
    return (
        others is not None
        and resource_namespace in others.from_namespaces
        and contains_namespace(others.to_namespaces, pod_namespace)
    )


def check_claims(sender: Sender, head: Head, others: OtherNamespacesConfig | None) -> None:
    """Raise `ForbiddenError` where the head claims what its sender's token does not bear out."""
    if head.cluster_id != sender.cluster_id:
        raise ForbiddenError(
            "WrongCluster", f"this token is for cluster {sender.cluster_id}, the request speaks of {head.cluster_id}"
        )
    if isinstance(head, InterceptorsHead):
        _check_interceptors(sender, head)
        _check_resource(sender, "InterceptorProfile", head.profile.namespace, head.profile.name, others)
    else:
        _check_observer(sender, head)
        _check_resource(sender, "ObserverDeployment", head.observer.namespace, head.observer.name, others)


def _check_interceptors(sender: Sender, head: InterceptorsHead) -> None:
    if head.source != f"{sender.source}/{head.reporter}":
        raise ForbiddenError(
            "WrongSource",
            f"this token is for sources {sender.source}/<reporter>, not {head.source} of reporter {head.reporter}",
        )
    if sender.reported_by != "pod":
        raise ForbiddenError(
            "WrongReporter", f"this sender is known as {sender.reported_by}; interceptors speak for their pod alone"
        )


def _check_observer(sender: Sender, head: EventsHead) -> None:
    if not sender.observes:
        raise ForbiddenError("WrongSource", "a sender of kind interceptor may not send what observers do")
    if head.source != sender.source:
        raise ForbiddenError("WrongSource", f"this token is for the source {sender.source}, not {head.source[:320]}")
    is_sidecar = head.observer.mode == "sidecar" and sender.reported_by == "pod"
    if head.observer.namespace != sender.namespace and not is_sidecar:
        raise ForbiddenError(
            "WrongNamespace",
            f"a pod of namespace {sender.namespace} belongs to no {head.observer.mode} of another one",
        )
    if head.reported_by != sender.reported_by:
        raise ForbiddenError(
            "WrongReporter",
            f"this sender is known as {sender.reported_by}, and says {head.reported_by}: its entry in the collector's "
            "configuration decides",
        )


def _check_resource(sender: Sender, kind: str, namespace: str, name: str, others: OtherNamespacesConfig | None) -> None:
    if not may_act_in(sender.namespace, namespace, others):
        raise ForbiddenError(
            "ResourceNotAllowed",
            f"this token is for a pod of namespace {sender.namespace}, where {kind} {namespace}/{name} may not act:"
            f" allow it by the Helm values injector.otherNamespaces.from (which needs {namespace}) and"
            f" injector.otherNamespaces.to (which needs {sender.namespace})",
        )
