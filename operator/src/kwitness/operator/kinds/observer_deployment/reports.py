"""What observers told the collector, as the status of an ObserverDeployment has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from kwitness.contracts.envelopes import ClusterState, ObserverState, PushLedger
from kwitness.contracts.resources.ledger import HopLedger
from kwitness.contracts.resources.observer_deployment import Coverage, ObserverDeployment, UnseenSoftware
from kwitness.contracts.software import is_ours
from kwitness.contracts.spelling import quantity
from kwitness.operator.environment.recent_reports import recent_reports
from kwitness.operator.model.conditions import Verdict

__all__ = ["coverage", "heard_of", "ledger", "reporting", "serving", "telemetry", "telemetry_instances"]

_MOST_UNSEEN: Final = 20
_MOST_REASONS: Final = 32
_NAME_LENGTH: Final = 256
_HOP: Final = "report"
_PUSHES_HOP: Final = "pushes"


def heard_of(state: ClusterState | None, now_ms: int) -> tuple[ObserverState, ...]:
    """Observers of the cluster that the collector heard from lately."""
    if state is None:
        return ()
    return recent_reports(state.observers, now_ms)


def reporting(own: Iterable[ObserverState], *, known: bool) -> tuple[Verdict, ...]:
    """Whether the collector hears of the gateway; nothing is said while the collector does not answer."""
    if not known:
        return ()
    pods = len(tuple(own))
    if pods:
        return (Verdict("Reporting", "True", "Reporting", f"the collector hears from {quantity(pods, 'pod')}"),)
    message = (
        "the collector hears from no pod with this observer: wait; if it stays so, see their logs for what the"
        " collector answers"
    )
    return (Verdict("Reporting", "False", "NoReports", message),)


def serving(own: Iterable[ObserverState]) -> tuple[Verdict, ...]:
    """How clients tried to sign in that cannot behind a gateway; nothing is said where none did."""
    tried: Counter[str] = Counter()
    for pod in own:
        tried.update(pod.unserved)
    if not tried.total():
        return ()
    ways = ", ".join(f"{name} ({count} connections)" for name, count in sorted(tried.items())[:_MOST_REASONS])
    message = (
        f"since the pods started, clients tried to sign in by {ways}; each is bound to the broker's name or to the"
        " client's own certificate, so it fails behind an observer: give these clients the brokers' own addresses, or"
        " name a listener with PLAIN, SCRAM or OAUTHBEARER in spec.listenerRef"
    )
    return (Verdict("Serving", "False", "ClientsUnserved", message),)


def ledger(own: Iterable[ObserverState]) -> tuple[HopLedger, ...]:
    """What became of the events of all pods, in their present epochs; nothing while none is heard from."""
    pods = tuple(own)
    if not pods:
        return ()
    dropped: Counter[str] = Counter()
    for pod in pods:
        dropped.update(pod.ledger.dropped)
    report = HopLedger(
        hop=_HOP,
        accepted=sum(pod.ledger.accepted for pod in pods),
        delivered=sum(pod.ledger.delivered for pod in pods),
        queued=sum(pod.ledger.queued for pod in pods),
        dropped=dict(sorted(dropped.items())[:_MOST_REASONS]),
    )
    return (report, *_pushes([pod.telemetry.ledger for pod in pods if pod.telemetry is not None]))


def _pushes(ledgers: Sequence[PushLedger]) -> tuple[HopLedger, ...]:
    if not ledgers:
        return ()
    dropped: Counter[str] = Counter()
    for one in ledgers:
        dropped.update(one.dropped)
    return (
        HopLedger(
            hop=_PUSHES_HOP,
            accepted=sum(one.accepted for one in ledgers),
            delivered=sum(one.delivered for one in ledgers),
            queued=sum(one.queued for one in ledgers),
            dropped=dict(sorted(dropped.items())[:_MOST_REASONS]),
        ),
    )


def telemetry(
    resource: ObserverDeployment, own: Iterable[ObserverState], state: ClusterState | None
) -> tuple[Verdict, ...]:
    """Whether observers answer clients' telemetry, and whose pushes a plugin misses; nothing is said without that."""
    if resource.spec.telemetry != "Terminate":
        return ()
    pods = [one.telemetry for one in own if one.telemetry is not None]
    if not pods:
        message = "no observer has said yet that it answers clients' telemetry: wait until their settings arrive"
        return (Verdict("TelemetryTerminated", "False", "NoSubscriptions", message),)
    if any(one.subscriptions is None for one in pods):
        message = "an observer has not heard of the cluster's subscriptions yet: until then it asks clients for nothing"
        return (Verdict("TelemetryTerminated", "False", "NoSubscriptions", message),)
    instances = sum(one.instances for one in pods)
    message = f"{len(pods)} observers answer {instances} client instances in the brokers' place"
    if state is not None and any(one.plugin_version is not None for one in state.brokers):
        message += (
            "; brokers have a telemetry plugin, which gets no pushes of these clients: set spec.telemetry to "
            "PassThrough to leave them to it"
        )
        return (Verdict("TelemetryTerminated", "True", "PluginBypassed", message),)
    return (Verdict("TelemetryTerminated", "True", "Terminated", message),)


def telemetry_instances(own: Iterable[ObserverState]) -> int | None:
    """How many client instances observers remember; None where none answers."""
    pods = [one.telemetry.instances for one in own if one.telemetry is not None]
    return sum(pods) if pods else None


def coverage(
    state: ClusterState | None, heard: Iterable[ObserverState], own: Iterable[ObserverState]
) -> Coverage | None:
    """Compare connections at brokers with those of one resource's own observers; None where brokers count none."""
    at_brokers = state.software if state is not None and state.brokers else ()
    counted = {
        (entry.client_software_name, entry.client_software_version): entry.connections
        for entry in at_brokers
        if entry.connections and not entry.ours
    }
    if not counted:
        return None
    opened = (entry for observer in heard for entry in observer.software if entry.connections)
    seen = {(entry.client_software_name, entry.client_software_version) for entry in opened}
    observed = sum(observer.connections - _ours(observer) for observer in own)
    by_broker = sum(counted.values())
    unseen = sorted((-count, *software) for software, count in counted.items() if software not in seen)
    return Coverage(
        connections_by_broker=by_broker,
        connections_observed=observed,
        percent=min(100, observed * 100 // by_broker),
        unseen=tuple(
            UnseenSoftware(
                client_software_name=name[:_NAME_LENGTH],
                client_software_version=version[:_NAME_LENGTH],
                connections=-count,
            )
            for count, name, version in unseen[:_MOST_UNSEEN]
        ),
    )


def _ours(observer: ObserverState) -> int:
    """Connections of our own programs."""
    opened = observer.software
    return sum(
        each.connections for each in opened if is_ours(None, each.client_software_name, each.client_software_version)
    )
