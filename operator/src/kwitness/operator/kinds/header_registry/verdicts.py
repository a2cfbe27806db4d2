"""What the status of a HeaderRegistry says in words."""

from __future__ import annotations

from kwitness.contracts.resources.header_registry import HeaderRegistry, TakenKey
from kwitness.contracts.resources.standstill import is_paused
from kwitness.contracts.spelling import quantity
from kwitness.operator.kinds.header_registry.claims import Share
from kwitness.operator.model.conditions import Verdict, ready
from kwitness.operator.model.header_findings import RegisterFindings
from kwitness.operator.model.header_ids import HEADER_IDS_CONFIG_MAP
from kwitness.operator.model.pause import paused
from kwitness.operator.model.wording import some

__all__ = ["as_registered", "registered"]


def registered(resource: HeaderRegistry, share: Share) -> Verdict:
    """Whether all that is to be registered is."""
    if is_paused(resource.metadata.annotations):
        return paused("it keeps the keys that it has and gets no others")
    if resource.spec.suspend:
        return ready("Suspended", "its keys count as not registered, as spec.suspend says; nobody else gets them")
    if share.taken:
        return Verdict("Ready", "False", "KeyTaken", _taken(share))
    if share.no_room:
        return Verdict(
            "Ready",
            "False",
            "IdsExhausted",
            f"{some(share.no_room)}: not registered, since ConfigMap {HEADER_IDS_CONFIG_MAP} has no room for more keys:"
            " register what begins alike by spec.prefixes, or take keys out of registers; what it has stays",
        )
    if share.numberless:
        return Verdict(
            "Ready",
            "False",
            "IdsExhausted",
            f"{some(share.numberless)}: registered without an id, since none is free in {resource.spec.id_range} or"
            f" ConfigMap {HEADER_IDS_CONFIG_MAP} has no room: choose another spec.idRange; ids that were given stay",
        )
    keys, prefixes = quantity(len(share.keys), "key"), quantity(len(resource.spec.prefixes), "prefix", "prefixes")
    return ready("Registered", f"{keys} and {prefixes}")


def as_registered(seen: RegisterFindings | None) -> Verdict:
    """Whether headers of records are as they are registered, as far as anybody looks."""
    if seen is None:
        return Verdict(
            "AsRegistered",
            "Unknown",
            "NotLookedAt",
            "nobody judges headers by this register, or no collector has said anything yet: name it in"
            " spec.headerRegistries of an InterceptorProfile with an interceptor of type Headers",
        )
    if not seen.keys:
        return Verdict("AsRegistered", "True", "NoFindings", "nothing was wrong with headers within the last hour")
    what = some(f"{one.key} {one.problem} ({one.example}, topic {one.topic or '?'})" for one in seen.keys)
    return Verdict(
        "AsRegistered",
        "False",
        "FindingsPresent",
        f"{what}: register these keys, or change the programs that write them; status.findings has all",
    )


def _taken(share: Share) -> str:
    what = some(_one(entry) for entry in share.taken)
    return (
        f"{what}: leave them out here, or have them taken out there; the first that has a key keeps it, whatever"
        f" priority others have. Registered: {quantity(len(share.keys), 'key')}"
    )


def _one(entry: TakenKey) -> str:
    if entry.id is None:
        return f"{entry.key} is registered by HeaderRegistry {entry.by}"
    if entry.by is None:
        return f"{entry.key} cannot have id {entry.id}, which was given to a key that is gone"
    return f"{entry.key} cannot have id {entry.id}, which a key of HeaderRegistry {entry.by} has"
