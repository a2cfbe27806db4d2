"""Applying children, removing those that are not wanted any more, and noticing what others did to them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from kwitness.operator import metrics
from kwitness.operator.context import Context
from kwitness.operator.model.errors import OperatorError
from kwitness.operator.model.fingerprints import fingerprint
from kwitness.operator.model.ownership import APPLIED_HASH
from kwitness.operator.model.store import Key
from kwitness.operator.reconcile.events import emit

__all__ = ["apply_children", "children_are_due", "remove_child"]

_COMPARE_SECONDS: Final = 60.0
"""How long a foreign change of a child may last before it is put right where no watch tells of it."""


def children_are_due(context: Context, kind: str, key: Key, objects: Sequence[dict[str, Any]]) -> bool:
    """Whether children should be compared with the cluster's: something changed on either side, or it is long ago.

    A resource whose live numbers are polled would otherwise read all its children every few seconds.
    """
    digest, applied = context.children_applied.get((kind, key), ("", float("-inf")))
    patience = min(_COMPARE_SECONDS, context.settings.resync_seconds / 2)
    if context.children_touched.get((kind, key), float("-inf")) >= applied:
        return True
    return digest != fingerprint(list(objects)) or time.monotonic() - applied >= patience


async def apply_children(
    context: Context, kind: str, key: Key, objects: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Apply each child that differs, and return those.

    One that was as we left it by hash, and differs, had been changed by others.
    """
    # What is changed from here on may have been compared already.
    began = time.monotonic()
    written, repaired = [], []
    for wanted in objects:
        what = await context.kubernetes.apply(wanted)
        if what != "unchanged":
            written.append(wanted)
        if what == "repaired":
            repaired.append(f"{wanted['kind']} {wanted['metadata']['name']}")
    context.children_applied[kind, key] = (fingerprint(list(objects)), began)
    if repaired:
        metrics.DRIFT_REPAIRS.labels(kind=kind, namespace=key.namespace, name=key.name).inc(len(repaired))
        note = f"{', '.join(repaired)} had been changed by someone else and was put right"
        await emit(context, kind, key, reason="DriftRepaired", action="Repair", note=note, type_="Warning")
    return written


async def remove_child(context: Context, kind: str, key: Key, owner_uid: str, *, after_its_pods: bool = False) -> None:
    """Delete a child that is not wanted any more, if it is ours: owned by the resource with ``owner_uid``.

    With ``after_its_pods`` it can still be seen until the last of its pods is gone.
    """
    try:
        present = await context.kubernetes.get(kind, key.namespace, key.name)
    except OperatorError:
        # A kind that the operator may not even read it has never made.
        return
    if present is None or APPLIED_HASH not in present["metadata"].get("annotations", {}):
        return
    owners = {reference["uid"] for reference in present["metadata"].get("ownerReferences", ())}
    if owner_uid in owners:
        uid = present["metadata"]["uid"]
        await context.kubernetes.delete(kind, key.namespace, key.name, uid=uid, foreground=after_its_pods)
