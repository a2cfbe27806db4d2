"""What becomes of one InterceptorProfile: its status, and what running interceptors are told."""

from __future__ import annotations

from typing import Any

from kwitness.contracts.envelopes import InterceptorState, ResourceDirectives
from kwitness.contracts.interceptor_injections import interceptor_injection_hash
from kwitness.contracts.resources.interceptor_profile import InterceptorProfile, InterceptorProfileStatus
from kwitness.contracts.resources.standstill import is_paused
from kwitness.operator.desired.sidecar_reach import acts_in, other_namespaces
from kwitness.operator.environment.clusters import permitted_cluster, present
from kwitness.operator.environment.collectors import collector_of, last_report
from kwitness.operator.environment.header_registries import registries_resolved
from kwitness.operator.environment.identity_treated import identity_treated
from kwitness.operator.environment.injector import INJECTOR, interceptors_config_map_key, told
from kwitness.operator.environment.recent_reports import of_resource, recent_reports
from kwitness.operator.environment.refused import seen_since
from kwitness.operator.kinds.interceptor_profile.coverage import (
    clients_not_through_observer,
    clients_without,
    intercepted_pods,
    processes,
)
from kwitness.operator.kinds.interceptor_profile.ended_at_start import ended_at_start, starts_well
from kwitness.operator.kinds.interceptor_profile.header_rules import registries_of, stamps_written
from kwitness.operator.kinds.interceptor_profile.injection import injection_of
from kwitness.operator.kinds.interceptor_profile.needs import KIND
from kwitness.operator.kinds.interceptor_profile.verdicts import (
    covered,
    injecting,
    reporting,
    through_observer,
    working,
)
from kwitness.operator.model.conditions import Verdict, failure
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.parse_resource import parse_resource, parse_status
from kwitness.operator.model.pause import paused
from kwitness.operator.model.store import Key, Subject
from kwitness.operator.shapes.actions import TellInterceptors
from kwitness.operator.shapes.facts import Body, EnabledNamespaces, NamedObject, RunningPods, Watched
from kwitness.operator.shapes.work import Decision, Outcome, Unit, View

__all__ = ["decide"]


def decide(unit: Unit, view: View) -> Decision:
    """Decide the status; what the injector is told is decided for all resources together."""
    body = view[Watched(KIND, unit.key)].value
    if body is None:
        return Decision(again="forget")
    subject = Subject.of(body)
    try:
        outcome = _outcome(subject, body, parse_resource(InterceptorProfile, body), view)
    except OperatorError as error:
        outcome = Outcome(subject.uid, subject.generation, _previous(subject, body), (failure(error),))
    return Decision({unit.key: outcome})


def _outcome(subject: Subject, body: Body, resource: InterceptorProfile, view: View) -> Outcome:
    if not view.settings.injector.enabled:
        raise TerminalError(
            "InjectorMissing",
            "this installation has no injector, which puts interceptors into pods: have the Helm value injector.enabled"
            " set to true",
        )
    injection = injection_of(body, resource, view)
    digest = interceptor_injection_hash(injection)
    state = last_report(subject.key.namespace, permitted_cluster(resource, view), view)
    heard = recent_reports(state.interceptors if state is not None else (), view.now_ms)
    own = of_resource(heard, resource, view.settings)
    namespaces = acts_in(resource, present(view, EnabledNamespaces()) or {}, view.settings)
    answers = {one: view[RunningPods(one)] for one in namespaces}
    pods = intercepted_pods(injection, (pod for answer in answers.values() for pod in answer.value or ()), own)
    ended = ended_at_start(body, resource, digest, view)
    without, apart = clients_without(own), clients_not_through_observer(own)
    status = InterceptorProfileStatus(
        pods=pods,
        reporting=len(own) if state is not None else None,
        processes=processes(own),
        intercepted_clients=sum(one.clients for one in own) if state is not None else None,
        clients_without=without,
        clients_not_through_observer=apart,
        config_hash=digest,
        refused_in=injection.refused_in,
        ended_at_start=ended,
        refusals_since=seen_since(body, view.now_ms),
    )
    if is_paused(resource.metadata.annotations):
        verdict = paused("what the injector was told of it is left as it is")
        return Outcome(subject.uid, subject.generation, status, (verdict,))
    verdicts = (
        injecting(
            resource,
            namespaces,
            refused=injection.refused_in,
            told=told(view, interceptors_config_map_key(view.settings)),
            wanted=digest,
            injector=present(view, NamedObject("Deployment", Key(view.settings.namespace, INJECTOR))),
        ),
        covered(pods, [one for one, answer in answers.items() if answer.failure is not None]),
        *starts_well(ended),
        *reporting(pods, own, known=state is not None),
        *working(own, without),
        *identity_treated(resource.spec.identity, own),
        *through_observer(resource, own, apart),
        *_resolved(resource, view),
        *stamps_written(resource, view),
    )
    actions = _directives(subject.key, resource, own, digest, view)
    return Outcome(subject.uid, subject.generation, status, verdicts, () if actions else None, actions)


def _directives(
    key: Key, resource: InterceptorProfile, own: tuple[InterceptorState, ...], settings: str, view: View
) -> tuple[TellInterceptors, ...]:
    """Tell all processes of the profile to suspend or not, while one of them reports otherwise."""
    suspend = resource.spec.suspend
    if all(one.suspended == suspend for one in own):
        return ()
    collector = collector_of(key.namespace, permitted_cluster(resource, view), view)
    return (
        TellInterceptors(
            profile=key,
            collector=collector.key,
            encrypted=collector.encrypted,
            authority=collector.authority,
            directives=ResourceDirectives(
                settings=settings,
                suspend=suspend,
                other_namespaces=other_namespaces(resource, view.settings),
            ),
        ),
    )


def _previous(subject: Subject, body: dict[str, Any]) -> InterceptorProfileStatus:
    status = parse_status(InterceptorProfileStatus, body)
    if status.observed_generation == subject.generation:
        return status
    # Pods that were refused before this generation say nothing about it.
    return status.model_copy(update={"refused_in": (), "ended_at_start": (), "refusals_since": None})


def _resolved(resource: InterceptorProfile, view: View) -> tuple[Verdict, ...]:
    if not resource.spec.header_registries:
        return ()
    return (registries_resolved("spec.headerRegistries", registries_of(resource, view)),)
