"""What the status of an InterceptorProfile says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kwitness.contracts.envelopes import InterceptorState
from kwitness.contracts.injections import INJECTION
from kwitness.contracts.interceptor_injections import RUNTIMES
from kwitness.contracts.resources.interceptor_profile import InterceptedPods, InterceptorProfile
from kwitness.contracts.spelling import quantity
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.store import Key
from kwitness.operator.model.wording import some

__all__ = ["covered", "injecting", "reporting", "through_observer", "working"]


def injecting(
    resource: InterceptorProfile,
    namespaces: Sequence[str],
    *,
    refused: Sequence[str],
    told: Mapping[str, str | None] | None,
    wanted: str,
    injector: Mapping[str, Any] | None,
) -> Verdict:
    """Whether pods that start now get the interceptors.

    ``told`` are the hashes that the injector was told, by owner; None while it was told nothing at all. ``wanted`` is
    this one's. ``injector`` is its Deployment.
    """
    if refused:
        return _not_ready(
            "AdmissionRefused",
            f"pods in {some(refused)} were refused because of the interceptors (a quota, a limit range, Pod Security or"
            " another policy), so they are put into none there: see the events FailedCreate of their ReplicaSets,"
            " change the policy or the Helm value interceptors.resources, then change this resource's spec",
        )
    if not namespaces:
        return _no_namespace(resource)
    owner = str(Key(resource.metadata.namespace, resource.metadata.name))
    trouble = _telling((told or {}).get(owner, ""), wanted)
    if trouble is not None:
        return trouble
    if not int(((injector or {}).get("status") or {}).get("readyReplicas") or 0):
        return _not_ready(
            "InjectorMissing",
            "no replica of the injector is ready, so pods start without interceptors: see the Deployment"
            " kwitness-injector in the release's namespace, and restart afterwards what status.pods.restart names",
        )
    if resource.spec.suspend:
        return ready("Suspended", "interceptors count nothing, as spec.suspend says; pods still get them")
    return ready("Injecting", f"selected pods that start in {some(namespaces)} get the interceptors")


def _telling(told: str | None, wanted: str) -> Verdict | None:
    """What keeps the injector from knowing this resource as it is; ``told`` None: there was no room for it."""
    if told is None:
        return _not_ready(
            "LimitExceeded",
            "the ConfigMap that the injector reads has no more room for InterceptorProfiles of this namespace: shorten"
            " this one, let one select what several of this namespace do, or give this one a higher spec.priority than"
            " they have",
        )
    if told != wanted:
        return _not_ready(
            "Progressing", "the injector is being told: wait; if it stays so, see the operator's log for Interceptors"
        )
    return None


def covered(pods: InterceptedPods, unseen: Sequence[str]) -> Verdict:
    """Whether all selected pods have them; ``unseen`` are namespaces whose pods could not be listed."""
    if unseen:
        return Verdict(
            "Covered",
            "Unknown",
            "KubernetesForbidden",
            f"the operator may not list pods in {some(unseen)}: add the namespace to the Helm value watchNamespaces or"
            " injector.otherNamespaces.to",
        )
    if not pods.selected:
        return Verdict("Covered", "Unknown", "NoPods", "no running pod is selected: wait, or correct spec.selector")
    share = f"{pods.injected} of {pods.selected} selected pods have the interceptors"
    left_out = ", ".join(f"{one.pods} {one.reason} ({one.example})" for one in pods.left_out)
    also = f"; left out: {left_out}" if left_out else ""
    if pods.outdated + pods.missed:
        lines = "\n".join(pods.restart)
        remedy = f"start them again:\n{lines}" if lines else "start them again, each in its own way"
        return Verdict(
            "Covered",
            "False",
            "PodsMissed",
            f"{share}{also}; {pods.missed} started without and {pods.outdated} before the present settings: {remedy}",
        )
    if left_out:
        return Verdict(
            "Covered",
            "False",
            "PodsLeftOut",
            f"{share}{also}: each reason has a remedy in docs/guides/interceptor-profiles.md; pods say which runtimes"
            f" they have by the annotation {RUNTIMES}",
        )
    return Verdict("Covered", "True", "PodsCovered", share)


def reporting(pods: InterceptedPods, own: Sequence[InterceptorState], *, known: bool) -> tuple[Verdict, ...]:
    """Whether the collector hears from pods with the interceptors; nothing is said while it does not answer."""
    if not known or not pods.injected:
        return ()
    if own:
        heard = pods.injected - pods.silent
        processes = quantity(len(own), "process", "processes")
        message = f"the collector hears from {processes}, in {heard} of {pods.injected} pods"
        return (Verdict("Reporting", "True", "Reporting", message),)
    message = (
        "the collector hears from no process with these interceptors: a process reports from its first client on; where"
        " there are clients, see whether the containers' runtimes are those of the profile and what their logs say of"
        " kwitness"
    )
    return (Verdict("Reporting", "False", "NoReports", message),)


def working(own: Sequence[InterceptorState], without: Mapping[str, int]) -> tuple[Verdict, ...]:
    """Whether all interceptors are called in all processes; ``without`` are clients that have none, by reason."""
    if not own:
        return ()
    broken = [(one, name, reason) for one in own for name, reason in sorted(one.unusable.items())]
    if broken:
        one, name, reason = broken[0]
        message = (
            f"{len({state.reporter for state, _, _ in broken})} processes work without some of the interceptors; in"
            f" {one.pod_namespace}/{one.pod} {name}: {reason}"
        )
        return (Verdict("Working", "False", "InterceptorsUnusable", message),)
    if without:
        counted = ", ".join(f"{count} {reason}" for reason, count in sorted(without.items()))
        message = f"clients without interceptors: {counted}; see docs/guides/interceptors.md, observers see them all"
        return (Verdict("Working", "False", "ClientsWithout", message),)
    return (Verdict("Working", "True", "Working", "all interceptors are called in every process"),)


def through_observer(
    resource: InterceptorProfile, own: Sequence[InterceptorState], apart: Mapping[str, int]
) -> tuple[Verdict, ...]:
    """Whether clients that are to connect to their pod's observer do; ``apart`` are those that do not, by reason."""
    if not resource.spec.through_observer or not own:
        return ()
    if apart:
        counted = ", ".join(f"{count} {reason}" for reason, count in sorted(apart.items()))
        message = f"clients that connected by themselves: {counted}; see docs/guides/interceptor-profiles.md"
        return (Verdict("ThroughObserver", "False", "ClientsNotThroughObserver", message),)
    message = "no client connected past its pod's observer"
    return (Verdict("ThroughObserver", "True", "ThroughObserver", message),)


def _no_namespace(resource: InterceptorProfile) -> Verdict:
    own, selector = resource.metadata.namespace, resource.spec.namespace_selector
    if selector is None:
        return _not_ready(
            "NamespaceNotLabelled",
            f"the namespace does not let its pods get interceptors: kubectl label namespace {own} {INJECTION}=enabled",
        )
    labels = ",".join(filter(None, (str(selector), f"{INJECTION}=enabled")))
    return _not_ready(
        "NamespaceNotLabelled",
        f"no namespace with {labels} is among those that this one may select: label it, or have"
        f" the Helm values injector.otherNamespaces.from (which needs {own}) and injector.otherNamespaces.to changed",
    )


def _not_ready(reason: str, message: str) -> Verdict:
    return Verdict("Ready", "False", reason, message)
