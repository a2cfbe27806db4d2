"""Storage of a collector that stands, beside what its resource asks for: what grows, what stays, and what is said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

from kwitness.contracts.resources.quantities import quantity
from kwitness.contracts.resources.telemetry_collector import TelemetryCollector
from kwitness.operator.desired.pods import owner, selector
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.ownership import belongs_to
from kwitness.operator.model.store import Key
from kwitness.operator.settings import OperatorSettings
from kwitness.operator.shapes.actions import GrowClaim
from kwitness.operator.shapes.facts import Body
from kwitness.runtime.child_names import collector_name

__all__ = [
    "StandingStorage",
    "as_it_stands",
    "claim_names",
    "growths",
    "is_larger",
    "standing_storage",
    "storage_verdict",
]

_CONDITION: Final = "StorageAsRequested"


class StandingStorage(NamedTuple):
    """What the StatefulSet makes claims with; class and size are None where it has an emptyDir."""

    storage_class: str | None
    size: str | None


def standing_storage(collector: TelemetryCollector, stateful_set: Body | None) -> StandingStorage | None:
    """Return it; None where no StatefulSet stands. Somebody else's has no say here: applying ours will tell."""
    metadata = collector.metadata
    if stateful_set is None or not belongs_to(stateful_set, owner("TelemetryCollector", metadata.name, metadata.uid)):
        return None
    claims = stateful_set["spec"].get("volumeClaimTemplates")
    if not claims:
        return StandingStorage(None, None)
    spec = claims[0]["spec"]
    return StandingStorage(spec.get("storageClassName"), spec["resources"]["requests"]["storage"])


def as_it_stands(
    collector: TelemetryCollector, settings: OperatorSettings, standing: StandingStorage | None
) -> tuple[TelemetryCollector, OperatorSettings]:
    """Return both with the storage that stands, which a StatefulSet keeps: other defaults are for new collectors."""
    if standing is None:
        return collector, settings
    changes: dict[str, Any] = {"storage_class_name": standing.storage_class}
    if standing.size is not None:
        changes["size"] = standing.size
    storage = collector.spec.storage.model_copy(update=changes)
    spec = collector.spec.model_copy(update={"storage": storage})
    defaults = settings.collector.model_copy(update={"storage_class": standing.storage_class})
    return collector.model_copy(update={"spec": spec}), settings.model_copy(update={"collector": defaults})


def claim_names(collector: TelemetryCollector) -> tuple[str, ...]:
    """Names of the claims of all replicas, as the StatefulSet's controller gives them."""
    name = collector_name(collector.metadata.name)
    return tuple(f"state-{name}-{ordinal}" for ordinal in range(collector.spec.replicas))


def growths(
    collector: TelemetryCollector, standing: StandingStorage | None, claims: Sequence[Body]
) -> tuple[GrowClaim, ...]:
    """Return the claims that are to grow; one that is not bound cannot yet."""
    if standing is None or _changed(collector, standing, claims) is not None:
        return ()
    size = collector.spec.storage.size
    return tuple(
        GrowClaim(Key(collector.metadata.namespace, _name(one)), str(one["metadata"]["uid"]), size)
        for one in _smaller(collector, claims)
        if (one.get("status") or {}).get("phase") == "Bound"
    )


def is_larger(collector: TelemetryCollector, standing: StandingStorage) -> bool:
    """Whether more is asked for than claims are made with."""
    return standing.size is not None and _amount(collector.spec.storage.size) > _amount(standing.size)


def storage_verdict(
    collector: TelemetryCollector,
    standing: StandingStorage | None,
    claims: Sequence[Body],
    refused: Collection[str] = (),
) -> Verdict | None:
    """Say whether storage is as asked, ``refused`` being names of claims that may not grow; None: nothing stands."""
    if standing is None:
        return None
    changed = _changed(collector, standing, claims)
    if changed is not None:
        name = collector_name(collector.metadata.name)
        return Verdict(
            _CONDITION,
            "False",
            "StorageChanged",
            f"{changed}; it stays as it is, and everything else of the resource has effect: restore spec.storage, or"
            f" delete the resource and its claims (state-{name}-0 and so on) and apply it again; its counters then"
            " restart",
        )
    size = collector.spec.storage.size
    stuck = sorted(refused)
    if stuck:
        return Verdict(
            _CONDITION,
            "False",
            "NotExpandable",
            f"the API server does not let {_named(stuck)} grow to {size}: its StorageClass needs allowVolumeExpansion,"
            " quotas need room, and the operator needs the Helm value rbac.growAnyClaim, or the collector's name in"
            " rbac.telemetryCollectors; or restore spec.storage.size",
        )
    waiting = sorted({*(_name(one) for one in _smaller(collector, claims)), *_resizing(collector, claims)})
    if waiting:
        message = f"{_named(waiting)} is to have {size}: wait; if it stays so, see the claim's events"
        return Verdict(_CONDITION, "False", "Growing", message)
    return Verdict(_CONDITION, "True", "StorageAsRequested", "storage is as spec.storage says")


def _changed(collector: TelemetryCollector, standing: StandingStorage, claims: Sequence[Body]) -> str | None:
    """Return what is asked for and cannot be had."""
    storage = collector.spec.storage
    if storage.storage_class_name not in {None, standing.storage_class}:
        was = f"of StorageClass {standing.storage_class}" if standing.storage_class else "an emptyDir"
        return f"spec.storage asks for StorageClass {storage.storage_class_name}, and what stands is {was}"
    if standing.size is None:
        return None
    own = list(_own(collector, claims))
    sizes = [_asked(one) for one in own] or [standing.size]
    larger = [size for size in sizes if _amount(size) > _amount(storage.size)]
    if larger:
        return f"spec.storage.size is {storage.size}, and claims never get smaller than the {larger[0]} that they have"
    return None


def _own(collector: TelemetryCollector, claims: Sequence[Body]) -> Iterator[Body]:
    # The StatefulSet's controller gives them the labels that it selects pods by.
    wanted = selector("collector", collector.metadata.name)
    return (one for one in claims if wanted.items() <= (one["metadata"].get("labels") or {}).items())


def _smaller(collector: TelemetryCollector, claims: Sequence[Body]) -> list[Body]:
    size = _amount(collector.spec.storage.size)
    return [one for one in _own(collector, claims) if _amount(_asked(one)) < size]


def _resizing(collector: TelemetryCollector, claims: Sequence[Body]) -> Iterator[str]:
    size = _amount(collector.spec.storage.size)
    for one in _own(collector, claims):
        capacity = ((one.get("status") or {}).get("capacity") or {}).get("storage")
        if capacity is not None and _amount(capacity) < size:
            yield _name(one)


def _asked(claim: Body) -> str:
    return str(claim["spec"]["resources"]["requests"]["storage"])


def _name(claim: Body) -> str:
    return str(claim["metadata"]["name"])


def _amount(size: str) -> Any:
    return quantity(size) or 0


def _named(claims: Sequence[str]) -> str:
    return f"PersistentVolumeClaim {claims[0]}" + (f" (and {len(claims) - 1} more)" if len(claims) > 1 else "")
