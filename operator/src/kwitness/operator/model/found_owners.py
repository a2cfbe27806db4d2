"""The owners that a KafkaCluster names, as they were found, and what whoever uses them says of that."""

from __future__ import annotations

from typing import Final, NamedTuple

from kwitness.contracts.owners import Owners
from kwitness.operator.model.conditions import Verdict
from kwitness.operator.model.config_files import overlap_message

__all__ = ["NO_OWNERS", "FoundOwners"]


class FoundOwners(NamedTuple):
    """``owners`` are None where none are named or they cannot be used; then ``trouble`` says why, None: none are."""

    owners: Owners | None = None
    trouble: str | None = None

    def verdict(self, what: str) -> Verdict | None:
        """Condition of a resource; ``what`` it has that could name owners. None where there is nothing to say."""
        if self.owners is not None:
            overlap = overlap_message(self.owners)
            message = f"{len(self.owners.owners)} entries" + (f"; {overlap}" if overlap else "")
            return Verdict("OwnersKnown", "True", "OwnersKnown", message)
        if self.trouble is not None:
            return Verdict("OwnersKnown", "False", "OwnersUnusable", f"{what} name no owners: {self.trouble}")
        return None


NO_OWNERS: Final = FoundOwners()
