"""Conditions of an ObserverDeployment beside clients or brokers, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kwitness.contracts.envelopes import ObserverState
from kwitness.contracts.injections import INJECTION
from kwitness.contracts.resources.observer_deployment import ObserverDeployment, PodCoverage
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.store import Key
from kwitness.operator.model.wording import some

__all__ = ["covered", "injecting", "traffic"]


def injecting(
    resource: ObserverDeployment,
    namespaces: Sequence[str],
    *,
    refused: Sequence[str],
    told: Mapping[str, str | None] | None,
    wanted: str,
    injector: Mapping[str, Any] | None,
) -> Verdict:
    """Whether pods that start now get an observer.

    ``told`` are the hashes that the injector was told, by owner; None while it was told nothing at all. ``wanted`` is
    this one's. ``injector`` is its Deployment.
    """
    if refused:
        return _not_ready(
            "AdmissionRefused",
            f"pods in {some(refused)} were refused because of the observer (a quota, a limit range, Pod Security or"
            " another policy), so it is put into none there: see the events FailedCreate of their ReplicaSets, change"
            " the policy or the Helm value observer.sidecar.resources, then change this resource's spec",
        )
    if not namespaces:
        return _no_namespace(resource)
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    replicas = int(((injector or {}).get("status") or {}).get("readyReplicas") or 0)
    trouble = _telling((told or {}).get(owner, ""), wanted) or _answering(replicas)
    if trouble is not None:
        return trouble
    if resource.spec.suspend:
        return ready("Suspended", "observers relay and read nothing, as spec.suspend says; pods still get them")
    return ready("Injecting", f"selected pods that start in {some(namespaces)} get an observer")


def _telling(told: str | None, wanted: str) -> Verdict | None:
    """What keeps the injector from knowing this resource as it is; ``told`` None: there was no room for it."""
    if told is None:
        return _not_ready(
            "LimitExceeded",
            "the ConfigMap that the injector reads has no more room for ObserverDeployments of this namespace: let one"
            " select what several of this namespace do, or give this one a higher spec.priority than they have",
        )
    if told != wanted:
        return _not_ready(
            "Progressing", "the injector is being told: wait; if it stays so, see the operator's log for Injections"
        )
    return None


def _answering(replicas: int) -> Verdict | None:
    if not replicas:
        return _not_ready(
            "InjectorMissing",
            "no replica of the injector is ready, so pods start without observer: see the Deployment kwitness-injector"
            " in the release's namespace, and restart afterwards what status.pods.restart names",
        )
    return None


def covered(coverage: PodCoverage, unseen: Sequence[str], *, beside_brokers: bool = False) -> Verdict:
    """Whether all selected pods have one; ``unseen`` are namespaces whose pods could not be listed."""
    if unseen:
        return Verdict(
            "Covered",
            "Unknown",
            "KubernetesForbidden",
            f"the operator may not list pods in {some(unseen)}: add the namespace to the Helm value watchNamespaces or"
            " injector.otherNamespaces.to",
        )
    if not coverage.selected:
        selector = f"spec.{'broker' if beside_brokers else 'sidecar'}.selector"
        return Verdict("Covered", "Unknown", "NoPods", f"no running pod is selected: wait, or correct {selector}")
    share = f"{coverage.observed} of {coverage.selected} selected pods have an observer"
    left_out = ", ".join(f"{one.pods} {one.reason} ({one.example})" for one in coverage.left_out)
    also = f"; left out: {left_out}" if left_out else ""
    late = coverage.missed + coverage.outdated
    if late:
        lines = "\n".join(coverage.restart)
        remedy = f"start them again:\n{lines}" if lines else "start them again, each in its own way"
        return Verdict(
            "Covered",
            "False",
            "PodsMissed",
            f"{share}{also}; {coverage.missed} started without and {coverage.outdated} before the present settings:"
            f" {remedy}",
        )
    if left_out:
        return Verdict(
            "Covered", "False", "PodsLeftOut", f"{share}{also}: each reason has a remedy in docs/guides/sidecar.md"
        )
    return Verdict("Covered", "True", "PodsCovered", share)


def traffic(
    coverage: PodCoverage, own: Sequence[ObserverState], *, redirected: Sequence[int], beside_brokers: bool = False
) -> tuple[Verdict, ...]:
    """Whether applications connect to the observers beside them and can be read; nothing is said where all do.

    ``redirected`` are the ports whose connections are redirected, if any are.
    """
    instead = (
        "spec.broker.loopbackPort in place of spec.broker.redirect"
        if beside_brokers
        else "spec.sidecar.env in place of spec.sidecar.transparent"
    )
    apart = [one for one in own if one.not_intercepted is not None]
    if apart:
        message = (
            f"in {len(apart)} pods connections are not redirected to the observer, so they are not seen; in"
            f" {apart[0].pod_namespace}/{apart[0].pod}: {apart[0].not_intercepted}; have the node's runtime allow"
            f" nftables, or use {instead}"
        )
        return (Verdict("Traffic", "False", "NotIntercepted", message),)
    if coverage.silent:
        remedy = (
            "have their application connect to one of the ports that are redirected"
            f" ({', '.join(map(str, redirected))}), or add the brokers' addresses to the listener of the KafkaCluster"
            if redirected
            else "name the variables that their application reads in spec.sidecar.env, or have it connect to the port"
            " in status.bootstrapServers"
        )
        if beside_brokers:
            remedy = (
                f"have spec.broker.port ({', '.join(map(str, redirected))}) be the port in the brokers' listeners, and"
                " see the log of the container kwitness-observer"
                if redirected
                else "see the condition Loopback, and the log of the container kwitness-observer for a certificate or"
                " port that it cannot have"
            )
        message = f"{coverage.silent} pods have had no connection within five minutes of their start: {remedy}"
        return (Verdict("Traffic", "False", "NoTraffic", message),)
    encrypted = sum(one.opaque.get("tls", 0) for one in own) if redirected else 0
    if encrypted:
        remedy = (
            "with tls, so that the observer ends it"
            if beside_brokers
            else "with securityProtocol and caFile, so that the observer speaks TLS to the brokers"
        )
        message = (
            f"{encrypted} connections were encrypted between application and broker and are passed on unread: use"
            f" {instead}, {remedy}, or a gateway"
        )
        return (Verdict("Traffic", "False", "TlsNotRead", message),)
    return ()


def _no_namespace(resource: ObserverDeployment) -> Verdict:
    own, selector = resource.metadata.namespace, resource.spec.namespace_selector
    if selector is None:
        return _not_ready(
            "NamespaceNotLabelled",
            f"the namespace does not let its pods get observers: kubectl label namespace {own} {INJECTION}=enabled",
        )
    labels = ",".join(filter(None, (str(selector), f"{INJECTION}=enabled")))
    return _not_ready(
        "NamespaceNotLabelled",
        f"no namespace with {labels} is among those that this one may select: label it, or have"
        f" the Helm values injector.otherNamespaces.from (which needs {own}) and injector.otherNamespaces.to changed",
    )


def _not_ready(reason: str, message: str) -> Verdict:
    return Verdict("Ready", "False", reason, message)
