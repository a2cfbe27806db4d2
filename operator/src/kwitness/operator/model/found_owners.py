"""Holds the owners of a KafkaCluster as they were found, and makes the condition of resources that use them."""

from __future__ import annotations

from typing import Final, NamedTuple

from kwitness.contracts.owners import OwnerList
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key

__all__ = ["NO_OWNERS", "FoundOwners"]


class FoundOwners(NamedTuple):
    """``owners`` are None where none are named or they cannot be used; then ``trouble`` says why, None: none are.

    ``namespace`` is that which all entries name; None where the list is complete. ``overlap`` names entries of
    different teams that match the same; None: there are none, or the list is not complete.
    """

    owners: OwnerList | None = None
    trouble: str | None = None
    overlap: str | None = None
    namespace: str | None = None

    def of_namespace(self, namespace: str, cluster: Key) -> FoundOwners:
        """Return what a namespace may know of the owners of a KafkaCluster in another one."""
        if self.trouble is not None:
            return FoundOwners(trouble=f"the list of KafkaCluster {cluster} cannot be used, as its status says")
        if self.owners is None:
            return NO_OWNERS
        return FoundOwners(self.owners.of_namespace(namespace), namespace=namespace)

    def verdict(self, what: str) -> Verdict | None:
        """Condition of a resource; ``what`` it has that could name owners. None where there is nothing to say."""
        if self.owners is not None:
            message = f"{len(self.owners.owners)} entries"
            if self.namespace is not None:
                message = f"{message} that name namespace {self.namespace}; entries without it are not compared here"
            elif self.overlap is not None:
                message = f"{message}; {self.overlap}"
            return Verdict("OwnersKnown", "True", "OwnersKnown", message)
        if self.trouble is not None:
            return Verdict("OwnersKnown", "False", "OwnersUnusable", f"{what} name no owners: {self.trouble}")
        return None


NO_OWNERS: Final = FoundOwners()
