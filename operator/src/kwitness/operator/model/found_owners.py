"""The owners that a KafkaCluster names, as they were found, and what whoever uses them says of that."""

from __future__ import annotations

from typing import Final, NamedTuple

from kwitness.contracts.owners import Owners
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.config_files import overlap_message
from kwitness.operator.model.store import Key

__all__ = ["NO_OWNERS", "FoundOwners"]


class FoundOwners(NamedTuple):
    """``owners`` are None where none are named or they cannot be used; then ``trouble`` says why, None: none are.

    ``namespace`` is that which all entries name; None where the list is complete.
    """

    owners: Owners | None = None
    trouble: str | None = None
    namespace: str | None = None

    def of_namespace(self, namespace: str, cluster: Key) -> FoundOwners:
        """Return what a namespace may know of the owners of a KafkaCluster in another one."""
        if self.trouble is not None:
            return FoundOwners(None, f"the list of KafkaCluster {cluster} cannot be used, as its status says")
        if self.owners is None:
            return NO_OWNERS
        return FoundOwners(self.owners.of_namespace(namespace), None, namespace)

    def verdict(self, what: str) -> Verdict | None:
        """Condition of a resource; ``what`` it has that could name owners. None where there is nothing to say."""
        if self.owners is not None:
            message = f"{len(self.owners.owners)} entries"
            overlap = overlap_message(self.owners)
            if self.namespace is not None:
                message = f"{message} that name namespace {self.namespace}; entries without it are not compared here"
            elif overlap:
                message = f"{message}; {overlap}"
            return Verdict("OwnersKnown", "True", "OwnersKnown", message)
        if self.trouble is not None:
            return Verdict("OwnersKnown", "False", "OwnersUnusable", f"{what} name no owners: {self.trouble}")
        return None


NO_OWNERS: Final = FoundOwners()
