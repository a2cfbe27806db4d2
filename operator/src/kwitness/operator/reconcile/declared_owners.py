"""Reads owners from KafkaUsers, KafkaTopics and namespaces."""

from __future__ import annotations

from collections.abc import AsyncIterator

from kwitness.operator.context import Context
from kwitness.operator.model.declared_owners import DeclaredEntries, DeclaredReading
from kwitness.operator.model.errors import NotServedError, TransientError
from kwitness.operator.shapes.facts import Body, DeclaredOwners

__all__ = ["declared_entries"]


async def declared_entries(context: Context, fact: DeclaredOwners) -> DeclaredEntries:
    """Return the owners that the first objects name.

    Raises
    ------
    OperatorError
        The API server could not be asked, or does not let us read them.
    """
    reading = DeclaredReading(fact.source, fact.team_key, fact.contact_key)
    try:
        async for body in _objects(context, fact):
            if not reading.add(body):
                break
    except NotServedError:
        return DeclaredEntries(is_served=False)
    except TransientError as error:
        if error.reason != "KubernetesForbidden":
            raise
        raise TransientError(error.reason, _remedy(fact)) from error
    return reading.entries()


def _remedy(fact: DeclaredOwners) -> str:
    if fact.source == "Namespace":
        return "the operator may not read namespaces for their owners: set the Helm value owners.namespaces to true"
    return (
        f"the operator may not list objects of kind {fact.source} in namespace {fact.namespace}: add it to the Helm"
        " value owners.strimziNamespaces"
    )


async def _objects(context: Context, fact: DeclaredOwners) -> AsyncIterator[Body]:
    if fact.source != "Namespace":
        labels = f"strimzi.io/cluster={fact.kafka}"
        async for body in context.kubernetes.objects(fact.source, fact.namespace, labels=labels):
            yield body
    elif context.settings.watches_everything:
        async for metadata in context.kubernetes.metadata("Namespace", None):
            yield {"metadata": metadata}
    else:
        for name in sorted(context.settings.watch_namespaces):
            found = await context.kubernetes.get("Namespace", None, name)
            if found is not None:
                yield found
