"""Holds the owners of a KafkaCluster as they were found, and makes the condition of resources that use them."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple, get_args

from kwitness.contracts.owners import OwnerList, OwnerSource
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.store import Key

__all__ = ["NO_OWNERS", "FoundOwners"]


class FoundOwners(NamedTuple):
    """``owners`` are None where none are named or they cannot be used; then ``trouble`` says why, None: none are.

    ``namespace`` is that which all entries name; None where the list is complete. ``overlap`` names entries of
    different teams that match the same; None: there are none, or the list is not complete. ``incomplete`` says which
    owners are missing and why; None: none are.
    """

    owners: OwnerList | None = None
    trouble: str | None = None
    overlap: str | None = None
    incomplete: str | None = None
    namespace: str | None = None

    def of_namespace(self, namespace: str, cluster: Key) -> FoundOwners:
        """Return what a namespace may know of the owners of a KafkaCluster in another one."""
        if self.trouble is not None:
            return FoundOwners(trouble=f"the list of KafkaCluster {cluster} cannot be used, as its status says")
        if self.owners is None:
            return NO_OWNERS
        missing = (
            None if self.incomplete is None else f"owners are missing, as the status of KafkaCluster {cluster} says"
        )
        return FoundOwners(self.owners.of_namespace(namespace), namespace=namespace, incomplete=missing)

    def verdict(self, what: str) -> Verdict | None:
        """Condition of a resource; ``what`` it has that could name owners. None where there is nothing to say."""
        if self.owners is not None:
            message = f"{len(self.owners.owners)} entries{self._sources()}"
            if self.namespace is not None:
                message = f"{message} that name namespace {self.namespace}; entries without it are not compared here"
            elif self.overlap is not None:
                message = f"{message}; {self.overlap}"
            if self.incomplete is not None:
                message = f"{message}; {self.incomplete}"
            return Verdict("OwnersKnown", "True", "OwnersKnown", message)
        if self.trouble is not None:
            return Verdict("OwnersKnown", "False", "OwnersUnusable", f"{what} name no owners: {self.trouble}")
        return None

    def _sources(self) -> str:
        counts = Counter(entry.source for entry in self.owners.owners) if self.owners is not None else Counter()
        if counts.keys() <= {"ConfigMap"}:
            return ""
        return f" ({', '.join(f'{source} {counts[source]}' for source in get_args(OwnerSource) if counts[source])})"


NO_OWNERS: Final = FoundOwners()
