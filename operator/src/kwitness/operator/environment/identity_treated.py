"""Judges from reports of processes if they hash what ``spec.identity`` says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kwitness.contracts.envelopes import InterceptorState, ObserverState
from kwitness.contracts.identity_hashing import KEY_FIELD, KEY_SECRET, LEAST_KEY_BYTES
from kwitness.contracts.resources.privacy import InterceptedIdentity, ObservedIdentity, treated
from kwitness.contracts.spelling import quantity
from kwitness.operator.model.conditions import Verdict

__all__ = ["identity_treated"]


def identity_treated(
    identity: Iterable[InterceptedIdentity | ObservedIdentity], own: Sequence[InterceptorState | ObserverState]
) -> tuple[Verdict, ...]:
    """Return a condition that is true if all processes have the key; none while no process reports or hashes."""
    if "Hash" not in treated(identity).values() or not own:
        return ()
    without = [process for process in own if process.lacks_identity_key]
    if not without:
        processes = quantity(len(own), "process", "processes")
        return (Verdict("IdentityTreated", "True", "IdentityTreated", f"{processes} hash what spec.identity says"),)
    first = without[0]
    message = (
        f"{len(without)} of {quantity(len(own), 'process', 'processes')} drop what spec.identity hashes, since they"
        f" have no Secret {KEY_SECRET} with the key {KEY_FIELD} of at least {LEAST_KEY_BYTES} bytes; one is in"
        f" {first.pod_namespace}/{first.pod}: make it in {first.pod_namespace}, with the key that the collector has,"
        " and wait a minute or two until the pods have it"
    )
    return (Verdict("IdentityTreated", "False", "IdentityKeyMissing", message),)
