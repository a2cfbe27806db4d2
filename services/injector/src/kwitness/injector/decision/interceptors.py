"""The decision: which interceptors a pod gets, if any, in which containers and runtimes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

from kwitness.contracts.injections import LeftOutReason, left_out_text, parse_left_out
from kwitness.contracts.interceptor_injections import (
    INTERCEPTORS,
    INTERCEPTORS_CONTAINER,
    INTERCEPTORS_FILES,
    INTERCEPTORS_FOLDER,
    INTERCEPTORS_HASH,
    INTERCEPTORS_INSTALLATION,
    INTERCEPTORS_LEFT_OUT,
    RUNTIMES,
    InterceptorInjection,
    interceptor_injection_hash,
)
from kwitness.contracts.interceptor_settings import InterceptorSettings, ThroughObserver
from kwitness.contracts.interceptors import InterceptorRuntime
from kwitness.contracts.workloads import workload_of, workload_path

from . import pods, sidecar
from .choice import OTHER_INSTALLATION, choose
from .decide import Decision
from .header_rules import rules_in
from .interceptor_files import (
    FILES_VOLUME,
    files_container,
    interceptor_files,
    interceptor_mounts,
    interceptor_volumes,
)
from .patch import Operation, all_listed, annotated, annotations_fit, first_listed, replaced
from .place import Place, selects, shut_out
from .pod_files import pull_secrets
from .pod_observer import PodObserver, way_through
from .pods import Json
from .runtime_variables import is_switched_off, with_interceptors

__all__ = ["decide_on_interceptors"]

_OURS: Final = sidecar.OURS | {INTERCEPTORS_CONTAINER}
_VOLUMES: Final = (INTERCEPTORS_CONTAINER, FILES_VOLUME)
_RUNTIMES: Final[dict[str, InterceptorRuntime]] = {runtime: runtime for runtime in get_args(InterceptorRuntime)}


@dataclass(frozen=True, slots=True)
class _Fit:
    """How interceptors come into a pod: settings for it, its runtimes, and environments by container."""

    settings: InterceptorSettings
    runtimes: frozenset[InterceptorRuntime]
    environments: dict[str, list[Json]]


def decide_on_interceptors(
    pod: Json, place: Place, injections: Sequence[InterceptorInjection], observer: PodObserver | None = None
) -> Decision:
    """Decide on a pod that is about to be made, with this observer or without.

    Of the injections that select it the first that fits is taken: those of the pod's own namespace before others, in
    the order of ``injections``. When the webhook is asked again the pod keeps its interceptors, also another
    installation's.
    """
    closed = shut_out(pod, place)
    if closed is not None:
        return Decision(closed)
    present = _present(pod)
    candidates = sorted(
        (one for one in injections if selects(one, pod, place)),
        key=lambda one: (one.owner != present, one.namespace != place.name),
    )
    if not candidates:
        return Decision("not_selected")
    # What was merged cannot be judged again.
    known = parse_left_out(pods.annotations_of(pod).get(INTERCEPTORS_LEFT_OUT, "")) if present else {}
    chosen, left_out = choose(candidates, known, lambda candidate: _fit(candidate, pod, place, observer))
    # Those of another installation's injector stay in the annotation.
    written = left_out | known
    said = {INTERCEPTORS_LEFT_OUT: left_out_text(written) if written else None}
    if chosen is None:
        return Decision("left_out", None, tuple(annotated(pod, said)), left_out)
    injection, fit = chosen
    marks = {
        INTERCEPTORS: injection.owner,
        INTERCEPTORS_HASH: interceptor_injection_hash(injection),
        INTERCEPTORS_INSTALLATION: injection.settings.installation,
        **interceptor_files(injection, fit.settings),
        **said,
    }
    patch = [*annotated(pod, marks), *_containers(pod, fit), *_files(pod, injection, fit)]
    return Decision("injected", injection.owner, tuple(patch), left_out)


def _present(pod: Json) -> str | None:
    """The owner of the interceptors that the pod has already."""
    if any(container["name"] == INTERCEPTORS_CONTAINER for container in pods.init_containers(pod)):
        return pods.annotations_of(pod).get(INTERCEPTORS)
    return None


def _fit(
    injection: InterceptorInjection, pod: Json, place: Place, observer: PodObserver | None
) -> _Fit | LeftOutReason:
    mark = pods.annotations_of(pod).get(INTERCEPTORS_INSTALLATION)
    if _present(pod) is not None and mark not in (None, injection.settings.installation):
        return OTHER_INSTALLATION
    refusal = _refusal(injection, pod, place)
    if refusal is not None:
        return refusal
    runtimes = _runtimes(injection, pod)
    if not isinstance(runtimes, frozenset):
        return runtimes
    environments = _environments(injection, pod, runtimes)
    if not isinstance(environments, dict):
        return environments
    settings = _settings(
        injection, pod, place, way_through(observer, place.name) if injection.through_observer else None
    )
    if not annotations_fit(pod, interceptor_files(injection, settings)):
        return "AnnotationsTooLong"
    return _Fit(settings, runtimes, environments)


def _environments(
    injection: InterceptorInjection, pod: Json, runtimes: frozenset[InterceptorRuntime]
) -> dict[str, list[Json]] | LeftOutReason:
    """Environments by name of the container, of those that have not switched interceptors off themselves."""
    environments: dict[str, list[Json]] = {}
    for container in _chosen(pod, injection):
        if is_switched_off(container):
            continue
        if _has_our_paths(container):
            return "PathTaken"
        found = with_interceptors(container, injection, runtimes, pods.annotations_of(pod))
        if not isinstance(found, list):
            return found
        environments[container["name"]] = found
    return environments or "SwitchedOff"


def _refusal(injection: InterceptorInjection, pod: Json, place: Place) -> LeftOutReason | None:
    """The first of the reasons that do not depend on variables: what would not run, or would not be admitted."""
    reasons: tuple[tuple[LeftOutReason, bool], ...] = (
        ("Windows", pods.on_windows(pod)),
        ("AdmissionRefused", place.name in injection.refused_in),
        ("EndedAtStart", _workload(pod, place) in injection.ended_at_start),
        ("NameTaken", pods.takes_name(pod, (INTERCEPTORS_CONTAINER,), ())),
        ("NameTaken", _present(pod) is None and any(pods.has_volume(pod, one) for one in _VOLUMES)),
        ("NoServiceAccount", injection.token_audience is not None and not pod["spec"].get("serviceAccountName")),
        ("RunsAsRoot", injection.files.run_as_user is None and pods.user_of(pod) == 0),
        ("ContainerNotFound", not _chosen(pod, injection)),
    )
    return next((reason for reason, holds in reasons if holds), None)


def _workload(pod: Json, place: Place) -> str | None:
    workload = workload_of(pod["metadata"])
    return None if workload is None else workload_path(place.name, workload)


def _runtimes(injection: InterceptorInjection, pod: Json) -> frozenset[InterceptorRuntime] | LeftOutReason:
    """Those that the pod names itself, else those of the profile."""
    said = pods.annotations_of(pod).get(RUNTIMES)
    words = injection.runtimes if said is None else [one.strip().lower() for one in said.split(",") if one.strip()]
    if any(word not in _RUNTIMES for word in words):
        return "UnknownRuntime"
    return frozenset(_RUNTIMES[word] for word in words) or "NoRuntime"


def _chosen(pod: Json, injection: InterceptorInjection) -> list[Json]:
    """The containers whose clients are meant, init containers first."""
    own = [one for one in pods.all_containers(pod) if one["name"] not in _OURS]
    return [one for one in own if not injection.containers or one["name"] in injection.containers]


def _has_our_paths(container: Json) -> bool:
    """Whether the pod mounts something of its own where our files would be, or in the way to them."""
    mounts = container.get("volumeMounts") or []
    own = {f"{one['mountPath'].rstrip('/')}/" for one in mounts if one["name"] not in _VOLUMES}
    ours = (f"{INTERCEPTORS_FILES}/", f"{INTERCEPTORS_FOLDER}/")
    return any(theirs.startswith(path) or path.startswith(theirs) for theirs in own for path in ours)


def _settings(
    injection: InterceptorInjection, pod: Json, place: Place, through_observer: ThroughObserver | None
) -> InterceptorSettings:
    labels, rules = pods.labels_of(pod), injection.settings.headers
    return injection.settings.model_copy(
        update={
            "workload": workload_of(pod["metadata"]),
            "attributes": {name: labels[label] for name, label in injection.attributes.items() if label in labels},
            "through_observer": through_observer,
            "headers": None if rules is None else rules_in(place, rules),
        }
    )


def _containers(pod: Json, fit: _Fit) -> list[Operation]:
    operations: list[Operation] = []
    for part, containers in (("initContainers", pods.init_containers(pod)), ("containers", pods.main_containers(pod))):
        for index, container in enumerate(containers):
            wanted = fit.environments.get(container["name"])
            if wanted is None:
                continue
            path = f"/spec/{part}/{index}"
            if wanted != container.get("env"):
                operations.append(replaced(f"{path}/env", wanted))
            mounts = container.get("volumeMounts") or []
            operations += all_listed(f"{path}/volumeMounts", mounts, interceptor_mounts())
    return operations


def _files(pod: Json, injection: InterceptorInjection, fit: _Fit) -> list[Operation]:
    """The init container comes first of all, since the pod's own may have clients too."""
    spec = pod["spec"]
    # What containers of the pod ask for is bounded together then.
    container = files_container(injection, fit.runtimes, bounded=not spec.get("resources"))
    return [
        *all_listed("/spec/volumes", spec.get("volumes") or [], interceptor_volumes(injection, fit.settings)),
        *first_listed("/spec/initContainers", pods.init_containers(pod), [container]),
        *pull_secrets(pod, injection.files.pull_secrets),
    ]
