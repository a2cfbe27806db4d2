"""Labels of namespaces, as far as the operator may read them."""

from __future__ import annotations

from kwitness.contracts.injections import INJECTION
from kwitness.operator.context import Context
from kwitness.operator.model.errors import OperatorError

__all__ = ["enabled_namespaces", "labels_of_namespace"]


async def labels_of_namespace(context: Context, namespace: str) -> dict[str, str] | None:
    """Labels of one; None if it is not there or may not be read, so that nothing is allowed.

    Raises
    ------
    OperatorError
        The API server could not be asked.
    """
    try:
        found = await context.kubernetes.get("Namespace", None, namespace)
    except OperatorError as error:
        if error.reason != "KubernetesForbidden":
            raise
        return None
    return None if found is None else dict(found["metadata"].get("labels") or {})


async def enabled_namespaces(context: Context) -> dict[str, dict[str, str]]:
    """Labels by name, of those that let their pods get observers and that the installation lets us see.

    Raises
    ------
    OperatorError
        The API server could not be asked, or does not let us list namespaces where all of them are meant.
    """
    settings = context.settings
    if settings.sees_every_namespace:
        listed = context.kubernetes.metadata("Namespace", None, labels=f"{INJECTION}=enabled")
        return {one["name"]: dict(one.get("labels") or {}) async for one in listed}
    found = {}
    for name in settings.seen_namespaces:
        labels = await labels_of_namespace(context, name)
        if labels is not None and labels.get(INJECTION) == "enabled":
            found[name] = labels
    return found
