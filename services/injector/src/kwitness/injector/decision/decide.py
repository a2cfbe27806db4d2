"""The decision: which observer a pod gets, if any, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from kwitness.contracts.injections import (
    CONFIG_HASH,
    LEFT_OUT,
    OBSERVER,
    OBSERVER_CONTAINER,
    OBSERVER_INSTALLATION,
    Injection,
    LeftOutReason,
    injection_hash,
    left_out_text,
    parse_left_out,
)
from kwitness.contracts.interceptor_injections import INTERCEPTORS_CONTAINER
from kwitness.contracts.observer_settings import ObserverSettings, ReportSettings
from kwitness.contracts.workloads import workload_of

from . import pods
from .choice import OTHER_INSTALLATION, choose
from .header_rules import rules_in
from .own_node import own_upstream
from .patch import Operation, all_listed, annotated, annotations_fit, first_listed, replaced
from .place import Place, selects, shut_out
from .pod_files import pull_secrets
from .pod_observer import PodObserver
from .pods import Json
from .ports import moved
from .sidecar import MARKER_VOLUME, OURS, observer_container, observer_files, observer_volumes, redirect_container
from .variables import chosen_containers, names_another_cluster, rewritten_environment

__all__ = ["Decision", "Outcome", "Place", "decide"]

Outcome = Literal["injected", "left_out", "not_selected", "opted_out"]

_SIDECARS_SINCE: Final = 29
"""From Kubernetes 1.29 on an init container with restartPolicy Always is not waited for."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a pod.

    Attributes
    ----------
    owner
        <namespace>/<name> of the ObserverDeployment beside it, or of the InterceptorProfile whose interceptors it has.
    patch
        Empty where the pod is already as it must be.
    left_out
        Why others that select the pod have no effect, by owner.
    observer
        The one that the pod has then.
    """

    outcome: Outcome
    owner: str | None = None
    patch: tuple[Operation, ...] = ()
    left_out: Mapping[str, LeftOutReason] = field(default_factory=dict)
    observer: PodObserver | None = None


def decide(pod: Json, place: Place, injections: Sequence[Injection]) -> Decision:
    """Decide on a pod that is about to be made.

    Of the injections that select it the first that fits is taken: those of the pod's own namespace before others, in
    the order of ``injections``. When the webhook is asked again, since another one changed the pod, the pod keeps its
    observer, also another installation's.
    """
    closed = shut_out(pod, place)
    if closed is not None:
        return Decision(closed)
    present = _present_observer(pod)
    candidates = sorted(
        (one for one in injections if selects(one, pod, place)),
        # A broker whose listener is on loopback has no clients without its own observer.
        key=lambda one: (one.owner != present, one.namespace != place.name, not one.is_beside_broker),
    )
    if not candidates:
        return Decision("not_selected")
    # What was rewritten cannot be judged again.
    known = parse_left_out(pods.annotations_of(pod).get(LEFT_OUT, "")) if present else {}
    chosen, left_out = choose(candidates, known, lambda candidate: _fit(candidate, pod, place))
    # Those of another installation's injector stay in the annotation.
    written = left_out | known
    said = {LEFT_OUT: left_out_text(written) if written else None}
    if chosen is None:
        return Decision("left_out", None, tuple(annotated(pod, said)), left_out)
    injection, settings = chosen
    patch = [
        *annotated(
            pod,
            {
                OBSERVER: injection.owner,
                CONFIG_HASH: injection_hash(injection),
                OBSERVER_INSTALLATION: injection.installation,
                **observer_files(injection, settings),
                **said,
            },
        ),
        *_environments(pod, injection, settings),
        *_observer(pod, injection, settings, probed=_is_probed(injection, pod, place)),
    ]
    return Decision("injected", injection.owner, tuple(patch), left_out, PodObserver(injection, settings))


def _present_observer(pod: Json) -> str | None:
    """The owner of the observer that the pod has already."""
    if any(container["name"] == OBSERVER_CONTAINER for container in pods.init_containers(pod)):
        return pods.annotations_of(pod).get(OBSERVER)
    return None


def _fit(injection: Injection, pod: Json, place: Place) -> ObserverSettings | LeftOutReason:
    """The settings with ports for this pod, or why the pod cannot have this observer."""
    mark = pods.annotations_of(pod).get(OBSERVER_INSTALLATION)
    if _present_observer(pod) is not None and mark is not None and mark != injection.installation:
        return OTHER_INSTALLATION
    refusal = _refusal(injection, pod, place)
    if refusal is not None:
        return refusal
    in_use = pods.ports_in_use(pod, without=OURS) | set(injection.settings.listener.redirected)
    settings = moved(injection.settings, in_use)
    if settings is None:
        return "NoPort"
    written = f"{settings.listener.bind}:{settings.listener.bootstrap_port}"
    if names_another_cluster(pod, injection, place.name, written):
        return "AddressNotOfCluster"
    report = _report(settings.report, place)
    upstream = own_upstream(injection, settings.upstream, pod, place.name)
    workload = workload_of(pod["metadata"])
    settings = settings.model_copy(update={"workload": workload, "report": report, "upstream": upstream})
    if not annotations_fit(pod, observer_files(injection, settings)):
        return "AnnotationsTooLong"
    return settings


def _report(report: ReportSettings, place: Place) -> ReportSettings:
    headers = report.headers
    if headers is None:
        return report
    judged = headers.model_copy(update={"rules": rules_in(place, headers.rules)})
    return report.model_copy(update={"headers": judged})


def _refusal(injection: Injection, pod: Json, place: Place) -> LeftOutReason | None:
    """The first of the reasons that do not depend on ports: what would not run, or would not be admitted."""
    spec = pod["spec"]
    reasons: tuple[tuple[LeftOutReason, bool], ...] = (
        ("SidecarsUnsupported", place.minor < _SIDECARS_SINCE),
        ("HostNetwork", bool(spec.get("hostNetwork"))),
        ("Windows", pods.on_windows(pod)),
        ("AdmissionRefused", place.name in injection.refused_in),
        ("NameTaken", pods.takes_name(pod, OURS, (OBSERVER_CONTAINER, MARKER_VOLUME))),
        # What the containers ask for together is bounded then, and the observer is not in the sum.
        ("PodLevelResources", bool(spec.get("resources"))),
        ("NoServiceAccount", injection.token_audience is not None and not spec.get("serviceAccountName")),
        ("RunsAsRoot", injection.observer.run_as_user is None and pods.user_of(pod) == 0),
        ("VolumeNotFound", injection.pod_volume is not None and not pods.has_volume(pod, injection.pod_volume)),
        ("MeshPresent", injection.intercept != "env" and pods.in_a_mesh(pod, place.namespace)),
        ("ContainerNotFound", not chosen_containers(pod, injection)),
    )
    refusal = next((reason for reason, holds in reasons if holds), None)
    return refusal or (_not_redirected(injection, pod, place) if injection.redirects else None)


def _not_redirected(injection: Injection, pod: Json, place: Place) -> LeftOutReason | None:
    """Why connections of a pod cannot be redirected."""
    if pods.security_level(place.namespace, place.security_level) != "privileged":
        return "NotPrivileged"
    if pods.without_nftables(pod):
        return "RuntimeUnsupported"
    # Beside a broker rules tell what comes from within the pod by where it comes in.
    own = pods.users_of(pod, without={*OURS, INTERCEPTORS_CONTAINER})
    if not injection.is_beside_broker and injection.observer.run_as_user in own:
        return "SameUser"
    return None


def _environments(pod: Json, injection: Injection, settings: ObserverSettings) -> list[Operation]:
    chosen = {container["name"] for container in chosen_containers(pod, injection)}
    operations = []
    for part, containers in (("initContainers", pods.init_containers(pod)), ("containers", pods.main_containers(pod))):
        for index, container in enumerate(containers):
            if container["name"] not in chosen:
                continue
            wanted = rewritten_environment(container, injection, settings)
            if wanted is not None and wanted != container.get("env"):
                operations.append(replaced(f"/spec/{part}/{index}/env", wanted))
    return operations


def _is_probed(injection: Injection, pod: Json, place: Place) -> bool:
    """Whether what starts after the observer waits for it. A broker does not: its replicas need it before its clients.

    In a mesh the probe would be redirected to a proxy that has not started.
    """
    return not injection.is_beside_broker and not pods.in_a_mesh(pod, place.namespace)


def _observer(pod: Json, injection: Injection, settings: ObserverSettings, *, probed: bool) -> list[Operation]:
    spec = pod["spec"]
    containers = [observer_container(injection, settings, probed=probed)]
    if injection.redirects:
        containers.append(redirect_container(injection))
    return [
        *all_listed("/spec/volumes", spec.get("volumes") or [], observer_volumes(injection, settings)),
        *first_listed("/spec/initContainers", pods.init_containers(pod), containers),
        *pull_secrets(pod, injection.observer.pull_secrets),
    ]
