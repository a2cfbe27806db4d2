"""What the status of a HeaderRegistry says in words."""

from __future__ import annotations

from collections.abc import Sequence

from kwitness.contracts.resources.header_registry import HeaderFinding, HeaderRegistry, TakenKey
from kwitness.contracts.resources.standstill import is_paused
from kwitness.contracts.spelling import quantity
from kwitness.operator.kinds.header_registry.claims import Share
from kwitness.operator.kinds.header_registry.listing import Listing
from kwitness.operator.model.conditions import Verdict, failure, ready
from kwitness.operator.model.errors import OperatorError, TerminalError
from kwitness.operator.model.header_findings import RegisterFindings
from kwitness.operator.model.header_ids import HEADER_IDS_CONFIG_MAP
from kwitness.operator.model.pause import paused
from kwitness.operator.model.wording import some

__all__ = ["as_registered", "registered"]


def registered(resource: HeaderRegistry, share: Share, listing: Listing | None, error: OperatorError | None) -> Verdict:
    """Return whether all that is to be registered is; ``error`` is why the register claims nothing, or nothing new."""
    problem = _stopped(resource, error) or (_short(resource, share, listing) if listing is not None else None)
    if problem is not None:
        return problem
    keys, prefixes = quantity(len(share.keys), "key"), quantity(len(resource.spec.prefixes), "prefix", "prefixes")
    released = [key.name for key in resource.spec.keys if key.released and key.name in share.keys]
    given_back = f"; {some(released)}: the id is given back with the key" if released else ""
    return ready("Registered", f"{keys} and {prefixes}{given_back}")


def _stopped(resource: HeaderRegistry, error: OperatorError | None) -> Verdict | None:
    """Why nothing new is registered."""
    is_not_allowed = isinstance(error, TerminalError)
    if is_paused(resource.metadata.annotations) and not is_not_allowed:
        return paused("it keeps the keys that it has and gets no others")
    if error is not None and resource.spec.keys:
        return failure(error)
    if resource.spec.suspend:
        return ready("Suspended", "its keys count as not registered, as spec.suspend says; nobody else gets them")
    return None


def _short(resource: HeaderRegistry, share: Share, listing: Listing) -> Verdict | None:
    """Why some keys or ids are not registered."""
    refused = [key.name for key in resource.spec.keys if not listing.allows(key)]
    if refused:
        return _not_ready("KeysRefused", f"{_refused(refused, listing)}. Registered: {_count(share)}")
    if share.taken:
        return _not_ready("KeyTaken", f"{_taken(share)}. Registered: {_count(share)}")
    if share.no_room:
        return _not_ready(
            "IdsExhausted",
            f"{some(share.no_room)}: not registered, since ConfigMap {HEADER_IDS_CONFIG_MAP} has no room for more keys:"
            " register what begins alike by spec.prefixes, or give ids of keys back by released: true and take these"
            " keys out; what it has stays",
        )
    if share.numberless:
        return _not_ready(
            "IdsExhausted",
            f"{some(share.numberless)}: registered without an id, since none is free in {resource.spec.id_range} or"
            f" ConfigMap {HEADER_IDS_CONFIG_MAP} has no room: choose another spec.idRange; ids that were given stay",
        )
    return None


def as_registered(seen: RegisterFindings | None) -> Verdict:
    """Whether headers of records are as they are registered, as far as anybody looks."""
    if seen is None:
        return Verdict(
            "AsRegistered",
            "Unknown",
            "NotChecked",
            "nobody judges headers by this register, or no collector has said anything yet: name it in"
            " spec.headerRegistries of an InterceptorProfile with an interceptor of type Headers",
        )
    if not seen.keys:
        return Verdict("AsRegistered", "True", "NoFindings", "nothing was wrong with headers within the last hour")
    what = some(f"{one.key} {one.problem} ({_example(one)}, topic {one.topic or '?'})" for one in seen.keys)
    return Verdict(
        "AsRegistered",
        "False",
        "FindingsPresent",
        f"{what}: register these keys, or change the programs that write them; status.findings has all",
    )


def _example(finding: HeaderFinding) -> str:
    return finding.example or f"{quantity(finding.clients_total, 'pod')} of other namespaces"


def _not_ready(reason: str, message: str) -> Verdict:
    return Verdict("Ready", "False", reason, message)


def _count(share: Share) -> str:
    return quantity(len(share.keys), "key")


def _refused(names: Sequence[str], listing: Listing) -> str:
    return (
        f"{some(names)}: not registered, since KafkaCluster {listing.cluster} lists registers of this namespace for"
        f" keys that begin with {listing.prefix} and get their id from spec.idRange: rename them and take their id"
        " out, or have its owner list this register by name"
    )


def _taken(share: Share) -> str:
    return (
        f"{some(_one(entry) for entry in share.taken)}: leave them out here, or have them taken out there; who has a"
        " key keeps it, whatever priority others have, unless the KafkaCluster lists the other earlier"
    )


def _one(entry: TakenKey) -> str:
    if entry.id is None:
        return f"{entry.key} is registered by HeaderRegistry {entry.by}"
    if entry.by is None:
        return f"{entry.key} cannot have id {entry.id}, which was given to a key that is gone"
    return f"{entry.key} cannot have id {entry.id}, which a key of HeaderRegistry {entry.by} has"
